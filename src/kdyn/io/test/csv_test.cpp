// SPDX-License-Identifier: Apache-2.0
// The delimited-text reader: what it detects, what it forgives and tells, what it refuses and how.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/io/csv.hpp"

namespace kdyn::inline io {
namespace {

CsvTable read_all(std::string_view content, CsvLayout* layout_out = nullptr) {
  const CsvLayout layout = detect_csv(content, "f.csv");
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) all.push_back(i);
  if (layout_out != nullptr) *layout_out = layout;
  return read_csv_columns(content, layout, all);
}

Error refusal(std::string_view content) {
  try {
    read_all(content);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "not refused: " << content.substr(0, 80);
  return {ErrorCode::internal, "", "", ""};
}

void expect_refusal(std::string_view content, const std::string& where, const std::string& words) {
  const Error error = refusal(content);
  EXPECT_EQ(error.code(), ErrorCode::bad_input);
  EXPECT_EQ(error.where(), where) << error.what();
  EXPECT_NE(error.message().find(words), std::string::npos) << error.what();
  EXPECT_FALSE(error.remedy().empty()) << error.what();
}

bool has(const std::vector<Finding>& findings, const std::string& code) {
  for (const Finding& finding : findings)
    if (finding.code == code) return true;
  return false;
}

const std::vector<std::vector<double>> wanted = {{1.5, -2.0}, {2.25, 4e3}};

TEST(Csv, DelimitersAndDecimalCommaAreDetected) {
  for (const char* text :
       {"a,b\n1.5,2.25\n-2,4e3\n", "a;b\n1.5;2.25\n-2;4e3\n", "a\tb\n1.5\t2.25\n-2\t4e3\n",
        "a b\n1.5   2.25\n -2 4e3 \n", "a;b\n1,5;2,25\n-2;4e3\n", "a\tb\n1,5\t2,25\n-2\t4e3\n",
        "a b\n1,5 2,25\n-2 4e3\n", "a,b\n\"1,5\",\"2,25\"\n-2,4e3\n", "a, b\n 1.5 , 2.25\n+2e0,4.0D+03\n-2,4e3\n"}) {
    const CsvTable table = read_all(text);
    ASSERT_EQ(table.columns.size(), 2u) << text;
    EXPECT_EQ(table.columns[0].front(), 1.5) << text;
    EXPECT_EQ(table.columns[0].back(), -2.0) << text;
    EXPECT_EQ(table.columns[1].front(), 2.25) << text;
    EXPECT_EQ(table.columns[1].back(), 4e3) << text;
  }
}

TEST(Csv, PlainFileIsReadWithoutFindings) {
  CsvLayout layout;
  const CsvTable table = read_all("a,b\n1.5,2.25\n-2,4e3\n", &layout);
  EXPECT_EQ(table.columns, wanted);
  EXPECT_TRUE(layout.findings.empty());
  EXPECT_TRUE(table.findings.empty());
}

TEST(Csv, WhatWasForgivenIsTold) {
  CsvLayout layout;
  CsvTable table = read_all(
      "\xef\xbb\xbf"
      "a;b\r\n1,5;2,25;\r\n-2;4e3;\r\n",
      &layout);
  EXPECT_EQ(table.columns, wanted);
  ASSERT_TRUE(has(layout.findings, "text_format"));
  EXPECT_EQ(layout.findings[0].message,
            "read with semicolons between the columns, a byte order mark, Windows line ends");
  EXPECT_TRUE(has(table.findings, "decimal_comma"));
  EXPECT_TRUE(has(table.findings, "trailing_delimiter"));

  table = read_all("Test bench 7\nOperator: X\n\na,b\n1.5,2.25\n-2,4e3\n", &layout);
  EXPECT_EQ(table.columns, wanted);
  EXPECT_TRUE(has(layout.findings, "preamble_skipped"));
  EXPECT_EQ(layout.header_line, 4u);

  table = read_all("# made by x\n# a b\n1.5 2.25\n-2 4e3\n", &layout);
  EXPECT_EQ(table.columns, wanted);
  EXPECT_EQ(layout.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(has(layout.findings, "header_in_comment"));

  table = read_all("a,b\r1.5,2.25\r-2,4e3\r", &layout);
  EXPECT_EQ(table.columns, wanted);
}

TEST(Csv, HeaderUnitsRowQuotesCommentsAndLines) {
  CsvLayout layout;
  const CsvTable table =
      read_all("# c\n\"a, first\",\"b \"\"two\"\"\"\nmm,N\n# between\n\n1.5,2.25\n\n# more\n-2,4e3", &layout);
  EXPECT_EQ(table.columns, wanted);
  EXPECT_EQ(layout.columns[0], "a, first");
  EXPECT_EQ(layout.units, (std::vector<std::string>{"mm", "N"}));
  EXPECT_EQ(layout.units_line, 3u);
  EXPECT_EQ(table.lines.of(0), 6u);
  EXPECT_EQ(table.lines.of(1), 9u);
  read_all("a [mm] b [N]\n1.5 2.25\n-2 4e3\n", &layout);
  EXPECT_EQ(layout.columns, (std::vector<std::string>{"a [mm]", "b [N]"}));
}

TEST(Csv, OnlyWantedColumnsAreParsed) {
  const std::string text = "a,note,b\n1.5,\"good, they say\",2.25\n-2,,4e3\n";
  const CsvTable table = read_csv_columns(text, detect_csv(text, "f.csv"), {0, 2});
  EXPECT_EQ(table.columns, wanted);
}

TEST(Csv, TheHeaderIsFoundByItsNamesBelowOtherTables) {
  const std::string text = "Rate;1000\nSample;A12\ntime;force\n1,5;2,25\n-2;4e3\n";
  const CsvLayout layout =
      detect_csv(text, "f.csv", [](const std::vector<std::string>& cells) { return cells.front() == "time"; });
  EXPECT_EQ(layout.header_line, 3u);
}

TEST(Csv, RefusalsNameLineColumnTextRuleAndRemedy) {
  expect_refusal("", "f.csv", "empty");
  expect_refusal("\n \n# only\n", "f.csv", "no table");
  expect_refusal("a,b\n", "f.csv:1", "header without rows");
  expect_refusal("1,2\n3,4\n", "f.csv:1", "no header row");
  expect_refusal("a,b\n1,x\n", "f.csv:2", "column 'b' holds 'x', which is not a number");
  expect_refusal("a,b\n1,2\n3\n", "f.csv:3", "row has 1 cells, the header on line 1 has 2 columns");
  expect_refusal("a,b\n1,2\n3,4,5\n", "f.csv:3", "row has 3 cells");
  expect_refusal("a,b\n1,2\n3,\n", "f.csv:3", "column 'b' is empty");
  expect_refusal("a,b\n1,nan\n", "f.csv:2", "not a finite number");
  expect_refusal("a,b\n-inf,1\n", "f.csv:2", "not a finite number");
  expect_refusal("a,b\n1e999,1\n", "f.csv:2", "not a number");
  expect_refusal("a;b\n1,5;2\n1.234;2\n", "f.csv:3", "mixed");
  expect_refusal("a;b\n1.5;2\n1,234;2\n", "f.csv:3", "mixed");
  expect_refusal("a,\"b\n1,2\n", "f.csv:1", "quote is not closed");
  expect_refusal("a,b\n1,\"2\n", "f.csv:2", "quote");
  expect_refusal("a,b\n1,\"2\"3\n", "f.csv:2", "not a number");
  expect_refusal("a,,b\n1,2,3\n", "f.csv:1", "column 2 has no name");
  expect_refusal(std::string_view("a,b\n1,2\n\0\0", 10), "f.csv:3", "NUL");
  expect_refusal(std::string_view("\xff\xfe"
                                  "a\0,\0b\0",
                                  8),
                 "f.csv", "UTF-16");
  expect_refusal("PK\x03\x04zzz", "f.csv", "zip");
}

TEST(Csv, OneLineOfTenMegabytesIsRefusedByLength) {
  expect_refusal(std::string(10'000'000, '7'), "f.csv:1", "bytes, the limit is 65536");
  expect_refusal("a,b\n" + std::string(10'000'000, '7'), "f.csv:2", "bytes, the limit is 65536");
}

TEST(Csv, RandomBytesAreRefusedOrRead) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomStream random(seed);
    std::string text(random.below(400), ' ');
    // Half of the seeds draw from the characters that tables are made of.
    constexpr std::string_view usual = "0123456789.,;-+eE \t\n\r\"#ab[]";
    for (char& c : text) c = seed % 2 == 0 ? static_cast<char>(random.below(256)) : usual[random.below(usual.size())];
    if (seed % 4 == 1) text = "a,b\n" + text;
    try {
      for (const auto& column : read_all(text).columns)
        for (const double v : column) EXPECT_TRUE(std::isfinite(v));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << seed;
      EXPECT_FALSE(error.message().empty());
    }
  }
}

// Blank lines are no rows: nothing is reserved for them beyond what the bytes could hold.
TEST(Csv, MemoryFollowsTheBytesOfTheFile) {
  const std::string text = "a,b\n1,2\n" + std::string(1'000'000, '\n');
  const CsvTable table = read_all(text);
  EXPECT_EQ(table.rows, 1u);
  EXPECT_LE(table.columns[0].capacity(), text.size() / 4 + 1);
}

TEST(Csv, AMillionRows) {
  std::string text = "a,b\n";
  for (int i = 0; i < 1'000'000; ++i) text += std::to_string(i) + ",0.5\n";
  const CsvTable table = read_all(text);
  ASSERT_EQ(table.rows, 1'000'000u);
  EXPECT_EQ(table.columns[0].back(), 999'999.0);
  EXPECT_EQ(table.columns[1].back(), 0.5);
  EXPECT_EQ(table.lines.runs.size(), 1u);
}

}  // namespace
}  // namespace kdyn::inline io
