// SPDX-License-Identifier: Apache-2.0
// Workbooks of Office Open XML (.xlsx, .xlsm): sheets in the order of the workbook, found through its relationships.
//
// Cells: numbers, shared and inline strings, texts of formulas, booleans, errors, dates by their number format.
// Formulas are not computed: the stored value counts, and a formula without one is told. Sheet data are taken row by
// row, so memory stays near the size of the part.
#include "kdyn/io/internal/xlsx.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/workbook_xml.hpp"

namespace kdyn::inline io::internal {
namespace {

// "xl/workbook.xml" and "worksheets/sheet1.xml" -> "xl/worksheets/sheet1.xml"; a leading slash starts at the root.
std::string resolve_part(const std::string& base, std::string_view target) {
  if (target.starts_with('/')) return std::string(target.substr(1));
  std::string folder = base.substr(0, base.rfind('/') == std::string::npos ? 0 : base.rfind('/') + 1);
  while (target.starts_with("../")) {
    target.remove_prefix(3);
    if (!folder.empty()) folder.pop_back();
    folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/') + 1);
  }
  if (target.starts_with("./")) target.remove_prefix(2);
  return folder + std::string(target);
}

struct Relation {
  std::string type, target;
};

std::map<std::string, Relation> relations_of(ZipParts& zip, const std::string& part) {
  const auto slash = part.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : part.substr(0, slash + 1);
  const std::string name = folder + "_rels/" + part.substr(slash == std::string::npos ? 0 : slash + 1) + ".rels";
  std::map<std::string, Relation> out;
  if (!zip.has(name)) return out;
  std::string text = zip.read(name);
  pugi::xml_document document;
  parse_xml(document, text, zip.name() + " (" + name + ")");
  for (const pugi::xml_node one : document.document_element().children())
    if (is_named(one, "Relationship"))
      out[std::string(attribute(one, "Id"))] = {std::string(attribute(one, "Type")),
                                                resolve_part(part, attribute(one, "Target"))};
  return out;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && std::string_view(text).ends_with(end);
}

// _x000D_ stands for a character that XML cannot hold.
std::string without_escapes(std::string text) {
  for (auto at = text.find("_x"); at != std::string::npos; at = text.find("_x", at + 1)) {
    if (at + 7 > text.size() || text[at + 6] != '_') continue;
    unsigned code = 0;
    const auto [stop, ec] = std::from_chars(text.data() + at + 2, text.data() + at + 6, code, 16);
    if (ec == std::errc() && stop == text.data() + at + 6 && code < 0x80)
      text.replace(at, 7, 1, static_cast<char>(code));
  }
  return text;
}

// Text of <si> or <is>: its t, or all r/t; rPh is a reading aid.
std::string string_of(const pugi::xml_node& item) {
  std::string out;
  for (const pugi::xml_node one : item.children()) {
    if (is_named(one, "t")) out += one.text().get();
    if (is_named(one, "r")) out += child(one, "t").text().get();
  }
  return without_escapes(std::move(out));
}

bool is_date_code(std::string_view code) {
  bool quoted = false, bracket = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '\\' || c == '_' || c == '*') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == '[') {
      bracket = true;
      if (i + 1 < code.size() && std::string_view("hHmMsS").find(code[i + 1]) != std::string_view::npos)
        return true;  // [h]:mm
    } else if (c == ']') {
      bracket = false;
    } else if (!quoted && !bracket && std::string_view("yYmMdDhHsS").find(c) != std::string_view::npos) {
      return true;
    } else if (!quoted && !bracket && (c == ';' || c == 'G')) {
      if (c == 'G') return false;  // General
      break;
    }
  }
  return false;
}

// Which cell styles show numbers as dates.
std::vector<bool> date_styles(ZipParts& zip, const std::string& part) {
  std::vector<bool> out;
  std::string text = zip.read(part);
  pugi::xml_document document;
  parse_xml(document, text, zip.name() + " (" + part + ")");
  const pugi::xml_node root = document.document_element();
  std::map<std::string, bool> custom;
  for (const pugi::xml_node one : child(root, "numFmts").children())
    custom[std::string(attribute(one, "numFmtId"))] = is_date_code(attribute(one, "formatCode"));
  for (const pugi::xml_node one : child(root, "cellXfs").children()) {
    const std::string id(attribute(one, "numFmtId"));
    const double number = parse_number(id).value_or(0.0);
    const auto known = custom.find(id);
    out.push_back(known != custom.end() ? known->second
                                        : (number >= 14 && number <= 22) || (number >= 45 && number <= 47));
  }
  return out;
}

