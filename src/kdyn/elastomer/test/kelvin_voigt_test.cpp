// SPDX-License-Identifier: Apache-2.0
#include "kdyn/elastomer/kelvin_voigt.hpp"

#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"
#include "kdyn/numerics/quadrature.hpp"

namespace kdyn::inline elastomer {
namespace {

const KelvinVoigt<double> part{0.1014, 0.0963, 0.0035, 0.3803};

TEST(KelvinVoigt, StiffnessIsThatOfTheNetwork) {
  // Damper c in series with spring lambda alpha parallel to damper c beta: 1/K = 1/(i w c) + 1/(lambda alpha + i w c
  // beta)  [elastomer E3].
  for (const double f : {1e-3, 0.1, 1.0, 10.0, 100.0, 1e5}) {
    const std::complex<double> iw(0.0, 2.0 * std::numbers::pi * f);
    const double c = part.lambda * part.gamma;
    const std::complex<double> network = 1.0 / (1.0 / (iw * c) + 1.0 / (part.lambda * part.alpha + iw * c * part.beta));
    const Complex<double> K = part.stiffness(iw.imag());
    EXPECT_LT(std::abs(std::complex<double>(K.re, K.im) - network), 1e-14 * std::abs(network)) << f;
  }
}

TEST(KelvinVoigt, GaugeLeavesTheResponse) {
  // (alpha, gamma, lambda) -> (m alpha, m gamma, lambda/m)
  const double m = 3.7;
  const KelvinVoigt<double> other{m * part.alpha, part.beta, m * part.gamma, part.lambda / m};
  for (const double w : {1.0, 60.0, 900.0}) {
    EXPECT_NEAR(other.stiffness(w).re, part.stiffness(w).re, 1e-15);
    EXPECT_NEAR(other.stiffness(w).im, part.stiffness(w).im, 1e-15 * w);
  }
}

TEST(KelvinVoigt, StepIsExactForAQuadraticVelocity) {
  // Oracle: variation of constants by Gauss' rule, over steps from far below to far above the relaxation time of 38 ms
  // [elastomer E4].
  const double tau = part.gamma * (1.0 + part.beta) / part.alpha;
  for (const double h : {1e-9, 1e-5, 1e-3, 0.9 * tau, 1.1 * tau, 0.1, 0.5}) {
    const Motion<double> from{1e-4, 0.03}, to{1e-4 + 0.02 * h, -0.05};
    const StepVelocity<double> v(from, to, h);
    const double z0 = 2e-4;
    const double forced = integrate(h, [&](double t) {
      const double s = t / h;
      return std::exp(-(h - t) / tau) * (v.c0 + s * (v.c1 + s * v.c2)) / (1.0 + part.beta);
    });
    const double expected = std::exp(-h / tau) * z0 + forced;
    EXPECT_NEAR(part.advance(z0, v, part.step(h)), expected, 1e-14 * std::abs(z0)) << h;
  }
}

TEST(KelvinVoigt, StepIsContinuousWhereItsFormulaChanges) {
  // At x = 1 the series takes over from the recursion.
  const double h = part.gamma * (1.0 + part.beta) / part.alpha;
  const auto below = part.step(h * (1.0 - 1e-12)), above = part.step(h * (1.0 + 1e-12));
  EXPECT_NEAR(below.keep, above.keep, 1e-11);
  EXPECT_NEAR(below.w0, above.w0, 1e-11 * above.w0);
  EXPECT_NEAR(below.w1, above.w1, 1e-11 * above.w1);
  EXPECT_NEAR(below.w2, above.w2, 1e-11 * above.w2);
}

TEST(KelvinVoigt, PowerInIsStoredOrDissipated) {
  // [elastomer E5] as an identity in v and z: f v = d/dt (lambda alpha z^2/2) + dissipated power.
  RandomStream random(3);
  for (int i = 0; i < 100; ++i) {
    const double v = random.uniform(-1.0, 1.0), z = random.uniform(-1e-2, 1e-2), rate = part.rate(v, z);
    const double power = part.output(v, rate) * v, dissipated = part.dissipated_power(v, rate);
    EXPECT_NEAR(power, part.lambda * part.alpha * z * rate + dissipated, 1e-16);
    EXPECT_GE(dissipated, 0.0);
  }
}

}  // namespace
}  // namespace kdyn::inline elastomer
