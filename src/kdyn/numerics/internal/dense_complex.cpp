// SPDX-License-Identifier: Apache-2.0
// Eigenproblems of general complex matrices, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

namespace Eigen {

template ComplexEigenSolver<MatrixXcd>& ComplexEigenSolver<MatrixXcd>::compute(const EigenBase<MatrixXcd>&, bool);

}  // namespace Eigen
