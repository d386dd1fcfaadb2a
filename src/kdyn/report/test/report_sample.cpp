// SPDX-License-Identifier: Apache-2.0
// Writes a report with every kind of block, shaped like that of an elastomer mount: report_sample <file.html>
// The browser tests (web/test) open it. The numbers are made up by simple formulas; they are no model of kdyn.
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/base/version.hpp"
#include "kdyn/report/html.hpp"

namespace {

using namespace kdyn::report;
using kdyn::RandomStream;
using kdyn::Severity;

constexpr double pi = std::numbers::pi;
const std::vector<double> amplitudes_mm{0.02, 0.05, 0.1, 0.2, 0.5, 1.0};
const std::vector<double> frequencies_hz{1, 2, 5, 10, 15, 20, 30, 40, 50, 70, 100, 130, 160, 200};

double stiffness(double frequency_hz, double amplitude_mm) {
  return 212.0 * std::pow(1.0 + frequency_hz / 3.0, 0.055) + 148.0 / (1.0 + std::pow(amplitude_mm / 0.11, 0.85));
}

double loss_angle(double frequency_hz, double amplitude_mm) {
  const double peak = std::log(amplitude_mm / 0.16);
  return 3.1 + 5.6 * std::exp(-0.42 * peak * peak) + 1.15 * std::log10(1.0 + frequency_hz);
}

std::vector<std::string> amplitude_names() {
  std::vector<std::string> names;
  for (const double amplitude : amplitudes_mm) names.push_back(fmt::format("{} mm", amplitude));
  return names;
}

template <class Law>
Plot over_frequency(std::string title, Axis y, Law law, double scatter, RandomStream& random) {
  Plot plot{.title = std::move(title), .x = {"Frequency", "Hz", true}, .y = std::move(y)};
  plot.groups = amplitude_names();
  plot.group_label = "Amplitude";
  plot.palette = Palette::sequential;
  for (int g = 0; g < static_cast<int>(amplitudes_mm.size()); ++g) {
    const double amplitude = amplitudes_mm[static_cast<std::size_t>(g)];
    Series measured{.name = "measured", .style = SeriesStyle::markers, .group = g};
    Series model{.name = "model", .style = SeriesStyle::line, .group = g};
    for (const double f : frequencies_hz) {
      measured.x.push_back(f);
      measured.y.push_back(law(f, amplitude) * (1.0 + scatter * random.normal()));
      measured.hover.push_back(fmt::format(
          "cab_mount_z.csv, line {}", 12 + measured.x.size() + static_cast<std::size_t>(g) * frequencies_hz.size()));
    }
    for (int i = 0; i <= 60; ++i) {
      const double f = std::pow(200.0, i / 60.0);
      model.x.push_back(f), model.y.push_back(law(f, amplitude));
    }
    plot.series.push_back(std::move(measured));
    plot.series.push_back(std::move(model));
  }
  return plot;
}

Plot over_amplitude(RandomStream& random) {
  Plot plot{.title = "Stiffness over amplitude", .x = {"Amplitude", "mm", true}, .y = {"Dynamic stiffness", "N/mm"}};
  plot.groups = {"1 Hz", "20 Hz", "200 Hz"};
  plot.group_label = "Frequency";
  plot.palette = Palette::sequential;
  const double frequencies[] = {1, 20, 200};
  for (int g = 0; g < 3; ++g) {
    Series measured{.name = "measured", .style = SeriesStyle::markers, .group = g};
    Series model{.name = "model", .style = SeriesStyle::line, .group = g};
    for (const double a : amplitudes_mm) {
      const double k = stiffness(frequencies[g], a) * (1.0 + 0.012 * random.normal());
      measured.x.push_back(a), measured.y.push_back(k), measured.lower.push_back(0.975 * k),
          measured.upper.push_back(1.025 * k);
    }
    for (double a = 0.015; a < 1.4; a *= 1.06) {
      const double k = stiffness(frequencies[g], a);
      model.x.push_back(a), model.y.push_back(k), model.lower.push_back(0.988 * k), model.upper.push_back(1.012 * k);
    }
    plot.series.push_back(std::move(measured));
    plot.series.push_back(std::move(model));
  }
  plot.caption = "Bars: repeatability of the bench (2.5 %). Band: 95 % confidence of the model.";
  return plot;
}

Series loop(std::string name, SeriesStyle style, int points, double amplitude_mm, int group, double noise,
            RandomStream& random) {
  Series series{.name = std::move(name), .style = style, .group = group};
  const double k = stiffness(10.0, amplitude_mm), angle = loss_angle(10.0, amplitude_mm) * pi / 180.0 * 1.6;
  for (int i = 0; i <= points; ++i) {
    const double phase = 2.0 * pi * i / points;
    series.x.push_back(amplitude_mm * std::sin(phase));
    series.y.push_back(k * amplitude_mm * std::sin(phase + angle) + noise * random.normal());
  }
  return series;
}

Plot force_loops(RandomStream& random) {
  Plot plot{.title = "Force over displacement at 10 Hz", .x = {"Displacement", "mm"}, .y = {"Force", "N"}};
  plot.groups = {"0.2 mm", "0.5 mm", "1 mm"};
  plot.group_label = "Amplitude";
  plot.palette = Palette::sequential;
  const double sizes[] = {0.2, 0.5, 1.0};
  for (int g = 0; g < 3; ++g) {
    plot.series.push_back(loop("measured", SeriesStyle::markers, 48, sizes[g], g, 1.5, random));
    plot.series.push_back(loop("model", SeriesStyle::line, 240, sizes[g], g, 0.0, random));
  }
  return plot;
}

Plot static_loop(RandomStream& random) {
  Plot plot{.title = "Static loop", .x = {"Displacement", "mm"}, .y = {"Force", "N"}};
  Series measured{.name = "measured", .style = SeriesStyle::markers, .group = 0}, model{.name = "model", .group = 1};
  for (int i = 0; i <= 400; ++i) {
    const double x = 6.0 * std::sin(2.0 * pi * i / 400.0 + 0.1), opening = 55.0 * std::cos(2.0 * pi * i / 400.0);
    const double force = 190.0 * x + 3.1 * x * x * x + opening;
    model.x.push_back(x), model.y.push_back(force);
    if (i % 8 == 0) measured.x.push_back(x), measured.y.push_back(force + 9.0 * random.normal());
  }
  plot.series = {std::move(measured), std::move(model)};
  return plot;
}

// Long on purpose: 20000 points are thinned. The gap at 2 s tests missing samples.
PlotRow transient(RandomStream& random) {
  Plot force{.title = "Transient: force", .x = {"Time", "s"}, .y = {"Force", "N"}};
  Plot residual{.title = "Residual: measured minus model", .x = {"Time", "s"}, .y = {"Force", "N"}};
  force.height_px = 280, residual.height_px = 190;
  Series measured{.name = "measured", .group = 0},
      model{.name = "model", .style = SeriesStyle::dashed_line, .group = 1}, rest{.name = "residual", .group = 6};
  for (int i = 0; i < 20000; ++i) {
    const double t = i * 2.5e-4;
    const double clean =
        420.0 * std::exp(-0.7 * t) * std::sin(2.0 * pi * 4.3 * t) + 60.0 * std::sin(2.0 * pi * 11.0 * t);
    const double noise = 7.0 * random.normal() + 18.0 * std::exp(-2.0 * t) * std::sin(2.0 * pi * 8.6 * t);
    const bool missing = i >= 8000 && i < 8120;
    measured.x.push_back(t), measured.y.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : clean + noise);
    model.x.push_back(t), model.y.push_back(clean);
    rest.x.push_back(t), rest.y.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : noise);
  }
  force.series = {std::move(measured), std::move(model)};
  residual.series = {std::move(rest)};
  return {.plots = {std::move(force), std::move(residual)}, .columns = 1, .link_x = true};
}

