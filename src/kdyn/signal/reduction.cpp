// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Dense>

#include "kdyn/base/error.hpp"

namespace kdyn::inline signal {
namespace {

// Mean of the cycles: noise that is not synchronous with the sine averages out before extremes are taken.
std::vector<double> fold(std::span<const double> signal, int cycles) {
  const std::size_t n = signal.size() / static_cast<std::size_t>(cycles);
  std::vector<double> mean(n, 0.0);
  for (std::size_t i = 0; i < signal.size(); ++i) mean[i % n] += signal[i] / cycles;
  return mean;
}

// Largest value of a periodic signal (smallest for sign = -1), refined by the parabola through the largest sample and
// its neighbours where the signal is round there: at a corner or a jump the parabola would overshoot, and the sample
// itself is taken.
double crest(const std::vector<double>& x, double sign) {
  const std::size_t n = x.size();
  std::size_t top = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (sign * x[i] > sign * x[top]) top = i;
  const auto at = [&](std::size_t shift) { return sign * x[(top + n - 2 + shift) % n]; };  // shift 2 is the top
  const auto curvature = [&](std::size_t shift) { return at(shift - 1) - 2.0 * at(shift) + at(shift + 1); };
  if (!(curvature(1) < 0.0 && curvature(2) < 0.0 && curvature(3) < 0.0)) return x[top];
  const double slope = at(3) - at(1);
  return sign * (at(2) - 0.125 * slope * slope / curvature(2));
}

}  // namespace

Reduction reduce_sine(std::span<const double> displacement, std::span<const double> force, int cycles) {
  demand(displacement.size() == force.size() && cycles > 0 &&
             displacement.size() % static_cast<std::size_t>(cycles) == 0 &&
             displacement.size() / static_cast<std::size_t>(cycles) >= 8,
         "a reduction gets whole cycles of at least eight samples");
  const std::vector<double> u = fold(displacement, cycles), f = fold(force, cycles);
  const std::size_t n = u.size();
  std::complex<double> u1, f1;
  for (std::size_t i = 0; i < n; ++i) {
    const double phase = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    const std::complex<double> e(std::cos(phase), -std::sin(phase));
    u1 += u[i] * e;
    f1 += f[i] * e;
  }
  const std::complex<double> K = f1 / u1;
  const double amplitude = 2.0 * std::abs(u1) / static_cast<double>(n);
  // [signal E3] Area of the polygon; it holds sin(2 pi/n)/(2 pi/n) of the loop, which is undone.
  double area = 0.0;
  for (std::size_t i = 0; i < n; ++i) area += 0.5 * (f[i] + f[(i + 1) % n]) * (u[(i + 1) % n] - u[i]);
  const double corner = 2.0 * std::numbers::pi / static_cast<double>(n);
  area *= corner / std::sin(corner);
  const double force_range = crest(f, 1.0) - crest(f, -1.0), travel = crest(u, 1.0) - crest(u, -1.0);
  Reduction out;
  out.amplitude = amplitude;
  out.k_dyn = std::abs(K);
  out.loss_angle = std::arg(K);
  out.k_dyn_loop = force_range / travel;
  const double ratio = 4.0 * area / (std::numbers::pi * force_range * travel);
  out.loss_angle_loop = std::asin(std::clamp(ratio, -1.0, 1.0));
  return out;
}

Reduction reduce_by_phase(std::span<const double> phase, std::span<const double> displacement,
                          std::span<const double> force) {
  demand(phase.size() == displacement.size() && phase.size() == force.size() && phase.size() >= 8,
         "phase, displacement and force have the same length");
  // [signal E10] Normal equations of three unknowns for both signals at once.
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  Eigen::Matrix<double, 3, 2> b = Eigen::Matrix<double, 3, 2>::Zero();
  for (std::size_t i = 0; i < phase.size(); ++i) {
    const Eigen::Vector3d basis(std::cos(phase[i]), std::sin(phase[i]), 1.0);
    A += basis * basis.transpose();
    b += basis * Eigen::RowVector2d(displacement[i], force[i]);
  }
  const Eigen::Matrix<double, 3, 2> x = A.ldlt().solve(b);
  const std::complex<double> u1(x(0, 0), -x(1, 0)), f1(x(0, 1), -x(1, 1)), K = f1 / u1;
  const auto [u_low, u_high] = std::minmax_element(displacement.begin(), displacement.end());
  const auto [f_low, f_high] = std::minmax_element(force.begin(), force.end());
  Reduction out;
  out.amplitude = std::abs(u1);
  out.k_dyn = std::abs(K);
  out.loss_angle = std::arg(K);
  out.k_dyn_loop = (*f_high - *f_low) / (*u_high - *u_low);
  const double area = std::numbers::pi * std::norm(u1) * K.imag();
  out.loss_angle_loop =
      std::asin(std::clamp(4.0 * area / (std::numbers::pi * (*f_high - *f_low) * (*u_high - *u_low)), -1.0, 1.0));
  return out;
}

}  // namespace kdyn::inline signal
