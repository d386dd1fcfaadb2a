// SPDX-License-Identifier: Apache-2.0
// The convex quadratic program of one step of a search: min 1/2 z^T H z + h^T z with G z <= b.
//
//   [study E16] primal-dual interior points with Mehrotra's predictor and corrector
// For small dense problems (some ten unknowns, some hundred rows) with a point where every row holds strictly.
#pragma once

#include "kdyn/numerics/dense.hpp"

namespace kdyn::study {

struct StepSolution {
  bool solved = false;
  Eigen::VectorXd z, multipliers;  // of the rows of G
};
StepSolution solve_step(const Eigen::MatrixXd& H, const Eigen::VectorXd& h, const Eigen::MatrixXd& G,
                        const Eigen::VectorXd& b);

}  // namespace kdyn::study
