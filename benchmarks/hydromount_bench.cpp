// SPDX-License-Identifier: Apache-2.0
// One identification of a hydro mount from a noisy map (6 amplitudes x 40 frequencies), start values and choice of
// detail included, for each class of mounts: the mean over 20 of them and the slowest. The source of the model reports
// 5 to 20 minutes. Beside it what its parts cost.
#include <benchmark/benchmark.h>

#include <ctime>

#include "../validation/hydromount_specimens.hpp"
#include "kdyn/hydromount/steady_curve.hpp"
#include "kdyn/identify/hydromount_fit.hpp"

namespace {

using namespace kdyn;

void BM_hydromount_fit(benchmark::State& state) {
  const std::string& kind = validation::hydro_classes[static_cast<std::size_t>(state.range(0))];
  std::vector<ElastomerData> all;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    all.push_back(validation::measured(validation::make_hydro_specimen(kind, seed), seed));
  double slowest = 0.0, sum = 0.0;
  for (auto _ : state)
    for (const ElastomerData& data : all) {
      const std::clock_t begin = std::clock();
      benchmark::DoNotOptimize(fit_hydromount(data, {}));
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      slowest = std::max(slowest, seconds);
      sum += seconds;
    }
  state.SetLabel(kind);
  state.counters["mean_ms"] = 1e3 * sum / static_cast<double>(20 * state.iterations());
  state.counters["slowest_ms"] = 1e3 * slowest;
}
BENCHMARK(BM_hydromount_fit)->ArgName("class")->DenseRange(0, 3)->Unit(benchmark::kMillisecond)->Iterations(1);

void BM_harmonic_balance_map(benchmark::State& state) {
  const validation::HydroSpecimen specimen = validation::make_hydro_specimen("fully", 2);
  SteadyOptions options;
  options.odd_harmonics = static_cast<int>(state.range(0));
  const HarmonicBalance balance(specimen.law, 0.0, options);
  for (auto _ : state)
    for (const MapRow& row : specimen.clean.rows)
      benchmark::DoNotOptimize(balance.solve(row.frequency_hz, row.amplitude));
}
BENCHMARK(BM_harmonic_balance_map)->ArgName("odd_harmonics")->Arg(1)->Arg(3)->Arg(9)->Unit(benchmark::kMillisecond);

// What a slider of the workbench asks for: 6 amplitudes x 50 frequencies.
void BM_hydromount_slider(benchmark::State& state) {
  const std::string& kind = validation::hydro_classes[static_cast<std::size_t>(state.range(0))];
  const validation::HydroSpecimen specimen = validation::make_hydro_specimen(kind, 2);
  for (auto _ : state)
    for (const double a : validation::hydro_amplitudes) {
      std::vector<SweepPoint> sweep;
      for (int i = 0; i < 50; ++i) sweep.push_back({std::pow(60.0, i / 49.0), a});
      benchmark::DoNotOptimize(steady_curve(specimen.law, 0.0, sweep));
    }
  state.SetLabel(kind);
}
BENCHMARK(BM_hydromount_slider)->ArgName("class")->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

}  // namespace
