// SPDX-License-Identifier: Apache-2.0
#include "study.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "kdyn/assess/comfort.hpp"
#include "kdyn/assess/durability.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/rig/model_file.hpp"

namespace four_poster {
namespace {

constexpr double damage_exponent = 5.0;
constexpr double road_rate_hz = 1000.0;
constexpr int substeps = 4;  // 0.25 ms

kdyn::Road make_road(const RoadCase& one, double shorten = 1.0) {
  kdyn::RoadOptions options = one.road;
  options.length_s *= shorten;
  kdyn::Road road = kdyn::random_road(options);
  if (one.obstacles)
    // Bumps and potholes every 2.5 s, left, right and both in turn.
    for (int i = 0; 1.5 + 2.5 * i < options.length_s - 1.5; ++i)
      kdyn::add_obstacle(road, options, 1.5 + 2.5 * i, i % 2 == 0 ? 0.06 : -0.05, i % 2 == 0 ? 0.9 : 1.2, i % 3 != 1, i % 3 != 2);
  return road;
}

using Mounts = std::vector<std::unique_ptr<kdyn::Mount>>;

Mounts read_mounts(const Truck& truck, const Settings& s) {
  Mounts out;
  for (const MountPlace& place : truck.mounts)
    out.push_back(kdyn::read_mount(place.on_cab ? s.cab_mount : place.name == "gearbox" ? s.gearbox_mount : s.engine_mount));
  return out;
}

std::vector<std::unique_ptr<MountModel>> models(const Truck& truck, const Mounts& mounts, MountKind kind, const Layout& layout,
                                                const std::function<double()>& factor) {
  std::vector<std::unique_ptr<MountModel>> out;
  for (std::size_t i = 0; i < mounts.size(); ++i) out.push_back(make_model(*mounts[i], kind, truck.mounts[i].load, factor(), layout));
  return out;
}

Result reduce(Run run) {
  Result out;
  const double rate = 1.0 / run.interval;
  out.seat = kdyn::assess_comfort(run.seat, rate, kdyn::Weighting::Wk).rms;
  out.floor = kdyn::assess_comfort(run.cab_floor, rate, kdyn::Weighting::Wk).rms;
  const auto rms = [](const std::vector<double>& x) {
    double sum = 0.0;
    for (const double value : x) sum += value * value;
    return std::sqrt(sum / static_cast<double>(x.size()));
  };
  out.powertrain = rms(run.powertrain);
  for (std::size_t i = 0; i < run.mount_force.size(); ++i) {
    out.damage.push_back(kdyn::assess_durability(run.mount_force[i], {damage_exponent}).damage[0]);
    out.travel_rms.push_back(rms(run.mount_travel[i]));
  }
  out.seat_psd = kdyn::power_spectral_density(run.seat, rate, 0.25);
  out.floor_psd = kdyn::power_spectral_density(run.cab_floor, rate, 0.25);
  out.powertrain_psd = kdyn::power_spectral_density(run.powertrain, rate, 0.25);
  out.run = std::move(run);
  return out;
}

// Tasks 0..count-1 over threads; what a task does depends on its number alone, so the result does not depend on the threads.
void in_parallel(int count, int threads, const std::function<void(int)>& task) {
  std::atomic<int> next{0};
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&] {
      for (int i = next++; i < count; i = next++) task(i);
    });
  for (std::thread& thread : pool) thread.join();
}

}  // namespace

std::vector<RoadCase> roads(double seconds) {
  const auto road = [&](double roughness, double km_per_h, std::uint64_t seed) {
    kdyn::RoadOptions o;
    o.roughness = roughness;
    o.speed = km_per_h / 3.6;
    o.wheelbase = 3.2;
    o.track = 1.56;
    o.length_s = seconds;
    o.rate_hz = road_rate_hz;
    o.seed = seed;
    return o;
  };
  return {{"Motorway", "ISO 8608 class A, 100 km/h: small amplitudes, ride comfort", road(8e-6, 100.0, 11), false},
          {"Country road", "class B to C, 80 km/h", road(128e-6, 80.0, 12), false},
          {"Durability track", "class D, 40 km/h, with bumps and potholes", road(800e-6, 40.0, 13), true}};
}

Study run_study(const Truck& truck, const Settings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  Study study;
  study.roads = roads(settings.seconds);
  const Mounts mounts = read_mounts(truck, settings);
  const int kinds = static_cast<int>(std::size(all_kinds)), count = static_cast<int>(study.roads.size());
  study.results.assign(study.roads.size(), std::vector<Result>(static_cast<std::size_t>(kinds)));
  in_parallel(count * kinds, settings.threads, [&](int task) {
    const auto road = static_cast<std::size_t>(task / kinds), kind = static_cast<std::size_t>(task % kinds);
    study.results[road][kind] =
        reduce(drive(truck, models(truck, mounts, all_kinds[kind], settings.layout, [] { return 1.0; }), make_road(study.roads[road]), substeps));
  });
  study.scatter_seat.assign(study.roads.size(), std::vector<double>(static_cast<std::size_t>(settings.scatter)));
  study.scatter_damage = study.scatter_seat;
  std::vector<double> imbalance(static_cast<std::size_t>(count * settings.scatter), 0.0);
  in_parallel(count * settings.scatter, settings.threads, [&](int task) {
    const auto road = static_cast<std::size_t>(task / settings.scatter), vehicle = static_cast<std::size_t>(task % settings.scatter);
    kdyn::RandomStream random(2024, vehicle);  // the same vehicles on every road
    const auto factor = [&] { return std::exp(settings.scatter_std * random.normal()); };
    const Result result =
        reduce(drive(truck, models(truck, mounts, MountKind::nonlinear, settings.layout, factor), make_road(study.roads[road]), substeps));
    study.scatter_seat[road][vehicle] = result.floor;
    study.scatter_damage[road][vehicle] = result.damage[0];
    imbalance[static_cast<std::size_t>(task)] = result.run.imbalance;
  });
  for (const auto& row : study.results)
    for (const Result& r : row) study.worst_imbalance = std::max(study.worst_imbalance, r.run.imbalance);
  for (const double i : imbalance) study.worst_imbalance = std::max(study.worst_imbalance, i);
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return study;
}

}  // namespace four_poster
