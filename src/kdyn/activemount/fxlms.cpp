// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/fxlms.hpp"

#include <cmath>

#include <unsupported/Eigen/MatrixFunctions>

#include "kdyn/activemount/poles.hpp"
#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline activemount {
namespace {

using C = std::complex<double>;

}  // namespace

SampledPath sample_path(const ActiveMount<double>& law, ActivePath path, double sample_rate_hz) {
  demand(!is_passive(path) && sample_rate_hz > 0.0, "a sampled path is S_x or S_y at a positive rate");
  const ActiveStateSpace s = state_space_of(law);
  // Exponential of the matrix augmented by the input  [activemount E17].
  Eigen::Matrix<double, 7, 7> augmented = Eigen::Matrix<double, 7, 7>::Zero();
  augmented.topLeftCorner<6, 6>() = s.A.topLeftCorner<6, 6>();
  augmented.topRightCorner<6, 1>() = s.B.block<6, 1>(0, 2);
  const Eigen::Matrix<double, 7, 7> held = (augmented / sample_rate_hz).exp();
  SampledPath out;
  out.sample_rate_hz = sample_rate_hz;
  out.path = path;
  out.A = held.topLeftCorner<6, 6>();
  out.B = held.topRightCorner<6, 1>();
  out.C = s.C.block<1, 6>(path == ActivePath::S_x ? 0 : 1, 0);
  return out;
}

std::complex<double> SampledPath::response(double frequency_hz) const {
  using Number = std::complex<double>;  // C is the output matrix here
  const Number z = std::polar(1.0, two_pi * frequency_hz / sample_rate_hz);
  const Eigen::Matrix<Number, 6, 6> resolvent = z * Eigen::Matrix<Number, 6, 6>::Identity() - A.cast<Number>();
  return (C.cast<Number>() * resolvent.partialPivLu().solve(B.cast<Number>()))(0);
}

double loop_radius(const SampledPath& plant, double frequency_hz, double mu, C estimate) {
  const C turn = std::polar(1.0, two_pi * frequency_hz / plant.sample_rate_hz), gain = -mu * turn * std::conj(estimate);
  Eigen::MatrixXd loop = Eigen::MatrixXd::Zero(8, 8);
  loop.topLeftCorner<6, 6>() = plant.A;
  loop.block<6, 1>(0, 6) = plant.B;
  loop.block<1, 6>(6, 0) = gain.real() * plant.C;
  loop.block<1, 6>(7, 0) = gain.imag() * plant.C;
  loop(6, 6) = loop(7, 7) = turn.real();
  loop(6, 7) = -turn.imag();
  loop(7, 6) = turn.imag();
  return Eigen::EigenSolver<Eigen::MatrixXd>(loop, false).eigenvalues().cwiseAbs().maxCoeff();
}

double loop_radius_at(const SampledPath& plant, double frequency_hz, double step, double phase_error_deg) {
  const C S = plant.response(frequency_hz);
  return loop_radius(plant, frequency_hz, step / std::norm(S), S * std::polar(1.0, phase_error_deg * degree));
}

PhaseLimits phase_limits(const SampledPath& plant, double frequency_hz, double step) {
  PhaseLimits limits;
  limits.frequency_hz = frequency_hz;
  limits.step = step;
  const C S = plant.response(frequency_hz);
  const double mu = step / std::norm(S);
  const auto stable = [&](double angle_deg) {
    return loop_radius(plant, frequency_hz, mu, S * std::polar(1.0, angle_deg * degree)) < 1.0;
  };
  limits.stable_without_error = stable(0.0);
  if (!limits.stable_without_error) return limits;
  for (const double sign : {1.0, -1.0}) {
    // The first loss of stability counts: walk, then bisect.
    double inside = 0.0, outside = 1.0;
    while (outside < 180.0 && stable(sign * outside)) inside = outside, outside += 1.0;
    while (outside - inside > 0.01) {
      const double middle = 0.5 * (inside + outside);
      (stable(sign * middle) ? inside : outside) = middle;
    }
    (sign > 0.0 ? limits.plus_deg : limits.minus_deg) = sign * inside;
  }
  return limits;
}

double largest_step(const SampledPath& plant, double frequency_hz) {
  double inside = 0.0, outside = 1e-4;
  while (outside < 2.0 && loop_radius_at(plant, frequency_hz, outside, 0.0) < 1.0) inside = outside, outside *= 1.5;
  if (outside >= 2.0) return 2.0;
  while (outside - inside > 1e-4 * outside) {
    const double middle = 0.5 * (inside + outside);
    (loop_radius_at(plant, frequency_hz, middle, 0.0) < 1.0 ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace kdyn::inline activemount
