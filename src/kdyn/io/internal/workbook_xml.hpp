// SPDX-License-Identifier: Apache-2.0
// XML of workbooks: names without their prefix, elements by name, no document types.
#pragma once

#include <string>
#include <string_view>

#include <pugixml.hpp>

#include "kdyn/base/error.hpp"

namespace kdyn::inline io::internal {

// "x:row" -> "row"
inline std::string_view local_name(std::string_view name) {
  const auto colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}
inline bool is_named(const pugi::xml_node& node, std::string_view name) { return local_name(node.name()) == name; }

inline pugi::xml_node child(const pugi::xml_node& node, std::string_view name) {
  for (const pugi::xml_node one : node.children())
    if (is_named(one, name)) return one;
  return {};
}
inline std::string_view attribute(const pugi::xml_node& node, std::string_view name) {
  for (const pugi::xml_attribute one : node.attributes())
    if (local_name(one.name()) == name) return one.value();
  return {};
}

// Parses in place; `text` must outlive the document. Throws Error(bad_input) at `where`.
inline void parse_xml(pugi::xml_document& document, std::string& text, const std::string& where,
                      unsigned options = pugi::parse_default | pugi::parse_ws_pcdata) {
  const pugi::xml_parse_result result = document.load_buffer_inplace(text.data(), text.size(), options);
  if (!result)
    throw_bad_input(where,
                    "the XML of the workbook is damaged at byte " + std::to_string(result.offset) + " (" +
                        result.description() + ")",
                    "save the workbook again, or copy the file again");
}

}  // namespace kdyn::inline io::internal
