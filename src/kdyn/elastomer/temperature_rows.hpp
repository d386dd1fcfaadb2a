// SPDX-License-Identifier: Apache-2.0
// A temperature table as it stands in a model file: rows [temperature_c, factor, ...].
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::inline elastomer {

// The first factor must be above 0, the others may vanish; `names` are those of the factors, for messages.
template <class Row>
std::vector<Row> temperature_rows(const Json& in, const std::string& where,
                                  std::initializer_list<double Row::*> factors, const char* names) {
  const auto fail = [&](std::size_t i, const char* what) {
    throw_bad_input(
        fmt::format("{}[{}]", where, i), what,
        fmt::format("give rows [temperature_c, {}] with rising temperature and factors > 0 up to 1e6", names));
  };
  if (!in.is_array() || in.empty()) fail(0, "the temperature table is not a list of rows");
  std::vector<Row> rows;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!in[i].is_array() || in[i].size() != 1 + factors.size() ||
        !std::all_of(in[i].begin(), in[i].end(), [](const Json& x) { return x.is_number(); }))
      fail(i, "a row has not as many numbers as it needs");
    Row row;
    row.temperature_c = in[i][0].template get<double>();
    std::size_t column = 1;
    for (double Row::*factor : factors) {
      row.*factor = in[i][column].template get<double>();
      if (row.*factor < 0.0 || (column == 1 && !(row.*factor > 0.0)) || row.*factor > 1e6)
        fail(i, "a factor is not positive");
      ++column;
    }
    if (!rows.empty() && !(row.temperature_c > rows.back().temperature_c)) fail(i, "the temperature does not rise");
    rows.push_back(row);
  }
  return rows;
}

}  // namespace kdyn::inline elastomer
