// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/map_alone.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/identify/internal/elastomer_fitter.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

// The law is no closer to rubber than this from the sines of a map down to a slow loop; and a map tells nothing when
// its own standard deviation is beyond the second.
constexpr double law_holds = 0.05, told = 0.25;

struct LogStiffness {
  double value = 0.0, sd = 0.0;
};

std::optional<LogStiffness> of_map_alone(const ElastomerData& data, const ElastomerFitOptions& options,
                                         const ElastomerFitResult& joint, Progress& progress) {
  ElastomerData alone;
  alone.map = data.map;
  std::vector<Finding> unused;
  Fitter fitter(alone, options, Comparison(alone, options.criterion, joint.row_used), progress);
  const FitSetup setup = make_setup(alone, options, fitter.comparison(), false, unused);
  const Solved solved = fitter.solve(setup);
  int at = setup.layout.at[slot_stiffness];
  if (setup.layout.mode == StaticMode::per_preload) {
    const std::vector<double>& all = setup.layout.preloads;
    const auto nearest =
        std::min_element(all.begin(), all.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    at = setup.layout.preload_at + static_cast<int>(nearest - all.begin());
  }
  if (at < 0 || !std::isfinite(solved.fit.theta[at])) return std::nullopt;
  return LogStiffness{solved.fit.theta[at], covariance_of(solved.fit.jacobian).standard_deviation[at]};
}

}  // namespace

std::optional<GateChannel> map_against_loop(const ElastomerData& data, const ElastomerFitOptions& options,
                                            const ElastomerFitResult& joint, Progress& progress) {
  const bool both = !data.map.rows.empty() && !data.loops.empty() && options.weight_static > 0.0 &&
                    options.weight_k_dyn > 0.0 && options.weight_loss_angle > 0.0;
  if (!both || options.fix.contains("static_stiffness") || joint.parameters.empty()) return std::nullopt;
  const ParameterEstimate& k = joint.parameters.front();
  if (k.name != "static_stiffness" || !(k.value > 0.0)) return std::nullopt;
  const auto rows = std::count(joint.row_used.begin(), joint.row_used.end(), true);
  constexpr int least_rows = 10;
  if (rows < least_rows) return std::nullopt;
  const std::optional<LogStiffness> map = of_map_alone(data, options, joint, progress);
  if (!map || !(map->sd < told)) return std::nullopt;
  GateChannel channel;
  channel.name = "static stiffness of the loop against that of the map alone";
  channel.unit = "%", channel.factor = 100.0;
  channel.residuals = {k.value / std::exp(map->value) - 1.0};
  // Four standard deviations of the difference, and three times what the law holds to, are the limit.
  // What the loop leaves open is small; a wide interval of the joint fit is a sign of the contradiction itself.
  const double own = std::isfinite(k.std) ? std::min(k.std / k.value, law_holds) : law_holds;
  channel.noise = 4.0 / gate_factor * std::hypot(map->sd, own);
  channel.finest = law_holds;
  return channel;
}

}  // namespace kdyn::inline identify
