// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/signal/cycles.hpp"
#include "study.hpp"

namespace four_poster {
namespace {

using namespace kdyn::report;

constexpr std::size_t reference = 2;  // the nonlinear mounts

double percent(double value, double of) { return 100.0 * (value / of - 1.0); }

Quality judge(double deviation_percent, double good, double fair) {
  const double size = std::abs(deviation_percent);
  return size < good ? Quality::good : size < fair ? Quality::fair : Quality::poor;
}

// Every road, every model: deviation from the nonlinear mounts. What a reader takes away in one look.
Table overview(const Truck& truck, const Study& study) {
  Table table{.title = "How far the simpler models are from the nonlinear mounts"};
  table.columns = {{"Road"},
                   {"Mount model"},
                   {"Seat, Wk", "%", Align::right, 3},
                   {"Cab floor, Wk", "%", Align::right, 3},
                   {"Powertrain rms", "%", Align::right, 3},
                   {"Damage, " + truck.mounts[0].name, "ratio", Align::right, 3},
                   {"Damage, " + truck.mounts[4].name, "ratio", Align::right, 3},
                   {"Travel of the cab mount", "mm rms", Align::right, 2}};
  for (std::size_t r = 0; r < study.roads.size(); ++r) {
    const Result& truth = study.results[r][reference];
    for (std::size_t k = 0; k < reference; ++k) {
      const Result& x = study.results[r][k];
      Row row{{study.roads[r].name, to_string(all_kinds[k]), percent(x.seat, truth.seat), percent(x.floor, truth.floor),
               percent(x.powertrain, truth.powertrain), x.damage[0] / truth.damage[0], x.damage[4] / truth.damage[4], 1e3 * truth.travel_rms[0]}};
      const double worst = std::max({std::abs(percent(x.floor, truth.floor)), std::abs(percent(x.powertrain, truth.powertrain))});
      const double damage = std::max(std::abs(std::log(x.damage[0] / truth.damage[0])), std::abs(std::log(x.damage[4] / truth.damage[4])));
      row.quality = worst < 5.0 && damage < std::log(1.5) ? Quality::good : worst < 15.0 && damage < std::log(2.5) ? Quality::fair : Quality::poor;
      table.rows.push_back(std::move(row));
    }
  }
  table.note =
      "Green: within 5 % of comfort and a factor 1.5 of damage, as close as the scatter of parts. Damage of the mount force, rainflow, exponent 5.";
  return table;
}

Table values(const Study& study) {
  Table table{.title = "Values"};
  table.columns = {{"Road"},
                   {"Mount model"},
                   {"Seat, Wk", "m/s^2", Align::right, 3},
                   {"Cab floor, Wk", "m/s^2", Align::right, 3},
                   {"Powertrain", "m/s^2", Align::right, 3},
                   {"Energy balance", "", Align::right, 2}};
  for (std::size_t r = 0; r < study.roads.size(); ++r)
    for (std::size_t k = 0; k < study.results[r].size(); ++k) {
      const Result& x = study.results[r][k];
      table.rows.push_back({{study.roads[r].name, to_string(all_kinds[k]), x.seat, x.floor, x.powertrain, x.run.imbalance}});
    }
  table.note = "Energy balance: what is missing of the work of the posters, relative.";
  return table;
}

Plot spectrum(const std::string& title, const Study& study, std::size_t road, const kdyn::Psd Result::*which) {
  Plot plot{.title = title, .x = {"Frequency", "Hz", false, 0.0, 40.0}, .y = {"Density", "(m/s^2)^2/Hz", true}};
  plot.height_px = 300;
  for (std::size_t k = 0; k < study.results[road].size(); ++k) {
    const kdyn::Psd& psd = study.results[road][k].*which;
    Series s{.name = to_string(all_kinds[k]), .style = k == reference ? SeriesStyle::line : SeriesStyle::dashed_line, .group = static_cast<int>(k)};
    for (std::size_t i = 1; i < psd.frequency_hz.size() && psd.frequency_hz[i] <= 40.0; ++i)
      s.x.push_back(psd.frequency_hz[i]), s.y.push_back(psd.density[i]);
    plot.series.push_back(std::move(s));
  }
  return plot;
}

Plot ranges(const Study& study, std::size_t road, std::size_t mount, const std::string& name) {
  Plot plot{.title = "Rainflow ranges, " + name, .x = {"Cycles with at least this range", "", true}, .y = {"Range", "N"}};
  plot.height_px = 300;
  for (std::size_t k = 0; k < study.results[road].size(); ++k) {
    const auto r = kdyn::cumulative_ranges(kdyn::rainflow(kdyn::turning_points(study.results[road][k].run.mount_force[mount])));
    plot.series.push_back({.name = to_string(all_kinds[k]),
                           .style = k == reference ? SeriesStyle::line : SeriesStyle::dashed_line,
                           .x = r.cumulative,
                           .y = r.range,
                           .group = static_cast<int>(k)});
  }
  return plot;
}

Plot loop(const Study& study, std::size_t road, std::size_t mount, const std::string& name) {
  // Half a second around the largest travel.
  const auto& travel = study.results[road][reference].run.mount_travel[mount];
  const auto at = std::max_element(travel.begin(), travel.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) - travel.begin();
  const auto half = static_cast<std::ptrdiff_t>(0.25 / study.results[road][reference].run.interval);
  const std::ptrdiff_t from = std::max<std::ptrdiff_t>(0, at - half),
                       to = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(travel.size()), at + half);
  Plot plot{.title = "Force over travel, " + name, .x = {"Travel", "mm"}, .y = {"Force", "N"}};
  plot.height_px = 300;
  for (std::size_t k = 0; k < study.results[road].size(); ++k) {
    const Run& run = study.results[road][k].run;
    Series s{.name = to_string(all_kinds[k]), .style = k == reference ? SeriesStyle::line : SeriesStyle::dashed_line, .group = static_cast<int>(k)};
    for (std::ptrdiff_t i = from; i < to; ++i)
      s.x.push_back(1e3 * run.mount_travel[mount][static_cast<std::size_t>(i)]), s.y.push_back(run.mount_force[mount][static_cast<std::size_t>(i)]);
    plot.series.push_back(std::move(s));
  }
  plot.caption = "Half a second around the largest travel, about the static load.";
  return plot;
}

struct Spread {
  double mean = 0.0, std = 0.0;
};
Spread spread(const std::vector<double>& x) {
  Spread s;
  for (const double v : x) s.mean += v / static_cast<double>(x.size());
  for (const double v : x) s.std += (v - s.mean) * (v - s.mean) / static_cast<double>(std::max<std::size_t>(1, x.size() - 1));
  s.std = std::sqrt(s.std);
  return s;
}

Table scatter_table(const Study& study) {
  Table table{.title = "Scatter of parts against choice of model"};
  table.columns = {{"Road"},
                   {"Cab floor, scatter of parts", "% std", Align::right, 2},
                   {"spring-damper", "% off", Align::right, 3},
                   {"linear", "% off", Align::right, 3},
                   {"Damage, scatter", "% std", Align::right, 2},
                   {"spring-damper", "ratio", Align::right, 3},
                   {"linear", "ratio", Align::right, 3}};
  for (std::size_t r = 0; r < study.roads.size(); ++r) {
    const Result& truth = study.results[r][reference];
    const Spread floor = spread(study.scatter_seat[r]), damage = spread(study.scatter_damage[r]);
    table.rows.push_back({{study.roads[r].name, 100.0 * floor.std / floor.mean, percent(study.results[r][0].floor, truth.floor),
                           percent(study.results[r][1].floor, truth.floor), 100.0 * damage.std / damage.mean,
                           study.results[r][0].damage[0] / truth.damage[0], study.results[r][1].damage[0] / truth.damage[0]}});
  }
  table.note = "Where the model is off by more than the parts scatter, the model decides what the simulation says.";
  return table;
}

std::string verdict(const Study& study) {
  std::vector<std::string> changes, same;
  std::string text;
  for (std::size_t r = 0; r < study.roads.size(); ++r) {
    const Result& truth = study.results[r][reference];
    text += fmt::format("{}: cab mounts move {:.2g} mm rms. ", study.roads[r].name, 1e3 * truth.travel_rms[0]);
    for (std::size_t k = 0; k < reference; ++k) {
      const Result& x = study.results[r][k];
      text += fmt::format("{} {:+.0f} % at the cab floor, {:+.0f} % at the powertrain, cab mount damage x {:.2g}{}",
                          k == 0 ? "Spring-damper:" : "Linear:", percent(x.floor, truth.floor), percent(x.powertrain, truth.powertrain),
                          x.damage[0] / truth.damage[0], k == 0 ? "; " : ".");
    }
    text += "\n\n";
  }
  text += "The driver's seat hardly notices: its own suspension filters what the mounts change. Cab floor, powertrain and mount loads do notice.";
  return text;
}

}  // namespace

