// SPDX-License-Identifier: Apache-2.0
// Words about fields that reading and describing share.
#pragma once

#include <string>

#include "kdyn/base/field.hpp"

namespace kdyn::inline base::field_parts {

const char* kind_name(FieldKind kind);
std::string shorten(const Json& value);
std::string remedy_of(const Field& field);
[[noreturn]] void wrong_type(const Field& field, const Json& in, const std::string& where);

}  // namespace kdyn::inline base::field_parts
