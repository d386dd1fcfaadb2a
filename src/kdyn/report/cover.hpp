// SPDX-License-Identifier: Apache-2.0
// Who a report is for and who made it: part, customer, bench, operator, a logo. All optional, put onto a report that is written already, from its
// document.json: what was computed does not change with the cover.
#pragma once

#include <string>

#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::report {

struct Cover {
  std::string part, customer, bench, operator_name, note;
  std::string logo;  // file: PNG, JPEG, WebP or SVG, at most 2 MB; becomes a part of the report
};
const FieldTable& fields_of(const Cover*);

// A cover as its file holds it; a logo is named relative to the folder of the file. Throws Error naming file and key.
Cover read_cover(const std::string& path);

// The document (to_json) with the cover in it, as report.html. Throws Error(bad_input) for a logo that is no picture.
std::string html_with_cover(Json document, const Cover& cover);

// Writes DIR/report.html anew from DIR/document.json. Throws Error(file_access) where there is none.
void put_cover(const std::string& folder, const Cover& cover);

}  // namespace kdyn::report
