// SPDX-License-Identifier: Apache-2.0
// Columns that tell parts apart without saying so, times of day, statistics below tables. Oracle: what the tables say
// to a reader.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/io/bench_tables.hpp"

namespace kdyn::inline io {
namespace {

BenchTables parse(const std::string& text, const BenchReadOptions& options = {}) {
  return read_bench_tables(text, "a.csv", options);
}

bool told(const BenchTables& tables, const std::string& code) {
  return std::any_of(tables.findings.begin(), tables.findings.end(), [&](const Finding& f) { return f.code == code; });
}

// Three frequencies at two amplitudes for each number of the first column, each a tenth stiffer than the one before.
std::string numbered_map(const std::string& title, int numbers) {
  std::string out = title + ",Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]\n";
  for (int n = 1; n <= numbers; ++n)
    for (const double a : {0.1, 1.0})
      for (const double f : {1.0, 5.0, 20.0}) out += fmt::format("{},{},{},{},5\n", n, f, a, 400.0 + 40.0 * n);
  return out;
}

TEST(RowLabels, NumbersThatTellPartsApart) {
  const BenchTables tables = parse(numbered_map("Cavity", 4));
  ASSERT_EQ(tables.sets.size(), 4u);
  EXPECT_EQ(tables.sets[2].labels.part, "Cavity 3");
  EXPECT_TRUE(told(tables, "parts_by_column"));
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(tables.sets[i].bench.map.rows.size(), 6u);
    for (const MapRow& row : tables.sets[i].bench.map.rows)
      EXPECT_DOUBLE_EQ(row.k_dyn, 1e3 * (440.0 + 40.0 * static_cast<double>(i)));
  }
  // A unit does not make it another thing.
  EXPECT_EQ(parse(numbered_map("Shore A [-]", 3)).sets.size(), 3u);
}

TEST(RowLabels, RepeatsRunningNumbersAndHintsLeaveOnePart) {
  EXPECT_EQ(parse(numbered_map("Run", 3)).sets.size(), 1u);
  EXPECT_EQ(parse(numbered_map("Nr.", 3)).sets.size(), 1u);
  BenchReadOptions options;
  options.columns["ignore"] = "Cavity";
  EXPECT_EQ(parse(numbered_map("Cavity", 4), options).sets.size(), 1u);
  // A value that differs from row to row is a result, no label.
  std::string energy = "Energy [J],Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]\n";
  for (int n = 0; n < 3; ++n)
    for (const double f : {1.0, 5.0, 20.0}) energy += fmt::format("{},{},0.1,400,5\n", 0.1 * f + n, f);
  EXPECT_EQ(parse(energy).sets.size(), 1u);
}

TEST(RowLabels, TimesOfDayAreTimes) {
  const std::string rows = ";0,1;20\n{}01,500;0,2;40\n{}02,250;0,1;21\n";
  for (const std::string& day : {std::string("14.03.2026 23:59:"), std::string("23:59:")}) {
    const BenchTables tables =
        parse("Zeitstempel;Weg [mm];Kraft [N]\n" + day + "01,000" + fmt::format(fmt::runtime(rows), day, day));
    ASSERT_EQ(tables.sets.size(), 1u);
    const BenchSeries& series = tables.sets[0].bench.series;
    ASSERT_EQ(tables.sets[0].bench.kind, BenchKind::series);
    EXPECT_NEAR(series.time[1], 0.5, 1e-9);
    EXPECT_NEAR(series.time[2], 1.25, 1e-9);
    EXPECT_TRUE(told(tables, "time_of_day"));
  }
  // Midnight, AM and PM, a column that is called Time.
  const BenchTables night =
      parse("Time,Displacement [mm],Force [N]\n11:59:59.5 PM,0.1,1\n12:00:00.5 AM,0.2,2\n12:00:01 AM,0.1,1\n");
  EXPECT_NEAR(night.sets[0].bench.series.time[1], 1.0, 1e-9);
  EXPECT_NEAR(night.sets[0].bench.series.time[2], 1.5, 1e-9);
  // Seconds that do not resolve the record are refused, not taken for a slow loop.
  EXPECT_THROW(parse("Zeit;Weg [mm];Kraft [N]\n10:00:01;0,1;1\n10:00:01;0,2;2\n10:00:02;0,1;1\n"), Error);
}

TEST(RowLabels, StatisticsAreNoMeasurements) {
  const std::string rows =
      "Nr;Frequenz [Hz];Amplitude [mm];c dyn [N/mm];Verlustwinkel [°]\n1;1,0;0,1;400,5;5,1\n2;5,0;0,1;410,5;5,2\n";
  const BenchTables tables = parse(
      rows + "\nStatistik:\nSerie;f [Hz];A [mm];c dyn [N/mm];delta [°]\nx;3,0;0,1;405,5;5,15\ns;2,0;0,0;7,1;0,07\n");
  ASSERT_EQ(tables.sets.size(), 1u);
  EXPECT_EQ(tables.sets[0].bench.map.rows.size(), 2u);
  EXPECT_TRUE(told(tables, "rows_not_used"));
  // A table below them counts again.
  const BenchTables more = parse(rows +
                                 "\nStatistik:\nx;3,0;0,1;405,5;5,15\n\nAmplitude: 0,2 mm\nNr;Frequenz [Hz];c dyn "
                                 "[N/mm];Verlustwinkel [°]\n1;1,0;380,5;5,3\n2;5,0;390,5;5,4\n");
  ASSERT_EQ(more.sets.size(), 1u);
  EXPECT_EQ(more.sets[0].bench.map.rows.size(), 4u);
}

TEST(RowLabels, QuickAndPatientReaderAgree) {
  BenchReadOptions quick;
  quick.large_text = 0;
  std::string text = "# bench\ntime_s;displacement_mm;force_n\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("{};{};{}\n", 0.01 * i, 0.1 * (i % 7), 3.0 * (i % 5));
  const BenchTables a = parse(text, quick), b = parse(text);
  ASSERT_EQ(a.sets.size(), 1u);
  EXPECT_EQ(a.sets[0].bench.series.time, b.sets[0].bench.series.time);
  EXPECT_EQ(a.sets[0].bench.series.force, b.sets[0].bench.series.force);
}

}  // namespace
}  // namespace kdyn::inline io
