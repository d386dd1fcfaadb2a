// SPDX-License-Identifier: Apache-2.0
// One blemish at a time is put into a synthetic map; the doctor must name that one and no other.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "cases.hpp"
#include "kdyn/doctor/doctor.hpp"

namespace kdyn::inline doctor {
namespace {

using namespace test;

constexpr double noise = 0.005;

std::size_t count_true(const std::vector<bool>& flags) {
  return static_cast<std::size_t>(std::count(flags.begin(), flags.end(), true));
}

TEST(DoctorMap, CleanMapGivesNoFinding) { EXPECT_EQ(codes(examine(make_map())), Codes{}); }

// 50 seeds of 1 % noise: 15000 deviations against a threshold of 5.5 standard deviations leave no room for more than
// one false alarm.
TEST(DoctorMap, NoiseAloneRaisesNoWarning) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) alarms += codes(examine(make_map(0.01, seed))).empty() ? 0 : 1;
  EXPECT_LE(alarms, 1);
}

TEST(DoctorMap, SmallNoisyMapsRaiseNoWarning) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    StiffnessMap map = make_map(0.01, seed), small;
    for (std::size_t i = 0; i < map.rows.size(); i += 4)
      if (i % 25 < 24 && (map.rows[i].amplitude < 8e-5 || map.rows[i].amplitude > 1.5e-3))
        small.rows.push_back(map.rows[i]);
    alarms += codes(examine(small)).empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 1);
}

TEST(DoctorMap, OutlierInStiffnessHasItsLine) {
  for (const std::size_t r : {0u, 12u, 24u, 60u, 149u}) {
    StiffnessMap map = make_map(noise, 3);
    map.rows[r].k_dyn *= 1.3;
    const auto findings = examine(map);
    EXPECT_EQ(codes(findings), Codes{"outlier"}) << r;
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].where, "map.csv:" + std::to_string(r + 2));
    const auto rows = suspicious_rows(map);
    EXPECT_TRUE(rows[r]);
    EXPECT_EQ(count_true(rows), 1u);
  }
}

TEST(DoctorMap, TwoNeighbouringOutliersDoNotHideEachOther) {
  StiffnessMap map = make_map(noise, 4);
  map.rows[60].k_dyn *= 1.4;
  map.rows[61].loss_angle += 8.0 * degree;
  const auto rows = suspicious_rows(map);
  EXPECT_TRUE(rows[60] && rows[61]);
  EXPECT_EQ(count_true(rows), 2u);
}

TEST(DoctorMap, ManyOutliersBecomeOneFindingWithLines) {
  StiffnessMap map = make_map(noise, 5);
  for (std::size_t i = 4; i < 150; i += 13) map.rows[i].k_dyn *= 0.7;
  const auto findings = examine(map);
  ASSERT_EQ(codes(findings), Codes{"outlier"});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("12 rows"), std::string::npos) << findings[0].message;
}

TEST(DoctorMap, PhaseComplementOfWholeFileOfOneAmplitudeOfOneRow) {
  StiffnessMap whole = make_map(noise, 6);
  for (MapRow& row : whole.rows) row.loss_angle = 90.0 * degree - row.loss_angle;
  EXPECT_EQ(codes(examine(whole)), Codes{"phase_complement"});
  EXPECT_EQ(count_true(suspicious_rows(whole)), 0u) << "nothing is left to fit when all rows are excluded";

  StiffnessMap block = make_map(noise, 6);
  for (MapRow& row : block.rows)
    if (row.amplitude == 5e-4) row.loss_angle = 90.0 * degree - row.loss_angle;
  const auto findings = examine(block);
  EXPECT_EQ(codes(findings), Codes{"phase_complement"});
  EXPECT_EQ(findings.size(), 1u);
  EXPECT_EQ(count_true(suspicious_rows(block)), 25u);

  StiffnessMap single = make_map(noise, 6);
  single.rows[40].loss_angle = 90.0 * degree - single.rows[40].loss_angle;
  EXPECT_EQ(codes(examine(single)), Codes{"phase_complement"});
}

TEST(DoctorMap, DamperIsNotTakenForPhaseComplement) {
  StiffnessMap map = make_map(noise, 7);
  for (MapRow& row : map.rows) {
    row.k_dyn *= row.frequency_hz / 10.0;
    row.loss_angle = 85.0 * degree;
  }
  EXPECT_EQ(codes(examine(map)).count("phase_complement"), 0u);
}

