// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/simulate.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "maxwell_ladder.hpp"

namespace kdyn::inline element {
namespace {

using Ladder = MaxwellLadder<double>;

TEST(VelocityOf, IsExactForAParabolaOnUnevenSteps) {
  const std::vector<double> t = {0.0, 0.1, 0.15, 0.4, 1.0, 1.01};
  std::vector<double> u;
  for (const double s : t) u.push_back(3.0 - 2.0 * s + 5.0 * s * s);
  const std::vector<double> v = velocity_of(t, u);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(v[i], -2.0 + 10.0 * t[i], 1e-12);
}

TEST(VelocityOf, IsOfSecondOrderAndHandlesShortSignals) {
  const auto error = [](int n) {
    std::vector<double> t, u;
    for (int i = 0; i <= n; ++i) t.push_back(1.0 * i / n), u.push_back(std::sin(3.0 * t.back()));
    const auto v = velocity_of(t, u);
    double most = 0.0;
    for (std::size_t i = 0; i < t.size(); ++i) most = std::max(most, std::abs(v[i] - 3.0 * std::cos(3.0 * t[i])));
    return most;
  };
  EXPECT_NEAR(std::log2(error(200) / error(400)), 2.0, 0.1);
  EXPECT_TRUE(velocity_of({}, {}).empty());
  EXPECT_EQ(velocity_of({1.0}, {2.0}), std::vector<double>{0.0});
  EXPECT_EQ(velocity_of({1.0, 3.0}, {2.0, 6.0}), (std::vector<double>{2.0, 2.0}));
  EXPECT_THROW(velocity_of({0.0, 1.0}, {0.0}), Error);
}

TEST(Simulate, AgreesWithTheExactResponseToARamp) {
  // u = v t: each branch carries c_i v (1 - exp(-t/tau_i)). Runge-Kutta at h = tau_min/60 leaves (h/tau)^4/120 of a
  // branch, below 1e-9.
  const Ladder law;
  MountOf<Ladder> mount(law);
  std::vector<double> t, u;
  for (int i = 0; i <= 500; ++i) t.push_back(1e-4 * i), u.push_back(0.02 * t.back());
  const auto force = simulate(mount, t, u);
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double exact = law.k * u[i] + 0.02 * (law.c1 * (1.0 - std::exp(-t[i] * law.k1 / law.c1)) +
                                                law.c2 * (1.0 - std::exp(-t[i] * law.k2 / law.c2)));
    EXPECT_NEAR(force[i], exact, 1e-9 * std::abs(force.back())) << t[i];
  }
}

TEST(Linearise, GivesTheStiffnessOfTheLadder) {
  const Ladder law;
  const MountOf<Ladder> mount(law);
  for (const double f : {0.0, 0.1, 1.0, 7.0, 50.0, 2000.0}) {
    const std::complex<double> iw(0.0, 2.0 * std::numbers::pi * f);
    const double tau1 = law.c1 / law.k1, tau2 = law.c2 / law.k2;
    const std::complex<double> exact =
        law.k + law.k1 * iw * tau1 / (1.0 + iw * tau1) + law.k2 * iw * tau2 / (1.0 + iw * tau2);
    EXPECT_LT(std::abs(mount.linear_stiffness(f, 1e-3) - exact), 1e-13 * std::abs(exact));  // a 2 x 2 solve in double
  }
}

TEST(MountOf, ClonesLiveTheirOwnLives) {
  MountOf<Ladder> mount{Ladder{}};
  mount.start({0.0, 0.0});
  mount.advance({1e-3, 0.1}, 1e-2);
  const auto clone = mount.clone();
  const double before = mount.peek({2e-3, 0.0});
  clone->advance({-5e-3, 0.0}, 1e-2);
  EXPECT_EQ(mount.peek({2e-3, 0.0}), before);
  EXPECT_FALSE(mount.closed_form(1.0, 1e-3, 0.0).has_value());  // the ladder offers none
}

TEST(MountOf, StartForgetsThePast) {
  MountOf<Ladder> mount{Ladder{}};
  const double fresh = mount.advance({1e-3, 0.1}, 1e-2);
  mount.advance({-7e-3, 0.0}, 0.3);
  mount.start({0.0, 0.0});
  EXPECT_EQ(mount.advance({1e-3, 0.1}, 1e-2), fresh);
}

}  // namespace
}  // namespace kdyn::inline element