struct CellRef {
  std::size_t column = 0, row = 0;  // row counted from 1
};
std::optional<CellRef> reference(std::string_view text) {
  CellRef ref;
  std::size_t i = 0;
  for (; i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0 && i < 4; ++i)
    ref.column =
        ref.column * 26 + static_cast<std::size_t>(std::toupper(static_cast<unsigned char>(text[i])) - 'A' + 1);
  const auto [stop, ec] = std::from_chars(text.data() + i, text.data() + text.size(), ref.row);
  if (i == 0 || ec != std::errc() || stop != text.data() + text.size() || ref.row == 0 || ref.row > 1'048'576)
    return std::nullopt;
  --ref.column;
  return ref;
}

struct Workbook {
  std::vector<std::string> strings;
  std::vector<bool> dates;
  bool from_1904 = false;
};

// The sheet's cells, one row of XML at a time.
class SheetReader {
 public:
  SheetReader(const Workbook& book, DataTable& table) : book_(book), table_(table) {}

  void read(std::string text) {
    const auto [begin, end] = sheet_data(text);
    for (std::size_t at = begin; at < end;) {
      const std::size_t row = find_tag(text, at, end, "row");
      if (row >= end) break;
      std::size_t stop = find_end(text, row, end);
      std::string piece = text.substr(row, stop - row);
      read_row(piece, row);
      at = stop;
    }
    std::string rest = text.substr(0, begin) + text.substr(end);
    read_merged(rest);
    if (formulas_ > 0)
      table_.findings.push_back(
          {Severity::warning, "formula_without_value", first_formula_,
           fmt::format("{} formulas have no stored value; kdyn does not compute formulas", formulas_),
           "open the workbook in a spreadsheet program, save it and read it again"});
    if (hidden_ > 0)
      table_.findings.push_back({Severity::warning, "hidden_rows", first_hidden_,
                                 fmt::format("{} hidden by a filter or by hand; read all the same",
                                             hidden_ == 1 ? "1 row is" : fmt::format("{} rows are", hidden_)),
                                 "delete them if they are not part of the measurement"});
    if (errors_ > 0)
      table_.findings.push_back({Severity::warning, "error_cells", first_error_,
                                 fmt::format("{} cells hold errors and count as missing", errors_),
                                 "correct the formulas, or leave it so when the values are not needed"});
  }

 private:
  // Byte range between <sheetData> and its end tag.
  std::pair<std::size_t, std::size_t> sheet_data(const std::string& text) const {
    const std::size_t open = find_tag(text, 0, text.size(), "sheetData");
    if (open >= text.size()) refuse(0, "there is no sheetData in it");
    const std::size_t after = text.find('>', open);
    if (after == std::string::npos) refuse(open, "a tag is not closed");
    if (text[after - 1] == '/') return {after + 1, after + 1};
    const std::size_t name = text.rfind("sheetData>");
    const std::size_t close = name == std::string::npos ? name : text.rfind("</", name);
    if (close == std::string::npos || close <= after) refuse(open, "the sheet data are cut off");
    return {after + 1, close};
  }

  // The place of "<row" or "<x:row"; `end` when there is none.
  static std::size_t find_tag(const std::string& text, std::size_t from, std::size_t end, std::string_view name) {
    for (std::size_t at = text.find('<', from); at != std::string::npos && at < end; at = text.find('<', at + 1)) {
      std::size_t stop = at + 1;
      while (stop < end && stop < at + 64 && std::string_view(" >/\t\r\n").find(text[stop]) == std::string_view::npos)
        ++stop;
      if (local_name(std::string_view(text).substr(at + 1, stop - at - 1)) == name) return at;
    }
    return end;
  }

