// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/internal/model_description.hpp"

#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/version.hpp"

namespace kdyn::internal {
namespace {

using Role = FmuVariable::Role;

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// Exponents of kg, m, s, A and rad; a unit that depends on a parameter (N*(s/m)^n) has none.
struct BaseUnit {
  const char* name;
  std::array<int, 5> exponents;
};
constexpr BaseUnit base_units[] = {
    {"s", {0, 0, 1, 0, 0}},         {"m", {0, 1, 0, 0, 0}},           {"m/s", {0, 1, -1, 0, 0}},     {"m/s^2", {0, 1, -2, 0, 0}},
    {"N", {1, 1, -2, 0, 0}},        {"N/m", {1, 0, -2, 0, 0}},        {"N*s/m", {1, 0, -1, 0, 0}},   {"1/m", {0, -1, 0, 0, 0}},
    {"Pa", {1, -1, -2, 0, 0}},      {"m^2", {0, 2, 0, 0, 0}},         {"m^3/s", {0, 3, -1, 0, 0}},   {"kg/m^3", {1, -3, 0, 0, 0}},
    {"kg", {1, 0, 0, 0, 0}},        {"V", {1, 2, -3, -1, 0}},         {"A", {0, 0, 0, 1, 0}},        {"A/s", {0, 0, -1, 1, 0}},
    {"Ohm", {1, 2, -3, -2, 0}},     {"H", {1, 2, -2, -2, 0}},         {"N/A", {1, 1, -2, -1, 0}},    {"N*s^2/m^2", {1, -1, 0, 0, 0}},
    {"rad", {0, 0, 0, 0, 1}},       {"rad/s", {0, 0, -1, 0, 1}},      {"rad/s^2", {0, 0, -2, 0, 1}}, {"N*m", {1, 2, -2, 0, 0}},
    {"N*m/rad", {1, 2, -2, 0, -1}}, {"N*m*s/rad", {1, 2, -1, 0, -1}}, {"1/rad", {0, 0, 0, 0, -1}},
};

std::string unit_definitions(const std::vector<FmuVariable>& variables) {
  static constexpr const char* names[] = {"kg", "m", "s", "A", "rad"};
  std::set<std::string> units;
  for (const FmuVariable& v : variables)
    if (!v.about.unit.empty() && v.about.unit != "-") units.insert(v.about.unit);
  std::string out = "  <UnitDefinitions>\n";
  for (const std::string& unit : units) {
    std::string base;
    for (const BaseUnit& known : base_units)
      if (unit == known.name)
        for (std::size_t i = 0; i < 5; ++i)
          if (known.exponents[i] != 0) base += fmt::format(" {}=\"{}\"", names[i], known.exponents[i]);
    out += base.empty() ? fmt::format("    <Unit name=\"{}\"/>\n", escape(unit))
                        : fmt::format("    <Unit name=\"{}\"><BaseUnit{}/></Unit>\n", escape(unit), base);
  }
  return out + "  </UnitDefinitions>\n";
}

const char* causality(Role role) {
  switch (role) {
    case Role::time: return "independent";
    case Role::displacement:
    case Role::velocity:
    case Role::input: return "input";
    case Role::force: return "output";
    case Role::parameter:
    case Role::option: return "parameter";
    default: return "local";
  }
}

const char* variability(Role role) { return role == Role::parameter || role == Role::option ? "tunable" : "continuous"; }

// Inputs and time have none.
std::string initial(Role role) {
  switch (role) {
    case Role::time:
    case Role::displacement:
    case Role::velocity:
    case Role::input: return "";
    case Role::state:
    case Role::parameter:
    case Role::option: return " initial=\"exact\"";
    default: return " initial=\"calculated\"";
  }
}

bool has_start(Role role) {
  return role == Role::displacement || role == Role::velocity || role == Role::input || role == Role::state || role == Role::parameter;
}

// unit, min, max, nominal, start, derivative: what both versions write alike.
std::string real_attributes(const FmuVariable& v, std::size_t derivative_of) {
  const CVariable& a = v.about;
  std::string out;
  if (!a.unit.empty() && a.unit != "-") out += fmt::format(" unit=\"{}\"", escape(a.unit));
  if (v.role == Role::parameter || v.role == Role::input) {
    if (std::isfinite(a.lower)) out += fmt::format(" min=\"{}\"", a.lower);
    if (std::isfinite(a.upper)) out += fmt::format(" max=\"{}\"", a.upper);
  }
  if (v.role == Role::state) out += fmt::format(" nominal=\"{}\"", nominal_value(a.unit));
  if (v.role == Role::rate) out += fmt::format(" derivative=\"{}\"", derivative_of);
  if (has_start(v.role)) out += fmt::format(" start=\"{}\"", a.start);
  return out;
}

std::string variables_2(const std::vector<FmuVariable>& variables) {
  std::string out = "  <ModelVariables>\n";
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const FmuVariable& v = variables[i];
    out += fmt::format(
        "    <!-- {} -->\n    <ScalarVariable name=\"{}\" valueReference=\"{}\" description=\"{}\" causality=\"{}\" variability=\"{}\"{}>", i + 1,
        escape(v.about.name), i, escape(v.about.meaning), causality(v.role), variability(v.role), initial(v.role));
    out += v.role == Role::option ? std::string("<Boolean start=\"false\"/>") : fmt::format("<Real{}/>", real_attributes(v, v.state + 1));
    out += "</ScalarVariable>\n";
  }
  return out + "  </ModelVariables>\n";
}

std::string variables_3(const std::vector<FmuVariable>& variables) {
  std::string out = "  <ModelVariables>\n";
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const FmuVariable& v = variables[i];
    const bool option = v.role == Role::option;
    out += fmt::format("    <{} name=\"{}\" valueReference=\"{}\" description=\"{}\" causality=\"{}\" variability=\"{}\"{}{}/>\n",
                       option ? "Boolean" : "Float64", escape(v.about.name), i, escape(v.about.meaning), causality(v.role), variability(v.role),
                       initial(v.role), option ? std::string(" start=\"false\"") : real_attributes(v, v.state));
  }
  return out + "  </ModelVariables>\n";
}

