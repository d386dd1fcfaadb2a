// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/elastomer_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/present/bench_plots.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"

namespace kdyn::app {
namespace {

using namespace report;

template <class Record>
double force_range(const Record& record) {
  const auto [low, high] = std::minmax_element(record.force.begin(), record.force.end());
  return std::max(*high - *low, 1e-300);
}

// How well each kind of data is met: what the reader asks first.
struct Misfit {
  std::string label, words, unit, note;
  double value;
  Quality quality;
};
std::vector<Misfit> misfits(const ElastomerData& data, const ElastomerFitResult& fit) {
  std::vector<Misfit> all;
  if (!data.map.rows.empty()) {
    all.push_back({"Stiffness misfit", "stiffness to {} %", "%", "rms over the map", 100.0 * fit.rms_k_dyn_rel,
                   judge(fit.rms_k_dyn_rel, 0.02, 0.05)});
    const double angle = fit.rms_loss_angle / degree;
    all.push_back(
        {"Loss angle misfit", "loss angle to {} deg", "deg", "rms over the map", angle, judge(angle, 0.5, 1.5)});
  }
  if (fit.rms_static) {
    const double share = *fit.rms_static / force_range(data.loops.front());
    all.push_back({"Static misfit", "the static loop to {} %", "%", "rms, of the force range", 100.0 * share,
                   judge(share, 0.01, 0.03)});
  }
  if (fit.rms_transient) {
    const double share = *fit.rms_transient / force_range(data.series.front());
    all.push_back({"Transient misfit", "the transient to {} %", "%", "rms, of the force range", 100.0 * share,
                   judge(share, 0.02, 0.05)});
  }
  return all;
}

void add_key_figures(Document& d, const ElastomerFitResult& fit, const AxisDisplay& units,
                     const std::vector<Misfit>& met) {
  d.key_figures.push_back(
      {.label = "Status", .value = fit.status, .quality = fit.status == "converged" ? Quality::good : Quality::poor});
  for (const Misfit& m : met)
    d.key_figures.push_back(
        {.label = m.label, .value = m.value, .unit = m.unit, .quality = m.quality, .note = m.note, .digits = 3});
  d.key_figures.push_back({.label = "Static stiffness",
                           .value = fit.law.static_stiffness * units.stiffness.factor,
                           .unit = units.stiffness.unit});
}

std::string how_well(const ElastomerFitResult& fit, const std::vector<Misfit>& met) {
  if (fit.status == "infeasible")
    return "No mount of this kind meets the numbers of the data sheet: " + fit.reason + ".";
  if (fit.status == "poor_fit") return "Not to be used: " + fit.reason + ".";
  if (fit.status != "converged")
    return fmt::format(
        "The fit did not come to its end ({}). What follows is where it stood and no result to work with.", fit.reason);
  if (met.empty()) return "The model meets the three numbers of the data sheet.";
  std::vector<std::string> parts;
  Quality worst = Quality::good;
  for (const Misfit& m : met) {
    parts.push_back(fmt::format(fmt::runtime(m.words), format_number(m.value, 2)));
    worst = std::max(worst, m.quality);
  }
  const std::string last = parts.back();
  parts.pop_back();
  const std::string list = parts.empty() ? last : join(parts, ", ") + " and " + last;
  return fmt::format("{}: it meets {} (rms).",
                     worst == Quality::good   ? "The model describes the measurement well"
                     : worst == Quality::fair ? "The model describes the measurement fairly well"
                                              : "The model does not describe the measurement well",
                     list);
}

std::string how_certain(const ElastomerFitResult& fit) {
  std::vector<std::string> open;
  const ParameterEstimate* widest = nullptr;
  for (const ParameterEstimate& p : fit.parameters) {
    if (p.status != ParameterStatus::free || std::isnan(p.std)) continue;
    if (!std::isfinite(p.std))
      open.push_back(p.name);
    else if (widest == nullptr || p.std / p.value > widest->std / widest->value)
      widest = &p;
  }
  if (!open.empty()) return fmt::format("The data do not determine {}: hold one of them by fix.", join(open, ", "));
  if (fit.status == "poor_fit")
    return "How certain the parameters are cannot be said of a model that does not describe its data.";
  if (widest == nullptr) return "How certain the parameters are is not known.";
  return fmt::format("The least certain parameter is {}, known to {} % (standard deviation).", widest->name,
                     format_number(100.0 * widest->std / widest->value, 2));
}

std::string how_sound(const ElastomerFitResult& fit) {
  const auto count = [&](Severity severity) {
    return std::count_if(fit.findings.begin(), fit.findings.end(),
                         [&](const Finding& f) { return f.severity == severity; });
  };
  const auto left_out = std::count(fit.row_used.begin(), fit.row_used.end(), false);
  std::string text;
  if (const auto n = count(Severity::serious); n > 0)
    text = fmt::format("{} serious finding{}: read them below before using the model.", n, n > 1 ? "s" : "");
  else if (const auto w = count(Severity::warning); w > 0)
    text = fmt::format("{} warning{} about the data or the fit, see Findings.", w, w > 1 ? "s" : "");
  else
    text = "Nothing speaks against the data.";
  if (left_out > 0) text += fmt::format(" {} of {} map rows took no part.", left_out, fit.row_used.size());
  return text;
}

std::vector<RigLoop> loops_at_middle_frequency(const MapView& view, const ElastomerFitResult& fit) {
  RigOptions options;
  options.frequencies_hz = {view.frequencies.empty() ? 10.0 : view.frequencies[view.frequencies.size() / 2]};
  options.amplitudes_m = view.amplitudes.empty() ? std::vector<double>{1e-4, 1e-3} : view.amplitudes;
  options.preloads_n = {view.preloads.empty() ? 0.0 : view.preloads.front()};
  options.samples_per_cycle = 200;
  options.measured_cycles = 1;
  return run_rig(*make_mount(fit.law), options).loops;
}

void add_parameters(Document& d, const ElastomerFitResult& fit) {
  auto& section = d.section("Parameters").named("parameters");
  section.add(parameter_table(fit.parameters));
  add_correlation(section, fit.not_told_apart, fit.correlation_names, fit.correlation);
}

}  // namespace

Document elastomer_report(const std::string& title, const ElastomerData& data, const ElastomerFitResult& fit,
                          const TrustResult& trust) {
  MapView view(data.map);
  if (fit.row_used.size() == view.used.size()) view.used = fit.row_used;
  const bool loop = fit.criterion == Criterion::loop;
  Document d{
      .title = title,
      .subtitle = fmt::format("Elastomer model, {} friction, {} criterion",
                              fit.law.law == FrictionLaw::masing ? "Masing" : "g4", loop ? "loop" : "first-harmonic")};
  const std::vector<Misfit> met = misfits(data, fit);
  add_key_figures(d, fit, axis_display(fit.axis), met);
  d.section("Verdict").named("verdict").add(
      Text{how_well(fit, met) + "\n\n" + how_certain(fit) + "\n\n" + how_sound(fit)});
  add_parameters(d, fit);

  const ModelResponse model = [&](double f, double a, double preload) {
    const SteadyResponse r = steady_response(fit.law, f, a, static_displacement(fit.law, preload));
    return loop ? ModelPoint{r.k_dyn_loop, r.loss_angle_loop} : ModelPoint{r.k_dyn, r.loss_angle};
  };
  if (!data.map.rows.empty())
    for (std::size_t p = 0; p < view.preloads.size(); ++p)
      d.section(view.preloads.size() > 1 ? "Dynamic stiffness at preload " + view.preload_name(p) : "Dynamic stiffness",
                "Markers are measured, lines are the model at the amplitudes achieved.")
          .named("map")
          .add(over_frequency(view, p, model))
          .add(over_amplitude(view, p, model));
  if (!data.loops.empty()) {
    auto& section =
        d.section("Static loop", "Slow loading and unloading; the width of the loop is friction.").named("static");
    for (std::size_t i = 0; i < data.loops.size(); ++i) section.add(static_plots(data.loops[i], fit.loop_model[i]));
  }
  if (!data.series.empty()) {
    auto& section = d.section("Transient", "The model follows the measured displacement from rest.").named("transient");
    for (std::size_t i = 0; i < data.series.size(); ++i) section.add(series_plots(data.series[i], fit.series_model[i]));
  }
  d.section("Force-displacement loops", "What the model does over one cycle.")
      .named("loops")
      .add(loop_plots(loops_at_middle_frequency(view, fit), axis_display(fit.axis),
                      [&](double u) { return fit.law.static_force(u); }));
  auto& use =
      d.section("Use of the model", "Tried on the virtual rig; where it holds; what to measure next.").named("use");
  use.add(trust_table(data.map, trust, axis_display(fit.axis)));
  std::string next;
  for (const Advice& a : fit.advice) next += a.words + ".\n\n";
  if (!next.empty()) use.add(Text{next});
  d.section("Findings", "What the data doctor and the fit noticed.")
      .add(Findings{.findings = fit.findings, .when_empty = "Nothing unusual in the data."});
  return d;
}

}  // namespace kdyn::app
