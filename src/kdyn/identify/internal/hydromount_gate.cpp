// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/hydromount_gate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/identify/map_noise.hpp"
#include "kdyn/identify/temperature_fit.hpp"
#include "kdyn/numerics/levels.hpp"

namespace kdyn::inline identify {

void judge_hydro(const ElastomerData& data, const HydroMountFitOptions& options, HydroMountFitResult& result) {
  std::vector<ModelRow> model;
  std::vector<bool> judged = result.row_used;
  const bool loop = options.criterion == Criterion::loop;
  for (std::size_t i = 0; i < result.map_model.size(); ++i) {
    const SteadyResponse& r = result.map_model[i];
    model.push_back(loop ? ModelRow{r.k_dyn_loop, r.loss_angle_loop} : ModelRow{r.k_dyn, r.loss_angle});
    judged[i] = judged[i] && !result.at_fold[i];  // a rig shows either state there
  }
  // Every temperature for itself: between two of them nothing is continuous.
  std::vector<GateChannel> channels;
  const std::vector<double> levels = temperature_levels(data.map);
  for (std::size_t level = 0; level < std::max<std::size_t>(1, levels.size()); ++level) {
    std::vector<bool> here = judged;
    for (std::size_t i = 0; i < here.size() && levels.size() > 1; ++i)
      here[i] = here[i] && nearest_level(levels, data.map.rows[i].temperature_c) == level;
    if (std::none_of(here.begin(), here.end(), [](bool one) { return one; })) continue;
    for (GateChannel& channel :
         map_channels(data.map, here, model,
                      {options.noise_k_dyn_rel.value_or(0.0), options.noise_loss_angle_deg.value_or(0.0) * degree})) {
      if (levels.size() > 1) channel.name += fmt::format(" at {:.4g} degC", levels[level]);
      channels.push_back(std::move(channel));
    }
  }
  for (std::size_t i = 0; i < data.loops.size(); ++i)
    channels.push_back(force_channel("static loop", AxisKind::translation, data.loops[i].displacement,
                                     data.loops[i].force, result.loop_model[i]));
  if (result.rms_transient)
    for (std::size_t i = 0; i < data.series.size(); ++i)
      channels.push_back(force_channel("transient", AxisKind::translation, data.series[i].displacement,
                                       data.series[i].force, result.series_model[i]));
  std::vector<Finding> wide;
  withhold_wide_intervals(result.parameters, wide);
  const GateVerdict verdict = judge_fit(channels);
  apply_gate(verdict,
             "gas in the fluid or a second channel is not in this model; check also that all rows "
             "are of one part, preload and "
             "temperature",
             result.status, result.reason, result.parameters, result.findings);
  if (!verdict.poor) result.findings.insert(result.findings.end(), wide.begin(), wide.end());
  const auto rows = std::count(result.row_used.begin(), result.row_used.end(), true);
  std::vector<std::string> unused;
  if (static_cast<std::size_t>(rows) < data.map.rows.size())
    unused.push_back(fmt::format("{} map rows", data.map.rows.size() - static_cast<std::size_t>(rows)));
  const std::string records =
      data.series.size() == 1 ? "the transient" : fmt::format("{} transients", data.series.size());
  const bool fitted = result.rms_transient.has_value(), left = !data.series.empty() && !fitted;
  if (left) unused.push_back(records);
  result.findings.push_back(
      {left ? Severity::warning : Severity::note, "data_used", "data",
       fmt::format("used: {} map rows{}{}; not used: {}", rows, data.loops.empty() ? "" : ", the static loop",
                   fitted ? ", " + records : "", unused.empty() ? "nothing" : join(unused, ", ")),
       left ? "compare the model with the transient by kdyn validate"
            : "columns and files that could not be read have findings of their own"});
}

}  // namespace kdyn::inline identify
