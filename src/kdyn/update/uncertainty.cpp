// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/uncertainty.hpp"

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"

namespace kdyn::update {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Real and imaginary rows of one sample after each other; Householder QR of the tall matrix keeps the digits that normal equations would lose.
VectorXd solve_stacked(const MatrixXd& e, const VectorXd& gamma) { return -e.colPivHouseholderQr().solve(gamma); }

void stack(const Linearisation& at, Index from, Index to, MatrixXd& e, VectorXd& gamma) {
  e.row(2 * to) = at.E.row(from).real();
  e.row(2 * to + 1) = at.E.row(from).imag();
  gamma[2 * to] = at.gamma[from].real();
  gamma[2 * to + 1] = at.gamma[from].imag();
}

}  // namespace

Linearisation linearise(const fe::ReducedModel& model, const VectorXd& ratio, const Target& target, double damping) {
  const ModalForm form = modal_form(model, ratio, true);
  const MatrixXcd h = accelerance(form, target.frequency_hz, damping);
  Linearisation out;
  out.E.resize(target.samples(), model.parameters);
  out.gamma.resize(target.samples());
  Index sample = 0;
  for (Index l = 0; l < h.rows(); ++l) {
    const MatrixXcd slope = accelerance_derivatives(form, target.frequency_hz[l], damping);
    for (Index c = 0; c < h.cols(); ++c) {
      if (!target.uses(c)) continue;
      out.E.row(sample) = slope.row(c);
      out.gamma[sample++] = h(l, c) - target.values(l, c);
    }
  }
  return out;
}

VectorXd least_squares_step(const Linearisation& at) {
  MatrixXd e(2 * at.E.rows(), at.E.cols());
  VectorXd gamma(e.rows());
  for (Index i = 0; i < at.E.rows(); ++i) stack(at, i, i, e, gamma);
  return solve_stacked(e, gamma);
}

VectorXd bootstrap_step(const Linearisation& at, const std::vector<Index>& samples) {
  MatrixXd e(2 * static_cast<Index>(samples.size()), at.E.cols());
  VectorXd gamma(e.rows());
  for (std::size_t i = 0; i < samples.size(); ++i) stack(at, samples[i], static_cast<Index>(i), e, gamma);
  return solve_stacked(e, gamma);
}

LinearCovariance linear_covariance(const Linearisation& at) {
  const Index parameters = at.E.cols(), samples = at.E.rows();
  MatrixXd a = MatrixXd::Zero(parameters, parameters), meat = a;
  // What least squares leaves over: the draws scatter about its estimate, not about the optimum of the logarithm.
  const Eigen::VectorXcd left = at.gamma + at.E * least_squares_step(at).cast<std::complex<double>>();
  for (Index i = 0; i < samples; ++i) {
    const VectorXd re = at.E.row(i).real().transpose(), im = at.E.row(i).imag().transpose();
    const VectorXd v = re * left[i].real() + im * left[i].imag();
    a += re * re.transpose() + im * im.transpose();
    meat += v * v.transpose();
  }
  const MatrixXd inverse = a.ldlt().solve(MatrixXd::Identity(parameters, parameters));
  LinearCovariance out;
  out.sandwich = inverse * meat * inverse;
  out.homoscedastic = inverse * (left.squaredNorm() / static_cast<double>(2 * samples - parameters));
  return out;
}

Bootstrap bootstrap(const Linearisation& at, Index channels, int draws, int block, std::uint64_t seed) {
  demand(draws >= 2 && block >= 1 && channels >= 1 && at.E.rows() % channels == 0, "draws, blocks and channels fit the samples");
  const Index samples = at.E.rows(), lines = samples / channels;
  Bootstrap out;
  out.steps.resize(at.E.cols(), draws);
  std::vector<Index> rows;
  for (int b = 0; b < draws; ++b) {
    RandomStream random(seed, static_cast<std::uint64_t>(b));
    rows.clear();
    if (block == 1) {
      while (static_cast<Index>(rows.size()) < samples) rows.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(samples))));
    } else {
      const Index width = std::min<Index>(block, lines), starts = lines - width + 1;
      while (static_cast<Index>(rows.size()) < samples) {
        const auto first = static_cast<Index>(random.below(static_cast<std::uint64_t>(starts)));
        for (Index i = first * channels; i < (first + width) * channels && static_cast<Index>(rows.size()) < samples; ++i) rows.push_back(i);
      }
    }
    out.steps.col(b) = bootstrap_step(at, rows);
  }
  out.mean_step = out.steps.rowwise().mean();
  out.standard_deviation = ((out.steps.colwise() - out.mean_step).rowwise().squaredNorm() / (draws - 1)).cwiseSqrt();
  return out;
}

}  // namespace kdyn::update
