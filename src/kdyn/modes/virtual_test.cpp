// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/virtual_test.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "kdyn/base/random.hpp"
#include "kdyn/numerics/modal_sum.hpp"

namespace kdyn::inline modes {

RealModes real_modes(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& stiffness, int count) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(stiffness, mass);
  const Eigen::Index n = std::min<Eigen::Index>(count, mass.rows());
  RealModes out;
  out.omega.resize(n);
  out.shapes = eigen.eigenvectors().leftCols(n);
  // Rounding of the full problem leaves rigid eigenvalues at eps times the largest of all; flexible ones of interest
  // lie far above.
  const double floor = 1e-13 * eigen.eigenvalues().maxCoeff() + 1e-7 * std::max(0.0, eigen.eigenvalues()[n - 1]);
  for (Eigen::Index r = 0; r < n; ++r) {
    const double value = eigen.eigenvalues()[r];
    out.omega[r] = value > floor ? std::sqrt(value) : 0.0;
    out.rigid += value > floor ? 0 : 1;
    // A fixed sign: the largest component is positive.
    Eigen::Index largest = 0;
    out.shapes.col(r).cwiseAbs().maxCoeff(&largest);
    if (out.shapes(largest, r) < 0.0) out.shapes.col(r) *= -1.0;
  }
  return out;
}

Eigen::MatrixXcd accelerance(const RealModes& modes, const Eigen::VectorXd& damping, const std::vector<int>& outputs,
                             const std::vector<int>& inputs, const Eigen::VectorXd& omega) {
  const auto p = static_cast<Eigen::Index>(outputs.size()), q = static_cast<Eigen::Index>(inputs.size()),
             n = modes.omega.size();
  Eigen::MatrixXd residues(n, p * q);
  for (Eigen::Index u = 0; u < q; ++u)
    for (Eigen::Index y = 0; y < p; ++y)
      residues.col(y + p * u) = modes.shapes.row(outputs[static_cast<std::size_t>(y)])
                                    .cwiseProduct(modes.shapes.row(inputs[static_cast<std::size_t>(u)]))
                                    .transpose();
  const ModalWeights weights = accelerance_weights(modes.omega, damping.head(n), omega);
  Eigen::MatrixXcd out(omega.size(), p * q);
  out.real() = weights.re * residues;
  out.imag() = weights.im * residues;
  return out;
}

SignalSet hammer_test(const RealModes& modes, const Eigen::VectorXd& damping, const std::vector<Dof>& dofs,
                      const std::vector<int>& outputs, int input, const VirtualTestOptions& options) {
  const double h = 1.0 / options.sample_rate;
  const auto block = static_cast<std::size_t>(std::llround(options.block_s * options.sample_rate));
  // Time between hits is longer than a block, so that the structure comes to rest.
  const std::size_t spacing = block + block / 4, lead = block / 16;
  const std::size_t samples = lead + spacing * static_cast<std::size_t>(options.hits);
  RandomStream random(options.seed);
  std::vector<double> force(samples, 0.0);
  const auto pulse = [&](std::size_t at, double peak) {
    const double duration = options.pulse_s * random.uniform(0.9, 1.1) / h;
    for (std::size_t j = 0; j < static_cast<std::size_t>(duration) + 1 && at + j < samples; ++j)
      force[at + j] += peak * std::max(0.0, std::sin(std::numbers::pi * static_cast<double>(j) / duration));
  };
  for (int hit = 0; hit < options.hits; ++hit) {
    const std::size_t at = lead + spacing * static_cast<std::size_t>(hit) + random.below(8);
    const double peak = options.force_n * random.uniform(0.8, 1.2);
    pulse(at, peak);
    if (hit == options.double_hit) pulse(at + static_cast<std::size_t>(0.05 / h), 0.4 * peak);
  }
  // [modes E3]: complex form of each mode, q' = lambda q + b f with the force linear between samples; rigid modes:
  // acceleration only.
  std::vector<Eigen::VectorXd> response(outputs.size(), Eigen::VectorXd::Zero(static_cast<Eigen::Index>(samples)));
  for (Eigen::Index r = 0; r < modes.omega.size(); ++r) {
    const double w = modes.omega[r], drive = modes.shapes(input, r);
    std::vector<double> acceleration(samples);
    if (w == 0.0) {
      for (std::size_t j = 0; j < samples; ++j) acceleration[j] = drive * force[j];
    } else {
      const std::complex<double> lambda =
          w * std::complex<double>(-damping[r], std::sqrt(1.0 - damping[r] * damping[r]));
      const std::complex<double> residue = 1.0 / std::complex<double>(0.0, 2.0 * lambda.imag());
      const std::complex<double> e = std::exp(lambda * h), phi1 = (e - 1.0) / lambda, phi2 = (phi1 - h) / (lambda * h);
      std::complex<double> q = 0.0;
      for (std::size_t j = 0; j < samples; ++j) {
        if (j > 0) q = e * q + drive * ((phi1 - phi2) * force[j - 1] + phi2 * force[j]);
        // eta = 2 Re(residue q); eta'' = 2 Re(residue lambda^2 q) + drive f.
        acceleration[j] = 2.0 * (residue * lambda * lambda * q).real() + drive * force[j];
      }
    }
    for (std::size_t y = 0; y < outputs.size(); ++y)
      response[y] += modes.shapes(outputs[y], r) *
                     Eigen::Map<const Eigen::VectorXd>(acceleration.data(), static_cast<Eigen::Index>(samples));
  }
  SignalSet out;
  Signal signal;
  signal.name = "force";
  signal.unit = "N";
  signal.dof = dofs[static_cast<std::size_t>(input)];
  signal.step_s = h;
  signal.values = force;
  for (double& f : signal.values) f += options.force_noise * options.force_n * random.normal();
  out.signals.push_back(signal);
  for (std::size_t y = 0; y < outputs.size(); ++y) {
    RandomStream noise(options.seed, 1000 + y);
    Signal s;
    s.dof = dofs[static_cast<std::size_t>(outputs[y])];
    s.name = "acceleration " + label(s.dof);
    s.unit = "m/s^2";
    s.step_s = h;
    const double sigma = options.sensor_noise * response[y].cwiseAbs().maxCoeff();
    s.values.assign(response[y].data(), response[y].data() + response[y].size());
    for (double& value : s.values) value += sigma * noise.normal();
    out.signals.push_back(std::move(s));
  }
  return out;
}

}  // namespace kdyn::inline modes
