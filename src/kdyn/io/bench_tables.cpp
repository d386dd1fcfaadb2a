// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/bench_tables.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bench_assembly.hpp"
#include "kdyn/io/internal/header_names.hpp"
#include "kdyn/io/internal/header_words.hpp"
#include "kdyn/io/internal/row_labels.hpp"
#include "kdyn/io/internal/side_by_side.hpp"
#include "kdyn/io/internal/whole_columns.hpp"
#include "kdyn/io/series_json.hpp"

namespace kdyn::inline io {
namespace {

using internal::DataBlock;
using internal::DataColumn;
using internal::Decimal;
using internal::LabelKind;
using internal::TableBlock;

Decimal told_decimal(const BenchReadOptions& options) {
  if (options.decimal.empty()) return Decimal::unknown;
  if (options.decimal == "comma") return Decimal::comma;
  if (options.decimal == "point") return Decimal::point;
  throw_bad_input("decimal", fmt::format("{} is no decimal mark", in_quotes(options.decimal)), "say comma or point");
}

// A stiffness whose cells hold both parts, "612.3+45.1i", becomes two columns.
bool add_complex(const DataTable& table, const TableBlock& block, const internal::TableColumn& column,
                 const DataColumn& like, std::vector<DataColumn>& columns) {
  using internal::Quantity;
  if (column.name.quantity != Quantity::k_dyn && column.name.quantity != Quantity::storage_stiffness) return false;
  auto both = internal::column_complex(table, block.rows, column);
  if (!both) return false;
  columns.push_back(like);
  columns.back().name.quantity = Quantity::storage_stiffness;
  columns.back().values = std::move(both->real);
  columns.push_back(like);
  columns.back().name.quantity = Quantity::loss_stiffness;
  columns.back().values = std::move(both->imaginary);
  return true;
}

// Times of day serve where no column tells times in seconds.
void add_clock(const DataTable& table, const TableBlock& block, const std::vector<internal::TableColumn>& columns,
               DataBlock& data, std::vector<Finding>& findings) {
  using internal::Quantity;
  for (const DataColumn& column : data.columns)
    if (column.name.quantity == Quantity::time || column.name.quantity == Quantity::frequency) return;
  for (const internal::TableColumn& column : columns) {
    const bool free = !column.name.quantity || column.name.quantity == Quantity::time;
    auto seconds = free ? internal::clock_seconds(table, block, column.index) : std::nullopt;
    if (!seconds) continue;
    DataColumn time;
    time.name.quantity = Quantity::time;
    time.name.unit = "s";
    time.title = column.title;
    time.place = data.where;
    time.index = column.index;
    time.values = std::move(*seconds);
    data.columns.push_back(std::move(time));
    std::erase(data.unused, column.title);
    findings.push_back({Severity::note, "time_of_day", data.where,
                        fmt::format("column {} holds times of day: seconds since the first row were taken as time",
                                    in_quotes(column.title)),
                        ""});
    return;
  }
}

// A column named as time that holds times of day is no broken column of numbers.
bool holds_clock(const DataTable& table, const TableBlock& block, const internal::TableColumn& column) {
  return column.name.quantity == internal::Quantity::time && column.name.unit.empty() && !column.by_hint &&
         internal::clock_seconds(table, block, column.index).has_value();
}

// Nothing in it, as between tables side by side or behind a last mark.
bool is_blank(const DataTable& table, const TableBlock& block, std::size_t column) {
  const auto empty = [&](std::size_t row) { return table.at(row, column).kind == CellKind::empty; };
  return std::all_of(block.header.begin(), block.header.end(), empty) &&
         std::all_of(block.rows.begin(), block.rows.end(), empty);
}

// "0.1" in the first row of a group and nothing below it, as merged cells leave it: a setting holds until the next one.
// A few empty cells are gaps; those of groups are more than half of the rows.
bool fill_down(const DataTable& table, const TableBlock& block, DataColumn& column, std::vector<Finding>& findings) {
  using enum internal::Quantity;
  const auto q = column.name.quantity;
  if (q != amplitude && q != nominal_amplitude && q != preload && q != temperature && q != frequency) return false;
  const auto empty = [&](std::size_t row) { return table.at(row, column.index).kind == CellKind::empty; };
  const auto missing = static_cast<std::size_t>(std::count_if(block.rows.begin(), block.rows.end(), empty));
  if (empty(block.rows.front()) || 2 * missing <= block.rows.size()) return false;
  for (std::size_t i = 1; i < block.rows.size(); ++i)
    if (empty(block.rows[i])) column.values[i] = column.values[i - 1];
  findings.push_back({Severity::note, "filled_down", column.place,
                      fmt::format("{} empty cells of column {} were taken to repeat the value above them", missing,
                                  in_quotes(column.title)),
                      "fill in the cells to say otherwise"});
  return true;
}

// What stands before the number in a text, as words.
std::string plain_words_before(const std::string& text, Decimal decimal) {
  const auto number = internal::number_in(text, decimal);
  return number ? internal::plain_words(number->before) : internal::plain_words(text);
}

// The line above a table where it may name a part: neither a quantity ("Kdyn [N/mm]") nor a value ("0.1 mm").
std::string part_title(const TableBlock& block, Decimal decimal) {
  constexpr std::size_t longest = 80;
  if (block.titles.empty()) return "";
  const std::string& title = block.titles.back();
  if (title.size() > longest || internal::read_level(title, decimal) ||
      internal::read_header_name(title, "", decimal).quantity)
    return "";
  return title;
}

DataBlock extract(const DataTable& table, const TableBlock& block, Decimal decimal, const BenchReadOptions& options,
                  std::vector<Finding>& findings) {
  internal::BlockColumns columns = internal::read_columns(table, block, decimal, options);
  DataBlock out;
  out.where = block.header.empty() ? table.place(block.rows.front()) : table.place(block.header.front());
  if (block.header.empty() && (options.columns.empty() || !options.columns_from.empty()))
    throw_bad_input(
        out.where, "no header row, the table starts with numbers",
        "say what the columns are, for example: --columns frequency=1,amplitude=2,preload=3,k_dyn=4,loss_angle=5 "
        "--units amplitude=mm,preload=N,k_dyn=N/mm,loss_angle=deg");
  for (const std::size_t r : block.rows) out.lines.add(out.rows++, table.line(r));
  for (internal::TableColumn& column : columns.columns) {
    if (column.name.label != LabelKind::none) {
      auto& texts = column.name.label == LabelKind::direction ? out.row_directions
                    : column.name.label == LabelKind::date    ? out.row_dates
                    : column.name.label == LabelKind::batch   ? out.row_batches
                                                              : out.row_parts;
      texts = internal::label_texts(table, block, column.index, column.name.label == LabelKind::direction);
      continue;
    }
    if (!column.by_hint && is_blank(table, block, column.index)) continue;
    const bool wanted = column.name.quantity.has_value() || !column.name.unit.empty();
    if (!wanted || holds_clock(table, block, column)) {
      out.unused.push_back(column.title);
      continue;
    }
    DataColumn data{column.name,
                    column.title,
                    block.header.empty() ? out.where : table.place(block.header.front(), column.index),
                    column.index,
                    column.by_hint,
                    column.unit_by_hint,
                    {}};
    try {
      column.decimal = internal::column_decimal(table, block.rows, column.index, decimal, !options.decimal.empty());
      if (add_complex(table, block, column, data, out.columns)) continue;
      data.values = internal::column_numbers(table, block.rows, column);
    } catch (const Error&) {
      if (column.name.quantity) throw;
      out.unused.push_back(column.title);  // nobody asked for it
      continue;
    }
    out.needs_all_rows = fill_down(table, block, data, findings) || out.needs_all_rows;
    out.columns.push_back(std::move(data));
  }
  for (const internal::TableColumn& column : columns.columns)
    if (column.name.label == LabelKind::part && !column.by_hint) internal::drop_counter(column.title, out, findings);
  internal::label_parts(table, block, columns.columns, out, findings);
  out.step_s = columns.step_s, out.step_from = columns.step_from;
  add_clock(table, block, columns.columns, out, findings);
  out.constants = std::move(columns.constants);
  if (const auto level = internal::read_level(table.sheet, decimal);
      level && level->quantity != internal::Quantity::temperature)  // "0.1 mm"; temperatures by name: door
    out.constants.try_emplace(level->quantity,
                              internal::BlockConstant{level->value, "sheet " + table.sheet, table.name()});
  if (!block.titles.empty())  // "0.1 mm" or "23 °C" above a table
    if (const auto level = internal::read_level(block.titles.back(), decimal);
        level && plain_words_before(block.titles.back(), decimal).empty())
      out.constants.try_emplace(level->quantity, internal::BlockConstant{level->value, block.titles.back(), out.where});
  out.labels.part = columns.part, out.labels.part_from = columns.part_from;
  out.labels.direction = columns.direction, out.labels.direction_from = columns.direction_from;
  out.labels.date = columns.date, out.labels.batch = columns.batch;
  findings.insert(findings.end(), columns.findings.begin(), columns.findings.end());
  return out;
}

bool looks_like_header(const DataTable& table, std::size_t row, Decimal decimal) {
  std::size_t known = 0;
  for (std::size_t c = 0; c < std::min<std::size_t>(table.columns(row), 100); ++c)
    known += internal::read_header_name(table.at(row, c).text, "", decimal).quantity ? 1 : 0;
  return known >= 2;
}

void set_source(BenchSet& set, const std::string& name, const std::string& hash) {
  for (Source* source : {&set.bench.map.source, &set.bench.loop.source, &set.bench.series.source})
    source->path = name, source->sha256 = hash;
}

// Directions that the table does not tell: the sheet's name.
void label_by_sheet(const DataTable& table, BenchTables& out) {
  const std::string direction = internal::direction_in_name(table.sheet);
  for (BenchSet& set : out.sets)
    if (set.labels.direction.empty() && !direction.empty())
      set.labels.direction = direction, set.labels.direction_from = "name of the sheet " + in_quotes(table.sheet);
}

void append_findings(std::vector<Finding>& to, const std::vector<Finding>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// JSON records of laboratories hold one series.
BenchTables read_json_series(std::string_view content, const std::string& name, const BenchReadOptions& options) {
  BenchTables out;
  BenchSet set;
  set.bench = parse_series_json(content, name, options);
  out.findings = std::move(set.bench.findings);
  set.place = name;
  out.sets.push_back(std::move(set));
  return out;
}

// A large file is looked at from its head. When it is a plain long table, its columns are read in one pass and without
// cells; nothing when something in it needs the patient reader.
std::optional<BenchTables> read_large(std::string_view text, const std::string& name, const BenchReadOptions& options,
                                      char& delimiter) {
  constexpr std::size_t head = std::size_t{1} << 16;
  if (!options.decimal.empty()) return std::nullopt;
  const DataTable first = read_text_table(text, name, head);
  const internal::TableBlocks blocks = internal::find_blocks(first, Decimal::unknown);
  if (blocks.blocks.size() != 1 || !internal::side_by_side(first, blocks).empty()) return std::nullopt;
  BenchTables out;
  DataBlock block = extract(first, blocks.blocks.front(), blocks.decimal, options, out.findings);
  if (block.needs_all_rows) return std::nullopt;
  if (!internal::read_whole_columns(text, first, blocks.blocks.front(), block, out.findings)) return std::nullopt;
  internal::assemble(std::move(block), first, options, out.sets, out.findings);
  for (BenchSet& set : out.sets) set_source(set, first.name(), "");
  delimiter = first.delimiter;
  return out;
}

BenchTables read_text(std::string_view content, const std::string& name, const BenchReadOptions& options) {
  const DecodedText decoded = decode_text(content);
  const std::string_view text = decoded.converted ? std::string_view(decoded.text) : content;
  std::optional<BenchTables> whole;
  char delimiter = ',';
  if (text.size() > options.large_text) whole = read_large(text, name, options, delimiter);
  if (!whole) {
    const DataTable table = read_text_table(text, name);
    whole = read_bench_table(table, options);
    delimiter = table.delimiter;
  }
  BenchTables& out = *whole;
  std::vector<std::string> departures;
  if (delimiter != ',')
    departures.emplace_back(delimiter == ';'    ? "semicolons between the columns"
                            : delimiter == '\t' ? "tabs between the columns"
                            : delimiter == '|'  ? "bars between the columns"
                                                : "blanks between the columns");
  if (decoded.converted) departures.push_back(fmt::format("text in {}", decoded.encoding));
  if (!departures.empty())
    out.findings.insert(out.findings.begin(),
                        {Severity::note, "text_format", name, "read with " + join(departures, ", "), ""});
  return std::move(out);
}

bool asked_for(const DataTable& table, const BenchReadOptions& options) {
  if (options.sheets.empty()) return !table.hidden;
  return std::any_of(options.sheets.begin(), options.sheets.end(),
                     [&](const std::string& one) { return lower_case(one) == lower_case(table.sheet); });
}

BenchTables read_workbook(std::string_view content, const std::string& name, const BenchReadOptions& options) {
  BenchTables out;
  const std::vector<DataTable> sheets = read_spreadsheet(content, name);
  std::vector<std::string> names;
  for (const DataTable& table : sheets) names.push_back(table.sheet);
  for (const std::string& wanted : options.sheets)
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& one) { return lower_case(one) == lower_case(wanted); }))
      throw_bad_input(name, fmt::format("there is no sheet {}", in_quotes(wanted)), suggest(wanted, names));
  std::optional<Error> first_error;
  bool holds_table = false;
  for (const DataTable& table : sheets) {
    if (!asked_for(table, options)) {
      if (table.hidden)
        out.findings.push_back({Severity::note, "sheet_not_used", table.name(), "the sheet is hidden and was not read",
                                "name it with --sheets to read it"});
      continue;
    }
    if (table.rows() == 0) continue;
    try {
      BenchTables one = read_bench_table(table, options);
      label_by_sheet(table, one);
      append_findings(out.findings, one.findings);
      for (BenchSet& set : one.sets) out.sets.push_back(std::move(set));
    } catch (const Error& error) {
      append_findings(out.findings, table.findings);  // formulas without values may be the reason
      // A sheet with a table says more than one without.
      if (!first_error || (!holds_table && !internal::find_blocks(table, Decimal::unknown).blocks.empty())) {
        first_error = error;
        holds_table = !internal::find_blocks(table, Decimal::unknown).blocks.empty();
      }
      out.findings.push_back({Severity::warning, "sheet_not_used", error.where(),
                              "the sheet was not used: " + error.message(), error.remedy()});
    }
  }
  if (out.sets.empty() && first_error) throw Error(*first_error);
  if (out.sets.empty())
    throw_bad_input(name, "the workbook holds no table that is shown", "name hidden sheets with --sheets");
  return out;
}

}  // namespace

