// SPDX-License-Identifier: Apache-2.0
// A modal test on a computer: mass and stiffness matrices, modal damping, hammer or shaker, sensors with noise; out
// come the time signals a test would give. For rehearsing a test, for examples, and for checking the chain from signals
// to modes against known answers.
//
//   [modes E3] modal equations eta'' + 2 xi w eta' + w^2 eta = phi^T f, advanced exactly for a force linear between samples; accelerations
//              follow from the equations themselves
//   accelerance: sum of modes, [numerics E13]
#pragma once

#include <cstdint>
#include <vector>

#include "kdyn/data/signal.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline modes {

struct RealModes {
  Eigen::VectorXd omega;   // rad/s, 0 for rigid modes
  Eigen::MatrixXd shapes;  // mass-normalised columns
  int rigid = 0;
};
// Lowest modes of a dense model. Eigenvalues below 1e-7 of the largest computed one, or of negative sign by rounding,
// count as rigid.
RealModes real_modes(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& stiffness, int count);

// Accelerance at given degrees of freedom; lines x (outputs * inputs), column = output + outputs * input. [numerics E13]
Eigen::MatrixXcd accelerance(const RealModes& modes, const Eigen::VectorXd& damping, const std::vector<int>& outputs,
                             const std::vector<int>& inputs, const Eigen::VectorXd& omega);

struct VirtualTestOptions {
  double sample_rate = 2048.0;
  double block_s = 4.0;
  int hits = 4;
  double force_n = 200.0;      // peak of a hit
  double pulse_s = 0.004;      // half sine
  double sensor_noise = 1e-3;  // of each sensor's largest reading
  double force_noise = 1e-3;
  int double_hit = -1;  // this hit bounces
  std::uint64_t seed = 1;
};

// Hits at one degree of freedom; signals "force" and one acceleration for each output, with their degrees of freedom.
SignalSet hammer_test(const RealModes& modes, const Eigen::VectorXd& damping, const std::vector<Dof>& dofs,
                      const std::vector<int>& outputs, int input, const VirtualTestOptions& options);

}  // namespace kdyn::inline modes
