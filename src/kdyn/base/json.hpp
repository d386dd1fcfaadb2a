// SPDX-License-Identifier: Apache-2.0
// The JSON type of kdyn: keys keep their order, so that a result reads in the order it was written.
#pragma once

#include <string>
#include <string_view>

// The library's literal "..."_json parses a type that kdyn does not use, and its parser would be instantiated in every
// source (0.3 s each): it is deleted.
#define JSON_USE_GLOBAL_UDLS 0
#define _json(s, n)     \
  _json(s, n) = delete; \
  template <class>      \
  nlohmann::json not_a_literal(s, n)
#include <nlohmann/json.hpp>
#undef _json

namespace kdyn::inline base {

using Json = nlohmann::ordered_json;

// Parses text; a syntax error names `where`, line and column. Nesting is limited to 200 levels.
Json parse_json(std::string_view text, const std::string& where);

// Reads and parses a file (see read_text for the errors of files).
Json read_json(const std::string& path);

// Two spaces of indent, arrays of plain numbers on one line, shortest digits that round-trip. Non-finite numbers become
// null.
std::string dump_json(const Json& value);

}  // namespace kdyn::inline base
