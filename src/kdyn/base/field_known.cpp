// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/field_known.hpp"

#include "kdyn/base/json.hpp"

namespace kdyn::inline base {
namespace {

Json known_part(const FieldTable& table, const Json& in) {
  if (!in.is_object()) return in;  // the reader says what is wrong
  Json out = Json::object();
  for (const auto& [key, value] : in.items()) {
    const Field* field = table.find(key);
    if (field == nullptr) continue;
    const FieldTable* inner = field->table == nullptr ? nullptr : field->table();
    Json& place = out[key] = value;
    if (inner == nullptr || !value.is_structured()) continue;
    if (field->kind == FieldKind::object)
      place = known_part(*inner, value);
    else
      for (Json& one : place) one = known_part(*inner, Json(one));
  }
  return out;
}

}  // namespace

void from_known_json(const FieldTable& table, void* object, const Json& in, const std::string& where) {
  table.from_json(object, known_part(table, in), where);
}

}  // namespace kdyn::inline base
