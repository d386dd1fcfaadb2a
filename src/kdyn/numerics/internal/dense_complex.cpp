// SPDX-License-Identifier: Apache-2.0
// Eigenproblems of general complex matrices, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

#ifdef KDYN_DENSE_ONCE
namespace Eigen {

template ComplexEigenSolver<MatrixXcd>& ComplexEigenSolver<MatrixXcd>::compute(const EigenBase<MatrixXcd>&, bool);

}  // namespace Eigen
#endif
