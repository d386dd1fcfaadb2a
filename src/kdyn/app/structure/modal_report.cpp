// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/structure/modal_report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/structure_plots.hpp"
#include "kdyn/base/angle.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn::app {
namespace {

using namespace report;

std::vector<double> hertz(const Eigen::VectorXd& omega) {
  std::vector<double> out;
  for (const double w : omega) out.push_back(w / two_pi);
  return out;
}

std::string channel_name(const FrfMatrix& frf, Eigen::Index column) {
  return label(frf.output_dofs[static_cast<std::size_t>(column % frf.outputs)]) + ":" +
         label(frf.input_dofs[static_cast<std::size_t>(column / frf.outputs)]);
}

std::string response_unit(const FrfMatrix& frf) {
  return frf.output_unit.empty() || frf.input_unit.empty() ? ""
                                                           : fmt::format("({})/{}", frf.output_unit, frf.input_unit);
}

std::string sentence_start(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}
std::string sentence(std::string text) { return sentence_start(std::move(text)) + "."; }

Axis band_axis(const FrfMatrix& frf) {
  return {"Frequency", "Hz", false, frf.omega[0] / two_pi, frf.omega[frf.lines() - 1] / two_pi};
}

// Poles of all orders over the mode indicator: two plots with one frequency axis.
PlotRow diagram_plots(const ModalResult& result) {
  Plot plot{.title = "Stabilisation diagram",
            .x = band_axis(result.frf),
            .y = {"Model order", "", false, 0.0, result.max_order_used + 1.0}};
  plot.height_px = 360;
  struct Kind {
    const char* name;
    bool selected;
    PoleState state;
  };
  const Kind kinds[] = {{"new", false, PoleState::fresh},
                        {"frequency stable", false, PoleState::frequency},
                        {"damping stable", false, PoleState::damping},
                        {"stable", false, PoleState::stable},
                        {"stable, of a kept mode", true, PoleState::stable}};
  std::vector<double> kept;
  for (const IdentifiedMode& mode : result.modes) kept.push_back(mode.frequency_hz);
  const auto near_mode = [&](const DiagramPole& pole) {
    return std::any_of(kept.begin(), kept.end(),
                       [&](double f) { return std::abs(frequency_hz(pole.pole) - f) < 0.004 * f; });
  };
  // The reader should see kept modes first: they have the first colour and come last, on top.
  const int colours[] = {6, 4, 5, 3, 0};
  std::vector<Series> series;
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    Series s{.name = kinds[i].name, .style = SeriesStyle::markers, .group = colours[i]};
    for (const DiagramPole& pole : result.diagram.poles) {
      const bool stable = pole.state == PoleState::stable, mine = stable && near_mode(pole);
      if (pole.state != kinds[i].state || mine != kinds[i].selected) continue;
      s.x.push_back(frequency_hz(pole.pole));
      s.y.push_back(pole.order);
      s.hover.push_back(fmt::format("damping {:.4f} %", 100.0 * damping_ratio(pole.pole)));
    }
    if (!s.x.empty()) series.push_back(std::move(s));
  }
  plot.series = std::move(series);
  plot.caption =
      "A physical mode stays in place while the order grows. Frequency, damping and shape are compared with the order "
      "below.";
  Plot indicator{
      .title = "Mode indicator", .x = plot.x, .y = {"Largest singular value", response_unit(result.frf), true}};
  indicator.height_px = 220;
  const Eigen::VectorXd values = mode_indicator(result.frf);
  indicator.series.push_back({.name = "mode indicator",
                              .style = SeriesStyle::line,
                              .x = hertz(result.frf.omega),
                              .y = {values.data(), values.data() + values.size()},
                              .group = 1});
  Series marks{.name = "kept modes", .style = SeriesStyle::markers, .group = 2};
  for (const IdentifiedMode& mode : result.modes) {
    Eigen::Index line = 0;
    (result.frf.omega.array() - two_pi * mode.frequency_hz).abs().minCoeff(&line);
    marks.x.push_back(mode.frequency_hz);
    marks.y.push_back(values[line]);
    marks.hover.push_back(fmt::format("{:.3f} Hz, damping {:.4f} %", mode.frequency_hz, 100.0 * mode.damping));
  }
  indicator.series.push_back(std::move(marks));
  return {{plot, indicator}, 1, true};
}