Plot history() {
  Plot plot{.title = "Misfit over iterations", .x = {"Iteration", ""}, .y = {"Sum of squares", "", true}};
  Series misfit{.name = "best start", .style = SeriesStyle::line_and_markers},
      other{.name = "second start", .style = SeriesStyle::line_and_markers};
  for (int i = 0; i <= 12; ++i) {
    misfit.x.push_back(i), misfit.y.push_back(0.02 + 40.0 * std::exp(-0.9 * i));
    other.x.push_back(i), other.y.push_back(0.31 + 70.0 * std::exp(-0.7 * i));
  }
  plot.series = {std::move(misfit), std::move(other)};
  return plot;
}

Table parameters() {
  Table table{.title = "Parameters"};
  table.columns = {{"Name"},
                   {"Meaning"},
                   {"Value"},
                   {"Unit"},
                   {"Lower 95 %"},
                   {"Upper 95 %"},
                   {"Deviation", "%", Align::automatic, 2},
                   {"Status"}};
  table.rows = {
      {{"k_0", "Static stiffness", 198.4, "N/mm", 196.1, 200.7, 0.59, "free"}},
      {{"k_3", "Cubic stiffness", 3.127, "N/mm³", 3.02, 3.234, 1.7, "free"}},
      {{"f_max", "Friction force at full slip", 21.63, "N", 20.9, 22.36, 1.7, "free"}},
      {{"x_2", "Displacement at half slip", 0.1142, "mm", 0.1085, 0.1199, 2.5, "free"}},
      {{"b", "Fractional coefficient", 31.88, "N s^α/mm", 28.4, 35.36, 5.5, "free"}, Quality::fair},
      {{"alpha", "Fractional order", 0.2147, "", 0.1322, 0.2972, 19.6, "free"}, Quality::poor},
      {{"m", "Moving mass", 0.412, "kg", Value(), Value(), Value(), "fixed"}},
  };
  table.note =
      "Intervals from the curvature of the sum of squares at the solution; rows are tinted when the deviation exceeds "
      "5 % and 15 %.";
  return table;
}

