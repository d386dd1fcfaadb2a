// SPDX-License-Identifier: Apache-2.0
// Synthetic systems with known poles for the tests of the module, and responses with noise.
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "kdyn/base/random.hpp"
#include "kdyn/data/frequency_response.hpp"
#include "kdyn/sysid/frf_matrix.hpp"
#include "kdyn/sysid/modal_model.hpp"

namespace kdyn::synthetic {

// The imaginary part is drawn first: two draws as arguments of one call come in an order that compilers choose.
inline std::complex<double> drawn(RandomStream& random, double real_size = 1.0) {
  const double imaginary = random.normal();
  return {real_size * random.normal(), imaginary};
}

// Accelerance of `modes` modes spread over [low, high] Hz, real shapes with a little complexity, D of a mass-like size.
inline ModalModel system(int modes, int outputs, int inputs, double low_hz, double high_hz, std::uint64_t seed,
                         double complexity = 0.2) {
  RandomStream random(seed);
  ModalModel model;
  model.poles.resize(modes);
  model.C.resize(outputs, modes);
  model.B.resize(modes, inputs);
  model.D.resize(outputs, inputs);
  for (int r = 0; r < modes; ++r) {
    const double f = low_hz + (high_hz - low_hz) * (r + 0.2 + 0.6 * random.uniform()) / modes;
    const double omega = 2.0 * std::numbers::pi * f, damping = random.uniform(0.003, 0.02);
    model.poles[r] = omega * std::complex<double>(-damping, std::sqrt(1.0 - damping * damping));
    model.roles.push_back(PoleRole::mode);
    for (int y = 0; y < outputs; ++y) model.C(y, r) = {random.normal(), complexity * random.normal()};
    for (int u = 0; u < inputs; ++u) model.B(r, u) = omega * drawn(random, complexity);
  }
  for (int y = 0; y < outputs; ++y)
    for (int u = 0; u < inputs; ++u) model.D(y, u) = random.normal();
  return model;
}

inline Eigen::VectorXd lines(double low_hz, double high_hz, int count) {
  return 2.0 * std::numbers::pi * Eigen::VectorXd::LinSpaced(count, low_hz, high_hz);
}

inline FrequencyResponse response(const Eigen::MatrixXcd& H, const Eigen::VectorXd& omega, Eigen::Index outputs,
                                  Eigen::Index inputs) {
  FrequencyResponse out;
  out.name = "synthetic";
  for (const double w : omega) out.frequency_hz.push_back(w / (2.0 * std::numbers::pi));
  for (Eigen::Index u = 0; u < inputs; ++u)
    for (Eigen::Index y = 0; y < outputs; ++y) {
      FrequencyResponseChannel channel;
      channel.output = {y + 1, 3, ""};
      channel.input = {u + 1, 3, ""};
      channel.output_unit = "m/s^2";
      channel.input_unit = "N";
      const Eigen::VectorXcd values = H.col(y + outputs * u);
      channel.values.assign(values.data(), values.data() + values.size());
      out.channels.push_back(std::move(channel));
    }
  return out;
}

// Complex noise of `relative` times the mean magnitude of each channel.
inline void add_noise(Eigen::MatrixXcd& H, double relative, std::uint64_t seed) {
  for (Eigen::Index c = 0; c < H.cols(); ++c) {
    RandomStream random(seed, static_cast<std::uint64_t>(c));
    const double sigma = relative * H.col(c).cwiseAbs().mean() / std::sqrt(2.0);
    for (auto& value : H.col(c)) value += sigma * drawn(random);
  }
}

}  // namespace kdyn::synthetic
