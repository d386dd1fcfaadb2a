// SPDX-License-Identifier: Apache-2.0
// Block Lanczos on (K + s M)^-1 M with full reorthogonalisation. [fe E25] [fe E26]
#pragma once

#include <functional>

#include <Eigen/Dense>

#include "kdyn/base/progress.hpp"

namespace kdyn::fe::internal {

struct LanczosInput {
  int size = 0, wanted = 0, most_vectors = 0;
  double tolerance = 1e-9;
  std::uint64_t seed = 1;
  std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)> solve;  // (K + s M)^-1
  std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)> mass;   // M
};
struct LanczosResult {
  Eigen::VectorXd theta;    // descending, `wanted` or fewer
  Eigen::MatrixXd shapes;   // purified, M-normalised
  Eigen::VectorXd bound;    // relative
  double next_theta = 0.0;  // estimate behind the last wanted one; 0: none
  int vectors = 0;
  bool converged = false, stopped = false;
};
LanczosResult block_lanczos(const LanczosInput& input, Progress& progress);

}  // namespace kdyn::fe::internal
