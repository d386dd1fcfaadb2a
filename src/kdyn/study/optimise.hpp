// SPDX-License-Identifier: Apache-2.0
// The best point of a box: a sample over the whole box first, then searches from its best points that follow slopes by
// differences.
//
//   [study E12] objectives                         [study E13] steps of differences from the noise of the runs
//   [study E14] the step: quadratic model inside a trust region, exact penalty   [study E15] when a search has converged
//   [study E16] quadratic program of a step
// Points are asked for in batches whose content depends on nothing but what earlier runs gave: neither threads, ranks
// nor a restart show in the result. Nothing here knows what a run is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::study {

// value: the only part; largest: the largest part; squares: sum of squares of the parts.
enum class ObjectiveKind { value, largest, squares };

// A run gives `parts` numbers of the objective, `constraints` that are to be at most 0, and `watched` of which only the
// slopes at the end are told.
struct SearchProblem {
  std::size_t parameters = 0;
  ObjectiveKind kind = ObjectiveKind::value;
  std::size_t parts = 1, constraints = 0, watched = 0;
  std::size_t outputs() const { return parts + constraints + watched; }
};

struct SearchOptions {
  std::size_t sample = 50;       // runs over the whole box, the start among them
  std::size_t starts = 3;        // searches from the best of them
  std::size_t most_runs = 1000;  // in all
  double tolerance = 1e-5;       // of a parameter over its range
  std::uint64_t seed = 1;
  std::vector<double> start;  // in 0 .. 1; empty: the middle
};

enum class RunStage { start, sample, noise, slope, step };
struct SearchRun {
  std::vector<double> x;  // in 0 .. 1
  RunStage stage = RunStage::start;
  int search = -1;  // which one asked for it
};

using RunOutputs = std::optional<Eigen::VectorXd>;  // nothing: the run failed
// Results in the order of what was asked; nothing at all when the user stops.
using RunBatch = std::function<std::optional<std::vector<RunOutputs>>(const std::vector<SearchRun>&)>;

enum class SearchEnd { converged, infeasible, stalled, no_slope, out_of_runs, stopped };

struct LocalResult {
  SearchEnd end = SearchEnd::stopped;
  std::size_t start_run = 0, end_run = 0;
  int steps = 0;          // that were taken
  Eigen::MatrixXd slope;  // of all outputs by x at the end; empty: not known there
  // Of the objective by x and by the limits of the constraints; >= 0 where one holds it back. Empty: not known.
  Eigen::VectorXd lower_price, upper_price, constraint_price;
};

struct SearchResult {
  SearchEnd end = SearchEnd::stopped;
  std::vector<SearchRun> runs;
  std::vector<RunOutputs> outputs;
  std::vector<LocalResult> searches;
  std::optional<std::size_t> best_run;     // none: no run succeeded
  std::optional<std::size_t> best_search;  // the one that ended there
  Eigen::VectorXd noise;                   // of each output; empty: not measured
  double difference = 0.0;                 // step of the slopes over the range
  Eigen::VectorXd scale;                   // span of each output over the sample
};

double objective_of(const SearchProblem& problem, const Eigen::VectorXd& outputs);
// Largest constraint above 0, each over its span in the sample.
double violation_of(const SearchProblem& problem, const Eigen::VectorXd& outputs, const Eigen::VectorXd& scale);
// Constraints count as met when they miss their limit by less than this share of their span.
inline constexpr double met_within = 1e-6;

// Throws Error(bad_input) for options that make no search.
SearchResult optimise(const SearchProblem& problem, const SearchOptions& options, const RunBatch& run);

}  // namespace kdyn::study
