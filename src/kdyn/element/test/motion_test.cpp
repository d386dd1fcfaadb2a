// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/motion.hpp"

#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"

namespace kdyn::inline element {
namespace {

TEST(StepVelocity, ReproducesACubicAndFindsItsTurningPoints) {
  // u = (t - 0.3)(t - 0.7)^2: turning points where 3 t^2 - 3.4 t + 0.91 = 0, i.e. t = 13/30 and 7/10.
  const auto u = [](double t) { return (t - 0.3) * (t - 0.7) * (t - 0.7); };
  const auto v = [](double t) { return (t - 0.7) * (t - 0.7) + 2.0 * (t - 0.3) * (t - 0.7); };
  const StepVelocity<double> step({u(0.0), v(0.0)}, {u(1.0), v(1.0)}, 1.0);
  int count = 0;
  const auto roots = step.turning(count);
  ASSERT_EQ(count, 2);
  EXPECT_NEAR(roots[0], 13.0 / 30.0, 1e-14);
  EXPECT_NEAR(roots[1], 0.7, 1e-14);
  for (const double s : {0.0, 0.1, 0.5, 0.9, 1.0}) EXPECT_NEAR(step.travelled(s), u(s) - u(0.0), 1e-15);
}

TEST(StepVelocity, FindsNoTurningPointInAStraightLineOrAtTheEnds) {
  int count = -1;
  StepVelocity<double>({0.0, 1.0}, {1.0, 1.0}, 1.0).turning(count);
  EXPECT_EQ(count, 0);
  StepVelocity<double>({0.0, 0.0}, {0.0, 0.0}, 1.0).turning(count);  // at rest
  EXPECT_EQ(count, 0);
  StepVelocity<double>({0.0, 0.0}, {0.5, 1.0}, 1.0).turning(count);  // a parabola that starts at its turning point
  EXPECT_EQ(count, 0);
}

TEST(StepVelocity, TurningPointsSplitTheStepIntoMonotoneParts) {
  RandomStream random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    const StepVelocity<double> step({0.0, random.uniform(-1.0, 1.0)},
                                    {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)}, 1.0);
    int count = 0;
    const auto roots = step.turning(count);
    std::vector<double> cut = {0.0};
    for (int i = 0; i < count; ++i) cut.push_back(roots[static_cast<std::size_t>(i)]);
    cut.push_back(1.0);
    for (std::size_t i = 0; i + 1 < cut.size(); ++i) {
      const double direction = step.travelled(cut[i + 1]) - step.travelled(cut[i]);
      for (int j = 0; j < 20; ++j) {
        const double a = cut[i] + (cut[i + 1] - cut[i]) * j / 20.0, b = cut[i] + (cut[i + 1] - cut[i]) * (j + 1) / 20.0;
        EXPECT_GE(direction * (step.travelled(b) - step.travelled(a)), -1e-16) << trial;
      }
    }
  }
}

TEST(StepVelocity, PlacesTurningPointsToFourthOrder) {
  // Crest of a sine inside a step: the error of its height falls by 16 when the step is halved.
  const auto error = [](double h) {
    const double t0 = 0.5 * std::numbers::pi - 0.37 * h;
    const StepVelocity<double> step({std::sin(t0), std::cos(t0)}, {std::sin(t0 + h), std::cos(t0 + h)}, h);
    int count = 0;
    const auto roots = step.turning(count);
    EXPECT_EQ(count, 1);
    return std::abs(std::sin(t0) + h * step.travelled(roots[0]) - 1.0);
  };
  EXPECT_NEAR(std::log2(error(0.2) / error(0.1)), 4.0, 0.1);
  EXPECT_NEAR(std::log2(error(0.1) / error(0.05)), 4.0, 0.1);
}

}  // namespace
}  // namespace kdyn::inline element
