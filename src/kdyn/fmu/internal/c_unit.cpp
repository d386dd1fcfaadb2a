// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/internal/c_unit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::internal {
namespace {

struct Generator {
  const char* model;
  CLaw (*generate)(const Json&, const std::string&);
};

// A new law joins with one line here.
constexpr Generator generators[] = {{"elastomer", elastomer_c},     {"hydromount", hydromount_c},
                                    {"activemount", activemount_c}, {"kelvin_voigt", kelvin_voigt_c},
                                    {"maxwell", maxwell_c},         {"berg", berg_c},
                                    {"bouc_wen", bouc_wen_c},       {"fractional_zener", fractional_zener_c}};

std::string law_prefix(const std::string& prefix, const CAxis& axis) { return prefix + (axis.name.empty() ? "" : "_" + axis.name) + "_law"; }

constexpr const char* declarations = R"(enum {
  @P@_AXES = @AXES@,
  @P@_STATES = @STATES@,
  @P@_PARAMETERS = @PARAMETERS@,
  @P@_SIGNALS = @SIGNALS@,
  @P@_INPUTS = @INPUTS@,
  @P@_TURNING = @TURNING@,
  @P@_ROOM = @ROOM@
};

typedef struct {
@MEMBERS@} @P@_model;

)";

constexpr const char* functions = R"(/* Address of a parameter by its number, 0 when there is none. */
real* @P@_parameter(@P@_model* m, int i) {
  switch (i) {
@ADDRESSES@    default: return 0;
  }
}

void @P@_defaults(@P@_model* m) {
@BODY_DEFAULTS@}

void @P@_retune(@P@_model* m) {
@BODY_RETUNE@}

void @P@_start(@P@_model* m, const real* u, const real* v) {
@BODY_START@}

void @P@_set_input(@P@_model* m, int i, real value) {
@BODY_INPUT@}

void @P@_states(const @P@_model* m, real* x) {
@BODY_STATES@}

void @P@_set_states(@P@_model* m, const real* x) {
@BODY_SET_STATES@}

@COUPLING@void @P@_evaluate(const @P@_model* m, const real* u, const real* v, const real* x, real* force, real* rate) {
@BODY_EVALUATE@}

void @P@_force(const @P@_model* m, const real* u, const real* v, real* force) {
@BODY_FORCE@}

void @P@_advance(@P@_model* m, const real* u, const real* v, real h, real* force) {
@BODY_ADVANCE@}

void @P@_accept(@P@_model* m, const real* u, const real* v, const real* x, real h) {
@BODY_ACCEPT@}

void @P@_inside(const @P@_model* m, const real* u, const real* v, const real* x, real* signals) {
@BODY_INSIDE@}

void @P@_turning(const @P@_model* m, const real* u, const real* v, const real* x, real* z) {
@BODY_TURNING@}
)";

// [element E11] [element E12]
constexpr const char* coupling_text = R"(/* Static forces of the first @COUPLED@ axes follow the length of their common displacement. */
static void @P@_couple(const @P@_model* m, const real* u, real* force) {
  real square = 0.0, r;
  int i;
  for (i = 0; i < @COUPLED@; ++i) square += u[i] * u[i];
  if (value_of(square) == 0.0) return;
  r = r_sqrt(square);
@SHARES@}

)";

}  // namespace

CLaw c_law(const Json& model, const std::string& where) {
  std::vector<std::string> known;
  for (const Generator& generator : generators) known.emplace_back(generator.model);
  if (!model.is_object() || !model.contains("model"))
    throw_bad_input(where, "this is no model: the key \"model\" is missing", "give a model file or the result.json of a fit");
  if (model["model"].is_object()) return c_law(model["model"], where + ".model");
  const std::string name = model["model"].is_string() ? model["model"].get<std::string>() : "";
  for (const Generator& generator : generators)
    if (name == generator.model) return generator.generate(model, where);
  throw_bad_input(where + ".model", fmt::format("model {} has no C form", in_quotes(name)), suggest(name, known));
}