// Inputs and states that an output, a rate or an indicator depends on: those of its axis, and the displacements that are coupled with it.
std::string dependencies(const std::vector<FmuVariable>& variables, const FmuVariable& unknown, const CUnit& unit, std::size_t first_index) {
  const std::size_t coupled = unit.coupling == "cylindrical" ? 2 : unit.coupling == "spherical" ? 3 : 0;
  std::string out;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const FmuVariable& v = variables[i];
    const bool known = v.role == Role::displacement || v.role == Role::velocity || v.role == Role::input || v.role == Role::state;
    const bool same = v.axis == unknown.axis && unit.axes[v.axis].present;
    const bool linked = unknown.role == Role::force && v.role == Role::displacement && unknown.axis < coupled && v.axis < coupled;
    if (known && (same || linked)) out += fmt::format("{}{}", out.empty() ? "" : " ", i + first_index);
  }
  return out;
}

std::string structure_2(const std::vector<FmuVariable>& variables, const CUnit& unit) {
  std::string outputs, derivatives, initials;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const FmuVariable& v = variables[i];
    if (v.role != Role::force && v.role != Role::rate) continue;
    (v.role == Role::force ? outputs : derivatives) +=
        fmt::format("      <Unknown index=\"{}\" dependencies=\"{}\"/>\n", i + 1, dependencies(variables, v, unit, 1));
    initials += fmt::format("      <Unknown index=\"{}\"/>\n", i + 1);
  }
  std::string out = "  <ModelStructure>\n    <Outputs>\n" + outputs + "    </Outputs>\n";
  if (!derivatives.empty()) out += "    <Derivatives>\n" + derivatives + "    </Derivatives>\n";
  return out + "    <InitialUnknowns>\n" + initials + "    </InitialUnknowns>\n  </ModelStructure>\n";
}

