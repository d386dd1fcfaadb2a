// SPDX-License-Identifier: Apache-2.0
// JSON Schema (draft 2020-12) of an object that one of several tables describes: results of an operation that has more
// than one kind of job.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kdyn/base/field.hpp"

namespace kdyn::inline base {

// `more`: properties that every one of them has beside its own.
void json_schema(const std::vector<const FieldTable*>& alternatives,
                 const std::vector<std::pair<std::string, const FieldTable*>>& more, Json& out);

}  // namespace kdyn::inline base
