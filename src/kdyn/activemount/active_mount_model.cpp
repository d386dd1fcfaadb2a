// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/active_mount_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/activemount/transfer.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/mount_of.hpp"

namespace kdyn::inline activemount {
namespace {

using Law = ActiveMount<double>;

void check_keys(const Json& in, const std::vector<std::string>& keys, const std::string& where, const char* what) {
  if (!in.is_object())
    throw_bad_input(where, fmt::format("{} must be a JSON object", what), "write {\"" + keys.front() + "\": ...}");
  for (const auto& [key, value] : in.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw_bad_input(where + "." + key, fmt::format("unknown field {} of {}", in_quotes(key), what),
                      suggest(key, keys));
}

double positive(const Json& value, const std::string& where) {
  if (!value.is_number() || !(value.get<double>() > 0.0) || !std::isfinite(value.get<double>()))
    throw_bad_input(where, fmt::format("{} is not a number > 0", value.dump()), "give a positive number");
  return value.get<double>();
}

std::vector<ActuatorTableRow> table_from_json(const Json& in, const std::string& where) {
  std::vector<ActuatorTableRow> table;
  if (in.is_null()) return table;
  if (!in.is_array() || in.empty())
    throw_bad_input(where, "must be a list of [amplitude_m, cA_factor, dA_factor]",
                    "give at least one row, or leave it out");
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", where, i);
    if (!in[i].is_array() || in[i].size() != 3)
      throw_bad_input(place, "a row has three numbers", "write [amplitude_m, cA_factor, dA_factor]");
    table.push_back(
        {positive(in[i][0], place + "[0]"), positive(in[i][1], place + "[1]"), positive(in[i][2], place + "[2]")});
    if (i > 0 && !(table[i].amplitude > table[i - 1].amplitude))
      throw_bad_input(
          place, fmt::format("amplitude {:g} m does not rise above {:g} m", table[i].amplitude, table[i - 1].amplitude),
          "sort the rows by amplitude");
  }
  return table;
}

std::vector<Variation> variations_from_json(const Json& in, const std::string& where) {
  std::vector<Variation> list = {{"nominal", {}}};
  if (!in.is_array())
    throw_bad_input(where, "must be a list of {\"name\", \"ratios\"}",
                    "write [{\"name\": \"0 C\", \"ratios\": {\"cB1\": 2.05}}]");
  std::vector<std::string> names;
  for (const ParameterInfo& p : active_mount_parameters) names.push_back(p.name);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", where, i);
    check_keys(in[i], {"name", "ratios"}, place, "a variation");
    if (!in[i].contains("name") || !in[i]["name"].is_string())
      throw_bad_input(place + ".name", "the name is missing", "name it, e.g. \"0 C\"");
    if (!in[i].contains("ratios"))
      throw_bad_input(place + ".ratios", "the ratios are missing", "give parameter ratios to nominal");
    check_keys(in[i]["ratios"], names, place + ".ratios", "an active mount");
    Variation v{in[i]["name"].get<std::string>(), {}};
    for (const auto& [key, value] : in[i]["ratios"].items()) v.ratios[key] = positive(value, place + ".ratios." + key);
    list.push_back(std::move(v));
  }
  return list;
}

Json variations_json(const std::vector<Variation>& list) {
  Json out = Json::array();
  for (std::size_t i = 1; i < list.size(); ++i) {  // the first one is nominal
    Json ratios = Json::object();
    for (const auto& [name, ratio] : list[i].ratios) ratios[name] = ratio;
    out.push_back({{"name", list[i].name}, {"ratios", std::move(ratios)}});
  }
  return out;
}

}  // namespace

const FieldTable& fields_of(const ActiveMount<double>*) {
  static const FieldTable table = FieldTable::of<Law>("activemount parameters", [](FieldTable& t) {
    for (std::size_t i = 0; i < Law::members.size(); ++i) {
      const ParameterInfo& info = active_mount_parameters[i];
      Field& field = t.add(Law::members[i], info.name, info.unit, info.meaning).range(info.lower, info.upper);
      field.lower_open = info.lower_open;
    }
  });
  return table;
}

ActiveMountModel active_mount_from_json(const Json& in, const std::string& where) {
  check_keys(in, {"model", "parameters", "actuator_table", "variations", "name", "comment"}, where, "an active mount");
  if (!in.contains("parameters"))
    throw_bad_input(where + ".parameters", "the parameters are missing",
                    R"(add "parameters": {"cT1": ..., "kM": ...})");
  ActiveMountModel model;
  const Json& parameters = in["parameters"];
  if (parameters.is_object())
    for (const ParameterInfo& p : active_mount_parameters)
      if (!parameters.contains(p.name) && std::string_view(p.name) != "dKq")
        throw_bad_input(fmt::format("{}.parameters.{}", where, p.name), "this parameter is missing",
                        fmt::format("{}, in {}", p.meaning, p.unit));
  from_json_fields(model.law, parameters, where + ".parameters");
  if (in.contains("actuator_table"))
    model.actuator_table = table_from_json(in["actuator_table"], where + ".actuator_table");
  if (in.contains("variations") && !in["variations"].is_null()) {
    const Json& v = in["variations"];
    check_keys(v, {"temperature", "preload"}, where + ".variations", "the variations");
    model.variations.emplace();
    model.variations->temperature = variations_from_json(v.contains("temperature") ? v["temperature"] : Json::array(),
                                                         where + ".variations.temperature");
    model.variations->preload =
        variations_from_json(v.contains("preload") ? v["preload"] : Json::array(), where + ".variations.preload");
  }
  return model;
}

void active_mount_to_json(const ActiveMountModel& model, Json& out) {
  model_json(model.law, out);
  if (!model.actuator_table.empty()) {
    Json rows = Json::array();
    for (const ActuatorTableRow& row : model.actuator_table)
      rows.push_back({row.amplitude, row.stiffness_factor, row.damping_factor});
    out["actuator_table"] = std::move(rows);
  }
  if (model.variations)
    out["variations"] = {{"temperature", variations_json(model.variations->temperature)},
                         {"preload", variations_json(model.variations->preload)}};
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