BenchTables read_bench_table(const DataTable& table, const BenchReadOptions& options) {
  const Decimal told = told_decimal(options);
  BenchTables out;
  internal::TableBlocks blocks = internal::find_blocks(table, told);
  if (blocks.blocks.empty()) {
    for (std::size_t r = 0; r < table.rows(); ++r)
      if (looks_like_header(table, r, told))
        throw_bad_input(table.place(r), "header without rows of numbers", "add rows of numbers below the header");
    throw_bad_input(table.name(), "no table found: no row with at least two numbers",
                    "give a header row with column names, then one row of numbers on each line");
  }
  append_findings(out.findings, table.findings);
  append_findings(out.findings, blocks.findings);
  if (blocks.decimal == Decimal::comma && table.sheet.empty())
    out.findings.push_back({Severity::note, "decimal_comma", table.place(blocks.blocks.front().rows.front()),
                            "numbers were read with a decimal comma", ""});
  std::vector<DataBlock> data;
  std::vector<const DataTable*> tables;  // of each block
  std::vector<std::string> titles;
  std::optional<Error> first_error;
  const auto take_blocks = [&](const DataTable& from, const internal::TableBlocks& found) {
    for (const TableBlock& block : found.blocks) {
      DataBlock one = extract(from, block, found.decimal, options, out.findings);
      if (!data.empty() && tables.back() == &from && internal::completes(data.back(), one)) {
        for (DataColumn& column : one.columns)
          if (column.name.quantity && column.name.quantity != internal::Quantity::frequency)
            data.back().columns.push_back(std::move(column));
        continue;
      }
      data.push_back(std::move(one));
      tables.push_back(&from);
      titles.push_back(part_title(block, found.decimal));
    }
  };
  // Columns that the user names by their numbers are those of the whole.
  const bool mapped = !options.columns.empty() && options.columns_from.empty();
  const std::vector<DataTable> apart = mapped ? std::vector<DataTable>() : internal::side_by_side(table, blocks);
  if (apart.empty()) take_blocks(table, blocks);
  for (const DataTable& one : apart) {
    const internal::TableBlocks found = internal::find_blocks(one, blocks.decimal);
    if (found.blocks.empty())
      out.findings.push_back({Severity::warning, "block_not_used", table.name(),
                              "one of the tables side by side holds no rows of numbers and was not used", ""});
    take_blocks(one, found);
  }
  internal::label_by_titles(titles, data, out.findings);
  for (std::size_t i = 0; i < data.size(); ++i) {
    DataBlock& block = data[i];
    try {
      internal::assemble(std::move(block), *tables[i], options, out.sets, out.findings);
    } catch (const Error& error) {
      if (data.size() == 1 || block.rows > 4) {
        if (data.size() == 1) throw;
        if (!first_error) first_error = error;
      }
      out.findings.push_back({Severity::warning, "block_not_used", error.where(),
                              "this part of the table was not used: " + error.message(), error.remedy()});
    }
  }
  if (out.sets.empty() && first_error) throw Error(*first_error);
  if (out.sets.empty())
    throw_bad_input(table.name(), "no part of the table is a bench measurement", "see kdyn inspect for what was found");
  for (BenchSet& set : out.sets) set_source(set, table.name(), "");
  return out;
}

