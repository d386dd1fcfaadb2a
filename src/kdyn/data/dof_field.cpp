// SPDX-License-Identifier: Apache-2.0
#include "kdyn/data/dof_field.hpp"

#include "kdyn/base/json.hpp"

namespace kdyn {

void FieldValue<Dof>::get(const Field&, FieldUse use, const Dof& value, Json& out) {
  if (use == FieldUse::archive)
    out = {value.node, value.direction, value.name};
  else
    out = label(value);
}

void FieldValue<Dof>::set(const Field& field, FieldUse use, Dof& value, const Json& in, const std::string& where) {
  if (use == FieldUse::archive) {
    value = {in[0].get<std::int64_t>(), in[1].get<int>(), in[2].get<std::string>()};
    return;
  }
  std::string text;
  field_parts::set_value(field, use, text, in, where);
  value = parse_dof(text);
}

void FieldValue<Dof>::schema(const Field&, Json& out, Definitions&) { out["type"] = "string"; }

}  // namespace kdyn