std::string structure_3(const std::vector<FmuVariable>& variables, const CUnit& unit) {
  std::string outputs, derivatives, initials, events;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const FmuVariable& v = variables[i];
    if (v.role != Role::force && v.role != Role::rate && v.role != Role::turning) continue;
    const auto line = [&](const char* element) {
      return fmt::format("    <{} valueReference=\"{}\" dependencies=\"{}\"/>\n", element, i, dependencies(variables, v, unit, 0));
    };
    if (v.role == Role::force) outputs += line("Output");
    if (v.role == Role::rate) derivatives += line("ContinuousStateDerivative");
    if (v.role == Role::turning) events += line("EventIndicator");
    if (v.role != Role::turning) initials += fmt::format("    <InitialUnknown valueReference=\"{}\"/>\n", i);
  }
  return "  <ModelStructure>\n" + outputs + derivatives + initials + events + "  </ModelStructure>\n";
}

}  // namespace

double nominal_value(const std::string& unit) {
  if (unit == "m" || unit == "rad") return 1e-4;
  return unit == "A" ? 1.0 : 0.1;
}

std::vector<FmuVariable> fmu_variables(const CUnit& unit) {
  std::vector<FmuVariable> out;
  const auto add = [&](Role role, CVariable about, std::size_t axis) { out.push_back({role, std::move(about), axis, 0}); };
  add(Role::time, {"time", "s", "Simulation time"}, 0);
  const auto motion = [&](Role role, const char* name, const char* linear, const char* angular, const char* meaning) {
    for (std::size_t a = 0; a < unit.axes.size(); ++a) {
      const std::string& axis = unit.axes[a].name;
      const bool turns = !axis.empty() && axis[0] == 't';
      add(role, {axis.empty() ? std::string(name) : std::string(name) + "." + axis, turns ? angular : linear, meaning}, a);
    }
  };
  const auto parts = [&](Role role, const std::vector<CVariable>& list, auto member) {
    std::size_t i = 0;
    for (std::size_t a = 0; a < unit.axes.size(); ++a)
      for (std::size_t k = 0; k < (unit.axes[a].law.*member).size(); ++k) add(role, list[i++], a);
  };
  motion(Role::displacement, "displacement", "m", "rad", "Displacement across the mount");
  motion(Role::velocity, "velocity", "m/s", "rad/s", "Velocity across the mount");
  parts(Role::input, unit.inputs, &CLaw::inputs);
  motion(Role::force, "force", "N", "N*m", "Force, positive for positive displacement");
  parts(Role::signal, unit.signals, &CLaw::signals);
  const std::size_t first_state = out.size();
  parts(Role::state, unit.states, &CLaw::states);
  for (std::size_t i = 0; i < unit.states.size(); ++i) {
    const FmuVariable state = out[first_state + i];
    const std::string& u = state.about.unit;
    const std::string rate_unit = u == "m/s" || u == "rad/s" ? u + "^2" : u + "/s";
    out.push_back({Role::rate, {"der(" + state.about.name + ")", rate_unit, "Derivative of " + state.about.name}, state.axis, first_state + i});
  }
  parts(Role::turning, unit.turning, &CLaw::turning);
  parts(Role::parameter, unit.parameters, &CLaw::parameters);
  add(Role::option,
      {"extrapolate_inputs", "-",
       "Co-simulation: false, displacement and velocity are those at the end of the step; true, they are those at its beginning and the displacement "
       "is carried on with the velocity"},
      0);
  return out;
}

std::vector<FmuVariableInfo> variable_infos(const CUnit& unit) {
  std::vector<FmuVariableInfo> out;
  for (const FmuVariable& v : fmu_variables(unit)) {
    std::string start = v.role == Role::option ? "false" : has_start(v.role) ? fmt::format("{}", v.about.start) : std::string();
    out.push_back({v.about.name, causality(v.role), v.about.unit == "-" ? "" : v.about.unit, v.about.meaning, std::move(start)});
  }
  return out;
}

