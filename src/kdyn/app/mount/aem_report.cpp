// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/mount/active_mount_display.hpp"
#include "kdyn/app/mount/active_mount_jobs.hpp"
#include "kdyn/app/present/display.hpp"

namespace kdyn::app {
namespace {

using namespace report;
using C = std::complex<double>;

// Magnitude and phase of one path for several states of service.
PlotRow bode(const std::vector<ServiceResponse>& states, ActivePath path, const char* group_label) {
  Plot gain{.title = fmt::format("{} magnitude", to_string(path)),
            .x = {"Frequency", "Hz", true},
            .y = {"Magnitude", magnitude_unit(path), true}};
  gain.group_label = group_label;
  Plot phase{.title = fmt::format("{} phase", to_string(path)), .x = {"Frequency", "Hz", true}, .y = {"Phase", "deg"}};
  phase.group_label = group_label;
  const std::vector<double> f = log_grid(1.0, 400.0, 241);
  for (std::size_t g = 0; g < states.size(); ++g) {
    std::vector<C> H;
    Series a{.name = g == 0 ? "nominal" : "in service",
             .style = g == 0 ? SeriesStyle::line : SeriesStyle::dashed_line,
             .x = f,
             .group = static_cast<int>(g)};
    for (const double one : f) {
      H.push_back(plain(active_responses(states[g].law, one)[static_cast<std::size_t>(path)]));
      a.y.push_back(std::abs(H.back()) * magnitude_factor(path));
    }
    Series p = a;
    p.y = unwrapped_deg(H);
    gain.groups.push_back(states[g].name);
    phase.groups.push_back(states[g].name);
    gain.series.push_back(std::move(a));
    phase.series.push_back(std::move(p));
  }
  gain.caption = path_meaning(path);
  return {{gain, phase}, 0, true};
}

// Poles and zeros in the upper half of the s plane; real roots lie on the axis. Fast relaxations far to the left would
// hide the rest.
PlotRow pole_zero_plot(const ActiveAnalysis& a) {
  const auto whole = [](Plot& plot, double left, double top) {
    plot.x.lower = left;
    plot.x.upper = 0.06 * -left;
    plot.y.lower = 0.0;
    plot.y.upper = top;
  };
  Plot nominal{.title = "Nominal mount", .x = {"Real part", "1/s"}, .y = {"Imaginary part", "Hz"}};
  nominal.group_label = "Root";
  double left = -100.0, top = 100.0;
  const auto add = [&](Plot& plot, const std::string& name, const std::vector<Root>& roots, int group) {
    Series s{.name = name, .style = SeriesStyle::markers, .group = group};
    for (const Root& r : roots) {
      s.x.push_back(r.s.real());
      s.y.push_back(r.s.imag() / (2.0 * std::numbers::pi));
      s.hover.push_back(fmt::format("{:.2f} Hz, damping {:.3f}", r.frequency_hz, r.damping));
      if (r.s.imag() > 0.0) left = std::min(left, 1.25 * r.s.real());
      top = std::max(top, 1.1 * s.y.back());
    }
    plot.series.push_back(std::move(s));
  };
  const std::array<std::string, 4> names = {"poles", "zeros of S_x", "zeros of S_y", "zeros of P_yx"};
  nominal.groups.assign(names.begin(), names.end());
  add(nominal, names[0], a.poles, 0);
  add(nominal, names[1], a.zeros[static_cast<std::size_t>(ActivePath::S_x)], 1);
  add(nominal, names[2], a.zeros[static_cast<std::size_t>(ActivePath::S_y)], 2);
  add(nominal, names[3], a.zeros[static_cast<std::size_t>(ActivePath::P_yx)], 3);
  for (const Root& r : a.poles)
    if (r.s.imag() == 0.0) left = std::min(left, 1.15 * r.s.real());
  Plot fan{.title = "Poles over temperature", .x = nominal.x, .y = nominal.y};
  fan.group_label = "Temperature";
  for (std::size_t i = 0; i < a.temperatures.size(); ++i) {
    fan.groups.push_back(a.temperatures[i].name);
    add(fan, "poles", a.temperatures[i].poles, static_cast<int>(i));
  }
  whole(nominal, left, top);
  whole(fan, left, top);
  nominal.caption =
      "Roots with positive imaginary part stand for the pair; real roots lie on the axis. Relaxation zeros further "
      "left are in the table.";
  fan.caption = "The pair near the top is the actuator, the one near the origin the fluid in the track.";
  return {{nominal, fan}, 0, false};
}

Table root_table(const ActiveAnalysis& a) {
  const ServiceResponse& n = a.temperatures.front();
  Table t{.columns = {{"Root"},
                      {"Frequency", "Hz", Align::right, 5},
                      {"Damping", "", Align::right, 3},
                      {"Real part", "1/s", Align::right, 5},
                      {"Imaginary part", "rad/s", Align::right, 5},
                      {"Rule of thumb", "Hz", Align::right, 5},
                      {"Corrected rule", "Hz", Align::right, 5}}};
  const auto row = [&](const std::string& name, const Root& r, Value rule, Value corrected) {
    t.rows.push_back(
        {{name, r.frequency_hz, r.damping, r.s.real(), r.s.imag(), std::move(rule), std::move(corrected)}});
  };
  for (std::size_t i = 0; i < n.poles.size(); ++i) {
    const std::string name = pole_name(n.poles, i, n.law);
    row("pole: " + name, n.poles[i],
        name == "fluid"      ? Value(n.approximate.fluid_pole_hz)
        : name == "actuator" ? Value(n.approximate.actuator_pole_hz)
                             : Value(),
        name == "actuator" ? Value(n.corrected.actuator_pole_hz) : Value());
  }
  for (const ActivePath path : {ActivePath::S_x, ActivePath::S_y, ActivePath::P_yx, ActivePath::P_xx}) {
    std::size_t pair = 0;
    for (const Root& r : a.zeros[static_cast<std::size_t>(path)]) {
      const bool complex = r.s.imag() > 0.0;
      Value rule, corrected;
      if (complex && path == ActivePath::S_y && pair == 0)
        rule = n.approximate.S_y_zero_hz, corrected = n.corrected.S_y_zero_hz;
      if (complex && path == ActivePath::P_yx)
        rule = pair == 0 ? n.approximate.P_yx_zero_2_hz : n.approximate.P_yx_zero_1_hz;
      pair += complex;
      row(fmt::format("zero of {}", to_string(path)), r, rule, corrected);
    }
  }
  t.note =
      "Rules of thumb are undamped (paper, 36-42): they miss the stiffening of the bulge and the coil's back-EMF. The "
      "corrected rule takes both at "
      "the root's own frequency.";
  return t;
}

PlotRow envelope_plots(const ActiveAnalysis& a) {
  PlotRow row;
  row.link_x = true;
  for (const ActivePath path : {ActivePath::S_x, ActivePath::S_y}) {
    Plot plot{.title = fmt::format("Phase spread of {}", to_string(path)),
              .x = {"Frequency", "Hz"},
              .y = {"Largest minus smallest phase", "deg"}};
    plot.y.lower = 0.0;
    for (const PhaseEnvelope& e : a.envelopes) {
      if (e.path != path) continue;
      Series s{.name = to_string(e.rule), .x = e.frequency_hz};
      for (std::size_t i = 0; i < e.frequency_hz.size(); ++i) s.y.push_back(e.width(i));
      plot.series.push_back(std::move(s));
    }
    row.plots.push_back(std::move(plot));
  }
  return row;
}

Table envelope_table(const ActiveAnalysis& a) {
  Table t{.columns = {{"Rule"},
                      {"Meaning"},
                      {"Variants"},
                      {"S_x", "deg", Align::right, 4},
                      {"at", "Hz", Align::right, 4},
                      {"S_y", "deg", Align::right, 4},
                      {"at", "Hz", Align::right, 4}}};
  for (std::size_t i = 0; i + 1 < a.envelopes.size(); i += 2) {
    const PhaseEnvelope &x = a.envelopes[i], &y = a.envelopes[i + 1];
    t.rows.push_back({{to_string(x.rule), meaning_of(x.rule), static_cast<double>(x.variants), x.max_deg, x.at_hz,
                       y.max_deg, y.at_hz}});
  }
  t.note =
      "Widest place of the envelope in the frequency range of the analysis. A number without its rule means nothing.";
  return t;
}

// Phase limits over frequency, one colour per step, and the phase errors that temperature and preload bring.
Plot stability_chart(const AnalysisOptions& options, const ActiveAnalysis& a) {
  const char* path = options.error_signal == ErrorSignal::S_x ? "S_x" : "S_y";
  Plot plot{.title = fmt::format("Stability limits of the control loop on {}", path),
            .x = {"Frequency", "Hz"},
            .y = {"Phase error of the estimate", "deg"}};
  plot.palette = Palette::sequential;
  plot.group_label = "Step";
  plot.height_px = 420;
  for (std::size_t g = 0; g < options.steps.size(); ++g) {
    Series upper{.name = "limit", .style = SeriesStyle::line_and_markers, .group = static_cast<int>(g)}, lower = upper;
    for (const PhaseLimits& l : a.limits) {
      if (l.step != options.steps[g]) continue;
      upper.x.push_back(l.frequency_hz);
      lower.x.push_back(l.frequency_hz);
      const double gap = std::numeric_limits<double>::quiet_NaN();
      upper.y.push_back(l.stable_without_error ? l.plus_deg : gap);
      lower.y.push_back(l.stable_without_error ? l.minus_deg : gap);
    }
    plot.groups.push_back(format_number(options.steps[g], 3));
    plot.series.push_back(std::move(upper));
    plot.series.push_back(std::move(lower));
  }
  for (const PhaseEnvelope& e : a.envelopes) {
    if (e.rule != CombinationRule::temperature_x_preload || std::string_view(to_string(e.path)) != path) continue;
    // An estimate from the nominal mount errs by minus the mount's own change of phase.
    Series band{.name = "phase errors in service",
                .style = SeriesStyle::dashed_line,
                .x = e.frequency_hz,
                .group = static_cast<int>(options.steps.size())};
    Series other = band;
    for (std::size_t i = 0; i < e.frequency_hz.size(); ++i) {
      band.y.push_back(-e.lower_deg[i]);
      other.y.push_back(-e.upper_deg[i]);
    }
    plot.groups.push_back("temperature x preload");
    plot.series.push_back(std::move(band));
    plot.series.push_back(std::move(other));
  }
  plot.caption =
      "Between the two lines of a step the loop converges. A gap: unstable even with an exact estimate. Dashed: errors "
      "of a nominal estimate over "
      "temperature and preload.";
  return plot;
}

Plot largest_step_plot(const ActiveAnalysis& a) {
  Plot plot{
      .title = "Largest stable step with an exact estimate", .x = {"Frequency", "Hz"}, .y = {"mu |S|^2", "", true}};
  plot.series.push_back({.name = "largest step",
                         .style = SeriesStyle::line_and_markers,
                         .x = a.stability_frequencies_hz,
                         .y = a.largest_steps});
  plot.height_px = 260;
  return plot;
}

Table pair_table(const AnalysisOptions& options, const ActiveAnalysis& a) {
  Table t{.title = "Estimate of one state of service, mount in another",
          .columns = {{"Step"},
                      {"Unstable at", "Hz"},
                      {"Largest spectral radius", "", Align::right, 6},
                      {"at", "Hz", Align::right, 4},
                      {"Estimate"},
                      {"Mount"},
                      {"Phase error", "deg", Align::right, 3}}};
  for (const double step : options.steps) {
    std::string where;
    const PairMargin* worst = nullptr;
    for (const PairMargin& p : a.pairs) {
      if (p.step != step) continue;
      if (!p.stable()) where += (where.empty() ? "" : ", ") + format_number(p.frequency_hz);
      if (worst == nullptr || p.radius > worst->radius) worst = &p;
    }
    if (worst == nullptr) continue;
    t.rows.push_back({{step, where.empty() ? "nowhere" : where, worst->radius, worst->frequency_hz, worst->estimate,
                       worst->plant, worst->phase_error_deg},
                      where.empty() ? Quality::good : Quality::poor});
  }
  t.note =
      "Every ordered pair among temperature x preload. The loop may lose stability at phase errors far below 90 "
      "degrees when the step is large.";
  return t;
}

PlotRow control_plots(const AnalysisOptions& options, const FxlmsResult& run) {
  Plot force{.title = "Error force", .x = {"Time", "s"}, .y = {"Force", "N"}};
  force.series.push_back({.name = "without control", .x = run.time, .y = run.error_without});
  force.series.push_back({.name = "with control", .x = run.time, .y = run.error});
  force.caption =
      fmt::format("Order {:g}, {:g} to {:g} Hz, amplitude {:g} um, step {:g}; control from {:g} s.",
                  options.control.engine_order, run.frequency_hz.front(), run.frequency_hz.back(),
                  1e6 * options.control.displacement_amplitude_m, options.control.step, options.control.control_from_s);
  Plot voltage{.title = "Voltage of the coil", .x = {"Time", "s"}, .y = {"Voltage", "V"}};
  voltage.series.push_back({.name = "voltage", .x = run.time, .y = run.voltage, .group = 2});
  voltage.height_px = 200;
  return {{force, voltage}, 1, true};
}

PlotRow voltage_plots(const ActiveAnalysis& a) {
  Plot gain{.title = "S_x at finite voltage", .x = {"Frequency", "Hz", true}, .y = {"Magnitude", "N/V", true}};
  gain.palette = Palette::sequential;
  gain.group_label = "Voltage";
  Plot fluid = gain;
  fluid.title = "Velocity of the fluid in the track";
  fluid.y = {"Velocity", "m/s", true};
  for (std::size_t g = 0; g < a.voltages.size(); ++g) {
    const VoltageResponse& v = a.voltages[g];
    Series k{.name = "first harmonic", .x = v.frequency_hz, .group = static_cast<int>(g)}, w = k;
    for (std::size_t i = 0; i < v.states.size(); ++i) {
      k.y.push_back(std::abs(v.states[i].force_x));
      w.y.push_back(v.states[i].amplitude_K * 2.0 * std::numbers::pi * v.frequency_hz[i]);
    }
    gain.groups.push_back(format_number(v.voltage, 3) + " V");
    fluid.groups.push_back(gain.groups.back());
    gain.series.push_back(std::move(k));
    fluid.series.push_back(std::move(w));
  }
  return {{gain, fluid}, 0, true};
}

}  // namespace

Document aem_report(const std::string& title, const ActiveMountModel& model, const AnalysisOptions& options,
                    const ActiveAnalysis& a) {
  Document d{.title = title,
             .subtitle = "Active engine mount: responses, poles, phase errors, stability of the control loop"};
  const ServiceResponse& n = a.temperatures.front();
  for (std::size_t i = 0; i < n.poles.size(); ++i) {
    const std::string name = pole_name(n.poles, i, n.law);
    if (name == "actuator" || name == "fluid")
      d.key_figures.push_back({.label = name == "fluid" ? "Fluid resonance" : "Actuator resonance",
                               .value = n.poles[i].frequency_hz,
                               .unit = "Hz",
                               .note = fmt::format("damping {:.3f}", n.poles[i].damping)});
  }
  const std::string_view path = options.error_signal == ErrorSignal::S_x ? "S_x" : "S_y";
  for (const PhaseEnvelope& e : a.envelopes)
    if (e.rule == CombinationRule::temperature_x_preload && path == to_string(e.path))
      d.key_figures.push_back({.label = fmt::format("Phase spread of {}", path),
                               .value = e.max_deg,
                               .unit = "deg",
                               .quality = e.max_deg < 60.0   ? Quality::good
                                          : e.max_deg < 90.0 ? Quality::fair
                                                             : Quality::poor,
                               .note = fmt::format("temperature x preload, at {:g} Hz", e.at_hz),
                               .digits = 3});
  if (!a.largest_steps.empty())
    d.key_figures.push_back({.label = "Largest stable step",
                             .value = *std::min_element(a.largest_steps.begin(), a.largest_steps.end()),
                             .note = "exact estimate, worst frequency",
                             .digits = 3});
  d.key_figures.push_back(
      {.label = "Control run",
       .value = a.control.status == "done" ? Value(a.control.attenuation_db) : Value(a.control.status),
       .unit = a.control.status == "done" ? "dB" : "",
       .quality = a.control.status == "done" && a.control.attenuation_db < -6.0 ? Quality::good : Quality::poor,
       .note = "force with over without control",
       .digits = 3});
  d.section("Active responses over temperature", "What the controller sees: the path from voltage to force.")
      .named("active_responses")
      .add(bode(a.temperatures, ActivePath::S_y, "Temperature"))
      .add(bode(a.temperatures, ActivePath::S_x, "Temperature"));
  auto& passive = d.section("Passive responses",
                            "Dynamic stiffness with the coil short-circuited; the phase of P_yx is the loss angle.")
                      .named("passive_responses");
  passive.add(bode(a.temperatures, ActivePath::P_yx, "Temperature"));
  if (a.preloads.size() > 1) {
    std::vector<Block> blocks;
    for (const ActivePath p : {ActivePath::P_yx, ActivePath::S_x, ActivePath::S_y})
      blocks.push_back({bode(a.preloads, p, "Preload")});
    passive.add(Details("The same over preload", std::move(blocks)));
  }
  auto& roots = d.section("Poles and zeros", "Exact roots of the damped mount.").named("roots");
  roots.add(pole_zero_plot(a)).add(Details("All roots with the rules of thumb", std::vector<Block>{{root_table(a)}}));
  if (!a.envelopes.empty())
    d.section("Phase errors in service",
              "How far the phase of the secondary path spreads when the mount gets hot, cold, loaded or unloaded; the "
              "rule of combination decides.")
        .named("phase_errors")
        .add(envelope_plots(a))
        .add(envelope_table(a));
  d.section("Stability of the control loop", "From the spectral radius of the sampled loop, not from a 90 degree rule.")
      .named("stability")
      .add(stability_chart(options, a))
      .add(largest_step_plot(a))
      .add(pair_table(options, a));
  d.section("Control run", fmt::format("Narrowband FxLMS on an engine order, mount: {}; estimate: nominal{}.",
                                       options.plant.empty() ? "nominal" : options.plant,
                                       options.control.phase_error_deg == 0.0
                                           ? ""
                                           : fmt::format(", phase wrong by {:g} deg", options.control.phase_error_deg)))
      .named("control_run")
      .add(control_plots(options, a.control));
  d.section("Amplitude",
            model.law.dKq > 0.0 || !model.actuator_table.empty()
                ? "Quadratic fluid damping and the diaphragm's table, by describing functions."
                : "This model is linear: dKq is zero and no actuator table is given, so the curves coincide.")
      .named("amplitude")
      .add(voltage_plots(a));
  d.section("Findings").add(Findings{.findings = a.findings, .when_empty = "Nothing to report."});
  return d;
}

}  // namespace kdyn::app
