// SPDX-License-Identifier: Apache-2.0
// Is updating honest about what a model lacks? A ladder of strips with two masses on bushings
// (src/kdyn/update/test/plate_frame.hpp), 15 parameters, 1 % noise. The truth has a mesh twice as fine, rubber that loses
// energy, a soft joint, a forgotten mass, or equipment and cladding that the model does not have; and none of these.
// Counted: truths within 95 % intervals, findings, and how much wider the intervals are than by noise alone. With
// --faults: channels that are turned, exchanged, late or off by 10 %, one in each run.
//
//   validation_updating_model_error                           10 noises for each error, 40 without
//   validation_updating_model_error --seeds 1 --clean 2 --faults 1    a quick one
//   validation_updating_model_error --seeds 0 --clean 0 --losses 5   loss factors of 0.12 and 0.25 as parameters
//   validation_updating_model_error --variant 1    errors of other sizes (1 ... 3), or two at once (4)
//   validation_updating_model_error --verbose 1               every parameter with what each method says
#include <cstring>

#include "kdyn/numerics/statistics.hpp"
#include "kdyn/update/model_error.hpp"
#include "kdyn/update/test/plate_frame.hpp"

#include "validation.hpp"

namespace {

using namespace kdyn;
using namespace kdyn::update;
using Eigen::Index;
using Eigen::VectorXd;

bool says(const PartResult& part, const std::string& code) {
  return std::any_of(part.findings.begin(), part.findings.end(), [&](const Finding& f) { return f.code == code; });
}

struct Count {
  int inside = 0, intervals = 0, accused = 0, poor = 0, runs = 0, faults = 0;
  std::vector<double> wider, ratio, finer;  // finer: r with a mesh twice as fine
};

}  // namespace

