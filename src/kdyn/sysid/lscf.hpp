// SPDX-License-Identifier: Apache-2.0
// Least-squares complex frequency method (LSCF): poles as the roots of one denominator common to all channels. The
// second opinion beside the subspace method; residues follow from the same least squares as there (LSFD).
//
//   [sysid E16] H_o(z) = N_o(z)/d(z), z = exp(-i pi (omega - omega_0)/(omega_1 - omega_0)) with complex coefficients; linearised residual
//               N_o - d H_o; numerators eliminated, M = sum_o (T_o - S_o^H R^-1 S_o), M d = 0 with the coefficient of z^0 set to one
//
// With z turning backwards and that constraint, poles that only model noise come out unstable (Cauberghe 2004) and drop
// out of the diagram. It finds frequencies well and damping with a bias under noise, which refinement removes. No
// shapes: the common denominator has none.
#pragma once

#include "kdyn/numerics/dense.hpp"
#include "kdyn/sysid/frf_matrix.hpp"
#include "kdyn/sysid/subspace.hpp"

namespace kdyn::inline sysid {

class Lscf {
 public:
  // max_order in states, as in the diagram: a denominator of degree n holds n poles of the band, 2 n states.
  Lscf(const FrfMatrix& frf, int max_order);

  int max_order() const { return static_cast<int>(2 * (normal_.rows() - 1)); }
  // Poles of the denominator of degree order/2, Im > 0 only.
  OrderPoles poles(int order) const;

 private:
  Eigen::MatrixXcd normal_;
  double omega_low_ = 0.0, omega_span_ = 1.0;
};

}  // namespace kdyn::inline sysid