BenchTables read_bench_tables(std::string_view content, const std::string& name, const BenchReadOptions& options) {
  BenchTables out;
  if (looks_like_spreadsheet(content))
    out = read_workbook(content, name, options);
  else if (looks_binary(content))
    throw_bad_input(name, "the file is binary, and of no format that kdyn knows", "export it as CSV or .xlsx");
  else if (looks_like_json(content))
    out = read_json_series(content, name, options);
  else
    out = read_text(content, name, options);
  const std::string hash = sha256(content), direction = direction_of_path(name);
  for (BenchSet& set : out.sets) {
    set_source(set, set.place, hash);
    if (set.labels.direction.empty() && !direction.empty())
      set.labels.direction = direction, set.labels.direction_from = "file name";
  }
  return out;
}

TitleMeaning meaning_of_title(std::string_view title) {
  const internal::HeaderName says = internal::read_header_name(title, "", internal::Decimal::unknown);
  return {says.quantity ? internal::quantity_name(*says.quantity) : "", internal::split_name_and_unit(title).unit};
}

std::string direction_of_path(const std::string& path) {
  const std::filesystem::path file(path);
  if (std::string direction = internal::direction_in_name(file.stem().string()); !direction.empty()) return direction;
  return internal::direction_of_word(file.parent_path().filename().string());  // a folder for each direction
}

}  // namespace kdyn::inline io
