// SPDX-License-Identifier: Apache-2.0
#include "study.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kdyn/assess/comfort.hpp"
#include "kdyn/assess/durability.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/laws/model_file.hpp"

namespace four_poster {
namespace {

constexpr double road_rate_hz = 1000.0, resolution_hz = 0.5;
constexpr int substeps = 4;  // 0.25 ms
constexpr std::size_t kinds = std::size(all_kinds);

kdyn::Road make_road(const RoadCase& one) {
  kdyn::Road road = kdyn::random_road(one.road);
  if (one.obstacles)
    // Bumps and potholes every 2.5 s, left, right and both in turn.
    for (int i = 0; 1.5 + 2.5 * i < one.road.length_s - 1.5; ++i)
      kdyn::add_obstacle(road, one.road, 1.5 + 2.5 * i, i % 2 == 0 ? 0.06 : -0.05, i % 2 == 0 ? 0.9 : 1.2, i % 3 != 1,
                         i % 3 != 2);
  return road;
}

std::vector<MountMaker> make_mounts(const Car& car, const Settings& s) {
  std::vector<MountMaker> out;
  for (std::size_t i = 0; i < car.mounts.size(); ++i) {
    const MountPlace& place = car.mounts[i];
    // Bushings of one subframe are alike.
    if (i > 0 && car.mounts[i - 1].type == place.type && car.mounts[i - 1].load == place.load) {
      out.push_back(out.back());
      continue;
    }
    const std::string& path = place.type == MountType::engine    ? s.engine_mount
                              : place.type == MountType::gearbox ? s.gearbox_mount
                                                                 : s.subframe_mount;
    out.emplace_back(*kdyn::read_mount(path), place.load, s.layout);
  }
  return out;
}

double rms(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum / static_cast<double>(x.size()));
}

Result reduce(Run run) {
  Result out;
  const double rate = 1.0 / run.interval;
  out.value[0] = kdyn::assess_comfort(run.seat, rate, kdyn::Weighting::Wk).rms;
  out.value[1] = kdyn::assess_comfort(run.floor, rate, kdyn::Weighting::Wk).rms;
  out.value[2] = rms(run.powertrain);
  for (std::size_t i = 0; i < run.force.size(); ++i) {
    out.value[3 + i] = kdyn::assess_durability(run.force[i], {damage_exponent}).equivalent[0];
    out.travel[i] = rms(run.travel[i]);
  }
  out.seat_psd = kdyn::power_spectral_density(run.seat, rate, resolution_hz);
  out.powertrain_psd = kdyn::power_spectral_density(run.powertrain, rate, resolution_hz);
  out.run = std::move(run);
  return out;
}

// A run as numbers, to travel between ranks, and back.
std::vector<double> pack(const Run& run) {
  std::vector<double> out = {run.interval,    run.work_in,     run.dissipated,
                             run.into_mounts, run.energy_left, run.imbalance};
  const auto add = [&](const std::vector<double>& x) { out.insert(out.end(), x.begin(), x.end()); };
  add(run.seat), add(run.floor), add(run.powertrain);
  for (std::size_t i = 0; i < run.force.size(); ++i) add(run.force[i]), add(run.travel[i]);
  return out;
}
Run unpack(const std::vector<double>& row, std::size_t watched) {
  constexpr std::size_t head = 6;
  Run run;
  run.interval = row[0], run.work_in = row[1], run.dissipated = row[2], run.into_mounts = row[3],
  run.energy_left = row[4], run.imbalance = row[5];
  const std::size_t samples = (row.size() - head) / (3 + 2 * watched);
  auto at = row.begin() + head;
  const auto take = [&] {
    const auto from = at;
    at += static_cast<std::ptrdiff_t>(samples);
    return std::vector<double>(from, at);
  };
  run.seat = take(), run.floor = take(), run.powertrain = take();
  for (std::size_t i = 0; i < watched; ++i) run.force.push_back(take()), run.travel.push_back(take());
  return run;
}

void widen(std::vector<double>& low, std::vector<double>& high, const double* psd, std::size_t lines) {
  low.resize(lines, 1e300), high.resize(lines, 0.0);
  for (std::size_t i = 0; i < lines; ++i) low[i] = std::min(low[i], psd[i]), high[i] = std::max(high[i], psd[i]);
}

}  // namespace

std::vector<RoadCase> roads(double seconds) {
  const auto road = [&](double roughness, double km_per_h, std::uint64_t seed) {
    kdyn::RoadOptions o;
    o.roughness = roughness;
    o.speed = km_per_h / 3.6;
    o.wheelbase = 2.65;
    o.track = 1.52;
    o.length_s = seconds;
    o.rate_hz = road_rate_hz;
    o.seed = seed;
    return o;
  };
  return {{"Motorway", "Class A, 120 km/h: small amplitudes, ride comfort", road(8e-6, 120.0, 11), false},
          {"Country road", "Class B to C, 80 km/h", road(128e-6, 80.0, 12), false},
          {"Durability track", "Class D, 40 km/h, with bumps and potholes", road(800e-6, 40.0, 13), true}};
}

