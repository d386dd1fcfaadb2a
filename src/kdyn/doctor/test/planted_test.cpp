// SPDX-License-Identifier: Apache-2.0
// Faults as benches make them, planted into random mounts: each is found in nearly all of them, and none in sound maps.
// The mounts are formulas of their own: stiffness and the loss angle that belongs to its slope over frequency, friction
// that depends on amplitude, noise of 1 % and 0.3 deg.
#include <gtest/gtest.h>

#include "kdyn/doctor/doctor.hpp"
#include "kdyn/doctor/test/cases.hpp"
#include "kdyn/doctor/tools.hpp"

namespace kdyn::test {
namespace {

StiffnessMap random_map(std::uint64_t seed) {
  RandomStream random(seed);
  const double k = 1e5 * std::exp(random.uniform(0.0, 3.5)), slope = random.uniform(0.01, 0.06),
               friction = random.uniform(0.05, 0.5), scale = 1e-4 * std::exp(random.uniform(0.0, 2.0)),
               top = random.uniform(30.0, 150.0);
  const int amplitudes = 3 + static_cast<int>(random.uniform(0.0, 4.0)),
            frequencies = 8 + static_cast<int>(random.uniform(0.0, 17.0));
  StiffnessMap map;
  map.source.path = "map.csv";
  std::size_t line = 2;
  for (int i = 0; i < amplitudes; ++i) {
    const double a = 5e-5 * std::pow(40.0, i / (amplitudes - 1.0)), share = friction / (1.0 + a / scale);
    // A friction element loses most where it begins to slide.
    const double angle = 0.35 * friction * (a / scale) / std::pow(1.0 + a / scale, 2.0) * 2.0;
    for (int n = 0; n < frequencies; ++n) {
      MapRow row;
      row.frequency_hz = std::pow(top, n / (frequencies - 1.0));
      row.amplitude = a;
      const double rate = std::pow(row.frequency_hz, slope);
      row.k_dyn = k * (rate + share) * (1.0 + 0.01 * random.normal());
      row.loss_angle = 0.5 * std::numbers::pi * slope * rate / (rate + share) + angle / (rate + share) + 1.0 * degree +
                       0.3 * degree * random.normal();
      row.line = line++;
      map.rows.push_back(row);
    }
  }
  return map;
}

// How many of 100 random mounts, after the fault, get this finding.
template <class Fault>
int found(const char* code, Fault&& fault) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    StiffnessMap map = random_map(seed);
    fault(map);
    count += find(examine(map), code) != nullptr ? 1 : 0;
  }
  return count;
}

TEST(DoctorPlanted, SoundMapsRaiseNoWarning) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const auto warned = codes(examine(random_map(seed)), false);
    alarms += warned.empty() ? 0 : 1;
    for (const std::string& code : warned) ADD_FAILURE() << "seed " << seed << ": " << code;
  }
  EXPECT_EQ(alarms, 0);
}

TEST(DoctorPlanted, DisplacementBehindForce) {
  // 0.5 ms is 5 to 27 deg at the top of these bands.
  const int count = found("channel_delay", [](StiffnessMap& map) {
    for (MapRow& row : map.rows) row.loss_angle -= 2.0 * std::numbers::pi * row.frequency_hz * 5e-4;
  });
  EXPECT_GE(count, 85);
}

TEST(DoctorPlanted, UnitsOfStiffness) {
  const auto scaled = [](double factor) {
    return [factor](StiffnessMap& map) {
      for (MapRow& row : map.rows) row.k_dyn *= factor;
    };
  };
  int high = found("unit_slip", scaled(1e3)) + found("stiffness_implausible", scaled(1e3));
  EXPECT_GE(high, 95);
  int low = found("unit_slip", scaled(1e-3)) + found("stiffness_implausible", scaled(1e-3));
  EXPECT_GE(low, 95);
}

