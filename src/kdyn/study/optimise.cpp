// SPDX-License-Identifier: Apache-2.0
#include "kdyn/study/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/study/design.hpp"
#include "kdyn/study/internal/local_search.hpp"

namespace kdyn::study {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double shortest_difference = 1e-4, longest_difference = 0.05, noise_spacing = 1e-3;
constexpr int noise_points = 7;

// Noise of seven values evenly apart: differences of high order leave nothing of what is smooth  [study E13].
VectorXd noise_of(const std::vector<VectorXd>& values) {
  const Index outputs = values.front().size();
  VectorXd out = VectorXd::Zero(outputs);
  std::vector<VectorXd> d = values;
  double gamma = 1.0;  // (k!)^2/(2k)!
  for (int k = 1; k < noise_points; ++k) {
    for (std::size_t i = 0; i + 1 < d.size(); ++i) d[i] = d[i + 1] - d[i];
    d.pop_back();
    gamma *= 0.5 * k / (2.0 * k - 1.0);
    if (k < 4) continue;
    VectorXd squares = VectorXd::Zero(outputs);
    for (const VectorXd& one : d) squares += one.cwiseAbs2();
    out += gamma / 3.0 * squares / static_cast<double>(d.size());
  }
  return out.cwiseSqrt();
}

struct Search {
  const SearchProblem& problem;
  const SearchOptions& options;
  const RunBatch& run;
  SearchResult out;

  // False: the user stopped.
  bool add(const std::vector<SearchRun>& batch) {
    auto outputs = run(batch);
    if (!outputs) return false;
    demand(outputs->size() == batch.size(), "an answer for every run");
    for (std::size_t i = 0; i < batch.size(); ++i) {
      RunOutputs& one = (*outputs)[i];
      if (one && !one->allFinite()) one.reset();
      out.runs.push_back(batch[i]);
      out.outputs.push_back(std::move(one));
    }
    return true;
  }

  double rank(std::size_t i) const {
    const VectorXd& y = *out.outputs[i];
    const double objective_scale = problem.kind == ObjectiveKind::squares ? out.scale[0] * out.scale[0] : out.scale[0];
    const double violation = violation_of(problem, y, out.scale);
    return objective_of(problem, y) / objective_scale + (violation > met_within ? 10.0 * violation : 0.0);
  }

  void set_scale() {
    const auto outputs = static_cast<Index>(problem.outputs());
    VectorXd lowest = VectorXd::Constant(outputs, std::numeric_limits<double>::infinity()), highest = -lowest;
    for (const RunOutputs& y : out.outputs)
      if (y) lowest = lowest.cwiseMin(*y), highest = highest.cwiseMax(*y);
    out.scale = highest - lowest;
    for (Index k = 0; k < outputs; ++k) {
      const double size = std::max(std::abs(lowest[k]), std::abs(highest[k]));
      if (!(out.scale[k] > 1e-9 * size)) out.scale[k] = size > 0.0 ? size : 1.0;
    }
    // Parts of one objective are compared with each other.
    const auto parts = static_cast<Index>(problem.parts);
    out.scale.head(parts).setConstant(out.scale.head(parts).maxCoeff());
  }

  std::vector<std::size_t> choose_starts() const {
    std::vector<std::size_t> order, chosen;
    for (std::size_t i = 0; i < out.runs.size(); ++i)
      if (out.outputs[i]) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    const double apart = 0.15 * std::sqrt(static_cast<double>(problem.parameters));
    for (const std::size_t i : order) {
      if (chosen.size() >= options.starts) break;
      const bool near = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t other) {
        double sum = 0.0;
        for (std::size_t j = 0; j < problem.parameters; ++j)
          sum += std::pow(out.runs[i].x[j] - out.runs[other].x[j], 2.0);
        return std::sqrt(sum) < apart;
      });
      if (!near) chosen.push_back(i);
    }
    return chosen;
  }

  // Along a direction that moves every parameter; false: stopped.
  bool measure_noise(std::size_t at) {
    std::vector<SearchRun> batch;
    for (int k = 0; k < noise_points; ++k) {
      SearchRun one{out.runs[at].x, RunStage::noise, -1};
      for (double& x : one.x) x += noise_spacing * (x > 0.5 ? -k : k) / (noise_points - 1.0);
      batch.push_back(std::move(one));
    }
    const std::size_t first = out.runs.size();
    if (!add(batch)) return false;
    std::vector<VectorXd> values;
    for (std::size_t i = first; i < out.runs.size(); ++i)
      if (out.outputs[i]) values.push_back(*out.outputs[i]);
    if (values.size() == static_cast<std::size_t>(noise_points)) out.noise = noise_of(values);
    return true;
  }
};

}  // namespace

double objective_of(const SearchProblem& problem, const VectorXd& y) {
  const auto parts = static_cast<Index>(problem.parts);
  if (problem.kind == ObjectiveKind::value) return y[0];
  return problem.kind == ObjectiveKind::largest ? y.head(parts).maxCoeff() : y.head(parts).squaredNorm();
}

