// SPDX-License-Identifier: Apache-2.0
// Singular values, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

namespace Eigen {

template JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned int);
template JacobiSVD<MatrixXcd>& JacobiSVD<MatrixXcd>::compute(const MatrixXcd&, unsigned int);
template void JacobiSVD<MatrixXd>::allocate(Index, Index, unsigned int);
template void JacobiSVD<MatrixXcd>::allocate(Index, Index, unsigned int);

}  // namespace Eigen
