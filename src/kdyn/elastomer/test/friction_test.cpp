// SPDX-License-Identifier: Apache-2.0
// The friction laws as functions: limits, series, derivatives, and the invariants that both share.
#include "kdyn/elastomer/friction.hpp"

#include <gtest/gtest.h>

#include "cases.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/elastomer/harmonic.hpp"

namespace kdyn::inline elastomer {
namespace {

const FrictionLaw both[] = {FrictionLaw::masing, FrictionLaw::g4};

Friction<double> random_friction(RandomStream& random, FrictionLaw law, bool limited) {
  Friction<double> p{
      law, 1e-4 * std::pow(10.0, random.uniform(-1.0, 1.0)), 5e3 * std::pow(10.0, random.uniform(-1.0, 1.0)), {}};
  if (limited) p.ymax = p.rdl * std::pow(10.0, random.uniform(-1.0, 2.0));
  return p;
}

TEST(Friction, SlopesAreTheDerivatives) {
  RandomStream random(11);
  for (int i = 0; i < 200; ++i) {
    const Friction<double> p = random_friction(random, FrictionLaw::g4, i % 2 == 0);
    const Friction<Jet<1>> dual{p.law, Jet<1>(p.rdl), Jet<1>(p.rho),
                                p.ymax ? std::optional<Jet<1>>(Jet<1>(*p.ymax)) : std::nullopt};
    const double x = random.uniform(-2e-3, 2e-3), w0 = 0.5 * p.rdl * random.uniform(-1.0, 1.0),
                 d = random.uniform(0.0, 4e-3);
    const double tolerance = 1e-13 * p.rdl * p.rho;
    EXPECT_NEAR(backbone_slope(p, x), backbone(dual, Jet<1>(x, 0)).v[0], tolerance);
    EXPECT_NEAR(g4_branch_slope(p, w0, d), g4_branch(dual, Jet<1>(w0), Jet<1>(d, 0)).v[0],
                tolerance);  // [elastomer E6]
    // The area grows by Y  [elastomer E15].
    EXPECT_NEAR(std::abs(backbone(p, x)), backbone_area(dual, Jet<1>(std::abs(x), 0)).v[0], 1e-12 * p.rdl);
  }
}

TEST(Friction, BranchSolvesItsDifferentialEquation) {
  // Classic Runge-Kutta on [elastomer E6] with 2000 steps over 1 mm: error (h rho)^4/120, about 1e-13.
  for (const auto& e : {cases::limited(FrictionLaw::g4), cases::unlimited(FrictionLaw::g4)}) {
    const Friction<double> p = e.friction();
    const auto rate = [&](double d, double w) {
      return p.rdl * p.rho / (1.0 + p.rho * d) * (p.ymax ? 1.0 - w / *p.ymax : 1.0);
    };
    double w = -4e-5;
    const double h = 1e-3 / 2000;
    for (int i = 0; i < 2000; ++i) {
      const double d = i * h, k1 = rate(d, w), k2 = rate(d + h / 2, w + h / 2 * k1),
                   k3 = rate(d + h / 2, w + h / 2 * k2), k4 = rate(d + h, w + h * k3);
      w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    EXPECT_NEAR(w, g4_branch(p, -4e-5, 1e-3), 1e-12 * std::abs(w));
  }
}

TEST(Friction, AreaSeriesJoinTheirFormulas) {
  // Each place where a formula changes: the two sides, a hair apart, may differ by what the hair and rounding make.
  for (const FrictionLaw law : both)
    for (const bool limited : {false, true}) {
      const Friction<double> p = limited ? cases::limited(law).friction() : cases::unlimited(law).friction();
      for (const double X : {1e-2, 2e-2, 5e-2}) {
        const double a = X / (2.0 * p.rho), below = friction_loop_area(p, a * (1.0 - 1e-10)),
                     above = friction_loop_area(p, a * (1.0 + 1e-10));
        EXPECT_NEAR(below / above, 1.0, 2e-9) << X;
        EXPECT_NEAR(backbone_area(p, a * (1.0 - 1e-10)) / backbone_area(p, a * (1.0 + 1e-10)), 1.0, 2e-9) << X;
      }
      // Tiny loops: the area goes with the cube of the amplitude, over six decades.
      const double unit = friction_loop_area(p, 1e-9) / 1e-27;
      for (const double a : {1e-8, 1e-10, 1e-11})
        EXPECT_NEAR(friction_loop_area(p, a) / (a * a * a) / unit, 1.0, 1e-4) << a;
    }
}

TEST(Friction, LimitAtNEqualOneIsSmooth) {
  // ymax = rdl: the g4 area has a removable singularity; value and derivative pass through it.
  Friction<Jet<1>> p{FrictionLaw::g4, Jet<1>(9e-5), Jet<1>(4500.0), {}};
  const auto area = [&](double ymax) {
    p.ymax = Jet<1>(ymax, 0);
    return friction_loop_area(p, Jet<1>(1e-3));
  };
  const Jet<1> at = area(9e-5);
  for (const double shift : {1e-12, 1e-9, 1e-6, 1e-4}) {
    const Jet<1> up = area(9e-5 * (1.0 + shift)), down = area(9e-5 * (1.0 - shift));
    EXPECT_NEAR(0.5 * (up.a + down.a) / at.a, 1.0, shift + 1e-12);
    EXPECT_NEAR(0.5 * (up.v[0] + down.v[0]) / at.v[0], 1.0, shift + 1e-9);
  }
  const double h = 1e-5;
  EXPECT_NEAR((area(9e-5 * (1.0 + h)).a - area(9e-5 * (1.0 - h)).a) / (2.0 * h * 9e-5), at.v[0],
              1e-8 * std::abs(at.v[0]));
}

TEST(Friction, HugeLimitIsNone) {
  for (const FrictionLaw law : both) {
    const Friction<double> none = cases::unlimited(law).friction();
    Friction<double> huge = none;
    // At 1e6 rdl the limit changes what is below it by 1e-6; beyond 1e9 rdl it is dropped.
    for (const double factor : {1e6, 1e12}) {
      huge.ymax = factor * none.rdl;
      for (const double a : {1e-6, 1e-4, 1e-2}) {
        EXPECT_NEAR(backbone(huge, a) / backbone(none, a), 1.0, 1e-5);
        EXPECT_NEAR(friction_loop_area(huge, a) / friction_loop_area(none, a), 1.0, 1e-5) << a;
        EXPECT_NEAR(friction_stiffness(huge, a).re / friction_stiffness(none, a).re, 1.0, 1e-5);
      }
    }
  }
}

TEST(Friction, LowLimitIsCoulombFriction) {
  // rdl = 200 ymax, rho a = 45: the backbone is a step to ymax, the loop a rectangle of area 4 a ymax. The corner,
  // where Y falls short of ymax, is 1/(n rho) wide.
  for (const FrictionLaw law : both) {
    Friction<double> p = cases::unlimited(law).friction();
    p.ymax = p.rdl / 200.0;
    const double a = 1e-2;
    EXPECT_NEAR(friction_loop_area(p, a) / (4.0 * a * *p.ymax), 1.0, 2.0 / (200.0 * p.rho * a));
    // The describing function of a relay in quadrature: storage vanishes, loss is 4 ymax/(pi a).
    EXPECT_NEAR(friction_stiffness(p, a).im / (4.0 * *p.ymax / (std::numbers::pi * a)), 1.0, 1e-2);
    EXPECT_LT(friction_stiffness(p, a).re, 0.1 * friction_stiffness(p, a).im);
  }
}

TEST(Friction, VanishesWithItsParameters) {
  for (const FrictionLaw law : both)
    for (const bool limited : {false, true}) {
      Friction<double> p = limited ? cases::limited(law).friction() : cases::unlimited(law).friction();
      for (double Friction<double>::*member : {&Friction<double>::rho, &Friction<double>::rdl}) {
        Friction<double> none = p;
        none.*member = 0.0;
        EXPECT_EQ(backbone(none, 1e-3), 0.0);
        EXPECT_EQ(friction_loop_area(none, 1e-3), 0.0);
        EXPECT_EQ(friction_stiffness(none, 1e-3).re, 0.0);
        EXPECT_EQ(friction_stiffness(none, 1e-3).im, 0.0);
        FrictionMemory<double> memory(0.0);
        for (const double u : {1e-3, -2e-3, 5e-4}) EXPECT_EQ(memory.commit(none, u), 0.0);
        EXPECT_EQ(memory.stored_energy(none), 0.0);
      }
    }
}

TEST(Friction, SmallAmplitudeStiffness) {
  // Re K -> rdl rho, Im K -> 0 with the amplitude: both fall linearly, by rho a of themselves.
  RandomStream random(5);
  for (int i = 0; i < 40; ++i) {
    const Friction<double> p = random_friction(random, both[i % 2], i % 4 < 2);
    const double a = 1e-7 / p.rho;
    EXPECT_NEAR(friction_stiffness(p, a).re / (p.rdl * p.rho), 1.0, 1e-5);
    EXPECT_NEAR(friction_stiffness(p, a).im / (p.rdl * p.rho), 0.0, 1e-5);
  }
}

TEST(Friction, SinesDissipateAndSoften) {
  RandomStream random(6);
  for (int i = 0; i < 100; ++i) {
    const Friction<double> p = random_friction(random, both[i % 2], i % 4 < 2);
    double before = p.rdl * p.rho * (1.0 + 1e-9);
    for (double a = 1e-6; a < 1e-2; a *= 1.5) {
      const Complex<double> K = friction_stiffness(p, a);
      EXPECT_GT(K.im, 0.0) << i << " " << a;
      EXPECT_LT(K.re, before) << i << " " << a;
      before = K.re;
    }
  }
}

TEST(Friction, StaysBelowItsLimitAndIgnoresTime) {
  // |y| <= ymax on any path; a path with extra points on the way gives the same y (rate independence), up to rounding.
  RandomStream random(8);
  for (int path = 0; path < 60; ++path) {
    const Friction<double> p = random_friction(random, both[path % 2], true);
    FrictionMemory<double> coarse(0.0), fine(0.0);
    double place = 0.0;
    for (int i = 0; i < 50; ++i) {
      const double next = 5.0 / p.rho * random.uniform(-1.0, 1.0);
      for (int j = 1; j < 7; ++j) fine.commit(p, place + (next - place) * j / 7.0);
      const double y = coarse.commit(p, next);
      EXPECT_NEAR(fine.commit(p, next), y, 2e-14 * *p.ymax);
      EXPECT_LE(std::abs(y), *p.ymax * (1.0 + 1e-14));
      place = next;
    }
  }
}

TEST(Friction, G4CentresItsLoopsByQSquared) {
  // [elastomer E9] Offset of the upper tip from cycle to cycle, against q^2; without limit it stays.
  const Friction<double> p = cases::limited(FrictionLaw::g4).friction(),
                         log = cases::unlimited(FrictionLaw::g4).friction();
  const double a = 1e-3, q = std::pow(1.0 + 2.0 * p.rho * a, -p.exponent());
  FrictionMemory<double> limited(0.0), unlimited(0.0);
  double offset = limited.commit(p, a) - backbone(p, a), stays = unlimited.commit(log, a) - backbone(log, a);
  for (int cycle = 0; cycle < 5; ++cycle) {
    limited.commit(p, -a);
    unlimited.commit(log, -a);
    const double next = limited.commit(p, a) - backbone(p, a);
    EXPECT_NEAR(next, q * q * offset, 1e-13 * p.rdl);
    EXPECT_NEAR(unlimited.commit(log, a) - backbone(log, a), stays, 1e-13 * p.rdl);
    offset = next;
  }
  // Started on the backbone, the first tip is the steady one  [elastomer E8].
  FrictionMemory<double> centred(0.0);
  EXPECT_NEAR(centred.commit(p, a, StartUp::backbone), backbone(p, a), 1e-18);
  centred.commit(p, -a, StartUp::backbone);
  EXPECT_NEAR(centred.commit(p, a, StartUp::backbone), backbone(p, a), 1e-13 * p.rdl);
}

}  // namespace
}  // namespace kdyn::inline elastomer
