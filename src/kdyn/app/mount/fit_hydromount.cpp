// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/mount/hydromount_jobs.hpp"
#include "kdyn/app/present/bench_plots.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const FitHydroMountJob*) {
  using J = app::FitHydroMountJob;
  static const FieldTable table = FieldTable::of<J>("fit hydromount", [](FieldTable& t) {
    t.add(&J::data, "data", "-", "Measurement files: a map, and static loops if there are any").must_be_given().reads();
    t.include(&J::read, field_table<ReadHints>());
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the first file");
    t.include(&J::fit, field_table<HydroMountFitOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

Json levels_json(const HydroMountFitResult& fit) {
  Json all = Json::array();
  for (const HydroLevel& level : fit.levels)
    all.push_back({{"detail", to_string(level.detail)},
                   {"fluid_damping_exponent", level.exponent},
                   {"parameters", level.parameters},
                   {"chi_square_per_value", level.chi_square},
                   {"rms_kdyn_rel", level.rms_k_dyn_rel},
                   {"rms_loss_deg", level.rms_loss_angle / degree},
                   {"accepted", level.accepted},
                   {"chosen", level.chosen},
                   {"note", level.note}});
  return all;
}

Json fit_json(const HydroMountFitResult& fit) {
  Json out = {
      {"criterion", "harmonic"}, {"rms_kdyn_rel", fit.rms_k_dyn_rel}, {"rms_loss_deg", fit.rms_loss_angle / degree}};
  out["rms_static_n"] = fit.rms_static ? Json(*fit.rms_static) : Json(nullptr);
  out["preload_n"] = fit.preload;
  out["iterations"] = fit.iterations;
  out["evaluations"] = fit.evaluations;
  out["seconds"] = fit.seconds;
  out["groups"] = Json::array();
  for (const FitGroup& g : fit.groups)
    out["groups"].push_back({{"name", g.name},
                             {"unit", g.unit},
                             {"count", g.count},
                             {"noise", g.noise},
                             {"noise_given", g.noise_given},
                             {"down_weighted", g.down_weighted},
                             {"interval_widening", g.widening}});
  out["cost_history"] = fit.cost_history;
  return out;
}

Json map_json(const ElastomerData& data, const HydroMountFitResult& fit) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < fit.map_model.size(); ++i) {
    const MapRow& row = data.map.rows[i];
    rows.push_back({{"frequency_hz", row.frequency_hz},
                    {"amplitude_m", row.amplitude},
                    {"preload_n", row.preload},
                    {"k_dyn", row.k_dyn},
                    {"loss_angle_deg", row.loss_angle / degree},
                    {"k_dyn_model", fit.map_model[i].k_dyn},
                    {"loss_angle_model_deg", fit.map_model[i].loss_angle / degree},
                    {"used", static_cast<bool>(fit.row_used[i])},
                    {"several_states", static_cast<bool>(fit.at_fold[i])}});
  }
  return rows;
}

std::string terminal_text(const HydroMountFitResult& fit, std::size_t folds) {
  std::string text = fmt::format("status: {} ({})\n", fit.status, fit.reason);
  text += fmt::format("misfit: {:.2f} % of stiffness, {:.2f} deg of loss angle (rms)", 100.0 * fit.rms_k_dyn_rel,
                      fit.rms_loss_angle / degree);
  if (fit.rms_static) text += fmt::format(", static loop {:.3g} N", *fit.rms_static);
  text += fmt::format("; fitted in {:.0f} ms\n", 1e3 * fit.seconds);
  for (const HydroLevel& level : fit.levels)
    text += fmt::format("  {} {:<10} {:>2} parameters  {:6.2f} %  {:6.2f} deg  {}\n", level.chosen ? "*" : " ",
                        to_string(level.detail), level.parameters, 100.0 * level.rms_k_dyn_rel,
                        level.rms_loss_angle / degree, level.note);
  if (folds > 0) text += fmt::format("  the mount jumps: {} folds in the range of the data\n", folds);
  text += parameter_text(fit.parameters);
  for (const std::string& sentence : fit.not_told_apart) text += "  " + sentence + "\n";
  text += findings_text(fit.findings);
  return text;
}

}  // namespace

