// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/hydromount_temperatures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

// What follows temperature: a slot of the fit, and the column of a table that takes its factor.
struct HotSlot {
  int slot;
  const char *name, *meaning;
  bool main, chamber;
  double TemperatureRow::*rubber;
  double FluidTemperatureRow::*fluid;
};
const HotSlot hot_slots[] = {
    {hydro_main_k, "main_stiffness", "Factor on all stiffness of the main rubber", true, false,
     &TemperatureRow::stiffness, nullptr},
    {hydro_main_c, "main_freq", "Factor on the frequency-dependent part of the main rubber", true, false,
     &TemperatureRow::freq, nullptr},
    {hydro_main_h, "main_ampl", "Factor on the amplitude-dependent part of the main rubber", true, false,
     &TemperatureRow::ampl, nullptr},
    {hydro_chamber_k, "chamber_stiffness", "Factor on all stiffness of the chamber rubber", false, true,
     &TemperatureRow::stiffness, nullptr},
    {hydro_chamber_c, "chamber_freq", "Factor on the frequency-dependent part of the chamber rubber", false, true,
     &TemperatureRow::freq, nullptr},
    {hydro_chamber_h, "chamber_ampl", "Factor on the amplitude-dependent part of the chamber rubber", false, true,
     &TemperatureRow::ampl, nullptr},
    {hydro_linear, "fluid_damping_linear", "Factor on the linear damping of the fluid", false, false, nullptr,
     &FluidTemperatureRow::damping_linear},
    {hydro_power, "fluid_damping_nonlinear", "Factor on the nonlinear damping of the fluid", false, false, nullptr,
     &FluidTemperatureRow::damping_nonlinear},
};

// Rubber and oil between -40 and 100 degC: a loss may change tenfold, a stiffness threefold.
double prior_width(const HotSlot& hot) {
  const bool stiffness = hot.rubber == &TemperatureRow::stiffness;
  return stiffness ? 0.0 : std::log(10.0);
}

}  // namespace

TemperatureLevel reference_temperature(double temperature_c, std::size_t rows) {
  TemperatureLevel level;
  level.temperature_c = level.factors.temperature_c = temperature_c;
  level.rows = rows;
  level.reference = level.converged = true;
  return level;
}

TemperatureLevel fit_at_temperature(HydroProblem problem, const HydroMountFitOptions& options, const HydroFitted& best,
                                    double temperature_c, Progress& progress, HydroMountFitResult& result) {
  const auto at = [](int slot) { return static_cast<std::size_t>(slot); };
  HydroMountFitOptions held = options;
  std::vector<const HotSlot*> hot;
  for (const int slot : best.layout.free) {
    const auto found =
        std::find_if(std::begin(hot_slots), std::end(hot_slots), [&](const HotSlot& h) { return h.slot == slot; });
    if (found != std::end(hot_slots))
      hot.push_back(&*found);
    else
      held.fix[hydro_slots[at(slot)].name] = best.layout.values[at(slot)];
  }
  HydroFitted there = best;
  there.rows = problem.rows;
  const auto rows = static_cast<double>(problem.rows.size());
  HydroFitter fitter(std::move(problem), held, progress);
  // What the reference says is the better prior knowledge.
  for (const HotSlot* h : hot)
    if (const double width = prior_width(*h); width > 0.0)
      fitter.own_priors.push_back({h->slot, {std::log(best.layout.values[at(h->slot)]), width}});
  fitter.settle(there, false);
  fitter.refine(there, 2, 1e-4);
  fitter.finish(there);
  fitter.problem.correct(there.layout, true);

  TemperatureLevel level;
  level.temperature_c = level.factors.temperature_c = temperature_c;
  level.rows = fitter.problem.rows.size();
  level.converged = there.converged;
  const double spread =
      std::sqrt(there.chi_square / std::max(1.0, 2.0 * rows - static_cast<double>(there.layout.free.size())));
  const Covariance covariance = covariance_of(fitter.last.jacobian);
  constexpr double z = 1.959963984540054;
  for (const HotSlot* h : hot) {
    // The reference is known no better than its own interval says.
    double own = 0.0;
    for (const ParameterEstimate& p : result.parameters)
      if (p.name == hydro_slots[at(h->slot)].name && std::isfinite(p.std) && p.value > 0.0) own = p.std / p.value;
    double here = 0.0;
    for (std::size_t i = 0; i < there.layout.free.size(); ++i)
      if (there.layout.free[i] == h->slot) here = spread * covariance.standard_deviation[static_cast<Eigen::Index>(i)];
    ParameterEstimate p;
    p.name = h->name;
    p.unit = "-";
    p.meaning = h->meaning;
    p.value = there.layout.values[at(h->slot)] / best.layout.values[at(h->slot)];
    const double sd = std::hypot(here, own);
    p.std = p.value * sd;
    p.lower_95 = p.value * std::exp(-z * sd), p.upper_95 = p.value * std::exp(z * sd);
    p.status = ParameterStatus::free;
    level.parameters.push_back(std::move(p));
  }
  double k = 0.0, angle = 0.0;
  const bool loop = options.criterion == Criterion::loop;
  for (const HydroRow& row : fitter.problem.rows) {
    const SteadyResponse& r = row.response;
    k += std::pow((loop ? r.k_dyn_loop : r.k_dyn) / row.k_dyn - 1.0, 2) / rows;
    angle += std::pow(wrapped((loop ? r.loss_angle_loop : r.loss_angle) - row.loss_angle), 2) / rows;
    result.row_used[row.source] = true;
    result.map_model[row.source] = r;
    result.at_fold[row.source] = row.several || row.other_branch;
  }
  level.rms_k_dyn_rel = std::sqrt(k), level.rms_loss_angle = std::sqrt(angle);
  return level;
}

void extend_to_temperatures(HydroMountFitResult& result) {
  HydroMount<double>& law = result.law;
  std::vector<std::string> open;
  for (const TemperatureLevel& level : result.temperatures) {
    TemperatureRow main{level.temperature_c, 1.0, 1.0, 1.0}, chamber = main;
    FluidTemperatureRow fluid{level.temperature_c, 1.0, 1.0};
    for (const ParameterEstimate& p : level.parameters)
      for (const HotSlot& h : hot_slots) {
        if (p.name != h.name) continue;
        if (h.main) main.*h.rubber = p.value;
        if (h.chamber) chamber.*h.rubber = p.value;
        if (h.fluid != nullptr) fluid.*h.fluid = p.value;
        if (p.upper_95 > 1e3 * p.lower_95)
          open.push_back(fmt::format("{} at {:.4g} degC", p.name, level.temperature_c));
      }
    law.main_rubber.temperature.push_back(main);
    law.chamber_rubber.temperature.push_back(chamber);
    law.temperature.push_back(fluid);
  }
  prepare(law, "fit");
  if (!open.empty())
    result.findings.push_back(
        {Severity::note, "factors_not_determined", "temperature_c",
         fmt::format("the map does not determine the factor{} of {}", open.size() > 1 ? "s" : "", join(open, ", ")),
         "small amplitudes show the rubbers, large ones at resonance the fluid"});
}

}  // namespace kdyn::inline identify
