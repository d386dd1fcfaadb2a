// SPDX-License-Identifier: Apache-2.0
// The masing law against what it stands for: a row of springs in series with sliders, moved one by one. Nothing of the
// law's own formulas is used but the slope of its backbone, from which the springs are made.
#include <gtest/gtest.h>

#include "cases.hpp"
#include "kdyn/base/random.hpp"

namespace kdyn::inline elastomer {
namespace {

class IwanNetwork {
 public:
  // Spring j yields at s_j and has the drop of Y' between two places around it; what never yields within reach is a
  // plain spring.
  IwanNetwork(const Friction<double>& p, double smallest, double largest, int elements) {
    const double ratio = std::pow(largest / smallest, 1.0 / elements);
    double edge = smallest, slope = p.rdl * p.rho;
    for (int j = 0; j <= elements; ++j) {
      const double next = backbone_slope(p, edge);
      yield_.push_back(j == 0 ? 0.5 * edge : edge / ratio * 0.5 * (1.0 + ratio));
      stiffness_.push_back(slope - next);
      slope = next;
      edge *= ratio;
    }
    stretch_.assign(yield_.size(), 0.0);
    plain_ = slope;
  }

  double move(double u) {
    const double du = u - u_;
    for (std::size_t j = 0; j < yield_.size(); ++j) {
      const double wanted = stretch_[j] + du, held = std::clamp(wanted, -yield_[j], yield_[j]);
      dissipated_ += stiffness_[j] * yield_[j] * std::abs(wanted - held);
      stretch_[j] = held;
    }
    u_ = u;
    return force();
  }
  double force() const {
    double sum = plain_ * u_;
    for (std::size_t j = 0; j < yield_.size(); ++j) sum += stiffness_[j] * stretch_[j];
    return sum;
  }
  double stored() const {
    double sum = 0.5 * plain_ * u_ * u_;
    for (std::size_t j = 0; j < yield_.size(); ++j) sum += 0.5 * stiffness_[j] * stretch_[j] * stretch_[j];
    return sum;
  }
  double dissipated() const { return dissipated_; }
  bool all_positive() const { return plain_ >= 0.0 && *std::min_element(stiffness_.begin(), stiffness_.end()) >= 0.0; }

 private:
  std::vector<double> yield_, stiffness_, stretch_;
  double plain_ = 0.0, u_ = 0.0, dissipated_ = 0.0;
};

class Iwan : public testing::TestWithParam<bool> {
 protected:
  Friction<double> p =
      (GetParam() ? cases::limited(FrictionLaw::masing) : cases::unlimited(FrictionLaw::masing)).friction();
};
INSTANTIATE_TEST_SUITE_P(LimitedOrNot, Iwan, testing::Bool());

TEST_P(Iwan, NetworkAgreesInForceEnergyAndDissipation) {
  // 10 000 elements over seven decades lie 0.16 % apart: the midpoint rule leaves (0.16 %)^2/12 of each, some of the
  // 2e-7 adding up.
  constexpr double tolerance = 1e-6;
  RandomStream random(31);
  for (int path = 0; path < 12; ++path) {
    IwanNetwork network(p, 1e-8, 0.1, 10000);
    ASSERT_TRUE(network.all_positive());
    FrictionMemory<double> memory(0.0);
    std::vector<double> vertices;
    const double size = std::pow(10.0, random.uniform(-4.0, -2.0));
    for (int i = 0; i < 25; ++i) vertices.push_back(size * random.uniform(-1.0, 1.0));
    const auto kinks = cases::kinks_of(vertices);
    const double y_scale = backbone(p, size), energy_scale = size * y_scale;
    double work = 0.0;
    for (const double u : vertices) {
      work += cases::work_to(p, memory, u, kinks);
      EXPECT_NEAR(memory.last().y, network.move(u), tolerance * y_scale);
      EXPECT_NEAR(memory.stored_energy(p), network.stored(), tolerance * energy_scale);  // [elastomer E17]
      EXPECT_NEAR(work - memory.stored_energy(p), network.dissipated(), 25 * tolerance * energy_scale);
      EXPECT_GE(memory.stored_energy(p), 0.0);
    }
  }
}

TEST_P(Iwan, BranchesDissipateWhatTheFormulaSays) {
  // [elastomer E18] against work by Gauss' rule minus stored energy; exact but for rounding.
  const auto dissipation = [&](double x) { return 2.0 * backbone_area(p, x) - x * backbone(p, x); };
  FrictionMemory<double> memory(0.0);
  const std::vector<double> vertices = {1e-3, -4e-4, 6e-4, -1e-4};
  double work = 0.0, expected = 0.0, place = 0.0;
  for (const double u : vertices) {
    work += cases::work_to(p, memory, u, {});
    expected += place == 0.0 ? dissipation(u) : 2.0 * dissipation(0.5 * std::abs(u - place));
    place = u;
    EXPECT_NEAR(work - memory.stored_energy(p), expected, 1e-13 * 1e-3 * p.rdl);
  }
}

TEST_P(Iwan, StoredEnergyIsSmoothAcrossClosedLoops) {
  // Just before and just after a loop closes, and a branch passes onto the virgin curve: y du is all that happens.
  FrictionMemory<double> memory(0.0);
  for (const double u : {1e-3, -5e-4, 2e-4}) memory.commit(p, u);
  for (const double closing : {-5e-4, -1e-3}) {
    FrictionMemory<double> before = memory, after = memory;
    before.commit(p, closing + 1e-12);
    after.commit(p, closing - 1e-12);
    // Two picometres of work at a force below rdl, in either direction.
    EXPECT_NEAR(before.stored_energy(p), after.stored_energy(p), 2e-12 * p.rdl);
    EXPECT_NEAR(before.last().y, after.last().y, 2e-12 * p.rdl * p.rho);
  }
}

}  // namespace
}  // namespace kdyn::inline elastomer
