// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/monte_carlo.hpp"

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/numerics/tasks.hpp"
#include "kdyn/sysid/refine.hpp"

namespace kdyn::update {

using Eigen::Index;
using Eigen::VectorXd;

MonteCarlo recalibrate(const fe::ReducedModel& model, const ModalResult& identified, ResponseKind kind, const StageOptions& stages,
                       const std::vector<bool>& use, const VectorXd& optimum, const CalibrationOptions& calibration, const MonteCarloOptions& options,
                       const Checkpoint& checkpoint, Progress& progress) {
  demand(options.draws >= 2, "a scatter needs two draws");
  const VectorXd deviation = (0.5 * noise_variance(identified)).cwiseSqrt();
  const Eigen::MatrixXcd smooth = synthesise(identified.fitted, identified.frf.omega);
  StageOptions last = stages;
  last.damping = {stages.damping.back()};
  last.lines_per_half_bandwidth = {stages.lines_per_half_bandwidth.back()};
  const auto rows = task_runner().run(options.draws, [&](int draw) -> std::vector<double> {
    if (auto known = checkpoint.find("draw", draw)) return std::move(*known);
    if (progress.stop_requested()) return {};
    RandomStream random(static_cast<std::uint64_t>(options.seed), static_cast<std::uint64_t>(draw));
    FrfMatrix noisy = identified.frf;
    for (Index c = 0; c < smooth.cols(); ++c)
      for (Index l = 0; l < smooth.rows(); ++l) {
        const double re = random.normal(), im = random.normal();
        noisy.values(l, c) = smooth(l, c) + deviation[c] * std::complex<double>(re, im);
      }
    RefineOptions refining;
    refining.pole_steps = 4;  // they start at the solution without noise
    ModalModel again = refine(noisy, identified.fitted, refining).model;
    for (Index r = 0; r < again.poles.size(); ++r)
      if (again.roles[static_cast<std::size_t>(r)] == PoleRole::mode) again.poles[r] += identified.added_decay;
    CalibrationOptions quick = calibration;
    quick.step_tolerance = 1e-6;
    const Calibration found = calibrate(model, equalised_stages(again, kind, last, use), optimum, quick, progress);
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
