// SPDX-License-Identifier: Apache-2.0
// Accelerances of a reduced model with one damping ratio (or one per mode), and their exact derivatives by the
// parameters.
//
//   [update E1] H(w) = -w^2 sum_r (C phi_r)(phi_r^T B) / (W_r^2 - w^2 + 2 i xi_r W_r w), rigid modes with W = 0
//   [update E2] dH/ds = w^2 (Y d) [k - w^2 m + i w c] (d U), Y = C Phi, U = Phi^T B, d = diag 1 / (W^2 - w^2 + 2 i xi W w),
//               k = Phi^T K_s Phi, m = Phi^T M_s Phi, c_ij = 2 xi (k_ij + m_ij W_i W_j) / (W_i + W_j), 0 between rigid modes
//   [update E32] of a model that loses energy (reduce.hpp): W^2 - w^2 becomes W^2 - w^2 + i Phi^T L Phi, full; xi_r of the lowest elastic modes
//               are parameters too
// Y and U are real, so all that is complex is put into one small matrix per line that multiplies k and m element by
// element. No derivatives of modes appear, so equal frequencies do no harm. Column `output + outputs * input` of a
// response holds a channel.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "kdyn/fe/reduce.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::update {

struct ModalForm {
  Eigen::VectorXd omega;   // rad/s, ascending; rigid modes are 0
  Eigen::MatrixXd shapes;  // columns in the coordinates of the reduced model
  Eigen::MatrixXd Y, U;    // outputs x modes, modes x inputs
  std::vector<Eigen::MatrixXd> k,
      m;  // per parameter, only when derivatives were asked for; m may be empty where mass does not change
  // [update E32], empty for models without loss: loss matrix and its slopes (empty where there is none), damping ratios of
  // the lowest elastic modes and their nominal values. k is empty for loss factors and damping ratios.
  Eigen::MatrixXd loss;
  std::vector<Eigen::MatrixXd> loss_slopes;
  Eigen::VectorXd own_damping, nominal_damping;

  bool loses() const { return loss.size() > 0; }
  Eigen::Index rigid() const;  // modes
};

// Damping ratio of every mode: its own, else `damping`; `with_loss`: and half of its loss factor.
Eigen::VectorXd damping_of_modes(const ModalForm& form, double damping, bool with_loss);

// Throws Error(bad_input) when the mass at `ratio` is not positive definite.
ModalForm modal_form(const fe::ReducedModel& model, const Eigen::VectorXd& ratio, bool derivatives);

// [update E1] lines x (outputs * inputs). Matrix products use one BLAS thread: parallel work is over lines, starts and
// draws. With a damping ratio for each mode loss matrices do not count.
Eigen::MatrixXcd accelerance(const ModalForm& form, const Eigen::VectorXd& frequency_hz, double damping);
Eigen::MatrixXcd accelerance(const ModalForm& form, const Eigen::VectorXd& frequency_hz,
                             const Eigen::VectorXd& damping_of_modes);

// [update E2] line by line. One kernel per thread: it holds the work space.
class SlopeKernel {
 public:
  SlopeKernel(const ModalForm& form, double damping);  // `form` must outlive it
  ~SlopeKernel();
  SlopeKernel(const SlopeKernel&) = delete;
  SlopeKernel& operator=(const SlopeKernel&) = delete;

  // Fills the slopes at one line; value(channel, parameter) reads them until the next call.
  void at(double frequency_hz);
  std::complex<double> value(Eigen::Index output, Eigen::Index input, Eigen::Index parameter) const {
    const Eigen::Index column = 2 * parameter + 2 * parameters_ * input;
    return {slopes_(output, column), slopes_(output, column + 1)};
  }

 private:
  class WithLoss;

  const ModalForm& form_;
  Eigen::Index parameters_;
  double damping_;
  std::unique_ptr<WithLoss> with_loss_;        // [update E32]
  Eigen::MatrixXd inverse_sum_;                // 1 / (W_i + W_j), 0 between rigid modes
  Eigen::MatrixXd k_re_, k_im_, m_re_, m_im_;  // what multiplies k and m, element by element
  Eigen::MatrixXd stacked_, right_, slopes_;   // work space
};
// The same as channels x parameters.
Eigen::MatrixXcd accelerance_derivatives(const ModalForm& form, double frequency_hz, double damping);

// Lines f_j = f_min (f_max / f_min)^(j / (n - 1)) with at least `per_half_bandwidth` lines in half of a resonance's
// width xi f. [update E3]
Eigen::VectorXd frequency_lines(double min_hz, double max_hz, double damping, double per_half_bandwidth);

}  // namespace kdyn::update
