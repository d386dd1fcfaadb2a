// SPDX-License-Identifier: Apache-2.0
// A = U diag(values) V^T with as many columns as the smaller side of A, by LAPACK's divide and conquer: for matrices of
// some hundred rows or columns, where Eigen's JacobiSVD is slow and its BDCSVD costs a compiler half a minute. Runs on
// one thread, so that the digits do not depend on the machine's cores.
#pragma once

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline numerics {

struct ThinSvd {
  Eigen::VectorXd values;  // falling
  Eigen::MatrixXd U, V;
};

ThinSvd thin_svd(Eigen::MatrixXd a);

}  // namespace kdyn::inline numerics
