// SPDX-License-Identifier: Apache-2.0
// Kernels of model updating at the size of the issue: 70 modes, 36 outputs, 12 inputs, 570 lines; and a whole
// calibration of the box ring.
#include <benchmark/benchmark.h>

#include <numbers>

#include "kdyn/base/random.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/update/full_model.hpp"
#include "kdyn/update/multistart.hpp"
#include "kdyn/update/surrogate.hpp"
#include "kdyn/update/targets.hpp"

namespace {

using namespace kdyn;
using namespace kdyn::update;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// 70 modes from 20 to 600 Hz and 24 springs between random points of them.
fe::ReducedModel synthetic() {
  constexpr int modes = 70, parameters = 24;
  RandomStream random(3);
  const auto noise = [&](Index rows, Index columns) {
    return MatrixXd(MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); }));
  };
  fe::ReducedModel out;
  out.parameters = parameters;
  VectorXd k(modes);
  for (int r = 0; r < modes; ++r) k[r] = std::pow(2.0 * std::numbers::pi * (20.0 + 8.3 * r), 2);
  out.stiffness.push_back({std::vector<int>(parameters, 0), MatrixXd(k.asDiagonal())});
  out.mass.push_back({std::vector<int>(parameters, 0), MatrixXd::Identity(modes, modes)});
  for (int s = 0; s < parameters; ++s) {
    std::vector<int> exponents(parameters, 0);
    exponents[static_cast<std::size_t>(s)] = 1;
    const VectorXd b = noise(modes, 1);
    out.stiffness.push_back({exponents, 2e4 * b * b.transpose()});
  }
  out.C = noise(36, modes), out.B = noise(modes, 12);
  return out;
}

Target synthetic_target(const fe::ReducedModel& model) {
  Target out;
  out.frequency_hz = VectorXd::LinSpaced(570, 30.0, 265.0);
  out.values = accelerance(modal_form(model, VectorXd::Constant(24, 1.2), false), out.frequency_hz, 0.02);
  return out;
}

void residual(benchmark::State& state) {
  const fe::ReducedModel model = synthetic();
  const Target target = synthetic_target(model);
  const VectorXd ratio = VectorXd::Ones(24);
  for (auto _ : state)
    benchmark::DoNotOptimize(log_metric(model, ratio, target, 0.02, LogKind::ratio, static_cast<int>(state.range(0))));
}
BENCHMARK(residual)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

void slope_of_24_parameters(benchmark::State& state) {
  const fe::ReducedModel model = synthetic();
  const Target target = synthetic_target(model);
  const VectorXd ratio = VectorXd::Ones(24);
  for (auto _ : state)
    benchmark::DoNotOptimize(metric_slope(model, ratio, target, 0.02, static_cast<int>(state.range(0))));
}
BENCHMARK(slope_of_24_parameters)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

// 24 bushing stiffnesses of the box ring, nominal start and two others, 20-10-5-2 %, the responses of a perfect test.
void calibration_from_3_starts(benchmark::State& state) {
  fe::BoxRingOptions options;
  options.cells = 2;
  const fe::BoxRing ring = fe::make_box_ring(options);
  std::vector<ParameterSetting> settings;
  for (const fe::Parameter& p : fe::box_ring_parameters(ring))
    settings.push_back({p.name, "", "", -0.6, 1.5, false, p, 1.0});
  const FullModel full = full_model(ring.model, settings);
  const Surrogate small = make_surrogate(full.matrices, full.group_of, full.rows(ring.outputs, "outputs"),
                                         full.rows(ring.inputs, "inputs").transpose(), {});
  VectorXd truth(24);
  RandomStream random(5);
  for (double& r : truth) r = random.uniform(0.7, 1.8);
  StageOptions stage_options;
  stage_options.band_hz = {30.0, 265.0};
  const std::vector<Stage> stages = stages_of_model(small.model, truth, stage_options);
  MultiStartOptions multi;
  multi.calibration.lower = VectorXd::Constant(24, 0.4), multi.calibration.upper = VectorXd::Constant(24, 2.5);
  multi.calibration.step_tolerance = 1e-6;
  const MatrixXd starts = latin_hypercube(multi.calibration.lower, multi.calibration.upper, 3, 1);
  for (auto _ : state) {
    const MultiStart found = calibrate_from(starts, small.model, stages, multi);
    state.counters["same"] = found.same_as_best;
  }
}
BENCHMARK(calibration_from_3_starts)->Unit(benchmark::kSecond)->Iterations(1)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
