// SPDX-License-Identifier: Apache-2.0
// The SLEPc module, opened on demand. All functions are called by all ranks at once. [fe E25]
#pragma once

#include <cstdint>

#include "kdyn/base/progress.hpp"
#include "kdyn/fe/assemble.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe::internal {

struct SlepcFound {
  bool converged = true, stopped = false;
  Eigen::VectorXd theta;   // 1 / (lambda + s), descending
  Eigen::MatrixXd shapes;  // M-orthonormal
  Eigen::MatrixXd solutions;
  int vectors = 0;
  double factor_entries = 0.0, factor_s = 0.0, solve_s = 0.0;
};
struct SlepcInput {
  const SparseMatrix& stiffness;
  const SparseMatrix& mass;
  double shift = 0.0, tolerance = 1e-9;
  int wanted = 0;  // 0: only the loads are solved for
  std::uint64_t seed = 1;
  const Eigen::MatrixXd& loads;
  int threads = 0;
};
// Modes besides the `known` ones (size x any number, M-orthonormal), which are in the result again. Throws
// Error(bad_input) when the module is not there or K + s M is not positive definite.
SlepcFound slepc_modes(const SlepcInput& input, const Eigen::MatrixXd& known, Progress& progress);

struct SlepcCount {
  int negative = 0, zero = 0;
  double misfit = 1.0;
};
// Signs of the pivots of K - at M. [fe E24]
SlepcCount slepc_inertia(const SparseMatrix& stiffness, const SparseMatrix& mass, double at,
                         const Eigen::VectorXd& load, int threads);

}  // namespace kdyn::fe::internal
