// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/internal/model_description.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/version.hpp"

namespace kdyn::inline fmu::internal {
namespace {

using fmi::Group;
using fmi::Variable;

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
    {"s", {0, 0, 1, 0, 0}},         {"m", {0, 1, 0, 0, 0}},           {"m/s", {0, 1, -1, 0, 0}},
    {"m/s^2", {0, 1, -2, 0, 0}},    {"N", {1, 1, -2, 0, 0}},          {"N/m", {1, 0, -2, 0, 0}},
    {"N*s/m", {1, 0, -1, 0, 0}},    {"1/m", {0, -1, 0, 0, 0}},        {"Pa", {1, -1, -2, 0, 0}},
    {"m^2", {0, 2, 0, 0, 0}},       {"m^3/s", {0, 3, -1, 0, 0}},      {"kg/m^3", {1, -3, 0, 0, 0}},
    {"kg", {1, 0, 0, 0, 0}},        {"V", {1, 2, -3, -1, 0}},         {"A", {0, 0, 0, 1, 0}},
    {"A/s", {0, 0, -1, 1, 0}},      {"Ohm", {1, 2, -3, -2, 0}},       {"H", {1, 2, -2, -2, 0}},
    {"N/A", {1, 1, -2, -1, 0}},     {"N*s^2/m^2", {1, -1, 0, 0, 0}},  {"rad", {0, 0, 0, 0, 1}},
    {"rad/s", {0, 0, -1, 0, 1}},    {"rad/s^2", {0, 0, -2, 0, 1}},    {"N*m", {1, 2, -2, 0, 0}},
    {"N*m/rad", {1, 2, -2, 0, -1}}, {"N*m*s/rad", {1, 2, -1, 0, -1}}, {"1/rad", {0, 0, 0, 0, -1}},
};

std::string unit_definitions(const std::vector<Variable>& variables) {
  static constexpr const char* names[] = {"kg", "m", "s", "A", "rad"};
  std::set<std::string> units;
  for (const Variable& v : variables)
    if (v.unit[0] != '\0') units.insert(v.unit);
  std::string out = "  <UnitDefinitions>\n";
  for (const std::string& unit : units) {
    std::string base;
    for (const BaseUnit& known : base_units)
      if (unit == known.name)
        for (std::size_t i = 0; i < 5; ++i)
          if (known.exponents[i] != 0) base += fmt::format(" {}=\"{}\"", names[i], known.exponents[i]);
    if (unit == "degC") base = " K=\"1\" offset=\"273.15\"";
    out += base.empty() ? fmt::format("    <Unit name=\"{}\"/>\n", escape(unit))
                        : fmt::format("    <Unit name=\"{}\"><BaseUnit{}/></Unit>\n", escape(unit), base);
  }
  return out + "  </UnitDefinitions>\n";
}

const char* causality(Group group) {
  switch (group) {
    case Group::time: return "independent";
    case Group::displacement:
    case Group::velocity:
    case Group::input: return "input";
    case Group::force: return "output";
    case Group::parameter:
    case Group::option: return "parameter";
    default: return "local";
  }
}

// Parameters of a system are those of its start.
const char* variability(Group group, const MountUnit* unit) {
  if (group == Group::parameter) return unit != nullptr ? "tunable" : "fixed";
  return group == Group::option ? "fixed" : "continuous";
}

// Inputs and time have none.
std::string initial(Group group) {
  switch (group) {
    case Group::time:
    case Group::displacement:
    case Group::velocity:
    case Group::input: return "";
    case Group::state:
    case Group::parameter:
    case Group::option: return " initial=\"exact\"";
    default: return " initial=\"calculated\"";
  }
}

bool has_start(Group group) {
  return group == Group::displacement || group == Group::velocity || group == Group::input || group == Group::state ||
         group == Group::parameter;
}

std::string meaning(const Variable& v) {
  // der(x) of a state x
  return v.group == Group::rate ? "Derivative of " + std::string(v.name).substr(4, std::string(v.name).size() - 5)
                                : v.meaning;
}

// unit, min, max, nominal, start, derivative: what both versions write alike.
std::string real_attributes(const Variable& v, std::size_t derivative_of) {
  std::string out;
  const auto finite = [](double bound) { return std::abs(bound) < std::numeric_limits<double>::max(); };
  if (v.unit[0] != '\0') out += fmt::format(" unit=\"{}\"", escape(v.unit));
  if (v.bounded && finite(v.lower)) out += fmt::format(" min=\"{}\"", v.lower);
  if (v.bounded && finite(v.upper)) out += fmt::format(" max=\"{}\"", v.upper);
  if (v.group == Group::state) out += fmt::format(" nominal=\"{}\"", fmi::nominal_value(v.unit));
  if (v.group == Group::rate) out += fmt::format(" derivative=\"{}\"", derivative_of);
  if (has_start(v.group)) out += fmt::format(" start=\"{}\"", v.start);
  return out;
}

// Value reference of the first state; rates stand behind the states in the same order.
std::size_t first_of(const std::vector<Variable>& variables, Group group) {
  std::size_t i = 0;
  while (i < variables.size() && variables[i].group != group) ++i;
  return i;
}

std::string variables_2(const std::vector<Variable>& variables, const MountUnit* unit) {
  const std::size_t first_state = first_of(variables, Group::state);
  std::string out = "  <ModelVariables>\n";
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& v = variables[i];
    out += fmt::format(
        "    <!-- {} -->\n    <ScalarVariable name=\"{}\" valueReference=\"{}\" description=\"{}\" causality=\"{}\" "
        "variability=\"{}\"{}>",
        i + 1, escape(v.name), i, escape(meaning(v)), causality(v.group), variability(v.group, unit), initial(v.group));
    out += v.group == Group::option
               ? std::string("<Boolean start=\"false\"/>")
               : fmt::format("<Real{}/>", real_attributes(v, first_state + static_cast<std::size_t>(v.index) + 1));
    out += "</ScalarVariable>\n";
  }
  return out + "  </ModelVariables>\n";
}

