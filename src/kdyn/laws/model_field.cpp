// SPDX-License-Identifier: Apache-2.0
#include "kdyn/laws/model_field.hpp"

#include "kdyn/laws/registry.hpp"

namespace kdyn::inline laws {

void put_axis(ModelObject& model, const std::string& axis) {
  if (!axis.empty()) model.json["axis"] = axis;
}
void put_comment(ModelObject& model, const std::string& comment) { model.json["comment"] = comment; }

std::string model_word(const Json& model) {
  const auto word = model.find("model");
  return word != model.end() && word->is_string() ? word->get<std::string>() : std::string();
}

void model_schema(Json& out, Definitions& all) {
  out["type"] = "object";
  Json& each = out["anyOf"] = Json::array();
  for (const std::string& name : law_names()) {
    Json properties = {{"model", {{"enum", Json::array({name})}}}};
    field_parts::struct_schema(*find_law(name)->table, properties["parameters"], all, true);
    each.push_back({{"properties", std::move(properties)}, {"required", {"model"}}});
  }
  each.push_back({{"properties", {{"model", {{"enum", {"bushing"}}}}}}, {"required", {"model"}}});
}

}  // namespace kdyn::inline laws
