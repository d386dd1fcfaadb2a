// SPDX-License-Identifier: Apache-2.0
#include "kdyn/door/read.hpp"

#include <cmath>
#include <filesystem>
#include <numbers>

#include <unistd.h>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/door/reduce_sines.hpp"
#include "kdyn/door/temperatures.hpp"
#include "kdyn/door/templates.hpp"

namespace kdyn::inline door {
namespace {

namespace fs = std::filesystem;
const std::string source = KDYN_SOURCE_DIR;

TEST(Door, DirectionsOfTheBundledMountAreThreeObjects) {
  std::vector<std::string> paths;
  for (const char* name : {"x_map", "x_static", "y_map", "z_map", "z_static", "z_transient"})
    paths.push_back(source + "/data/cab_mount/" + name + ".csv");
  Contents contents = read_measurements(paths, {});
  const auto objects = objects_of(contents);
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0].direction, "x");
  EXPECT_EQ(objects[2].sets.size(), 3u);
  ReadHints hints;
  hints.direction = "z";
  choose_object(contents, hints);
  EXPECT_EQ(objects_of(contents).size(), 1u);
  EXPECT_EQ(contents.sets.size(), 3u);
  std::size_t dropped = 0;
  for (const Finding& f : contents.findings) dropped += f.code == "not_used" ? 1 : 0;
  EXPECT_EQ(dropped, 3u);  // every file that was left out is told
  hints.direction = "radial";
  EXPECT_THROW(choose_object(contents, hints), Error);
}

TEST(Door, WhatNamesNoDirectionJoinsTheOnlyOne) {
  Contents contents;
  contents.sets.resize(2);
  contents.sets[0].labels.direction = "z";
  EXPECT_EQ(objects_of(contents).size(), 1u);
  contents.sets.resize(3);
  contents.sets[2].labels.direction = "x";
  EXPECT_EQ(objects_of(contents).size(), 3u);
}

// Oracle: the record of the bench, known by its making: 20 cycles of 0.5 mm at 5 Hz, 300 N, 0.1 rad, on 800 N
// (data/bench_exports/README.md).
TEST(Door, ARawRecordIsReducedToItsSine) {
  Contents contents = read_measurements({source + "/data/bench_exports/cab_z/mts_raw.txt"}, {});
  std::vector<Finding> findings;
  const auto map = reduce_sines(contents.sets.at(0).bench.series, findings);
  ASSERT_TRUE(map.has_value());
  ASSERT_EQ(map->rows.size(), 1u);
  EXPECT_NEAR(map->rows[0].k_dyn, 6e5, 6.0);  // six digits in the file, least squares over 4000 samples
  EXPECT_NEAR(map->rows[0].loss_angle, 0.1, 1e-5);
  EXPECT_NEAR(map->rows[0].preload, 800.0, 0.05);
  EXPECT_NEAR(map->rows[0].frequency_hz, 5.0, 1e-5);
  EXPECT_NEAR(map->rows[0].amplitude, 5e-4, 1e-9);
}

BenchSeries steps(const std::vector<std::pair<double, double>>& sines, double noise) {
  BenchSeries series;
  double t = 0.0;
  unsigned state = 1;
  const auto random = [&] {
    return state = state * 1664525U + 1013904223U, static_cast<double>(state >> 8) / (1 << 24) - 0.5;
  };
  for (const auto& [frequency, amplitude] : sines) {
    const double step = 1.0 / (50.0 * frequency);
    for (int i = 0; i < 50 * 12; ++i, t += step) {
      const double phase = 2.0 * std::numbers::pi * frequency * step * i;
      series.time.push_back(t);
      series.displacement.push_back(1e-3 + amplitude * (std::sin(phase) + noise * random()));
      series.force.push_back(500.0 + 4e5 * amplitude * std::sin(phase + 0.2));
    }
    for (int i = 0; i < 30; ++i, t += step)
      series.time.push_back(t), series.displacement.push_back(1e-3), series.force.push_back(500.0);
  }
  return series;
}

TEST(Door, ManySinesInOneRecordAreFoundApart) {
  const std::vector<std::pair<double, double>> sines = {{1, 2e-3}, {5, 2e-3},  {20, 2e-3}, {1, 1e-4},
                                                        {5, 1e-4}, {20, 1e-4}, {50, 5e-5}};
  std::vector<Finding> findings;
  const auto map = reduce_sines(steps(sines, 0.01), findings);
  ASSERT_TRUE(map.has_value());
  ASSERT_EQ(map->rows.size(), sines.size());
  for (std::size_t i = 0; i < sines.size(); ++i) {
    EXPECT_NEAR(map->rows[i].frequency_hz, sines[i].first, 1e-3 * sines[i].first);
    EXPECT_NEAR(map->rows[i].amplitude, sines[i].second, 2e-3 * sines[i].second);  // 1 % noise over 600 samples
    EXPECT_NEAR(map->rows[i].k_dyn, 4e5, 1e3);
    EXPECT_NEAR(map->rows[i].loss_angle, 0.2, 2e-3);
  }
}