CUnit c_unit(const Json& model, const std::string& where) {
  if (model.is_object() && model.contains("model") && model["model"].is_object()) return c_unit(model["model"], where + ".model");
  CUnit unit;
  unit.coupling = "none";
  const bool bushing = model.is_object() && model.contains("model") && model["model"] == "bushing";
  if (bushing) {
    bushing_from_json(model, where);  // checks everything
    unit.title = "Six-axis bushing";
    if (model.contains("coupling")) unit.coupling = model["coupling"].get<std::string>();
    for (const char* name : axis_names) {
      const bool present = model["axes"].contains(name);
      unit.axes.push_back({name, present, present ? c_law(model["axes"][name], where + ".axes." + name) : CLaw{}});
    }
  } else {
    unit.axes.push_back({"", true, c_law(model, where)});
    unit.title = unit.axes.front().law.title;
  }
  for (const CAxis& axis : unit.axes) {
    const auto take = [&](const std::vector<CVariable>& from, std::vector<CVariable>& to) {
      for (CVariable v : from) {
        if (v.member.empty()) v.member = v.name;
        if (!axis.name.empty()) v.name = axis.name + "." + v.name;
        // A turning axis has the same numbers with angles and moments.
        if (!axis.name.empty() && axis.name[0] == 't') v.unit = angular_unit(v.unit);
        to.push_back(std::move(v));
      }
    };
    take(axis.law.parameters, unit.parameters);
    take(axis.law.states, unit.states);
    take(axis.law.signals, unit.signals);
    take(axis.law.inputs, unit.inputs);
    take(axis.law.turning, unit.turning);
  }
  return unit;
}

std::string angular_unit(const std::string& unit) {
  static const std::pair<const char*, const char*> pairs[] = {{"m", "rad"},       {"m/s", "rad/s"},       {"N", "N*m"},
                                                              {"N/m", "N*m/rad"}, {"N*s/m", "N*m*s/rad"}, {"1/m", "1/rad"}};
  for (const auto& [linear, angular] : pairs)
    if (unit == linear) return angular;
  return unit;
}

std::string c_helper_text(const std::vector<CAxis>& axes, const std::string& prefix, CScalar scalar) {
  std::string out;
  for (const char* helper : {c_path, c_turns, c_travelled, c_relaxation, c_chain, c_table}) {
    const bool used = std::any_of(axes.begin(), axes.end(), [&](const CAxis& axis) {
      return std::find(axis.law.helpers.begin(), axis.law.helpers.end(), helper) != axis.law.helpers.end();
    });
    if (used) out += instantiate(helper, prefix, prefix, scalar) + "\n";
  }
  return out;
}

