// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/c_source.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/fmu/law_sources.hpp"
#include "kdyn/laws/registry.hpp"
#include "kdyn/laws/unit.hpp"

namespace kdyn::inline fmu {
namespace {

// The interface; @u@ stands for "double u" of a mount and for "const double* u" of a bushing.
constexpr const char* interface_text =
    R"(/* @TITLE@, exported by kdyn @VERSION@. SI units: m, m/s, N (rad, rad/s, N m for rotations).
 * @ARRAYS@
 *   @P@_model* m = @P@_new();
 *   @P@_start(m, u0, v0);                     at rest at displacement u0, velocity v0 suddenly applied
 *   @ADVANCE_USE@
 *   @FORCE_USE@
 * A solver that integrates the states itself (@P@_STATES of them) uses @P@_evaluate (changes nothing) and @P@_accept (only then friction
 * remembers the step). Force is positive for positive displacement; u and v belong to one motion: v is the rate of u.
 */
#ifndef @P@_H
#define @P@_H

#ifdef __cplusplus
extern "C" {
#endif

enum { @P@_AXES = @AXES@, @P@_STATES = @STATES@, @P@_PARAMETERS = @PARAMETERS@, @P@_INPUTS = @INPUTS@, @P@_SIGNALS = @SIGNALS@, @P@_TURNINGS = @TURNINGS@ };

typedef struct @P@_model @P@_model;

/* A model with the exported parameters, at rest at zero; NULL when memory is short. A copy saves everything the model remembers. */
@P@_model* @P@_new(void);
void @P@_delete(@P@_model* m);
void @P@_copy(@P@_model* to, const @P@_model* from);

/* Parameters by number: @PARAMETER_LIST@.
 * Setting gives 0 when the value is out of its bounds and is then not taken. Parameters may be changed at any time between steps. */
const char* @P@_parameter_name(int i);
const char* @P@_parameter_unit(int i);
double @P@_parameter(const @P@_model* m, int i);
int @P@_set_parameter(@P@_model* m, int i, double value);
/* Inputs from outside besides motion: @INPUT_LIST@. */
void @P@_set_input(@P@_model* m, int i, double value);

void @P@_start(@P@_model* m, @u@, @v@);
@RETURN@ @P@_advance(@P@_model* m, @u@, @v@, double h@OUT@);
@RETURN@ @P@_force(const @P@_model* m, @u@, @v@@OUT@);

/* For a solver that integrates the states x itself: @STATE_LIST@. */
@RETURN@ @P@_evaluate(const @P@_model* m, @u@, @v@, const double* x, double* rate@OUT@);
void @P@_accept(@P@_model* m, @u@, @v@, const double* x, double h);
void @P@_states(const @P@_model* m, double* x);
/* What goes on inside: @SIGNAL_LIST@. Functions that are zero where friction turns round: events of a solver. */
void @P@_inside(const @P@_model* m, @u@, @v@, const double* x, double* signals);
void @P@_turning(const @P@_model* m, @u@, @v@, const double* x, double* values);

/* Exact derivative of the force at a motion for the present states, along du, dv and a change of parameters (dp, NULL: none). */
@RETURN@ @P@_derivative(const @P@_model* m, @u@, @v@, @du@, @dv@, const double* dp@OUT_D@);

#ifdef __cplusplus
}
#endif

#endif
)";

constexpr const char* wrapper_text = R"(
// ---- the interface of this file
#include "@P@.h"

namespace {
const double @P@_image[] = {
@IMAGE@};
constexpr int @P@_room = @P@_STATES + @P@_SIGNALS + @P@_TURNINGS + @P@_PARAMETERS + @P@_INPUTS + 1;
}  // namespace

struct @P@_model {
  @N@::MountUnit unit;
};

extern "C" {

@P@_model* @P@_new(void) {
  @P@_model* m = new (std::nothrow) @P@_model;
  if (m != nullptr && !m->unit.read_image(@P@_image, sizeof @P@_image / sizeof @P@_image[0])) {
    delete m;
    m = nullptr;
  }
  return m;
}
void @P@_delete(@P@_model* m) { delete m; }
void @P@_copy(@P@_model* to, const @P@_model* from) { to->unit = from->unit; }

const char* @P@_parameter_name(int i) {
  static const char* const names[] = {@NAMES@""};
  return i >= 0 && i < @P@_PARAMETERS ? names[i] : "";
}
const char* @P@_parameter_unit(int i) {
  static const char* const units[] = {@UNITS@""};
  return i >= 0 && i < @P@_PARAMETERS ? units[i] : "";
}
double @P@_parameter(const @P@_model* m, int i) { return m->unit.parameter(i); }
int @P@_set_parameter(@P@_model* m, int i, double value) {
  const auto place = m->unit.place_of(i, &@N@::LawInstance::parameters);
  if (place.axis < 0) return 0;
  const @N@::ParameterInfo& info = m->unit.axis(place.axis)->parameter_info(place.index);
  if (!(value >= info.lower && value <= info.upper) || (info.lower_open && value == info.lower)) return 0;
  m->unit.set_parameter(i, value);
  m->unit.retune();
  return 1;
}
void @P@_set_input(@P@_model* m, int i, double value) {
  if (i >= 0 && i < @P@_INPUTS) m->unit.set_input(i, value);
}

void @P@_start(@P@_model* m, @u@, @v@) { m->unit.start(@U@, @V@); }
@RETURN@ @P@_advance(@P@_model* m, @u@, @v@, double h@OUT@) {
  @FORCE@m->unit.advance(@U@, @V@, h, @F@);@BACK@
}
@RETURN@ @P@_force(const @P@_model* m, @u@, @v@@OUT@) {
  @FORCE@m->unit.force(@U@, @V@, @F@);@BACK@
}
@RETURN@ @P@_evaluate(const @P@_model* m, @u@, @v@, const double* x, double* rate@OUT@) {
  @FORCE@m->unit.evaluate(@U@, @V@, x, @F@, rate);@BACK@
}
void @P@_accept(@P@_model* m, @u@, @v@, const double* x, double h) { m->unit.accept(@U@, @V@, x, h); }
void @P@_states(const @P@_model* m, double* x) { m->unit.get_states(x); }
void @P@_inside(const @P@_model* m, @u@, @v@, const double* x, double* signals) { m->unit.inside(@U@, @V@, x, signals); }
void @P@_turning(const @P@_model* m, @u@, @v@, const double* x, double* values) { m->unit.turning_values(@U@, @V@, x, values); }
@RETURN@ @P@_derivative(const @P@_model* m, @u@, @v@, @du@, @dv@, const double* dp@OUT_D@) {
  double x[@P@_room] = {}, none[@P@_room] = {}, rate[@P@_room], signals[@P@_room], turning[@P@_room];
  @FORCE_D@m->unit.get_states(x);
  m->unit.derivative(@U@, @V@, x, {@DU@, @DV@, none, none, dp != nullptr ? dp : none}, false, {@F_D@, rate, signals, turning});@BACK_D@
}

}  // extern "C"
)";