Table mode_table(const ModalResult& result) {
  Table table{.title = "Modes",
              .columns = {{.title = "Mode"},
                          {.title = "Frequency", .unit = "Hz", .digits = 6},
                          {.title = "±", .unit = "Hz", .digits = 2},
                          {.title = "Damping", .unit = "%"},
                          {.title = "±", .unit = "%", .digits = 2},
                          {.title = "Phase collinearity", .digits = 3},
                          {.title = "Share of response", .unit = "%", .digits = 3},
                          {.title = "Seen at orders"}}};
  for (std::size_t i = 0; i < result.modes.size(); ++i) {
    const IdentifiedMode& m = result.modes[i];
    const auto deviation = [](double value) { return value > 0.0 ? Value(value) : Value(); };
    table.rows.push_back(
        {{i + 1, m.frequency_hz, deviation(m.frequency_std_hz), 100.0 * m.damping, deviation(100.0 * m.damping_std),
          m.phase_collinearity, 100.0 * m.contribution, m.seen_orders > 0 ? Value(m.seen_orders) : Value()},
         m.phase_collinearity < 0.7 ? Quality::fair : Quality::neutral});
  }
  table.note =
      "± is one standard deviation. Share of response: norm of the mode's own response over that of the data. "
      "Shapes: " +
      result.shape_scaling + ".";
  return table;
}

// The channels that are fitted worst, median and best, and the driving point.
std::vector<Eigen::Index> shown_channels(const ModalResult& result) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(result.channel_misfit.size())), shown;
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index a, Eigen::Index b) { return result.channel_misfit[a] < result.channel_misfit[b]; });
  const auto add = [&](Eigen::Index c) {
    if (std::find(shown.begin(), shown.end(), c) == shown.end()) shown.push_back(c);
  };
  add(order.back());
  add(order[order.size() / 2]);
  add(order.front());
  return shown;
}

void add_fit(Section& section, const ModalResult& result) {
  const std::vector<double> f = hertz(result.frf.omega);
  // Between the lines as well: a sharp resonance lies between two of them.
  const Eigen::Index N = result.frf.lines();
  Eigen::VectorXd fine(4 * (N - 1) + 1);
  for (Eigen::Index k = 0; k < fine.size(); ++k)
    fine[k] = k == 4 * (N - 1) ? result.frf.omega[N - 1]
                               : result.frf.omega[k / 4] + 0.25 * static_cast<double>(k % 4) *
                                                               (result.frf.omega[k / 4 + 1] - result.frf.omega[k / 4]);
  const Eigen::MatrixXcd H = synthesise(result.fitted, fine);
  const std::vector<double> f_fine = hertz(fine);
  const auto column = [](const Eigen::MatrixXcd& A, Eigen::Index c) {
    const Eigen::VectorXcd v = A.col(c);
    return std::vector<std::complex<double>>(v.data(), v.data() + v.size());
  };
  const bool few = N <= 250;  // more markers would be a band
  const char* words[] = {"worst fitted channel", "middle channel", "best fitted channel"};
  const std::vector<Eigen::Index> shown = shown_channels(result);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Eigen::Index c = shown[i];
    section.add(bode(fmt::format("{} ({}, misfit {:.2f} %)", channel_name(result.frf, c), words[i],
                                 100.0 * result.channel_misfit[c]),
                     response_unit(result.frf),
                     {{"measured", few ? SeriesStyle::markers : SeriesStyle::line, 0, f, column(result.frf.values, c)},
                      {"identified", few ? SeriesStyle::line : SeriesStyle::dashed_line, 1, f_fine, column(H, c)}},
                     {}, ""));
  }
}

