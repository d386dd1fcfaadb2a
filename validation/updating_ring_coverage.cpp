// SPDX-License-Identifier: Apache-2.0
// Do the intervals of an updating job hold on a structure? The box ring with its 24 bushing stiffnesses, measured again
// and again with new noise of 1 % and no error of the model; the whole chain runs each time, with full re-calibration
// as the source of the intervals and the cheaper methods beside it.
//
//   validation_updating_ring_coverage                        40 noise seeds, 10 draws each
//   validation_updating_ring_coverage --seeds 2 --draws 4    a quick one
//   validation_updating_ring_coverage --resolved 0           calibrated by all samples
#include <cstring>
#include <map>

#include "kdyn/numerics/statistics.hpp"

#include "updating_ring.hpp"
#include "validation.hpp"

int main(int argc, char** argv) {
  using namespace kdyn;
  using namespace kdyn::update;
  using namespace kdyn::validation;
  using Eigen::Index;
  using Eigen::VectorXd;
  int seeds = 40, draws = 10, first = 0;
  const fe::BoxRing ring = example_ring();
  UpdateOptions options = ring_options(ring);
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--draws") == 0) draws = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--first") == 0) first = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--resolved") == 0) options.resolved_only = std::atoi(argv[i + 1]) != 0;
  }
  const FullModel model = ring_model(ring);
  const Truth truth = truth_of(model, 1.0);
  options.monte_carlo_draws = options.noise_draws = draws;
  int inside = 0, intervals = 0, gate_inside = 0;
  std::map<std::string, std::vector<double>> ratios;  // std of a method over that of re-calibration
  Eigen::MatrixXd estimates(24, seeds), deviations(24, seeds);
  std::vector<int> inside_of(24, 0);
  for (int seed = 0; seed < seeds; ++seed) {
    options.seed = first + seed + 1;
    options.bootstrap_draws = seed < 4 ? 100 : 0;  // their ratios are the same for every noise
    const Part part{
        fmt::format("seed {}", seed), measure(model, ring, truth, 1000 + static_cast<std::uint64_t>(first + seed)), {}};
    const PartResult found = run_update(model, {part}, {}, options, "").parts[0];
    const UncertaintyMethod& reference = found.uncertainty.front();
    int here = 0, identifiable = 0;
    for (Index s = 0; s < 24; ++s) {
      estimates(s, seed) = found.optimum.ratio[s], deviations(s, seed) = reference.std[s];
      if (found.gate_at_optimum.verdict[static_cast<std::size_t>(s)] == Verdict::not_determined) continue;
      const double error = std::abs(found.optimum.ratio[s] - truth.ratio[s]);
      const bool covered = error <= reference.quantile * reference.std[s];
      inside += covered, here += covered, ++identifiable, inside_of[static_cast<std::size_t>(s)] += covered;
      gate_inside += error <= 1.96 * found.gate_at_optimum.std[s];
      ++intervals;
      for (const UncertaintyMethod& method : found.uncertainty)
        ratios[method.name].push_back(method.std[s] / reference.std[s]);
    }
    fmt::print(
        "  seed {:2}: {} of {} inside, so far {:.1f} %; kept aside / calibration {:.2f} over all samples, {:.2f} over "
        "resolved ones;",
        first + seed, here, identifiable, 100.0 * inside / intervals,
        found.metric.validation / found.metric.calibration,
        found.metric.resolved_validation / found.metric.resolved_calibration);
    for (const UncertaintyMethod& method : found.uncertainty)
      fmt::print(" {} {:.3f}", method.name, method.to_reference);
    fmt::print("\n");
    std::fflush(stdout);
  }
  Case test("Coverage of 95 % intervals after updating, box ring, 24 parameters, 1 % noise",
            fmt::format("truth of the simulation; {} noise seeds, {} draws each", seeds, draws));
  for (Index s = 0; s < 24; ++s) {
    const double scatter =
        seeds > 1 ? std::sqrt((estimates.row(s).array() - estimates.row(s).mean()).square().sum() / (seeds - 1)) : 0.0;
    fmt::print("  {:<4} bias {:+.4f} %, scatter {:.4f} %, re-calibration says {:.4f} %, covered {} of {}\n",
               model.parameters[static_cast<std::size_t>(s)].name,
               100.0 * (estimates.row(s).mean() / truth.ratio[s] - 1.0), 100.0 * scatter / truth.ratio[s],
               100.0 * deviations.row(s).mean() / truth.ratio[s], inside_of[static_cast<std::size_t>(s)], seeds);
  }
  // Few intervals scatter by themselves: two standard deviations of a pooled share on either side, parameters of one
  // seed taken as one in four.
  const double slack = 200.0 * std::sqrt(0.93 * 0.07 / (intervals / 4.0));
  test.range("coverage of re-calibration, % pooled", 100.0 * inside / intervals, seeds >= 40 ? 88.0 : 88.0 - slack,
             seeds >= 40 ? 99.0 : 100.0);
  fmt::print("  coverage of the gate: {:.1f} %\n", 100.0 * gate_inside / intervals);
  fmt::print("  median ratio of standard deviations to re-calibration:\n");
  for (const auto& [name, values] : ratios) fmt::print("    {:<16} {:.3f}\n", name, median(values));
  test.range("median ratio of the gate's prediction", median(ratios["gate"]), 0.5, 2.0);
  return test.finish();
}
