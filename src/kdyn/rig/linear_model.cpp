// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/linear_model.hpp"

#include <cmath>
#include <limits>
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

std::complex<double> fluid_term(double hz, double resonance_hz, double damping) {
  const double x = hz / resonance_hz;
  const std::complex<double> moving(-x * x, 2.0 * damping * x);
  return moving / (1.0 + moving);
}

// Non-negative shares of spring, Maxwell terms and, when it resonates, the fluid term in the target.
struct Shares {
  Eigen::VectorXd of;   // spring, Maxwell terms, fluid
  double square = 0.0;  // of the relative misfit
};

Shares fit_shares(const LinearModel& m, const std::vector<double>& times, double resonance_hz, double damping) {
  const auto points = static_cast<Eigen::Index>(m.target.size()), maxwell = static_cast<Eigen::Index>(times.size());
  const Eigen::Index columns = maxwell + 1 + (resonance_hz > 0.0 ? 1 : 0);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * points, columns);
  Eigen::VectorXd b(2 * points);
  for (Eigen::Index i = 0; i < points; ++i) {
    const std::complex<double> target = m.target[static_cast<std::size_t>(i)];
    const double w = 1.0 / std::abs(target), hz = m.frequency_hz[static_cast<std::size_t>(i)];
    const auto put = [&](Eigen::Index column, std::complex<double> value) {
      A(2 * i, column) = w * value.real();
      A(2 * i + 1, column) = w * value.imag();
    };
    put(0, 1.0);
    for (Eigen::Index j = 0; j < maxwell; ++j) put(j + 1, term(hz, times[static_cast<std::size_t>(j)]));
    if (resonance_hz > 0.0) put(columns - 1, fluid_term(hz, resonance_hz, damping));
    b[2 * i] = w * target.real();
    b[2 * i + 1] = w * target.imag();
  }
  Shares shares{non_negative_least_squares(A, b), 0.0};  // [rig E16]
  shares.square = (A * shares.of - b).squaredNorm();
  return shares;
}

// [rig E17] Frequency and damping of the fluid term: a grid over the band, then ever smaller steps around the best.
Shares search_fluid(const LinearModel& m, const std::vector<double>& times, double& resonance_hz, double& damping) {
  Shares best;
  best.square = std::numeric_limits<double>::infinity();
  const auto look = [&](double hz, double z) {
    if (hz < m.frequency_hz.front() || hz > m.frequency_hz.back() || z < 1e-3 || z > 3.0) return false;
    Shares shares = fit_shares(m, times, hz, z);
    if (!(shares.square < best.square)) return false;
    best = std::move(shares);
    resonance_hz = hz;
    damping = z;
    return true;
  };
  for (std::size_t i = 0; i < m.frequency_hz.size(); i += 2)
    for (const double z : {0.03, 0.1, 0.3, 0.8}) look(m.frequency_hz[i], z);
  for (double step = 0.2; step > 1e-4;) {
    const double hz = resonance_hz, z = damping;
    const bool better = look(hz * (1.0 + step), z) | look(hz / (1.0 + step), z) | look(hz, z * (1.0 + 2.0 * step)) | look(hz, z / (1.0 + 2.0 * step));
    if (!better) step *= 0.5;
  }
  return best;
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
  if (fluid.stiffness > 0.0) K += fluid.stiffness * fluid_term(hz, fluid.frequency_hz, fluid.damping);
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
    times.push_back(options.terms == 1 ? std::sqrt(slow * fast)
                                       : fast * std::pow(slow / fast, static_cast<double>(i) / static_cast<double>(options.terms - 1)));
  const auto maxwell = static_cast<Eigen::Index>(times.size());
  Shares shares = fit_shares(out, times, 0.0, 0.0);
  constexpr double resonates = 0.05;  // rms misfit that no rubber leaves
  if (shares.square > resonates * resonates * points) {
    Shares with = search_fluid(out, times, out.fluid.frequency_hz, out.fluid.damping);
    if (with.square < 0.5 * shares.square) {
      shares = std::move(with);
      out.fluid.stiffness = shares.of[maxwell + 1];
    }
  }
  out.static_stiffness = shares.of[0];
  for (Eigen::Index j = 1; j <= maxwell; ++j)
    if (shares.of[j] > 0.0) {
      out.stiffness.push_back(shares.of[j]);
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
