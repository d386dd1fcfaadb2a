// SPDX-License-Identifier: Apache-2.0
// Updating of the box ring (examples/updating): 24 bushing stiffnesses from 36 x 12 responses with 1 % noise.
//
//   validation_updating_ring                  the whole case: 30 starts with continuation and 30 without
//   validation_updating_ring --starts 3       a quick one
//   validation_updating_ring --seed 7         another noise
// The truth is the set of stiffnesses that was found for such a subframe (box_ring_found_stiffness), computed with 150 modes of the full model and
// 0.4 to 1.2 % damping; a fourth of the outputs is kept aside. Starts are a Latin hypercube in [-0.6, 1.5].
#include <cstring>

#include "kdyn/base/random.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/update/update.hpp"
#include "kdyn/update/virtual_responses.hpp"

#include "validation.hpp"

namespace {

using namespace kdyn;
using namespace kdyn::update;
using Eigen::Index;
using Eigen::VectorXd;

struct Truth {
  VectorXd ratio;
  fe::Modes modes;
};

// What an analyser would give: accelerances of the true structure with noise of 1 % of the mean of each channel.
FrequencyResponse measure(const FullModel& model, const fe::BoxRing& ring, const Truth& truth, std::uint64_t seed) {
  const ModalForm form = modes_at(truth.modes, model.rows(ring.outputs, "outputs"), model.rows(ring.inputs, "inputs"));
  VectorXd damping(form.omega.size());
  RandomStream random(99);
  for (double& xi : damping) xi = random.uniform(0.004, 0.012);
  return virtual_responses(form, damping, VectorXd::LinSpaced(600, 30.0, 270.0), ring.outputs, ring.inputs, 0.01, seed);
}

FullModel ring_model(const fe::BoxRing& ring, std::vector<ParameterSetting> more = {}) {
  std::vector<ParameterSetting> settings;
  for (const fe::Parameter& p : fe::box_ring_parameters(ring)) {
    ParameterSetting setting;
    setting.name = p.name, setting.unit = p.component < 3 ? "N/m" : "N*m/rad", setting.group = p.component < 3 ? "translational" : "rotational";
    setting.what = p;
    settings.push_back(std::move(setting));
  }
  settings.insert(settings.end(), more.begin(), more.end());
  return full_model(ring.model, std::move(settings));
}

Truth truth_of(const FullModel& model, double thickness) {
  Truth out;
  out.ratio = VectorXd::Ones(static_cast<Index>(model.parameters.size()));
  const auto found = fe::box_ring_found_stiffness();
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t c = 0; c < 6; ++c) {
      const auto s = static_cast<Index>(6 * b + c);
      out.ratio[s] = found[b][c] / model.parameters[6 * b + c].nominal;
    }
  if (out.ratio.size() > 24) out.ratio[24] = thickness;
  fe::ModesOptions options;
  options.count = 150;
  options.shift_hz = 100.0;
  out.modes = fe::find_modes(model.matrices.stiffness_at(out.ratio), model.matrices.mass_at(out.ratio), model.group_of, options);
  return out;
}

// Smallest MAC of all true modes below 265 Hz with the calibrated model, at the sensors.
double smallest_mac(const PartResult& part, const FullModel& model, const Truth& truth, int& count) {
  ModesAtSensors test;
  std::vector<Index> elastic;
  for (Index r = 0; r < truth.modes.frequency_hz.size(); ++r)
    if (truth.modes.frequency_hz[r] > 1.0 && truth.modes.frequency_hz[r] < 265.0) elastic.push_back(r);
  count = static_cast<int>(elastic.size());
  test.frequency_hz = truth.modes.frequency_hz(elastic);
  test.shapes = (model.rows(part.outputs, "outputs") * truth.modes.shapes)(Eigen::all, elastic).cast<std::complex<double>>();
  const Pairing pairing = pair_modes(test, part.after, 0.0);
  double smallest = pairing.pairs.size() == elastic.size() ? 1.0 : 0.0;
  for (const ModePair& pair : pairing.pairs) smallest = std::min(smallest, pair.mac);
  return smallest;
}

}  // namespace