Study run_study(const Car& car, const Settings& settings, kdyn::mpi::Ranks& ranks) {
  const auto begin = std::chrono::steady_clock::now();
  Study study;
  study.ranks = ranks.size();
  study.roads = roads(settings.seconds);
  const std::size_t road_count = study.roads.size(), watched = car.watched.size();
  const std::vector<MountMaker> makers = make_mounts(car, settings);
  for (std::size_t i = 0; i < watched; ++i) study.linear_misfit[i] = makers[car.watched[i]].linear_misfit();
  std::vector<kdyn::Road> profiles;
  for (const RoadCase& one : study.roads) profiles.push_back(make_road(one));
  const auto run = [&](std::size_t road, MountKind kind, auto&& factor) {
    std::vector<std::unique_ptr<MountModel>> models;
    for (const MountMaker& maker : makers) models.push_back(maker.make(kind, factor()));
    return drive(car, std::move(models), profiles[road], substeps);
  };

  // First the drives to be shown, then the scatter; each over all ranks.
  const auto shown = ranks.run(static_cast<int>(road_count * kinds), settings.threads, [&](int task) {
    const auto at = static_cast<std::size_t>(task);
    return pack(run(at / kinds, all_kinds[at % kinds], [] { return 1.0; }));
  });
  const auto cars = static_cast<std::size_t>(settings.scatter);
  const auto scattered = ranks.run(static_cast<int>(road_count * cars), settings.threads, [&](int task) {
    const auto at = static_cast<std::size_t>(task);
    kdyn::RandomStream random(2024, at % cars);  // the same cars on every road
    const Result r =
        reduce(run(at / cars, MountKind::nonlinear, [&] { return std::exp(settings.scatter_std * random.normal()); }));
    std::vector<double> row = {r.run.imbalance};
    row.insert(row.end(), r.value.begin(), r.value.end());
    row.insert(row.end(), r.seat_psd.density.begin(), r.seat_psd.density.end());
    row.insert(row.end(), r.powertrain_psd.density.begin(), r.powertrain_psd.density.end());
    return row;
  });
  if (!ranks.first()) return study;

  study.results.resize(road_count);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    study.results[i / kinds].push_back(reduce(unpack(shown[i], watched)));
    study.worst_imbalance = std::max(study.worst_imbalance, study.results[i / kinds].back().run.imbalance);
  }
  study.scatter.resize(road_count), study.bands.resize(road_count);
  for (std::size_t i = 0; i < scattered.size(); ++i) {
    const std::vector<double>& row = scattered[i];
    study.worst_imbalance = std::max(study.worst_imbalance, row[0]);
    Figures value;
    std::copy_n(row.begin() + 1, figure_count, value.begin());
    study.scatter[i / cars].push_back(value);
    Study::Band& band = study.bands[i / cars];
    const std::size_t lines = (row.size() - 1 - figure_count) / 2;
    widen(band.seat_low, band.seat_high, row.data() + 1 + figure_count, lines);
    widen(band.powertrain_low, band.powertrain_high, row.data() + 1 + figure_count + lines, lines);
  }
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return study;
}

kdyn::Json study_json(const Study& study) {
  kdyn::Json out;
  const auto numbers = [](const Figures& values) {
    kdyn::Json json;
    for (std::size_t i = 0; i < figure_count; ++i)
      json[figures[i].name] = {{"value", values[i]}, {"unit", figures[i].unit}};
    return json;
  };
  for (std::size_t r = 0; r < study.roads.size(); ++r) {
    kdyn::Json road = {{"name", study.roads[r].name}};
    for (std::size_t k = 0; k < study.results[r].size(); ++k) {
      const Result& x = study.results[r][k];
      road["models"].push_back({{"name", to_string(all_kinds[k])},
                                {"figures", numbers(x.value)},
                                {"mount_travel_rms_m", x.travel},
                                {"energy_j",
                                 {{"in", x.run.work_in},
                                  {"dissipated", x.run.dissipated},
                                  {"into_mounts", x.run.into_mounts},
                                  {"left", x.run.energy_left},
                                  {"imbalance", x.run.imbalance}}}});
    }
    road["scatter"] = kdyn::Json::array();
    for (const Figures& f : study.scatter[r]) road["scatter"].push_back(f);
    out["roads"].push_back(std::move(road));
  }
  out["worst_energy_imbalance"] = study.worst_imbalance;
  return out;
}

}  // namespace four_poster
