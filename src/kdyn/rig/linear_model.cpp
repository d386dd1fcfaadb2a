// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/linear_model.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/nnls.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<LinearModelOptions>() {
  using O = LinearModelOptions;
  static const FieldTable table = FieldTable::of<O>("linearise", [](FieldTable& t) {
    t.add(&O::amplitude_m, "amplitude_m", "m", "Amplitude at which the mount is made linear").above(0.0);
    t.add(&O::preload_n, "preload_n", "N", "Static preload");
    t.add(&O::from_hz, "from_hz", "Hz", "Lowest frequency of use").above(0.0);
    t.add(&O::to_hz, "to_hz", "Hz", "Highest frequency of use").above(0.0);
    t.add(&O::terms, "terms", "-", "Maxwell terms offered; those that are not needed come out as zero and are left out").range(1, 20);
  });
  return table;
}

namespace {

std::complex<double> term(double hz, double time) {
  const std::complex<double> s(0.0, 2.0 * std::numbers::pi * hz * time);
  return s / (1.0 + s);
}

// First-harmonic stiffness at one point: closed form where the law has one, the virtual rig otherwise.
std::complex<double> first_harmonic(const Mount& mount, double hz, double amplitude, double preload) {
  if (const auto closed = mount.closed_form(hz, amplitude, mount.static_displacement(preload))) return std::polar(closed->k_dyn, closed->loss_angle);
  RigOptions options;
  options.frequencies_hz = {hz};
  options.amplitudes_m = {amplitude};
  options.preloads_n = {preload};
  const RigResult result = run_rig(mount, options);
  return std::polar(result.map.front().response.k_dyn, result.map.front().response.loss_angle);
}

}  // namespace

std::complex<double> LinearModel::stiffness_at(double hz) const {
  std::complex<double> K = static_stiffness;
  for (std::size_t i = 0; i < stiffness.size(); ++i) K += stiffness[i] * term(hz, time[i]);
  return K;
}

LinearModel linear_model(const Mount& mount, const LinearModelOptions& options) {
  if (!(options.from_hz < options.to_hz))
    throw_bad_input("to_hz", fmt::format("{:g} Hz is not above from_hz = {:g} Hz", options.to_hz, options.from_hz), "give from_hz < to_hz");
  constexpr int points = 60;
  LinearModel out;
  for (int i = 0; i < points; ++i) {
    out.frequency_hz.push_back(options.from_hz * std::pow(options.to_hz / options.from_hz, i / (points - 1.0)));
    out.target.push_back(first_harmonic(mount, out.frequency_hz.back(), options.amplitude_m, options.preload_n));
  }
  // Times reach beyond the band on both sides: loss that does not fall towards low frequency needs slow terms.
  std::vector<double> times;
  const double slow = 10.0 / (2.0 * std::numbers::pi * options.from_hz), fast = 0.2 / (2.0 * std::numbers::pi * options.to_hz);
  for (std::int64_t i = 0; i < options.terms; ++i)
    times.push_back(options.terms == 1 ? std::sqrt(slow * fast) : fast * std::pow(slow / fast, static_cast<double>(i) / static_cast<double>(options.terms - 1)));
  const auto columns = static_cast<Eigen::Index>(times.size()) + 1;
  Eigen::MatrixXd A(2 * points, columns);
  Eigen::VectorXd b(2 * points);
  for (Eigen::Index i = 0; i < points; ++i) {
    const std::complex<double> target = out.target[static_cast<std::size_t>(i)];
    const double w = 1.0 / std::abs(target);
    A(2 * i, 0) = w;
    A(2 * i + 1, 0) = 0.0;
    for (Eigen::Index j = 1; j < columns; ++j) {
      const std::complex<double> t = w * term(out.frequency_hz[static_cast<std::size_t>(i)], times[static_cast<std::size_t>(j - 1)]);
      A(2 * i, j) = t.real();
      A(2 * i + 1, j) = t.imag();
    }
    b[2 * i] = w * target.real();
    b[2 * i + 1] = w * target.imag();
  }
  const Eigen::VectorXd x = non_negative_least_squares(A, b);  // [rig E16]
  out.static_stiffness = x[0];
  for (Eigen::Index j = 1; j < columns; ++j)
    if (x[j] > 0.0) {
      out.stiffness.push_back(x[j]);
      out.time.push_back(times[static_cast<std::size_t>(j - 1)]);
    }
  double error = 0.0, size = 0.0;
  for (std::size_t i = 0; i < out.target.size(); ++i) {
    out.model.push_back(out.stiffness_at(out.frequency_hz[i]));
    error += std::norm(out.model.back() - out.target[i]);
    size += std::norm(out.target[i]);
  }
  out.misfit = std::sqrt(error / size);
  return out;
}

}  // namespace kdyn
