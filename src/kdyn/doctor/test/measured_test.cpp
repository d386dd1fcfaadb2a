// SPDX-License-Identifier: Apache-2.0
// The doctor on public measurements (read in place, skipped when they are not there): a friction damper with backlash,
// 1024 Hz sampling, inches and kip. The records are sound, so nothing serious may be said about them, and its large
// loss angles are no 90 deg - delta.
#include <complex>
#include <filesystem>

#include <gtest/gtest.h>

#include "cases.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/doctor/doctor.hpp"

namespace kdyn::inline doctor {
namespace {

using namespace test;

std::string folder() { return std::string(KDYN_SHARED_DIR) + "/data/mounts/friction_backlash"; }

// Columns of the files: time in s, displacement in in, friction force in kip.
BenchSeries read_record(const std::string& path) {
  BenchSeries series;
  series.source.path = path;
  const Json file = read_json(path);
  for (const Json& row : file.at("data")) {
    series.time.push_back(row.at(0).get<double>());
    series.displacement.push_back(convert(row.at(1).get<double>(), "in", "m"));
    series.force.push_back(convert(row.at(2).get<double>(), "kip", "N"));
  }
  return series;
}

// First harmonic of the last whole cycles, by correlation with a sine of the known frequency.
MapRow reduce(const BenchSeries& series, double frequency_hz, double nominal_in) {
  const double start = series.time.back() - std::floor(0.6 * series.time.back() * frequency_hz) / frequency_hz;
  std::complex<double> x, f;
  double count = 0.0;
  for (std::size_t i = 0; i < series.time.size(); ++i) {
    if (series.time[i] <= start) continue;
    const auto turn = std::polar(1.0, -2.0 * std::numbers::pi * frequency_hz * series.time[i]);
    x += series.displacement[i] * turn, f += series.force[i] * turn, count += 1.0;
  }
  MapRow row;
  row.frequency_hz = frequency_hz;
  row.amplitude = 2.0 * std::abs(x) / count;
  row.k_dyn = std::abs(f / x);
  row.loss_angle = std::arg(f / x);
  row.nominal_amplitude = convert(nominal_in, "in", "m");
  return row;
}

TEST(DoctorMeasured, FrictionDamperRecordsAreSound) {
  if (!std::filesystem::is_directory(folder())) GTEST_SKIP() << "public data not found at " << folder();
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() != ".json") continue;
    const BenchSeries series = read_record(entry.path().string());
    EXPECT_EQ(codes(examine(series), false), Codes{}) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 6u);
}

TEST(DoctorMeasured, FrictionDamperMap) {
  if (!std::filesystem::is_directory(folder())) GTEST_SKIP() << "public data not found at " << folder();
  StiffnessMap map;
  for (const auto& [file, nominal] :
       std::vector<std::pair<std::string, double>>{{"1Hz30lbtension0.5amplitude.json", 0.5},
                                                   {"1Hz30lbtension1amplitude.json", 1.0},
                                                   {"1Hz30lbtension1.5amplitude.json", 1.5}})
    map.rows.push_back(reduce(read_record(folder() + "/" + file), 1.0, nominal));
  // Known of these files: stiffness falls from 5.45 to 2.16 kip/in, the loss angle rises from 45 to 70 deg, the
  // amplitude is below nominal. Which cycles that was taken from is not known; the cycles differ by some 15 %.
  EXPECT_NEAR(convert(map.rows[0].k_dyn, "N/m", "kip/in"), 5.45, 0.2 * 5.45);
  EXPECT_NEAR(convert(map.rows[2].k_dyn, "N/m", "kip/in"), 2.16, 0.2 * 2.16);
  EXPECT_NEAR(map.rows[0].loss_angle, 45.0 * degree, 5.0 * degree);
  EXPECT_NEAR(map.rows[2].loss_angle, 70.0 * degree, 5.0 * degree);
  EXPECT_EQ(codes(examine(map)), (Codes{"amplitude_not_achieved", "too_few_frequencies"}));
}

}  // namespace
}  // namespace kdyn::inline doctor