Heatmap correlation() {
  Heatmap map{.title = "Correlation of the free parameters"};
  map.row_names = map.column_names = {"k_0", "k_3", "f_max", "x_2", "b", "alpha"};
  map.values = {{1, -0.62, -0.18, 0.21, -0.44, 0.31},  {-0.62, 1, 0.05, -0.09, 0.12, -0.08},
                {-0.18, 0.05, 1, 0.71, -0.22, 0.16},   {0.21, -0.09, 0.71, 1, -0.28, 0.19},
                {-0.44, 0.12, -0.22, -0.28, 1, -0.96}, {0.31, -0.08, 0.16, 0.19, -0.96, 1}};
  map.caption = "b and alpha are nearly exchangeable in this data: -0.96. A wider frequency range separates them.";
  return map;
}

Findings findings() {
  return {
      .findings = {
          {Severity::note, "duplicate_rows", "cab_mount_z.csv:41",
           "2 rows have the same frequency, amplitude and preload.", "They were averaged; nothing to do."},
          {Severity::serious, "correlated_parameters", "b, alpha",
           "The correlation of b and alpha is -0.96: the data cannot tell them apart.",
           "Measure below 0.5 Hz or above 300 Hz, or fix one of them with --set fixed.alpha=0.2."},
          {Severity::warning, "outlier", "cab_mount_z.csv:57", "k_dyn at 130 Hz, 0.5 mm is 11 % above its neighbours.",
           "Check for a fixture resonance near 130 Hz; the row was kept with weight 0.4."},
          {Severity::warning, "markup", "<img src=x onerror=alert(1)>.csv",
           "A file name </script><script>alert(2)</script> is shown as text.", ""},
      }};
}

