// SPDX-License-Identifier: Apache-2.0
// A degree of freedom in field tables: its label, "12+Z". Archives hold all three members.
#pragma once

#include "kdyn/base/field_value.hpp"
#include "kdyn/data/dof.hpp"

namespace kdyn {

template <>
struct FieldValue<Dof> : field_parts::NoTable {
  static constexpr FieldKind kind = FieldKind::text;
  static void get(const Field& field, FieldUse use, const Dof& value, Json& out);
  static void set(const Field& field, FieldUse use, Dof& value, const Json& in, const std::string& where);
  static void schema(const Field& field, Json& out, Definitions& all);
};

}  // namespace kdyn
