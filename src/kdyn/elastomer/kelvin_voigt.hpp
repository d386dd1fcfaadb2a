// SPDX-License-Identifier: Apache-2.0
// Dual Kelvin-Voigt part, per unit of static stiffness: damper c = lambda gamma in series with a Kelvin-Voigt element
// (spring lambda alpha, damper c beta) whose displacement is the one state z.
//
//   [elastomer E2]  zdot = (v - (alpha/gamma) z)/(1 + beta),   output lambda gamma (v - zdot)
//
// lambda scales the velocity part only (the printed equation that scales the static part too is wrong by 29 % in
// stiffness). (alpha, gamma, lambda) -> (m alpha, m gamma, lambda/m) gives the same response: data cannot tell the
// three apart.
#pragma once

#include <cmath>

#include "kdyn/element/motion.hpp"
#include "kdyn/element/relaxation.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline elastomer {

template <class T>
struct KelvinVoigt {
  T alpha{0.0}, beta{0.0}, gamma{1.0}, lambda{0.0};

  // [elastomer E2]
  T rate(const T& v, const T& z) const { return (v - decay() * z) / (1.0 + beta); }
  T output(const T& v, const T& z_rate) const { return lambda * gamma * (v - z_rate); }

  // [elastomer E3] Complex stiffness over the static one at the angular frequency omega (rad/s).
  Complex<T> stiffness(double omega) const {
    // i w c (1 - 1/(a - i q)) with a = 1 + beta and q = alpha/(w gamma), real and imaginary part written out.
    const T q = alpha / (omega * gamma);
    const T a = 1.0 + beta;
    const T scale = omega * lambda * gamma / (a * a + q * q);
    return {scale * q, scale * (beta * a + q * q)};
  }

  // [elastomer E4] Exact step: (1 + beta) z is a relaxing state of rate decay/(1 + beta).
  using Step = RelaxationStep<T>;
  Step step(const T& h) const { return Step(decay() / (1.0 + beta), h); }
  T advance(const T& z, const StepVelocity<T>& velocity, const Step& s) const {
    return s.advance(T((1.0 + beta) * z), velocity) / (1.0 + beta);
  }

  // [elastomer E5] Stored energy and dissipated power, over k_stat.
  T stored_energy(const T& z) const { return 0.5 * lambda * alpha * z * z; }
  T dissipated_power(const T& v, const T& z_rate) const {
    return lambda * gamma * ((v - z_rate) * (v - z_rate) + beta * z_rate * z_rate);
  }

 private:
  T decay() const { return alpha / gamma; }
};

}  // namespace kdyn::inline elastomer
