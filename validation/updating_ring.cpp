// SPDX-License-Identifier: Apache-2.0
// Updating of the box ring (examples/updating): 24 bushing stiffnesses from 36 x 12 responses with 1 % noise.
//
//   validation_updating_ring                  the whole case: 30 starts with continuation and 30 without
//   validation_updating_ring --starts 3       a quick one
//   validation_updating_ring --seed 7         another noise
//   validation_updating_ring --noises 10      metric kept aside over that of the calibration for ten noises
//   validation_updating_ring --direct 200     more iterations for the starts without continuation
// The truth is the set of stiffnesses that was found for such a subframe (box_ring_found_stiffness), computed with 150
// modes of the full model and 0.4 to 1.2 % damping; a fourth of the outputs is kept aside. Starts are a Latin hypercube
// in [-0.6, 1.5].
#include <cstring>

#include "updating_ring.hpp"
#include "validation.hpp"

namespace {

using namespace kdyn;
using namespace kdyn::update;
using namespace kdyn::validation;
using Eigen::Index;
using Eigen::VectorXd;

// Smallest MAC of all true modes below 265 Hz with the calibrated model, at the sensors.
double smallest_mac(const PartResult& part, const FullModel& model, const Truth& truth, int& count) {
  ModesAtSensors test;
  std::vector<Index> elastic;
  for (Index r = 0; r < truth.modes.frequency_hz.size(); ++r)
    if (truth.modes.frequency_hz[r] > 1.0 && truth.modes.frequency_hz[r] < 265.0) elastic.push_back(r);
  count = static_cast<int>(elastic.size());
  test.frequency_hz = truth.modes.frequency_hz(elastic);
  test.shapes =
      (model.rows(part.outputs, "outputs") * truth.modes.shapes)(Eigen::all, elastic).cast<std::complex<double>>();
  const Pairing pairing = pair_modes(test, part.after, 0.0);
  double smallest = pairing.pairs.size() == elastic.size() ? 1.0 : 0.0;
  for (const ModePair& pair : pairing.pairs) smallest = std::min(smallest, pair.mac);
  return smallest;
}

// Metric kept aside over metric of the calibration at the true parameters, computed with the full model: noise and
// identification alone.
double ratio_at_truth(const PartResult& part, const FullModel& model, const fe::BoxRing& ring, const Truth& truth,
                      bool resolved) {
  const Stage& last = part.stages.back();
  const Eigen::MatrixXcd h =
      accelerance(modes_at(truth.modes, model.rows(ring.outputs, "outputs"), model.rows(ring.inputs, "inputs")),
                  last.target.frequency_hz, last.damping);
  Target target = last.target;
  target.weight = resolved ? part.noise.resolved(last.target) : Eigen::MatrixXd();
  const auto on = [&](const std::vector<bool>& use) {
    target.use = use;
    return log_metric(h, target);
  };
  return on(part.validation) / on(part.calibration);
}

}  // namespace

