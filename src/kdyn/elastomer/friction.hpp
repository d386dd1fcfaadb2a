// SPDX-License-Identifier: Apache-2.0
// Filler friction of rubber, per unit of static stiffness: y in metres, so that the force is k_stat * scale * y.
//
// Two laws with the same parameters:
//   masing  our default: Prandtl-Ishlinskii operator with return-point memory  [elastomer E12] [elastomer E13] [elastomer E14]
//           passive on every path, closes its minor loops, does not drift
//   g4      law of Scheiblegger 2018, sign of the limit corrected  [elastomer E6] [elastomer E7]
//           kept for property files and comparison; drifts without a limit, not passive for ymax > 4 rdl
// Unlimited (no ymax), both give the same response to a sine.
//
// Units: rdl, ymax, displacement in m (or rad); rho in 1/m. Valid for rdl >= 0, rho >= 0, ymax > 0.
// Not modelled: dependence on rate, temperature or direction.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "kdyn/numerics/jet.hpp"
#include "kdyn/numerics/quadrature.hpp"

namespace kdyn::inline elastomer {

enum class FrictionLaw { masing, g4 };

// How the very first branch of g4 starts; masing starts on its virgin curve, which is the backbone.
enum class StartUp { zero, backbone };

template <class T>
struct Friction {
  FrictionLaw law = FrictionLaw::masing;
  T rdl{0.0};
  T rho{0.0};
  std::optional<T> ymax;  // none: unlimited

  // A limit this far above rdl cannot be told from none in double precision.
  bool limited() const { return ymax.has_value() && value_of(rdl) > 1e-9 * value_of(*ymax); }
  T exponent() const { return rdl / *ymax; }  // n of the closed forms
};

// [elastomer E12] Locus of the loop tips, an odd function; also [elastomer E8], the tip of the steady g4 loop.
template <class T>
T backbone(const Friction<T>& p, const T& x) {
  using std::log1p;
  using std::tanh;
  const double sign = value_of(x) < 0.0 ? -1.0 : 1.0;
  const T log_term = log1p(2.0 * p.rho * (sign * x));
  if (!p.limited()) return sign * 0.5 * p.rdl * log_term;
  return sign * *p.ymax * tanh(0.5 * p.exponent() * log_term);
}

// dY/dx of the backbone (an even function).
template <class T>
T backbone_slope(const Friction<T>& p, const T& x) {
  using std::log1p;
  using std::tanh;
  const double sign = value_of(x) < 0.0 ? -1.0 : 1.0;
  const T stretch = 1.0 + 2.0 * p.rho * (sign * x);
  const T slope = p.rdl * p.rho / stretch;
  if (!p.limited()) return slope;
  const T t = tanh(0.5 * p.exponent() * log1p(2.0 * p.rho * (sign * x)));
  return slope * (1.0 - t * t);
}

// [elastomer E15] Integral of the backbone from 0 to |x|; the substitution xi = ln(1 + 2 rho x) makes the integrand
// smooth for the limited law. Its tanh turns within 2/n: where that is short against the whole range the rule is
// applied piece by piece.
template <class T>
T backbone_area(const Friction<T>& p, const T& x) {
  using std::exp;
  using std::log1p;
  using std::tanh;
  const T distance = value_of(x) < 0.0 ? T(-x) : x;
  if (value_of(p.rho) <= 0.0) return T(0.0);
  const T stretch = 2.0 * p.rho * distance;
  const T log_term = log1p(stretch);
  if (!p.limited()) {
    // (1+X) ln(1+X) - X loses all digits for small X: its series is used there.
    if (value_of(stretch) < 1e-2) {
      const T X = stretch;
      return p.rdl / (4.0 * p.rho) * X * X *
             (0.5 - X * (1.0 / 6.0 - X * (1.0 / 12.0 - X * (1.0 / 20.0 - X * (1.0 / 30.0 - X / 42.0)))));
    }
    return p.rdl / (4.0 * p.rho) * ((1.0 + stretch) * log_term - stretch);
  }
  const T n = p.exponent();
  const int pieces = 1 + static_cast<int>(std::min(1000.0, value_of(n) * value_of(log_term) / 6.0));
  const T piece = log_term / static_cast<double>(pieces);
  T sum(0.0);
  for (int i = 0; i < pieces; ++i) {
    const T start = static_cast<double>(i) * piece;
    sum += integrate(piece, [&](const T& xi) { return T(tanh(0.5 * n * (start + xi)) * exp(start + xi)); });
  }
  return *p.ymax / (2.0 * p.rho) * sum;
}

// [elastomer E7] g4 branch in the direction of motion: w = sign(v) y after the distance D from a start with w = w0.
template <class T>
T g4_branch(const Friction<T>& p, const T& w0, const T& distance) {
  using std::expm1;
  using std::log1p;
  const T log_term = log1p(p.rho * distance);
  if (!p.limited()) return w0 + p.rdl * log_term;
  return w0 - (*p.ymax - w0) * expm1(-p.exponent() * log_term);
}

// dw/dD on the same branch  [elastomer E6]
template <class T>
T g4_branch_slope(const Friction<T>& p, const T& w0, const T& distance) {
  using std::exp;
  using std::log1p;
  const T slope = p.rdl * p.rho / (1.0 + p.rho * distance);
  if (!p.limited()) return slope;
  return slope * (1.0 - w0 / *p.ymax) * exp(-p.exponent() * log1p(p.rho * distance));
}

// Branch that a steady sine of amplitude a follows upwards: value and slope at the distance D from the lower tip.
template <class T>
T steady_branch(const Friction<T>& p, const T& amplitude, const T& distance) {
  const T tip = backbone(p, amplitude);
  if (p.law == FrictionLaw::g4) return g4_branch(p, T(-tip), distance);
  return 2.0 * backbone(p, T(0.5 * distance)) - tip;
}
template <class T>
T steady_branch_slope(const Friction<T>& p, const T& amplitude, const T& distance) {
  if (p.law == FrictionLaw::g4) return g4_branch_slope(p, T(-backbone(p, amplitude)), distance);
  return backbone_slope(p, T(0.5 * distance));
}

}  // namespace kdyn::inline elastomer
