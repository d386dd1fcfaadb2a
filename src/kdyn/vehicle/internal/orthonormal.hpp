// SPDX-License-Identifier: Apache-2.0
// Orthonormal bases of few columns, by products.
#pragma once

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline vehicle::internal {

// T = Q R by two rounds of Cholesky (Yamamoto et al. 2015): as orthogonal as reflections as long as the columns of T are
// not too much alike, and several times faster, for all is products. Where modes nearly coincide a shifted round comes
// first (Fukaya et al. 2020). False when that does not do either.
bool thin_by_products(const Eigen::MatrixXd& T, Eigen::MatrixXd& Q, Eigen::MatrixXd& R, bool shifted);

}  // namespace kdyn::inline vehicle::internal
