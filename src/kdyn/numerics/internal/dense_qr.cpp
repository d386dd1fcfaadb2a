// SPDX-License-Identifier: Apache-2.0
// QR factors, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

namespace Eigen {

template void HouseholderQR<MatrixXd>::computeInPlace();
template void HouseholderQR<MatrixXcd>::computeInPlace();
template void ColPivHouseholderQR<MatrixXd>::computeInPlace();
template void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;

}  // namespace Eigen
