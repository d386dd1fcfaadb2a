// SPDX-License-Identifier: Apache-2.0
// Workbooks of OpenDocument (.ods): tables of content.xml. The value attributes count, not the text that is shown;
// repeated rows and cells are written out where they hold something.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/workbook_xml.hpp"
#include "kdyn/io/internal/xlsx.hpp"

namespace kdyn::inline io::internal {
namespace {

std::size_t repeats_of(const pugi::xml_node& node, const char* name) {
  const auto number = parse_number(attribute(node, name));
  return number && *number >= 1.0 && *number <= 2e6 ? static_cast<std::size_t>(*number) : 1;
}

// Text of a paragraph: spans joined, text:s as blanks, tabs and line breaks as such.
void paragraph_text(const pugi::xml_node& node, std::string& out, int depth) {
  if (depth > 32) return;
  constexpr std::size_t longest = std::size_t{1} << 16;  // of a cell
  for (const pugi::xml_node one : node.children()) {
    if (out.size() > longest) return;
    if (one.type() == pugi::node_pcdata || one.type() == pugi::node_cdata) {
      out += one.value();
    } else if (is_named(one, "s")) {
      out.append(std::min<std::size_t>(repeats_of(one, "c"), 1000), ' ');
    } else if (is_named(one, "tab")) {
      out += '\t';
    } else if (is_named(one, "line-break")) {
      out += '\n';
    } else if (!is_named(one, "annotation")) {
      paragraph_text(one, out, depth + 1);
    }
  }
}

std::string shown_text(const pugi::xml_node& cell) {
  std::string out;
  bool first = true;
  for (const pugi::xml_node one : cell.children()) {
    if (!is_named(one, "p")) continue;
    if (!first) out += '\n';
    first = false;
    paragraph_text(one, out, 0);
  }
  return out;
}

// 2026-03-01T12:00:00 as days since 1899-12-30; 0 when it is none.
double days_of(std::string_view text) {
  const auto part = [&](std::size_t at, std::size_t count) {
    return at + count <= text.size() ? parse_number(text.substr(at, count)).value_or(0.0) : 0.0;
  };
  const double year = part(0, 4), month = part(5, 2), day = part(8, 2);
  if (year < 1 || month < 1 || month > 12) return 0.0;
  const double y = month <= 2 ? year - 1 : year, era = std::floor(y / 400), yoe = y - era * 400;
  const double doy = std::floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const double doe = yoe * 365 + std::floor(yoe / 4) - std::floor(yoe / 100) + doy;
  return era * 146097 + doe - 719468 + 25569 + part(11, 2) / 24 + part(14, 2) / 1440 + part(17, 2) / 86400;
}

class OdsTableReader {
 public:
  explicit OdsTableReader(DataTable& table) : table_(table) {}

  void read(const pugi::xml_node& node, int depth = 0) {
    if (depth > 16) return;
    for (const pugi::xml_node one : node.children()) {
      if (is_named(one, "table-row"))
        read_row(one);
      else if (is_named(one, "table-header-rows") || is_named(one, "table-row-group") || is_named(one, "table-rows"))
        read(one, depth + 1);
    }
    if (depth == 0 && errors_ > 0)
      table_.findings.push_back({Severity::warning, "error_cells", first_error_,
                                 fmt::format("{} cells hold errors and count as missing", errors_),
                                 "correct the formulas, or leave it so when the values are not needed"});
  }

 private:
  struct Value {
    CellKind kind = CellKind::empty;
    double number = 0.0;
    std::string text;
  };

  Value value_of(const pugi::xml_node& cell, std::size_t column) {
    std::string_view type;
    bool error = false;
    for (const pugi::xml_attribute one : cell.attributes())
      if (local_name(one.name()) == "value-type") {
        error = error || std::string_view(one.value()) == "error";
        if (type.empty() || std::string_view(one.name()).starts_with("office")) type = one.value();
      }
    const auto where = [&] { return fmt::format("{}!{}{}", table_.name(), column_letters(column), number_); };
    if (type.empty()) return {};
    const std::string text = shown_text(cell);
    if (error || (text.starts_with("#") && text.ends_with("!")) || text == "#N/A" || text.starts_with("Err:")) {
      if (errors_++ == 0) first_error_ = where();
      return {CellKind::error, 0.0, text};
    }
    if (type == "float" || type == "percentage" || type == "currency") {
      const auto x = parse_number(attribute(cell, "value"));
      if (!x || !std::isfinite(*x))
        throw_bad_input(where(),
                        fmt::format("the cell holds {}, which is not a number", in_quotes(attribute(cell, "value"))),
                        "correct the cell and save the workbook again");
      return {CellKind::number, *x, ""};
    }
    if (type == "boolean") {
      const bool yes = attribute(cell, "boolean-value") == "true";
      return {CellKind::boolean, yes ? 1.0 : 0.0, yes ? "true" : "false"};
    }
    if (type == "date")
      return {CellKind::date, days_of(attribute(cell, "date-value")), std::string(attribute(cell, "date-value"))};
    if (type == "time") return {CellKind::date, 0.0, std::string(attribute(cell, "time-value"))};
    const std::string_view given = attribute(cell, "string-value");
    const std::string shown(trim(given.empty() ? std::string_view(text) : given));
    return {shown.empty() ? CellKind::empty : CellKind::text, 0.0, shown};
  }