void fill(std::string& text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [key, value] : values) {
    const std::string mark = "@" + key + "@";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
}

// Names of a list over all axes of a unit; those of a bushing behind their axis.
template <class Name>
std::vector<std::string> names_of(const MountUnit& unit, int (LawInstance::*count)() const, Name name) {
  std::vector<std::string> all;
  unit.for_each([&](int a, const LawInstance& law) {
    for (int i = 0; i < (law.*count)(); ++i)
      all.push_back(unit.axes() == 1 ? std::string(name(law, i))
                                     : fmt::format("{}.{}", axis_names[static_cast<std::size_t>(a)], name(law, i)));
  });
  return all;
}
std::string listed(const std::vector<std::string>& names) { return names.empty() ? "none" : join(names, ", "); }

}  // namespace

std::string c_numbers(const std::vector<double>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::string text = fmt::format("{}", numbers[i]);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    out += fmt::format("{}{},{}", i % 8 == 0 ? "    " : " ", text, i % 8 == 7 || i + 1 == numbers.size() ? "\n" : "");
  }
  return out;
}

CSource c_source(const Json& model, const std::string& where, const std::string& prefix) {
  if (prefix.empty() || std::isdigit(static_cast<unsigned char>(prefix.front())) ||
      !std::all_of(prefix.begin(), prefix.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; }))
    throw_bad_input("name", fmt::format("{} is no C identifier", in_quotes(prefix)),
                    "use letters, digits and underscores");
  const std::vector<double> image = image_of_model(model, where);
  MountUnit unit;
  demand(unit.read_image(image.data(), image.size()), "an image that was just written can be read");

  std::vector<std::string> types;
  std::string title = unit.axes() == 1 ? "" : "Six-axis bushing";
  unit.for_each([&](int, const LawInstance& law) {
    const std::string& type = find_law(law.model())->type;
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
    if (title.empty()) title = law.title();
  });
  CSource out;
  out.parameters =
      names_of(unit, &LawInstance::parameters, [](const LawInstance& law, int i) { return law.parameter_name(i); });
  std::string names, units;
  for (const std::string& name : out.parameters) names += fmt::format("\"{}\", ", name);
  unit.for_each([&](int, const LawInstance& law) {
    for (int i = 0; i < law.parameters(); ++i) units += fmt::format("\"{}\", ", law.parameter_info(i).unit);
  });

  const bool one = unit.axes() == 1;
  const auto number = [](int n) { return fmt::format("{}", n); };
  const std::vector<std::pair<std::string, std::string>> values = {
      {"TITLE", title},
      {"VERSION", version()},
      {"ARRAYS", one ? "" : "Arrays of six: fx fy fz tx ty tz."},
      {"ADVANCE_USE", one ? "force = @P@_advance(m, u, v, h);          accept a step of length h that ends at "
                            "displacement u and velocity v"
                          : "@P@_advance(m, u, v, h, force);           accept a step of length h that ends at "
                            "displacements u and velocities v"},
      {"FORCE_USE", one ? "force = @P@_force(m, u, v);               look without changing anything, for iterations "
                          "and rejected steps"
                        : "@P@_force(m, u, v, force);                look without changing anything, for iterations "
                          "and rejected steps"},
      {"PARAMETER_LIST", listed(out.parameters)},
      {"INPUT_LIST",
       listed(names_of(unit, &LawInstance::inputs, [](const LawInstance& law, int i) { return law.input(i).name; }))},
      {"STATE_LIST",
       listed(names_of(unit, &LawInstance::states, [](const LawInstance& law, int i) { return law.state(i).name; }))},
      {"SIGNAL_LIST",
       listed(names_of(unit, &LawInstance::signals, [](const LawInstance& law, int i) { return law.signal(i).name; }))},
      {"AXES", number(unit.axes())},
      {"STATES", number(unit.states())},
      {"PARAMETERS", number(unit.parameters())},
      {"INPUTS", number(unit.inputs())},
      {"SIGNALS", number(unit.signals())},
      {"TURNINGS", number(unit.turnings())},
      {"IMAGE", c_numbers(image)},
      {"NAMES", names},
      {"UNITS", units},
      {"u", one ? "double u" : "const double* u"},
      {"v", one ? "double v" : "const double* v"},
      {"du", one ? "double du" : "const double* du"},
      {"dv", one ? "double dv" : "const double* dv"},
      {"U", one ? "&u" : "u"},
      {"V", one ? "&v" : "v"},
      {"DU", one ? "&du" : "du"},
      {"DV", one ? "&dv" : "dv"},
      {"RETURN", one ? "double" : "void"},
      {"OUT", one ? "" : ", double* force"},
      {"OUT_D", one ? "" : ", double* change"},
      {"FORCE", one ? "double force;\n  " : ""},
      {"FORCE_D", one ? "double change;\n  " : ""},
      {"F", one ? "&force" : "force"},
      {"F_D", one ? "&change" : "change"},
      {"BACK", one ? "\n  return force;" : ""},
      {"BACK_D", one ? "\n  return change;" : ""},
      {"N", prefix + "_kdyn"},
      {"P", prefix},
  };
  out.header = interface_text;
  fill(out.header, values);
  std::string wrapper = wrapper_text;
  fill(wrapper, values);
  out.code = fmt::format(
                 "// {}, exported by kdyn {}: the laws are kdyn's own headers, joined. C++17; needs {}.h and nothing "
                 "else.\n// "
                 "SPDX-License-Identifier: Apache-2.0\n#include <new>\n",
                 title, version(), prefix) +
             joined_law_source("kdyn/laws/unit.hpp", types, prefix + "_kdyn") + wrapper;
  return out;
}

}  // namespace kdyn::inline fmu
