// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/map_alone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/identify/internal/elastomer_fitter.hpp"
#include "kdyn/identify/internal/static_path.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

// The law is no closer to rubber than this from the sines of a map down to a slow loop; and a map tells nothing when
// its own standard deviation is beyond the second.
constexpr double law_holds = 0.05, told = 0.25;

struct MapAlone {
  double log_stiffness = 0.0, sd_stiffness = 0.0;  // static stiffness of the unloaded part
  double sd_friction = 0.0, sd_knee = 0.0;         // of ln rdl and ln rho; infinite where the map has none
  Layout layout;
  Eigen::VectorXd theta;
};

std::optional<MapAlone> of_map_alone(const ElastomerData& data, const ElastomerFitOptions& options,
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
  const Eigen::VectorXd sd = covariance_of(solved.fit.jacobian).standard_deviation;
  MapAlone out;
  out.log_stiffness = solved.fit.theta[at], out.sd_stiffness = sd[at];
  const int rdl = setup.layout.at[slot_rdl];
  out.sd_friction = rdl < 0                                           ? 0.0
                    : solved.fit.theta[rdl] < setup.lower[rdl] + 1e-3 ? std::numeric_limits<double>::infinity()
                                                                      : sd[rdl];
  out.layout = setup.layout;
  out.theta = solved.fit.theta;
  return out;
}

// From one tip of the path to the same tip again, the first time to the last; empty where the record has no two.
std::pair<std::size_t, std::size_t> whole_cycles(const std::vector<double>& u) {
  const auto [low, high] = std::minmax_element(u.begin(), u.end());
  const double range = *high - *low;
  for (const double sign : {1.0, -1.0}) {
    const double tip = sign > 0.0 ? *high : -*low;
    std::vector<std::size_t> tips;
    bool left = true;  // the neighbourhood of the tip
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double x = sign * u[i];
      if (x < tip - 0.1 * range) left = true;
      if (x < tip - 0.02 * range) continue;
      if (left) tips.push_back(i);
      left = false;
      if (x > sign * u[tips.back()]) tips.back() = i;
    }
    if (tips.size() > 1) return {tips.front(), tips.back()};
  }
  // One cycle from anywhere on.
  if (std::abs(u.back() - u.front()) < 0.02 * range) return {0, u.size() - 1};
  return {0, 0};
}

// Energy lost between two samples of a path, closed by a straight line.
double energy_lost(const std::vector<double>& u, const std::vector<double>& force,
                   std::pair<std::size_t, std::size_t> part) {
  const auto [from, to] = part;
  double sum = 0.5 * (force[to] + force[from]) * (u[from] - u[to]);
  for (std::size_t i = from; i < to; ++i) sum += 0.5 * (force[i] + force[i + 1]) * (u[i + 1] - u[i]);
  return sum;
}

// A law that turned to another scale of amplitudes meets loop and map by its viscous part; the friction of the map
// alone shows it: in the energy of the loop, or in the displacement at which friction bends. Slow loops of rubber lose
// more than friction does, hence no verdict, and a wide limit.
constexpr double friction_agrees = 1.6;

void tell_friction(const std::string& where, const std::string& words, std::vector<Finding>& findings) {
  findings.push_back({Severity::warning, "loop_friction", where, words,
                      "check amplitudes and displacements: zero to peak or peak to peak, mm or inch; check that both "
                      "are of one part and direction. Slow creep of the rubber widens a loop as well: compare with the "
                      "map fitted alone"});
}

void compare_friction(const ElastomerData& data, const MapAlone& map, const ElastomerFitResult& joint,
                      std::vector<Finding>& findings) {
  const Candidate<double> candidate = make_candidate<double>(map.layout, [&](int i) { return map.theta[i]; });
  const auto point = candidate.at_preload(0.0);
  const double limit = std::max(friction_agrees, std::exp(4.0 * map.sd_friction));
  for (const StaticLoop& loop : data.loops) {
    const auto part = whole_cycles(loop.displacement);
    if (part.second == part.first || !std::isfinite(limit)) continue;
    std::vector<double> friction = friction_along(candidate.law, loop.displacement, point.u0, 2);
    for (double& y : friction) y *= point.k * candidate.law.scale_ampl;
    const double seen = energy_lost(loop.displacement, loop.force, part),
                 expected = energy_lost(loop.displacement, friction, part);
    if (!(seen > 0.0) || !(expected > 0.0)) continue;  // a reversed loop has findings of its own
    const double ratio = seen / expected;
    if (ratio < limit && ratio > 1.0 / limit) continue;
    return tell_friction(
        loop.source.path,
        fmt::format("the static loop loses {:.2g} times the energy that the friction in the map would", ratio),
        findings);
  }
  const auto rho = std::find_if(joint.parameters.begin(), joint.parameters.end(),
                                [](const ParameterEstimate& p) { return p.name == "rho"; });
  if (rho == joint.parameters.end() || rho->status != ParameterStatus::free || !(rho->std > 0.0)) return;
  const double ratio = candidate.law.rho / rho->value,
               knee_limit = std::max(friction_agrees, std::exp(4.0 * std::hypot(map.sd_knee, rho->std / rho->value)));
  if (ratio < knee_limit && ratio > 1.0 / knee_limit) return;
  tell_friction("fit",
                fmt::format("with the static loop friction bends at {:.2g} times the displacement at which it does in "
                            "the map alone",
                            ratio),
                findings);
}

}  // namespace

std::optional<GateChannel> map_against_loop(const ElastomerData& data, const ElastomerFitOptions& options,
                                            const ElastomerFitResult& joint, Progress& progress,
                                            std::vector<Finding>& findings) {
  const bool both = !data.map.rows.empty() && !data.loops.empty() && options.weight_static > 0.0 &&
                    options.weight_k_dyn > 0.0 && options.weight_loss_angle > 0.0;
  if (!both || options.fix.contains("static_stiffness") || joint.parameters.empty()) return std::nullopt;
  const ParameterEstimate& k = joint.parameters.front();
  if (k.name != "static_stiffness" || !(k.value > 0.0)) return std::nullopt;
  const auto rows = std::count(joint.row_used.begin(), joint.row_used.end(), true);
  constexpr int least_rows = 10;
  if (rows < least_rows) return std::nullopt;
  const std::optional<MapAlone> map = of_map_alone(data, options, joint, progress);
  if (!map) return std::nullopt;
  compare_friction(data, *map, joint, findings);
  if (!(map->sd_stiffness < told)) return std::nullopt;
  GateChannel channel;
  channel.name = "static stiffness of the loop against that of the map alone";
  channel.unit = "%", channel.factor = 100.0;
  channel.residuals = {k.value / std::exp(map->log_stiffness) - 1.0};
  // Four standard deviations of the difference, and three times what the law holds to, are the limit.
  // What the loop leaves open is small; a wide interval of the joint fit is a sign of the contradiction itself.
  const double own = std::isfinite(k.std) ? std::min(k.std / k.value, law_holds) : law_holds;
  channel.noise = 4.0 / gate_factor * std::hypot(map->sd_stiffness, own);
  channel.finest = law_holds;
  return channel;
}

}  // namespace kdyn::inline identify
