// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/hydromount_preloads.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/identify/internal/preload_curve.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

constexpr std::size_t least_rows = 12;

ParameterEstimate stiffness_there(const char* name, std::size_t number, const char* meaning, double preload,
                                  double value, double sd) {
  constexpr double z = 1.959963984540054;
  ParameterEstimate p;
  p.name = fmt::format("{}_{}", name, number);
  p.unit = "N/m";
  p.meaning = fmt::format("{} at preload {:g} N", meaning, preload);
  p.value = value;
  p.std = value * sd;
  p.lower_95 = value * std::exp(-z * sd), p.upper_95 = value * std::exp(z * sd);
  p.status = ParameterStatus::free;
  return p;
}

}  // namespace

std::vector<double> other_preloads(const StiffnessMap& map, const std::vector<bool>& taken, double than) {
  std::map<long, std::size_t> count;  // preloads within 1 N are one
  for (std::size_t i = 0; i < map.rows.size(); ++i)
    if (taken[i]) ++count[std::lround(map.rows[i].preload)];
  std::vector<double> out;
  for (const auto& [preload, rows] : count)
    if (rows >= least_rows && std::abs(static_cast<double>(preload) - than) > 1.0)
      out.push_back(static_cast<double>(preload));
  return out;
}

HydroAtPreload fit_at_preload(HydroProblem problem, const HydroMountFitOptions& options, const HydroFitted& best,
                              double preload, Progress& progress, HydroMountFitResult& result) {
  HydroMountFitOptions held = options;
  for (const int slot : best.layout.free)
    if (slot != hydro_main_k && slot != hydro_chamber_k)
      held.fix[hydro_slots[static_cast<std::size_t>(slot)].name] = best.layout.values[static_cast<std::size_t>(slot)];
  HydroFitted there = best;
  there.rows = problem.rows;
  HydroFitter fitter(std::move(problem), held, progress);
  fitter.settle(there, false);
  fitter.refine(there, 1, 1e-4);
  fitter.finish(there);
  fitter.problem.correct(there.layout, true);
  const auto rows = static_cast<double>(there.rows.size());
  const double spread = std::sqrt(there.chi_square / std::max(1.0, 2.0 * rows - 2.0));
  const Covariance covariance = covariance_of(fitter.last.jacobian);
  HydroAtPreload out;
  out.preload = preload;
  out.main = there.layout.values[hydro_main_k], out.chamber = there.layout.values[hydro_chamber_k];
  for (std::size_t i = 0; i < there.layout.free.size(); ++i) {
    const double sd = spread * covariance.standard_deviation[static_cast<Eigen::Index>(i)];
    if (there.layout.free[i] == hydro_main_k) out.main_sd = sd;
    if (there.layout.free[i] == hydro_chamber_k) out.chamber_sd = sd;
  }
  for (const HydroRow& row : fitter.problem.rows) {
    result.row_used[row.source] = true;
    result.map_model[row.source] = row.response;
    result.at_fold[row.source] = row.several || row.other_branch;
  }
  return out;
}

void extend_to_preloads(std::vector<HydroAtPreload> all, HydroMountFitResult& result) {
  const std::size_t others = all.size();
  for (std::size_t i = 0; i < others; ++i) {
    const HydroAtPreload& one = all[i];
    result.parameters.push_back(stiffness_there("main_stiffness", i + 2, "Static stiffness of the main rubber",
                                                one.preload, one.main, one.main_sd));
    result.parameters.push_back(stiffness_there("chamber_stiffness", i + 2, "Static stiffness of the chamber rubber",
                                                one.preload, one.chamber, one.chamber_sd));
  }
  HydroMount<double>& law = result.law;
  const double main = law.main_rubber.static_stiffness, chamber = law.chamber_rubber.static_stiffness;
  all.push_back({result.preload, main, 0.0, chamber, 0.0});
  std::sort(all.begin(), all.end(),
            [](const HydroAtPreload& a, const HydroAtPreload& b) { return a.preload < b.preload; });
  std::vector<double> preloads, stiffness;
  for (const HydroAtPreload& one : all) {
    preloads.push_back(one.preload), stiffness.push_back(one.main);
    law.chamber_preload_curve.emplace_back(one.preload, one.chamber / chamber);
  }
  law.main_rubber.curve_points = points_of(PreloadCurve<double>(preloads, stiffness), preloads);
  prepare(law, "fit");
  result.findings.push_back(
      {Severity::note, "curve_from_preloads", "preload",
       fmt::format("fluid, decoupler and losses were fitted at {:g} N; at {} other preload{} the stiffnesses of main "
                   "rubber and chamber. The static curve is laid through them and is straight beyond the outermost",
                   result.preload, others, others > 1 ? "s" : ""),
       "--preload fits one preload alone"});
}

}  // namespace kdyn::inline identify
