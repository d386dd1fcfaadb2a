// SPDX-License-Identifier: Apache-2.0
// Writes a Document as one HTML file that opens offline: script, style and data are inside, the network is forbidden by
// its content security policy. Text of users is inserted as text only; invalid UTF-8 becomes U+FFFD.
#pragma once

#include <string>

#include "kdyn/base/json.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::report {

// What the browser side reads (web/report/model.ts). Series are thinned and rounded to 8 significant digits here.
// Throws Error(internal) when the parts of a block do not fit together, such as x and y of different length.
Json to_json(const Document& document);

// The same as the text of a file beside the report: sections with their ids, for programs that show parts of it.
std::string to_json_text(const Document& document);

std::string to_html(const Document& document);

// To a temporary name, then renamed (kdyn::write_text).
void write_html(const Document& document, const std::string& path);

}  // namespace kdyn::report
