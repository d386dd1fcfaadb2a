// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kdyn/numerics/nonnegative.hpp"
#include "kdyn/rivals/fractional_zener.hpp"

namespace kdyn {

void prepare(FractionalZener<double>& law) {
  constexpr int n = FractionalZener<double>::ladder_states, points = 120;
  const double fast = 1.0 / (2.0 * std::numbers::pi * law.band_upper_hz), slow = 1.0 / (2.0 * std::numbers::pi * law.band_lower_hz);
  law.ladder.branches = n;
  // Evenly spaced over the band and somewhat beyond; the last one is so slow that inside the band it is a spring, for the slow end of the
  // spectrum. The nearest node is moved onto tau: towards order 1 the spectrum narrows to that one time and must not fall between two.
  constexpr double margin = 1.5, slowest = 5.0;  // in ln of time beyond the band
  const double spacing = (std::log(slow / fast) + 2.0 * margin) / (n - 2.0);
  const double place = std::clamp((std::log(law.relaxation_time / fast) + margin) / spacing, 0.0, n - 2.0), shift = place - std::round(place);
  for (int i = 0; i + 1 < n; ++i) law.ladder.relaxation_time[static_cast<std::size_t>(i)] = fast * std::exp(spacing * (i + shift) - margin);
  law.ladder.relaxation_time[n - 1] = slow * std::exp(slowest);
  // Real and imaginary part at frequencies evenly spaced in the logarithm, relative to the stiffness there.
  Eigen::MatrixXd A(2 * points, n + 1);
  Eigen::VectorXd b(2 * points);
  for (int p = 0; p < points; ++p) {
    const double omega = 1.0 / (fast * std::pow(slow / fast, p / (points - 1.0)));
    const Complex<double> K = law.harmonic(omega, 0.0);
    const double weight = law.static_stiffness / abs(K);
    b[2 * p] = weight * (K.re / law.static_stiffness - 1.0);
    b[2 * p + 1] = weight * K.im / law.static_stiffness;
    for (int i = 0; i < n; ++i) {
      const double x = omega * law.ladder.relaxation_time[static_cast<std::size_t>(i)];
      A(2 * p, i) = weight * x * x / (1.0 + x * x);
      A(2 * p + 1, i) = weight * x / (1.0 + x * x);
    }
    A(2 * p, n) = 0.0;
    A(2 * p + 1, n) = weight * omega * fast;  // the damper, in units that keep the column of size one
  }
  const Eigen::VectorXd h = nonnegative_least_squares(A, b);
  for (int i = 0; i < n; ++i) law.ladder.stiffness[static_cast<std::size_t>(i)] = h[i];
  law.ladder_damping = h[n] * fast;
}

}  // namespace kdyn
