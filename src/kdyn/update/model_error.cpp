// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/model_error.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/angle.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::update {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Sums of J^T J and J^T eps over a group of samples.
struct GroupSums {
  MatrixXd a;
  VectorXd g;
};

VectorXd spread_over(const VectorXd& of_free, const std::vector<Index>& used, Index parameters) {
  VectorXd out = VectorXd::Zero(parameters);
  for (std::size_t k = 0; k < used.size(); ++k) out[used[k]] = of_free[static_cast<Index>(k)];
  return out;
}

// Each group left out once.
VectorXd left_out_one_by_one(const std::vector<GroupSums>& groups, const MatrixXd& a, const std::vector<Index>& used) {
  VectorXd sum = VectorXd::Zero(static_cast<Index>(used.size()));
  double count = 0.0;
  for (const GroupSums& group : groups) {
    if (group.a.isZero(0.0)) continue;
    const MatrixXd rest = (a - group.a)(used, used);
    const VectorXd g = group.g(used);
    sum += VectorXd(rest.ldlt().solve(g)).cwiseAbs2(), count += 1.0;
  }
  if (count < 3.0) return VectorXd::Zero(a.rows());
  return spread_over(((count - 1.0) / count * sum).cwiseSqrt(), used, a.rows());
}

std::vector<GroupSums> in_blocks(const std::vector<GroupSums>& of_line, int count) {
  std::vector<GroupSums> out;
  for (std::size_t l = 0, block = 0; l < of_line.size(); ++l) {
    const std::size_t here = l * static_cast<std::size_t>(count) / of_line.size();
    if (l == 0 || here != block)
      out.push_back(of_line[l]);
    else
      out.back().a += of_line[l].a, out.back().g += of_line[l].g;
    block = here;
  }
  return out;
}

// Slopes of log10 H by relative errors of modal stiffness and of modal mass between every two modes, for one sample.
class ModalErrors {
 public:
  ModalErrors(const ModalForm& form, double damping, double top)
      : form_(form),
        damping_(damping_of_modes(form, damping, true)) {
    for (Index r = 0; r < form.omega.size(); ++r)
      if (form.omega[r] > 0.0 && form.omega[r] < top) modes_.push_back(r);
    const auto n = static_cast<Index>(modes_.size());
    variance.resize(n *
                    (n + 1));  // stiffness first, then mass; twice on the diagonal, as for random symmetric matrices
    Index p = 0;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j, ++p) variance[p] = variance[p + pairs()] = i == j ? 2.0 : 1.0;
    d_.resize(n);
  }
  Index pairs() const { return static_cast<Index>(modes_.size() * (modes_.size() + 1) / 2); }

  void at(double omega) {
    omega_ = omega;
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const double o = form_.omega[modes_[i]];
      d_[static_cast<Index>(i)] = 1.0 / Complex(o * o - omega * omega, 2.0 * damping_[modes_[i]] * o * omega);
    }
  }
  template <class Rows>
  void slopes(Index y, Index u, Complex scale, Rows&& rows) const {
    Index p = 0;
    const Complex front = omega_ * omega_ * scale;
    for (std::size_t i = 0; i < modes_.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j, ++p) {
        const Index a = modes_[i], b = modes_[j];
        const double share =
            i == j ? form_.Y(y, a) * form_.U(a, u) : form_.Y(y, a) * form_.U(b, u) + form_.Y(y, b) * form_.U(a, u);
        const double both = form_.omega[a] * form_.omega[b],
                     damped = (damping_[a] + damping_[b]) * omega_ * both / (form_.omega[a] + form_.omega[b]);
        const Complex base = front * share * d_[static_cast<Index>(i)] * d_[static_cast<Index>(j)];
        const Complex k = base * Complex(both, damped), m = base * Complex(-omega_ * omega_, damped);
        rows(0, p) = k.real(), rows(1, p) = k.imag();
        rows(0, p + pairs()) = m.real(), rows(1, p + pairs()) = m.imag();
      }
  }

  VectorXd variance;

 private:
  const ModalForm& form_;
  VectorXd damping_;
  double omega_ = 0.0;
  std::vector<Index> modes_;
  Eigen::VectorXcd d_;
};

}  // namespace

double model_error_excess(double model_to_noise) {
  constexpr double by_noise = 1.2;  // models without error came to this over many noises
  return std::max(0.0, 1.0 - std::pow(by_noise / model_to_noise, 2));
}

VectorXd ModelErrorSpread::std() const {
  const VectorXd moved = std::sqrt(excess) * by_lines.cwiseMax(by_outputs).cwiseMax(by_inputs);
  return moved.cwiseMax(by_modes);
}

