// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/series_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::inline io {
namespace {

constexpr std::array<const char*, 3> quantities = {"time", "displacement", "force"};
constexpr std::array<const char*, 3> si_units = {"s", "m", "N"};

// Column of each quantity; force may be missing.
std::array<std::optional<std::size_t>, 3> columns_of(const Json& in, const std::string& name, std::size_t width) {
  std::array<std::optional<std::size_t>, 3> at;
  if (!in.contains("columns")) {
    for (std::size_t q = 0; q < std::min<std::size_t>(3, width); ++q) at[q] = q;
    return at;
  }
  const Json& columns = in["columns"];
  if (!columns.is_array())
    throw_bad_input(name + ".columns", "must be a list of names", R"(write ["time", "displacement", "force"])");
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t q = 0; q < 3; ++q)
      if (columns[i].is_string() && lower_case(columns[i].get<std::string>()) == quantities[q]) at[q] = i;
  return at;
}

std::string unit_of(const Json& in, std::size_t quantity, const std::string& name, const BenchReadOptions& options) {
  if (const auto given = options.units.find(quantities[quantity]); given != options.units.end()) return given->second;
  for (const auto& [key, value] : in.items()) {
    const std::string text = lower_case(key);
    if (value.is_string() && text.find("unit") != std::string::npos &&
        text.find(quantities[quantity]) != std::string::npos)
      return value.get<std::string>();
  }
  if (quantity == 0) return "s";
  throw_bad_input(name, fmt::format("no key tells the unit of {}", quantities[quantity]),
                  fmt::format("add \"{} units\": \"...\", or give --units", quantities[quantity]));
}

}  // namespace

bool looks_like_json(std::string_view content) {
  const auto first = content.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && content[first] == '{';
}

BenchFile parse_series_json(std::string_view content, const std::string& name, const BenchReadOptions& options) {
  const Json in = parse_json(content, name);
  if (!in.is_object() || !in.contains("data") || !in["data"].is_array() || in["data"].empty())
    throw_bad_input(name, "this JSON holds no series: a list \"data\" of rows is missing",
                    R"(write {"data": [[t, u, F], ...], "displacement units": "mm", "force units": "N"})");
  const Json& rows = in["data"];
  if (!rows[0].is_array()) throw_bad_input(name + ".data[0]", "a row must be a list of numbers", "write [t, u, F]");
  const auto at = columns_of(in, name, rows[0].size());
  if (!at[0] || !at[1])
    throw_bad_input(name, "time or displacement is missing", "give at least two columns, or name them in \"columns\"");
  BenchFile file;
  file.kind = BenchKind::series;
  std::array<std::vector<double>*, 3> out = {&file.series.time, &file.series.displacement, &file.series.force};
  for (std::size_t q = 0; q < 3; ++q) {
    if (!at[q]) continue;
    const std::string unit = unit_of(in, q, name, options);
    const double factor = factor_to_si(unit, si_units[q], fmt::format("{}: unit of {}", name, quantities[q]));
    file.series.source.conversions.push_back({quantities[q], unit, si_units[q], factor});
    out[q]->reserve(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::string place = fmt::format("{}.data[{}][{}]", name, r, *at[q]);
      if (!rows[r].is_array() || rows[r].size() <= *at[q] || !rows[r][*at[q]].is_number())
        throw_bad_input(place, "is not a number", "every row needs a number here");
      const double value = rows[r][*at[q]].get<double>() * factor;
      if (!std::isfinite(value)) throw_bad_input(place, "is not finite", "correct the row");
      if (q == 0 && r > 0 && !(value > file.series.time.back()))
        throw_bad_input(place,
                        fmt::format("time {:g} s does not run forward from {:g} s", value, file.series.time.back()),
                        "remove the row or sort");
      out[q]->push_back(value);
    }
  }
  if (rows[0].size() > 3 && !in.contains("columns"))
    file.findings.push_back(
        {Severity::note, "columns_left_out", name,
         fmt::format("rows have {} columns; the first three are taken as time, displacement and force", rows[0].size()),
         "name them in \"columns\" when the order is another"});
  file.series.source.path = name;
  file.series.source.sha256 = sha256(content);
  return file;
}

}  // namespace kdyn::inline io
