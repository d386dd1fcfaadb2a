// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/identifiability.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense_functions.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::update {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double ln10 = 2.302585092994045684;

// Rows of J (real and imaginary part) of every sample, with its response.
using Visit = std::function<void(Index line, Index output, Index input, Complex response, const MatrixXd& rows)>;
void over_samples(const ModalForm& form, const VectorXd& frequency_hz, double damping, const Visit& visit) {
  const Eigen::MatrixXcd h = accelerance(form, frequency_hz, damping);
  SlopeKernel kernel(form, damping);
  const Index parameters = static_cast<Index>(form.k.size()), outputs = form.Y.rows();
  MatrixXd rows(2, parameters);
  for (Index l = 0; l < frequency_hz.size(); ++l) {
    kernel.at(frequency_hz[l]);
    for (Index u = 0; u < form.U.cols(); ++u)
      for (Index y = 0; y < outputs; ++y) {
        const Complex response = h(l, y + outputs * u), scale = 1.0 / (response * ln10);
        for (Index s = 0; s < parameters; ++s) {
          const Complex j = kernel.value(y, u, s) * scale;
          rows(0, s) = j.real(), rows(1, s) = j.imag();
        }
        visit(l, y, u, response, rows);
      }
  }
}

// Variance of each part of log10 H. Where noise hides the response the logarithm cannot scatter by more than its phase
// does: about one.
double log_variance(double noise, Complex response, double smoothing) {
  return std::min(1.0, smoothing * noise / (2.0 * std::norm(response) * ln10 * ln10));
}

std::vector<Index> indices(const std::vector<bool>& free) {
  std::vector<Index> out;
  for (std::size_t s = 0; s < free.size(); ++s)
    if (free[s]) out.push_back(static_cast<Index>(s));
  return out;
}

// Standard deviations by the information bound; directions without information count as `cap`.
VectorXd bound_std(const MatrixXd& information, const std::vector<Index>& free, double cap) {
  const MatrixXd f = information(free, free) +
                     MatrixXd::Identity(static_cast<Index>(free.size()), static_cast<Index>(free.size())) / (cap * cap);
  return symmetric_inverse(f).diagonal().cwiseMax(0.0).cwiseSqrt();
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::determined: return "determined";
    case Verdict::weak: return "weak";
    case Verdict::not_determined: return "not determined";
  }
  return "";
}

