// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/foreign_model.hpp"

#include <algorithm>
#include <cctype>

#include "kdyn/mbs/internal/foreign_words.hpp"

namespace kdyn::mbs {

ForeignFormat foreign_format(std::string_view content) {
  std::size_t at = 0;
  if (content.substr(0, 3) == "\xef\xbb\xbf") at = 3;
  while (at < content.size() && std::isspace(static_cast<unsigned char>(content[at]))) ++at;
  if (at >= content.size() || content[at] == '{' || content[at] == '[') return ForeignFormat::none;
  const std::string_view head = content.substr(at, 200000);
  if (head[0] == '<') return head.find("<robot") != std::string_view::npos ? ForeignFormat::urdf : ForeignFormat::none;
  // A deck: a statement at the beginning of a line.
  const std::string upper = upper_case(std::string(head));
  const auto has = [&](const char* word) {
    for (std::size_t found = upper.find(word); found != std::string::npos; found = upper.find(word, found + 1))
      if (found == 0 || upper[found - 1] == '\n') return true;
    return false;
  };
  return has("PART/") && (has("UNITS/") || has("MARKER/") || has("ADAMS")) ? ForeignFormat::adams : ForeignFormat::none;
}

ForeignModel model_json_of(const std::string& content, const std::string& where,
                           const std::vector<std::string>& ignore) {
  switch (foreign_format(content)) {
    case ForeignFormat::adams: return read_adams(content, where, ignore);
    case ForeignFormat::urdf: return read_urdf(content, where, ignore);
    default: return {parse_json(content, where), {}};
  }
}

}  // namespace kdyn::mbs
