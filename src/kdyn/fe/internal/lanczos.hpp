// SPDX-License-Identifier: Apache-2.0
// Block Lanczos on (K + s M)^-1 M with full reorthogonalisation. [fe E25] [fe E26]
//
// Blocks are strips of eight vectors (panel_kernels.hpp) in the order of elimination of the factor, so that nothing is
// moved between solves.
#pragma once

#include <functional>
#include <vector>

#include "kdyn/base/progress.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe::internal {

struct LanczosInput {
  int size = 0, wanted = 0, most_vectors = 0, threads = 1;
  double tolerance = 1e-9;
  std::uint64_t seed = 1;
  const std::vector<int>* new_of = nullptr;                // place in a strip of each unknown
  std::function<void(double*)> solve;                      // x = (K + s M)^-1 x
  std::function<void(const double* x, double* out)> mass;  // out = M x
};
struct LanczosResult {
  Eigen::VectorXd theta;   // descending, `wanted` or fewer
  Eigen::MatrixXd shapes;  // purified, M-normalised, in the order of the unknowns
  Eigen::VectorXd bound;   // relative
  int vectors = 0;
  bool converged = false, stopped = false;
};
LanczosResult block_lanczos(const LanczosInput& input, Progress& progress);

}  // namespace kdyn::fe::internal
