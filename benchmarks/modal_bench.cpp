// SPDX-License-Identifier: Apache-2.0
// Modal identification of the size of a mass-loaded subframe test: 601 lines x 32 outputs x 8 inputs, order 60,
// residual poles above. A NumPy prototype of the same steps (subspace, selection, four alternations) needs 2.7 s on the
// machine the figures were taken on.
#include <cmath>
#include <numbers>

#include <benchmark/benchmark.h>

#include "kdyn/sysid/identify.hpp"
#include "kdyn/sysid/test/synthetic.hpp"

namespace {

using namespace kdyn;

FrequencyResponse measurement() {
  const Eigen::VectorXd omega = synthetic::lines(40.0, 340.0, 601);
  // 28 modes in band and 12 above it, which the residual poles have to stand for.
  ModalModel truth = synthetic::system(28, 32, 8, 45.0, 335.0, 1, 0.02);
  Eigen::MatrixXcd H =
      synthesise(truth, omega) + synthesise(synthetic::system(12, 32, 8, 380.0, 900.0, 2, 0.02), omega);
  synthetic::add_noise(H, 0.01, 3);
  return synthetic::response(H, omega, 32, 8);
}

void identify_order_60(benchmark::State& state) {
  const FrequencyResponse frf = measurement();
  ModalOptions options;
  options.order = 60;
  options.max_order = 60;
  options.block_rows = 8;
  options.residual_above = static_cast<int>(state.range(0));
  options.residual_below = 0;
  options.refine_poles = state.range(1) != 0;
  options.uncertainty = state.range(2) != 0;
  ModalResult result;
  for (auto _ : state) {
    result = identify_modes(frf, options);
    benchmark::ClobberMemory();
  }
  state.counters["misfit"] = result.misfit;
  state.counters["modes"] = static_cast<double>(result.modes.size());
}

// Arguments: residual pole pairs above the band, pole refinement, uncertainty.
BENCHMARK(identify_order_60)
    ->Args({8, 0, 0})
    ->Args({16, 0, 0})
    ->Args({16, 1, 0})
    ->Args({16, 1, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void identify_by_diagram(benchmark::State& state) {
  const FrequencyResponse frf = measurement();
  ModalResult result;
  for (auto _ : state) {
    result = identify_modes(frf, {});
    benchmark::ClobberMemory();
  }
  state.counters["misfit"] = result.misfit;
  state.counters["modes"] = static_cast<double>(result.modes.size());
}
BENCHMARK(identify_by_diagram)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
