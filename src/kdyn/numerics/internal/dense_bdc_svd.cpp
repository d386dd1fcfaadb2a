// SPDX-License-Identifier: Apache-2.0
// Singular values of large matrices, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

namespace Eigen {

template BDCSVD<MatrixXd>& BDCSVD<MatrixXd>::compute(const MatrixXd&, unsigned int);

}  // namespace Eigen