TEST(DoctorMap, RadiansOrTanDeltaUnderTheNameOfDegrees) {
  StiffnessMap radians = make_map(noise, 8), tangent = make_map(noise, 8);
  for (MapRow& row : radians.rows) row.loss_angle *= degree;
  for (MapRow& row : tangent.rows) row.loss_angle = std::tan(row.loss_angle) * degree;
  EXPECT_EQ(codes(examine(radians)), Codes{"loss_angle_unit"});
  EXPECT_EQ(codes(examine(tangent)), Codes{"loss_angle_unit"});
  StiffnessMap degrees = make_map(0.0, 8);
  for (MapRow& row : degrees.rows)
    row.loss_angle =
        0.4 * row.loss_angle / degree;  // degrees under the name of radians, as far as the reader lets them pass
  EXPECT_EQ(codes(examine(degrees)), Codes{"loss_angle_unit"});
}

TEST(DoctorMap, NearlyElasticPartIsNotTakenForRadians) {
  StiffnessMap map = make_map(0.0, 8);
  for (MapRow& row : map.rows) row.k_dyn = 1e6, row.loss_angle = 0.1 * degree;
  EXPECT_EQ(codes(examine(map)), Codes{});
}

TEST(DoctorMap, SignFlipOfWholeFileOfOneAmplitudeOfOneRow) {
  StiffnessMap whole = make_map(noise, 9), block = whole, single = whole;
  for (MapRow& row : whole.rows) row.loss_angle *= -1.0;
  for (MapRow& row : block.rows)
    if (row.amplitude == 1e-3) row.loss_angle *= -1.0;
  single.rows[70].loss_angle *= -1.0;
  EXPECT_EQ(codes(examine(whole)), Codes{"loss_angle_negative"});
  EXPECT_EQ(codes(examine(block)), Codes{"loss_angle_negative"});
  const auto findings = examine(single);
  EXPECT_EQ(codes(findings), Codes{"loss_angle_negative"});
  EXPECT_EQ(findings.at(0).where, "map.csv:72");
}

TEST(DoctorMap, NominalAmplitudeNotAchieved) {
  StiffnessMap map = make_map(noise, 10);
  for (MapRow& row : map.rows) row.nominal_amplitude = row.amplitude;
  EXPECT_EQ(codes(examine(map)), Codes{});
  for (MapRow& row : map.rows)
    if (row.frequency_hz > 30.0) row.amplitude *= 0.8;
  const auto findings = examine(map);
  EXPECT_EQ(codes(findings), Codes{"amplitude_not_achieved"});
  EXPECT_EQ(findings.at(0).severity, Severity::warning);
  for (MapRow& row : map.rows) row.amplitude = 0.5 * row.nominal_amplitude;
  EXPECT_NE(examine(map).at(0).message.find("peak-to-peak"), std::string::npos);
}

TEST(DoctorMap, AmplitudeDriftsOverFrequencyWithoutNominal) {
  StiffnessMap map = make_map(noise, 11);
  for (MapRow& row : map.rows) row.amplitude *= std::pow(row.frequency_hz, -0.05);
  EXPECT_EQ(codes(examine(map)), Codes{"amplitude_drift"});
}

// Levels 25 % apart that drift by 45 %: the levels run together and can only be told apart frequency by frequency.
TEST(DoctorMap, DriftingLevelsThatRunTogetherAreToldApart) {
  StiffnessMap map = make_map(0.0, 11);
  const auto levels = amplitudes();
  for (MapRow& row : map.rows) {
    const auto level = static_cast<double>(std::find(levels.begin(), levels.end(), row.amplitude) - levels.begin());
    row.amplitude = 1e-4 * std::pow(1.25, level) * std::pow(row.frequency_hz, -0.08);
  }
  EXPECT_EQ(codes(examine(map)), Codes{"amplitude_drift"});
}

TEST(DoctorMap, RigResonanceSharedByAllAmplitudes) {
  StiffnessMap map = make_map(noise, 12);
  for (MapRow& row : map.rows) {
    // A lightly damped fixture mode in series: 3 % of the mount's compliance at 70 Hz, 1 % damping.
    const double r = row.frequency_hz / 70.0, re = 1.0 - r * r, im = 0.02 * r;
    const double gain = 0.01 / (re * re + im * im);
    row.k_dyn *= std::hypot(1.0 + gain * re, gain * im);
    row.loss_angle += std::atan2(gain * im, 1.0 + gain * re);
  }
  const auto findings = examine(map);
  ASSERT_NE(find(findings, "rig_resonance"), nullptr);
  EXPECT_EQ(codes(findings), Codes{"rig_resonance"});
}

TEST(DoctorMap, ExactCopiesAndRepeatedPoints) {
  StiffnessMap copies = make_map(noise, 13);
  copies.rows.push_back(copies.rows[10]);
  copies.rows.back().line = 152;
  const auto findings = examine(copies);
  EXPECT_EQ(codes(findings), Codes{"duplicate_rows"});
  EXPECT_EQ(findings.at(0).where, "map.csv:152");
  EXPECT_TRUE(suspicious_rows(copies)[150]);
  EXPECT_EQ(count_true(suspicious_rows(copies)), 1u);

  StiffnessMap repeated = make_map(noise, 13);
  repeated.rows.push_back(repeated.rows[10]);
  repeated.rows.back().k_dyn *= 1.01;
  const auto notes = examine(repeated);
  EXPECT_EQ(codes(notes), Codes{"repeated_points"});
  EXPECT_EQ(notes.at(0).severity, Severity::note);
  // Two readings 1 % apart: standard deviation ln(1.01)/sqrt(2) = 0.70 %.
  EXPECT_NE(notes.at(0).message.find("0.7 %"), std::string::npos) << notes.at(0).message;
}