  // Behind the end of the element that starts at `row`.
  std::size_t find_end(const std::string& text, std::size_t row, std::size_t end) const {
    const std::size_t open = text.find('>', row);
    if (open == std::string::npos || open >= end) refuse(row, "a row is cut off");
    if (text[open - 1] == '/') return open + 1;
    const std::string_view whole = std::string_view(text).substr(row + 1, open - row);
    const std::string_view name = whole.substr(0, whole.find_first_of(" >\t\r\n"));
    const std::size_t close = text.find("</" + std::string(name), open);
    const std::size_t stop = close == std::string::npos ? close : text.find('>', close);
    if (stop == std::string::npos || stop > end) refuse(row, "a row is cut off");
    return stop + 1;
  }

  [[noreturn]] void refuse(std::size_t byte, const char* what) const {
    throw_bad_input(table_.name(), fmt::format("the XML of the sheet is damaged near byte {}: {}", byte, what),
                    "save the workbook again");
  }

  void read_row(std::string& piece, std::size_t byte) {
    pugi::xml_document document;
    const pugi::xml_parse_result result =
        document.load_buffer_inplace(piece.data(), piece.size(),
                                     pugi::parse_minimal | pugi::parse_escapes | pugi::parse_ws_pcdata_single |
                                         pugi::parse_fragment | pugi::parse_eol);
    if (!result) refuse(byte + static_cast<std::size_t>(result.offset), result.description());
    const pugi::xml_node row = document.first_child();
    const auto given = parse_number(attribute(row, "r"));
    std::size_t number = last_row_ + 1;
    if (given) {
      if (!(*given > static_cast<double>(last_row_)) || *given > 1'048'576) refuse(byte, "the rows are not in order");
      number = static_cast<std::size_t>(*given);
    }
    last_row_ = number;
    bool begun = false;
    std::size_t next = 0;
    for (const pugi::xml_node cell : row.children()) {
      if (!is_named(cell, "c")) continue;
      std::size_t column = next;
      if (const std::string_view at = attribute(cell, "r"); !at.empty()) {
        const auto ref = reference(at);
        if (!ref || ref->column < next || ref->column >= DataTable::most_columns)
          refuse(byte, "a cell reference is wrong");
        column = ref->column;
      }
      next = column + 1;
      read_cell(cell, number, column, begun);
    }
    if (const std::string_view hidden = attribute(row, "hidden"); begun && (hidden == "1" || hidden == "true"))
      if (hidden_++ == 0) first_hidden_ = fmt::format("{}!{}", table_.name(), number);
  }

  void read_cell(const pugi::xml_node& cell, std::size_t number, std::size_t column, bool& begun) {
    const std::string_view type = attribute(cell, "t");
    const pugi::xml_node value = child(cell, "v");
    const std::string_view text = value.text().get();
    const auto add = [&](CellKind kind, double x, std::string_view shown) {
      if (kind == CellKind::text && trim(shown).empty()) return;
      if (!begun) table_.begin_row(number);
      begun = true;
      table_.add(column, kind, x, kind == CellKind::text ? trim(shown) : shown);
    };
    const auto where = [&] { return fmt::format("{}!{}{}", table_.name(), column_letters(column), number); };
    if (type == "inlineStr") {
      add(CellKind::text, 0.0, string_of(child(cell, "is")));
    } else if (type == "s") {
      std::size_t index = 0;
      const std::string_view digits = trim(text);
      const auto [stop, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
      if (ec != std::errc() || stop != digits.data() + digits.size() || index >= book_.strings.size())
        throw_bad_input(where(), fmt::format("the cell points at text {} of {}", in_quotes(text), book_.strings.size()),
                        "save the workbook again");
      add(CellKind::text, 0.0, book_.strings[index]);
    } else if (type == "str" || type == "d") {
      add(type == "d" ? CellKind::date : CellKind::text, 0.0, text);
    } else if (type == "b") {
      add(CellKind::boolean, trim(text) == "1" ? 1.0 : 0.0, trim(text) == "1" ? "true" : "false");
    } else if (type == "e") {
      if (errors_++ == 0) first_error_ = where();
      add(CellKind::error, 0.0, text);
    } else if (!trim(text).empty()) {
      const auto x = parse_number(text);
      if (!x || !std::isfinite(*x))
        throw_bad_input(where(), fmt::format("the cell holds {}, which is not a number", in_quotes(text)),
                        "correct the cell and save the workbook again");
      std::size_t style = 0;
      const std::string_view s = attribute(cell, "s");
      std::from_chars(s.data(), s.data() + s.size(), style);
      if (style < book_.dates.size() && book_.dates[style])
        add(CellKind::date, book_.from_1904 ? *x + 1462.0 : *x, date_text(book_.from_1904 ? *x + 1462.0 : *x));
      else
        add(CellKind::number, *x, {});
    } else if (child(cell, "f")) {
      if (formulas_++ == 0) first_formula_ = where();
    }
  }

  void read_merged(std::string& rest) {
    pugi::xml_document document;
    parse_xml(document, rest, table_.name());
    for (const pugi::xml_node one : child(document.document_element(), "mergeCells").children()) {
      const std::string_view range = attribute(one, "ref");
      const auto colon = range.find(':');
      const auto from = reference(range.substr(0, colon));
      const auto to = colon == std::string_view::npos ? from : reference(range.substr(colon + 1));
      constexpr std::size_t most_merged = 100'000;
      if (from && to && to->row >= from->row && to->column >= from->column && table_.merged.size() < most_merged)
        table_.merged.push_back({from->row, from->column, to->row, to->column});
    }
  }

  const Workbook& book_;
  DataTable& table_;
  std::size_t last_row_ = 0, formulas_ = 0, errors_ = 0, hidden_ = 0;
  std::string first_formula_, first_error_, first_hidden_;
};

}  // namespace

