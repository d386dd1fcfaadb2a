// SPDX-License-Identifier: Apache-2.0
// Workbooks written by other software or by hand; data/workbooks/expected.json says what is in them, found with
// openpyxl and odfpy.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::inline io {
namespace {

const std::string folder = std::string(KDYN_SOURCE_DIR) + "/data/workbooks/";

struct At {
  std::size_t row, column;
};
// "B12" in rows of the sheet.
At at_of(const std::string& reference) {
  std::size_t column = 0, i = 0;
  for (; std::isalpha(static_cast<unsigned char>(reference[i])) != 0; ++i)
    column = 26 * column + static_cast<std::size_t>(reference[i] - 'A' + 1);
  return {static_cast<std::size_t>(std::stoul(reference.substr(i))), column - 1};
}

DataCell cell_at(const DataTable& table, std::size_t line, std::size_t column) {
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (table.line(r) == line) return table.at(r, column);
  return {};
}

// A German text number, as the column of the file has it: grouping points, decimal comma.
double number_at(const DataCell& cell) {
  if (cell.kind == CellKind::number) return cell.number;
  std::string plain;
  for (const char c : cell.text)
    if (c != '.') plain += c == ',' ? '.' : c;
  return parse_number(plain).value_or(std::nan(""));
}

TEST(Spreadsheet, HoldsWhatOtherSoftwareFindsInIt) {
  const Json expected = parse_json(read_text(folder + "expected.json"), "expected.json");
  std::size_t checked = 0;
  for (const auto& [file, what] : expected["files"].items()) {
    if (what["status"] != "ok") continue;
    const std::vector<DataTable> sheets = read_spreadsheet(read_text(folder + file), file);
    ASSERT_EQ(sheets.size(), what["sheets"].size()) << file;
    const auto sheet_named = [&, &f = file](const std::string& name) -> const DataTable& {
      for (const DataTable& table : sheets)
        if (table.sheet == name) return table;
      ADD_FAILURE() << f << " " << name;
      return sheets.front();
    };
    for (std::size_t i = 0; i < sheets.size(); ++i) {
      EXPECT_EQ(sheets[i].sheet, what["sheets"][i]["name"].get<std::string>());
      EXPECT_EQ(sheets[i].hidden, what["sheets"][i]["hidden"].get<bool>());
    }
    if (what.contains("merged"))
      for (const auto& [name, ranges] : what["merged"].items()) {
        const DataTable& table = sheet_named(name);
        ASSERT_EQ(table.merged.size(), ranges.size());
        for (std::size_t i = 0; i < ranges.size(); ++i) {
          const std::string range = ranges[i].get<std::string>();
          const At from = at_of(range.substr(0, range.find(':'))), to = at_of(range.substr(range.find(':') + 1));
          EXPECT_EQ(table.merged[i].first_row, from.row);
          EXPECT_EQ(table.merged[i].last_column, to.column);
        }
      }
    if (what.contains("cells"))
      for (const Json& one : what["cells"]) {
        const At place = at_of(one[1].get<std::string>());
        const DataCell cell = cell_at(sheet_named(one[0].get<std::string>()), place.row, place.column);
        const std::string kind = one[2].get<std::string>(), where = file + " " + one[1].get<std::string>();
        if (kind == "text") {
          EXPECT_EQ(cell.text, trim(one[3].get<std::string>())) << where;
        }
        if (kind == "number") {
          EXPECT_NEAR(cell.number, one[3].get<double>(), 1e-11) << where;
        }
        if (kind == "covered") {
          EXPECT_EQ(cell.kind, CellKind::empty) << where;
        }
        if (kind == "error") {
          EXPECT_EQ(cell.kind, CellKind::error) << where;
        }
        if (kind == "bool") {
          EXPECT_EQ(cell.number, one[3].get<bool>() ? 1.0 : 0.0) << where;
        }
        if (kind == "date") {
          EXPECT_EQ(cell.text.substr(0, 10), one[3].get<std::string>().substr(0, 10)) << where;
        }
        ++checked;
      }
    for (const Json& column : what["columns"]) {
      const DataTable& table = sheet_named(column["sheet"].get<std::string>());
      const std::size_t c = at_of(column["column"].get<std::string>() + "1").column;
      double sum = 0.0;
      std::size_t count = 0;
      for (std::size_t line = column["rows"][0].get<std::size_t>(); line <= column["rows"][1].get<std::size_t>();
           ++line)
        if (const double v = number_at(cell_at(table, line, c)); !std::isnan(v)) sum += v, ++count;
      EXPECT_EQ(count + column.value("invalid", std::size_t{0}), column["count"].get<std::size_t>())
          << file << column.dump();
      EXPECT_NEAR(sum, column["sum"].get<double>(), 1e-9 + 1e-11 * std::abs(sum)) << file << column.dump();
      ++checked;
    }
  }
  EXPECT_GT(checked, 40u);
}

TEST(Spreadsheet, BombsAndDamageAreRefused) {
  EXPECT_THROW(read_spreadsheet(read_text(folder + "gen_bomb.xlsx"), "bomb.xlsx"), Error);
  const std::string good = read_text(folder + "gen_openpyxl.xlsx");
  SpreadsheetLimits tight;
  tight.part_bytes = 500;
  EXPECT_THROW(read_spreadsheet(good, "tight.xlsx", tight), Error);
  for (std::size_t cut = 4; cut < good.size(); cut += 97)
    EXPECT_THROW(read_spreadsheet(good.substr(0, cut), "cut.xlsx"), Error) << cut;
  // A byte changed anywhere is refused or read; it never does worse.
  for (std::size_t i = 0; i < good.size(); i += 41) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    try {
      read_spreadsheet(bad, "bad.xlsx");
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  EXPECT_THROW(read_spreadsheet("\xd0\xcf\x11\xe0 old", "old.xls"), Error);
}

TEST(Spreadsheet, SheetsWithErrorsAndHiddenOnesAreTold) {
  const auto tables = read_spreadsheet(read_text(folder + "gen_wide_merged.xlsx"), "w.xlsx");
  ASSERT_FALSE(tables[0].findings.empty());
  EXPECT_EQ(tables[0].findings[0].where, "w.xlsx!Messung 1!D65");
  const BenchTables german = read_bench_tables(read_text(folder + "gen_german_inline.xlsx"), "g.xlsx");
  ASSERT_EQ(german.sets.size(), 1u);
  EXPECT_EQ(german.sets[0].place, "g.xlsx!Tabelle1");
}

TEST(TextEncoding, AllBecomeUtf8) {
  EXPECT_FALSE(decode_text("plain").converted);
  EXPECT_EQ(decode_text("\xef\xbb\xbf"
                        "a")
                .text,
            "a");
  EXPECT_EQ(decode_text(std::string_view("\xff\xfe\xb0\0C\0", 6)).text,
            "\xc2\xb0"
            "C");
  EXPECT_EQ(decode_text(std::string_view("\xfe\xff\0\xb0", 4)).text, "\xc2\xb0");
  EXPECT_EQ(decode_text("\xb0 \x80").text, "\xc2\xb0 \xe2\x82\xac");  // Latin-1 degree, Windows-1252 euro
  EXPECT_EQ(decode_text(std::string_view("a\0;\0b\0\n\0", 8)).text, "a;b\n");
}

}  // namespace
}  // namespace kdyn::inline io