std::string CUnit::code(const std::string& prefix, CScalar scalar) const {
  const bool coupled = coupling != "none";
  std::string members, addresses, defaults, retune, start, input, states_out, states_in, evaluate, force, advance, accept, inside_body, turning_body,
      shares;
  std::size_t x = 0, s = 0, in = 0, t = 0, p = 0;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const CAxis& axis = axes[a];
    if (!axis.present) {
      for (std::string* body : {&evaluate, &force, &advance}) *body += fmt::format("  force[{}] = 0.0;\n", a);
      continue;
    }
    const CLaw& law = axis.law;
    const std::string member = axis.name.empty() ? "mount" : axis.name;
    const std::string call = law_prefix("@P@", axis);
    members += fmt::format("  {}_model {};\n", call, member);
    for (const CVariable& parameter : law.parameters)
      addresses += fmt::format("    case {}: return &m->{}.p.{};\n", p++, member, parameter.member.empty() ? parameter.name : parameter.member);
    defaults += fmt::format("  {}_default_parameters(&m->{}.p);\n", call, member);
    retune += fmt::format("  {}_retune(&m->{});\n", call, member);
    start += fmt::format("  {{\n    const {0}_parameters p = m->{1}.p;\n    {0}_start(&m->{1}, &p, u[{2}], v[{2}]);\n  }}\n", call, member, a);
    for (std::size_t i = 0; i < law.inputs.size(); ++i) input += fmt::format("  if (i == {}) m->{}.input[{}] = value;\n", in++, member, i);
    for (std::size_t i = 0; i < law.states.size(); ++i) {
      states_out += fmt::format("  x[{}] = m->{}.x[{}];\n", x + i, member, i);
      states_in += fmt::format("  m->{}.x[{}] = x[{}];\n", member, i, x + i);
    }
    const std::string at = fmt::format("&m->{0}, u[{1}], v[{1}]", member, a);
    evaluate += fmt::format("  force[{}] = {}_evaluate({}, x + {}, rate + {});\n", a, call, at, x, x);
    force += fmt::format("  force[{}] = {}_force({});\n", a, call, at);
    advance += fmt::format("  force[{}] = {}_advance({}, h);\n", a, call, at);
    accept += fmt::format("  {}_accept({}, x + {}, h);\n", call, at, x);
    inside_body += fmt::format("  {}_inside({}, x + {}, signals + {});\n", call, at, x, s);
    turning_body += fmt::format("  {}_turning({}, x + {}, z + {});\n", call, at, x, t);
    if (coupled && a < (coupling == "cylindrical" ? 2U : 3U))
      shares += fmt::format(
          "  {{\n    const {0}_parameters* p = &m->{1}.p;\n    const double sign = value_of(u[{2}]) < 0.0 ? -1.0 : 1.0;\n"
          "    const real zero = {0}_static_force(p, 0.0);\n    force[{2}] += sign * u[{2}] / r * ({0}_static_force(p, sign * r) - zero) - "
          "({0}_static_force(p, u[{2}]) - zero);\n  }}\n",
          call, member, a);
    x += law.states.size(), s += law.signals.size(), t += law.turning.size();
  }
  if (coupled)
    for (std::string* body : {&evaluate, &force, &advance}) *body += "  @P@_couple(m, u, force);\n";
  const auto or_quiet = [](std::string body, std::initializer_list<const char*> names) {
    if (!body.empty()) return body;
    for (const char* name : names) body += fmt::format("  (void){};\n", name);
    return body;
  };
  const auto number = [](std::size_t n) { return fmt::format("{}", n); };
  const std::size_t room = std::max({std::size_t{1}, axes.size(), states.size(), signals.size(), inputs.size(), turning.size()});
  std::string text = std::string(declarations) + functions;
  fill(text, {{"AXES", number(axes.size())},
              {"STATES", number(states.size())},
              {"PARAMETERS", number(parameters.size())},
              {"SIGNALS", number(signals.size())},
              {"INPUTS", number(inputs.size())},
              {"TURNING", number(turning.size())},
              {"ROOM", number(room)},
              {"MEMBERS", members},
              {"ADDRESSES", addresses},
              {"BODY_DEFAULTS", defaults},
              {"BODY_RETUNE", retune},
              {"BODY_START", start},
              {"BODY_INPUT", input.empty() ? or_quiet("", {"m", "i", "value"}) : input},
              {"BODY_STATES", or_quiet(states_out, {"m", "x"})},
              {"BODY_SET_STATES", or_quiet(states_in, {"m", "x"})},
              {"COUPLING", coupled ? coupling_text : ""},
              {"COUPLED", coupling == "cylindrical" ? "2" : "3"},
              {"SHARES", shares.empty() ? or_quiet("", {"m", "force", "r"}) : shares},
              {"BODY_EVALUATE", evaluate},
              {"BODY_FORCE", force},
              {"BODY_ADVANCE", advance},
              {"BODY_ACCEPT", accept},
              {"BODY_INSIDE", inside_body},
              {"BODY_TURNING", turning_body}});
  std::string laws = c_helper_text(axes, prefix, scalar);
  for (const CAxis& axis : axes)
    if (axis.present) laws += instantiate(axis.law.text, law_prefix(prefix, axis), prefix, scalar) + "\n";
  return laws + instantiate(text, prefix, prefix, scalar);
}

}  // namespace kdyn::internal
