// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/uncertainty.hpp"

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/numerics/dense_functions.hpp"

namespace kdyn::update {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Real and imaginary rows of one sample after each other; Householder QR of the tall matrix keeps the digits that
// normal equations would lose.
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
  const MatrixXd inverse = symmetric_inverse(a);
  LinearCovariance out;
  out.sandwich = inverse * meat * inverse;
  out.homoscedastic = inverse * (left.squaredNorm() / static_cast<double>(2 * samples - parameters));
  return out;
}

namespace {

// Sums of e^T e and e^T gamma over the real rows of some samples.
struct NormalSums {
  MatrixXd a;
  VectorXd g;
};
NormalSums sums_of(const Linearisation& at, Index first, Index count) {
  const MatrixXd re = at.E.middleRows(first, count).real(), im = at.E.middleRows(first, count).imag();
  return {re.transpose() * re + im.transpose() * im, re.transpose() * at.gamma.segment(first, count).real() +
                                                         im.transpose() * at.gamma.segment(first, count).imag()};
}

}  // namespace

Bootstrap bootstrap(const Linearisation& at, Index channels, int draws, int block, std::uint64_t seed) {
  demand(draws >= 2 && block >= 1 && channels >= 1 && at.E.rows() % channels == 0,
         "draws, blocks and channels fit the samples");
  const Index samples = at.E.rows(), lines = samples / channels, parameters = at.E.cols();
  // Drawing whole lines needs their sums only.
  std::vector<NormalSums> of_line;
  if (block > 1)
    for (Index l = 0; l < lines; ++l) of_line.push_back(sums_of(at, l * channels, channels));
  Bootstrap out;
  out.steps.resize(parameters, draws);
  for (int b = 0; b < draws; ++b) {
    RandomStream random(seed, static_cast<std::uint64_t>(b));
    NormalSums sum{MatrixXd::Zero(parameters, parameters), VectorXd::Zero(parameters)};
    if (block == 1) {
      VectorXd weight = VectorXd::Zero(samples);
      for (Index i = 0; i < samples; ++i)
        weight[static_cast<Index>(random.below(static_cast<std::uint64_t>(samples)))] += 1.0;
      const VectorXd root = weight.cwiseSqrt();
      for (const bool imaginary : {false, true}) {
        MatrixXd rows = imaginary ? MatrixXd(at.E.imag()) : MatrixXd(at.E.real());
        rows = root.asDiagonal() * rows;
        const VectorXd right = root.cwiseProduct(imaginary ? VectorXd(at.gamma.imag()) : VectorXd(at.gamma.real()));
        sum.a += rows.transpose() * rows, sum.g += rows.transpose() * right;
      }
    } else {
      const Index width = std::min<Index>(block, lines), starts = lines - width + 1;
      for (Index drawn = 0; drawn < lines;) {
        const auto first = static_cast<Index>(random.below(static_cast<std::uint64_t>(starts)));
        for (Index l = first; l < first + width && drawn < lines; ++l, ++drawn) {
          const NormalSums& line = of_line[static_cast<std::size_t>(l)];
          sum.a += line.a, sum.g += line.g;
        }
      }
    }
    out.steps.col(b) = -sum.a.ldlt().solve(sum.g);  // [update E10]
  }
  out.mean_step = out.steps.rowwise().mean();
  out.standard_deviation = ((out.steps.colwise() - out.mean_step).rowwise().squaredNorm() / (draws - 1)).cwiseSqrt();
  return out;
}

MatrixXd weighted_covariance(const Linearisation& at, const VectorXd& variance, Index channels, double smoothing) {
  demand(at.E.rows() % channels == 0 && variance.size() == channels, "one variance per channel");
  const Index parameters = at.E.cols();
  MatrixXd information = MatrixXd::Zero(parameters, parameters);
  for (Index i = 0; i < at.E.rows(); ++i) {
    const double half = 0.5 * smoothing * variance[i % channels];  // of each part of a complex sample
    const VectorXd re = at.E.row(i).real().transpose(), im = at.E.row(i).imag().transpose();
    information += (re * re.transpose() + im * im.transpose()) / half;
  }
  return symmetric_inverse(information);  // [update E19]
}

}  // namespace kdyn::update
