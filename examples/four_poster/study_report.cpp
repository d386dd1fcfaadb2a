// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/signal/cycles.hpp"
#include "study.hpp"

namespace four_poster {
namespace {

using namespace kdyn::report;

constexpr std::size_t reference = 2;  // the nonlinear mounts
constexpr double shown_hz = 40.0;
constexpr double small_percent = 5.0, large_percent = 15.0;  // does not matter; matters

double percent(double value, double of) { return 100.0 * (value / of - 1.0); }

double deviation(const Study& study, std::size_t road, std::size_t kind, std::size_t figure) {
  return percent(study.results[road][kind].value[figure], study.results[road][reference].value[figure]);
}

Quality judge(double deviation_percent) {
  const double size = std::abs(deviation_percent);
  return size < small_percent ? Quality::good : size < large_percent ? Quality::fair : Quality::poor;
}

// Standard deviation of a figure over the scattered cars, in per cent of its mean; nothing for fewer than two cars.
double scatter_percent(const Study& study, std::size_t road, std::size_t figure) {
  const auto& cars = study.scatter[road];
  if (cars.size() < 2) return std::nan("");
  double mean = 0.0, square = 0.0;
  for (const Figures& f : cars) mean += f[figure] / static_cast<double>(cars.size());
  for (const Figures& f : cars)
    square += (f[figure] - mean) * (f[figure] - mean) / static_cast<double>(cars.size() - 1);
  return 100.0 * std::sqrt(square) / mean;
}

// What a reader takes away in one look: deviation from the nonlinear mounts, every road and model.
Heatmap overview(const Study& study) {
  Heatmap map{.title = "How far the simpler models are from the nonlinear mounts, %",
              .lower = -50.0,
              .upper = 50.0,
              .decimals = 0};
  for (std::size_t r = 0; r < study.roads.size(); ++r)
    for (std::size_t k = 0; k < reference; ++k)
      map.column_names.push_back(study.roads[r].name + ": " + (k == 0 ? "spring-damper" : "linear"));
  for (std::size_t f = 0; f < figure_count; ++f) {
    map.row_names.emplace_back(figures[f].name);
    std::vector<double> row;
    for (std::size_t r = 0; r < study.roads.size(); ++r)
      for (std::size_t k = 0; k < reference; ++k)
        row.push_back(std::round(deviation(study, r, k, f)) + 0.0);  // no "-0"
    map.values.push_back(std::move(row));
  }
  map.caption = fmt::format(
      "Pale: the model does not matter. Strong colour: it does. A damage load is the amplitude of the sine that does "
      "the same "
      "damage (rainflow, exponent {:g}): +10 % load is {:+.0f} % damage.",
      damage_exponent, 100.0 * (std::pow(1.1, damage_exponent) - 1.0));
  return map;
}

std::string in_sentence(const Figure& figure) {
  std::string name = figure.name;
  name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

// Which figures any model gets right on every road, and which not.
std::string summary(const Study& study) {
  std::vector<std::string> same, matters;
  for (std::size_t f = 0; f < figure_count; ++f) {
    double worst = 0.0;
    for (std::size_t r = 0; r < study.roads.size(); ++r)
      for (std::size_t k = 0; k < reference; ++k) worst = std::max(worst, std::abs(deviation(study, r, k, f)));
    (worst < small_percent ? same : matters).push_back(in_sentence(figures[f]));
  }
  std::string text;
  if (!matters.empty()) text += "The mount model decides: " + kdyn::join(matters, ", ") + ". ";
  if (!same.empty())
    text +=
        fmt::format("It does not matter (within {:g} % on every road): ", small_percent) + kdyn::join(same, ", ") + ".";
  return text;
}

// Every figure that a model changes, in words, largest first.
std::string verdict(const Study& study) {
  std::string text;
  for (std::size_t r = 0; r < study.roads.size(); ++r) {
    const auto& travel = study.results[r][reference].travel;
    text += fmt::format("{}. Engine mounts move {:.2g} mm, subframe bushings {:.2g} mm (rms). ", study.roads[r].name,
                        1e3 * travel[0], 1e3 * travel[2]);
    for (std::size_t k = 0; k < reference; ++k) {
      std::vector<std::pair<double, std::string>> matters;
      for (std::size_t f = 0; f < figure_count; ++f)
        if (const double d = deviation(study, r, k, f); std::abs(d) >= small_percent)
          matters.emplace_back(d, fmt::format("{} {:+.0f} %", in_sentence(figures[f]), d));
      std::sort(matters.begin(), matters.end(),
                [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
      std::vector<std::string> words;
      for (const auto& [size, word] : matters) words.push_back(word);
      text += fmt::format(
          "{}: {}. ", k == 0 ? "Spring-damper mounts" : "Linear mounts",
          words.empty() ? "everything within " + fmt::format("{:g} %", small_percent) : kdyn::join(words, ", "));
    }
    text += "\n\n";
  }
  return text;
}

Plot spectrum(const std::string& title, const Study& study, std::size_t road, kdyn::Psd Result::*which,
              const std::vector<double>& low, const std::vector<double>& high) {
  Plot plot{.title = title, .x = {"Frequency", "Hz", false, 0.0, shown_hz}, .y = {"Density", "(m/s^2)^2/Hz", true}};
  plot.height_px = 360;
  for (std::size_t k = 0; k < study.results[road].size(); ++k) {
    const kdyn::Psd& psd = study.results[road][k].*which;
    Series s{.name = fmt::format("({}) {}", k + 1, to_string(all_kinds[k])),
             .style = k == reference ? SeriesStyle::line : SeriesStyle::dashed_line,
             .group = static_cast<int>(k)};
    for (std::size_t i = 1; i < psd.frequency_hz.size() && psd.frequency_hz[i] <= shown_hz; ++i) {
      s.x.push_back(psd.frequency_hz[i]), s.y.push_back(psd.density[i]);
      if (k == reference && i < low.size()) s.lower.push_back(low[i]), s.upper.push_back(high[i]);
    }
    plot.series.push_back(std::move(s));
  }
  return plot;
}

Plot ranges(const Study& study, std::size_t road, std::size_t watched, const std::string& name) {
  Plot plot{.title = "Load cycles, " + name, .x = {"Cycles with at least this range", "", true}, .y = {"Range", "N"}};
  plot.height_px = 300;
  for (std::size_t k = 0; k < study.results[road].size(); ++k) {
    const auto r =
        kdyn::cumulative_ranges(kdyn::rainflow(kdyn::turning_points(study.results[road][k].run.force[watched])));
    plot.series.push_back({.name = fmt::format("({}) {}", k + 1, to_string(all_kinds[k])),
                           .style = k == reference ? SeriesStyle::line : SeriesStyle::dashed_line,
                           .x = r.cumulative,
                           .y = r.range,
                           .group = static_cast<int>(k)});
  }
  return plot;
}

Plot loop(const Study& study, std::size_t road, std::size_t watched, const std::string& name) {
  // A quarter of a second around the largest travel.
  const auto& travel = study.results[road][reference].run.travel[watched];
  const auto at =
      std::max_element(travel.begin(), travel.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) -
      travel.begin();
  const auto half = static_cast<std::ptrdiff_t>(0.125 / study.results[road][reference].run.interval);
  const auto from = std::max<std::ptrdiff_t>(0, at - half),
             to = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(travel.size()), at + half);
  Plot plot{.title = "Force over travel, " + name, .x = {"Travel", "mm"}, .y = {"Force", "N"}};
  plot.height_px = 300;
  for (std::size_t k = 0; k < study.results[road].size(); ++k) {
    const Run& run = study.results[road][k].run;
    Series s{.name = fmt::format("({}) {}", k + 1, to_string(all_kinds[k])),
             .style = k == reference ? SeriesStyle::line : SeriesStyle::dashed_line,
             .group = static_cast<int>(k)};
    for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i)
      s.x.push_back(1e3 * run.travel[watched][i]), s.y.push_back(run.force[watched][i]);
    plot.series.push_back(std::move(s));
  }
  plot.caption = "A quarter of a second around the largest travel, about the static load.";
  return plot;
}

Table scatter_table(const Study& study) {
  Table table{.title = "Choice of model against scatter of parts"};
  table.columns = {{"Road"},
                   {"Figure"},
                   {"Scatter of parts", "% std", Align::right, 2},
                   {"Spring-damper", "% off", Align::right, 3},
                   {"Linear", "% off", Align::right, 3},
                   {"What decides"}};
  for (std::size_t r = 0; r < study.roads.size(); ++r)
    for (std::size_t f = 0; f < figure_count; ++f) {
      const double parts = scatter_percent(study, r, f), first = deviation(study, r, 0, f),
                   second = deviation(study, r, 1, f);
      const auto matters = [&](double off) { return std::abs(off) > std::max(2.0 * parts, small_percent); };
      const bool both = matters(first) && matters(second), one = matters(first) || matters(second);
      table.rows.push_back({{study.roads[r].name, figures[f].name, parts, first, second,
                             both  ? "the model"
                             : one ? fmt::format("the model, if {}", matters(first) ? "spring-damper" : "linear")
                                   : "the parts"},
                            both  ? Quality::poor
                            : one ? Quality::fair
                                  : Quality::good});
    }
  table.note = fmt::format(
      "The model decides where a simpler one is off by more than two standard deviations of the parts and by more than "
      "{:g} %.",
      small_percent);
  return table;
}

Table values(const Study& study) {
  Table table{.title = "Values"};
  table.columns = {{"Road"}, {"Mount model"}};
  for (const Figure& f : figures) table.columns.push_back({f.brief, f.unit, Align::right, 3});
  for (std::size_t r = 0; r < study.roads.size(); ++r)
    for (std::size_t k = 0; k < study.results[r].size(); ++k) {
      Row row{{study.roads[r].name, to_string(all_kinds[k])}};
      for (const double value : study.results[r][k].value) row.cells.emplace_back(value);
      table.rows.push_back(std::move(row));
    }
  table.note = fmt::format(
      "Accelerations: rms, of seat and floor weighted by Wk. Mounts: damage load, rainflow with exponent {:g}, for 1e6 "
      "cycles.",
      damage_exponent);
  return table;
}

Table energy(const Study& study) {
  Table table{.title = "Energy"};
  table.columns = {{"Road"},
                   {"Mount model"},
                   {"Work of the posters", "kJ", Align::right, 4},
                   {"Into dampers", "kJ", Align::right, 4},
                   {"Into mounts", "J", Align::right, 3},
                   {"Left", "J", Align::right, 3},
                   {"Missing share", "", Align::right, 2}};
  for (std::size_t r = 0; r < study.roads.size(); ++r)
    for (std::size_t k = 0; k < study.results[r].size(); ++k) {
      const Run& run = study.results[r][k].run;
      table.rows.push_back({{study.roads[r].name, to_string(all_kinds[k]), 1e-3 * run.work_in, 1e-3 * run.dissipated,
                             run.into_mounts, run.energy_left, run.imbalance}});
    }
  table.note = "What is missing falls with the square of the step.";
  return table;
}

void add_key_figures(Document& d, const Settings& settings, const Study& study) {
  // The largest deviation of each kind of figure, with its place.
  const auto largest = [&](const char* label, std::size_t from, std::size_t to) {
    double worst = 0.0;
    std::string where;
    for (std::size_t r = 0; r < study.roads.size(); ++r)
      for (std::size_t k = 0; k < reference; ++k)
        for (std::size_t f = from; f < to; ++f)
          if (const double x = deviation(study, r, k, f); std::abs(x) > std::abs(worst))
            worst = x, where = fmt::format("{}, {}", study.roads[r].name, to_string(all_kinds[k]));
    d.key_figures.push_back(
        {.label = label, .value = fmt::format("{:+.0f}", worst), .unit = "%", .quality = judge(worst), .note = where});
  };
  largest("Seat comfort is off by up to", 0, 1);
  largest("Powertrain vibration by up to", 2, 3);
  largest("Damage load of a mount by up to", 3, figure_count);
  d.key_figures.push_back({.label = "Energy balance, worst of all runs",
                           .value = study.worst_imbalance,
                           .quality = study.worst_imbalance < 1e-3 ? Quality::good : Quality::poor,
                           .note = "missing share of the work of the posters",
                           .digits = 2});
  d.key_figures.push_back(
      {.label = "Simulated in",
       .value = study.seconds,
       .unit = "s",
       .note = fmt::format("{} drives of {:g} s, {} rank{} with {} threads",
                           study.roads.size() * (3 + static_cast<std::size_t>(settings.scatter)), settings.seconds,
                           study.ranks, study.ranks == 1 ? "" : "s", settings.threads),
       .digits = 3});
}

}  // namespace

Document study_report(const Car& car, const Settings& settings, const Study& study) {
  Document d{.title = "What nonlinear mounts change",
             .subtitle =
                 "Car on four posters, powertrain on two hydro mounts and one elastomer mount: the same car and road "
                 "with three models of its mounts"};
  add_key_figures(d, settings, study);
  d.section("In one look", summary(study)).add(overview(study)).add(Text{verdict(study)});
  for (std::size_t r = 0; r < study.roads.size(); ++r) {
    const Study::Band& band = study.bands[r];
    auto& section = d.section(
        study.roads[r].name,
        study.roads[r].meaning + (settings.scatter > 1 ? ". Band: range of cars with scattered mounts." : "."));
    section.add(PlotRow{{spectrum("Driver seat, vertical", study, r, &Result::seat_psd, band.seat_low, band.seat_high),
                         spectrum("Powertrain, vertical", study, r, &Result::powertrain_psd, band.powertrain_low,
                                  band.powertrain_high)},
                        0,
                        true});
    section.add(PlotRow{{loop(study, r, 0, "engine mount"), ranges(study, r, 0, "engine mount"),
                         ranges(study, r, 2, "rear subframe bushing")},
                        0,
                        false});
  }
  if (settings.scatter > 1)
    d.section("Scatter of parts",
              fmt::format("{} cars whose {} mounts each scatter by {:g} % (standard deviation), nonlinear models.",
                          settings.scatter, car.mounts.size(), 100.0 * settings.scatter_std))
        .add(scatter_table(study));
  d.section("Numbers").add(values(study)).add(energy(study));
  d.section("How it was done")
      .add(Text{fmt::format("(1) Spring and damper are the mount's first harmonic at {:g} Hz and {:g} mm. (2) The "
                            "linear model follows the mount at one amplitude over "
                            "all "
                            "frequencies: elastomer mounts at {:g} mm by a generalised Maxwell element ({:.1f} % "
                            "misfit), hydro mounts at {:g} mm by rubber beside a "
                            "chamber spring in series with mass and damping of the fluid ({:.1f} % misfit). (3) The "
                            "nonlinear model is the mount itself: friction, "
                            "frequency dependence, progressive static curve, decoupler, fluid inertia and its square "
                            "damping. All at the static load of their "
                            "place.\n\n"
                            "Body, subframes, wheels, seat and road are the same in every run. Step 0.25 ms, second "
                            "order; the work of the posters is compared with "
                            "what "
                            "dampers and mounts absorb and what is left in masses and springs.",
                            settings.layout.spring_damper_hz, 1e3 * settings.layout.spring_damper_amplitude,
                            1e3 * settings.layout.linear_amplitude,
                            100.0 * std::max(study.linear_misfit[1], study.linear_misfit[2]),
                            1e3 * settings.layout.linear_hydro_amplitude, 100.0 * study.linear_misfit[0])});
  d.provenance = {{"Engine mounts", settings.engine_mount},
                  {"Gearbox mount", settings.gearbox_mount},
                  {"Subframe bushings", settings.subframe_mount}};
  return d;
}

}  // namespace four_poster
