// SPDX-License-Identifier: Apache-2.0
// A first look at a table, for people who have to say what its columns are.
#include <algorithm>
#include <fstream>

#include "kdyn/app/exchange/exchange_outputs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/csv.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::app {
namespace {

constexpr std::size_t shown_rows = 5, looked_at = std::size_t{64} << 10;

// The beginning of the file as delimited text in UTF-8, up to a whole line. Files of text may be large.
std::string first_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content(looked_at, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  const bool whole = content.size() < looked_at;
  if (content.starts_with("PK")) {
    for (const DataTable& table : read_spreadsheet(read_text(path), path))
      if (!table.hidden && table.rows() > 0) return table_csv(table);
    return "";
  }
  if (looks_binary(content)) return "";
  DecodedText decoded = decode_text(content);
  std::string text = decoded.converted ? std::move(decoded.text) : std::move(content);
  if (!whole) text.resize(text.rfind('\n') + 1);
  return text;
}

std::vector<InspectedColumn> columns_of_text(const std::string& text, const std::string& path) try {
  const CsvLayout layout = detect_csv(text, path, [](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells)
      if (!meaning_of_title(cell).meaning.empty()) return true;
    return false;
  });
  std::vector<InspectedColumn> out;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const TitleMeaning says = meaning_of_title(layout.columns[i]);
    const bool below = says.unit.empty() && i < layout.units.size();
    out.push_back({layout.columns[i], says.meaning, below ? layout.units[i] : says.unit, {}});
  }
  const DataTable table = read_text_table(text, path);
  std::size_t shown = 0;
  for (std::size_t row = 0; row < table.rows() && shown < shown_rows; ++row) {
    if (table.is_comment(row) || table.line(row) < layout.data_line) continue;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i].cells.emplace_back(i < table.columns(row) ? table.at(row, i).text : "");
    ++shown;
  }
  return out;
} catch (const Error&) {
  return {};  // no table; what is wrong with the file is said by those who read it
}

}  // namespace

std::vector<InspectedColumn> columns_of_table(const std::string& path) try {
  return columns_of_text(first_lines(path), path);
} catch (const Error&) {
  return {};
}

std::vector<InspectedSheet> sheets_of_workbook(const std::string& path) try {
  constexpr std::size_t most_sheets = 60;
  char head[2] = {};
  std::ifstream(path, std::ios::binary).read(head, 2);
  if (head[0] != 'P' || head[1] != 'K') return {};
  std::vector<InspectedSheet> out;
  for (const DataTable& table : read_spreadsheet(read_text(path), path)) {
    if (table.hidden || table.rows() == 0 || out.size() == most_sheets) continue;
    std::string text = table_csv(table);
    if (text.size() > looked_at) text.resize(text.rfind('\n', looked_at) + 1);
    out.push_back({table.sheet, columns_of_text(text, path)});
  }
  if (out.size() < 2) out.clear();  // the columns of the file are those of its sheet
  return out;
} catch (const Error&) {
  return {};
}

}  // namespace kdyn::app