Plot misfit_plot(const ModalResult& result) {
  Plot plot{.title = "Residual over frequency",
            .x = band_axis(result.frf),
            .y = {"Norm over channels", response_unit(result.frf), true}};
  const Eigen::MatrixXcd H = synthesise(result.fitted, result.frf.omega);
  Series data{.name = "measured", .style = SeriesStyle::line, .x = hertz(result.frf.omega)},
      left{.name = "measured minus identified", .style = SeriesStyle::line, .x = data.x};
  Series noise{.name = "standard deviation as measured", .style = SeriesStyle::line, .x = data.x};
  for (Eigen::Index k = 0; k < result.frf.lines(); ++k) {
    data.y.push_back(result.frf.values.row(k).norm());
    left.y.push_back((result.frf.values.row(k) - H.row(k)).norm());
    if (result.frf.variance.size() > 0) noise.y.push_back(std::sqrt(result.frf.variance.row(k).sum()));
  }
  plot.series = {std::move(data), std::move(left)};
  if (!noise.y.empty()) plot.series.push_back(std::move(noise));
  plot.height_px = 260;
  plot.caption =
      "Where the residual lies well above the noise, the model misses something: a nonlinearity, a mode, or a change "
      "during the test.";
  return plot;
}

std::vector<std::string> mode_names(const ModalResult& result) {
  std::vector<std::string> names;
  for (const IdentifiedMode& mode : result.modes) names.push_back(fmt::format("{:.1f} Hz", mode.frequency_hz));
  return names;
}

Heatmap participation_map(const ModalResult& result) {
  Heatmap map{.title = "Participation of the inputs",
              .column_names = mode_names(result),
              .lower = 0.0,
              .upper = 1.0,
              .scale = ColourScale::sequential,
              .caption = "How well each input drives each mode; 1 for the best one."};
  for (std::size_t u = 0; u < result.frf.input_dofs.size(); ++u) {
    map.row_names.push_back(label(result.frf.input_dofs[u]));
    std::vector<double> row;
    for (const IdentifiedMode& mode : result.modes)
      row.push_back(std::abs(mode.participation[static_cast<Eigen::Index>(u)]));
    map.values.push_back(std::move(row));
  }
  return map;
}

void add_rigid_body(Document& d, const MassLine& line) {
  auto& section =
      d.section("Rigid body", fmt::format("Mass, centre of gravity and inertia about it from the mass line, "
                                          "{:.4g} to {:.4g} Hz.",
                                          line.low_hz, line.high_hz))
          .named("rigid_body");
  Table table{
      .title = "Rigid-body properties",
      .columns = {
          {.title = "Quantity"}, {.title = "Value", .digits = 5}, {.title = "±", .digits = 2}, {.title = "Unit"}}};
  for (const ParameterEstimate& p : line.parameters) {
    const bool known = std::isfinite(p.std);
    std::string name = p.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    table.rows.push_back({{sentence_start(name), known ? Value(p.value) : Value("not determined"),
                           known ? Value(p.std) : Value(), p.unit},
                          known ? Quality::neutral : Quality::fair});
  }
  table.note = fmt::format(
      "± is one standard deviation. A rigid body leaves {:.2f} % of the mass line over. Fitted to the lines: {}; the "
      "share of {} identified modes above was taken off.",
      100.0 * line.misfit, line.terms, line.elastic_modes);
  section.add(std::move(table));
  Plot plot{
      .title = "Mass line of each channel", .x = {"Fitted rigid body", "1/kg"}, .y = {"Measured constant", "1/kg"}};
  Series points{.name = "channels", .style = SeriesStyle::markers};
  Series equal{.name = "equal", .style = SeriesStyle::line, .group = 1};
  const double most = std::max(line.fitted.cwiseAbs().maxCoeff(), line.measured.cwiseAbs().maxCoeff());
  equal.x = equal.y = {-most, most};
  for (Eigen::Index c = 0; c < line.fitted.size(); ++c) {
    points.x.push_back(line.fitted[c]), points.y.push_back(line.measured[c]);
    points.hover.push_back(line.channels[static_cast<std::size_t>(c)]);
  }
  plot.series = {std::move(equal), std::move(points)};
  plot.height_px = 320;
  plot.caption = "A channel off the line does not move with the rigid body: its factor, direction or point is wrong.";
  section.add(std::move(plot));
}

}  // namespace

