// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/multistart.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/progress_part.hpp"
#include "kdyn/numerics/tasks.hpp"

namespace kdyn::update {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// A calibration as one row of numbers, for ranks and checkpoints, and back.
std::vector<double> packed(const Calibration& c) {
  std::vector<double> out = {static_cast<double>(c.status),
                             c.start_metric,
                             c.metric,
                             c.gradient,
                             static_cast<double>(c.evaluations),
                             static_cast<double>(c.ratio.size()),
                             static_cast<double>(c.history.size())};
  out.insert(out.end(), c.ratio.data(), c.ratio.data() + c.ratio.size());
  for (const bool bound : c.at_bound) out.push_back(bound);
  out.insert(out.end(), c.gauss_newton.data(), c.gauss_newton.data() + c.gauss_newton.size());
  out.insert(out.end(), c.history.begin(), c.history.end());
  return out;
}
bool is_whole(const std::vector<double>& row) {
  if (row.size() < 7 || !(row[5] >= 0.0) || !(row[6] >= 0.0) || row[5] > 1e6 || row[6] > 1e9) return false;
  return static_cast<double>(row.size()) == 7.0 + 2.0 * row[5] + row[5] * row[5] + row[6];
}
Calibration unpacked(const std::vector<double>& row) {
  demand(is_whole(row), "the row of a calibration is whole");
  Calibration out;
  out.status = static_cast<CalibrationStatus>(static_cast<int>(row[0]));
  out.start_metric = row[1], out.metric = row[2], out.gradient = row[3];
  out.evaluations = static_cast<int>(row[4]);
  const auto n = static_cast<Index>(row[5]), steps = static_cast<Index>(row[6]);
  const double* at = row.data() + 7;
  out.ratio = Eigen::Map<const VectorXd>(at, n), at += n;
  for (Index i = 0; i < n; ++i) out.at_bound.push_back(at[i] != 0.0);
  at += n;
  out.gauss_newton = Eigen::Map<const Eigen::MatrixXd>(at, n, n), at += n * n;
  out.history.assign(at, at + steps);
  return out;
}

Calibration run_phases(const fe::ReducedModel& model, const std::vector<Stage>& stages, const VectorXd& start,
                       const MultiStartOptions& options, Progress& progress) {
  if (options.phases.empty()) return calibrate(model, stages, start, options.calibration, progress);
  Calibration out;
  out.ratio = start;
  double start_metric = 0.0;
  int evaluations = 0;
  std::vector<double> history;
  for (std::size_t phase = 0; phase < options.phases.size(); ++phase) {
    CalibrationOptions now = options.calibration;
    for (Index s = 0; s < start.size(); ++s)
      if (!options.phases[phase][static_cast<std::size_t>(s)])
        now.lower[s] = now.upper[s] =
            std::clamp(out.ratio[s], options.calibration.lower[s], options.calibration.upper[s]);
    out = calibrate(model, stages, out.ratio, now, progress);
    if (phase == 0) start_metric = out.start_metric;
    evaluations += out.evaluations;
    history.insert(history.end(), out.history.begin(), out.history.end());
    if (out.status == CalibrationStatus::stopped) break;
  }
  out.start_metric = start_metric, out.evaluations = evaluations, out.history = std::move(history);
  return out;
}

}  // namespace

MultiStart calibrate_from(const Eigen::MatrixXd& starts, const fe::ReducedModel& model,
                          const std::vector<Stage>& stages, const MultiStartOptions& options,
                          const Checkpoint& checkpoint, Progress& progress) {
  const int count = static_cast<int>(starts.cols());
  demand(count > 0, "there is a start");
  ProgressOfTasks share(progress, count, "start");
  const auto rows = task_runner().run(count, [&](int task) {
    // A row of another shape is damaged: computed anew.
    if (auto known = checkpoint.find("start", task);
        known && is_whole(*known) && static_cast<Index>((*known)[5]) == starts.rows())
      return std::move(*known);
    OneOfSearches mine(progress, count > 1 ? fmt::format("start {}", task + 1) : "");
    const Calibration found = run_phases(model, stages, starts.col(task), options, mine);
    std::vector<double> row = packed(found);
    if (found.status != CalibrationStatus::stopped) checkpoint.store("start", task, row);
    share.done();
    return row;
  });
  MultiStart out;
  for (const std::vector<double>& row : rows) out.runs.push_back(unpacked(row));
  for (std::size_t i = 0; i < out.runs.size(); ++i)
    if (out.runs[i].metric < out.runs[static_cast<std::size_t>(out.best)].metric) out.best = static_cast<int>(i);
  const Calibration& best = out.runs[static_cast<std::size_t>(out.best)];
  for (const Calibration& run : out.runs)
    out.same_as_best += (run.ratio - best.ratio).cwiseAbs().maxCoeff() <= options.same;
  return out;
}

}  // namespace kdyn::update
