// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/first_harmonic.hpp"

namespace kdyn {
namespace {

// Bisection with secant steps on ln r between two values that enclose the root.
double refine(const FirstHarmonic<double>& balance, double omega, double a, double lower, double upper, double f_lower, double f_upper) {
  double x0 = std::log(lower), x1 = std::log(upper);
  for (int i = 0; i < 100 && x1 - x0 > 1e-13; ++i) {
    const double x = i % 3 == 2 ? 0.5 * (x0 + x1) : x0 - f_lower * (x1 - x0) / (f_upper - f_lower);
    const double f = balance.at_chamber_amplitude(std::exp(x), omega).amplitude / a - 1.0;
    if (std::abs(f) < 1e-14) return std::exp(x);
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
  constexpr double lowest = 1e-9, highest = 1e4, coarse = 1.35;
  std::vector<double> roots;
  double r0 = lowest * a, f0 = balance.at_chamber_amplitude(r0, omega).amplitude / a - 1.0;
  for (double r1 = r0 * coarse; r1 < highest * a; r1 *= r1 > 1e-2 * a && r1 < 100.0 * a ? 1.04 : coarse) {
    const double f1 = balance.at_chamber_amplitude(r1, omega).amplitude / a - 1.0;
    if ((f0 < 0.0) != (f1 < 0.0)) roots.push_back(refine(balance, omega, a, r0, r1, f0, f1));
    r0 = r1;
    f0 = f1;
  }
  return roots;
}

double chamber_amplitude_near(const FirstHarmonic<double>& balance, double omega, double a, double guess) {
  // Secant on ln r; leaving the neighbourhood is left to the scan.
  if (!(guess > 0.0)) return -1.0;
  double x0 = std::log(guess), f0 = std::log(balance.at_chamber_amplitude(guess, omega).amplitude / a);
  double x1 = x0 - std::clamp(f0, -0.05, 0.05) - 1e-7, f1 = std::log(balance.at_chamber_amplitude(std::exp(x1), omega).amplitude / a);
  for (int i = 0; i < 12; ++i) {
    if (std::abs(f1) < 1e-12) return std::exp(x1);
    if (f1 == f0) return -1.0;
    const double change = -f1 * (x1 - x0) / (f1 - f0);
    if (!(std::abs(change) < 0.5)) return -1.0;
    x0 = x1;
    f0 = f1;
    x1 += change;
    f1 = std::log(balance.at_chamber_amplitude(std::exp(x1), omega).amplitude / a);
  }
  return std::abs(f1) < 1e-9 ? std::exp(x1) : -1.0;
}

}  // namespace kdyn