// Two plates of four faces, one above the other, joined by a post; the middle of the upper one moves.
Animation structure() {
  Animation out{.title = "Two plates"};
  for (const int level : {1, 0}) {
    const int first = static_cast<int>(out.points.size());
    AnimatedSurface& plate = out.surfaces.emplace_back(AnimatedSurface{level == 1 ? "Upper plate" : "Lower plate", {}});
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        out.points.push_back({0.5 * i, 0.5 * j, 0.3 * level});
        out.point_names.push_back(std::to_string(100 * level + 10 * j + i));
        const int here = first + 3 * j + i;
        if (i < 2) out.lines.push_back({here, here + 1});
        if (j < 2) out.lines.push_back({here, here + 3});
        if (i < 2 && j < 2) {
          plate.triangles.push_back({here, here + 1, here + 4});
          plate.triangles.push_back({here, here + 4, here + 3});
        }
      }
  }
  out.points.push_back({1.0, 1.0, 0.6});
  out.point_names.emplace_back("500");
  out.lines.push_back({8, 18});
  out.marked = {18};
  AnimatedShape shape{.name = "Mode 1: 12.5 Hz"};
  shape.real.assign(out.points.size(), {0.0, 0.0, 0.0});
  shape.real[4] = {0.0, 0.0, 2e-3};
  out.shapes = {shape};
  return out;
}

Document sample() {
  RandomStream random(7);
  Document d{.title = "Cab mount CM-12, direction z", .subtitle = "Elastomer model identified from bench data"};
  d.created = "2026-03-14 10:32 UTC";
  d.key_figures = {
      {"Misfit of dynamic stiffness", 1.834, "%", Quality::good, "root mean square, limit 3 %", 3},
      {"Misfit of loss angle", 0.421, "°", Quality::good, "root mean square, limit 0.5°", 3},
      {"Worst interval", 38.4, "%", Quality::poor, "alpha, 95 % confidence", 3},
      {"Points used", 84, "", Quality::neutral, "of 86 in 3 files"},
      {"Status", "converged", "", Quality::good, "27 iterations, 1.9 s"},
  };
  Plot stiff =
      over_frequency("Dynamic stiffness over frequency", {"Dynamic stiffness", "N/mm"}, stiffness, 0.012, random);
  stiff.height_px = 400;
  d.section("Dynamic stiffness", "Markers are measured, lines are the model. Each colour is one amplitude of the sine.")
      .add(std::move(stiff));
  d.section("Loss angle and amplitude")
      .add(PlotRow{
          {over_frequency("Loss angle over frequency", {"Loss angle", "°"}, loss_angle, 0.03, random),
           over_frequency("Stiffness over frequency", {"Dynamic stiffness", "N/mm"}, stiffness, 0.012, random)}})
      .add(over_amplitude(random));
  d.section("Loops", "Quasi-static loading and one period of a sine, in the order they were recorded.")
      .add(PlotRow{{static_loop(random)}})
      .add(force_loops(random));
  d.section("Transient", "A recorded drive signal replayed on the model.").add(transient(random));
  d.section("Parameters", "Values in the units of the table, with 95 % confidence intervals.")
      .add(parameters())
      .add(correlation());
  d.section("Findings", "What the data and the fit tell, and what to do about it.").add(findings());
  d.section("Structure").add(structure());
  d.section("Details")
      .add(Text{"The model is a chain of an elastic, a friction and a fractional Kelvin-Voigt element.\n\nThe "
                "identification minimises the relative "
                "error of the complex stiffness."})
      .add(Details{"Options of this run",
                   "{\n  \"law\": \"sample\",\n  \"weights\": {\"k_dyn\": 1, \"loss_angle\": 0.5}\n}",
                   {Block{history()}}});
  d.provenance = {{"Program", "kdyn " + kdyn::version()},
                  {"Input", "cab_mount_z.csv, sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
                  {"Seed", "7"}};
  return d;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: report_sample <file.html>\n", stderr);
    return 2;
  }
  try {
    write_html(sample(), argv[1]);
  } catch (const kdyn::Error& error) {
    std::fprintf(stderr, "report_sample: %s\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