std::string variables_3(const std::vector<Variable>& variables, const MountUnit* unit) {
  const std::size_t first_state = first_of(variables, Group::state);
  std::string out = "  <ModelVariables>\n";
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& v = variables[i];
    const bool option = v.group == Group::option;
    out += fmt::format(
        "    <{} name=\"{}\" valueReference=\"{}\" description=\"{}\" causality=\"{}\" variability=\"{}\"{}{}/>\n",
        option ? "Boolean" : "Float64", escape(v.name), i, escape(meaning(v)), causality(v.group),
        variability(v.group, unit), initial(v.group),
        option ? std::string(" start=\"false\"") : real_attributes(v, first_state + static_cast<std::size_t>(v.index)));
  }
  return out + "  </ModelVariables>\n";
}

// Inputs and states that an output, a rate or an indicator depends on, as an attribute: those of its axis, and the
// displacements that are coupled with it. Left out for a system, where all depend on all.
std::string dependencies(const std::vector<Variable>& variables, const Variable& unknown, const MountUnit* of,
                         std::size_t first_index) {
  if (of == nullptr) return {};
  const MountUnit& unit = *of;
  const int coupled = static_cast<int>(coupled_axes(unit.coupling()));
  std::string out;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& v = variables[i];
    const bool known = v.group == Group::displacement || v.group == Group::velocity || v.group == Group::input ||
                       v.group == Group::state;
    // In the axes of a placed bushing all axes of the laws meet.
    const bool mixed = unit.placed() &&
                       (unknown.group == Group::force || v.group == Group::displacement || v.group == Group::velocity);
    const bool same = mixed || (v.axis == unknown.axis && unit.axis(v.axis) != nullptr);
    const bool linked = unknown.group == Group::force && v.group == Group::displacement && unknown.axis < coupled &&
                        v.axis < coupled && unit.axis(unknown.axis) != nullptr;
    if (known && (same || linked)) out += fmt::format("{}{}", out.empty() ? "" : " ", i + first_index);
  }
  return fmt::format(" dependencies=\"{}\"", out);
}

std::string structure_2(const std::vector<Variable>& variables, const MountUnit* unit) {
  std::string outputs, derivatives, initials;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& v = variables[i];
    if (v.group != Group::force && v.group != Group::rate) continue;
    (v.group == Group::force ? outputs : derivatives) +=
        fmt::format("      <Unknown index=\"{}\"{}/>\n", i + 1, dependencies(variables, v, unit, 1));
    initials += fmt::format("      <Unknown index=\"{}\"/>\n", i + 1);
  }
  if (outputs.empty()) return "  <ModelStructure/>\n";
  std::string out = "  <ModelStructure>\n    <Outputs>\n" + outputs + "    </Outputs>\n";
  if (!derivatives.empty()) out += "    <Derivatives>\n" + derivatives + "    </Derivatives>\n";
  return out + "    <InitialUnknowns>\n" + initials + "    </InitialUnknowns>\n  </ModelStructure>\n";
}