Gate identifiability(const fe::ReducedModel& model, const VectorXd& ratio, const Target& target, double damping,
                     const GateNoise& noise, const std::vector<bool>& free, const std::vector<std::string>& names,
                     const GateOptions& options) {
  const Index parameters = model.parameters, lines = target.frequency_hz.size();
  const VectorXd& variance = noise.variance;
  demand(
      variance.size() == target.values.cols() && noise.raw_lines > 0 && static_cast<Index>(free.size()) == parameters,
      "noise and parameters fit the model");
  const double smoothing = static_cast<double>(lines) / static_cast<double>(noise.raw_lines);
  const ModalForm form = modal_form(model, ratio, true);
  const Index outputs = form.Y.rows(), draws = static_cast<Index>(noise.draws.size());
  MatrixXd a = MatrixXd::Zero(parameters, parameters), b = a, f = a;
  MatrixXd steps = MatrixXd::Zero(parameters, draws), scatter(2, draws);
  VectorXd power = VectorXd::Zero(variance.size());
  over_samples(form, target.frequency_hz, damping,
               [&](Index l, Index y, Index u, Complex response, const MatrixXd& rows) {
                 const Index c = y + outputs * u;
                 if (!target.uses(c)) return;
                 power[c] += std::norm(response) / static_cast<double>(lines);
                 const double v = log_variance(variance[c], response, smoothing), weight = target.weight_at(l, c);
                 const MatrixXd outer = rows.transpose() * rows;
                 a += weight * outer, b += weight * weight * v * outer, f += outer / v;
                 if (draws == 0 || !(weight > 0.0)) return;
                 for (Index d = 0; d < draws; ++d) {
                   const Complex eps = log10_ratio(response + noise.draws[static_cast<std::size_t>(d)](l, c), response);
                   scatter(0, d) = weight * eps.real(), scatter(1, d) = weight * eps.imag();
                 }
                 steps.noalias() += rows.transpose() * scatter;
               });
  if (draws > 0) b = steps * steps.transpose() / static_cast<double>(draws);  // [update E28]
  Gate out;
  out.information = f;
  std::vector<double> relative;
  for (Index c = 0; c < variance.size(); ++c)
    if (power[c] > 0.0) relative.push_back(std::sqrt(variance[c] / power[c]));
  out.noise_to_response = median(relative);

  const std::vector<Index> used = indices(free);
  out.std = VectorXd::Zero(parameters);
  out.covariance = MatrixXd::Zero(parameters, parameters);
  out.verdict.assign(free.size(), Verdict::determined);
  if (used.empty()) return out;
  MatrixXd sub_a = a(used, used), sub_b = b(used, used);
  Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(sub_a);
  int counted = 0;
  for (Index i = 0; i < sub_a.rows(); ++i)
    if (const double size = eigen.eigenvalues()[i]; size > 1e-9 * eigen.eigenvalues().maxCoeff()) {
      const VectorXd e = eigen.eigenvectors().col(i);
      out.sample_variance += e.dot(sub_b * e) / size, ++counted;
    }
  out.sample_variance /= std::max(counted, 1);
  if (options.prior.size() > 0) {  // [update E33]
    const double weight = out.sample_variance * options.model_error;
    const MatrixXd known = options.prior(used, used);
    sub_a += weight * known, sub_b += weight * weight * known;
    eigen.compute(sub_a);
  }
  const double floor = 1e-13 * eigen.eigenvalues().maxCoeff();
  MatrixXd kept = MatrixXd::Zero(sub_a.rows(), sub_a.rows());
  VectorXd in_loose = VectorXd::Zero(sub_a.rows());
  for (Index i = 0; i < sub_a.rows(); ++i) {
    const VectorXd e = eigen.eigenvectors().col(i);
    // A direction that no response feels feels no noise either: 0/0 is no knowledge.
    const double size = std::max(eigen.eigenvalues()[i], floor), spread = eigen.eigenvalues()[i] > floor
                                                                              ? std::sqrt(e.dot(sub_b * e)) / size
                                                                              : std::numeric_limits<double>::infinity();
    if (spread <= options.loose) {
      kept += e * e.transpose() / size;
      continue;
    }
    in_loose += e.cwiseAbs2();
    Direction direction;
    direction.std = spread;
    direction.weights = VectorXd::Zero(parameters);
    for (std::size_t k = 0; k < used.size(); ++k) direction.weights[used[k]] = e[static_cast<Index>(k)];
    std::vector<Index> order(used.begin(), used.end());
    std::sort(order.begin(), order.end(),
              [&](Index x, Index y) { return std::abs(direction.weights[x]) > std::abs(direction.weights[y]); });
    for (std::size_t k = 0; k < std::min<std::size_t>(3, order.size()); ++k) {
      const double weight = direction.weights[order[k]] / direction.weights[order[0]];
      if (std::abs(weight) < 0.1) break;
      direction.words += k == 0 ? names[static_cast<std::size_t>(order[k])]
                                : fmt::format(" with {:+.2f} {}", weight, names[static_cast<std::size_t>(order[k])]);
    }
    out.loose.push_back(std::move(direction));
  }
  const MatrixXd covariance = kept * sub_b * kept;  // [update E17]
  for (std::size_t k = 0; k < used.size(); ++k) {
    const auto s = static_cast<std::size_t>(used[k]);
    const Index i = static_cast<Index>(k);
    for (std::size_t j = 0; j < used.size(); ++j)
      out.covariance(used[k], used[j]) = covariance(i, static_cast<Index>(j));
    const bool lost = in_loose[i] > 0.01;
    out.std[used[k]] = lost ? std::numeric_limits<double>::infinity() : std::sqrt(covariance(i, i));
    if (lost)
      out.verdict[s] = Verdict::not_determined;
    else if (196.0 * out.std[used[k]] > options.target_percent * ratio[used[k]])
      out.verdict[s] = Verdict::weak;
  }
  return out;
}

