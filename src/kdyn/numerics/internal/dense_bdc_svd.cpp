// SPDX-License-Identifier: Apache-2.0
// Singular values of large matrices, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

#ifdef KDYN_DENSE_ONCE
namespace Eigen {

template BDCSVD<MatrixXd>& BDCSVD<MatrixXd>::compute(const MatrixXd&, unsigned int);

}  // namespace Eigen
#endif
