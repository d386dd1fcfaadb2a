// SPDX-License-Identifier: Apache-2.0
// Do the intervals of an updating job hold? A structure of 20 motions with 6 unknown parameters (the reference of
// src/kdyn/update/test), measured again and again with new noise and no error of the model; the whole chain runs each
// time, with full re-calibration as the source of the intervals.
//
//   validation_updating_coverage                          40 noise seeds, 24 draws each
//   validation_updating_coverage --seeds 6 --draws 10     a quick one
#include <cstring>
#include <map>

#include "kdyn/base/json.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/update/update.hpp"
#include "kdyn/update/virtual_responses.hpp"

#include "validation.hpp"

namespace {

using namespace kdyn;
using namespace kdyn::update;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd vector_of(const Json& in) {
  const auto values = in.get<std::vector<double>>();
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}
MatrixXd matrix_of(const Json& in) {
  MatrixXd out(static_cast<Index>(in.size()), static_cast<Index>(in.size()));
  for (std::size_t i = 0; i < in.size(); ++i) out.row(static_cast<Index>(i)) = vector_of(in[i]).transpose();
  return out;
}

Matrix named(const std::string& name, const MatrixXd& values) {
  Matrix out;
  out.name = name;
  out.rows = out.columns = static_cast<int>(values.rows());
  out.symmetric = true;
  out.real.assign(values.data(), values.data() + values.size());
  for (int i = 0; i < out.rows; ++i) out.row_dofs.push_back({i + 1, 3, ""}), out.column_dofs.push_back({i + 1, 3, ""});
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 40, draws = 24;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--draws") == 0) draws = std::atoi(argv[i + 1]);
  }
  const Json json = read_json(std::string(KDYN_SOURCE_DIR) + "/src/kdyn/update/test/reference/updating.json");
  const VectorXd p0 = vector_of(json["p0"]), p_true = vector_of(json["p_true"]);
  MatrixSet set;
  MatrixXd k = matrix_of(json["K_fix"]), m = matrix_of(json["M_fix"]);
  std::vector<ParameterSetting> settings;
  for (std::size_t s = 0; s < 6; ++s) {
    const MatrixXd dk = p0[static_cast<Index>(s)] * matrix_of(json["dK"][s]),
                   dm = p0[static_cast<Index>(s)] * matrix_of(json["dM"][s]);
    ParameterSetting p;
    p.name = fmt::format("p{}", s + 1), p.unit = s < 5 ? "N/m" : "-", p.nominal = p0[static_cast<Index>(s)];
    set.matrices.push_back(named("dK_" + p.name, dk));
    set.matrices.push_back(named("dM_" + p.name, dm));
    settings.push_back(p);
    k += dk, m += dm;
  }
  set.matrices.push_back(named("K", k));
  set.matrices.push_back(named("M", m));
  const FullModel model = full_model(fe::matrix_model_of(set, "reference"), settings, "reference");
  const VectorXd truth = p_true.cwiseQuotient(p0);

  // The true structure in full, with the damping ratios of the reference.
  std::vector<Dof> outputs, inputs;
  for (const Json& dof : json["outputs_dof0"]) outputs.push_back({dof.get<int>() + 1, 3, ""});
  for (const Json& dof : json["inputs_dof0"]) inputs.push_back({dof.get<int>() + 1, 3, ""});
  const fe::ReducedModel full = fe::project(model.matrices, MatrixXd::Identity(20, 20), model.rows(outputs, "outputs"),
                                            model.rows(inputs, "inputs").transpose());
  const VectorXd hz = VectorXd::LinSpaced(400, 40.0, 150.0);
  const ModalForm form = modal_form(full, truth, false);

  UpdateOptions options;
  options.band_hz = {40.0, 150.0};
  options.basis_modes = 20;
  options.starts = 1;
  options.suggest = false;
  options.bootstrap_draws = 60;
  options.monte_carlo_draws = draws;
  int inside = 0, intervals = 0;
  std::vector<double> distance;                       // (estimate - truth) / std
  std::map<std::string, std::vector<double>> ratios;  // std of a method over that of re-calibration
  MatrixXd estimates(6, seeds), deviations(6, seeds);
  for (int seed = 0; seed < seeds; ++seed) {
    const Part part{fmt::format("seed {}", seed),
                    virtual_responses(form, vector_of(json["xi_true"]), hz, outputs, inputs, 0.01,
                                      1000 + static_cast<std::uint64_t>(seed)),
                    {}};
    options.seed = seed + 1;
    const PartResult found = run_update(model, {part}, {}, options, "").parts[0];
    const UncertaintyMethod& reference = found.uncertainty.front();
    for (Index s = 0; s < 6; ++s) {
      const double error = found.optimum.ratio[s] - truth[s];
      inside += std::abs(error) <= reference.quantile * reference.std[s], ++intervals;
      distance.push_back(error / reference.std[s]);
      estimates(s, seed) = found.optimum.ratio[s], deviations(s, seed) = reference.std[s];
      for (const UncertaintyMethod& method : found.uncertainty)
        ratios[method.name].push_back(method.std[s] / reference.std[s]);
    }
  }
  kdyn::validation::Case test("Coverage of 95 % intervals after updating, 20 motions, 6 parameters, 1 % noise",
                              fmt::format("truth of the simulation; {} noise seeds, {} draws each", seeds, draws));
  for (Index s = 0; s < 6; ++s) {
    const double scatter = std::sqrt((estimates.row(s).array() - estimates.row(s).mean()).square().sum() / (seeds - 1));
    fmt::print("  p{}: bias {:+.4f} %, scatter {:.4f} %, re-calibration says {:.4f} %\n", s + 1,
               100.0 * (estimates.row(s).mean() / truth[s] - 1.0), 100.0 * scatter / truth[s],
               100.0 * deviations.row(s).mean() / truth[s]);
  }
  test.range("coverage of re-calibration, % pooled", 100.0 * inside / intervals, 88.0, 99.0);
  fmt::print("  median ratio of standard deviations to re-calibration:\n");
  for (const auto& [name, values] : ratios) fmt::print("    {:<16} {:.3f}\n", name, median(values));
  test.range("median ratio of the gate's prediction", median(ratios["gate"]), 0.3, 3.0);
  return test.finish();
}
