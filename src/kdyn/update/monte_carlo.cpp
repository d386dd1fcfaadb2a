// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/monte_carlo.hpp"

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/numerics/tasks.hpp"

namespace kdyn::update {

using Eigen::Index;
using Eigen::VectorXd;

MonteCarlo recalibrate(const fe::ReducedModel& model, const ModalResult& identified, ResponseKind kind,
                       const StageOptions& stages, const Stage& stage, const TargetNoise& noise,
                       const VectorXd& optimum, const CalibrationOptions& calibration, const MonteCarloOptions& options,
                       const Checkpoint& checkpoint, Progress& progress) {
  demand(options.draws >= 2, "a scatter needs two draws");
  const StageOptions last = last_of(stages);
  const Retest retest(identified, options.seed);
  const auto rows = task_runner().run(options.draws, [&](int draw) -> std::vector<double> {
    if (auto known = checkpoint.find("draw", draw); known && static_cast<Index>(known->size()) == optimum.size())
      return std::move(*known);
    if (progress.stop_requested()) return {};
    std::vector<Stage> targets = {stage};
    Eigen::MatrixXcd& values = targets.front().target.values;
    if (draw < static_cast<int>(noise.draws.size()))
      values += noise.draws[static_cast<std::size_t>(draw)];
    else
      values = equalised_stages(retest.identify(draw), kind, last).front().target.values;
    CalibrationOptions quick = calibration;
    quick.step_tolerance = 1e-6;
    const Calibration found = calibrate(model, targets, optimum, quick, progress);
    std::vector<double> row(found.ratio.data(), found.ratio.data() + found.ratio.size());
    if (found.status == CalibrationStatus::stopped) return {};
    checkpoint.store("draw", draw, row);
    return row;
  });
  MonteCarlo out;
  Index drawn = 0;
  out.ratios.resize(optimum.size(), options.draws);
  for (const auto& row : rows)
    if (!row.empty()) out.ratios.col(drawn++) = Eigen::Map<const VectorXd>(row.data(), optimum.size());
  out.ratios.conservativeResize(optimum.size(), drawn);
  if (drawn < 2) return out;
  out.mean = out.ratios.rowwise().mean();
  out.std = ((out.ratios.colwise() - out.mean).rowwise().squaredNorm() / static_cast<double>(drawn - 1)).cwiseSqrt();
  out.quantile = student_t_quantile(0.975, static_cast<double>(drawn - 1));  // [update E20]
  return out;
}

}  // namespace kdyn::update
