// SPDX-License-Identifier: Apache-2.0
// Oracle of the exports: data/bench_exports/one_mount holds one map in 24 writings; its plain numbers (v13, five
// columns without a header) are split here by hand, and every other writing must give them to its printed digits.
#include "kdyn/io/bench_tables.hpp"

#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn::inline io {
namespace {

constexpr double degree = std::numbers::pi / 180.0;
const std::string exports = std::string(KDYN_SOURCE_DIR) + "/data/bench_exports/";

BenchTables parse(const std::string& text, const BenchReadOptions& options = {}) {
  return read_bench_tables(text, "a.csv", options);
}
BenchTables open(const std::string& name, const BenchReadOptions& options = {}) {
  return read_bench_tables(read_text(exports + name), exports + name, options);
}

bool told(const BenchTables& tables, const std::string& code) {
  for (const Finding& f : tables.findings)
    if (f.code == code) return true;
  return false;
}

Error refusal(const std::string& text, const BenchReadOptions& options = {}) {
  try {
    parse(text, options);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "was read: " << text;
  return Error(ErrorCode::internal, "", "", "");
}

std::vector<MapRow> reference() {
  std::ifstream file(exports + "one_mount/v13_noheader.csv");
  std::vector<MapRow> rows;
  for (std::string line; std::getline(file, line);) {
    MapRow row;
    char comma = 0;
    double amplitude_mm = 0, k = 0, angle = 0;
    std::istringstream(line) >> row.frequency_hz >> comma >> amplitude_mm >> comma >> row.preload >> comma >> k >>
        comma >> angle;
    row.amplitude = 1e-3 * amplitude_mm, row.k_dyn = 1e3 * k, row.loss_angle = angle * degree;
    rows.push_back(row);
  }
  return rows;
}

void expect_same(const std::vector<MapRow>& rows, bool with_preload, const std::string& name) {
  const std::vector<MapRow> wanted = reference();
  ASSERT_EQ(rows.size(), wanted.size()) << name;
  for (const MapRow& row : rows) {
    const auto same = std::find_if(wanted.begin(), wanted.end(), [&](const MapRow& w) {
      return w.frequency_hz == row.frequency_hz && std::abs(w.amplitude - row.amplitude) < 1e-5 * w.amplitude;
    });
    ASSERT_NE(same, wanted.end()) << name;
    EXPECT_NEAR(row.k_dyn, same->k_dyn, 3e-6 * same->k_dyn)
        << name;  // six digits, and lbf/in with two decimals of 3228
    EXPECT_NEAR(row.loss_angle, same->loss_angle, 1e-4 * degree) << name;  // four decimals of a degree
    if (with_preload) {                                                    // 191.088 lbf
      EXPECT_NEAR(row.preload, 850.0, 3e-3) << name;
    }
  }
}

TEST(BenchTables, WritingsOfOneMapAreOneMap) {
  for (const char* name : {"v01_german.csv",    "v01b_german_latin1.csv",
                           "v02_mts.txt",       "v02b.txt",
                           "v03_instron.csv",   "v03b.csv",
                           "v04_us.csv",        "v04b.csv",
                           "v05_pp.csv",        "v06_storage_loss.csv",
                           "v07_tandelta.csv",  "v08_rad.csv",
                           "v09_K_C.csv",       "v11_order_extra.tsv",
                           "v16_utf16.csv",     "v16b_bom.csv",
                           "v18_thousands.csv", "v18_thousands_2.csv",
                           "v19_short.csv",     "v23_summary.csv",
                           "v26_pm.csv"}) {
    const BenchTables tables = open(std::string("one_mount/") + name);
    ASSERT_EQ(tables.sets.size(), 1u) << name;
    expect_same(tables.sets.front().bench.map.rows, true, name);
  }
  for (const char* name : {"v10_wide.csv", "v17_blocks.csv", "v17_blocks_2.csv"}) {
    const BenchTables tables = open(std::string("one_mount/") + name);
    ASSERT_EQ(tables.sets.size(), 1u) << name;
    expect_same(tables.sets.front().bench.map.rows, false, name);
  }
}

// Head lines as wide as the table: they were taken into the titles, and the direction was lost.
TEST(BenchTables, LabelsAboveATableOfTwoColumns) {
  for (const char* titles : {"Displacement [mm];Force [N]\n", "Weg;Kraft\nmm;N\n"}) {
    const BenchTables read =
        parse(std::string("Part;cab mount 4711\nDirection;y\n\n") + titles + "0;0\n1;300\n2;600\n1;290\n0;-10\n");
    ASSERT_EQ(read.sets.size(), 1u) << titles;
    const BenchSet& set = read.sets.front();
    EXPECT_EQ(set.labels.part, "cab mount 4711") << titles;
    EXPECT_EQ(set.labels.direction, "y") << titles;
    ASSERT_EQ(set.bench.loop.force.size(), 5u);
    EXPECT_DOUBLE_EQ(set.bench.loop.displacement[2], 2e-3);
    EXPECT_DOUBLE_EQ(set.bench.loop.force[2], 600.0);
  }
  // Names that only a hint explains stay titles, in two rows too.
  BenchReadOptions hint;
  hint.columns = {{"displacement", "LVDT 1"}, {"force", "Load Cell 2"}};
  const BenchTables named = parse("LVDT 1;Load Cell 2\nmm;kN\n0;0\n1;0.3\n2;0.6\n", hint);
  ASSERT_EQ(named.sets.size(), 1u);
  EXPECT_DOUBLE_EQ(named.sets.front().bench.loop.force[2], 600.0);
}

TEST(BenchTables, OneFileForEachAmplitude) {
  for (const std::string stem : {"v15_amp", "v15b_amp"}) {
    std::vector<MapRow> rows;
    for (int i = 0; i < 6; ++i)
      for (const BenchSet& set : open("one_mount/" + stem + std::to_string(i) + ".csv").sets)
        rows.insert(rows.end(), set.bench.map.rows.begin(), set.bench.map.rows.end());
    expect_same(rows, true, stem);
  }
}

TEST(BenchTables, NoHeaderWithAHint) {
  BenchReadOptions hints;
  hints.columns = {{"frequency", "1"}, {"amplitude", "2"}, {"preload", "3"}, {"k_dyn", "4"}, {"loss_angle", "5"}};
  hints.units = {{"amplitude", "mm"}, {"preload", "N"}, {"k_dyn", "N/mm"}, {"loss_angle", "deg"}};
  expect_same(open("one_mount/v13_noheader.csv", hints).sets.at(0).bench.map.rows, true, "v13");
  EXPECT_THROW(open("one_mount/v13_noheader.csv"), Error);
}

TEST(BenchTables, GapsLeaveTheirRowOut) {
  for (const char* name : {"one_mount/v27_empty_cells.csv", "one_mount/v28_dash_cells.csv"}) {
    const BenchTables tables = open(name);
    EXPECT_EQ(tables.sets.at(0).bench.map.rows.size(), 64u) << name;
    EXPECT_TRUE(told(tables, "rows_with_gaps")) << name;
  }
}

// Rows whose used cells are empty say nothing about the columns beside them: the second row has the cells of its neighbours.
TEST(BenchTables, RowsWithGapsContradictNothing) {
  const BenchTables tables = parse(
      "Frequency (Hz),Amplitude (mm),K* (N/mm),K' (N/mm),Phase (deg)\n"
      "1,0.1,449.50,449.35,1.49\n1.5,0.1,,17,453\n2,0.1,460.00,459.82,1.60\n");
  ASSERT_EQ(tables.sets.size(), 1u);
  const std::vector<MapRow>& rows = tables.sets.front().bench.map.rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[1].k_dyn, 460e3);
  EXPECT_FALSE(told(tables, "stiffness_contradicts"));
}

// 1e-318 us and 2e-318 us are one time in seconds: no number lies between them there.
TEST(BenchTables, TimesThatAreOneInSecondsAreNotTwo) {
  EXPECT_NE(refusal("time [us],displacement [mm],force [N]\n-1,0,0\n1e-318,0.1,1\n2e-318,0.2,2\n").message(), "");
}

TEST(BenchTables, CabMountInEveryWriting) {
  // Oracle: the bundled map these files were written from, four digits of stiffness and two decimals of the angle.
  const std::string bundled_path = std::string(KDYN_SOURCE_DIR) + "/data/cab_mount/z_map.csv";
  const BenchFile bundled = read_bench_tables(read_text(bundled_path), bundled_path).sets.at(0).bench;
  for (const char* name : {"blocks.csv", "german.csv", "k_c.csv", "kprime.csv", "storage_loss.csv", "tan_delta.csv",
                           "unicode.txt", "wide.csv"}) {
    const BenchTables tables = open(std::string("cab_z/") + name);
    ASSERT_EQ(tables.sets.size(), 1u) << name;
    const auto& rows = tables.sets[0].bench.map.rows;
    EXPECT_GE(rows.size(), 120u) << name;
    for (const MapRow& row : rows) {
      const bool found = std::any_of(bundled.map.rows.begin(), bundled.map.rows.end(), [&](const MapRow& w) {
        return w.frequency_hz == row.frequency_hz && std::abs(w.k_dyn - row.k_dyn) < 2e-4 * w.k_dyn &&
               std::abs(w.loss_angle - row.loss_angle) < 0.006 * degree;
      });
      EXPECT_TRUE(found) << name << " " << row.frequency_hz;
    }
  }
  EXPECT_TRUE(told(open("cab_z/storage_loss.csv"), "peak_to_peak_halved"));
}

TEST(BenchTables, ARisingColumnInSecondsIsTime) {
  const BenchTables raw = open("cab_z/mts_raw.txt");
  ASSERT_EQ(raw.sets.at(0).bench.kind, BenchKind::series);
  EXPECT_EQ(raw.sets[0].bench.series.time.size(), 4000u);
  EXPECT_DOUBLE_EQ(raw.sets[0].bench.series.force[0], 829.95);
  for (const char* name :
       {"Running Time (s)", "Elapsed Time (s)", "Laufzeit [s]", "Temps (s)", "Whatever [s]", "Clock [ms]"}) {
    const BenchTables one = parse(std::string("Axial Displacement(mm),Axial Force(N),") + name +
                                  "\n0,0,0\n1,400,0.1\n2,800,0.2\n1,350,0.3\n");
    EXPECT_EQ(one.sets.at(0).bench.kind, BenchKind::series) << name;
  }
  EXPECT_EQ(parse("Weg [mm];Kraft [N];Zyklus\n0;0;1\n1,5;400;1\n2;800;1\n").sets.at(0).bench.kind,
            BenchKind::static_loop);
}

// Hand-made tables of one point each way: 10 Hz, 0.1 mm, |K| 500 N/mm, 30 deg.
void expect_point(const MapRow& row, const std::string& what) {
  EXPECT_NEAR(row.frequency_hz, 10.0, 1e-9) << what;
  EXPECT_NEAR(row.amplitude, 1e-4, 1e-9) << what;
  EXPECT_NEAR(row.k_dyn, 5e5, 20.0) << what;  // printed to 0.01 N/mm
  EXPECT_NEAR(row.loss_angle, 30.0 * degree, 2e-3 * degree) << what;
}

TEST(BenchTables, StiffnessInEveryDescription) {
  const std::vector<std::string> tables = {
      "f [Hz];A [mm];K* [N/mm];phi [deg]\n10;0.1;500;30\n20;0.1;510;31\n",
      "Frequenz/Hz;Amplitude/mm;Kdyn/(N/mm);tan delta\n10;0.1;500;0.57735\n20;0.1;510;0.6\n",
      "f [Hz],A [mm],Re(K*) [N/mm],Im(K*) [N/mm]\n10,0.1,433.0127,250\n20,0.1,433,250\n",
      "f [Hz],A [mm],Storage stiffness (N/mm),Loss stiffness (N/mm)\n10,0.1,433.0127,250\n20,0.1,433,250\n",
      "f [Hz],A [mm],Speichersteifigkeit [N/mm],Verlustfaktor [-]\n10,0.1,433.0127,0.57735\n20,0.1,433,0.57\n",
      "f [Hz],A [mm],K' [kN/mm],C [N s/mm]\n10,0.1,0.4330127,3.978874\n20,0.1,0.433,2\n",
      "f [Hz],A [mm],Kdyn [N/mm],Damping [Ns/mm]\n10,0.1,500,3.978874\n20,0.1,500,2\n",
      "Fr\xc3\xa9quence (Hz);Amplitude (mm);Raideur dynamique (N/mm);Angle de perte "
      "(\xc2\xb0)\n10;0,1;500,0;30,0\n20;0,1;500,0;30,0\n",
      "f [Hz];Amplitude pk-pk [mm];Kdyn [N/mm];Verlustwinkel [Grad]\n10;0.2;500;30\n20;0.2;500;30\n",
      "f [Hz];Amplitude [mm rms];Kdyn [N/mm];Verlustwinkel [Grad]\n10;0.0707107;500;30\n20;0.0707107;500;30\n",
      "f [Hz];Amplitude [\xc2\xb5m];Kdyn [daN/mm];delta [rad]\n10;100;50;0.523599\n20;100;50;0.52\n",
      "Amplitude = \xc2\xb1"
      "0.1 mm\nf [Hz],Kdyn [N/mm],delta [deg]\n10,500,30\n20,500,30\n",
      "Amplitude: 0,2 mm p-p\nf [Hz];Kdyn [N/mm];delta [deg]\n10;500,5;30\n10;500,0;30\n",
  };
  for (const std::string& text : tables) {
    const BenchTables one = parse(text);
    ASSERT_EQ(one.sets.size(), 1u) << text;
    ASSERT_EQ(one.sets[0].bench.kind, BenchKind::map) << text;
    const auto& rows = one.sets[0].bench.map.rows;
    expect_point(text.find("500,5") != std::string::npos ? rows[1] : rows[0], text);
  }
}

TEST(BenchTables, WideTablesInTheirKinds) {
  const std::vector<std::string> tables = {
      // values in the names
      "f [Hz];Kdyn 0.1mm [N/mm];Kdyn 0.2 mm [N/mm];delta 0.1mm [deg];delta 0.2 mm "
      "[deg]\n10;500;480;30;31\n20;510;490;30;31\n",
      // names spread over columns, values in a second row, units in a third
      "f;Kdyn;;delta;\n;0.1 mm;0.2 mm;0.1 mm;0.2 mm\nHz;N/mm;N/mm;deg;deg\n10;500;480;30;31\n20;510;490;30;31\n",
      // numbers behind their name
      "f [Hz];Kdyn [N/mm];Kdyn [N/mm];delta [deg];delta [deg]\nAmplitude "
      "[mm];0.1;0.2;0.1;0.2\n10;500;480;30;31\n20;510;490;30;31\n",
      // two matrices below each other
      "Kdyn [N/mm]\nf [Hz] \\ A [mm];0.1;0.2\n10;500;480\n20;510;490\n\nVerlustwinkel [Grad]\nf [Hz] \\ A "
      "[mm];0.1;0.2\n10;30;31\n20;30;31\n",
  };
  for (const std::string& text : tables) {
    const BenchTables one = parse(text);
    ASSERT_EQ(one.sets.size(), 1u) << text;
    const auto& rows = one.sets[0].bench.map.rows;
    ASSERT_EQ(rows.size(), 4u) << text;
    expect_point(rows[0], text);
    EXPECT_NEAR(rows[2].amplitude, 2e-4, 1e-12) << text;
    EXPECT_NEAR(rows[3].k_dyn, 4.9e5, 1e-6) << text;
  }
  // one column pair for each frequency
  const BenchTables over_amplitude = parse(
      "A [mm];Kdyn 10 Hz [N/mm];delta 10 Hz [deg];Kdyn 20 Hz [N/mm];delta 20 Hz "
      "[deg]\n0.1;500;30;510;30\n0.2;480;31;490;31\n");
  expect_point(over_amplitude.sets.at(0).bench.map.rows.at(0), "over amplitude");
  EXPECT_EQ(over_amplitude.sets[0].bench.map.rows.size(), 4u);
}

TEST(BenchTables, DirectionsAndPartsStayApart) {
  const BenchTables by_column = parse(
      "Richtung;f [Hz];A [mm];Kdyn [N/mm];delta "
      "[deg]\nx;10;0.1;500;30\nx;20;0.1;510;30\ny;10;0.1;900;20\nz;10;0.1;100;10\n");
  ASSERT_EQ(by_column.sets.size(), 3u);
  EXPECT_EQ(by_column.sets[0].labels.direction, "x");
  EXPECT_EQ(by_column.sets[0].bench.map.rows.size(), 2u);
  EXPECT_EQ(by_column.sets[2].bench.map.rows[0].k_dyn, 1e5);
  const BenchTables by_name = parse(
      "f [Hz],A [mm],Kdyn x [N/mm],Kdyn z [N/mm],delta x [deg],delta z "
      "[deg]\n10,0.1,500,100,30,10\n20,0.1,500,100,30,10\n");
  ASSERT_EQ(by_name.sets.size(), 2u);
  EXPECT_EQ(by_name.sets[1].labels.direction, "z");
  EXPECT_NEAR(by_name.sets[1].bench.map.rows[0].k_dyn, 1e5, 1e-6);
  const BenchTables parts = parse("Part,f [Hz],A [mm],Kdyn [N/mm],delta [deg]\nA1,10,0.1,500,30\nA2,10,0.1,510,30\n");
  ASSERT_EQ(parts.sets.size(), 2u);
  EXPECT_EQ(parts.sets[1].labels.part, "A2");
  EXPECT_EQ(direction_of_path("left/z_map.csv"), "z");
  EXPECT_EQ(direction_of_path("bushing_radial.txt"), "radial");
  EXPECT_EQ(direction_of_path("p_yx.csv"), "");
  EXPECT_EQ(direction_of_path("mount/z/map.csv"), "z");
  // A setting in a unit nobody knows is not taken for another.
  EXPECT_TRUE(told(parse("Temperature: 73 F\nf [Hz],A [mm],Kdyn [N/mm],delta [deg]\n10,0.1,500,30\n20,0.1,500,30\n"),
                   "setting_not_used"));
  // A column that is not needed does no harm, whatever its unit and its gaps.
  EXPECT_EQ(parse("f [Hz],A [mm],Kdyn [N/mm],delta [deg],Damping [%]\n10,0.1,500,30,5\n20,0.1,500,30,\n")
                .sets.at(0)
                .bench.map.rows.size(),
            2u);
}

TEST(BenchTables, MappingByHint) {
  BenchReadOptions hints;
  hints.columns = {{"force", "Load Cell 2"}, {"displacement", "LVDT 1"}};
  const BenchTables one =
      parse("Time [s],LVDT 1 [mm],LVDT 2 [mm],Load Cell 1 [kN],Load Cell 2 [kN]\n0,0,9,7,0\n1,1,9,7,0.4\n2,2,9,7,0.8\n",
            hints);
  EXPECT_DOUBLE_EQ(one.sets.at(0).bench.series.force[1], 400.0);
  EXPECT_TRUE(told(one, "columns_ignored"));
  hints.columns = {{"amplitude", "=0.1 mm"}};
  expect_point(parse("f [Hz],Kdyn [N/mm],delta [deg]\n10,500,30\n20,500,30\n", hints).sets.at(0).bench.map.rows[0],
               "constant by hint");
  EXPECT_EQ(refusal("f [Hz],Kdyn [N/mm],delta [deg]\n10,500,30\n20,500,30\n").where(), "a.csv:1");
}

TEST(BenchTables, WhatCannotBeDecidedIsRefusedWithItsPlace) {
  EXPECT_EQ(refusal("f [Hz];A [mm];Kdyn [N/mm];delta [deg]\n10;0,1;500;30\n20;0.1;500;30\n").where(),
            "a.csv:3");  // mixed marks in a column
  EXPECT_EQ(refusal("f [Hz];A [mm];Kdyn [N/mm];delta [deg]\n10;1;1,234;30\n20;1;1,500;30\n").where(),
            "a.csv:2");  // comma: one thousand?
  EXPECT_EQ(refusal("f [Hz],A [mm],Kdyn [N/mm],delta [deg]\n10,0.1,500,30\n20,0.1,abc,30\n").where(),
            "a.csv:3");  // text
  EXPECT_EQ(refusal("f [Hz],A [mm],Kdyn [N/mm],delta [deg]\n10,0.1,500,30\n-20,0.1,500,30\n").where(),
            "a.csv:3");  // sign
  EXPECT_EQ(refusal("f [Hz],A [mm],Kdyn [N/mm],delta [deg]\n10,0.1,500,30\n20,0.1,500,230\n").where(),
            "a.csv:3");  // angle
  EXPECT_EQ(refusal("f [Hz],A [N],Kdyn [N/mm],delta [deg]\n10,0.1,500,30\n20,0.1,500,30\n").where(),
            "a.csv:1");  // force as amplitude
  EXPECT_EQ(refusal("f [Hz],A [mm],Kdyn [Nm/rad],delta [deg]\n10,0.1,500,30\n20,0.1,500,30\n").where(),
            "a.csv:1");                                                                         // linear and angular
  EXPECT_EQ(refusal("Time [s],Zeit [s],x [mm],F [N]\n0,0,0,0\n1,1,1,1\n").where(), "a.csv:1");  // two times
  EXPECT_EQ(refusal("Time [s],x [mm],F [N]\n0,0,0\n2,1,1\n1,2,2\n").where(), "a.csv:4");        // time runs back
  EXPECT_EQ(refusal("Frequency,Amplitude,Stiffness,Phase\n1,0.05,449.5,1.49\n2,0.05,449.5,1.49\n").where(),
            "a.csv:1");  // no units
  EXPECT_EQ(refusal("f [Hz],A [mm],Kdyn [N/mm],delta [furlong]\n10,0.1,500,30\n20,0.1,500,30\n").where(),
            "a.csv:1");  // unit nobody knows
  EXPECT_EQ(refusal("nothing here\n").where(), "a.csv");
  for (const std::string& text : {std::string("\0\x01\x02\x03 binary", 12), std::string()})
    EXPECT_THROW(parse(text), Error);
}

TEST(BenchTables, ContradictingDescriptionsAreTold) {
  const BenchTables one =
      parse("f [Hz],A [mm],K* [N/mm],phase [deg],K' [N/mm]\n10,0.1,500,30,900\n20,0.1,500,30,900\n");
  EXPECT_TRUE(told(one, "stiffness_contradicts"));
}

TEST(BenchTables, UnitsWithPowersOfTen) {
  const auto first_row = [](const std::string& unit) {
    return parse("f [Hz],A [mm],Kdyn [" + unit + "],delta [deg]\n10,0.1,0.5,3\n20,0.1,0.5,3\n")
        .sets.at(0)
        .bench.map.rows[0];
  };
  for (const char* unit : {"10^3 N/mm", "10\xc2\xb3 N/mm", "x1000 N/mm", "1e3 N/mm", "1E3*N/mm", "\xc3\x97 1000 N/mm"})
    EXPECT_DOUBLE_EQ(first_row(unit).k_dyn, 5e5) << unit;
  EXPECT_DOUBLE_EQ(first_row("10^-3 N/mm").k_dyn, 0.5);
  for (const char* unit : {"10^ N/mm", "x N/mm", "20^3 N/mm", "10^99 N/mm", "x1000", "1000 N/mm"})
    EXPECT_THROW(first_row(unit), Error) << unit;
  EXPECT_THROW(first_row(""), Error);
  // A symbol, a direction and a level are no factors.
  const BenchTables wide = parse(
      "A [mm],K* 10 Hz [N/mm],delta 10 Hz [deg],K* 100 Hz [N/mm],delta 100 Hz "
      "[deg]\n0.1,500,3,600,4\n0.2,490,3,590,4\n");
  ASSERT_EQ(wide.sets.at(0).bench.map.rows.size(), 4U);
  EXPECT_EQ(parse("A [mm],Kdyn x 10 Hz [N/mm],delta x 10 Hz [deg]\n0.1,500,3\n0.2,490,3\n").sets.at(0).labels.direction,
            "x");
  std::string many = "Kdyn";
  for (int i = 0; i < 100'000; ++i) many += " x 10";
  EXPECT_THROW(parse("f [Hz],A [mm]," + many + ",delta [deg]\n10,0.1,500,3\n20,0.1,510,3\n"), Error);
  // In a name nobody can say which way it means.
  EXPECT_EQ(refusal("f [Hz],A [mm],Kdyn [N/mm],tan delta x 1000\n10,0.1,500,60\n20,0.1,500,60\n").where(), "a.csv:1");
  EXPECT_EQ(refusal("f [Hz],A [mm],Kdyn *10^3 [N/mm],delta [deg]\n10,0.1,500,6\n20,0.1,500,6\n").where(), "a.csv:1");
}

TEST(BenchTables, TitlesOfSeveralLinesInQuotes) {
  const std::string head = "\"Frequency\n[Hz]\",\"Amplitude\r\n[mm]\",\"Kdyn\n[N/mm]\",\"Phase\n[deg]\"\n";
  const BenchTables one = parse(head + "10,0.1,500,3\n20,0.1,510,3\n");
  ASSERT_EQ(one.sets.at(0).bench.map.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(one.sets[0].bench.map.rows[1].k_dyn, 5.1e5);
  EXPECT_EQ(one.sets[0].bench.map.rows[1].line, 7U);  // as an editor counts
  EXPECT_EQ(refusal(head + "10,0.1,500,3\n20,0.1,high,3\n").where(), "a.csv:7");
  // Quotes that are signs for inches, or that nobody closes, join nothing.
  EXPECT_EQ(parse("\"A\nf [Hz],A [mm],Kdyn [N/mm],delta [deg]\n10,0.1,500,3\n20,0.1,510,3\n")
                .sets.at(0)
                .bench.map.rows.size(),
            2U);
}

TEST(BenchTables, ARateAboveTheTableMakesARecord) {
  for (const char* head : {"Sampling rate: 0.5 kHz\n", "# Abtastrate = 500 Hz\n", "Sample interval [ms],2\n"}) {
    const BenchTables one = parse(std::string(head) + "Weg [mm],Kraft [N]\n0,0\n1,300\n0,10\n-1,-300\n");
    ASSERT_EQ(one.sets.at(0).bench.kind, BenchKind::series) << head;
    EXPECT_DOUBLE_EQ(one.sets[0].bench.series.time[3], 0.006) << head;
  }
  // Of no known unit: told, and a loop.
  EXPECT_TRUE(told(parse("Sampling rate: 500 parsec\nWeg [mm],Kraft [N]\n0,0\n1,300\n0,10\n"), "setting_not_used"));
  // It is no frequency of a test.
  EXPECT_EQ(refusal("Sampling frequency: 500 Hz\nA [mm],Kdyn [N/mm],delta [deg]\n0.1,500,3\n0.2,500,3\n").where(),
            "a.csv:2");
}

TEST(BenchTables, NumbersThatCountRowsAreNoParts) {
  const std::string points = "1,10,0.1,500,3\n2,20,0.1,510,3\n3,30,0.1,520,3\n";
  const BenchTables one = parse("Sample,f [Hz],A [mm],Kdyn [N/mm],delta [deg]\n" + points);
  ASSERT_EQ(one.sets.size(), 1U);
  EXPECT_EQ(one.sets[0].bench.map.rows.size(), 3U);
  EXPECT_TRUE(told(one, "rows_counted"));
  // One point of several parts, and parts that a hint names.
  EXPECT_EQ(parse("Sample,f [Hz],A [mm],Kdyn [N/mm],delta [deg]\n1,10,0.1,500,3\n2,10,0.1,510,3\n3,10,0.1,520,3\n")
                .sets.size(),
            3U);
  BenchReadOptions options;
  options.columns["part"] = "Sample";
  EXPECT_EQ(parse("Sample,f [Hz],A [mm],Kdyn [N/mm],delta [deg]\n" + points, options).sets.size(), 3U);
}

TEST(BenchTables, LinesAboveTablesNamePartsWhereThePointsComeUpAgain) {
  const std::string table = "f [Hz],A [mm],Kdyn [N/mm],delta [deg]\n10,0.1,500,3\n20,0.1,510,3\n";
  const BenchTables two = parse("Left\n" + table + "\nRight\n" + table);
  ASSERT_EQ(two.sets.size(), 2U);
  EXPECT_EQ(two.sets[1].labels.part, "Right");
  EXPECT_EQ(parse("First sweep\n" + table + "\nSecond sweep\n" + table).sets.size(), 1U);
  // Other points of one part.
  EXPECT_EQ(parse("Slow\n" + table + "\nFast\nf [Hz],A [mm],Kdyn [N/mm],delta [deg]\n30,0.1,500,3\n40,0.1,510,3\n")
                .sets.size(),
            1U);
}

TEST(BenchTables, TemperaturesOfRecordsAreInDegreesCelsius) {
  const auto temperature = [](const std::string& unit, const std::string& value) {
    return parse("Time [s],Weg [mm],Kraft [N],Temp [" + unit + "]\n0,0,0," + value + "\n1,1,300," + value + "\n")
        .sets.at(0)
        .labels.temperature_c;
  };
  EXPECT_NEAR(temperature("\xc2\xb0"
                          "F",
                          "73.4"),
              23.0, 1e-12);
  EXPECT_NEAR(temperature("K", "296.15"), 23.0, 1e-12);
  EXPECT_NEAR(temperature("degC", "23"), 23.0, 1e-12);
}

TEST(BenchTables, LargeFilesTakeTheFastReaderWithTheSameValues) {
  std::string text = "Running Time (s),Axial Displacement(mm),Axial Force(N)\n";
  std::size_t rows = 0;
  while (text.size() < (std::size_t{5} << 20)) {
    text += std::to_string(1e-3 * static_cast<double>(rows)) + "," +
            std::to_string(std::sin(0.01 * static_cast<double>(rows))) + ",12.5\n";
    ++rows;
  }
  const BenchTables one = parse(text);
  ASSERT_EQ(one.sets.at(0).bench.kind, BenchKind::series);
  EXPECT_EQ(one.sets[0].bench.series.time.size(), rows);
  EXPECT_EQ(one.sets[0].bench.series.force.back(), 12.5);
}

}  // namespace
}  // namespace kdyn::inline io
