// SPDX-License-Identifier: Apache-2.0
// What an elastomer costs: forward evaluation, simulation, identification, reading. Limits of the house, on one core:
//   two-point identification <= 100 us, forward evaluation of a 6 x 50 map <= 1 ms, fit of a 6 x 50 map <= 20 ms (start values included),
//   time-domain update <= 100 ns per sample (counter per_sample, in seconds).
#include <numbers>

#include <benchmark/benchmark.h>

#include "kdyn/base/random.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/identify/elastomer_fit.hpp"
#include "kdyn/identify/two_point.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/rig/rig.hpp"

namespace {

using namespace kdyn;

constexpr double degree = std::numbers::pi / 180.0;

Elastomer<double> cab_mount(FrictionLaw law, bool limited) {
  Elastomer<double> mount;
  mount.law = law;
  if (limited) mount.ymax = 2.6e-4;
  return mount;
}

// 6 amplitudes x 50 frequencies with the noise of a good bench.
StiffnessMap noisy_map(const Elastomer<double>& mount) {
  StiffnessMap map;
  RandomStream random(1);
  for (const double a : {5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3})
    for (int i = 0; i < 50; ++i) {
      const double f = std::pow(60.0, i / 49.0);
      const SteadyResponse r = steady_response(mount, f, a, 0.0);
      map.rows.push_back({f, a, 0.0, r.k_dyn * (1.0 + 0.005 * random.normal()),
                          r.loss_angle + 0.08 * degree * random.normal(), 0.0, 0});
    }
  return map;
}

void two_point(benchmark::State& state) {
  const Elastomer<double> given =
      cab_mount(state.range(0) == 0 ? FrictionLaw::masing : FrictionLaw::g4, state.range(2) != 0);
  const Criterion criterion = state.range(1) == 0 ? Criterion::harmonic : Criterion::loop;
  const TwoPointInput input{444.0 / 338.0, 380.0 / 338.0, 1e-4, 1e-3, 2.47 * degree, 10.0};
  for (auto _ : state) benchmark::DoNotOptimize(identify_two_point(given, input, criterion).law.rdl);
}
BENCHMARK(two_point)
    ->ArgNames({"g4", "loop", "limited"})
    ->ArgsProduct({{0, 1}, {0, 1}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

void forward_map(benchmark::State& state) {
  const Elastomer<double> mount =
      cab_mount(state.range(0) == 0 ? FrictionLaw::masing : FrictionLaw::g4, state.range(1) != 0);
  const StiffnessMap map = noisy_map(mount);
  for (auto _ : state)
    for (const MapRow& row : map.rows)
      benchmark::DoNotOptimize(steady_response(mount, row.frequency_hz, row.amplitude, 0.0).k_dyn);
}
BENCHMARK(forward_map)->ArgNames({"g4", "limited"})->ArgsProduct({{0, 1}, {0, 1}})->Unit(benchmark::kMicrosecond);

void fit_map(benchmark::State& state) {
  const Elastomer<double> mount = cab_mount(FrictionLaw::masing, state.range(1) != 0);
  ElastomerData data;
  data.map = noisy_map(mount);
  ElastomerFitOptions options;
  options.criterion = state.range(0) == 0 ? Criterion::harmonic : Criterion::loop;
  if (mount.ymax) options.fix["ymax"] = *mount.ymax;
  for (auto _ : state) benchmark::DoNotOptimize(fit_elastomer(data, options).law.rdl);
}
BENCHMARK(fit_map)->ArgNames({"loop", "limited"})->ArgsProduct({{0, 1}, {0, 1}})->Unit(benchmark::kMillisecond);

// Map, static loop and transient of the bundled cab mount together.
void fit_joint(benchmark::State& state) {
  ElastomerData data;
  const std::string folder = KDYN_SOURCE_DIR "/data/cab_mount/";
  const char* directions[] = {"x", "z"};
  const std::string direction = directions[state.range(0)];
  const auto read = [&](const char* kind) { return read_exchange(folder + direction + kind).sets.at(0).bench; };
  data.map = read("_map.csv").map;
  data.loops.push_back(read("_static.csv").loop);
  data.series.push_back(read("_transient.csv").series);
  for (auto _ : state) benchmark::DoNotOptimize(fit_elastomer(data, {}).law.rdl);
}
BENCHMARK(fit_joint)->ArgNames({"curved"})->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// Friction and linear part along a three-tone path; time per sample.
void time_domain(benchmark::State& state) {
  const auto mount =
      make_mount(cab_mount(state.range(0) == 0 ? FrictionLaw::masing : FrictionLaw::g4, state.range(1) != 0));
  constexpr int samples = 20000;
  constexpr double h = 1e-3;
  std::vector<Motion<double>> path;
  for (int i = 0; i <= samples; ++i) {
    Motion<double> m;
    for (const auto& [a, f] : {std::pair(7e-4, 2.3), std::pair(3.5e-4, 9.1), std::pair(1.2e-4, 27.0)}) {
      const double w = 2.0 * std::numbers::pi * f;
      m.u += a * std::sin(w * i * h);
      m.v += a * w * std::cos(w * i * h);
    }
    path.push_back(m);
  }
  for (auto _ : state) {
    mount->start(path[0]);
    double force = 0.0;
    for (int i = 1; i <= samples; ++i) force += mount->advance(path[static_cast<std::size_t>(i)], h);
    benchmark::DoNotOptimize(force);
  }
  state.counters["per_sample"] =
      benchmark::Counter(samples, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(time_domain)->ArgNames({"g4", "limited"})->ArgsProduct({{0, 1}, {0, 1}})->Unit(benchmark::kMicrosecond);

void read_series(benchmark::State& state) {
  BenchSeries series;
  RandomStream random(1);
  for (int i = 0; i < 100000; ++i) {
    series.time.push_back(1e-3 * i);
    series.displacement.push_back(1e-3 * random.normal());
    series.force.push_back(300.0 * random.normal());
  }
  const std::string text = series_csv(series);
  for (auto _ : state)
    benchmark::DoNotOptimize(read_bench_tables(text, "series.csv").sets.at(0).bench.series.time.size());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_series)->Unit(benchmark::kMillisecond);

}  // namespace
