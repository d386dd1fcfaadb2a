// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/first_harmonic.hpp"

namespace kdyn::inline hydromount {
namespace {

// Bisection with secant steps on ln r between two values that enclose the root.
double refine(const FirstHarmonic<double>& balance, double omega, double a, double lower, double upper, double f_lower,
              double f_upper) {
  double x0 = std::log(lower), x1 = std::log(upper);
  for (int i = 0; i < 100 && x1 - x0 > 1e-12; ++i) {
    const double x = i % 3 == 2 ? 0.5 * (x0 + x1) : x0 - f_lower * (x1 - x0) / (f_upper - f_lower);
    const double f = balance.at_chamber_amplitude(std::exp(x), omega).amplitude / a - 1.0;
    if (std::abs(f) < 1e-12) return std::exp(x);
    if ((f > 0.0) == (f_upper > 0.0)) {
      x1 = x;
      f_upper = f;
    } else {
      x0 = x;
      f_lower = f;
    }
  }
  return std::exp(0.5 * (x0 + x1));
}

}  // namespace

std::vector<double> chamber_amplitudes(const FirstHarmonic<double>& balance, double omega, double a) {
  // r is about a, far below it where the fluid flows freely, above it at resonance by at most the quality factor.
  constexpr double lowest = 1e-9, highest = 1e4, fine_from = 1e-2, fine_to = 100.0;
  const auto misfit = [&](double r) { return balance.at_chamber_amplitude(r, omega).amplitude / a - 1.0; };
  std::vector<double> roots;
  double r0 = lowest * a, f0 = misfit(r0), r_before = r0, f_before = f0;
  const auto between = [&](double left, double f_left, double right, double f_right) {
    if ((f_left < 0.0) != (f_right < 0.0)) roots.push_back(refine(balance, omega, a, left, right, f_left, f_right));
  };
  for (double r1 = 2.0 * r0; r1<highest * a; r1 *= r1> fine_from * a && r1 < fine_to * a ? 1.18 : 2.0) {
    const double f1 = misfit(r1);
    // An extreme that points to zero may hide two roots between the grid points: its place by the parabola over ln r is
    // looked at too.
    const bool extreme = (f0 - f_before) * (f1 - f0) < 0.0 && (f0 > 0.0) == (f0 < f1) && (f0 > 0.0) == (f1 > 0.0) &&
                         (f0 > 0.0) == (f_before > 0.0);
    if (extreme) {
      const double x0 = std::log(r_before / r0), x1 = std::log(r1 / r0), d0 = (f_before - f0) / x0, d1 = (f1 - f0) / x1;
      const double curvature = (d1 - d0) / (x1 - x0), at = -0.5 * (d0 - curvature * x0) / curvature;
      const double r = r0 * std::exp(std::clamp(at, x0, x1)), f = misfit(r);
      if ((f < 0.0) != (f0 < 0.0)) {
        const bool left = r < r0;
        between(left ? r_before : r0, left ? f_before : f0, r, f);
        between(r, f, left ? r0 : r1, left ? f0 : f1);
      }
    }
    between(r0, f0, r1, f1);
    r_before = r0;
    f_before = f0;
    r0 = r1;
    f0 = f1;
  }
  std::sort(roots.begin(), roots.end());
  return roots;
}

double chamber_amplitude_near(const FirstHarmonic<double>& balance, double omega, double a, double guess,
                              double slope) {
  if (!(guess > 0.0)) return -1.0;
  const auto misfit = [&](double x) {
    return std::log(balance.at_chamber_amplitude(std::exp(x), omega).amplitude / a);
  };
  constexpr double tolerance = 1e-9;
  const double x_guess = std::log(guess), f_guess = misfit(x_guess);
  if (std::abs(f_guess) < tolerance) return guess;
  // Secant on ln r.
  double x0 = x_guess, f0 = f_guess;
  double x1 = x0 - std::clamp(f0 / slope, -0.1, 0.1), f1 = misfit(x1);
  for (int i = 0; i < 8 && f1 != f0; ++i) {
    if (std::abs(f1) < tolerance) return std::exp(x1);
    const double change = -f1 * (x1 - x0) / (f1 - f0);
    if (!(std::abs(x1 + change - x_guess) < 0.4)) break;
    x0 = x1;
    f0 = f1;
    x1 += change;
    f1 = misfit(x1);
  }
  // Outwards from the guess until the sign changes on one side.
  double low = x_guess, f_low = f_guess, high = x_guess, f_high = f_guess;
  for (double step = 0.08; step < 1.0; step *= 1.25) {
    const double f_up = misfit(high + step);
    if ((f_up < 0.0) != (f_high < 0.0))
      return refine(balance, omega, a, std::exp(high), std::exp(high + step), std::expm1(f_high), std::expm1(f_up));
    high += step;
    f_high = f_up;
    const double f_down = misfit(low - step);
    if ((f_down < 0.0) != (f_low < 0.0))
      return refine(balance, omega, a, std::exp(low - step), std::exp(low), std::expm1(f_down), std::expm1(f_low));
    low -= step;
    f_low = f_down;
  }
  return -1.0;
}

}  // namespace kdyn::inline hydromount
