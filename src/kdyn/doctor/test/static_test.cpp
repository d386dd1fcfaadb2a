// SPDX-License-Identifier: Apache-2.0
// One blemish at a time is put into a synthetic static loop; the doctor must name that one and no other.
#include <gtest/gtest.h>

#include "cases.hpp"
#include "kdyn/doctor/doctor.hpp"

namespace kdyn::inline doctor {
namespace {

using namespace test;

void keep(StaticLoop& loop, std::size_t begin, std::size_t end) {
  const auto cut = [&](std::vector<double>& v) {
    v = std::vector<double>(v.begin() + static_cast<long>(begin), v.begin() + static_cast<long>(end));
  };
  cut(loop.displacement), cut(loop.force);
}

TEST(DoctorStatic, CleanLoopsGiveNoFinding) {
  EXPECT_EQ(codes(examine(make_loop())), Codes{});
  for (std::uint64_t seed = 1; seed <= 50; ++seed) EXPECT_EQ(codes(examine(make_loop(0.005, seed))), Codes{}) << seed;
  StaticLoop from_the_end = make_loop();  // -a -> +a -> -a out of two cycles
  const StaticLoop again = from_the_end;
  from_the_end.displacement.insert(from_the_end.displacement.end(), again.displacement.begin() + 1,
                                   again.displacement.end());
  from_the_end.force.insert(from_the_end.force.end(), again.force.begin() + 1, again.force.end());
  keep(from_the_end, 600, 1401);
  EXPECT_EQ(codes(examine(from_the_end)), Codes{});
}

TEST(DoctorStatic, ForceThatRunsBack) {
  StaticLoop loop = make_loop(0.001, 2);
  for (std::size_t i = 120; i < 130; ++i) loop.force[i] -= 150.0;  // 4 % of the range, on the first rise
  const auto findings = examine(loop);
  EXPECT_EQ(codes(findings), Codes{"non_monotone"});
  EXPECT_EQ(findings.at(0).severity, Severity::warning);
}

TEST(DoctorStatic, HoldAtTheExtremesIsNoBlemish) {
  StaticLoop loop = make_loop();
  std::vector<double> x, f;
  for (std::size_t i = 0; i < loop.force.size(); ++i) {
    x.push_back(loop.displacement[i]), f.push_back(loop.force[i]);
    if (i == 200 || i == 600)
      for (int j = 0; j < 50; ++j)
        x.push_back(loop.displacement[i]), f.push_back(loop.force[i] * (1.0 - 0.001 * j));  // relaxation by 5 %
  }
  loop.displacement = x, loop.force = f;
  EXPECT_EQ(codes(examine(loop)), Codes{});
}

TEST(DoctorStatic, OneBranchAndOpenLoop) {
  StaticLoop branch = make_loop(), partial = branch, drifting = branch;
  keep(branch, 0, 200);
  EXPECT_EQ(codes(examine(branch)), Codes{"one_branch"});
  keep(partial, 0, 500);
  EXPECT_EQ(codes(examine(partial)), Codes{"loop_open"});
  for (std::size_t i = 0; i < drifting.force.size(); ++i)
    drifting.force[i] += 0.5 * static_cast<double>(i);  // 400 N drift of a 2900 N range
  EXPECT_EQ(codes(examine(drifting)), Codes{"loop_open"});
}

TEST(DoctorStatic, ClockwiseLoopWouldGenerateEnergy) {
  StaticLoop loop = make_loop();
  std::reverse(loop.displacement.begin(), loop.displacement.end());
  std::reverse(loop.force.begin(), loop.force.end());
  EXPECT_EQ(codes(examine(loop)), Codes{"negative_work"});
}

TEST(DoctorStatic, SignsAndColumns) {
  StaticLoop negated = make_loop(), swapped = negated, folded = negated, folded_force = negated;
  for (double& f : negated.force) f = -f;
  EXPECT_EQ(codes(examine(negated)), Codes{"force_sign"});
  for (std::size_t i = 0; i < swapped.force.size(); ++i) {
    const double newton = swapped.force[i], millimetre = swapped.displacement[i] * 1e3;
    swapped.displacement[i] = newton * 1e-3, swapped.force[i] = millimetre;
  }
  EXPECT_EQ(codes(examine(swapped)), Codes{"columns_swapped"});
  for (double& x : folded.displacement) x = std::abs(x);
  EXPECT_EQ(codes(examine(folded)), Codes{"folded_column"});
  for (double& f : folded_force.force) f = std::abs(f);
  EXPECT_EQ(codes(examine(folded_force)), Codes{"folded_column"});
}

TEST(DoctorStatic, UnitsOffByAThousand) {
  StaticLoop metres = make_loop(), newtons = make_loop();
  for (double& x : metres.displacement) x *= 1e3;
  for (double& f : newtons.force) f *= 1e4;
  EXPECT_EQ(codes(examine(metres)), Codes{"stiffness_implausible"});
  EXPECT_EQ(codes(examine(newtons)), Codes{"stiffness_implausible"});
}

TEST(DoctorStatic, ClippedForce) {
  StaticLoop loop = make_loop();
  for (double& f : loop.force) f = std::min(f, 1000.0);
  EXPECT_EQ(codes(examine(loop)), Codes{"clipped"});
}

TEST(DoctorStatic, HardlyAnyDataIsNoReasonToFail) {
  EXPECT_EQ(codes(examine(StaticLoop{})), Codes{"too_few_points"});
  StaticLoop flat;
  flat.displacement.assign(10, 1e-3), flat.force.assign(10, 5.0);
  EXPECT_EQ(codes(examine(flat)), Codes{"constant_channel"});
}

TEST(DoctorStatic, SummaryInPlainWords) {
  const BenchSummary summary = summarise(make_loop());
  EXPECT_EQ(summary.kind, "static");
  EXPECT_EQ(summary.rows, 801u);
  EXPECT_NEAR(summary.displacement_max, 4e-3, 1e-12);
  EXPECT_EQ(summary.words.at(1), "displacement -4 mm to 4 mm");
}

}  // namespace
}  // namespace kdyn::inline doctor