Document study_report(const Truck& truck, const Settings& settings, const Study& study) {
  Document d{.title = "What nonlinear mounts change", .subtitle = "Truck on four posters: the same vehicle and road with three models of its mounts"};
  double floor = 0.0, damage = 1.0, least = 1e9;
  std::string where;
  for (std::size_t r = 0; r < study.roads.size(); ++r)
    for (std::size_t k = 0; k < reference; ++k) {
      const Result &x = study.results[r][k], &truth = study.results[r][reference];
      const double f = std::abs(percent(x.floor, truth.floor)), ratio = x.damage[0] / truth.damage[0];
      if (f > floor) floor = f, where = study.roads[r].name + ", " + to_string(all_kinds[k]);
      least = std::min(least, f);
      if (std::abs(std::log(ratio)) > std::abs(std::log(damage))) damage = ratio;
    }
  d.key_figures.push_back({.label = "Comfort at the cab floor, largest change",
                           .value = floor,
                           .unit = "%",
                           .quality = judge(floor, 5.0, 15.0),
                           .note = where,
                           .digits = 2});
  d.key_figures.push_back(
      {.label = "and smallest", .value = least, .unit = "%", .quality = judge(least, 5.0, 15.0), .note = "where it does not matter", .digits = 2});
  d.key_figures.push_back({.label = "Damage of a cab mount, largest change",
                           .value = damage,
                           .unit = "x",
                           .quality = damage > 0.67 && damage < 1.5 ? Quality::good : Quality::poor,
                           .note = "exponent 5",
                           .digits = 2});
  d.key_figures.push_back({.label = "Energy balance, worst of all runs",
                           .value = study.worst_imbalance,
                           .quality = study.worst_imbalance < 1e-3 ? Quality::good : Quality::poor,
                           .note = "missing share of the work of the posters",
                           .digits = 2});
  d.key_figures.push_back(
      {.label = "Simulated in",
       .value = study.seconds,
       .unit = "s",
       .note = fmt::format("{} drives of {:g} s", study.roads.size() * (3 + static_cast<std::size_t>(settings.scatter)), settings.seconds),
       .digits = 3});
  d.section("In one look", "Green: it does not matter which model is used. Red: it does.").add(overview(truck, study)).add(Text{verdict(study)});
  for (std::size_t r = 0; r < study.roads.size(); ++r) {
    auto& section = d.section(study.roads[r].name, study.roads[r].meaning);
    section.add(PlotRow{{spectrum("Seat", study, r, &Result::seat_psd), spectrum("Cab floor", study, r, &Result::floor_psd),
                         spectrum("Powertrain", study, r, &Result::powertrain_psd)},
                        0,
                        true});
    section.add(PlotRow{
        {loop(study, r, 0, truck.mounts[0].name), ranges(study, r, 0, truck.mounts[0].name), ranges(study, r, 4, truck.mounts[4].name)}, 0, false});
  }
  if (settings.scatter > 1)
    d.section("Scatter of parts", fmt::format("{} vehicles whose seven mounts each scatter by {:g} % (standard deviation), nonlinear models.",
                                              settings.scatter, 100.0 * settings.scatter_std))
        .add(scatter_table(study));
  d.section("Numbers").add(values(study));
  d.section("How it was done")
      .add(
          Text{fmt::format("Spring and damper are the mount's first harmonic at {:g} Hz and {:g} mm; the linear model is a generalised Maxwell "
                           "element that follows the mount at {:g} mm from 1 to 100 Hz; both at the static load of their "
                           "place. The nonlinear model is the mount itself, with friction, Kelvin-Voigt part and progressive static curve. Frame, "
                           "wheels, seat and road are the same in every run. Step 0.25 ms, second order.",
                           settings.layout.spring_damper_hz, 1e3 * settings.layout.spring_damper_amplitude, 1e3 * settings.layout.linear_amplitude)});
  d.provenance = {{"Cab mounts", settings.cab_mount}, {"Engine mounts", settings.engine_mount}, {"Gearbox mount", settings.gearbox_mount}};
  return d;
}

}  // namespace four_poster