std::string date_text(double days) {
  // Civil date of days since 1899-12-30 (H. Hinnant's algorithm), seconds rounded.
  if (!(days > -700'000.0 && days < 3'000'000.0)) return fmt::format("{}", days);
  auto seconds = static_cast<long long>(std::llround((days - std::floor(days)) * 86400.0));
  long long z = static_cast<long long>(std::floor(days)) - 25569 + 719468;
  if (seconds >= 86400) seconds -= 86400, ++z;
  const long long era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
  const long long yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365,
                  doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const long long mp = (5 * doy + 2) / 153, day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
  return fmt::format("{:04d}-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}", yoe + era * 400 + (month <= 2 ? 1 : 0), month, day,
                     seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::vector<DataTable> read_xlsx(ZipParts& zip) {
  std::string main = "xl/workbook.xml";
  for (const auto& [id, relation] : relations_of(zip, ""))
    if (ends_with(relation.type, "/officeDocument")) main = relation.target;
  std::string text = zip.read(main);
  pugi::xml_document document;
  parse_xml(document, text, zip.name() + " (" + main + ")");
  const pugi::xml_node root = document.document_element();
  Workbook book;
  const std::string_view from_1904 = attribute(child(root, "workbookPr"), "date1904");
  book.from_1904 = from_1904 == "1" || from_1904 == "true";
  const auto relations = relations_of(zip, main);
  for (const auto& [id, relation] : relations) {
    if (ends_with(relation.type, "/sharedStrings") && zip.has(relation.target)) {
      std::string strings = zip.read(relation.target);
      pugi::xml_document shared;
      parse_xml(shared, strings, zip.name() + " (" + relation.target + ")");
      for (const pugi::xml_node item : shared.document_element().children())
        if (is_named(item, "si")) book.strings.push_back(string_of(item));
    } else if (ends_with(relation.type, "/styles") && zip.has(relation.target)) {
      book.dates = date_styles(zip, relation.target);
    }
  }
  std::vector<DataTable> sheets;
  SheetRoom room;
  for (const pugi::xml_node sheet : child(root, "sheets").children()) {
    const auto relation = relations.find(std::string(attribute(sheet, "id")));
    if (relation == relations.end() || !ends_with(relation->second.type, "/worksheet"))
      continue;  // a chart sheet is no table
    DataTable table;
    table.file = zip.name();
    table.sheet = attribute(sheet, "name");
    table.hidden = attribute(sheet, "state") == "hidden" || attribute(sheet, "state") == "veryHidden";
    std::string cells = zip.read(relation->second.target);
    room.add_xml(cells.size());
    room.limit(table);
    SheetReader(book, table).read(std::move(cells));
    room.count(table);
    sheets.push_back(std::move(table));
  }
  if (sheets.empty())
    throw_bad_input(zip.name(), "the workbook holds no sheet with cells", "give a workbook with a table");
  return sheets;
}

}  // namespace kdyn::inline io::internal
