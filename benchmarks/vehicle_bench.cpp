// SPDX-License-Identifier: Apache-2.0
// One maximum-likelihood fit of the vehicle (2 configurations x 3 cases x 400 samples x 7 channels), with preparation,
// start values and checks; and what assessment costs per minute of signal. A NumPy prototype needs 300 ms for the fit
// alone.
#include <benchmark/benchmark.h>

#include "kdyn/assess/comfort.hpp"
#include "kdyn/assess/durability.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/vehicle/decay_test.hpp"
#include "kdyn/vehicle/identify_vehicle.hpp"

namespace {

using namespace kdyn;

DecaySet noisy(double rate_hz) {
  DecayTest test;
  test.rate_hz = rate_hz;
  DecaySet set = simulate_decays(Vehicle<double>{}, {{130.0, 250.0, 40.0, 4.0, 4.0, 5.0, 5.0}}, test);
  add_noise(set, noise_for(set, 30.0), 1);
  return set;
}

void BM_vehicle_fit(benchmark::State& state) {
  const DecaySet set = noisy(static_cast<double>(state.range(0)));
  VehicleFitOptions options;
  options.symmetric = state.range(1) == 15;
  for (auto _ : state) benchmark::DoNotOptimize(identify_vehicle(set, options));
}
BENCHMARK(BM_vehicle_fit)
    ->ArgNames({"rate_hz", "parameters"})
    ->Args({200, 15})
    ->Args({1000, 15})
    ->Args({200, 23})
    ->Unit(benchmark::kMillisecond);

std::vector<double> minute() {
  RandomStream random(1);
  std::vector<double> signal;
  for (int i = 0; i < 60000; ++i) signal.push_back(random.normal());
  return signal;
}

void BM_comfort_of_a_minute_at_1_khz(benchmark::State& state) {
  const auto signal = minute();
  for (auto _ : state) benchmark::DoNotOptimize(assess_comfort(signal, 1000.0, Weighting::Wk));
}
BENCHMARK(BM_comfort_of_a_minute_at_1_khz)->Unit(benchmark::kMillisecond);

void BM_rainflow_damage_of_a_minute_at_1_khz(benchmark::State& state) {
  const auto signal = minute();
  for (auto _ : state) benchmark::DoNotOptimize(assess_durability(signal, {3.0, 5.0, 7.0}));
}
BENCHMARK(BM_rainflow_damage_of_a_minute_at_1_khz)->Unit(benchmark::kMillisecond);

}  // namespace