int main(int argc, char** argv) {
  int starts = 30;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--starts") == 0) starts = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--seed") == 0) seed = static_cast<std::uint64_t>(std::atoll(argv[i + 1]));
  }
  fe::BoxRingOptions ring_options;
  ring_options.cells = 2;  // as the example deck
  const fe::BoxRing ring = fe::make_box_ring(ring_options);
  const FullModel model = ring_model(ring);
  const Truth truth = truth_of(model, 1.0);
  UpdateOptions options;
  options.band_hz = {30.0, 265.0};
  options.starts = 1;
  options.max_iterations = 40;
  options.suggest = false;
  options.bootstrap_draws = 0;
  for (const std::size_t y : {9, 10, 11, 18, 19, 20, 33, 34, 35}) options.validation.push_back(label(ring.outputs[y]));
  const PartResult part = run_update(model, {{"ring", measure(model, ring, truth, seed), {}}}, {}, options, "").parts[0];

  kdyn::validation::Case test("Box ring, 24 bushing stiffnesses, 1 % noise",
                              fmt::format("truth of the simulation; {} unknowns, {} starts, noise seed {}", model.matrices.size(), starts, seed));
  int modes = 0;
  const double mac = smallest_mac(part, model, truth, modes);
  fmt::print("  {} elastic modes below 265 Hz, {} identified; metric {:.3g} -> {:.3g}, kept aside {:.3g} -> {:.3g}\n", modes,
             part.identified.modes.size(), part.metric_before, part.metric, part.validation_metric_before, part.validation_metric);
  double worst = 0.0, worst_any = 0.0;
  int identifiable = 0;
  for (Index s = 0; s < 24; ++s) {
    const double error = 100.0 * std::abs(part.optimum.ratio[s] / truth.ratio[s] - 1.0);
    const bool called = part.gate.verdict[static_cast<std::size_t>(s)] == Verdict::determined;
    worst_any = std::max(worst_any, error);
    if (called) ++identifiable, worst = std::max(worst, error);
    fmt::print("  {:<4} true {:.3f}  found {:.4f}  error {:.2f} %  gate: nominal +-{:.2f} %, optimum +-{:.2f} % {}\n",
               model.parameters[static_cast<std::size_t>(s)].name, truth.ratio[s], part.optimum.ratio[s], error, 196.0 * part.gate.std[s],
               196.0 * part.gate_at_optimum.std[s] / part.optimum.ratio[s], to_string(part.gate.verdict[static_cast<std::size_t>(s)]));
  }
  test.range("elastic modes below 265 Hz", modes, 18, 24);
  test.range("parameters the gate calls identifiable", identifiable, 12, 24);
  test.range("largest error of those, %", worst, 0.0, 4.0);
  test.range("smallest MAC of all modes below 265 Hz", mac, 0.98, 1.0);
  test.range("metric kept aside / calibration", part.validation_metric / part.metric, 0.0, 1.5);
  test.range("frequency error of the basis, %", 100.0 * part.basis_error, 0.0, 0.1);

  // The same optimum from random starts, with and without continuation.
  MultiStartOptions multi;
  multi.calibration.lower = VectorXd::Constant(24, 0.4), multi.calibration.upper = VectorXd::Constant(24, 2.5);
  multi.calibration.max_iterations = options.max_iterations;
  multi.calibration.step_tolerance = 1e-5;
  const Eigen::MatrixXd all = latin_hypercube(multi.calibration.lower, multi.calibration.upper, starts + 1, 20);
  const Eigen::MatrixXd random_starts = all.rightCols(starts);  // without the nominal one
  const auto reached = [&](const std::vector<Stage>& stages) {
    const MultiStart found = calibrate_from(random_starts, part.model, stages, multi);
    int same = 0, evaluations = 0;
    for (const Calibration& run : found.runs) same += (run.ratio - part.optimum.ratio).cwiseAbs().maxCoeff() < 1e-2, evaluations += run.evaluations;
    fmt::print("  {} stages: {} of {} starts reach the optimum, {:.0f} evaluations each\n", stages.size(), same, starts,
               static_cast<double>(evaluations) / starts);
    return same;
  };
  const int with = reached(part.stages), without = reached({part.stages.back()});
  test.range("starts that reach the optimum, 20-10-5-2 %", with, std::ceil(29.0 / 30.0 * starts), starts);
  test.range("starts that reach the optimum, 2 % alone", without, 0, std::max(0, with - 1));

  // Thickness of the whole ring 1.8 times nominal, together with the bushings.
  ParameterSetting thickness;
  thickness.name = "t", thickness.unit = "m", thickness.group = "thickness", thickness.lower = -0.5, thickness.upper = 2.0;
  thickness.what = {"t", fe::ParameterKind::thickness, {ring.model.properties[0].label}, 0};
  const FullModel thick = ring_model(ring, {thickness});
  const Truth thick_truth = truth_of(thick, 1.8);
  const PartResult followed = run_update(thick, {{"thick ring", measure(thick, ring, thick_truth, seed + 1), {}}}, {}, options, "").parts[0];
  fmt::print("  thickness 1.8: found {:.5f}, basis off by {:.3g} % at first, {:.3g} % after {} rebuilds\n", followed.optimum.ratio[24],
             100.0 * followed.basis_error_nominal, 100.0 * followed.basis_error, followed.basis_rebuilt);
  test.range("error of a thickness x 1.8, %", 100.0 * std::abs(followed.optimum.ratio[24] / 1.8 - 1.0), 0.0, 0.5);
  test.range("frequency error of its basis, %", 100.0 * followed.basis_error, 0.0, 0.1);
  double beside = 0.0;
  for (Index s = 0; s < 24; ++s)
    if (followed.gate_at_optimum.verdict[static_cast<std::size_t>(s)] == Verdict::determined)
      beside = std::max(beside, 100.0 * std::abs(followed.optimum.ratio[s] / thick_truth.ratio[s] - 1.0));
  test.range("largest error of the bushings beside it, %", beside, 0.0, 4.0);
  return test.finish();
}
