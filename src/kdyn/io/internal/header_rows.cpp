// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/header_rows.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/base/units.hpp"

namespace kdyn::inline io::internal {

void HeaderRows::read(std::size_t columns) {
  for (const std::size_t row : block_.header) {
    Row& out = rows_[row];
    read_texts(row, columns, out);
    out.left.resize(columns, none);
    for (std::size_t c = 2; c < columns; ++c) out.left[c] = out.texts[c - 1].empty() ? out.left[c - 1] : c - 1;
    // Only numbers need somebody who says what they are.
    if (std::any_of(out.texts.begin(), out.texts.end(), [](std::string_view t) { return shape_of(t).is_number; }))
      find_lead(row, out);
  }
}

void HeaderRows::read_texts(std::size_t row, std::size_t columns, Row& out) const {
  out.texts.resize(columns);
  std::vector<std::size_t> open(columns + 1);  // the next column without a text of its own
  std::iota(open.begin(), open.end(), std::size_t{0});
  const auto next_open = [&](std::size_t c) {
    while (open[c] != c) c = open[c] = open[open[c]];
    return c;
  };
  for (std::size_t c = 0; c < columns; ++c) {
    const DataCell cell = table_.at(row, c);
    if (cell.kind == CellKind::empty) continue;
    open[c] = c + 1;
    out.texts[c] = cell.text;
    if (cell.kind == CellKind::number) out.texts[c] = out.numbers.emplace_back(fmt::format("{}", cell.number));
  }
  const std::size_t line = table_.line(row);
  for (const MergedCells& one : table_.merged) {
    if (line < one.first_row || line > one.last_row) continue;
    // In the rows below its first one the row above has it.
    const std::string_view text = one.first_row == line ? table_.at(row, one.first_column).text : std::string_view();
    for (std::size_t c = next_open(std::min(one.first_column, columns)); c < columns && c <= one.last_column;
         c = next_open(c))
      out.texts[c] = text, open[c] = c + 1;
  }
}

// The first text of the row that names a quantity and its unit.
void HeaderRows::find_lead(std::size_t row, Row& out) const {
  for (std::size_t k = 0; k < table_.columns(row) && out.lead == none; ++k) {
    const DataCell cell = table_.at(row, k);
    if (cell.kind != CellKind::text || shape_of(cell.text).is_number) continue;
    std::string lead(cell.text);
    if (const auto slash = lead.find('\\'); slash != std::string::npos)
      lead = lead.substr(slash + 1);  // f [Hz] \ A [mm]
    const HeaderName name = read_header_name(lead, "", decimal_);
    const auto unit = parse_unit(name.unit);
    if (!name.quantity || name.unit.empty() || !unit) continue;
    out.lead = k;
    out.lead_level.quantity = *name.quantity;
    out.lead_level.value = unit->to_si * name.factor;
    if (*name.quantity == Quantity::amplitude) out.lead_level.value *= amplitude_factor(name.kind);
    out.lead_level.text = lead;
  }
}

std::string_view HeaderRows::text(std::size_t row, std::size_t column) const {
  const Row& one = rows_.at(row);
  return column < one.texts.size() ? one.texts[column] : std::string_view();
}

std::string HeaderRows::spread(std::size_t row, std::size_t column) const {
  const std::string_view own = text(row, column);
  if (!own.empty() || (!table_.sheet.empty() && !table_.merged.empty())) return std::string(own);
  bool below = false;
  for (const std::size_t other : block_.header)
    below = below || (other > row && table_.at(other, column).kind != CellKind::empty);
  const std::size_t left = rows_.at(row).left[column];
  if (!below || left == none) return "";
  const std::string_view name = text(row, left);
  return std::string(shape_of(name).is_number || !read_unit_text(name).unit.empty() ? std::string_view() : name);
}

std::optional<HeaderLevel> HeaderRows::level(std::size_t row, std::size_t column, const std::string& number) const {
  const auto value = number_of(number, decimal_);
  const Row& one = rows_.at(row);
  if (!value || one.lead == none || one.lead >= column) return std::nullopt;
  return HeaderLevel{one.lead_level.quantity, *value * one.lead_level.value, one.lead_level.text + " " + number};
}

}  // namespace kdyn::inline io::internal
