// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/plain_law.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline element {

const Json& plain_parameters(const Json& in, const ParameterInfo* wanted, std::size_t count, const std::string& where) {
  static const std::vector<std::string> keys = {"model", "parameters", "name", "axis", "comment"};
  if (!in.is_object())
    throw_bad_input(where, "a model must be a JSON object", R"(write {"model": ..., "parameters": {...}})");
  for (const auto& [key, value] : in.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw_bad_input(where + "." + key, fmt::format("unknown field {} of a model", in_quotes(key)),
                      suggest(key, keys));
  if (!in.contains("parameters"))
    throw_bad_input(where + ".parameters", "the parameters are missing", "add \"parameters\": {...}");
  const Json& parameters = in["parameters"];
  for (const ParameterInfo* info = wanted; info != wanted + count; ++info)
    if (parameters.is_object() && !parameters.contains(info->name))
      throw_bad_input(fmt::format("{}.parameters.{}", where, info->name), "this parameter is missing", info->meaning);
  return parameters;
}

void plain_json(const char* model, const FieldTable& table, const void* law, Json& out) {
  out = Json::object();
  out["model"] = model;
  table.to_json(law, out["parameters"]);
}

}  // namespace kdyn::inline element