double violation_of(const SearchProblem& problem, const VectorXd& y, const VectorXd& scale) {
  double out = 0.0;
  for (auto k = static_cast<Index>(problem.parts); k < static_cast<Index>(problem.parts + problem.constraints); ++k)
    out = std::max(out, y[k] / scale[k]);
  return out;
}

SearchResult optimise(const SearchProblem& problem, const SearchOptions& options, const RunBatch& run) {
  const std::size_t d = problem.parameters;
  if (d == 0 || problem.parts == 0)
    throw_bad_input("objective", "there is nothing to optimise", "name parameters and responses");
  if (!options.start.empty() && options.start.size() != d)
    throw_bad_input("start", "a value for every parameter is needed", "leave it out, or give all");
  Search s{problem, options, run, {}};
  s.out.end = SearchEnd::stopped;
  // The whole box.
  std::vector<SearchRun> batch{
      {options.start.empty() ? std::vector<double>(d, 0.5) : options.start, RunStage::start, -1}};
  const std::size_t sample = std::max<std::size_t>(1, std::min(options.sample, options.most_runs));
  if (sample > 1) {
    const Points points =
        unit_points(d <= most_sobol_columns ? Sampling::sobol : Sampling::latin_hypercube, sample - 1, d, options.seed);
    for (std::size_t i = 0; i < points.rows; ++i) {
      SearchRun& one = batch.emplace_back();
      one.stage = RunStage::sample;
      for (std::size_t j = 0; j < d; ++j) one.x.push_back(points.at(i, j));
    }
  }
  if (!s.add(batch)) return std::move(s.out);
  if (std::none_of(s.out.outputs.begin(), s.out.outputs.end(), [](const RunOutputs& y) { return y.has_value(); })) {
    s.out.end = SearchEnd::no_slope;
    return std::move(s.out);
  }
  s.set_scale();
  const std::vector<std::size_t> starts = s.choose_starts();
  bool stopped = false, out_of_runs = s.out.runs.size() + noise_points > options.most_runs;
  if (!out_of_runs) stopped = !s.measure_noise(starts.front());
  double noise = 1e-10;
  if (s.out.noise.size() > 0) {
    const auto counted = static_cast<Index>(problem.parts + problem.constraints);
    noise = s.out.noise.head(counted).cwiseQuotient(s.out.scale.head(counted)).maxCoeff();
  }
  // [study E13]
  s.out.difference = std::clamp(std::cbrt(3.0 * noise), shortest_difference, longest_difference);
  std::vector<LocalSearch> searches;
  for (const std::size_t i : starts)
    searches.emplace_back(problem, options, s.out.scale, noise, s.out.difference, s.out.runs[i].x, *s.out.outputs[i],
                          i);
  while (!stopped && !out_of_runs) {
    batch.clear();
    std::vector<std::pair<std::size_t, std::size_t>> share;  // search, points
    for (std::size_t k = 0; k < searches.size(); ++k) {
      const auto points = searches[k].ask();
      if (points.empty()) continue;
      share.emplace_back(k, points.size());
      for (const auto& x : points) batch.push_back({x, searches[k].stage(), static_cast<int>(k)});
    }
    if (batch.empty()) break;
    if (s.out.runs.size() + batch.size() > options.most_runs) {
      out_of_runs = true;
      break;
    }
    std::size_t first = s.out.runs.size();
    if (!s.add(batch)) {
      stopped = true;
      break;
    }
    for (const auto& [k, count] : share) {
      searches[k].tell({s.out.outputs.begin() + static_cast<std::ptrdiff_t>(first),
                        s.out.outputs.begin() + static_cast<std::ptrdiff_t>(first + count)},
                       first);
      first += count;
    }
  }
  for (LocalSearch& one : searches) {
    one.give_up(stopped ? SearchEnd::stopped : SearchEnd::out_of_runs);
    s.out.searches.push_back(one.result());
  }
  // The best end; where ends are alike within the tolerance, a search that has converged.
  const auto better = [&](std::size_t a, std::size_t b) {
    const LocalResult &one = s.out.searches[a], &two = s.out.searches[b];
    const double difference = s.rank(one.end_run) - s.rank(two.end_run);
    if (std::abs(difference) > 1e-8 + 6.0 * noise) return difference < 0.0;
    const bool one_done = one.end == SearchEnd::converged, two_done = two.end == SearchEnd::converged;
    return one_done != two_done ? one_done : difference < 0.0;
  };
  std::size_t best = 0;
  for (std::size_t k = 1; k < s.out.searches.size(); ++k)
    if (better(k, best)) best = k;
  s.out.best_search = best;
  s.out.best_run = s.out.searches[best].end_run;
  s.out.end = s.out.searches[best].end;
  // Another run may lie lower where slopes do not tell: then this is no optimum.
  for (std::size_t i = 0; i < s.out.runs.size(); ++i)
    if (s.out.outputs[i] && s.rank(i) < s.rank(*s.out.best_run) - 1e-6 - 6.0 * noise) {
      s.out.best_run = i;
      s.out.best_search.reset();
      if (s.out.end == SearchEnd::converged) s.out.end = SearchEnd::stalled;
    }
  return std::move(s.out);
}

}  // namespace kdyn::study
