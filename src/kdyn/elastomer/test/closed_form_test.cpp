// SPDX-License-Identifier: Apache-2.0
// Closed forms of the steady sine against brute force: the law is moved through a fine cycle and its force integrated.
#include <numbers>

#include <gtest/gtest.h>

#include "cases.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/elastomer/harmonic.hpp"

namespace kdyn::inline elastomer {
namespace {

constexpr double pi = std::numbers::pi;

// Friction's complex stiffness and loop area by moving its memory through the steady loop. Between the tips the rising
// branch is smooth in psi, so Gauss' rule in four pieces is exact to rounding; the falling branch mirrors it.
struct BruteForce {
  double re = 0.0, im = 0.0, area = 0.0;
};
BruteForce brute_force(const Friction<double>& p, double a) {
  FrictionMemory<double> memory(0.0);
  memory.commit(p, a, StartUp::backbone);
  memory.commit(p, -a, StartUp::backbone);
  BruteForce out;
  constexpr int pieces = 8;
  for (int piece = 0; piece < pieces; ++piece) {
    const double start = pi * piece / pieces;
    const auto y = [&](double s) {
      return memory.peek(p, -a * std::cos(start + s), StartUp::backbone);
    };  // u = -a cos(psi), psi from 0 to pi
    out.re += 2.0 / (pi * a) * integrate(pi / pieces, [&](double s) { return -y(s) * std::cos(start + s); });
    out.area += 2.0 * integrate(pi / pieces, [&](double s) { return y(s) * a * std::sin(start + s); });
  }
  out.im = out.area / (pi * a * a);
  return out;
}

TEST(ClosedForm, FrictionAgreesWithBruteForce) {
  // [elastomer E10] [elastomer E11] [elastomer E15] [elastomer E16]; the area of small loops is a small difference in
  // the brute force, not in the formula.
  RandomStream random(41);
  for (const FrictionLaw law : {FrictionLaw::masing, FrictionLaw::g4})
    for (int i = 0; i < 60; ++i) {
      Friction<double> p{
          law, 1e-4 * std::pow(10.0, random.uniform(-1.0, 1.0)), 5e3 * std::pow(10.0, random.uniform(-1.0, 1.0)), {}};
      if (i % 3 != 0) p.ymax = p.rdl * std::pow(10.0, random.uniform(-0.7, 1.5));
      const double a = std::pow(10.0, random.uniform(-1.5, 1.5)) / p.rho;
      const BruteForce b = brute_force(p, a);
      const Complex<double> K = friction_stiffness(p, a);
      EXPECT_NEAR(K.re / b.re, 1.0, 1e-9) << i;
      EXPECT_NEAR(friction_loop_area(p, a) / b.area, 1.0, 1e-9) << i;
      EXPECT_NEAR(K.im / b.im, 1.0, 1e-9) << i;
    }
}

// One steady cycle of the whole element on n points, the parts moved through their own steady motion.
struct Loop {
  std::vector<double> force, displacement;
};
Loop steady_loop(const Elastomer<double>& law, double f, double a, double u0, int n) {
  const Complex<double> G = law.kelvin_voigt().stiffness(2.0 * pi * f);
  const Friction<double> p = law.friction();
  FrictionMemory<double> memory(0.0);
  for (const double u : {a, -a}) memory.commit(p, u, StartUp::backbone);
  Loop loop;
  for (int i = 0; i < n; ++i) {
    const double psi = 2.0 * pi * i / n;
    const double y = memory.commit(p, -a * std::cos(psi), StartUp::backbone);
    loop.displacement.push_back(u0 - a * std::cos(psi));
    loop.force.push_back(law.static_force(u0 - a * std::cos(psi)) +
                         law.stiffness_at(u0) * (law.scale_freq * a * (-G.re * std::cos(psi) + G.im * std::sin(psi)) +
                                                 law.scale_ampl * y));
  }
  return loop;
}

Elastomer<double> curved(FrictionLaw law) {
  Elastomer<double> e = cases::limited(law);
  e.curve_points = {{-3e-3, -2600.0}, {-1e-3, -500.0}, {0.0, 0.0}, {1e-3, 400.0}, {2e-3, 1000.0}, {4e-3, 3500.0}};
  e.scale_curve = 1.2;
  e.scale_freq = 0.8;
  prepare(e, "test");
  return e;
}

TEST(ClosedForm, LoopReductionFindsTheExtremes) {
  // [elastomer E20] against the largest of 20 000 samples, refined by nothing: they miss the extreme by (pi/10000)^2/2
  // of the amplitude.
  for (const FrictionLaw law : {FrictionLaw::masing, FrictionLaw::g4})
    for (const auto& e : {cases::limited(law), cases::unlimited(law), curved(law)})
      for (const double a : {5e-5, 1e-3})
        for (const double f : {0.5, 10.0, 80.0})
          for (const double u0 : {0.0, 1.3e-3}) {
            const Loop loop = steady_loop(e, f, a, u0, 20000);
            const auto [low, high] = std::minmax_element(loop.force.begin(), loop.force.end());
            const auto reduced = loop_reduction(e, f, a, u0);
            EXPECT_NEAR(reduced.k_dyn / ((*high - *low) / (2.0 * a)), 1.0, 2e-7) << a << " " << f << " " << u0;
            double area = 0.0;
            for (std::size_t i = 0; i < loop.force.size(); ++i) {
              const std::size_t j = (i + 1) % loop.force.size();
              area += 0.5 * (loop.force[i] + loop.force[j]) * (loop.displacement[j] - loop.displacement[i]);
            }
            EXPECT_NEAR(std::sin(reduced.loss_angle) / (area / (pi * a * a * reduced.k_dyn)), 1.0, 1e-6);
          }
}

TEST(ClosedForm, FirstHarmonicOfACurve) {
  // [elastomer E19] [elastomer E21] against the discrete Fourier sum over 20 000 samples. The closed form takes the
  // curve at 64 places; kinks in its second derivative leave about 64^-3.
  for (const auto& e : {curved(FrictionLaw::masing), curved(FrictionLaw::g4)})
    for (const double a : {5e-5, 1e-3, 3e-3}) {
      const Loop loop = steady_loop(e, 10.0, a, 0.5e-3, 20000);
      double re = 0.0, im = 0.0;
      for (std::size_t i = 0; i < loop.force.size(); ++i) {
        const double psi = 2.0 * pi * static_cast<double>(i) / 20000.0;
        re -= 2.0 / (20000.0 * a) * loop.force[i] * std::cos(psi);
        im += 2.0 / (20000.0 * a) * loop.force[i] * std::sin(psi);
      }
      const Complex<double> K = harmonic_stiffness(e, 10.0, a, 0.5e-3);
      EXPECT_NEAR(K.re / re, 1.0, 1e-5) << a;
      EXPECT_NEAR(K.im / im, 1.0, 1e-6) << a;
    }
}

TEST(ClosedForm, SmallSlowMotionHasStiffnessOnePlusRdlRho) {
  for (const FrictionLaw law : {FrictionLaw::masing, FrictionLaw::g4})
    for (const auto& e : {cases::limited(law), cases::unlimited(law)}) {
      const double expected = e.static_stiffness * (1.0 + e.rdl * e.rho);
      // At 1 nm and 1 uHz what is left is rho a = 5e-6 of the friction.
      EXPECT_NEAR(harmonic_reduction(e, 1e-6, 1e-9).k_dyn / expected, 1.0, 5e-6);
      EXPECT_NEAR(loop_reduction(e, 1e-6, 1e-9).k_dyn / expected, 1.0, 5e-6);
    }
}

TEST(ClosedForm, StiffnessFallsWithAmplitudeAndLossHasOneMaximum) {
  for (const FrictionLaw law : {FrictionLaw::masing, FrictionLaw::g4})
    for (const auto& e : {cases::limited(law), cases::unlimited(law)}) {
      double stiffness = 1e12, loss = 0.0, top = 0.0;
      int turns = 0;
      for (double a = 1e-6; a < 2e-2; a *= 1.02) {
        const auto now = harmonic_reduction(e, 10.0, a);
        EXPECT_LT(now.k_dyn, stiffness);
        if (now.loss_angle < loss && turns == 0) ++turns;
        if (now.loss_angle > loss && turns == 1) ++turns;
        top = std::max(top, now.loss_angle);
        stiffness = now.k_dyn;
        loss = now.loss_angle;
      }
      EXPECT_EQ(turns, 1);
    }
  // Height and place of the maximum, from the reference program (loop, 10 Hz, Table 3-3, g4), which took the best of a
  // grid of amplitudes 2 % apart.
  const auto maximum = [](const Elastomer<double>& e) {
    double best = 0.0, at = 0.0;
    for (double a = 3e-4; a < 8e-4; a += 1e-6)
      if (const double d = loop_reduction(e, 10.0, a).loss_angle * 180.0 / pi; d > best) best = d, at = a;
    return std::pair(best, at);
  };
  const auto log = maximum(cases::unlimited(FrictionLaw::g4)), limited = maximum(cases::limited(FrictionLaw::g4));
  EXPECT_NEAR(log.first, 3.48298, 1e-4);
  EXPECT_NEAR(log.second, 0.507e-3, 0.01e-3);
  EXPECT_NEAR(limited.first, 3.65988, 1e-4);
  EXPECT_NEAR(limited.second, 0.471e-3, 0.01e-3);
}

TEST(ClosedForm, DerivativesAgreeWithDifferences) {
  // Both reductions, with respect to every parameter; a central difference over 1e-5 errs by 1e-10 and rounding/1e-5.
  for (const FrictionLaw law : {FrictionLaw::masing, FrictionLaw::g4})
    for (Elastomer<double> e : {cases::limited(law), cases::unlimited(law), curved(law)}) {
      std::vector<std::string> names;
      e.visit_parameters([&](const char* name, double&) { names.push_back(name); });
      for (const std::string& name : names) {
        const auto value = [&](double relative) {
          Elastomer<double> shifted = e;
          shifted.visit_parameters(
              [&](const char* other, double& member) { member *= name == other ? 1.0 + relative : 1.0; });
          const auto h = harmonic_reduction(shifted, 10.0, 3e-4, 1e-4), l = loop_reduction(shifted, 10.0, 3e-4, 1e-4);
          return std::array{h.k_dyn, h.loss_angle, l.k_dyn, l.loss_angle};
        };
        auto dual = e.cast<Jet<1>>();
        double at = 0.0;
        dual.visit_parameters([&](const char* other, Jet<1>& member) {
          if (name == other) member.v[0] = 1.0, at = member.a;
        });
        const auto h = harmonic_reduction(dual, 10.0, Jet<1>(3e-4), Jet<1>(1e-4)),
                   l = loop_reduction(dual, 10.0, Jet<1>(3e-4), Jet<1>(1e-4));
        const double jets[] = {h.k_dyn.v[0], h.loss_angle.v[0], l.k_dyn.v[0], l.loss_angle.v[0]};
        const auto up = value(1e-5), down = value(-1e-5), centre = value(0.0);
        for (std::size_t i = 0; i < 4; ++i)
          EXPECT_NEAR(jets[i] * at, (up[i] - down[i]) / 2e-5, 2e-8 * centre[i]) << name << " " << i;
      }
    }
}

}  // namespace
}  // namespace kdyn::inline elastomer