int main(int argc, char** argv) {
  int starts = 30, noises = 1, direct_iterations = 40;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--starts") == 0) starts = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--seed") == 0) seed = static_cast<std::uint64_t>(std::atoll(argv[i + 1]));
    if (std::strcmp(argv[i], "--noises") == 0) noises = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--direct") == 0) direct_iterations = std::atoi(argv[i + 1]);
  }
  const fe::BoxRing ring = example_ring();
  const FullModel model = ring_model(ring);
  const Truth truth = truth_of(model, 1.0);
  UpdateOptions options = ring_options(ring);
  options.max_iterations = 40;
  const PartResult part =
      run_update(model, {{"ring", measure(model, ring, truth, seed), {}}}, {}, options, "").parts[0];

  kdyn::validation::Case test("Box ring, 24 bushing stiffnesses, 1 % noise",
                              fmt::format("truth of the simulation; {} unknowns, {} starts, noise seed {}",
                                          model.matrices.size(), starts, seed));
  int modes = 0;
  const double mac = smallest_mac(part, model, truth, modes);
  fmt::print("  {} elastic modes below 265 Hz, {} identified; metric {:.3g} -> {:.3g}, kept aside {:.3g} -> {:.3g}\n",
             modes, part.identified.modes.size(), part.metric_before.calibration, part.metric.calibration,
             part.metric_before.validation, part.metric.validation);
  double worst = 0.0, worst_any = 0.0;
  int identifiable = 0;
  for (Index s = 0; s < 24; ++s) {
    const double error = 100.0 * std::abs(part.optimum.ratio[s] / truth.ratio[s] - 1.0);
    const bool called = part.gate_at_optimum.verdict[static_cast<std::size_t>(s)] == Verdict::determined;
    worst_any = std::max(worst_any, error);
    if (called) ++identifiable, worst = std::max(worst, error);
    fmt::print("  {:<4} true {:.3f}  found {:.4f}  error {:.2f} %  gate: nominal +-{:.2f} %, optimum +-{:.2f} % {}\n",
               model.parameters[static_cast<std::size_t>(s)].name, truth.ratio[s], part.optimum.ratio[s], error,
               196.0 * part.gate.std[s], 196.0 * part.gate_at_optimum.std[s] / part.optimum.ratio[s],
               to_string(part.gate_at_optimum.verdict[static_cast<std::size_t>(s)]));
  }
  test.range("elastic modes below 265 Hz", modes, 18, 24);
  test.range("parameters the gate calls identifiable", identifiable, 12, 24);
  test.range("largest error of those, %", worst, 0.0, 4.0);
  test.range("smallest MAC of all modes below 265 Hz", mac, 0.98, 1.0);
  // Over all samples the ratio is that of the true parameters, whatever it is: nothing was fitted too much. Over
  // resolved samples it is near one.
  double largest = 0.0, farthest = 0.0;
  for (int noise = 0; noise < noises; ++noise) {
    const std::uint64_t own = seed + static_cast<std::uint64_t>(noise);
    const PartResult again =
        noise == 0 ? part
                   : run_update(model, {{"ring", measure(model, ring, truth, own), {}}}, {}, options, "").parts[0];
    const double all = again.metric.validation / again.metric.calibration;
    const double resolved = again.metric.resolved_validation / again.metric.resolved_calibration,
                 all_true = ratio_at_truth(again, model, ring, truth, false);
    fmt::print(
        "  noise {:2}: kept aside / calibration over all samples {:.2f}, at the true parameters {:.2f}; over resolved "
        "samples ({:.1f} %) {:.2f}, "
        "{:.2f}\n",
        own, all, all_true, again.resolved_percent, resolved, ratio_at_truth(again, model, ring, truth, true));
    std::fflush(stdout);
    largest = std::max(largest, resolved), farthest = std::max(farthest, std::abs(all / all_true - 1.0));
  }
  test.range("metric kept aside / calibration, resolved", largest, 0.0, 1.5);
  test.range("the same over all samples, off the truth's, %", 100.0 * farthest, 0.0, 10.0);
  test.range("frequency error of the basis, %", 100.0 * part.basis_error, 0.0, 0.1);

  // The same optimum from random starts, with and without continuation.
  MultiStartOptions multi;
  multi.calibration.lower = VectorXd::Constant(24, 0.4), multi.calibration.upper = VectorXd::Constant(24, 2.5);
  multi.calibration.max_iterations = options.max_iterations;
  multi.calibration.step_tolerance = 1e-5;
  const Eigen::MatrixXd all = latin_hypercube(multi.calibration.lower, multi.calibration.upper, starts + 1, 20);
  const Eigen::MatrixXd random_starts = all.rightCols(starts);  // without the nominal one
  const auto reached = [&](const std::vector<Stage>& stages, int iterations) {
    multi.calibration.max_iterations = iterations;
    const MultiStart found = calibrate_from(random_starts, part.model, stages, multi);
    int same = 0, evaluations = 0;
    for (const Calibration& run : found.runs)
      same += (run.ratio - part.optimum.ratio).cwiseAbs().maxCoeff() < 1e-2, evaluations += run.evaluations;
    fmt::print("  {} stages: {} of {} starts reach the optimum, {:.0f} evaluations each\n", stages.size(), same, starts,
               static_cast<double>(evaluations) / starts);
    return same;
  };
  const int with = reached(part.stages, options.max_iterations),
            without = reached({part.stages.back()}, direct_iterations);
  test.range("starts that reach the optimum, 20-10-5-2 %", with, std::ceil(29.0 / 30.0 * starts), starts);
  test.range("starts that reach the optimum, 2 % alone", without, 0, std::max(0, with - 1));

  // Thickness of the whole ring 1.8 times nominal, together with the bushings.
  ParameterSetting thickness;
  thickness.name = "t", thickness.unit = "m", thickness.group = "thickness", thickness.lower = -0.5,
  thickness.upper = 2.0;
  thickness.what = {"t", fe::ParameterKind::thickness, {ring.model.properties[0].label}, 0};
  const FullModel thick = ring_model(ring, {thickness});
  const Truth thick_truth = truth_of(thick, 1.8);
  const PartResult followed =
      run_update(thick, {{"thick ring", measure(thick, ring, thick_truth, seed + 1), {}}}, {}, options, "").parts[0];
  fmt::print("  thickness 1.8: found {:.5f}, basis off by {:.3g} % at first, {:.3g} % after {} rebuilds\n",
             followed.optimum.ratio[24], 100.0 * followed.basis_error_nominal, 100.0 * followed.basis_error,
             followed.basis_rebuilt);
  test.range("error of a thickness x 1.8, %", 100.0 * std::abs(followed.optimum.ratio[24] / 1.8 - 1.0), 0.0, 0.5);
  test.range("frequency error of its basis, %", 100.0 * followed.basis_error, 0.0, 0.1);
  double beside = 0.0;
  for (Index s = 0; s < 24; ++s)
    if (followed.gate_at_optimum.verdict[static_cast<std::size_t>(s)] == Verdict::determined)
      beside = std::max(beside, 100.0 * std::abs(followed.optimum.ratio[s] / thick_truth.ratio[s] - 1.0));
  test.range("largest error of the bushings beside it, %", beside, 0.0, 4.0);
  return test.finish();
}