std::string model_description(const CUnit& unit, const FmuDescription& about) {
  const std::vector<FmuVariable> variables = fmu_variables(unit);
  const bool two = about.version == 2;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription\n  fmiVersion=\"{}\"\n  modelName=\"{}\"\n  {}=\"{}\"\n  description=\"{}\"\n"
      "  generationTool=\"kdyn {}\"\n  variableNamingConvention=\"structured\"",
      two ? "2.0" : "3.0", escape(about.identifier), two ? "guid" : "instantiationToken", escape(about.token), escape(about.title), version());
  out += two ? fmt::format("\n  numberOfEventIndicators=\"{}\">\n", unit.turning.size()) : std::string(">\n");
  if (two) {
    const std::string common = fmt::format(
        "modelIdentifier=\"{}\" canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
        "providesDirectionalDerivative=\"true\"",
        about.identifier);
    const std::string files = fmt::format(">\n    <SourceFiles><File name=\"{}\"/></SourceFiles>\n  ", about.source);
    out += fmt::format("  <ModelExchange {} completedIntegratorStepNotNeeded=\"false\"{}</ModelExchange>\n", common, files);
    out += fmt::format(
        "  <CoSimulation {} canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\" "
        "maxOutputDerivativeOrder=\"0\"{}</CoSimulation>\n",
        common, files);
  } else {
    const std::string common = fmt::format(
        "modelIdentifier=\"{}\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\" "
        "providesAdjointDerivatives=\"true\"",
        about.identifier);
    out += fmt::format("  <ModelExchange {} needsCompletedIntegratorStep=\"true\"/>\n", common);
    out += fmt::format("  <CoSimulation {} canHandleVariableCommunicationStepSize=\"true\"/>\n", common);
  }
  out += unit_definitions(variables);
  out += "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"Why a call was refused\"/>\n  </LogCategories>\n";
  out += "  <DefaultExperiment startTime=\"0\" stopTime=\"1\" tolerance=\"1e-6\" stepSize=\"0.001\"/>\n";
  out += two ? variables_2(variables) + structure_2(variables, unit) : variables_3(variables) + structure_3(variables, unit);
  return out + "</fmiModelDescription>\n";
}

std::string build_description(const FmuDescription& about) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n  <BuildConfiguration modelIdentifier=\"{}\">\n"
      "    <SourceFileSet language=\"C99\">\n      <SourceFile name=\"{}\"/>\n    </SourceFileSet>\n    <Library name=\"m\" external=\"true\"/>\n"
      "  </BuildConfiguration>\n</fmiBuildDescription>\n",
      about.identifier, about.source);
}

std::string documentation_page(const CUnit& unit, const FmuDescription& about) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>body{{font:15px/1.5 "
      "sans-serif;max-width:60em;margin:2em "
      "auto;padding:0 1em}}table{{border-collapse:collapse}}td,th{{border-bottom:1px solid #ccc;padding:.2em "
      ".8em;text-align:left}}td.n{{text-align:right;font-variant-numeric:tabular-nums}}</style>\n<h1>{0}</h1>\n<p>{1}, exported by kdyn {2} for FMI "
      "{3}: "
      "model exchange and co-simulation.</p>\n",
      escape(about.identifier), escape(about.title), version(), about.version == 2 ? "2.0" : "3.0");
  out +=
      "<h2>Use</h2>\n<p>Displacement and velocity in, force out; SI units; the force is positive for positive displacement. Both inputs must belong "
      "to "
      "one motion: the velocity is the rate of the displacement. The model rests at the displacement given in initialization.</p>\n"
      "<ul>\n<li>Co-simulation: inputs set before a step are the motion at its end. A tool that can only give the motion at the beginning sets "
      "<code>extrapolate_inputs</code> to true.</li>\n"
      "<li>Model exchange: <code>completedIntegratorStep</code> must be called, friction remembers its turning points there. Event indicators are "
      "zero "
      "at turning points.</li>\n"
      "<li>A step that is to be repeated: save the state before it, restore it after.</li>\n"
      "<li>Sources: compile <code>" +
      about.source +
      "</code> alone as C99; it includes the others. Link the mathematics library.</li>\n</ul>\n<h2>Variables</h2>\n<table>\n"
      "<tr><th>Name</th><th>Kind</th><th>Unit</th><th>Start</th><th>Meaning</th></tr>\n";
  for (const FmuVariableInfo& v : variable_infos(unit))
    out += fmt::format("<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n", escape(v.name), v.kind,
                       escape(v.unit), v.start, escape(v.meaning));
  return out + "</table>\n</html>\n";
}

}  // namespace kdyn::internal
