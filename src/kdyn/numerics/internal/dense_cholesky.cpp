// SPDX-License-Identifier: Apache-2.0
// Cholesky factors, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

namespace Eigen {

template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
template LDLT<MatrixXd>& LDLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
template void LDLT<MatrixXd>::_solve_impl_transposed<true>(const VectorXd&, VectorXd&) const;
template void LDLT<MatrixXd>::_solve_impl_transposed<true>(const MatrixXd&, MatrixXd&) const;

}  // namespace Eigen
