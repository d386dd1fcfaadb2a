// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/metric.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::update {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double ln10 = 2.302585092994045684;

// Angle of x + i y. Rational approximation of the arc tangent on |t| <= tan(pi/8) (Cephes, relative error 2e-16); a
// third of the time of std::atan2, which would be half of the time of a metric.
double angle(double y, double x) {
  const double ax = std::abs(x), ay = std::abs(y), large = std::max(ax, ay), small = std::min(ax, ay);
  const bool folded = small > 0.4142135623730950488 * large;
  const double t = folded ? (small - large) / (small + large) : small / large, z = t * t;
  const double p =
      (((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z - 7.500855792314704667340e1) * z -
       1.228866684490136173410e2) *
          z -
      6.485021904942025371773e1;
  const double q =
      ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z + 4.328810604912902668951e2) * z +
       4.853903996359136964868e2) *
          z +
      1.945506571482613964425e2;
  double out = t + t * z * p / q;
  if (folded) out += 0.25 * std::numbers::pi;
  if (ay > ax) out = 0.5 * std::numbers::pi - out;
  if (x < 0.0) out = std::numbers::pi - out;
  return std::copysign(out, y);
}

double squared(Complex a, Complex b, LogKind kind) {
  switch (kind) {
    case LogKind::ratio: return std::norm(log10_ratio(a, b));
    case LogKind::separate: return std::norm((std::log(a) - std::log(b)) / ln10);
    case LogKind::amplitude: return std::pow(std::log10(std::abs(a) / std::abs(b)), 2);
  }
  return 0.0;
}

// Blocks of lines over threads.
constexpr Index block_lines = 16;
void over_blocks(Index lines, int threads, const std::function<void(Index block, Index first, Index count)>& work) {
  const Index blocks = (lines + block_lines - 1) / block_lines;
  for_each_index(static_cast<int>(blocks), threads,
                 [&](int b) { work(b, b * block_lines, std::min(block_lines, lines - b * block_lines)); });
}

}  // namespace

Complex log10_ratio(Complex a, Complex b) {
  const Complex q = a * std::conj(b);  // phase of the ratio without a division
  return {0.5 / ln10 * std::log(std::norm(a) / std::norm(b)), angle(q.imag(), q.real()) / ln10};
}

Index Target::samples() const {
  Index channels = 0;
  for (Index c = 0; c < values.cols(); ++c) channels += uses(c);
  return channels * values.rows();
}

double Target::total_weight() const {
  if (weight.size() == 0) return static_cast<double>(samples());
  double out = 0.0;
  for (Index c = 0; c < values.cols(); ++c)
    if (uses(c)) out += weight.col(c).sum();
  return out;
}

double log_metric(const MatrixXcd& model, const Target& target, LogKind kind) {
  demand(model.rows() == target.values.rows() && model.cols() == target.values.cols(),
         "model and target have the same lines and channels");
  double sum = 0.0;
  for (Index c = 0; c < model.cols(); ++c) {
    if (!target.uses(c)) continue;
    for (Index l = 0; l < model.rows(); ++l)
      sum += target.weight_at(l, c) * squared(model(l, c), target.values(l, c), kind);
  }
  return sum / target.total_weight();
}

double log_metric(const fe::ReducedModel& model, const VectorXd& ratio, const Target& target, double damping,
                  LogKind kind, int threads) {
  const ModalForm form = modal_form(model, ratio, false);
  demand(form.Y.rows() * form.U.cols() == target.values.cols(), "model and target have the same channels");
  const Index lines = target.frequency_hz.size();
  std::vector<double> sums(static_cast<std::size_t>((lines + block_lines - 1) / block_lines), 0.0);
  over_blocks(lines, threads, [&](Index block, Index first, Index count) {
    const MatrixXcd h = accelerance(form, target.frequency_hz.segment(first, count), damping);
    double sum = 0.0;
    for (Index c = 0; c < h.cols(); ++c) {
      if (!target.uses(c)) continue;
      for (Index l = 0; l < count; ++l)
        sum += target.weight_at(first + l, c) * squared(h(l, c), target.values(first + l, c), kind);
    }
    sums[static_cast<std::size_t>(block)] = sum;
  });
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total / target.total_weight();
}

MetricSlope metric_slope(const fe::ReducedModel& model, const VectorXd& ratio, const Target& target, double damping,
                         int threads) {
  const ModalForm form = modal_form(model, ratio, true);
  const Index lines = target.frequency_hz.size(), outputs = form.Y.rows(), inputs = form.U.cols(),
              parameters = model.parameters;
  demand(outputs * inputs == target.values.cols(), "model and target have the same channels");
  const Index used = lines > 0 ? target.samples() / lines : 0;
  struct Part {
    double sum = 0.0;
    VectorXd gradient;
    MatrixXd normal;
  };
  std::vector<Part> parts(static_cast<std::size_t>((lines + block_lines - 1) / block_lines));
  over_blocks(lines, threads, [&](Index block, Index first, Index count) {
    Part& part = parts[static_cast<std::size_t>(block)];
    part.gradient = VectorXd::Zero(parameters);
    part.normal = MatrixXd::Zero(parameters, parameters);
    const MatrixXcd h = accelerance(form, target.frequency_hz.segment(first, count), damping);
    SlopeKernel kernel(form, damping);
    MatrixXd jacobian(2 * used, parameters);
    VectorXd residual(2 * used);
    for (Index l = 0; l < count; ++l) {
      kernel.at(target.frequency_hz[first + l]);
      Index row = 0;
      for (Index u = 0; u < inputs; ++u)
        for (Index y = 0; y < outputs; ++y) {
          const Index c = y + outputs * u;
          const double weight = target.uses(c) ? target.weight_at(first + l, c) : 0.0;
          if (!(weight > 0.0)) continue;
          const double root = std::sqrt(weight);
          const Complex eps = root * log10_ratio(h(l, c), target.values(first + l, c)), scale = root / (h(l, c) * ln10);
          residual[row] = eps.real(), residual[row + 1] = eps.imag();
          for (Index s = 0; s < parameters; ++s) {
            const Complex j = kernel.value(y, u, s) * scale;
            jacobian(row, s) = j.real(), jacobian(row + 1, s) = j.imag();
          }
          row += 2;
        }
      part.sum += residual.head(row).squaredNorm();
      part.gradient.noalias() += jacobian.topRows(row).transpose() * residual.head(row);
      part.normal.selfadjointView<Eigen::Lower>().rankUpdate(jacobian.topRows(row).transpose());
    }
  });
  MetricSlope out;
  out.gradient = VectorXd::Zero(parameters);
  MatrixXd lower = MatrixXd::Zero(parameters, parameters);
  for (const Part& part : parts) out.metric += part.sum, out.gradient += part.gradient, lower += part.normal;
  const double n = target.total_weight();
  out.metric /= n;
  out.gradient *= 2.0 / n;
  out.gauss_newton = MatrixXd(lower.selfadjointView<Eigen::Lower>()) * (2.0 / n);
  return out;
}

}  // namespace kdyn::update