  void read_row(const pugi::xml_node& row) {
    number_ = next_row_;
    const std::size_t repeats = repeats_of(row, "number-rows-repeated");
    next_row_ += repeats;
    struct Placed {
      std::size_t column, count;
      Value value;
    };
    std::vector<Placed> cells;
    std::size_t column = 0, filled = 0;
    for (const pugi::xml_node cell : row.children()) {
      const bool covered = is_named(cell, "covered-table-cell");
      if (!covered && !is_named(cell, "table-cell")) continue;
      const std::size_t count = repeats_of(cell, "number-columns-repeated");
      if (!covered) {
        Value value = value_of(cell, column);
        if (value.kind != CellKind::empty) {
          filled += count;
          if (filled > DataTable::most_columns)
            throw_bad_input(fmt::format("{}!{}", table_.name(), number_),
                            "the row repeats a cell more often than a sheet has columns", "save the workbook again");
          cells.push_back({column, count, std::move(value)});
        }
        const std::size_t wide = repeats_of(cell, "number-columns-spanned"),
                          high = repeats_of(cell, "number-rows-spanned");
        constexpr std::size_t most_merged = 100'000;
        if ((wide > 1 || high > 1) && table_.merged.size() < most_merged)
          table_.merged.push_back({number_, column, number_ + high - 1, column + wide - 1});
      }
      column += count;
    }
    if (cells.empty()) return;
    for (std::size_t i = 0; i < repeats; ++i) {
      table_.begin_row(number_ + i);
      for (const Placed& cell : cells)
        for (std::size_t k = 0; k < cell.count; ++k)
          table_.add(cell.column + k, cell.value.kind, cell.value.number, cell.value.text);
    }
  }

  DataTable& table_;
  std::size_t next_row_ = 1, number_ = 1, errors_ = 0;
  std::string first_error_;
};

}  // namespace

std::vector<DataTable> read_ods(ZipParts& zip) {
  std::string text = zip.read("content.xml");
  // The tree of a sheet takes several times its text: a smaller limit than that of a part.
  constexpr std::size_t most_bytes = std::size_t{96} << 20;
  if (text.size() > most_bytes)
    throw_bad_input(
        zip.name(),
        fmt::format("the workbook unpacks to {} MB, the limit for .ods is {}", text.size() >> 20, most_bytes >> 20),
        "save the sheet as CSV or .xlsx");
  pugi::xml_document document;
  parse_xml(document, text, zip.name() + " (content.xml)", pugi::parse_default | pugi::parse_ws_pcdata);
  const pugi::xml_node root = document.document_element();
  std::map<std::string, bool> hidden_styles;
  for (const pugi::xml_node style : child(root, "automatic-styles").children())
    if (attribute(child(style, "table-properties"), "display") == "false")
      hidden_styles[std::string(attribute(style, "name"))] = true;
  std::vector<DataTable> sheets;
  SheetRoom room;
  room.add_xml(text.size());
  for (const pugi::xml_node one : child(child(root, "body"), "spreadsheet").children()) {
    if (!is_named(one, "table")) continue;
    DataTable table;
    table.file = zip.name();
    table.sheet = attribute(one, "name");
    table.hidden = hidden_styles.contains(std::string(attribute(one, "style-name")));
    room.limit(table);
    OdsTableReader(table).read(one);
    room.count(table);
    sheets.push_back(std::move(table));
  }
  if (sheets.empty()) throw_bad_input(zip.name(), "the document holds no sheet", "give a spreadsheet with a table");
  return sheets;
}

}  // namespace kdyn::inline io::internal
