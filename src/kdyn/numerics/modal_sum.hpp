// SPDX-License-Identifier: Apache-2.0
// Frequency responses as sums of modes.
//
//   [numerics E13] accelerance H(w) = sum_r R_r g_r(w), g_r(w) = -w^2/(w_r^2 - w^2 + 2 i xi_r w_r w); rigid modes have
//                  w_r = 0
#pragma once

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline numerics {

// Real and imaginary parts of g, lines x modes; frequencies in rad/s. The response of a channel is their product with
// its residues.
struct ModalWeights {
  Eigen::MatrixXd re, im;
};
ModalWeights accelerance_weights(const Eigen::VectorXd& mode_omega, const Eigen::VectorXd& damping,
                                 const Eigen::VectorXd& omega);

}  // namespace kdyn::inline numerics