std::string structure_3(const std::vector<Variable>& variables, const MountUnit* unit) {
  std::string outputs, derivatives, initials, events;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& v = variables[i];
    if (v.group != Group::force && v.group != Group::rate && v.group != Group::turning) continue;
    const auto line = [&](const char* element) {
      return fmt::format("    <{} valueReference=\"{}\"{}/>\n", element, i, dependencies(variables, v, unit, 0));
    };
    if (v.group == Group::force) outputs += line("Output");
    if (v.group == Group::rate) derivatives += line("ContinuousStateDerivative");
    if (v.group == Group::turning) events += line("EventIndicator");
    if (v.group != Group::turning) initials += fmt::format("    <InitialUnknown valueReference=\"{}\"/>\n", i);
  }
  return "  <ModelStructure>\n" + outputs + derivatives + initials + events + "  </ModelStructure>\n";
}

std::string attribute(const char* name, const std::string& value) {
  return value.empty() ? std::string() : fmt::format("\n  {}=\"{}\"", name, escape(value));
}

}  // namespace

std::vector<FmuVariableInfo> variable_infos(const FmuSubject& subject) {
  std::vector<FmuVariableInfo> out;
  for (const Variable& v : subject.variables) {
    std::string start = v.group == Group::option ? "false"
                        : has_start(v.group)     ? fmt::format("{}", v.start)
                                                 : std::string();
    out.push_back({v.name, causality(v.group), v.unit, meaning(v), std::move(start)});
  }
  return out;
}

std::string model_description(const FmuSubject& subject, const FmuDescription& about) {
  const std::vector<Variable>& variables = subject.variables;
  const MountUnit* unit = subject.unit;
  const bool two = about.version == 2;
  std::string out = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription\n  fmiVersion=\"{}\"",
                                two ? "2.0" : "3.0");
  out += attribute("modelName", about.identifier) + attribute(two ? "guid" : "instantiationToken", about.token) +
         attribute("description", about.title) + attribute("author", about.author) +
         attribute("version", about.model_version) + attribute("license", about.license) +
         attribute("generationTool", fmt::format("kdyn {}", version())) +
         attribute("generationDateAndTime", about.date) + attribute("variableNamingConvention", "structured");
  if (two) out += attribute("numberOfEventIndicators", fmt::format("{}", unit != nullptr ? unit->turnings() : 0));
  out += ">\n";
  if (unit == nullptr) {
    out += fmt::format("  <CoSimulation modelIdentifier=\"{}\" {} canHandleVariableCommunicationStepSize=\"true\"/>\n",
                       about.identifier,
                       two ? "canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
                           : "canGetAndSetFMUState=\"true\"");
  } else if (two) {
    const std::string common = fmt::format(
        "modelIdentifier=\"{}\" canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\" "
        "canSerializeFMUstate=\"true\" "
        "providesDirectionalDerivative=\"true\"",
        about.identifier);
    const std::string files = fmt::format(">\n    <SourceFiles><File name=\"{}\"/></SourceFiles>\n  ", about.source);
    out += fmt::format("  <ModelExchange {} completedIntegratorStepNotNeeded=\"false\"{}</ModelExchange>\n", common,
                       files);
    out += fmt::format(
        "  <CoSimulation {} canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\" "
        "maxOutputDerivativeOrder=\"0\"{}</CoSimulation>\n",
        common, files);
  } else {
    const std::string common = fmt::format(
        "modelIdentifier=\"{}\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
        "providesDirectionalDerivatives=\"true\" "
        "providesAdjointDerivatives=\"true\"",
        about.identifier);
    out += fmt::format("  <ModelExchange {} needsCompletedIntegratorStep=\"true\"/>\n", common);
    out += fmt::format("  <CoSimulation {} canHandleVariableCommunicationStepSize=\"true\"/>\n", common);
  }
  out += unit_definitions(variables);
  out +=
      "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"Why a call was refused\"/>\n  "
      "</LogCategories>\n";
  out += fmt::format("  <DefaultExperiment startTime=\"0\" stopTime=\"{}\" tolerance=\"1e-6\" stepSize=\"{}\"/>\n",
                     subject.stop_s, subject.step_s);
  out += two ? variables_2(variables, unit) + structure_2(variables, unit)
             : variables_3(variables, unit) + structure_3(variables, unit);
  return out + "</fmiModelDescription>\n";
}

