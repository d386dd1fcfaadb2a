// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/internal/part_uncertainty.hpp"

#include <algorithm>
#include <map>

#include "kdyn/numerics/statistics.hpp"
#include "kdyn/update/uncertainty.hpp"

namespace kdyn::update {

const char* what_it_measures(const std::string& method) {
  static const std::map<std::string, const char*> words = {
      {"recalibration",
       "Scatter of this very estimate when responses with new noise of the measured size run through the whole chain. "
       "The reference. Does not know "
       "errors of the model."},
      {"gate", "The same scatter predicted from sensitivities and measured noise. Free, for small errors."},
      {"sandwich",
       "Scatter of ordinary least squares on the raw responses (another estimate than the calibrated one). Seen too "
       "small by 6 to 100 times for "
       "noise, about 20 in the median."},
      {"pair_bootstrap",
       "The same as the sandwich, by drawing samples (the paper's eq. 20, corrected); agrees with it within 7 to 25 "
       "%."},
      {"homoscedastic",
       "As the sandwich, for noise that is equal in all channels and lines, which it never is: 1.2 to 10 times too "
       "small again."},
      {"block_bootstrap",
       "Least squares on raw responses, drawing blocks of neighbouring lines: also feels errors of the model. Of the "
       "right size with model error in "
       "one case; coverage not established."},
      {"weighted",
       "Least squares weighted with the measured noise: the bound that no unbiased estimate of these responses can "
       "beat."},
  };
  const auto found = words.find(method);
  return found != words.end() ? found->second : "";
}

}  // namespace kdyn::update

namespace kdyn::update::internal {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Fixed parameters are not estimated: their columns are left out, their std is zero.
Linearisation of_free(const Linearisation& all, const std::vector<Index>& used) {
  return {all.E(Eigen::all, used), all.gamma};
}

}  // namespace

void add_uncertainty(PartResult& part, const StageOptions& stages, const CalibrationOptions& calibration,
                     const VectorXd& variance, const std::vector<bool>& free, const UpdateOptions& options,
                     const Checkpoint& checkpoint, Progress& progress) {
  std::vector<Index> used;
  for (std::size_t s = 0; s < free.size(); ++s)
    if (free[s]) used.push_back(static_cast<Index>(s));
  if (used.empty()) return;
  const auto add = [&](const char* name, const VectorXd& std) {
    VectorXd all = VectorXd::Zero(static_cast<Index>(free.size()));
    for (std::size_t k = 0; k < used.size(); ++k) all[used[k]] = std[static_cast<Index>(k)];
    part.uncertainty.push_back({name, what_it_measures(name), std::move(all)});
  };
  const auto add_draws = [&](const char* name, const Bootstrap& draws) {
    add(name, draws.standard_deviation);
    VectorXd& mean = part.uncertainty.back().mean = part.optimum.ratio;
    for (std::size_t k = 0; k < used.size(); ++k) mean[used[k]] += draws.mean_step[static_cast<Index>(k)];
  };
  if (options.monte_carlo_draws >= 2 && part.identified.modes.empty())
    part.findings.push_back({Severity::note, "no_recalibration", part.name,
                             "equalised responses cannot be measured again: no full re-calibration",
                             "give the responses as measured when its standard deviations are wanted"});
  else if (options.monte_carlo_draws >= 2) {
    const MonteCarlo draws =
        recalibrate(part.model, part.identified, part.kind, stages, part.stages.back(), part.noise, part.optimum.ratio,
                    calibration, {options.monte_carlo_draws, options.seed}, checkpoint, progress);
    if (draws.std.size() > 0)
      part.uncertainty.push_back(
          {"recalibration", what_it_measures("recalibration"), draws.std, draws.quantile, 1.0, draws.mean});
  }
  part.uncertainty.push_back({"gate", what_it_measures("gate"), part.gate_at_optimum.std});
  // Least squares on raw responses would not know how alike the damping of modes is [update E33].
  if (part.model.loses()) return;
  const Stage& last = part.stages.back();
  const Linearisation at = of_free(linearise(part.model, part.optimum.ratio, last.target, last.damping), used);
  const LinearCovariance covariance = linear_covariance(at);
  add("sandwich", covariance.sandwich.diagonal().cwiseSqrt());
  add("homoscedastic", covariance.homoscedastic.diagonal().cwiseSqrt());
  const Index channels = at.E.rows() / last.target.frequency_hz.size();
  VectorXd of_channel(channels);
  Index next = 0;
  for (Index c = 0; c < variance.size(); ++c)
    if (last.target.uses(c)) of_channel[next++] = variance[c];
  const double smoothing =
      static_cast<double>(last.target.frequency_hz.size()) / static_cast<double>(part.identified.frf.lines());
  add("weighted", weighted_covariance(at, of_channel, channels, smoothing).diagonal().cwiseSqrt());
  if (options.bootstrap_draws >= 2) {
    add_draws("pair_bootstrap",
              bootstrap(at, channels, options.bootstrap_draws, 1, static_cast<std::uint64_t>(options.seed)));
    add_draws("block_bootstrap", bootstrap(at, channels, options.bootstrap_draws, options.block_lines,
                                           static_cast<std::uint64_t>(options.seed)));
  }
  if (part.uncertainty.front().name != "recalibration") return;
  const VectorXd reference = part.uncertainty.front().std;
  for (UncertaintyMethod& method : part.uncertainty) {
    std::vector<double> ratios;
    for (const Index s : used) ratios.push_back(method.std[s] / reference[s]);
    method.to_reference = median(ratios);
  }
}

}  // namespace kdyn::update::internal
