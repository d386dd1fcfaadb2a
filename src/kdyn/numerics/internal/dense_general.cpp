// SPDX-License-Identifier: Apache-2.0
// Eigenproblems of general real matrices, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

namespace Eigen {

template EigenSolver<MatrixXd>& EigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&, bool);
template MatrixXcd EigenSolver<MatrixXd>::eigenvectors() const;

}  // namespace Eigen
