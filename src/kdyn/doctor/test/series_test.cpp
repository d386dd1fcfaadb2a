// SPDX-License-Identifier: Apache-2.0
// One blemish at a time is put into a synthetic record, or into one of two files that belong together; the doctor must
// name that one and no other.
#include <gtest/gtest.h>

#include "cases.hpp"
#include "kdyn/doctor/doctor.hpp"

namespace kdyn::inline doctor {
namespace {

using namespace test;

TEST(DoctorSeries, CleanRecordsGiveNoFinding) {
  EXPECT_EQ(codes(examine(make_series())), Codes{});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(codes(examine(make_series(0.01, seed))), Codes{}) << seed;
  BenchSeries input = make_series();
  input.force.clear();
  EXPECT_EQ(codes(examine(input)), Codes{});
}

TEST(DoctorSeries, Sampling) {
  BenchSeries jitter = make_series(), gap = make_series(), slow = make_series();
  RandomStream random(1);
  for (double& t : jitter.time) t += random.uniform(-2e-4, 2e-4);
  EXPECT_EQ(codes(examine(jitter)), Codes{"sampling_non_uniform"});

  const auto cut = [](std::vector<double>& v) { v.erase(v.begin() + 5000, v.begin() + 5004); };
  cut(gap.time), cut(gap.displacement), cut(gap.force);
  const auto findings = examine(gap);
  EXPECT_EQ(codes(findings), Codes{"missing_samples"});
  EXPECT_EQ(findings.at(0).where, "series.csv:5002");

  const auto thin = [](std::vector<double>& v) {
    std::vector<double> out;
    for (std::size_t i = 0; i < v.size(); i += 40) out.push_back(v[i]);
    v = out;
  };
  thin(slow.time), thin(slow.displacement), thin(slow.force);
  EXPECT_EQ(codes(examine(slow)), Codes{"sampling_low"});
}

TEST(DoctorSeries, ClippedSensor) {
  BenchSeries force = make_series(0.001), travel = force;
  for (double& f : force.force) f = std::min(f, 350.0);
  EXPECT_EQ(codes(examine(force)), Codes{"clipped"});
  // With 90 deg between the channels the force moves while the displacement stands still.
  for (std::size_t i = 0; i < travel.force.size(); ++i)
    travel.force[i] = 400.0 * std::cos(2.0 * std::numbers::pi * 3.0 * travel.time[i]);
  for (double& x : travel.displacement) x = std::min(x, 8e-4);
  EXPECT_EQ(codes(examine(travel)), Codes{"clipped"});
}

TEST(DoctorSeries, Spikes) {
  BenchSeries series = make_series(0.001);
  series.force[3000] += 300.0, series.force[7000] -= 250.0;
  const auto findings = examine(series);
  EXPECT_EQ(codes(findings), Codes{"spikes"});
  EXPECT_EQ(findings.at(0).where, "series.csv:3002");
  BenchSeries travel = make_series(0.001);
  travel.displacement[4000] += 1e-3;
  EXPECT_EQ(codes(examine(travel)), Codes{"spikes"});
}

TEST(DoctorSeries, DelayedForceWouldGenerateEnergy) {
  BenchSeries series = make_series();
  // Spring force delayed by 4 ms: 4.3 deg at 3 Hz.
  for (std::size_t i = series.force.size(); i-- > 0;) series.force[i] = 4e5 * series.displacement[i >= 4 ? i - 4 : 0];
  const auto findings = examine(series);
  ASSERT_EQ(codes(findings), Codes{"force_delay"});
  EXPECT_EQ(findings.at(0).severity, Severity::serious);
}

TEST(DoctorSeries, SignUnitsOffsets) {
  BenchSeries negated = make_series(), unit = negated, force = negated, travel = negated;
  for (double& f : negated.force) f = -f;
  EXPECT_EQ(codes(examine(negated)), Codes{"force_sign"});
  for (double& x : unit.displacement) x *= 1e3;
  EXPECT_EQ(codes(examine(unit)), Codes{"stiffness_implausible"});
  for (double& f : force.force) f += 200.0;
  EXPECT_EQ(codes(examine(force)), Codes{"force_offset"});
  for (double& x : travel.displacement) x += 1e-3;
  EXPECT_EQ(codes(examine(travel)), Codes{"displacement_offset"});
  EXPECT_EQ(codes(examine(travel), false), Codes{}) << "an offset may be intended: a note";
}

TEST(DoctorSeries, HardlyAnyDataIsNoReasonToFail) {
  EXPECT_EQ(codes(examine(BenchSeries{})), Codes{"too_few_points"});
  BenchSeries flat;
  for (int i = 0; i < 20; ++i) flat.time.push_back(i), flat.displacement.push_back(0.0), flat.force.push_back(i);
  EXPECT_EQ(codes(examine(flat)), Codes{"constant_channel"});
}

TEST(DoctorTogether, FilesThatBelongTogether) {
  const StiffnessMap map = make_map(0.01);
  const StaticLoop loop = make_loop(0.001);
  const BenchSeries series = make_series();
  EXPECT_EQ(codes(examine_together(&map, &loop, &series)), Codes{});
  EXPECT_EQ(codes(examine_together(nullptr, nullptr, nullptr)), Codes{});
}

TEST(DoctorTogether, UnitsAndStiffnessThatDoNotGoTogether) {
  const StaticLoop loop = make_loop(0.001);
  StiffnessMap soft = make_map(0.005), kilo = soft, tiny = soft, loaded = soft;
  for (MapRow& row : soft.rows) row.k_dyn *= 0.6;
  EXPECT_EQ(codes(examine_together(&soft, &loop, nullptr)), Codes{"k_dyn_below_static"});
  for (MapRow& row : kilo.rows) row.k_dyn *= 1e3;
  EXPECT_EQ(codes(examine_together(&kilo, &loop, nullptr)), Codes{"unit_mismatch"});
  for (MapRow& row : tiny.rows) row.amplitude *= 1e-4;
  EXPECT_EQ(codes(examine_together(&tiny, &loop, nullptr)), Codes{"unit_mismatch"});
  for (MapRow& row : loaded.rows) row.preload = 5000.0;
  EXPECT_EQ(codes(examine_together(&loaded, &loop, nullptr)), Codes{"preload_outside_static"});

  BenchSeries series = make_series();
  for (double& f : series.force) f *= 1e-3;
  const StiffnessMap map = make_map();
  EXPECT_EQ(codes(examine_together(&map, nullptr, &series)), Codes{"unit_mismatch"});
  series.axis = AxisKind::rotation;
  EXPECT_EQ(codes(examine_together(&map, nullptr, &series)), Codes{"axis_mismatch"});
}

}  // namespace
}  // namespace kdyn::inline doctor
