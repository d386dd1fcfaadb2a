// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/modal_sum.hpp"

#include "kdyn/base/error.hpp"

namespace kdyn::inline numerics {

ModalWeights accelerance_weights(const Eigen::VectorXd& mode_omega, const Eigen::VectorXd& damping,
                                 const Eigen::VectorXd& omega) {
  demand(damping.size() == mode_omega.size(), "one damping ratio per mode");
  ModalWeights out{Eigen::MatrixXd(omega.size(), mode_omega.size()), Eigen::MatrixXd(omega.size(), mode_omega.size())};
  for (Eigen::Index r = 0; r < mode_omega.size(); ++r)
    for (Eigen::Index l = 0; l < omega.size(); ++l) {
      const double w = omega[l], a = mode_omega[r] * mode_omega[r] - w * w, b = 2.0 * damping[r] * mode_omega[r] * w;
      const double scale = -w * w / (a * a + b * b);
      out.re(l, r) = scale * a, out.im(l, r) = -scale * b;
    }
  return out;
}

}  // namespace kdyn::inline numerics