ModelErrorSpread model_error_spread(const fe::ReducedModel& model, const VectorXd& ratio, const Target& target,
                                    double damping, double noise_metric, const std::vector<bool>& free,
                                    const MatrixXd& pull, int blocks) {
  constexpr double beyond = 1.3;  // of the band: modes that still shape the responses in it
  const ModalForm form = modal_form(model, ratio, true);
  const Index lines = target.frequency_hz.size(), outputs = form.Y.rows(), inputs = form.U.cols(),
              parameters = model.parameters, channels = outputs * inputs;
  const Eigen::MatrixXcd h = accelerance(form, target.frequency_hz, damping);
  SlopeKernel kernel(form, damping);
  ModalErrors errors(form, damping, beyond * two_pi * target.frequency_hz[lines - 1]);
  const Index directions = errors.variance.size();
  const double log_of_ten = std::log(10.0);
  const GroupSums zero{MatrixXd::Zero(parameters, parameters), VectorXd::Zero(parameters)};
  std::vector<GroupSums> of_line(static_cast<std::size_t>(lines), zero),
      of_output(static_cast<std::size_t>(outputs), zero), of_input(static_cast<std::size_t>(inputs), zero);
  MatrixXd a = zero.a, cross = MatrixXd::Zero(parameters, directions);
  VectorXd norm = VectorXd::Zero(directions);
  MatrixXd jacobian(2 * channels, parameters), error_slopes(2 * channels, directions);
  double squares = 0.0, weights = 0.0;
  for (Index l = 0; l < lines; ++l) {
    kernel.at(target.frequency_hz[l]);
    errors.at(two_pi * target.frequency_hz[l]);
    Index row = 0;
    for (Index u = 0; u < inputs; ++u)
      for (Index y = 0; y < outputs; ++y) {
        const Index c = y + outputs * u;
        if (!target.uses(c) || !(target.weight_at(l, c) > 0.0)) continue;
        const Complex eps = log10_ratio(h(l, c), target.values(l, c)), scale = 1.0 / (h(l, c) * log_of_ten);
        for (Index s = 0; s < parameters; ++s) {
          const Complex j = kernel.value(y, u, s) * scale;
          jacobian(row, s) = j.real(), jacobian(row + 1, s) = j.imag();
        }
        errors.slopes(y, u, scale, error_slopes.middleRows(row, 2));
        const auto rows = jacobian.middleRows(row, 2);
        const MatrixXd outer = rows.transpose() * rows;
        const VectorXd g = rows.row(0).transpose() * eps.real() + rows.row(1).transpose() * eps.imag();
        for (GroupSums* sums : {&of_line[static_cast<std::size_t>(l)], &of_output[static_cast<std::size_t>(y)],
                                &of_input[static_cast<std::size_t>(u)]})
          sums->a += outer, sums->g += g;
        a += outer, squares += std::norm(eps), weights += 1.0;
        row += 2;
      }
    cross.noalias() += jacobian.topRows(row).transpose() * error_slopes.topRows(row);
    norm += error_slopes.topRows(row).colwise().squaredNorm().transpose();
  }
  std::vector<Index> used;
  for (std::size_t s = 0; s < free.size(); ++s)
    if (free[s]) used.push_back(static_cast<Index>(s));
  ModelErrorSpread out;
  out.by_lines = out.by_outputs = out.by_inputs = out.by_modes = VectorXd::Zero(parameters);
  if (used.empty() || !(weights > 0.0)) return out;
  out.excess = model_error_excess(std::sqrt(squares / std::max(noise_metric * weights, 1e-300)));
  if (pull.size() > 0) a += pull;
  // Errors of a model are alike over ranges of frequency whose width nobody knows: wide and narrow blocks. The median of
  // them, because a wide block takes what determines a parameter away with it.
  std::vector<VectorXd> of_width;
  for (const int count : {3, 4, 6, 9, blocks})
    of_width.push_back(left_out_one_by_one(in_blocks(of_line, count), a, used));
  for (Index s = 0; s < parameters; ++s) {
    std::vector<double> widths;
    for (const VectorXd& moved : of_width) widths.push_back(moved[s]);
    out.by_lines[s] = median(std::move(widths));
  }
  out.by_outputs = left_out_one_by_one(of_output, a, used);
  out.by_inputs = left_out_one_by_one(of_input, a, used);
  // Random errors: what they leave over after the parameters have taken up their part gives their size.
  const MatrixXd taken = cross(used, Eigen::all), moved = MatrixXd(a(used, used)).ldlt().solve(taken);
  const VectorXd left = norm - taken.cwiseProduct(moved).colwise().sum().transpose();
  const double visible = errors.variance.dot(left.cwiseMax(0.0));
  if (!(visible > 0.0)) return out;
  const double variance = out.excess * squares / visible;
  out.modal_error = std::sqrt(variance);
  const VectorXd of_free = (variance * moved.cwiseAbs2() * errors.variance).cwiseSqrt();
  out.by_modes = spread_over(of_free, used, parameters);
  return out;
}

}  // namespace kdyn::update
