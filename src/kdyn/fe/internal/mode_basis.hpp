// SPDX-License-Identifier: Apache-2.0
// Makes modes a matter of the model alone: neither the solver nor its start shows in them.
#pragma once

#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe::internal {

// [fe E31] Equal eigenvalues share a space in which any M-orthonormal basis is right; this takes the one that follows
// from the space alone. The first vector is the one that moves a single unknown most, the next one the same among what
// is left. Eigenvalues ascend; those below `zero` in size (rigid motions) count as equal, others when they lie within
// 5e-10 of lambda + shift: what turning adds to a residual is less.
void make_unique(const Eigen::VectorXd& eigenvalues, double shift, double zero, Eigen::MatrixXd& shapes);

// The component of largest size is positive; the first among equals counts.
void fix_signs(Eigen::MatrixXd& shapes);

}  // namespace kdyn::fe::internal
