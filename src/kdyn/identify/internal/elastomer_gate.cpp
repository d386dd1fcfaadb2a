// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/elastomer_gate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/identify/internal/map_alone.hpp"
#include "kdyn/identify/map_noise.hpp"

namespace kdyn::inline identify {
namespace {

std::vector<GateChannel> channels_of(const ElastomerData& data, const ElastomerFitOptions& options,
                                     const ElastomerFitResult& result) {
  std::vector<GateChannel> channels;
  if (!data.map.rows.empty()) {
    const bool loop = result.criterion == Criterion::loop;
    std::vector<ModelRow> model;
    for (const SteadyResponse& r : result.map_model)
      model.push_back(loop ? ModelRow{r.k_dyn_loop, r.loss_angle_loop} : ModelRow{r.k_dyn, r.loss_angle});
    std::vector<GateChannel> map =
        map_channels(data.map, result.row_used, model,
                     {options.noise_k_dyn_rel.value_or(0.0), options.noise_loss_angle_deg.value_or(0.0) * degree});
    if (options.weight_k_dyn > 0.0) channels.push_back(std::move(map[0]));
    if (options.weight_loss_angle > 0.0) channels.push_back(std::move(map[1]));
  }
  if (options.weight_static > 0.0)
    for (std::size_t i = 0; i < data.loops.size(); ++i)
      channels.push_back(force_channel("static loop", result.axis, data.loops[i].displacement, data.loops[i].force,
                                       result.loop_model[i]));
  if (options.weight_transient > 0.0)
    for (std::size_t i = 0; i < data.series.size(); ++i)
      channels.push_back(force_channel("transient", result.axis, data.series[i].displacement, data.series[i].force,
                                       result.series_model[i]));
  return channels;
}

// The last ten steps together lowered chi-square by less than a hundredth: nothing moved by a tenth of its standard
// deviation.
bool creeps(const std::vector<double>& cost) {
  constexpr std::size_t steps = 10;
  return cost.size() > steps && cost[cost.size() - 1 - steps] - cost.back() < 0.005 &&
         cost[cost.size() - 1 - steps] >= cost.back();
}

// What an elastomer cannot do and the data show.
std::string missing_physics(const ElastomerData& data) {
  if (map_shows_resonance(data.map))
    return "the loss angle is that of a fluid at resonance: try fit hydromount; else check the sign and the unit of "
           "the angle";
  const int kinds = !data.map.rows.empty() + !data.loops.empty() + !data.series.empty();
  if (kinds > 1)
    return "check that all files are of one part and direction, in the same units and signs: fit each alone and "
           "compare; else another law, see fit "
           "compare";
  return "check units, signs and directions of the rows; else another law describes them better, see fit compare";
}

// A loop and a map whose stiffness differs by what a relaxation below the lowest frequency explains: no measurement
// shows this relaxation, and a wrong calibration of either looks the same.
void tell_unseen_relaxation(const ElastomerData& data, const ElastomerFitOptions& options, ElastomerFitResult& result) {
  if (data.loops.empty() || !(options.weight_static > 0.0)) return;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < data.map.rows.size(); ++i)
    if (result.row_used[i]) lowest = std::min(lowest, data.map.rows[i].frequency_hz);
  const auto t2 = std::find_if(result.parameters.begin(), result.parameters.end(),
                               [](const ParameterEstimate& p) { return p.name == "t2"; });
  constexpr double beyond = 1.5;  // a corner just below the band still shows in it
  const double corner_hz = t2 == result.parameters.end() ? 0.0 : 1.0 / (two_pi * t2->value);
  if (!std::isfinite(lowest) || !(corner_hz > 0.0) || beyond * corner_hz > lowest) return;
  // What of the stiffness comes in below the band.
  const auto real_part = [&](double f) {
    const SteadyResponse r = steady_response(result.law, f, 1e-2, 0.0);
    return r.k_dyn * std::cos(r.loss_angle);
  };
  const double rise = real_part(lowest) / real_part(0.01 * corner_hz) - 1.0;
  constexpr double much = 0.05;
  if (!(rise > much)) return;
  result.findings.push_back(
      {Severity::warning, "unseen_relaxation", "fit",
       fmt::format("the stiffness rises by {:.2g} % between the static loop and {:.3g} Hz by a relaxation at {:.2g} Hz "
                   "that no measurement shows",
                   100.0 * rise, lowest, corner_hz),
       "the calibration of bench and load cell, or amplitudes in another unit, would look the same: compare both "
       "channels, or measure the map down to lower frequencies"});
}

// What took part and what did not, in one sentence.
void tell_use(const ElastomerData& data, const ElastomerFitOptions& options, const ElastomerFitResult& result,
              std::vector<Finding>& findings) {
  std::vector<std::string> used, unused;
  const auto rows = static_cast<std::size_t>(std::count(result.row_used.begin(), result.row_used.end(), true));
  const bool map = options.weight_k_dyn > 0.0 || options.weight_loss_angle > 0.0;
  if (rows > 0) (map ? used : unused).push_back(fmt::format("{} map rows", rows));
  if (rows < data.map.rows.size())
    unused.push_back(fmt::format("{} map rows left out as suspicious", data.map.rows.size() - rows));
  if (rows > 0 && map && !(options.weight_k_dyn > 0.0)) unused.push_back("their stiffness (weight 0)");
  if (rows > 0 && map && !(options.weight_loss_angle > 0.0)) unused.push_back("their loss angle (weight 0)");
  const auto count = [](std::size_t n, const char* one, const char* more) {
    return n == 1 ? std::string(one) : fmt::format("{} {}", n, more);
  };
  if (!data.loops.empty())
    (options.weight_static > 0.0 ? used : unused)
        .push_back(count(data.loops.size(), "the static loop", "static loops"));
  if (!data.series.empty())
    (options.weight_transient > 0.0 ? used : unused)
        .push_back(count(data.series.size(), "the transient", "transients"));
  findings.push_back({Severity::note, "data_used", "data",
                      fmt::format("used: {}; not used: {}", used.empty() ? "nothing" : join(used, ", "),
                                  unused.empty() ? "nothing" : join(unused, ", ")),
                      "columns and files that could not be read have findings of their own"});
}

}  // namespace

void judge_elastomer(const ElastomerData& data, const ElastomerFitOptions& options, ElastomerFitResult& result,
                     Progress& progress) {
  std::vector<GateChannel> channels = channels_of(data, options, result);
  if (std::optional<GateChannel> both = map_against_loop(data, options, result, progress, result.findings))
    channels.push_back(std::move(*both));
  const GateVerdict verdict = judge_fit(channels);
  std::vector<Finding> wide;
  withhold_wide_intervals(result.parameters, wide);
  // The search may creep for ever along what the data hardly see: it has arrived when what they see stands still.
  if (result.status == "not_converged" && !verdict.poor && (!wide.empty() || creeps(result.cost_history))) {
    result.status = "converged";
    result.reason = fmt::format("the residuals are down to the noise and stand still after {} iterations{}",
                                result.iterations, wide.empty() ? "" : "; not determined: " + wide.front().where);
  }
  apply_gate(verdict, missing_physics(data), result.status, result.reason, result.parameters, result.findings);
  if (!verdict.poor) {
    result.findings.insert(result.findings.end(), wide.begin(), wide.end());
    tell_unseen_relaxation(data, options, result);
  }
  tell_use(data, options, result, result.findings);
}

}  // namespace kdyn::inline identify