TEST(DoctorMap, TooFewAmplitudesAndFrequencies) {
  StiffnessMap one_amplitude = make_map(noise, 14), narrow = one_amplitude;
  std::erase_if(one_amplitude.rows, [](const MapRow& row) { return row.amplitude != 1e-3; });
  EXPECT_EQ(codes(examine(one_amplitude)), Codes{"too_few_amplitudes"});
  std::erase_if(narrow.rows, [](const MapRow& row) { return row.frequency_hz > 3.5; });
  EXPECT_EQ(codes(examine(narrow)), Codes{"too_few_frequencies"});
}

TEST(DoctorMap, UnitsOffByAThousand) {
  StiffnessMap soft = make_map(noise, 15), stiff = soft, tiny = soft, huge = soft;
  for (MapRow& row : soft.rows) row.k_dyn *= 1e-3;
  for (MapRow& row : stiff.rows) row.k_dyn *= 1e4;
  for (MapRow& row : tiny.rows) row.amplitude *= 1e-3;
  for (MapRow& row : huge.rows) row.amplitude *= 1e3;
  EXPECT_EQ(codes(examine(soft)), Codes{"stiffness_implausible"});
  EXPECT_EQ(codes(examine(stiff)), Codes{"stiffness_implausible"});
  EXPECT_EQ(codes(examine(tiny)), Codes{"amplitude_implausible"});
  EXPECT_EQ(codes(examine(huge)), Codes{"amplitude_implausible"});
}

// A hydro mount: stiffness and loss angle swing strongly near 10 Hz, differently for each amplitude. Nothing is wrong
// with it.
TEST(DoctorMap, HydroMountResonanceIsNoBlemish) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    StiffnessMap map = make_map(0.0);
    RandomStream random(seed);
    for (MapRow& row : map.rows) {
      const double r = row.frequency_hz / 10.0, damping = 0.3 + 300.0 * row.amplitude;
      const double re = 1.0 - r * r, im = 2.0 * damping * r, size = re * re + im * im;
      const double storage = 1.0 - 1.5 * r * r * re / size, loss = 1.5 * r * r * im / size + 0.08;
      row.k_dyn = 3e5 * std::hypot(storage, loss) * (1.0 + 0.01 * random.normal());
      row.loss_angle = std::atan2(loss, storage) + 0.3 * degree * random.normal();
    }
    alarms += codes(examine(map)).empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 1);
}

TEST(DoctorMap, EmptyMapIsNoReasonToFail) {
  EXPECT_TRUE(examine(StiffnessMap{}).empty());
  EXPECT_TRUE(suspicious_rows(StiffnessMap{}).empty());
}

TEST(DoctorMap, SummaryInPlainWords) {
  StiffnessMap map = make_map(0.0);
  map.source.conversions = {{"amplitude_mm", "mm", "m", 1e-3}};
  const BenchSummary summary = summarise(map);
  EXPECT_EQ(summary.kind, "map");
  EXPECT_EQ(summary.rows, 150u);
  EXPECT_EQ(summary.frequencies, 25u);
  EXPECT_NEAR(summary.frequency_max_hz, 100.0, 1e-9);
  ASSERT_EQ(summary.amplitudes.size(), 6u);
  EXPECT_NEAR(summary.amplitudes[3], 5e-4, 1e-12);
  EXPECT_EQ(summary.preloads, std::vector<double>{0.0});
  EXPECT_EQ(summary.units.at(0), "amplitude_mm: mm, multiplied by 0.001 to m");
  EXPECT_EQ(summary.words.at(2), "6 amplitudes: 0.05 mm, 0.1 mm, 0.2 mm, 0.5 mm, 1 mm, 2 mm");
}

TEST(DoctorMap, MapsOfAnyLengthAreExaminedInBoundedTime) {
  // Many rows of few frequencies: neighbours of another frequency are far away in the list. Quadratic work would take
  // minutes here.
  StiffnessMap map = test::make_map(0.005);
  const std::vector<MapRow> once = map.rows;
  while (map.rows.size() < 210'000) map.rows.insert(map.rows.end(), once.begin(), once.end());
  const std::vector<Finding> findings = examine(map);
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.code == "map_too_long"; }));
  EXPECT_EQ(suspicious_rows(map).size(), map.rows.size());
}

}  // namespace
}  // namespace kdyn::inline doctor
