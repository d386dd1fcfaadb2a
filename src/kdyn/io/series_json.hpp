// SPDX-License-Identifier: Apache-2.0
// Raw series as JSON, as some laboratories publish them:
//
//   {"data": [[t, u, F, ...], ...], "time units": "s", "displacement units": "in", "friction force units": "kip", ...}
//
// Columns are time, displacement, force in this order unless "columns" names them (time, displacement, force; others
// are left out). A unit comes from the first key that holds the column's word and "units"; it is converted to SI and
// recorded.
#pragma once

#include <string>
#include <string_view>

#include "kdyn/io/bench_files.hpp"

namespace kdyn::inline io {

// True when the content is a JSON object (first character that is not blank is a brace).
bool looks_like_json(std::string_view content);

// Throws Error(bad_input) naming the key or the row.
BenchFile parse_series_json(std::string_view content, const std::string& name, const BenchReadOptions& options = {});

}  // namespace kdyn::inline io