TEST(DoctorPlanted, FrequenciesInRadPerSecond) {
  const std::vector<double> chosen = {1, 1.5, 2, 3, 5, 7.5, 10, 12.5, 15, 20, 50, 100};
  std::vector<double> turned, written, spaced;
  for (const double f : chosen) {
    turned.push_back(2.0 * std::numbers::pi * f);
    // Four digits in the file.
    const double unit = std::pow(10.0, std::floor(std::log10(turned.back())) - 3.0);
    written.push_back(unit * std::round(turned.back() / unit));
  }
  for (int i = 0; i < 40; ++i) spaced.push_back(std::pow(10.0, 0.05 * i));  // logarithmic sweeps are round nowhere
  EXPECT_TRUE(doctor::look_like_rad_per_s(turned));
  EXPECT_TRUE(doctor::look_like_rad_per_s(written));
  EXPECT_FALSE(doctor::look_like_rad_per_s(chosen));
  EXPECT_FALSE(doctor::look_like_rad_per_s(spaced));
  for (double& f : spaced) f *= 2.0 * std::numbers::pi;
  EXPECT_FALSE(doctor::look_like_rad_per_s(spaced));
  EXPECT_FALSE(doctor::look_like_rad_per_s({6.2832, 12.566, 62.832}));  // too few to say
}

TEST(DoctorPlanted, UnitsAgainstTheStaticLoop) {
  for (const double factor : {1e3, 9.80665, 25.4, 1.0 / 9.80665, 1.0 / 25.4, 1e-3}) {
    StiffnessMap map = make_map(0.01);
    const StaticLoop loop = make_loop(0.001);
    EXPECT_EQ(codes(examine_together(&map, &loop, nullptr), false), Codes{});
    for (MapRow& row : map.rows) row.k_dyn *= factor;
    const auto told = codes(examine_together(&map, &loop, nullptr), false);
    EXPECT_TRUE(told.contains("unit_slip") || told.contains("unit_mismatch")) << factor;
  }
}

TEST(DoctorPlanted, PeakToPeakTakenAsAmplitude) {
  const int count = found("amplitude_not_achieved", [](StiffnessMap& map) {
    for (MapRow& row : map.rows) row.nominal_amplitude = row.amplitude, row.amplitude *= 2.0;
  });
  EXPECT_EQ(count, 100);
}

TEST(DoctorPlanted, ComplementOfTheLossAngle) {
  const int count = found("phase_complement", [](StiffnessMap& map) {
    for (MapRow& row : map.rows) row.loss_angle = 0.5 * std::numbers::pi - row.loss_angle;
  });
  EXPECT_GE(count, 98);
}

TEST(DoctorPlanted, ColumnsChangedPlaces) {
  StaticLoop loop = make_loop(0.001);
  for (std::size_t i = 0; i < loop.force.size(); ++i) {
    const double x = loop.displacement[i], f = loop.force[i];
    loop.displacement[i] = 1e-3 * f, loop.force[i] = 1e3 * x;  // N read as mm, mm read as N
  }
  EXPECT_NE(find(examine(loop), "columns_swapped"), nullptr);
}

TEST(DoctorPlanted, ChannelsOfARecordChangedPlaces) {
  BenchSeries series = make_series(0.001), kilo = series;
  for (std::size_t i = 0; i < series.force.size(); ++i) {
    const double x = series.displacement[i], f = series.force[i];
    series.displacement[i] = 1e-3 * f, series.force[i] = 1e3 * x;
  }
  EXPECT_NE(find(examine(series), "columns_swapped"), nullptr);
  // kN read as N is a slip of another kind: the record does not generate energy.
  for (double& f : kilo.force) f *= 1e-3;
  EXPECT_EQ(find(examine(kilo), "columns_swapped"), nullptr);
  EXPECT_NE(find(examine(kilo), "stiffness_implausible"), nullptr);
}

TEST(DoctorPlanted, WarmUp) {
  // The first amplitude is measured again at the end, 10 % softer.
  const int count = found("warm_up_drift", [](StiffnessMap& map) {
    std::vector<MapRow> again;
    for (const MapRow& row : map.rows)
      if (row.amplitude == map.rows.front().amplitude) again.push_back(row);
    for (MapRow& row : again) row.k_dyn *= 0.9, row.loss_angle += 1e-4, row.line += 1000;
    map.rows.insert(map.rows.end(), again.begin(), again.end());
  });
  EXPECT_GE(count, 95);
}

}  // namespace
}  // namespace kdyn::test
