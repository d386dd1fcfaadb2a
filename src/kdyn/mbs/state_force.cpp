// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/state_force.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/mbs/signals.hpp"

namespace kdyn::mbs {
namespace {

// The origin of a body, as a marker of its own.
int origin_of(Model& model, int body) {
  for (std::size_t m = 0; m < model.markers.size(); ++m) {
    const Marker& marker = model.markers[m];
    if (marker.body == body && marker.name.empty() && marker.x.isZero(0.0) && marker.R0.isIdentity(0.0) &&
        marker.psi.cols() == 0)
      return static_cast<int>(m);
  }
  return model.add_marker(body, Vector3::Zero());
}

// All that a formula can read, by name.
std::map<std::string, StateVariable> variables_of(const Model& model, std::map<std::string, int>& origins) {
  std::map<std::string, StateVariable> out;
  const auto point = [&](const std::string& name, int marker) {
    for (int k = 0; k < 3; ++k) {
      out.insert({fmt::format("{}.position.{}", name, "xyz"[k]), {StateVariableKind::position, marker, k}});
      out.insert({fmt::format("{}.velocity.{}", name, "xyz"[k]), {StateVariableKind::velocity, marker, k}});
    }
  };
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    point(model.bodies[b].name, -1);  // its marker is made when it is read
    for (int k = 0; k < 3; ++k)
      for (const char* kind : {"position", "velocity"})
        origins[fmt::format("{}.{}.{}", model.bodies[b].name, kind, "xyz"[k])] = static_cast<int>(b);
  }
  for (std::size_t m = 0; m < model.markers.size(); ++m)
    if (!model.markers[m].name.empty()) point(model.markers[m].name, static_cast<int>(m));
  for (std::size_t c = 0; c < model.connections.size(); ++c)
    for (int k = 0; k < component_count(model.connections[c]); ++k) {
      const std::string name = axis_name(model.connections[c], k);
      out.insert({name + ".deflection", {StateVariableKind::deflection, static_cast<int>(c), k}});
      out.insert({name + ".rate", {StateVariableKind::rate, static_cast<int>(c), k}});
    }
  for (const SensorChannel& channel : model.channels) switch (channel.output.kind) {
      case OutputKind::spin:
      case OutputKind::angle:
      case OutputKind::between:
      case OutputKind::distance:
        out.insert({channel.name, {StateVariableKind::sensor, channel.output.index, 0, channel.output}});
        break;
      default: break;
    }
  for (std::size_t c = 0; c < model.controllers.size(); ++c)
    for (std::size_t k = 0; k < model.controllers[c].output_names.size(); ++k)
      out.insert({fmt::format("{}.{}", model.controllers[c].name, model.controllers[c].output_names[k]),
                  {StateVariableKind::controller, static_cast<int>(c), static_cast<int>(k)}});
  return out;
}

}  // namespace

void check_table(const Curve& table, const std::string& where) {
  if (table.size() < 2) throw_bad_input(where, "a table needs two points at least", "write [[x, y], [x, y], ...]");
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!std::isfinite(table[i].first) || !std::isfinite(table[i].second))
      throw_bad_input(fmt::format("{}[{}]", where, i), "a row of the table is no finite number", "repair the row");
    if (i > 0 && !(table[i].first > table[i - 1].first))
      throw_bad_input(fmt::format("{}[{}]", where, i), "the first numbers of the rows must rise from row to row",
                      "sort the rows and give each value once");
  }
}

StateFormula read_state_formula(Model& model, const std::string& text, const FormulaTables& tables,
                                const std::string& where) {
  StateFormula out;
  std::map<std::string, int> origins;
  const auto known = variables_of(model, origins);
  Formula::Names names;
  names.variable = [&](const std::string& name) {
    const auto given = std::find(out.input_names.begin(), out.input_names.end(), name);
    if (given != out.input_names.end()) return static_cast<int>(given - out.input_names.begin());
    const auto found = known.find(name);
    if (found == known.end()) return -1;
    StateVariable variable = found->second;
    if (variable.index < 0) variable.index = origin_of(model, origins.at(name));
    out.inputs.push_back(std::move(variable));
    out.input_names.push_back(name);
    return static_cast<int>(out.inputs.size()) - 1;
  };
  names.table = [&](const std::string& name) -> std::shared_ptr<const ShapeCurve> {
    const auto found = tables.find(name);
    if (found == tables.end()) return nullptr;
    out.tables.emplace_back(*found);
    return std::make_shared<const ShapeCurve>(found->second);
  };
  names.remedy = [&](const std::string& name) {
    std::vector<std::string> all;
    for (const auto& [key, variable] : known) all.push_back(key);
    for (const auto& [key, table] : tables) all.push_back(key);
    return suggest(name, all);
  };
  out.formula = std::make_shared<const Formula>(text, where, names);
  if (out.inputs.size() > 1000) throw_bad_input(where, "the formula reads more than 1000 signals", "shorten it");
  return out;
}

StateForce read_state_force(Model& model, const std::string& text, const FormulaTables& tables,
                            const std::string& where) {
  StateForce out;
  static_cast<StateFormula&>(out) = read_state_formula(model, text, tables, where);
  return out;
}

}  // namespace kdyn::mbs