std::string build_description(const FmuDescription& about) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n  <BuildConfiguration "
      "modelIdentifier=\"{}\">\n"
      "    <SourceFileSet language=\"C++17\">\n      <SourceFile name=\"{}\"/>\n    </SourceFileSet>\n    <Library "
      "name=\"m\" external=\"true\"/>\n"
      "  </BuildConfiguration>\n</fmiBuildDescription>\n",
      about.identifier, about.source);
}

std::string terminals(const MountUnit& unit) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n  <Terminals>\n";
  for (int a = 0; a < unit.axes(); ++a) {
    if (unit.axis(a) == nullptr) continue;
    const bool one = unit.axes() == 1;
    out += fmt::format(
        "    <Terminal name=\"{}\" matchingRule=\"plug\" description=\"{}\">\n", one ? "mount" : fmi::unit_axes[a],
        one ? "Motion across the mount and its force" : "Motion along or about this axis and its force or moment");
    for (const char* member : {"displacement", "velocity", "force"})
      out += fmt::format(
          "      <TerminalMemberVariable variableName=\"{0}{1}\" memberName=\"{0}\" variableKind=\"signal\"/>\n",
          member, one ? std::string() : std::string(".") + fmi::unit_axes[a]);
    out += "    </Terminal>\n";
  }
  return out + "  </Terminals>\n</fmiTerminalsAndIcons>\n";
}

FmuSubject subject_of(const MountUnit& unit) {
  FmuSubject out;
  out.unit = &unit;
  const fmi::Variables list(unit);
  for (unsigned i = 0; i < list.count(); ++i) out.variables.push_back(list.describe(unit, i));
  out.use =
      "<h2>Use</h2>\n<p>Displacement and velocity in, force out; SI units; the force is positive for positive "
      "displacement. Both inputs must belong "
      "to one motion: the velocity is the rate of the displacement. The model rests at the displacement given in "
      "initialization.</p>\n"
      "<ul>\n<li>Co-simulation: inputs set before a step are the motion at its beginning. The force at its end is that "
      "of the motion carried on "
      "with the acceleration of the last step; when the true motion arrives, the step is taken again with it, so that "
      "states and friction follow "
      "the true path. A tool that sets the motion at the end of the step sets <code>inputs_at_end_of_step</code> to "
      "true before initialization; "
      "the step then ends exactly there.</li>\n"
      "<li>Model exchange: <code>completedIntegratorStep</code> must be called, friction remembers its turning points "
      "there. Event indicators are "
      "zero at turning points.</li>\n"
      "<li>A step that is to be repeated: save the state before it, restore it after.</li>\n"
      "<li>Sources: compile <code>sources/fmi2.cpp</code> or <code>fmi3.cpp</code> alone as C++17; model.inc beside it "
      "holds the model.</li>\n"
      "<li>The model file of kdyn is in resources/model.json.</li>\n</ul>\n";
  return out;
}

std::string documentation_page(const FmuSubject& subject, const FmuDescription& about) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>body{{font:15px/1.5 "
      "sans-serif;max-width:60em;margin:2em "
      "auto;padding:0 1em}}table{{border-collapse:collapse}}td,th{{border-bottom:1px solid #ccc;padding:.2em "
      ".8em;text-align:left}}td.n{{text-align:right;font-variant-numeric:tabular-nums}}</style>\n<h1>{0}</h1>\n<p>{1}, "
      "exported by kdyn {2} for FMI "
      "{3}: "
      "{4}co-simulation.</p>\n",
      escape(about.identifier), escape(about.title), version(), about.version == 2 ? "2.0" : "3.0",
      subject.unit != nullptr ? "model exchange and " : "");
  out +=
      subject.use +
      "<h2>Variables</h2>\n<table>\n<tr><th>Name</th><th>Kind</th><th>Unit</th><th>Start</th><th>Meaning</th></tr>\n";
  for (const FmuVariableInfo& v : variable_infos(subject))
    out += fmt::format("<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
                       escape(v.name), v.kind, escape(v.unit), v.start, escape(v.meaning));
  return out + "</table>\n</html>\n";
}

}  // namespace kdyn::inline fmu::internal
