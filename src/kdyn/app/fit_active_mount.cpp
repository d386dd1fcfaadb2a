// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/active_mount_jobs.hpp"
#include "kdyn/app/display.hpp"
#include "kdyn/app/inputs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const FitActiveMountJob*) {
  using J = app::FitActiveMountJob;
  static const FieldTable table = FieldTable::of<J>("fit activemount", [](FieldTable& t) {
    t.add(&J::data, "data", "-",
          "Files with frequency responses: frequency_hz, s_x_re_n_per_v, s_x_im_n_per_v, p_yx_abs_n_per_mm, p_yx_phase_deg, ...")
        .must_be_given();
    t.add(&J::model, "model", "-", "Model file with the known geometry and start values; without it the published mount's");
    t.include(&J::fit, field_table<ActiveMountFitOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

namespace {}  // namespace

Outcome fit_active_mount_job(const FitActiveMountJob& job, Progress& progress) {
  if (job.data.empty()) throw_bad_input("data", "no file is given", "give --data FRF.csv");
  Outcome outcome;
  std::vector<ActiveFrfPoint> points;
  std::vector<Finding> findings;
  for (const std::string& path : job.data) {
    ActiveFrf frf = read_active_frf(path);
    points.insert(points.end(), frf.points.begin(), frf.points.end());
    findings.insert(findings.end(), frf.findings.begin(), frf.findings.end());
    outcome.inputs.push_back(source_json(frf.source));
  }
  ActiveMountModel model;
  if (!job.model.empty()) {
    const std::string content = read_text(job.model);
    model = active_mount_from_json(parse_json(content, job.model), job.model);
    outcome.inputs.push_back({{"path", job.model}, {"sha256", sha256(content)}});
  } else {
    findings.push_back({Severity::warning, "published_geometry", "model",
                        "no model file is given: areas, masses and coil are those of the published mount (Hausberg 2015)",
                        "give --model FILE with the geometry of this mount"});
  }
  progress.report(0.1, "fitting");
  ActiveMountFitResult fit = fit_active_mount(points, model.law, job.fit, progress);
  fit.findings.insert(fit.findings.begin(), findings.begin(), findings.end());
  model.law = fit.law;

  outcome.complete = fit.status == "converged";
  Json& result = outcome.result;
  result["status"] = fit.status;
  result["reason"] = fit.reason;
  active_mount_to_json(model, result["model"]);
  result["parameters"] = parameters_json(fit.parameters);
  Json matrix = Json::array();
  for (Eigen::Index i = 0; i < fit.correlation.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index k = 0; k < fit.correlation.cols(); ++k) row.push_back(fit.correlation(i, k));
    matrix.push_back(std::move(row));
  }
  result["correlation"] = {{"names", fit.correlation_names}, {"matrix", std::move(matrix)}};
  result["not_told_apart"] = fit.not_told_apart;
  Json paths = Json::object();
  for (const auto& p : fit.paths)
    paths[to_string(p.path)] = {{"points", p.points}, {"rms_gain_rel", p.rms_gain_rel}, {"rms_phase_deg", p.rms_phase / degree}};
  // For a dynamic stiffness gain and phase are k_dyn and loss angle: the names every fit of kdyn uses.
  result["fit"] = {{"rms_kdyn_rel", fit.rms_gain_rel},
                   {"rms_loss_deg", fit.rms_phase / degree},
                   {"paths", std::move(paths)},
                   {"noise_gain_rel", fit.noise_gain_rel},
                   {"noise_phase_deg", fit.noise_phase / degree},
                   {"iterations", fit.iterations},
                   {"evaluations", fit.evaluations},
                   {"start_costs", fit.start_costs},
                   {"seconds", fit.seconds},
                   {"cost_history", fit.cost_history}};
  result["findings"] = to_json(fit.findings);
  to_json_fields(job, result["options_used"]);
  Json model_file;
  active_mount_to_json(model, model_file);
  outcome.files.push_back({"model.json", dump_json(model_file)});
  outcome.text = fmt::format("status: {} ({})\nmisfit: {:.2f} % of magnitude, {:.2f} deg of phase (rms); fitted in {:.3g} ms\n", fit.status,
                             fit.reason, 100.0 * fit.rms_gain_rel, fit.rms_phase / degree, 1e3 * fit.seconds) +
                 parameter_text(fit.parameters);
  for (const std::string& sentence : fit.not_told_apart) outcome.text += "  " + sentence + "\n";
  outcome.text += findings_text(fit.findings);
  outcome.document = active_fit_report(std::filesystem::path(job.data.front()).stem().string(), points, fit);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
