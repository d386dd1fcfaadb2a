// SPDX-License-Identifier: Apache-2.0
// Uncertainty of calibrated parameters by ways that need no new calibration, and what each of them measures.
//
//   [update E9]  gamma(p) = vec(H(p) - H_X), E = d gamma / d ratio, rows as whole complex samples, real and imaginary parts stacked
//   [update E10] linearised estimate p - E_r^+ gamma_r; a bootstrap draw takes rows with replacement, the same for E and gamma
//   [update E11] sandwich A^-1 (sum_i v_i v_i^T) A^-1, A = E_r^T E_r, v_i = Re e_i Re r_i + Im e_i Im r_i: what the pair bootstrap tends to
//   [update E12] homoscedastic s^2 A^-1, right only when the noise is the same in all channels and lines
// Changed from paper G, eq. (20): the printed form lacks p*, the sign, and the stacking of real and imaginary parts.
// All of them measure the scatter of least squares on raw responses, not of the log-metric calibration: they can be far
// too small. Full re-calibration of noisy responses is the reference.
#pragma once

#include <functional>

#include "kdyn/update/metric.hpp"

namespace kdyn::update {

struct Linearisation {
  Eigen::MatrixXcd E;  // samples x parameters; samples run over channels within lines
  Eigen::VectorXcd gamma;
};
Linearisation linearise(const fe::ReducedModel& model, const Eigen::VectorXd& ratio, const Target& target,
                        double damping);

// Change of the ratios by least squares on the chosen samples. [update E10]
Eigen::VectorXd least_squares_step(const Linearisation& at);
Eigen::VectorXd bootstrap_step(const Linearisation& at, const std::vector<Eigen::Index>& samples);

struct LinearCovariance {
  Eigen::MatrixXd sandwich, homoscedastic;
};
LinearCovariance linear_covariance(const Linearisation& at);

struct Bootstrap {
  Eigen::VectorXd mean_step, standard_deviation;
  Eigen::MatrixXd steps;  // parameters x draws
};
// `block` = 1 draws single samples; larger values draw that many neighbouring lines together, all channels (frequency
// blocks). Draws are seeded one by one: draw b depends on seed and b alone.
Bootstrap bootstrap(const Linearisation& at, Eigen::Index channels, int draws, int block, std::uint64_t seed);

// [update E19] (sum e^T e / v)^-1 of least squares weighted with the measured noise of each channel: the bound no
// unbiased estimate of these responses can beat. `smoothing` = lines of the calibration / lines of the test, as in
// [update E17].
Eigen::MatrixXd weighted_covariance(const Linearisation& at, const Eigen::VectorXd& variance, Eigen::Index channels,
                                    double smoothing);

}  // namespace kdyn::update
