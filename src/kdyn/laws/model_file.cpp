// SPDX-License-Identifier: Apache-2.0
#include "kdyn/laws/model_file.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/laws/registry.hpp"
#include "kdyn/laws/scaled.hpp"

namespace kdyn::inline laws {

const Json& inner_model(const Json& in) {
  return in.is_object() && in.contains("model") && in["model"].is_object() ? inner_model(in["model"]) : in;
}

bool is_bushing_model(const Json& in) {
  const Json& model = inner_model(in);
  return model.is_object() && model.contains("model") && model["model"] == "bushing";
}

std::vector<const Json*> temperature_tables(const Json& model) {
  std::vector<const Json*> out;
  const auto look = [&](const Json& in) {
    if (in.is_object() && in.contains("temperature") && in["temperature"].is_array()) out.push_back(&in["temperature"]);
  };
  look(model);
  for (const char* part : {"main_rubber", "chamber_rubber"})
    if (model.is_object() && model.contains(part)) look(model[part]);
  return out;
}

std::unique_ptr<Mount> mount_from_json(const Json& in, const std::string& where, const std::string& axis) {
  std::vector<std::string> known = law_names();
  if (!in.is_object() || !in.contains("model"))
    throw_bad_input(where, "this is no model: the key \"model\" is missing",
                    fmt::format("write {{\"model\": \"{}\", \"parameters\": {{...}}}}", known.front()));
  const Json& model = in["model"];
  if (model.is_object()) return mount_from_json(model, where + ".model", axis);
  if (!model.is_string())
    throw_bad_input(where + ".model", "the model's name must be text", "known: " + join(known, ", "));
  const auto name = model.get<std::string>();
  if (name == "bushing") {
    Bushing bushing = bushing_from_json(in, where);
    std::vector<std::string> present;
    for (std::size_t i = 0; i < axis_names.size(); ++i)
      if (bushing.axes[i]) {
        present.emplace_back(axis_names[i]);
        if (axis == axis_names[i]) return std::move(bushing.axes[i]);
      }
    throw_bad_input("axis",
                    axis.empty() ? "a bushing has several axes and none is named"
                                 : fmt::format("the bushing has no axis {}", in_quotes(axis)),
                    "give --axis with one of " + join(present, ", "));
  }
  if (!axis.empty()) throw_bad_input("axis", fmt::format("a model of kind {} has no axes", name), "leave axis out");
  if (const LawEntry* entry = find_law(name)) {
    const ScaledModel own = scaled_model(in, where);
    return scaled(entry->mount(own.model, where), own.scale);
  }
  known.emplace_back("bushing");
  throw_bad_input(where + ".model", fmt::format("unknown model {}", in_quotes(name)), suggest(name, known));
}

std::unique_ptr<Mount> read_mount(const std::string& path) { return mount_from_json(read_json(path), path); }

BushingPlace place_from_json(const Json& in, const std::string& where) {
  std::array<double, 3> numbers[2] = {};
  int which = 0;
  for (const char* key : {"position", "orientation"}) {
    auto& to = numbers[which++];
    if (!in.contains(key)) continue;
    const Json& value = in[key];
    bool good = value.is_array() && value.size() == to.size();
    for (std::size_t i = 0; good && i < to.size(); ++i) {
      good = value[i].is_number() && std::abs(value[i].get<double>()) <= 1e6;
      if (good) to[i] = value[i].get<double>();
    }
    if (!good)
      throw_bad_input(
          where + "." + key, "this is not three numbers up to 1e6",
          which == 1 ? "write [x, y, z] in m" : "write a rotation vector [x, y, z] in rad: axis times angle");
  }
  return BushingPlace(numbers[0].data(), numbers[1].data());
}

void place_json(const BushingPlace& place, Json& out) {
  if (!place.given()) return;
  out["position"] = std::vector<double>(place.position(), place.position() + 3);
  out["orientation"] = std::vector<double>(place.orientation(), place.orientation() + 3);
}

Bushing bushing_from_json(const Json& in, const std::string& where) {
  static const std::vector<std::string> keys(bushing_keys.begin(), bushing_keys.end());
  for (const auto& [key, value] : in.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw_bad_input(where + "." + key, fmt::format("unknown field {} of a bushing", in_quotes(key)),
                      suggest(key, keys));
  Bushing bushing;
  if (in.contains("coupling")) bushing.coupling = coupling_from_json(in["coupling"], where + ".coupling");
  bushing.place = place_from_json(in, where);
  if (!in.contains("axes") || !in["axes"].is_object() || in["axes"].empty())
    throw_bad_input(where + ".axes", "the axes are missing", R"(write "axes": {"fz": {"model": "elastomer", ...}})");
  for (const auto& [key, value] : in["axes"].items()) {
    const auto it = std::find(axis_names.begin(), axis_names.end(), key);
    if (it == axis_names.end())
      throw_bad_input(where + ".axes." + key, fmt::format("unknown axis {}", in_quotes(key)),
                      suggest(key, {axis_names.begin(), axis_names.end()}));
    if (value.is_object() && value.contains("model") && value["model"] == "bushing")
      throw_bad_input(where + ".axes." + key, "an axis cannot be a bushing itself", "give a mount law");
    bushing.axes[static_cast<std::size_t>(it - axis_names.begin())] = mount_from_json(value, where + ".axes." + key);
  }
  return bushing;
}

void bushing_json(const Bushing& bushing, Json& out) {
  out = {{"model", "bushing"}, {"coupling", coupling_names[static_cast<std::size_t>(bushing.coupling)]}};
  place_json(bushing.place, out);
  for (std::size_t i = 0; i < axis_names.size(); ++i)
    if (bushing.axes[i]) bushing.axes[i]->to_json(out["axes"][axis_names[i]]);
}

}  // namespace kdyn::inline laws
