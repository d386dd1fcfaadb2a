// SPDX-License-Identifier: Apache-2.0
// LU factors, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

namespace Eigen {

template void PartialPivLU<MatrixXd>::compute();
template void PartialPivLU<MatrixXcd>::compute();
template void FullPivLU<MatrixXd>::computeInPlace();
template void FullPivLU<MatrixXcd>::computeInPlace();
template void FullPivLU<MatrixXd>::_solve_impl(const MatrixXd&, MatrixXd&) const;
template void FullPivLU<MatrixXcd>::_solve_impl(const MatrixXcd&, MatrixXcd&) const;

}  // namespace Eigen
