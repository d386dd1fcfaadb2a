// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/json.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn::inline base {
namespace {

constexpr int max_depth = 200;

struct Position {
  std::size_t line = 1, column = 1;
};

// Both count from 1; the column counts bytes.
Position position_of(std::string_view text, std::size_t index) {
  const std::string_view before = text.substr(0, std::min(index, text.size()));
  const auto line_start = before.rfind('\n');
  return {1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
          1 + before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1)};
}

// Refuses deep nesting before the parser recurses into destructors of deeply nested values.
void check_depth(std::string_view text, const std::string& where) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth)
        throw_bad_input(fmt::format("{}:{}", where, position_of(text, i).line),
                        fmt::format("JSON is nested deeper than {} levels", max_depth), "flatten the document");
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

bool is_flat(const Json& array) {
  return std::none_of(array.begin(), array.end(), [](const Json& item) {
    return item.is_object() ||
           (item.is_array() && std::any_of(item.begin(), item.end(), [](const Json& x) { return x.is_structured(); }));
  });
}

void write(const Json& value, int indent, std::string& out) {
  const std::string pad(static_cast<std::size_t>(indent + 2), ' ');
  if (value.is_object() && !value.empty()) {
    out += "{\n";
    bool first = true;
    for (const auto& [key, item] : value.items()) {
      if (!first) out += ",\n";
      first = false;
      out += pad + Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
      write(item, indent + 2, out);
    }
    out += "\n" + std::string(static_cast<std::size_t>(indent), ' ') + "}";
  } else if (value.is_array() && !value.empty() && !is_flat(value)) {
    out += "[\n";
    bool first = true;
    for (const auto& item : value) {
      if (!first) out += ",\n";
      first = false;
      out += pad;
      write(item, indent + 2, out);
    }
    out += "\n" + std::string(static_cast<std::size_t>(indent), ' ') + "]";
  } else {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  check_depth(text, where);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    const Position p = position_of(text, e.byte > 0 ? e.byte - 1 : 0);  // e.byte counts from 1
    const std::string_view reason = e.what();
    const auto colon = reason.rfind("syntax error");
    throw_bad_input(fmt::format("{}:{}:{}", where, p.line, p.column),
                    fmt::format("not valid JSON: {}", colon == std::string_view::npos ? reason : reason.substr(colon)),
                    "correct the text at this place");
  } catch (const Json::exception& e) {  // numbers out of range and the like
    throw_bad_input(where, fmt::format("not valid JSON: {}", e.what()), "correct the value");
  }
}

Json read_json(const std::string& path) { return parse_json(read_text(path), path); }

std::string dump_json(const Json& value) {
  std::string out;
  write(value, 0, out);
  out += '\n';
  return out;
}

}  // namespace kdyn::inline base
