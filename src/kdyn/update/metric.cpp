// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/metric.hpp"

#include <cmath>
#include <thread>

#include <cblas-openblas.h>

#include "kdyn/base/error.hpp"

namespace kdyn::update {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double ln10 = 2.302585092994045684;

Complex log10_ratio(Complex a, Complex b) {
  const Complex q = a * std::conj(b);  // phase of the ratio without a division
  return {0.5 * std::log10(std::norm(a) / std::norm(b)), std::atan2(q.imag(), q.real()) / ln10};
}

double squared(Complex a, Complex b, LogKind kind) {
  switch (kind) {
    case LogKind::ratio: return std::norm(log10_ratio(a, b));
    case LogKind::separate: return std::norm((std::log(a) - std::log(b)) / ln10);
    case LogKind::amplitude: return std::pow(std::log10(std::abs(a) / std::abs(b)), 2);
  }
  return 0.0;
}

int thread_count(int asked) { return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

Index Target::samples() const {
  Index channels = 0;
  for (Index c = 0; c < values.cols(); ++c) channels += uses(c);
  return channels * values.rows();
}

double log_metric(const MatrixXcd& model, const Target& target, LogKind kind) {
  demand(model.rows() == target.values.rows() && model.cols() == target.values.cols(), "model and target have the same lines and channels");
  double sum = 0.0;
  for (Index c = 0; c < model.cols(); ++c) {
    if (!target.uses(c)) continue;
    for (Index l = 0; l < model.rows(); ++l) sum += squared(model(l, c), target.values(l, c), kind);
  }
  return sum / static_cast<double>(target.samples());
}

double log_metric(const fe::ReducedModel& model, const VectorXd& ratio, const Target& target, double damping, LogKind kind) {
  return log_metric(accelerance(modal_form(model, ratio, false), target.frequency_hz, damping), target, kind);
}

MetricSlope metric_slope(const fe::ReducedModel& model, const VectorXd& ratio, const Target& target, double damping, int threads) {
  const ModalForm form = modal_form(model, ratio, true);
  const MatrixXcd h = accelerance(form, target.frequency_hz, damping);
  const Index lines = target.frequency_hz.size(), channels = target.values.cols(), parameters = model.parameters;
  // Blocks of lines, summed in order: the result does not depend on the number of threads.
  constexpr Index block = 16;
  const Index blocks = (lines + block - 1) / block;
  struct Part {
    double sum = 0.0;
    VectorXd gradient;
    MatrixXd normal;
  };
  std::vector<Part> parts(static_cast<std::size_t>(blocks));
  const int blas_threads = openblas_get_num_threads();
  openblas_set_num_threads(1);
  const int team_size = static_cast<int>(std::min<Index>(thread_count(threads), blocks));
  const auto work = [&](int thread) {
    for (Index b = thread; b < blocks; b += team_size) {
      Part& part = parts[static_cast<std::size_t>(b)];
      part.gradient = VectorXd::Zero(parameters);
      part.normal = MatrixXd::Zero(parameters, parameters);
      MatrixXd real(2 * channels, parameters);
      VectorXd residual(2 * channels);
      for (Index l = b * block; l < std::min(lines, (b + 1) * block); ++l) {
        const MatrixXcd slope = accelerance_derivatives(form, target.frequency_hz[l], damping);
        for (Index c = 0; c < channels; ++c) {
          const bool used = target.uses(c);
          const Complex eps = used ? log10_ratio(h(l, c), target.values(l, c)) : Complex(0.0);
          const Complex scale = used ? 1.0 / (h(l, c) * ln10) : Complex(0.0);
          residual[2 * c] = eps.real(), residual[2 * c + 1] = eps.imag();
          for (Index s = 0; s < parameters; ++s) {
            const Complex j = slope(c, s) * scale;
            real(2 * c, s) = j.real(), real(2 * c + 1, s) = j.imag();
          }
        }
        part.sum += residual.squaredNorm();
        part.gradient.noalias() += real.transpose() * residual;
        part.normal.selfadjointView<Eigen::Lower>().rankUpdate(real.transpose());
      }
    }
  };
  std::vector<std::thread> team;
  for (int t = 1; t < team_size; ++t) team.emplace_back(work, t);
  work(0);
  for (std::thread& thread : team) thread.join();
  openblas_set_num_threads(blas_threads);
  MetricSlope out;
  out.gradient = VectorXd::Zero(parameters);
  MatrixXd lower = MatrixXd::Zero(parameters, parameters);
  for (const Part& part : parts) out.metric += part.sum, out.gradient += part.gradient, lower += part.normal;
  const double n = static_cast<double>(target.samples());
  out.metric /= n;
  out.gradient *= 2.0 / n;
  out.gauss_newton = MatrixXd(lower.selfadjointView<Eigen::Lower>()) * (2.0 / n);
  return out;
}

}  // namespace kdyn::update