std::vector<Suggestion> suggestions(const fe::ReducedModel& model, const VectorXd& ratio, const Target& target,
                                    double damping, const GateNoise& noise, const Gate& gate,
                                    const Candidates& candidates, const std::vector<bool>& free,
                                    const std::vector<std::string>& names, int count) {
  const std::vector<Index> used = indices(free);
  if (used.empty()) return {};
  const Index lines = target.frequency_hz.size(), parameters = model.parameters;
  const double smoothing = static_cast<double>(lines) / static_cast<double>(noise.raw_lines);
  const VectorXd before = bound_std(gate.information, used, 1.0);
  // Who should gain: parameters that are not determined; when there are none, the five least certain ones.
  std::vector<Index> wanted;
  for (std::size_t k = 0; k < used.size(); ++k)
    if (gate.verdict[static_cast<std::size_t>(used[k])] != Verdict::determined) wanted.push_back(static_cast<Index>(k));
  if (wanted.empty()) {
    wanted.resize(used.size());
    std::iota(wanted.begin(), wanted.end(), 0);
    std::sort(wanted.begin(), wanted.end(), [&](Index x, Index y) { return before[x] > before[y]; });
    wanted.resize(std::min<std::size_t>(5, wanted.size()));
  }
  struct Scored {
    Suggestion suggestion;
    double score;
  };
  const auto judge = [&](std::string kind, std::string name, double kg, const MatrixXd& added) {
    const VectorXd after = bound_std(gate.information + added, used, 1.0);
    Scored out{{std::move(kind), std::move(name), kg, 0.0, 0.0, ""}, 0.0};
    double largest = 0.0;
    for (const Index k : wanted) {
      const double gain = std::log(before[k] / after[k]);
      out.score += gain;
      if (gain > largest) {
        largest = gain;
        out.suggestion.parameter = names[static_cast<std::size_t>(used[static_cast<std::size_t>(k)])];
        out.suggestion.std_before = before[k], out.suggestion.std_after = after[k];
      }
    }
    return out;
  };
  std::vector<Suggestion> out;
  const auto keep_best = [&](std::vector<Scored> all) {
    std::stable_sort(all.begin(), all.end(), [](const Scored& x, const Scored& y) { return x.score > y.score; });
    for (std::size_t i = 0; i < std::min(all.size(), static_cast<std::size_t>(count)); ++i)
      if (all[i].score > 0.01) out.push_back(all[i].suggestion);
  };
  const ModalForm form = modal_form(model, ratio, true);
  // A new channel is assumed to have the noise of the others, relative to its response.
  const auto of_channels = [&](const ModalForm& extended, bool by_output) {
    const Index all = by_output ? extended.Y.rows() : extended.U.cols();
    const Eigen::MatrixXcd h = accelerance(extended, target.frequency_hz, damping);
    const VectorXd power = h.cwiseAbs2().colwise().mean().transpose();
    std::vector<MatrixXd> added(static_cast<std::size_t>(all), MatrixXd::Zero(parameters, parameters));
    over_samples(
        extended, target.frequency_hz, damping, [&](Index, Index y, Index u, Complex response, const MatrixXd& rows) {
          const double expected = gate.noise_to_response * gate.noise_to_response * power[y + extended.Y.rows() * u];
          added[static_cast<std::size_t>(by_output ? y : u)].noalias() +=
              rows.transpose() * rows / log_variance(expected, response, smoothing);
        });
    return added;
  };
  if (!candidates.outputs.empty()) {
    ModalForm extended = form;
    extended.Y = candidates.output_rows * form.shapes;
    const auto added = of_channels(extended, true);
    std::vector<Scored> all;
    for (std::size_t i = 0; i < added.size(); ++i) all.push_back(judge("sensor", candidates.outputs[i], 0.0, added[i]));
    keep_best(std::move(all));
  }
  if (!candidates.inputs.empty()) {
    ModalForm extended = form;
    extended.U = form.shapes.transpose() * candidates.input_columns;
    const auto added = of_channels(extended, false);
    std::vector<Scored> all;
    for (std::size_t i = 0; i < added.size(); ++i) all.push_back(judge("input", candidates.inputs[i], 0.0, added[i]));
    keep_best(std::move(all));
  }
  std::vector<Scored> all;
  for (const Candidates::Mass& mass : candidates.masses) {
    fe::ReducedModel loaded = model;
    loaded.mass.push_back(
        {std::vector<int>(static_cast<std::size_t>(parameters), 0), mass.kg * mass.rows.transpose() * mass.rows});
    const ModalForm heavier = modal_form(loaded, ratio, true);
    MatrixXd added = MatrixXd::Zero(parameters, parameters);
    over_samples(heavier, target.frequency_hz, damping,
                 [&](Index, Index y, Index u, Complex response, const MatrixXd& rows) {
                   const Index c = y + heavier.Y.rows() * u;
                   if (target.uses(c))
                     added.noalias() += rows.transpose() * rows / log_variance(noise.variance[c], response, smoothing);
                 });
    all.push_back(judge("mass", mass.label, mass.kg, added));
  }
  keep_best(std::move(all));
  return out;
}

}  // namespace kdyn::update
