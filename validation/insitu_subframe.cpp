// SPDX-License-Identifier: Apache-2.0
// 24 stiffnesses of the four bushings of a flexible subframe from accelerations with 2 % noise: two hammer strikes,
// three accelerations at each of eight points, 0.25 s, start values 0.75 and 1.3 times the true ones. Promise for each
// of five fixed seeds of the noise: at least 20 of the 24 true values lie inside their 95 % intervals. If the intervals
// are right, fewer than 20 happens in one of about 2500 draws.
//
//   validation_insitu_subframe --seeds 5             the full run, about 10 s for each seed
#include <cstdlib>
#include <cstring>

#include "kdyn/base/random.hpp"
#include "kdyn/insitu/insitu.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "validation.hpp"

namespace {

using namespace kdyn;
using namespace kdyn::mbs;

constexpr double noise = 0.02;

InsituExperiment experiment(const std::string& name) {
  InsituExperiment out;
  out.name = name;
  ModelFile file = read_model(std::string(KDYN_SOURCE_DIR) + "/examples/multibody/" + name + ".json");
  for (std::size_t m = 0; m < file.model.markers.size(); ++m)
    if (file.model.markers[m].name.starts_with("corner") || file.model.markers[m].name.starts_with("side"))
      for (int k = 0; k < 3; ++k) {
        out.outputs.push_back({OutputKind::acceleration, static_cast<int>(m), k});
        out.signals.push_back(fmt::format("{}.{}", file.model.markers[m].name, "xyz"[k]));
      }
  out.run = file.run;
  out.model = std::move(file.model);
  const System system(out.model);
  out.measured.resize(static_cast<Eigen::Index>(out.outputs.size()),
                      std::lround(out.run.duration_s / out.run.step_s) + 1);
  Eigen::Index n = 0;
  simulate(
      system, out.run,
      [&](const RunState& s, const Evaluation& e) {
        for (std::size_t j = 0; j < out.outputs.size(); ++j)
          out.measured(static_cast<Eigen::Index>(j), n) = output_value(system, out.outputs[j], s, e);
        ++n;
      },
      silent_progress());
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 5;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::clamp(std::atoi(argv[i + 1]), 1, 100);
  validation::Case report(fmt::format("Subframe, 24 stiffnesses in situ, {} seeds", seeds),
                          "the stiffnesses the measurements were made with");
  const std::vector<InsituExperiment> clean = {experiment("subframe"), experiment("subframe_second")};
  const System truth(clean[0].model);
  std::vector<InsituParameter> parameters;
  std::vector<double> exact;
  for (std::size_t a = 0; a < truth.axes().size(); ++a) {
    const Parameter at{Parameter::Kind::law, static_cast<int>(a), 0};
    exact.push_back(parameter_value(truth, at));
    const Connection& c = truth.model().connections[static_cast<std::size_t>(truth.axes()[a].connection)];
    parameters.push_back({fmt::format("{}.{}", c.name, truth.axes()[a].component),
                          "N/m",
                          {at, at},
                          (a % 2 == 0 ? 1.3 : 0.75) * exact.back()});
  }
  int pooled = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    std::vector<InsituExperiment> measured = clean;
    for (std::size_t e = 0; e < measured.size(); ++e)
      for (Eigen::Index j = 0; j < measured[e].measured.rows(); ++j) {
        RandomStream random(static_cast<std::uint64_t>(seed), 1000 * e + static_cast<std::uint64_t>(j));
        const auto row = clean[e].measured.row(j).array();
        const double rms = std::sqrt((row - row.mean()).square().mean());
        for (double& m : measured[e].measured.row(j)) m += noise * rms * random.normal();
      }
    InsituOptions options;
    options.tolerance = 1e-6;
    options.check_gradient = seed == 1;
    const InsituResult result = identify_in_situ(measured, parameters, {}, options, silent_progress());
    int inside = 0;
    double worst = 0.0, widest = 0.0;
    for (std::size_t i = 0; i < exact.size() && i < result.parameters.size(); ++i) {
      const ParameterEstimate& p = result.parameters[i];
      inside += p.lower_95 <= exact[i] && exact[i] <= p.upper_95 ? 1 : 0;
      worst = std::max(worst, std::abs(p.value / exact[i] - 1.0));
      widest = std::max(widest, p.std / p.value);
    }
    pooled += inside;
    fmt::print(
        "seed {}: {} in {} iterations, {} of 24 inside, worst error {:.2f} %, widest std {:.2f} %, misfit {:.3f} %\n",
        seed, result.status, result.history.size() - 1, inside, 100.0 * worst, 100.0 * widest, 100.0 * result.misfit);
    report.range(fmt::format("seed {}: true values inside their 95 % intervals", seed), inside, 20.0, 24.0);
    report.range(fmt::format("seed {}: converged", seed), result.status == "converged" ? 1.0 : 0.0, 1.0, 1.0);
    report.range(fmt::format("seed {}: noise found, %", seed), 100.0 * result.noise, 1.95, 2.05);
    if (options.check_gradient) {
      report.range("adjoint against direct sensitivity", result.gradient_check.adjoint_forward, 0.0, 1e-8);
      report.range("adjoint against central differences", result.gradient_check.adjoint_differences, 0.0, 1e-6);
    }
  }
  fmt::print("pooled coverage {:.1f} %\n", 100.0 * pooled / (24.0 * seeds));
  return report.finish();
}
