// SPDX-License-Identifier: Apache-2.0
// Dual Kelvin-Voigt part, per unit of static stiffness: damper c = lambda gamma in series with a Kelvin-Voigt element
// (spring lambda alpha, damper c beta) whose displacement is the one state z.
//
//   [elastomer E2]  zdot = (v - (alpha/gamma) z)/(1 + beta),   output lambda gamma (v - zdot)
//
// lambda scales the velocity part only (the printed equation that scales the static part too is wrong by 29 % in stiffness).
// (alpha, gamma, lambda) -> (m alpha, m gamma, lambda/m) gives the same response: data cannot tell the three apart.
#pragma once

#include <cmath>

#include "kdyn/element/motion.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn {

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

  // [elastomer E4] What an exact step of length h needs; the same for every step of that length.
  struct Step {
    T h{0.0}, keep{0.0}, w0{0.0}, w1{0.0}, w2{0.0};
  };
  Step step(const T& h) const {
    using std::exp;
    const T x = decay() * h / (1.0 + beta);
    T psi0, psi1, psi2;
    if (value_of(x) < 1.0) {
      // Series of psi2, then the downward recursion: no cancellation for short steps.
      T term(1.0 / 3.0);
      psi2 = term;
      for (int j = 1; j < 40 && std::abs(value_of(term)) > 1e-18; ++j) {
        term *= -x / (3.0 + j);
        psi2 += term;
      }
      psi1 = 0.5 * (1.0 - x * psi2);
      psi0 = 1.0 - x * psi1;
    } else {
      psi0 = (1.0 - exp(-x)) / x;
      psi1 = (1.0 - psi0) / x;
      psi2 = (1.0 - 2.0 * psi1) / x;
    }
    const T scale = h / (1.0 + beta);
    return {h, 1.0 - x * psi0, scale * psi0, scale * psi1, scale * psi2};
  }
  // [elastomer E4] Exact for the velocity polynomial of the step  [element E2].
  T advance(const T& z, const StepVelocity<T>& velocity, const Step& s) const {
    return s.keep * z + s.w0 * velocity.c0 + s.w1 * velocity.c1 + s.w2 * velocity.c2;
  }

  // [elastomer E5] Stored energy and dissipated power, over k_stat.
  T stored_energy(const T& z) const { return 0.5 * lambda * alpha * z * z; }
  T dissipated_power(const T& v, const T& z_rate) const { return lambda * gamma * ((v - z_rate) * (v - z_rate) + beta * z_rate * z_rate); }

 private:
  T decay() const { return alpha / gamma; }
};

}  // namespace kdyn
