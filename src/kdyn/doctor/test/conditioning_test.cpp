// SPDX-License-Identifier: Apache-2.0
#include "kdyn/doctor/conditioning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kdyn/base/random.hpp"

namespace kdyn::inline doctor {
namespace {

// Sines whose stiffness falls from cycle to cycle towards 1e5 N/m.
void make(double softening, double noise, std::uint64_t seed, std::vector<double>& u, std::vector<double>& f) {
  RandomStream random(seed);
  u.clear(), f.clear();
  for (int i = 0; i <= 8 * 200; ++i) {
    const double phase = 2.0 * std::numbers::pi * i / 200.0, cycle = i / 200.0;
    u.push_back(1e-3 * std::sin(phase));
    f.push_back(1e5 * (1.0 + softening * std::exp(-1.5 * cycle)) * 1e-3 * std::sin(phase + 0.1) +
                noise * random.normal());
  }
}

TEST(Conditioning, TellsFirstCyclesFromLaterOnes) {
  std::vector<double> u, f;
  make(0.3, 0.2, 1, u, f);
  const Conditioning found = examine_conditioning(u, f);
  EXPECT_TRUE(found.softened);
  ASSERT_GE(found.cycles.size(), 6u);
  // The first whole cycle lies between the turning points at 0.25 and 1.25 cycles: force at the earlier ones is 1 + 0.3
  // exp(-0.375), at the later 1 + 0.3 exp(-1.125) times the last, half of each in the range.
  EXPECT_NEAR(found.softening, 0.15 * (std::exp(-0.375) + std::exp(-1.125)), 0.03);
  EXPECT_GE(found.conditioned_from, 2u);
  EXPECT_LE(found.conditioned_from, 4u);
  EXPECT_NE(conditioning_finding(found, "a.csv", 12).remedy.find("line 12"), std::string::npos);
}

TEST(Conditioning, LeavesConditionedPartsAlone) {
  std::vector<double> u, f;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    make(0.0, 1.0, seed, u, f);
    EXPECT_FALSE(examine_conditioning(u, f).softened) << seed;
    make(-0.3, 0.2, seed, u, f);  // growing stiffness is something else
    EXPECT_FALSE(examine_conditioning(u, f).softened) << seed;
  }
  EXPECT_TRUE(examine_conditioning({}, {}).cycles.empty());
}

}  // namespace
}  // namespace kdyn::inline doctor
