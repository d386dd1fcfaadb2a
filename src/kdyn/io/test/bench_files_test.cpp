// SPDX-License-Identifier: Apache-2.0
// Bench files: layouts, names, units, refusals, and what is written is read back. Expected values are converted by hand
// from the definitions inch = 25.4 mm, pound-force = 4.4482216152605 N, degree = pi/180.
#include <cmath>
#include <filesystem>
#include <numbers>

#include <unistd.h>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/exchange.hpp"

namespace kdyn::inline io {
namespace {

constexpr double degree = std::numbers::pi / 180.0, pound = 4.4482216152605;

// The only set of a table, with what was found.
BenchFile only(BenchTables&& tables) {
  EXPECT_EQ(tables.sets.size(), 1u);
  BenchFile file = std::move(tables.sets.at(0).bench);
  file.findings = std::move(tables.findings);
  return file;
}

BenchFile parse(const std::string& text, const BenchReadOptions& options = {}) {
  return only(read_bench_tables(text, "f.csv", options));
}

void expect_refusal(const std::string& text, const std::string& where, const std::string& words,
                    const BenchReadOptions& options = {}) {
  try {
    parse(text, options);
    ADD_FAILURE() << "not refused: " << text.substr(0, 120);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.where(), where) << error.what();
    EXPECT_NE(error.message().find(words), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

bool has(const BenchFile& file, const std::string& code) {
  for (const Finding& finding : file.findings)
    if (finding.code == code) return true;
  return false;
}

const std::string map_header = "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg\n";

TEST(BenchFiles, TheThreeLayouts) {
  const BenchFile map = parse(map_header + "10,0.1,500,444,2.47\n");
  ASSERT_EQ(map.kind, BenchKind::map);
  EXPECT_TRUE(map.findings.empty());
  ASSERT_EQ(map.map.rows.size(), 1u);
  const MapRow& row = map.map.rows[0];
  EXPECT_EQ(row.frequency_hz, 10.0);
  EXPECT_DOUBLE_EQ(row.amplitude, 1e-4);
  EXPECT_EQ(row.preload, 500.0);
  EXPECT_DOUBLE_EQ(row.k_dyn, 444e3);
  EXPECT_DOUBLE_EQ(row.loss_angle, 2.47 * degree);
  EXPECT_EQ(row.nominal_amplitude, 0.0);
  EXPECT_EQ(row.line, 2u);
  EXPECT_EQ(map.map.axis, AxisKind::translation);
  EXPECT_EQ(map.map.source.path, "f.csv");
  EXPECT_EQ(map.map.source.sha256.size(), 64u);
  ASSERT_EQ(map.map.source.conversions.size(), 5u);

  const BenchFile loop = parse("displacement_mm,force_n\n0,0\n1,338\n");
  ASSERT_EQ(loop.kind, BenchKind::static_loop);
  EXPECT_DOUBLE_EQ(loop.loop.displacement[1], 1e-3);
  EXPECT_EQ(loop.loop.force[1], 338.0);
  EXPECT_EQ(loop.loop.lines.of(1), 3u);

  const BenchFile series = parse("time_s,displacement_mm,force_n\n0,0,0\n0.001,1,338\n");
  ASSERT_EQ(series.kind, BenchKind::series);
  EXPECT_EQ(series.series.time[1], 0.001);
  const BenchFile input = parse("time_s,displacement_mm\n0,0\n0.001,1\n");
  ASSERT_EQ(input.kind, BenchKind::series);
  EXPECT_TRUE(input.series.force.empty());
}

TEST(BenchFiles, OptionalColumnsOfTheMap) {
  const BenchFile file = parse(
      "frequency_hz,amplitude_mm,k_dyn_n_per_mm,loss_angle_deg,nominal_amplitude_mm,temperature_c,operator\n10,0.1,444,"
      "2.47,0.11,23,7\n");
  EXPECT_EQ(file.map.rows[0].preload, 0.0);
  EXPECT_DOUBLE_EQ(file.map.rows[0].nominal_amplitude, 1.1e-4);
  ASSERT_TRUE(has(file, "columns_ignored"));
  EXPECT_EQ(file.findings[0].message, "not used: 'operator'");
  EXPECT_EQ(file.map.rows[0].temperature_c, 23.0);
}

TEST(BenchFiles, PeakToPeakIsHalvedAndTanDeltaConverted) {
  const BenchFile file = parse("freq [Hz],amplitude_pp_mm,stiffness (kN/mm),tan_delta\n10,0.2,0.444,0.05\n");
  EXPECT_DOUBLE_EQ(file.map.rows[0].amplitude, 1e-4);
  EXPECT_TRUE(has(file, "peak_to_peak_halved"));
  EXPECT_DOUBLE_EQ(file.map.rows[0].k_dyn, 444e3);
  EXPECT_DOUBLE_EQ(file.map.rows[0].loss_angle, std::atan(0.05));
  EXPECT_EQ(file.map.source.conversions[1].factor, 0.5e-3);
}

TEST(BenchFiles, TorsionalAxis) {
  const BenchFile degrees =
      parse("frequency_hz,amplitude_deg,preload_nmm,k_dyn_nmm_per_deg,loss_angle_deg\n10,2,1000,500,3\n");
  EXPECT_EQ(degrees.map.axis, AxisKind::rotation);
  EXPECT_DOUBLE_EQ(degrees.map.rows[0].amplitude, 2.0 * degree);
  EXPECT_DOUBLE_EQ(degrees.map.rows[0].preload, 1.0);
  EXPECT_NEAR(degrees.map.rows[0].k_dyn, 0.5 / degree, 1e-12);
  EXPECT_DOUBLE_EQ(parse("frequency_hz,amplitude_deg,k_dyn_nmm_per_rad,loss_angle_deg\n10,2,500,3\n").map.rows[0].k_dyn,
                   0.5);
  const BenchFile loop = parse("angle_deg,moment_nmm\n0,0\n1,500\n");
  EXPECT_EQ(loop.kind, BenchKind::static_loop);
  EXPECT_EQ(loop.loop.axis, AxisKind::rotation);
  EXPECT_DOUBLE_EQ(loop.loop.force[1], 0.5);
}

// Every way to say the unit gives the same loop.
TEST(BenchFiles, UnitsFromNamesBracketsUnitsRowAndOptions) {
  const double x = 0.5 * 0.0254, f = 2.0 * 1e3 * pound;
  BenchReadOptions options;
  options.units = {{"Travel", "in"}, {"load", "kip"}};
  for (const std::string header :
       {"displacement_in,force_kip\n", "disp [in],force [kip]\n", "Travel (inch),Load (kip)\n", "s,F\nin,kip\n",
        "s;F\n[in];[kip]\n", "weg in in;kraft in kip\n", "Weg/in;Kraft/kip\n", "displacement in\tforce kip\n",
        "x_in force_z_kip\n"}) {
    std::string text = header;
    const char delimiter = header.find(';') != std::string::npos    ? ';'
                           : header.find('\t') != std::string::npos ? '\t'
                           : header.find(',') != std::string::npos  ? ','
                                                                    : ' ';
    text += std::string("0") + delimiter + "0\n0.5" + delimiter + "2\n";
    const BenchFile file = parse(text);
    ASSERT_EQ(file.kind, BenchKind::static_loop) << header;
    EXPECT_NEAR(file.loop.displacement[1], x, 1e-15) << header;
    EXPECT_NEAR(file.loop.force[1], f, 1e-9) << header;
  }
  const BenchFile file = parse("travel,load\n0,0\n0.5,2\n", options);
  EXPECT_NEAR(file.loop.force[1], f, 1e-9);
  EXPECT_EQ(file.loop.source.conversions[1].unit, "kip");
  const BenchFile map = parse("f,ampl_um,k_kip_per_in,delta_rad\n10,100,5.45,0.04\n");
  EXPECT_NEAR(map.map.rows[0].k_dyn, 5.45e3 * pound / 0.0254, 1e-6);
  EXPECT_NEAR(map.map.rows[0].amplitude, 1e-4, 1e-18);
}

TEST(BenchFiles, OnlyTimeAndFrequencyMayGoWithoutUnit) {
  EXPECT_TRUE(has(parse("time,displacement_mm\n0,0\n1,1\n"), "unit_assumed"));
  EXPECT_TRUE(has(parse("freq,amplitude_mm,k_dyn_n_per_mm,delta_deg\n10,0.1,444,2\n"), "unit_assumed"));
  expect_refusal("displacement,force_n\n0,0\n1,1\n", "f.csv:1", "column 'displacement' has no unit");
  expect_refusal("frequency_hz,amplitude_mm,k_dyn_n_per_mm,loss_angle\n10,0.1,444,2\n", "f.csv:1",
                 "column 'loss_angle' has no unit");
}

TEST(BenchFiles, ImpossibleUnits) {
  expect_refusal("displacement_n,force_n\n0,0\n1,1\n", "f.csv:1",
                 "means displacement, but 'N' converts neither to m nor to rad");
  expect_refusal("displacement [parsec],force_n\n0,0\n1,1\n", "f.csv:1", "unknown unit 'parsec'");
  expect_refusal("angle_deg,force_n\n0,0\n1,1\n", "f.csv:1", "is linear, but 'angle_deg' is not");
  expect_refusal("frequency_hz,amplitude_deg,k_dyn_nmm,loss_angle_deg\n1,1,1,1\n", "f.csv:1",
                 "converts neither to N/m nor to N*m/rad");
  expect_refusal("frequency_hz,amplitude_mm,k_dyn_n_mm,loss_angle_deg\n1,1,1,1\n", "f.csv:1", "unknown unit 'N_mm'");
  expect_refusal("displacement_mm,force_n\nin,N\n0,0\n1,1\n", "f.csv:1",
                 "carries the unit 'mm', and beside it 'in' is told");
  BenchReadOptions options;
  options.units = {{"nosuch", "mm"}};
  expect_refusal("displacement_mm,force_n\n0,0\n1,1\n", "f.csv:1", "names 'nosuch'", options);
}

TEST(BenchFiles, ColumnsThatDoNotFit) {
  expect_refusal("frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss\n1,1,1,1,1\n", "f.csv:1",
                 "for a map there is no column for loss_angle");
  expect_refusal("alpha,beta\n1,1\n", "f.csv:1", "no bench layout");
  expect_refusal("force_x_n,force_y_n,displacement_mm\n1,1,1\n2,2,2\n", "f.csv:1", "both mean force");
  // A single letter gives way to a full name; T is a temperature.
  const BenchFile letters = parse("t,T,x_mm,displacement_mm,force_n\n0,20,9,1,1\n1,21,9,2,2\n");
  EXPECT_EQ(letters.kind, BenchKind::series);
  EXPECT_DOUBLE_EQ(letters.series.displacement[1], 2e-3);
  BenchReadOptions options;
  options.columns = {{"force", "force_y_n"}};
  EXPECT_EQ(parse("force_x_n,force_y_n,displacement_mm\n1,3,1\n2,4,2\n", options).loop.force[0], 3.0);
  options.columns = {{"wind", "force_y_n"}};
  expect_refusal("force_x_n,force_y_n,displacement_mm\n1,1,1\n2,2,2\n", "columns", "unknown meaning 'wind'", options);
  options = {};
  options.expected = BenchKind::static_loop;
  EXPECT_EQ(parse("time_s,displacement_mm,force_n\n0,0,0\n1,1,1\n", options).kind, BenchKind::static_loop);
  expect_refusal(map_header + "1,1,1,1,1\n", "f.csv:1", "for a static loop there is no column for displacement, force",
                 options);
}

TEST(BenchFiles, ImpossibleValuesHaveLineColumnValueAndRule) {
  expect_refusal(map_header + "1,1,0,1,1\n-5,1,0,1,1\n", "f.csv:3",
                 "column 'frequency_hz' holds -5 Hz, expected a number > 0");
  expect_refusal(map_header + "0,1,0,1,1\n", "f.csv:2", "expected a number > 0");
  expect_refusal(map_header + "1,0,0,1,1\n", "f.csv:2", "column 'amplitude_mm' holds 0 mm");
  expect_refusal(map_header + "1,1,0,-444,1\n", "f.csv:2", "column 'k_dyn_n_per_mm' holds -444 N/mm");
  expect_refusal(map_header + "1,1,0,1,180\n", "f.csv:2", "between -180 and 180 deg");
  expect_refusal(map_header + "1,1,0,nan,1\n", "f.csv:1", "no row of the map is complete");
  expect_refusal("frequency_hz,amplitude_mm,k_dyn_kip_per_in,loss_angle_deg\n1,1,1e308,1\n", "f.csv:2", "finite in SI");
  expect_refusal("time_s,displacement_mm\n0,0\n1,1\n0.5,2\n", "f.csv:4",
                 "column 'time_s' holds 0.5 s, expected a time after");
  expect_refusal("time_s,displacement_mm\n0,0\n1,1\n1,2\n", "f.csv:4", "more digits");
  expect_refusal("displacement_mm,force_n\n1,1\n", "f.csv:2", "only 1 row");
}

TEST(BenchFiles, RowsThatRepeatTheirTimeAndValuesAreDropped) {
  const BenchFile file = parse("time_s,displacement_mm,force_n\n0,0,0\n1,1,1\n1,1,1\n2,2,2\n");
  EXPECT_TRUE(has(file, "duplicate_time"));
  EXPECT_EQ(file.series.time, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(file.series.force, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(file.series.lines.of(2), 5u);
}

TEST(BenchFiles, BadContentOfEveryKind) {
  expect_refusal("", "f.csv", "empty");
  expect_refusal(map_header, "f.csv:1", "header without rows");
  expect_refusal(map_header + "ten,1,0,1,1\n", "f.csv:2", "column 'frequency_hz' holds 'ten'");
  expect_refusal(map_header + "1,1,0,1\n", "f.csv:2", "row has 4 cells");
  expect_refusal("displacement_mm,force_n\nx,y\n1,2\n", "f.csv:1", "no bench layout");
}

std::uint64_t ulps(double a, double b) {
  const double unit = std::nextafter(std::abs(a), HUGE_VAL) - std::abs(a);
  return static_cast<std::uint64_t>(std::llround(std::abs(a - b) / unit));
}

TEST(BenchFiles, WhatIsWrittenIsReadBackToOneUlp) {
  RandomStream random(7);
  const auto draw = [&random] { return std::exp(random.uniform(-12.0, 12.0)); };
  std::uint64_t worst = 0;
  for (const AxisKind axis : {AxisKind::translation, AxisKind::rotation}) {
    StiffnessMap map;
    StaticLoop loop;
    BenchSeries series;
    map.axis = loop.axis = series.axis = axis;
    for (int i = 0; i < 2000; ++i) {
      map.rows.push_back({draw(), draw(), -draw(), draw(), random.uniform(-3.0, 3.0), draw(), 0});
      loop.displacement.push_back(-draw()), loop.force.push_back(draw());
      series.time.push_back(i * 0.001), series.displacement.push_back(draw()), series.force.push_back(-draw());
    }
    const BenchFile m = parse(map_csv(map)), l = parse(static_csv(loop)), s = parse(series_csv(series));
    ASSERT_EQ(m.kind, BenchKind::map);
    ASSERT_EQ(l.kind, BenchKind::static_loop);
    ASSERT_EQ(s.kind, BenchKind::series);
    EXPECT_TRUE(m.findings.empty() && l.findings.empty() && s.findings.empty());
    EXPECT_EQ(m.map.axis, axis);
    EXPECT_EQ(s.series.time, series.time);
    for (std::size_t i = 0; i < map.rows.size(); ++i) {
      const MapRow &a = map.rows[i], &b = m.map.rows[i];
      EXPECT_EQ(a.frequency_hz, b.frequency_hz);
      worst = std::max({worst, ulps(a.amplitude, b.amplitude), ulps(a.preload, b.preload), ulps(a.k_dyn, b.k_dyn),
                        ulps(a.loss_angle, b.loss_angle), ulps(a.nominal_amplitude, b.nominal_amplitude),
                        ulps(loop.displacement[i], l.loop.displacement[i]), ulps(loop.force[i], l.loop.force[i]),
                        ulps(series.displacement[i], s.series.displacement[i])});
    }
  }
  EXPECT_LE(worst, 1u);
}

TEST(BenchFiles, WrittenLayouts) {
  StiffnessMap map;
  map.rows.push_back({10.0, 1e-4, 500.0, 444e3, 2.5 * degree, 0.0, 0});
  EXPECT_EQ(map_csv(map), map_header + "10,0.1,500,444,2.5\n");
  StaticLoop loop;
  loop.displacement = {1e-3}, loop.force = {338.0};
  EXPECT_EQ(static_csv(loop), "displacement_mm,force_n\n1,338\n");
  BenchSeries series;
  series.time = {0.001}, series.displacement = {1e-3};
  EXPECT_EQ(series_csv(series), "time_s,displacement_mm\n0.001,1\n");
}

TEST(BenchFiles, FilesAndFolders) {
  const auto folder = std::filesystem::temp_directory_path() / ("kdyn_bench_files_" + std::to_string(::getpid()));
  const std::string path = (folder / "loop.csv").string();
  StaticLoop loop;
  loop.displacement = {0.0, 1e-3}, loop.force = {0.0, 338.0};
  write_static_csv(path, loop);
  const BenchFile file = read_exchange(path).sets.at(0).bench;
  EXPECT_EQ(file.loop.source.path, path);
  EXPECT_EQ(file.loop.source.sha256, sha256(static_csv(loop)));
  const auto code_of = [](const std::string& p) {
    try {
      read_exchange(p);
      return 0;
    } catch (const Error& error) {
      return static_cast<int>(error.code());
    }
  };
  EXPECT_EQ(code_of(path), 0);
  EXPECT_EQ(code_of(folder.string()), 4);
  EXPECT_EQ(code_of((folder / "missing.csv").string()), 4);
  write_text(path, "alpha,beta\n1,2\n");
  const Exchange odd = read_exchange(path);
  EXPECT_EQ(odd.kind(), "unknown");
  ASSERT_EQ(odd.findings.size(), 1u);
  EXPECT_EQ(odd.findings[0].code, "unreadable");
  std::filesystem::remove_all(folder);
}

// Public measurements, read in place: displacement in mm, force in N, no units in the header.
TEST(BenchFiles, MeasuredMrDamper) {
  const std::string path = std::string(KDYN_SHARED_DIR) + "/data/mounts/mr_damper/ensaio.A.1.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "public data not found at " << path;
  EXPECT_TRUE(read_exchange(path).sets.empty());
  BenchReadOptions options;
  options.units = {{"displacement", "mm"}, {"force", "N"}};
  const BenchFile file = read_exchange(path, options).sets.at(0).bench;
  ASSERT_EQ(file.kind, BenchKind::series);
  EXPECT_EQ(file.series.time.size(), 1501u);
  EXPECT_EQ(file.series.force[0], 95.5547051);
  EXPECT_EQ(file.series.time[3], 0.03);
}

}  // namespace
}  // namespace kdyn::inline io