TEST(Door, SweepsNoiseAndRoadsAreNoSines) {
  std::vector<Finding> findings;
  BenchSeries sweep, noise;
  unsigned state = 7;
  double x = 0.0;
  for (int i = 0; i < 8000; ++i) {
    const double t = 1e-3 * i;
    state = state * 1664525U + 1013904223U;
    x = 0.98 * x + static_cast<double>(state >> 8) / (1 << 24) - 0.5;
    for (BenchSeries* s : {&sweep, &noise}) s->time.push_back(t);
    sweep.displacement.push_back(1e-3 * std::sin(2.0 * std::numbers::pi * (2.0 * t + 2.0 * t * t)));
    noise.displacement.push_back(1e-4 * x);
    sweep.force.push_back(4e5 * sweep.displacement.back());
    noise.force.push_back(4e5 * noise.displacement.back());
  }
  EXPECT_FALSE(reduce_sines(sweep, findings).has_value());
  EXPECT_FALSE(reduce_sines(noise, findings).has_value());
  Contents road = read_measurements({source + "/data/cab_mount/z_transient.csv"}, {});
  EXPECT_FALSE(reduce_sines(road.sets.at(0).bench.series, findings).has_value());
}

class Elsewhere {
 public:
  Elsewhere()
      : back_(fs::current_path()),
        folder_(fs::temp_directory_path() / ("kdyn_door_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  ~Elsewhere() {
    fs::current_path(back_);
    fs::remove_all(folder_);
  }

 private:
  fs::path back_, folder_;
};

TEST(Door, ASavedLayoutIsAppliedByItsHeader) {
  const Elsewhere elsewhere;
  const std::string text = "Clock [s],Ch 1 [mm],Ch 2 [mm],Ch 3 [kN],Ch 4 [kN]\n0,0,9,7,0\n1,1,9,7,0.4\n2,2,9,7,0.8\n";
  write_text("bench.csv", text);
  EXPECT_THROW(read_measurements({"bench.csv"}, {}), Error);
  LayoutTemplate layout;
  layout.name = "our bench";
  layout.match = {"Ch 1", "Ch 4"};
  layout.columns = {{"displacement", "Ch 1 [mm]"}, {"force", "Ch 4 [kN]"}, {"time", "Clock [s]"}};
  EXPECT_EQ(save_layout_template(layout, false), (fs::path(".kdyn") / "layouts" / "our_bench.json").string());
  const Contents contents = read_measurements({"bench.csv"}, {});
  EXPECT_DOUBLE_EQ(contents.sets.at(0).bench.series.force[2], 800.0);
  bool told = false;
  for (const Finding& f : contents.findings) told = told || f.code == "layout_applied";
  EXPECT_TRUE(told);
  ReadHints none;
  none.layout = "none";
  EXPECT_THROW(read_measurements({"bench.csv"}, none), Error);
  none.layout = "not there";
  EXPECT_THROW(read_measurements({"bench.csv"}, none), Error);
  write_text(".kdyn/layouts/broken.json", "{");
  std::vector<Finding> findings;
  EXPECT_GE(layout_templates(findings).size(), 8u);
  EXPECT_EQ(findings.size(), 1u);
}

TEST(Door, SignalsOfAUniversalFileAreARecord) {
  const Elsewhere elsewhere;
  std::vector<Finding> findings;
  const std::string csv = source + "/data/cab_mount/z_transient.csv";
  const Exchange series = read_exchange(csv);
  write_text("z.uff", exchange_bytes(series, "z.uff", {}, findings));
  write_text("z.h5", exchange_bytes(series, "z.h5", {}, findings));
  for (const char* name : {"z.uff", "z.h5"}) {
    const Contents back = read_measurements({name}, {});
    ASSERT_EQ(back.sets.at(0).bench.series.force.size(), series.sets.at(0).bench.series.force.size()) << name;
    EXPECT_DOUBLE_EQ(back.sets[0].bench.series.force[100], series.sets[0].bench.series.force[100]) << name;
    EXPECT_EQ(back.sets[0].labels.direction, "z");
  }
}

TEST(Temperatures, InNamesOfFilesAndSheets) {
  EXPECT_EQ(temperature_in_name("z_map_80C"), 80.0);
  EXPECT_EQ(temperature_in_name("loop_-30degC"), -30.0);
  EXPECT_EQ(temperature_in_name("23 \xc2\xb0"
                                "C"),
            23.0);
  EXPECT_EQ(temperature_in_name("T80C_z"), 80.0);
  for (const char* none : {"map-30C", "z_map", "part_12", "23C_80C", "CM4711C", "a1000C", "10Hz_0.5mm", "x_1.5c"})
    EXPECT_FALSE(temperature_in_name(none).has_value()) << none;
}

}  // namespace
}  // namespace kdyn::inline door
