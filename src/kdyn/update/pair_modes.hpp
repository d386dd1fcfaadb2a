// SPDX-License-Identifier: Apache-2.0
// Which mode of the model is which mode of the test, and the damping the model gets from the pairs.
//
//   [update E15] MOC_ij = MAC_ij |sum_k conj(z_i)^k z_j^k|^2 / n^2, z = exp(i W dt), k = 0 .. n-1: shapes and frequencies together
// The assignment maximises the sum of MOC (Hungarian method); pairs below the limit of MAC are rejected: spurious poles
// of the identification would otherwise find a partner. dt = 1/(4.5 f_max), n = 16.
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::update {

struct ModesAtSensors {
  Eigen::VectorXd frequency_hz;
  Eigen::VectorXd damping;  // ratios; may be empty for a model
  Eigen::MatrixXcd shapes;  // sensors x modes
};

struct ModePair {
  int test = -1, model = -1;
  double mac = 0.0, moc = 0.0;
};

struct Pairing {
  std::vector<ModePair> pairs;   // by test frequency
  std::vector<int> test_alone;   // modes of the test without partner
  std::vector<int> model_alone;  // modes of the model below the highest test frequency without partner
  Eigen::MatrixXd mac;           // test x model
};
Pairing pair_modes(const ModesAtSensors& test, const ModesAtSensors& model, double mac_limit = 0.5);

// Damping ratio of every model mode: that of its partner; the median of all pairs for modes without one. [update E16]
Eigen::VectorXd mapped_damping(const Pairing& pairing, const ModesAtSensors& test, Eigen::Index model_modes);

// Rows to columns so that the sum of the benefits is largest; -1 where there are more rows than columns.
std::vector<int> assign(const Eigen::MatrixXd& benefit);

}  // namespace kdyn::update
