// SPDX-License-Identifier: Apache-2.0
// Planning a test before it is made: which sensors, and at which lines.
//
//   [update E21] effective independence (Kammer 1991): E = diag(Phi (Phi^T Phi)^-1 Phi^T) over candidate motions; the one with the smallest
//                share is removed, again and again
//   [update E22] gramian rejection: candidates whose rows see the modes alike, (phi_i phi_j^T)^2/(|phi_i|^2 |phi_j|^2) > limit, bring the same
//                twice; of such a group only the strongest stays
//   [update E23] lines from expected poles: f_r (1 + k xi/n) within `spread` half-bandwidths of each, and the lines of [update E3] between
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::update {

struct SensorChoice {
  std::vector<int> chosen;           // rows of the candidates, best last to be removed first
  std::vector<double> independence;  // share of each chosen one in 0..1
  int rejected_alike = 0;            // by the gramian
  double condition = 0.0;            // of the modes at the chosen sensors
  double largest_off_diagonal_mac = 0.0;
};
// `shapes`: candidates x modes. Needs count >= modes.
SensorChoice choose_sensors(const Eigen::MatrixXd& shapes, int count, double alike = 0.95);

Eigen::VectorXd lines_from_poles(const Eigen::VectorXd& frequency_hz, double min_hz, double max_hz, double damping,
                                 double per_half_bandwidth, double spread = 4.0);

}  // namespace kdyn::update
