// SPDX-License-Identifier: Apache-2.0
// Reading of files that hold more than one needs, such as the result.json of another operation: fields that the table
// knows are read and checked as always, others are passed over at any depth.
#pragma once

#include <string>

#include "kdyn/base/field.hpp"

namespace kdyn::inline base {

void from_known_json(const FieldTable& table, void* object, const Json& in, const std::string& where);

template <class S>
void from_known_fields(S& object, const Json& in, const std::string& where) {
  from_known_json(field_table<S>(), &object, in, where);
}

}  // namespace kdyn::inline base
