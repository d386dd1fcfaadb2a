// SPDX-License-Identifier: Apache-2.0
// The picture of a hydro mount fit: maps with folds, levels of detail, loops and the inside of the mount at resonance.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/mount/hydromount_jobs.hpp"
#include "kdyn/app/present/bench_plots.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"

namespace kdyn::app {
namespace {

using namespace report;

const ParameterEstimate* find_parameter(const HydroMountFitResult& fit, const std::string& name) {
  for (const ParameterEstimate& p : fit.parameters)
    if (p.name == name) return &p;
  return nullptr;
}

const char* words_of(HydroDetail detail) {
  switch (detail) {
    case HydroDetail::springs: return "constant springs";
    case HydroDetail::rubber: return "amplitude-dependent rubber";
    case HydroDetail::decoupler: return "decoupler with membrane slope";
    case HydroDetail::bypass: return "bypass";
    case HydroDetail::limit: return "pressure limit";
    case HydroDetail::automatic: break;
  }
  return "";
}

HydroDetail chosen_detail(const HydroMountFitResult& fit) {
  for (const HydroLevel& level : fit.levels)
    if (level.chosen) return level.detail;
  return HydroDetail::springs;
}

void add_key_figures(Document& d, const HydroMountFitResult& fit) {
  d.key_figures.push_back(
      {.label = "Status", .value = fit.status, .quality = fit.status == "converged" ? Quality::good : Quality::poor});
  d.key_figures.push_back({.label = "Stiffness misfit",
                           .value = 100.0 * fit.rms_k_dyn_rel,
                           .unit = "%",
                           .quality = judge(fit.rms_k_dyn_rel, 0.02, 0.05),
                           .note = "rms over the map",
                           .digits = 3});
  d.key_figures.push_back({.label = "Loss angle misfit",
                           .value = fit.rms_loss_angle / degree,
                           .unit = "deg",
                           .quality = judge(fit.rms_loss_angle / degree, 1.0, 2.5),
                           .note = "rms over the map",
                           .digits = 3});
  if (const ParameterEstimate* p = find_parameter(fit, "resonance_frequency"))
    d.key_figures.push_back(
        {.label = "Fluid resonance", .value = p->value, .unit = "Hz", .note = "undamped", .digits = 3});
  d.key_figures.push_back(
      {.label = "Level of detail", .value = to_string(chosen_detail(fit)), .note = words_of(chosen_detail(fit))});
}

std::string verdict(const HydroMountFitResult& fit, const std::vector<SteadyBranch>& branches) {
  std::string text;
  if (fit.status == "poor_fit") return "Not to be used: " + fit.reason + ".";
  if (fit.status != "converged")
    return fmt::format(
        "The fit did not come to its end ({}). What follows is where it stood and no result to work with.", fit.reason);
  const bool well = fit.rms_k_dyn_rel <= 0.02 && fit.rms_loss_angle <= 1.0 * degree;
  text = fmt::format(
      "{}: it meets stiffness to {} % and loss angle to {} deg (rms), with {} and a fluid damping that grows with "
      "velocity to the power {:g}.",
      well ? "The model describes the measurement well" : "The model describes the measurement fairly well",
      format_number(100.0 * fit.rms_k_dyn_rel, 2), format_number(fit.rms_loss_angle / degree, 2),
      words_of(chosen_detail(fit)), fit.law.fluid_damping_exponent);
  const ParameterEstimate* widest = nullptr;
  std::vector<std::string> open;
  for (const ParameterEstimate& p : fit.parameters) {
    if (p.status != ParameterStatus::free || std::isnan(p.std)) continue;
    if (!std::isfinite(p.std))
      open.push_back(p.name);
    else if (widest == nullptr || p.std / p.value > widest->std / widest->value)
      widest = &p;
  }
  if (!open.empty())
    text += fmt::format("\n\nThe data do not determine {}.", join(open, ", "));
  else if (widest != nullptr)
    text += fmt::format("\n\nThe least certain parameter is {}, known to {} % (standard deviation).", widest->name,
                        format_number(100.0 * widest->std / widest->value, 2));
  std::size_t folds = 0;
  for (const SteadyBranch& branch : branches) folds += branch.folds.size();
  if (folds > 0)
    text += fmt::format(
        "\n\nThe mount jumps: its response has {} folds in the range of the data. Between them two stable states "
        "exist, and what a rig shows depends "
        "on the direction of its sweep.",
        folds);
  return text;
}

Table level_table(const HydroMountFitResult& fit) {
  Table table;
  table.columns = {{"Level"},
                   {"Unknowns", "", Align::right},
                   {"Exponent", "", Align::right},
                   {"Stiffness", "%", Align::right, 3},
                   {"Angle", "deg", Align::right, 3},
                   {"Squares", "", Align::right, 3},
                   {"Verdict"}};
  for (const HydroLevel& level : fit.levels)
    table.rows.push_back({{words_of(level.detail), level.parameters, level.exponent, 100.0 * level.rms_k_dyn_rel,
                           level.rms_loss_angle / degree, level.chi_square,
                           level.chosen          ? "chosen"
                           : !level.note.empty() ? level.note
                                                 : "a step on the way"},
                          level.chosen ? Quality::good : Quality::neutral});
  table.note =
      "Each level contains the one above it. Stiffness and angle: rms misfit of the map. Squares: mean square of the "
      "misfit in units of the assumed "
      "noise (1 % and "
      "0.5 deg unless given), about 1 when nothing is missing; a level must lower their sum by 3 % and by 25.";
  return table;
}

// Model, unstable states and folds over the measured map.
PlotRow maps(const MapView& view, std::size_t preload, const std::vector<SteadyBranch>& branches, bool loop) {
  PlotRow row = over_frequency(view, preload);
  const double k = view.units.stiffness.factor;
  for (std::size_t level = 0; level < branches.size(); ++level) {
    const int group = static_cast<int>(level);
    Series stable_k{.name = "model", .style = SeriesStyle::line, .group = group},
        unstable_k{.name = "unstable", .style = SeriesStyle::dashed_line, .group = group},
        fold_k{.name = "fold", .style = SeriesStyle::markers, .group = group};
    Series stable_d = stable_k, unstable_d = unstable_k, fold_d = fold_k;
    const auto gap = [](Series& s) {
      if (s.x.empty()) return;
      s.x.push_back(s.x.back());
      s.y.push_back(std::nan(""));
    };
    bool before = true;
    for (const SteadyState& state : branches[level].states) {
      if (!state.converged) continue;
      if (state.stable != before) gap(before ? stable_k : unstable_k), gap(before ? stable_d : unstable_d);
      before = state.stable;
      Series& sk = state.stable ? stable_k : unstable_k;
      Series& sd = state.stable ? stable_d : unstable_d;
      sk.x.push_back(state.frequency_hz);
      sk.y.push_back((loop ? state.response.k_dyn_loop : state.response.k_dyn) * k);
      sd.x.push_back(state.frequency_hz);
      sd.y.push_back((loop ? state.response.loss_angle_loop : state.response.loss_angle) / degree);
    }
    for (const Fold& fold : branches[level].folds) {
      fold_k.x.push_back(fold.frequency_hz);
      fold_k.y.push_back(fold.k_dyn * k);
      fold_d.x.push_back(fold.frequency_hz);
      fold_d.y.push_back(fold.loss_angle / degree);
    }
    for (Series* s : {&stable_k, &unstable_k, &fold_k})
      if (!s->x.empty()) row.plots[0].series.push_back(std::move(*s));
    for (Series* s : {&stable_d, &unstable_d, &fold_d})
      if (!s->x.empty()) row.plots[1].series.push_back(std::move(*s));
  }
  return row;
}

// One cycle of each amplitude at the frequency where it turns the force most, by harmonic balance.
std::vector<RigLoop> loops_at_resonance(const MapView& view, const HydroMountFitResult& fit,
                                        const std::vector<SteadyBranch>& branches) {
  const HarmonicBalance balance(fit.law, static_displacement(fit.law, fit.preload));
  // The common frequency: the largest loss angle of all branches.
  const SteadyState* top = nullptr;
  for (const SteadyBranch& branch : branches)
    for (const SteadyState& state : branch.states)
      if (state.stable && (top == nullptr || state.response.loss_angle > top->response.loss_angle)) top = &state;
  std::vector<RigLoop> loops;
  if (top == nullptr) return loops;
  for (const double a : view.amplitudes) {
    const SteadyState state = balance.solve(top->frequency_hz, a);
    if (!state.converged) continue;
    SteadyWaveform w = balance.waveform(state, 256);
    RigLoop loop{top->frequency_hz, a, fit.preload, w.displacement, w.force, {}};
    const auto& names = HydroMount<double>::output_signals;
    const std::vector<double>* values[] = {&w.pressure, &w.fluid_velocity, &w.chamber_displacement};
    for (std::size_t i = 0; i < 3; ++i)
      loop.inside.push_back({{names[i].name, names[i].unit, names[i].meaning}, *values[i]});
    loops.push_back(std::move(loop));
  }
  return loops;
}

void add_parameters(Document& d, const HydroMountFitResult& fit) {
  auto& section =
      d.section("Parameters",
                "What a map can see. With the areas of the drawing the properties of channel and fluid follow.")
          .named("parameters");
  std::vector<ParameterEstimate> seen, rest;
  for (const ParameterEstimate& p : fit.parameters) (p.status == ParameterStatus::free ? seen : rest).push_back(p);
  Table free = parameter_table(seen);
  constexpr std::ptrdiff_t status = 5;  // the same for all of them
  free.columns.erase(free.columns.begin() + status);
  for (Row& row : free.rows) row.cells.erase(row.cells.begin() + status);
  section.add(std::move(free));
  Table follows = parameter_table(rest);
  follows.title = "What follows from them, and what was given or assumed";
  section.add(std::move(follows));
  add_correlation(section, fit.not_told_apart, fit.correlation_names, fit.correlation);
}

}  // namespace

Document hydromount_report(const std::string& title, const ElastomerData& data, const HydroMountFitResult& fit,
                           const std::vector<SteadyBranch>& branches, const TrustResult& trust) {
  MapView view(data.map);
  view.used = fit.row_used;
  const bool loop = fit.criterion == Criterion::loop;
  Document d{.title = title,
             .subtitle = fmt::format("Hydro mount model, {} criterion", loop ? "loop" : "first-harmonic")};
  add_key_figures(d, fit);
  d.section("Verdict").named("verdict").add(Text{verdict(fit, branches)});
  d.section("Level of detail", "What each part of the model gains.").named("detail").add(level_table(fit));
  add_parameters(d, fit);
  std::size_t preload = 0;
  for (std::size_t p = 0; p < view.preloads.size(); ++p)
    if (std::abs(view.preloads[p] - fit.preload) < std::abs(view.preloads[preload] - fit.preload)) preload = p;
  const double u0 = static_displacement(fit.law, fit.preload);
  SteadyOptions coarse;
  coarse.odd_harmonics = 5;
  coarse.loop = loop;
  const HarmonicBalance balance(fit.law, u0, coarse);
  const ModelResponse model = [&](double f, double a, double) {
    const SteadyState s = balance.solve(f, a);
    return loop ? ModelPoint{s.response.k_dyn_loop, s.response.loss_angle_loop}
                : ModelPoint{s.response.k_dyn, s.response.loss_angle};
  };
  d.section("Dynamic stiffness",
            "Markers are measured, lines are the steady states of the model at the nominal amplitudes; dashed where "
            "they are unstable, with the "
            "folds at which the mount jumps.")
      .named("map")
      .add(maps(view, preload, branches, loop))
      .add(over_amplitude(view, preload, model));
  if (!data.loops.empty()) {
    auto& section = d.section("Static loop",
                              "Slow loading and unloading: the fluid has time to flow, the main rubber is left. The "
                              "width of the loop is its friction.");
    for (std::size_t i = 0; i < data.loops.size(); ++i) section.add(static_plots(data.loops[i], fit.loop_model[i]));
  }
  if (!fit.series_model.empty()) {
    auto& section = d.section("Transient", "The model follows the measured displacement from rest.").named("transient");
    for (std::size_t i = 0; i < data.series.size(); ++i) section.add(series_plots(data.series[i], fit.series_model[i]));
  }
  const std::vector<RigLoop> loops = loops_at_resonance(view, fit, branches);
  if (!loops.empty()) {
    d.section("Loops at resonance", fmt::format("One cycle at {} Hz, where the loss angle is largest.",
                                                format_number(loops.front().frequency_hz, 3)))
        .named("loops")
        .add(loop_plots(
            loops, axis_display(AxisKind::translation), [&](double u) { return fit.law.static_force(u); },
            "Steady state of the model by harmonic balance."));
    d.section("Inside the mount",
              "Pressure and fluid motion in the same cycles. They scale with the areas of the drawing; force and "
              "displacement do not.")
        .named("inside")
        .add(inside_plots(loops, axis_display(AxisKind::translation)));
  }
  auto& use =
      d.section("Use of the model", "Tried on the virtual rig; where it holds; what to measure next.").named("use");
  use.add(trust_table(data.map, trust, axis_display(AxisKind::translation)));
  std::string next;
  for (const Advice& a : fit.advice) next += a.words + ".\n\n";
  if (!next.empty()) use.add(Text{next});
  d.section("Findings", "What the readers and the fit noticed.")
      .add(Findings{.findings = fit.findings, .when_empty = "Nothing unusual in the data."});
  return d;
}

}  // namespace kdyn::app
