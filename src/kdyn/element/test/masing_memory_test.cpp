// SPDX-License-Identifier: Apache-2.0
// The memory for any backbone, here F = x/(1 + |x|) with springs and sliders in closed form: what it stands for, and
// what it costs.
#include "kdyn/element/masing_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kdyn/base/random.hpp"

namespace kdyn::inline element {
namespace {

struct Hyperbola {
  double value(double x) const { return x / (1.0 + std::abs(x)); }
  double area(double x) const { return std::abs(x) - std::log1p(std::abs(x)); }
};

// Sliders moved one by one. Stretch y in (0, inf) has the density -F'' = 2/(1+y)^3; t = 1/(1+y)^2 spreads them evenly
// over (0, 1).
class Sliders {
 public:
  explicit Sliders(int n) : stretch_(static_cast<std::size_t>(n), 0.0) {}
  double move(double u) {
    double sum = 0.0;
    const auto n = static_cast<double>(stretch_.size());
    for (std::size_t j = 0; j < stretch_.size(); ++j) {
      const double yield = 1.0 / std::sqrt((static_cast<double>(j) + 0.5) / n) - 1.0;
      stretch_[j] = std::min(yield, std::max(-yield, stretch_[j] + u - u_));
      sum += stretch_[j] / n;
    }
    u_ = u;
    return sum;
  }

 private:
  std::vector<double> stretch_;
  double u_ = 0.0;
};

TEST(MasingMemory, IsARowOfSliders) {
  RandomStream random(5);
  for (int path = 0; path < 10; ++path) {
    MasingMemory<double> memory(0.0);
    Sliders sliders(20000);
    for (int i = 0; i < 40; ++i) {
      const double u = 3.0 * random.uniform(-1.0, 1.0);
      // The midpoint rule over 20 000 sliders leaves about (stretch/n) at the soft end: some 1e-4.
      EXPECT_NEAR(memory.commit(Hyperbola{}, u), sliders.move(u), 2e-4);
    }
  }
}

TEST(MasingMemory, ReservedDepthAllocatesNothing) {
  MasingMemory<double> memory(0.0);
  memory.reserve(512);
  const auto* place = memory.turning_points().data();
  const Hyperbola backbone;
  // A swing that decays keeps every turning point; one that grows again forgets them two by two.
  for (int i = 0; i < 500; ++i) memory.commit(backbone, (i % 2 == 0 ? 1.0 : -1.0) * (1.0 - i / 501.0));
  EXPECT_EQ(memory.depth(), 499u);
  for (int i = 0; i < 500; ++i) memory.commit(backbone, (i % 2 == 0 ? 1.0 : -1.0) * (i / 501.0));
  EXPECT_EQ(memory.turning_points().data(), place);
  memory.commit(backbone, 2.0);
  EXPECT_EQ(memory.depth(), 0u);
  EXPECT_EQ(memory.last().y, backbone.value(2.0));
}

TEST(MasingMemory, BranchesEndWhereLoopsClose) {
  MasingMemory<double> memory(0.5);
  const Hyperbola backbone;
  EXPECT_FALSE(memory.branch_end(1));
  memory.commit(backbone, 1.5);
  EXPECT_FALSE(memory.branch_end(1));              // on the virgin curve
  EXPECT_DOUBLE_EQ(*memory.branch_end(-1), -0.5);  // mirror image of 1.5 about the origin 0.5
  memory.commit(backbone, 1.0);
  EXPECT_DOUBLE_EQ(*memory.branch_end(-1), -0.5);
  EXPECT_DOUBLE_EQ(*memory.branch_end(1), 1.5);  // turning round here, the loop closes at the extreme
  memory.commit(backbone, 1.2);
  EXPECT_DOUBLE_EQ(*memory.branch_end(-1), 1.0);
  EXPECT_DOUBLE_EQ(*memory.branch_end(1), 1.5);
}

}  // namespace
}  // namespace kdyn::inline element
