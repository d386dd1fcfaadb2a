// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>

#include <fmt/format.h>

#include "kdyn/app/mount/active_mount_display.hpp"
#include "kdyn/app/mount/active_mount_jobs.hpp"
#include "kdyn/app/present/display.hpp"

namespace kdyn::app {

namespace {
using namespace report;
using C = std::complex<double>;
}  // namespace

std::vector<double> log_grid(double lower, double upper, int points) {
  std::vector<double> f;
  for (int i = 0; i < points; ++i) f.push_back(lower * std::pow(upper / lower, i / (points - 1.0)));
  return f;
}

std::vector<double> unwrapped_deg(const std::vector<std::complex<double>>& H) {
  std::vector<double> phase;
  for (const std::complex<double>& h : H) {
    double p = std::arg(h) / degree;
    if (!phase.empty()) p += 360.0 * std::round((phase.back() - p) / 360.0);
    phase.push_back(p);
  }
  return phase;
}

double magnitude_factor(ActivePath path) { return is_passive(path) ? 1e-3 : 1.0; }
const char* magnitude_unit(ActivePath path) { return is_passive(path) ? "N/mm" : "N/V"; }
const char* path_meaning(ActivePath path) {
  switch (path) {
    case ActivePath::P_xx: return "Passive, engine side";
    case ActivePath::P_yx: return "Passive: force on the chassis per displacement";
    case ActivePath::S_x: return "Active: force on the engine per volt";
    case ActivePath::S_y: return "Active: force on the chassis per volt";
  }
  return "";
}

Document active_fit_report(const std::string& title, const std::vector<ActiveFrfPoint>& points,
                           const ActiveMountFitResult& fit) {
  Document d{.title = title, .subtitle = "Active mount identified from frequency responses"};
  d.key_figures.push_back(
      {.label = "Status", .value = fit.status, .quality = fit.status == "converged" ? Quality::good : Quality::poor});
  d.key_figures.push_back({.label = "Magnitude misfit",
                           .value = 100.0 * fit.rms_gain_rel,
                           .unit = "%",
                           .quality = judge(fit.rms_gain_rel, 0.03, 0.1),
                           .note = "rms",
                           .digits = 3});
  d.key_figures.push_back({.label = "Phase misfit",
                           .value = fit.rms_phase / degree,
                           .unit = "deg",
                           .quality = judge(fit.rms_phase / degree, 2.0, 5.0),
                           .note = "rms",
                           .digits = 3});
  d.key_figures.push_back({.label = "Fitted in", .value = 1e3 * fit.seconds, .unit = "ms", .digits = 3});
  auto& section = d.section("Frequency responses", "Markers are measured, lines are the model.").named("responses");
  for (const auto& misfit : fit.paths) {
    const ActivePath path = misfit.path;
    Plot gain{.title = fmt::format("{} magnitude", to_string(path)),
              .x = {"Frequency", "Hz", true},
              .y = {"Magnitude", magnitude_unit(path), true}};
    Plot phase{.title = fmt::format("{} phase", to_string(path)), .x = gain.x, .y = {"Phase", "deg"}};
    Series mg{.name = "measured", .style = SeriesStyle::markers}, mp = mg;
    double lower = 1e300, upper = 0.0;
    for (const ActiveFrfPoint& p : points)
      if (p.path == path) lower = std::min(lower, p.frequency_hz), upper = std::max(upper, p.frequency_hz);
    Series g{.name = "model", .x = log_grid(lower, std::max(upper, 1.001 * lower), 201)};
    std::vector<C> H;
    for (const double f : g.x) {
      H.push_back(plain(active_responses(fit.law, f)[static_cast<std::size_t>(path)]));
      g.y.push_back(std::abs(H.back()) * magnitude_factor(path));
    }
    Series p = g;
    p.y = unwrapped_deg(H);
    for (const ActiveFrfPoint& point : points) {
      if (point.path != path) continue;
      mg.x.push_back(point.frequency_hz);
      mg.y.push_back(std::abs(point.value) * magnitude_factor(path));
      mg.hover.push_back(point.line > 0 ? fmt::format("line {}", point.line) : "");
      // On the same branch as the model's unwrapped phase there.
      const auto near = static_cast<std::size_t>(std::min<double>(
          200.0, std::round(200.0 * std::log(point.frequency_hz / lower) / std::log(g.x.back() / lower))));
      const double angle = std::arg(point.value) / degree;
      mp.x.push_back(point.frequency_hz);
      mp.y.push_back(angle + 360.0 * std::round((p.y[near] - angle) / 360.0));
    }
    mp.hover = mg.hover;
    gain.series = {mg, g};
    phase.series = {mp, p};
    gain.caption = fmt::format("{}; misfit {:.2g} % and {:.2g} deg over {} points.", path_meaning(path),
                               100.0 * misfit.rms_gain_rel, misfit.rms_phase / degree, misfit.points);
    section.add(PlotRow{{gain, phase}, 0, true});
  }
  auto& parameters = d.section("Parameters").named("parameters");
  parameters.add(parameter_table(fit.parameters));
  if (fit.correlation.rows() > 1) {
    Heatmap map{.title = "Correlation of the estimates",
                .row_names = fit.correlation_names,
                .column_names = fit.correlation_names};
    for (Eigen::Index i = 0; i < fit.correlation.rows(); ++i) {
      std::vector<double> row;
      for (Eigen::Index j = 0; j < fit.correlation.cols(); ++j) row.push_back(fit.correlation(i, j));
      map.values.push_back(std::move(row));
    }
    map.caption = "Near +1 or -1: the data cannot tell the two apart.";
    parameters.add(std::move(map));
  }
  if (!fit.not_told_apart.empty()) {
    std::string text;
    for (const std::string& sentence : fit.not_told_apart) text += sentence + ".\n\n";
    parameters.add(Text{text});
  }
  d.section("Findings", "What was noticed.")
      .add(Findings{.findings = fit.findings, .when_empty = "Nothing unusual in the data."});
  return d;
}

}  // namespace kdyn::app
