// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/active_mount_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "kdyn/activemount/transfer.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/mount_of.hpp"

namespace kdyn::inline activemount {
namespace {

using Law = ActiveMount<double>;

// The model file as people write it.
struct ModelInFile {
  std::string model, name, comment;
  Law law;
  std::optional<std::vector<std::array<double, 3>>> actuator_table;  // amplitude, factors of stiffness and damping
  std::optional<VariationSets> variations;                           // without the nominal one
};

}  // namespace

const FieldTable& fields_of(const ActiveMount<double>*) {
  static const FieldTable table = FieldTable::of<Law>("activemount parameters", [](FieldTable& t) {
    for (std::size_t i = 0; i < Law::members.size(); ++i) {
      const ParameterInfo& info = active_mount_parameters[i];
      Field& field = t.add(Law::members[i], info.name, info.unit, info.meaning).range(info.lower, info.upper);
      field.lower_open = info.lower_open;
      field.required = std::string_view(info.name) != "dKq";
    }
  });
  return table;
}

const FieldTable& fields_of(const Variation*);
const FieldTable& fields_of(const Variation*) {
  using V = Variation;
  static const FieldTable table = FieldTable::of<V>("variation", [](FieldTable& t) {
    t.add(&V::name, "name", "-", "Name, such as 0 C").must_be_given();
    t.add(&V::ratios, "ratios", "-", "Parameters over their nominal values: {\"cB1\": 2.05}")
        .above(0.0)
        .must_be_given();
  });
  return table;
}

const FieldTable& fields_of(const VariationSets*);
const FieldTable& fields_of(const VariationSets*) {
  using V = VariationSets;
  static const FieldTable table = FieldTable::of<V>("variations", [](FieldTable& t) {
    t.add(&V::temperature, "temperature", "-", "Over temperature");
    t.add(&V::preload, "preload", "-", "Over preload");
  });
  return table;
}

namespace {

const FieldTable& fields_of(const ModelInFile*) {
  using F = ModelInFile;
  static const FieldTable table = FieldTable::of<F>("active mount", [](FieldTable& t) {
    t.add(&F::model, "model", "-", "activemount");
    t.add(&F::law, "parameters", "-", "Parameters: {\"cT1\": ..., \"kM\": ...}").must_be_given();
    t.add(&F::actuator_table, "actuator_table", "-", "Rows [amplitude_m, cA_factor, dA_factor]")
        .above(0.0)
        .unless_null();
    t.add(&F::variations, "variations", "-", "The mount in service").unless_null();
    t.add(&F::name, "name", "-", "For people").unless_empty();
    t.add(&F::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

void check_rising(const std::vector<std::array<double, 3>>& rows, const std::string& where) {
  if (rows.empty()) throw_bad_input(where, "the table has no row", "give at least one row, or leave it out");
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (!(rows[i][0] > rows[i - 1][0]))
      throw_bad_input(fmt::format("{}[{}]", where, i),
                      fmt::format("amplitude {:g} m does not rise above {:g} m", rows[i][0], rows[i - 1][0]),
                      "sort the rows by amplitude");
}

// The first of each list is nominal, and ratios are of parameters.
void complete(std::vector<Variation>& list, const std::string& where) {
  std::vector<std::string> names;
  for (const ParameterInfo& p : active_mount_parameters) names.push_back(p.name);
  for (std::size_t i = 0; i < list.size(); ++i)
    for (const auto& [name, ratio] : list[i].ratios)
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw_bad_input(fmt::format("{}[{}].ratios.{}", where, i, name),
                        fmt::format("unknown field {} of an active mount", in_quotes(name)), suggest(name, names));
  list.insert(list.begin(), Variation{"nominal", {}});
}

}  // namespace

ActiveMountModel active_mount_from_json(const Json& in, const std::string& where) {
  ModelInFile file;
  from_json_fields(file, in, where);
  field_table<ModelInFile>().check_required(in, where);
  ActiveMountModel model;
  model.law = file.law;
  if (file.actuator_table) check_rising(*file.actuator_table, where + ".actuator_table");
  for (const auto& [amplitude, stiffness, damping] : file.actuator_table.value_or(std::vector<std::array<double, 3>>()))
    model.actuator_table.push_back({amplitude, stiffness, damping});
  model.variations = file.variations;
  if (model.variations) {
    complete(model.variations->temperature, where + ".variations.temperature");
    complete(model.variations->preload, where + ".variations.preload");
  }
  return model;
}

void active_mount_to_json(const ActiveMountModel& model, Json& out) {
  ModelInFile file{Law::model, "", "", model.law, {}, model.variations};
  if (!model.actuator_table.empty()) file.actuator_table.emplace();
  for (const ActuatorTableRow& row : model.actuator_table)
    file.actuator_table->push_back({row.amplitude, row.stiffness_factor, row.damping_factor});
  if (file.variations)
    for (std::vector<Variation>* list : {&file.variations->temperature, &file.variations->preload})
      if (!list->empty()) list->erase(list->begin());  // the nominal one
  out = Json::object();
  to_json_fields(file, out);
}

void model_json(const Law& law, Json& out) {
  out = Json::object();
  out["model"] = law.model;
  to_json_fields(law, out["parameters"]);
}

double static_displacement(const Law& law, double force) { return force / law.cT1; }

std::optional<SteadyResponse> steady_response(const Law& law, double frequency_hz, double, double) {
  if (law.dKq > 0.0) return std::nullopt;
  const Complex<double> K = active_responses(law, frequency_hz)[static_cast<std::size_t>(ActivePath::P_yx)];
  const double k = abs(K), angle = arg(K);
  // An ellipse: force range over displacement range is the magnitude, its area gives the sine of the angle.
  return SteadyResponse{k, angle, k, std::asin(std::sin(angle))};
}

std::unique_ptr<Mount> make_mount(const Law& law) { return std::make_unique<MountOf<Law>>(law); }

}  // namespace kdyn::inline activemount
