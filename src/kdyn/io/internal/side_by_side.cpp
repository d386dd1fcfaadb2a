// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/side_by_side.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/header_names.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::size_t widest = 200;  // columns of tables that people lay side by side

std::string title_at(const DataTable& table, std::size_t row, std::size_t column) {
  const DataCell cell = table.at(row, column);
  return cell.kind == CellKind::text && !shape_of(cell.text).is_number ? lower_case(trim(cell.text)) : std::string();
}

std::vector<std::string> titles_between(const DataTable& table, std::size_t row, std::size_t begin, std::size_t end) {
  std::vector<std::string> out;
  for (std::size_t c = begin; c < end; ++c)
    if (std::string title = title_at(table, row, c); !title.empty()) out.push_back(std::move(title));
  return out;
}

// First columns of the tables whose names stand in this row; empty when the names do not come up again as a whole.
std::vector<std::size_t> starts_of(const DataTable& table, std::size_t row) {
  const std::size_t columns = table.columns(row);
  std::vector<std::size_t> starts;
  if (columns > widest) return starts;
  std::string first;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::string title = title_at(table, row, c);
    if (title.empty()) continue;
    if (first.empty()) first = title;
    if (title == first) starts.push_back(c);
  }
  if (starts.size() < 2 || !read_unit_text(first).unit.empty()) return {};  // "mm; N; mm; N" are units of other names
  const HeaderName name = read_header_name(first, "", Decimal::unknown);
  if (!name.quantity || name.level) return {};  // "0.1 mm; 0.2 mm; 0.1 mm; 0.2 mm" are levels of one table
  const auto names = [&](std::size_t k) {
    return titles_between(table, row, starts[k], k + 1 < starts.size() ? starts[k + 1] : columns);
  };
  const std::vector<std::string> own = names(0);
  for (std::size_t k = 1; k < starts.size(); ++k)
    if (names(k) != own) return {};
  return own.size() >= 2 ? starts : std::vector<std::size_t>();
}

std::size_t end_of(const std::vector<std::size_t>& starts, std::size_t k) {
  return k + 1 < starts.size() ? starts[k + 1] : DataTable::most_columns;
}

// Tables of this row that hold something.
std::set<std::size_t> filled(const DataTable& table, std::size_t row, const std::vector<std::size_t>& starts) {
  std::set<std::size_t> out;
  for (std::size_t k = 0; k < starts.size(); ++k)
    for (std::size_t c = k == 0 ? 0 : starts[k]; c < std::min(table.columns(row), end_of(starts, k)); ++c)
      if (table.at(row, c).kind != CellKind::empty) out.insert(k);
  return out;
}

// A row above the names with another text over each table.
bool told_apart(const DataTable& table, std::size_t names, const std::vector<std::size_t>& starts) {
  constexpr std::size_t searched = 6;
  for (std::size_t r = names > searched ? names - searched : 0; r < names; ++r) {
    std::set<std::string> texts;
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const auto over = titles_between(table, r, k == 0 ? 0 : starts[k], std::min(table.columns(r), end_of(starts, k)));
      if (!over.empty()) texts.insert(join(over, "\n"));
    }
    if (texts.size() == starts.size()) return true;
  }
  return false;
}

}  // namespace

std::vector<DataTable> side_by_side(const DataTable& table, const TableBlocks& blocks) {
  std::vector<std::size_t> starts;
  std::size_t names = 0;
  for (const TableBlock& block : blocks.blocks) {
    std::vector<std::size_t> here;
    for (const std::size_t row : block.header)
      if (here.empty()) {
        here = starts_of(table, row);
        if (!here.empty() && starts.empty()) names = row;
      }
    if (here.empty() || (!starts.empty() && here != starts)) return {};
    starts = here;
  }
  if (starts.empty() || !told_apart(table, names, starts)) return {};
  std::vector<DataTable> out(starts.size());
  for (std::size_t k = 0; k < starts.size(); ++k) {
    DataTable& one = out[k];
    one.file = table.file, one.sheet = table.sheet, one.delimiter = table.delimiter, one.merged = table.merged;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const std::set<std::size_t> holding = filled(table, r, starts);
      // Comments, and lines above that stand at the left alone, hold for all of them.
      const bool common = table.is_comment(r) || (r < names && holding.size() == 1 && holding.contains(0));
      if (!common && !holding.contains(k)) continue;
      one.begin_row(table.line(r), table.is_comment(r));
      for (std::size_t c = common || k == 0 ? 0 : starts[k];
           c < std::min(table.columns(r), common ? DataTable::most_columns : end_of(starts, k)); ++c)
        if (const DataCell cell = table.at(r, c); cell.kind != CellKind::empty)
          one.add(c, cell.kind, cell.number, cell.text);
    }
  }
  return out;
}

}  // namespace kdyn::inline io::internal