Document modal_report(const std::string& title, const ModalResult& result, const ModalOptions& options,
                      const ModeSet& modes, const std::optional<MassLine>& rigid_body) {
  const std::vector<double> f = hertz(result.frf.omega);
  Document d{.title = title,
             .subtitle = fmt::format("Modal identification, {:.4g} to {:.4g} Hz, {} outputs, {} inputs", f.front(),
                                     f.back(), result.frf.outputs, result.frf.inputs)};
  d.key_figures.push_back({.label = "Modes",
                           .value = result.modes.size(),
                           .quality = result.modes.empty() ? Quality::poor : Quality::neutral,
                           .note = fmt::format("{:.4g} to {:.4g} Hz", f.front(), f.back())});
  d.key_figures.push_back(
      {.label = "Misfit",
       .value = 100.0 * result.misfit,
       .unit = "%",
       .quality = judge(result.misfit, 0.06, 0.15),
       .note = fmt::format("{:.3g} % without residual poles", 100.0 * result.misfit_without_residuals),
       .digits = 3});
  d.key_figures.push_back(
      {.label = "Model order",
       .value = result.state_space.A.rows(),
       .note = result.exact_order > 0 ? "exact data of a finite system" : "states, residual ones included"});
  if (!result.modes.empty()) {
    const auto [low, high] = std::minmax_element(result.modes.begin(), result.modes.end(),
                                                 [](const auto& a, const auto& b) { return a.damping < b.damping; });
    d.key_figures.push_back({.label = "Damping",
                             .value = fmt::format("{:.3g} – {:.3g} %", 100.0 * low->damping, 100.0 * high->damping),
                             .note = "all poles are stable"});
  }
  d.key_figures.push_back({.label = "Computed in", .value = result.seconds, .unit = "s", .digits = 2});

  d.section("Modes", sentence(result.reason)).named("modes").add(mode_table(result));
  report::Animation moving = animation(modes, "Mode shapes", modes.dofs, modes.complex_shapes);
  if (!moving.shapes.empty()) {
    moving.caption =
        "Drag to turn, Ctrl and wheel to zoom. Dots are sensors; the dashed frame is at rest. Colour: how much a part "
        "moves.";
    d.section("Mode shapes", "As measured, on the wire frame of the test.").named("shapes").add(std::move(moving));
  }
  if (!result.diagram.poles.empty())
    d.section("Stabilisation", "Where the poles come from.").named("stabilisation").add(diagram_plots(result));
  auto& fit = d.section("Measured against identified",
                        "Measured responses and those of the identified model, which is drawn between the lines of the "
                        "measurement as well.")
                  .named("fit");
  if (!result.modes.empty()) {
    add_fit(fit, result);
    fit.add(misfit_plot(result));
  }
  if (result.modes.size() > 1) {
    auto& shapes =
        d.section("Shapes compared",
                  "Auto-MAC: large values off the diagonal mean that the sensors cannot tell two modes apart.")
            .named("mac");
    shapes.add(mac_map("Auto-MAC", result.auto_mac, mode_names(result), mode_names(result), ""));
    if (result.frf.inputs > 1) shapes.add(participation_map(result));
  }
  if (rigid_body) add_rigid_body(d, *rigid_body);
  if (!result.dropped.empty()) {
    Table table{.title = "Candidates that were not kept",
                .columns = {{.title = "Frequency", .unit = "Hz", .digits = 6},
                            {.title = "Damping", .unit = "%"},
                            {.title = "Why"}},
                .note = "Keep one with add_hz, choose all by hand with select_hz."};
    for (const DroppedCandidate& c : result.dropped)
      table.rows.push_back({{c.frequency_hz, 100.0 * c.damping, c.reason}, Quality::neutral});
    d.section("Not kept")
        .add(Details("Candidates that were not kept, and why", std::vector<Block>{Block{std::move(table)}}));
  }
  const char* weighting[] = {"none (every sample by its value)", "relative (1/|H|^2)", "measured covariance"};
  d.section("Findings")
      .add(Findings{.findings = result.findings, .when_empty = "Nothing unusual."})
      .add(Text{fmt::format("Weighting of the fit: {}. Method: {}.", weighting[static_cast<int>(options.weighting)],
                            options.method == IdentifyMethod::lscf ? "LSCF with LSFD" : "frequency-domain subspace")});
  return d;
}

}  // namespace kdyn::app