int main(int argc, char** argv) {
  int seeds = 10, clean_seeds = 40, fault_seeds = 0, loss_seeds = 0, first = 0, verbose = 0, only = -1, variant = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const int value = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = value;
    if (std::strcmp(argv[i], "--clean") == 0) clean_seeds = value;
    if (std::strcmp(argv[i], "--faults") == 0) fault_seeds = value;
    if (std::strcmp(argv[i], "--losses") == 0) loss_seeds = value;
    if (std::strcmp(argv[i], "--first") == 0) first = value;
    if (std::strcmp(argv[i], "--verbose") == 0) verbose = value;
    if (std::strcmp(argv[i], "--case") == 0) only = value;
    if (std::strcmp(argv[i], "--variant") == 0) variant = value;
  }
  const test::PlateFrame frame = test::plate_frame();
  const FullModel model = full_model(frame.model, test::frame_parameters());
  const VectorXd truth = test::true_ratios(), hz = VectorXd::LinSpaced(500, 15.0, 240.0);
  UpdateOptions options;
  options.band_hz = {20.0, 180.0};
  options.starts = 1, options.suggest = false;
  options.bootstrap_draws = verbose > 0 ? 60 : 0;
  std::vector<std::pair<const char*, test::FrameTruth>> cases(6);
  cases[0].first = "no error of the model";
  cases[1].first = "mesh twice as fine", cases[1].second.refined = 2;
  cases[2].first = "rubber, loss factor 0.12", cases[2].second.loss = 0.12;
  cases[3].first = "soft joint", cases[3].second.joint = 4e3;
  cases[4].first = "forgotten mass of 0.4 kg", cases[4].second.forgotten_kg = 0.4;
  cases[5].first = "equipment and cladding", cases[5].second.equipment_kg = 0.5, cases[5].second.cladding_kg_m2 = 3.0;
  // The same errors in other sizes: refinement, loss factor, joint, forgotten mass, equipment and cladding.
  constexpr double sizes[3][6] = {
      {3, 0.2, 1e4, 0.2, 0.3, 1.0}, {4, 0.06, 1.5e3, 0.8, 1.0, 0.0}, {2, 0.03, 4e4, 0.05, 0.05, 6.0}};
  if (variant >= 1 && variant <= 3) {
    const auto& size = sizes[variant - 1];
    cases[1].second.refined = static_cast<int>(size[0]), cases[2].second.loss = size[1];
    cases[3].second.joint = size[2], cases[4].second.forgotten_kg = size[3];
    cases[5].second.equipment_kg = size[4], cases[5].second.cladding_kg_m2 = size[5];
    for (std::size_t c = 1; c < cases.size(); ++c) cases[c].first = "in another size";
  }
  if (variant == 4) {  // two at once
    cases[1] = {"mesh 3 times as fine, loss 0.05", {.refined = 3, .loss = 0.05}};
    cases[2] = {"loss 0.18, forgotten 0.15 kg", {.loss = 0.18, .forgotten_kg = 0.15}};
    cases[3] = {"soft joint, cladding", {.joint = 7e3, .cladding_kg_m2 = 2.0}};
    cases[4] = {"mesh twice as fine, forgotten 0.3 kg", {.refined = 2, .forgotten_kg = 0.3}};
    cases[5] = {"equipment, soft joint", {.joint = 2e4, .equipment_kg = 0.7}};
  }
  const auto run = [&](const Eigen::MatrixXcd& responses, int seed) {
    options.seed = seed + 1;
    const Part part{"frame", test::measured(responses, hz, frame, 0.01, 1000 + static_cast<std::uint64_t>(seed)), {}};
    return run_update(model, {part}, {}, options, "").parts[0];
  };
  std::vector<Count> counts(cases.size());
  Eigen::MatrixXcd clean;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    if (only >= 0 && static_cast<int>(c) != only && c != 0) continue;
    const Eigen::MatrixXcd responses = test::true_responses(cases[c].second, hz);
    if (c == 0) clean = responses;
    if (only >= 0 && static_cast<int>(c) != only) continue;
    Count& count = counts[c];
    for (int seed = first; seed < first + (c == 0 ? clean_seeds : seeds); ++seed) {
      const PartResult found = run(responses, seed);
      int here = 0;
      for (Index s = 0; s < 15; ++s) {
        const ParameterEstimate& p = found.parameters[static_cast<std::size_t>(s)];
        const double value = truth[s] * model.parameters[static_cast<std::size_t>(s)].nominal;
        here += p.lower_95 <= value && value <= p.upper_95;
        count.wider.push_back(
            0.5 * (p.upper_95 - p.lower_95) /
            (1.96 * found.gate_at_optimum.std[s] * model.parameters[static_cast<std::size_t>(s)].nominal));
      }
      count.inside += here, count.intervals += 15, ++count.runs;
      count.accused += says(found, "model_error"), count.poor += found.status == "poor_fit";
      count.faults += !found.channel_faults.empty();
      count.ratio.push_back(found.model_to_noise);
      if (found.finer_mesh.made()) count.finer.push_back(found.finer_mesh.model_to_noise);
      fmt::print("CASE {} seed {} r {:.3f} basis {:.1g} modes {} inside {} of 15, {}, {} channel faults; {}\n",
                 cases[c].first, seed, found.model_to_noise, found.basis_error, found.identified.modes.size(), here,
                 found.status, found.channel_faults.size(), found.likely_error);
      if (verbose > 0) {
        Target target = found.stages.back().target;
        target.weight = found.noise.resolved(target);
        const ModelErrorSpread e =
            model_error_spread(found.model, found.optimum.ratio, target, found.stages.back().damping,
                               found.noise_metric.resolved_calibration, std::vector<bool>(15, true));
        VectorXd block = VectorXd::Zero(15);
        for (const UncertaintyMethod& m : found.uncertainty)
          if (m.name == "block_bootstrap") block = m.std;
        for (Index s = 0; s < 15; ++s)
          fmt::print(
              "P {} {} {} err {:.6f} gate {:.6f} block {:.6f} jl {:.6f} jo {:.6f} ji {:.6f} km {:.6f} mesh {:.6f}\n", c,
              seed, model.parameters[static_cast<std::size_t>(s)].name, found.optimum.ratio[s] - truth[s],
              found.gate_at_optimum.std[s], block[s], e.by_lines[s], e.by_outputs[s], e.by_inputs[s], e.by_modes[s],
              found.finer_mesh.made() ? found.finer_mesh.ratio[s] - found.optimum.ratio[s] : 0.0);
      }
      std::fflush(stdout);
    }
  }
  validation::Case test("Updating under errors of the model, 15 parameters, 1 % noise",
                        fmt::format("truth of the simulation; {} noises, {} without error", seeds, clean_seeds));
  int inside = 0, intervals = 0, runs = 0, accused = 0;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Count& count = counts[c];
    if (count.runs == 0) continue;
    fmt::print(
        "  {}: {:.1f} % inside, r {:.3g}, with a finer mesh {:.3g}, accused {} of {}, poor fit {}, channel faults {}, "
        "intervals {:.3g} times noise\n",
        cases[c].first, 100.0 * count.inside / count.intervals, median(count.ratio), median(count.finer), count.accused,
        count.runs, count.poor, count.faults, median(count.wider));
    if (c > 0) inside += count.inside, intervals += count.intervals, runs += count.runs, accused += count.accused;
  }
  if (intervals > 0) {
    test.range("error of the model: coverage, %, pooled", 100.0 * inside / intervals, seeds >= 10 ? 88.0 : 75.0,
               seeds >= 10 ? 98.0 : 100.0);
    test.range("error of the model: runs with a finding, %", 100.0 * accused / runs, 100.0, 100.0);
    if (variant == 0 && !counts[1].finer.empty())  // that mesh is the truth's
      test.range("mesh twice as fine: r with that mesh", median(counts[1].finer), 0.5, 1.5);
  }
  if (counts[0].runs > 0) {
    test.range("no error: coverage, %", 100.0 * counts[0].inside / counts[0].intervals, clean_seeds >= 40 ? 90.0 : 75.0,
               clean_seeds >= 40 ? 98.0 : 100.0);
    test.range("no error: intervals over those of noise, median", median(counts[0].wider), 0.9, 1.3);
    test.range("no error: accused, runs", counts[0].accused, 0.0, clean_seeds >= 40 ? 1.0 : 0.0);
    test.range("no error: false channel faults, runs", counts[0].faults, 0.0, clean_seeds >= 40 ? 1.0 : 0.0);
  }
  // One fault in each run: a sensor or a force that is turned, two that are exchanged, one early or late by 0.3 to 1 ms,
  // one off by 10 %. Two that see the same to 5 % cannot be told apart and do no harm: they are not exchanged.
  int named = 0, planted = 0;
  for (int seed = first; seed < first + fault_seeds; ++seed)
    for (int kind = 0; kind < 4; ++kind) {
      RandomStream random(77, static_cast<std::uint64_t>(4 * seed + kind));
      const bool of_force = random.uniform() < 0.3;
      const Index count = of_force ? 7 : 30;
      const auto draw = [&] { return static_cast<Index>(random.below(static_cast<std::uint64_t>(count))); };
      const auto channels = [&](Index i) {
        std::vector<Index> out;
        for (Index k = 0; k < (of_force ? 30 : 7); ++k) out.push_back(of_force ? k + 30 * i : i + 30 * k);
        return out;
      };
      const Index y = draw();
      Index z = draw();
      const auto alike = [&] {
        const Eigen::MatrixXcd a = clean(Eigen::all, channels(y)), b = clean(Eigen::all, channels(z));
        return (a - b).norm() < 0.05 * a.norm();
      };
      while (kind == 1 && (z == y || alike())) z = draw();
      const double delay = (random.uniform() < 0.5 ? -1.0 : 1.0) * random.uniform(0.3e-3, 1e-3),
                   gain = random.uniform() < 0.5 ? 1.1 : 1.0 / 1.1;
      Eigen::MatrixXcd wrong = clean;
      const std::vector<Index> of_y = channels(y), of_z = channels(z);
      for (std::size_t i = 0; i < of_y.size(); ++i) {
        if (kind == 0) wrong.col(of_y[i]) *= -1.0;
        if (kind == 1) wrong.col(of_y[i]).swap(wrong.col(of_z[i]));
        if (kind == 3) wrong.col(of_y[i]) *= gain;
        for (Index l = 0; l < hz.size() && kind == 2; ++l)
          wrong(l, of_y[i]) *= std::polar(1.0, 2.0 * 3.141592653589793 * hz[l] * delay);
      }
      const PartResult found = run(wrong, seed);
      const ChannelFaultKind kinds[] = {ChannelFaultKind::sign, ChannelFaultKind::swap, ChannelFaultKind::delay,
                                        ChannelFaultKind::factor};
      const bool right =
          std::any_of(found.channel_faults.begin(), found.channel_faults.end(), [&](const ChannelFault& f) {
            if (f.kind != kinds[kind]) return false;
            if (f.force != of_force) return false;
            if (kind == 1) return std::min(y, z) == f.index && std::max(y, z) == f.other;
            return f.index == y;
          });
      named += right, ++planted;
      std::string words;
      for (const ChannelFault& f : found.channel_faults) words += words_of(f, found.outputs, found.inputs) + "; ";
      const char* planted_words[] = {"turned", "exchanged", "delayed", "scaled"};
      fmt::print("FAULT {} {} {} seed {} {}: r {:.2f} {}\n", of_force ? "force" : "sensor", y, planted_words[kind],
                 seed,
                 right && found.channel_faults.size() == 1 ? "named"
                 : right                                   ? "named among others"
                                                           : "MISSED",
                 found.model_to_noise, words);
      std::fflush(stdout);
    }
  // Rubber with its loss factors among the parameters: what the model lacked, it has now.
  const FullModel lossy = full_model(frame.model, test::frame_parameters_with_loss());
  Count rubber;
  double largest_stiffness = 0.0, largest_loss = 0.0;
  for (const double loss : {0.12, 0.25})
    for (int seed = first; seed < first + loss_seeds; ++seed) {
      test::FrameTruth what;
      what.loss = loss;
      options.seed = seed + 1;
      const Part part{
          "frame",
          test::measured(test::true_responses(what, hz), hz, frame, 0.01, 1000 + static_cast<std::uint64_t>(seed)),
          {}};
      const PartResult found = run_update(lossy, {part}, {}, options, "").parts[0];
      int here = 0;
      for (Index s = 0; s < 17; ++s) {
        const ParameterEstimate& p = found.parameters[static_cast<std::size_t>(s)];
        const double value = s < 15 ? truth[s] * lossy.parameters[static_cast<std::size_t>(s)].nominal : loss;
        here += p.lower_95 <= value && value <= p.upper_95;
        double& largest = s < 15 ? largest_stiffness : largest_loss;
        largest = std::max(largest, 100.0 * std::abs(p.value / value - 1.0));
      }
      rubber.inside += here, rubber.intervals += 17, ++rubber.runs;
      rubber.accused += says(found, "model_error");
      fmt::print("LOSS {} seed {} r {:.3f} inside {} of 17, basis off by {:.2g} (first {:.2g}), {}\n", loss, seed,
                 found.model_to_noise, here, found.basis_error, found.basis_error_nominal, found.status);
      std::fflush(stdout);
    }
  if (rubber.runs > 0) {
    test.range("loss factors as parameters: coverage, %", 100.0 * rubber.inside / rubber.intervals, 75.0, 100.0);
    test.range("loss factors as parameters: accused, runs", rubber.accused, 0.0, 0.0);
    test.range("loss factors as parameters: largest error of stiffness, thickness, mass, %", largest_stiffness, 0.0,
               0.5);
    test.range("loss factors as parameters: largest error of a loss factor, %", largest_loss, 0.0, 2.0);
  }
  if (planted > 0) test.range("planted channel faults that are named, %", 100.0 * named / planted, 95.0, 100.0);
  return test.finish();
}