std::vector<SteadyBranch> traced_branches(const ElastomerData& data, const HydroMountFitResult& fit) {
  const MapView view(data.map);
  SteadyOptions options;
  options.odd_harmonics = 5;
  options.tolerance = 1e-8;
  const HarmonicBalance balance(fit.law, static_displacement(fit.law, fit.preload), options);
  std::vector<SteadyBranch> branches;
  for (const double a : view.amplitudes)
    branches.push_back(balance.trace(a, view.frequencies.front(), view.frequencies.back()));
  return branches;
}

Outcome fit_hydromount_job(const FitHydroMountJob& job, Progress& progress) {
  progress.report(0.0, "reading");
  BenchInputs inputs = read_bench_inputs(job.data, job.read);
  demand_one_temperature(inputs);
  for (const BenchSeries& series : inputs.data.series)
    inputs.findings.push_back({Severity::warning, "not_used", series.source.path,
                               "a hydro mount is fitted to maps and static loops; this time record was not used",
                               "check the fitted model against it with kdyn rig --program transient --input"});
  HydroMountFitResult fit = fit_hydromount(inputs.data, job.fit, progress);
  fit.findings.insert(fit.findings.begin(), inputs.findings.begin(), inputs.findings.end());

  Outcome outcome;
  outcome.complete = fit.status == "converged";
  outcome.inputs = inputs.inputs;
  Json& result = outcome.result;
  result["status"] = fit.status;
  result["reason"] = fit.reason;
  result["axis"] = "translation";
  if (fit.map_model.empty()) {  // stopped before there was anything to report
    result["findings"] = to_json(fit.findings);
    return outcome;
  }
  model_json(fit.law, result["model"]);
  result["parameters"] = parameters_json(fit.parameters);
  Json matrix = Json::array();
  for (Eigen::Index i = 0; i < fit.correlation.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index k = 0; k < fit.correlation.cols(); ++k) row.push_back(fit.correlation(i, k));
    matrix.push_back(std::move(row));
  }
  result["correlation"] = {{"names", fit.correlation_names}, {"matrix", std::move(matrix)}};
  result["not_told_apart"] = fit.not_told_apart;
  result["levels"] = levels_json(fit);
  result["fit"] = fit_json(fit);
  result["map"] = map_json(inputs.data, fit);
  progress.report(0.9, "tracing steady states");
  const std::vector<SteadyBranch> branches = traced_branches(inputs.data, fit);
  result["folds"] = Json::array();
  for (const SteadyBranch& branch : branches)
    for (const Fold& fold : branch.folds)
      result["folds"].push_back({{"frequency_hz", fold.frequency_hz},
                                 {"amplitude_m", fold.amplitude},
                                 {"k_dyn", fold.k_dyn},
                                 {"loss_angle_deg", fold.loss_angle / degree}});
  TrustOptions trust_options;
  std::vector<double> amplitudes;
  for (const MapRow& row : inputs.data.map.rows) amplitudes.push_back(row.amplitude);
  std::nth_element(amplitudes.begin(), amplitudes.begin() + static_cast<std::ptrdiff_t>(amplitudes.size() / 2),
                   amplitudes.end());
  trust_options.amplitude = amplitudes[amplitudes.size() / 2];
  trust_options.preload = fit.preload;
  const TrustResult trust = examine_trust(*make_mount(fit.law), trust_options);
  result["trust"] = {{"drift_rel", trust.drift},
                     {"drift_n", trust.drift_force},
                     {"drifts", trust.drifts},
                     {"lowest_work_rel", trust.lowest_work},
                     {"generates_energy", trust.generates_energy},
                     {"words", trust.words}};
  result["findings"] = to_json(fit.findings);
  to_json_fields(job, result["options_used"]);

  Json model;
  model_json(fit.law, model);
  outcome.files.push_back({"model.json", dump_json(model)});
  outcome.text = terminal_text(fit, result["folds"].size());
  const std::string title = job.title.empty() ? std::filesystem::path(job.data.front()).stem().string() : job.title;
  outcome.document = hydromount_report(title, inputs.data, fit, branches, trust);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
