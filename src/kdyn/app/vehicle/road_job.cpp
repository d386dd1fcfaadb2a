// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/vehicle/road_job.hpp"

#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/signal/spectrum.hpp"
#include "kdyn/vehicle/road.hpp"

namespace kdyn::app {

const FieldTable& fields_of(const RoadObstacle*) {
  using O = RoadObstacle;
  static const FieldTable table = FieldTable::of<O>("obstacle", [](FieldTable& t) {
    t.add(&O::at_s, "at_s", "s", "When the front wheels reach it").at_least(0.0);
    t.add(&O::height_m, "height_m", "m", "Height; below 0 for a pothole").range(-1.0, 1.0);
    t.add(&O::length_m, "length_m", "m", "Length along the road").above(0.0);
    t.add(&O::left, "left", "-", "Whether it lies under the left wheels");
    t.add(&O::right, "right", "-", "Whether it lies under the right wheels");
  });
  return table;
}

const FieldTable& fields_of(const RoadJob*) {
  using J = RoadJob;
  static const FieldTable table = FieldTable::of<J>("road", [](FieldTable& t) {
    t.add(&J::roughness, "roughness", "m^3",
          "Roughness of ISO 8608 at 0.1 waves a metre: class A 16e-6, B 64e-6, C 256e-6, D 1024e-6, E 4096e-6; 0 for a "
          "smooth road")
        .range(0.0, 1.0);
    t.add(&J::speed_m_s, "speed_m_s", "m/s", "Speed of the vehicle").range(0.1, 200.0);
    t.add(&J::wheelbase_m, "wheelbase_m", "m", "Distance of the axles: rear wheels meet the road later by it")
        .range(0.0, 50.0);
    t.add(&J::track_m, "track_m", "m", "Distance of left and right wheels").range(0.0, 20.0);
    t.add(&J::duration_s, "duration_s", "s", "Length").range(0.1, 36000.0);
    t.add(&J::rate_hz, "rate_hz", "Hz", "Rows in a second: motion is followed up to a twelfth of it")
        .range(10.0, 20000.0);
    t.add(&J::shortest_wave_m, "shortest_wave_m", "m", "What is shorter is left out: the tyre rolls over it")
        .above(0.0);
    t.add(&J::longest_wave_m, "longest_wave_m", "m", "What is longer is left out").above(0.0);
    t.add(&J::fade_s, "fade_s", "s", "The road rises from zero and ends at zero over this time").at_least(1e-3);
    t.add(&J::seed, "seed", "-", "Seed: another one gives another road of the same class").range(0, 1e15);
    t.add(
        &J::obstacles, "obstacles", "-",
        "Bumps and potholes: [{\"at_s\": 3, \"height_m\": 0.02, \"length_m\": 0.5, \"left\": true, \"right\": false}]");
    t.add(&J::title, "title", "-", "Title of the report");
  });
  return table;
}

namespace {

constexpr std::array wheels = {"front_left", "front_right", "rear_left", "rear_right"};

struct WheelShown {
  double lowest = 0.0, highest = 0.0, rms = 0.0;
};
const FieldTable& fields_of(const WheelShown*) {
  using W = WheelShown;
  static const FieldTable table = FieldTable::results<W>("road under a wheel", [](FieldTable& t) {
    t.add(&W::lowest, "lowest_m", "m", "Lowest point");
    t.add(&W::highest, "highest_m", "m", "Highest point");
    t.add(&W::rms, "rms_m", "m", "Root mean square of the height");
  });
  return table;
}

}  // namespace

struct RoadOutput {
  const RoadJob& job;
  std::vector<std::pair<std::string, WheelShown>> under;
  std::size_t rows;
};

const FieldTable& fields_of(const RoadOutput*) {
  using O = RoadOutput;
  static const FieldTable table = FieldTable::results<O>("road result", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add(&O::rows, "rows", "-", "Rows of road.csv");
    t.add(&O::under, "wheels", "-", "Heights under each wheel");
    t.add([](const O&) { return std::vector<std::string>{"road.csv"}; }, "files", "-", "Files beside result.json");
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

Outcome road_job(const RoadJob& job, Progress& progress) {
  RoadOptions o;
  o.speed = job.speed_m_s, o.wheelbase = job.wheelbase_m, o.track = job.track_m;
  o.length_s = job.duration_s, o.rate_hz = job.rate_hz;
  o.shortest_wave_m = job.shortest_wave_m, o.longest_wave_m = job.longest_wave_m, o.fade_s = job.fade_s;
  o.seed = static_cast<std::uint64_t>(job.seed);
  o.roughness = job.roughness;
  constexpr double most_rows = 5e6;
  if (job.duration_s * job.rate_hz > most_rows)
    throw_bad_input("duration_s", fmt::format("{:.3g} rows are too many", job.duration_s * job.rate_hz),
                    "shorten the road, or lower rate_hz");
  if (job.duration_s * job.rate_hz < 16.0)
    throw_bad_input("duration_s", "the road is shorter than 16 rows", "lengthen it, or raise rate_hz");
  if (2.0 * job.fade_s > job.duration_s)
    throw_bad_input("fade_s", "the road fades in and out over more than its length", "give at most half of duration_s");
  if (!(std::min(1.0 / job.shortest_wave_m, 0.4 * job.rate_hz / job.speed_m_s) > 1.0 / job.longest_wave_m))
    throw_bad_input("longest_wave_m",
                    "no wave lies between the shortest and the longest, or the rows are too far apart for any",
                    "raise longest_wave_m or rate_hz");
  progress.report(0.0, "making the road");
  Road road = random_road(o);
  for (std::size_t i = 0; i < job.obstacles.size(); ++i) {
    const RoadObstacle& one = job.obstacles[i];
    if (one.length_m / job.speed_m_s < 4.0 / job.rate_hz)
      throw_bad_input(fmt::format("obstacles[{}].length_m", i), "it is passed in less than four rows",
                      "lengthen it, or raise rate_hz");
    add_obstacle(road, o, one.at_s, one.height_m, one.length_m, one.left, one.right);
  }
  Outcome outcome;
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "time [s],front_left [m],front_right [m],rear_left [m],rear_right [m]\n");
  std::array<std::vector<double>, 4> heights;
  std::vector<double> time;
  for (Eigen::Index k = 0; k < road.height.rows(); ++k) {
    time.push_back(static_cast<double>(k) * road.interval);
    for (int w = 0; w < 4; ++w) heights[static_cast<std::size_t>(w)].push_back(road.height(k, w));
    fmt::format_to(std::back_inserter(text), "{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}\n", time.back(), road.height(k, 0),
                   road.height(k, 1), road.height(k, 2), road.height(k, 3));
  }
  outcome.files.push_back({"road.csv", fmt::to_string(text)});
  RoadOutput out{job, {}, time.size()};
  report::Document d{.title = job.title.empty() ? "Road" : job.title, .subtitle = "Heights under four wheels"};
  report::Plot profile{.title = "Height over time", .x = {"Time", "s"}, .y = {"Height", "mm"}};
  report::Plot spectrum{.title = "Against the classes of ISO 8608",
                        .x = {"Waves in a metre", "1/m", true},
                        .y = {"Roughness", "m^3", true}};
  for (std::size_t w = 0; w < wheels.size(); ++w) {
    WheelShown shown;
    double squares = 0.0;
    report::Series line{.name = wheels[w], .x = time, .y = heights[w]};
    for (double& y : line.y) {
      shown.lowest = std::min(shown.lowest, y), shown.highest = std::max(shown.highest, y);
      squares += y * y;
      y *= 1e3;
    }
    shown.rms = std::sqrt(squares / static_cast<double>(time.size()));
    out.under.emplace_back(wheels[w], shown);
    profile.series.push_back(std::move(line));
    if (w >= 2) continue;
    // Over time with f = n v: G(n) = S(f) v.
    const Psd psd = power_spectral_density(heights[w], job.rate_hz, std::max(0.2, 2.0 / job.duration_s));
    report::Series density{.name = wheels[w]};
    for (std::size_t i = 1; i < psd.frequency_hz.size(); ++i) {
      const double n = psd.frequency_hz[i] / job.speed_m_s;
      if (n > 1.0 / job.shortest_wave_m) break;
      density.x.push_back(n), density.y.push_back(psd.density[i] * job.speed_m_s);
    }
    spectrum.series.push_back(std::move(density));
  }
  const char* classes = "ABCDE";
  for (int c = 0; c < 5; ++c) {
    report::Series line{.name = fmt::format("middle of class {}", classes[c]),
                        .style = report::SeriesStyle::dashed_line};
    for (const double n : {1.0 / job.longest_wave_m, 1.0 / job.shortest_wave_m})
      line.x.push_back(n), line.y.push_back(16e-6 * std::pow(4.0, c) * std::pow(n / 0.1, -2.0));
    spectrum.series.push_back(std::move(line));
  }
  d.key_figures.push_back({.label = "Length",
                           .value = job.duration_s * job.speed_m_s,
                           .unit = "m",
                           .note = fmt::format("{:g} s at {:g} m/s", job.duration_s, job.speed_m_s)});
  d.key_figures.push_back({.label = "Highest",
                           .value = 1e3 * std::max(out.under[0].second.highest, out.under[1].second.highest),
                           .unit = "mm"});
  d.key_figures.push_back({.label = "Lowest",
                           .value = 1e3 * std::min(out.under[0].second.lowest, out.under[1].second.lowest),
                           .unit = "mm"});
  d.section("Road").add(std::move(profile)).add(std::move(spectrum));
  outcome.text = fmt::format("done: {} rows, heights from {:.3g} to {:.3g} mm\n", out.rows,
                             1e3 * out.under[0].second.lowest, 1e3 * out.under[0].second.highest);
  to_json_fields(out, outcome.result);
  outcome.document = std::move(d);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
