// SPDX-License-Identifier: Apache-2.0
// Symmetric eigenproblems, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

#ifdef KDYN_DENSE_ONCE
namespace Eigen {

template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&, int);
template SelfAdjointEigenSolver<MatrixXcd>& SelfAdjointEigenSolver<MatrixXcd>::compute(const EigenBase<MatrixXcd>&,
                                                                                       int);
template GeneralizedSelfAdjointEigenSolver<MatrixXd>& GeneralizedSelfAdjointEigenSolver<MatrixXd>::compute(
    const MatrixXd&, const MatrixXd&, int);

namespace internal {
template void tridiagonalization_inplace(MatrixXd&, VectorXd&);
template void tridiagonalization_inplace(MatrixXd&, VectorXd&, VectorXd&, VectorXd&, bool);
template ComputationInfo computeFromTridiagonal_impl(VectorXd&, VectorXd&, Index, bool, MatrixXd&);
template void apply_block_householder_on_the_left(Columns&, const Columns&, const Coefficients&, bool);
}  // namespace internal

}  // namespace Eigen
#endif
