// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/mount/active_mount_jobs.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/laws/model_field.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const FitActiveMountJob*) {
  using J = app::FitActiveMountJob;
  static const FieldTable table = FieldTable::of<J>("fit activemount", [](FieldTable& t) {
    t.add(&J::data, "data", "-",
          "Files with frequency responses: frequency_hz, s_x_re_n_per_v, s_x_im_n_per_v, p_yx_abs_n_per_mm, "
          "p_yx_phase_deg, ...")
        .must_be_given()
        .from_words()
        .reads();
    t.add(&J::model, "model", "-",
          "Model file with the known geometry and start values; without it the published mount's")
        .reads();
    t.include(&J::fit, field_table<ActiveMountFitOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct FitActiveMountOutput {
  const FitActiveMountJob& job;
  const ActiveMountFitResult& fit;
  ModelObject model;
};

namespace {

struct PathFit {
  std::size_t points = 0;
  double gain = 0.0, phase = 0.0;
};
const FieldTable& fields_of(const PathFit*) {
  using P = PathFit;
  static const FieldTable table = FieldTable::results<P>("fit of a path", [](FieldTable& t) {
    t.add(&P::points, "points", "-", "Measured values");
    t.add(&P::gain, "rms_gain_rel", "-", "Misfit of the magnitude, rms");
    t.add(&P::phase, "rms_phase_deg", "deg", "Misfit of the phase, rms").in_degrees();
  });
  return table;
}

struct ActiveFitFacts {
  const ActiveMountFitResult& fit;
};
const FieldTable& fields_of(const ActiveFitFacts*) {
  using F = ActiveFitFacts;
  static const FieldTable table = FieldTable::results<F>("fit of an active mount", [](FieldTable& t) {
    // For a dynamic stiffness gain and phase are k_dyn and loss angle: the names every fit of kdyn uses.
    t.add([](const F& f) { return f.fit.rms_gain_rel; }, "rms_kdyn_rel", "-", "Misfit of the magnitude, rms");
    t.add([](const F& f) { return f.fit.rms_phase; }, "rms_loss_deg", "deg", "Misfit of the phase, rms").in_degrees();
    t.add(
        [](const F& f) {
          std::vector<std::pair<std::string, PathFit>> out;
          for (const auto& p : f.fit.paths)
            out.emplace_back(to_string(p.path), PathFit{p.points, p.rms_gain_rel, p.rms_phase});
          return out;
        },
        "paths", "-", "The same by path");
    t.add([](const F& f) { return f.fit.noise_gain_rel; }, "noise_gain_rel", "-",
          "Noise of the magnitude that was taken");
    t.add([](const F& f) { return f.fit.noise_phase; }, "noise_phase_deg", "deg", "Noise of the phase that was taken")
        .in_degrees();
    t.add([](const F& f) { return f.fit.iterations; }, "iterations", "-", "Iterations");
    t.add([](const F& f) { return f.fit.evaluations; }, "evaluations", "-", "Evaluations of the model");
    t.add(
        [](const F& f) -> const auto& { return f.fit.start_costs; }, "start_costs", "-",
        "Cost that each start ended with");
    t.add([](const F& f) { return f.fit.seconds; }, "seconds", "s", "Computing time").shown_in("s");
    t.add(
        [](const F& f) -> const auto& { return f.fit.cost_history; }, "cost_history", "-", "Cost over the iterations");
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const FitActiveMountOutput*) {
  using O = FitActiveMountOutput;
  static const FieldTable table = FieldTable::results<O>("fit activemount result", [](FieldTable& t) {
    t.add([](const O& o) { return o.fit.status; }, "status", "-", "converged, not_converged or stopped");
    t.add([](const O& o) { return o.fit.reason; }, "reason", "-", "Why");
    t.add(&O::model, "model", "-", "The model, as a model file");
    t.add(
         [](const O& o) -> const auto& { return o.fit.parameters; }, "parameters", "-", "Identified parameters")
        .keyed_by("name");
    t.add(
        [](const O& o) {
          return Correlation{o.fit.correlation_names, o.fit.correlation};
        },
        "correlation", "-", "Correlation of the free ones");
    t.add(
        [](const O& o) -> const auto& { return o.fit.not_told_apart; }, "not_told_apart", "-",
        "Parameters that the data cannot distinguish");
    t.add([](const O& o) { return ActiveFitFacts{o.fit}; }, "fit", "-", "Quality of the fit");
    t.add(
        [](const O& o) -> const auto& { return o.fit.findings; }, "findings", "-", "What was noticed, and what to do");
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

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
    outcome.inputs.push_back(frf.source);
  }
  ActiveMountModel model;
  if (!job.model.empty()) {
    const std::string content = read_text(job.model);
    model = active_mount_from_json(parse_json(content, job.model), job.model);
    outcome.inputs.push_back({job.model, sha256(content), {}});
  } else {
    findings.push_back(
        {Severity::warning, "published_geometry", "model",
         "no model file is given: areas, masses and coil are those of the published mount (Hausberg 2015)",
         "give --model FILE with the geometry of this mount"});
  }
  progress.report(0.1, "fitting");
  ActiveMountFitResult fit = fit_active_mount(points, model.law, job.fit, progress);
  fit.findings.insert(fit.findings.begin(), findings.begin(), findings.end());
  model.law = fit.law;

  outcome.complete = fit.status == "converged";
  ModelObject model_file;
  active_mount_to_json(model, model_file.json);
  to_json_fields(FitActiveMountOutput{job, fit, model_file}, outcome.result);
  outcome.files.push_back({"model.json", dump_json(model_file.json)});
  outcome.text =
      fmt::format("status: {} ({})\nmisfit: {:.2f} % of magnitude, {:.2f} deg of phase (rms); fitted in {:.3g} ms\n",
                  fit.status, fit.reason, 100.0 * fit.rms_gain_rel, fit.rms_phase / degree, 1e3 * fit.seconds) +
      parameter_text(fit.parameters);
  for (const std::string& sentence : fit.not_told_apart) outcome.text += "  " + sentence + "\n";
  outcome.text += findings_text(fit.findings);
  outcome.document = active_fit_report(std::filesystem::path(job.data.front()).stem().string(), points, fit);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
