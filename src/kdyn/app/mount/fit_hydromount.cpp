// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/mount/batch_job.hpp"
#include "kdyn/app/mount/fit_outputs.hpp"
#include "kdyn/app/mount/hydromount_jobs.hpp"
#include "kdyn/app/mount/left_out.hpp"
#include "kdyn/app/mount/temperature_report.hpp"
#include "kdyn/app/present/bench_plots.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/identify/result_fields.hpp"
#include "kdyn/laws/model_field.hpp"
#include "kdyn/numerics/levels.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const FitHydroMountJob*) {
  using J = app::FitHydroMountJob;
  static const FieldTable table = FieldTable::of<J>("fit hydromount", [](FieldTable& t) {
    t.add(&J::data, "data", "-",
          "Measurement files: a map, and static loops and time records if there are any; or a folder of parts")
        .must_be_given()
        .from_words()
        .reads();
    t.include(&J::read, field_table<ReadHints>());
    t.add(&J::leave_out, "leave_out", "-", leave_out_meaning).at_least(1);
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the first file");
    t.add(&J::tolerances, "tolerances", "SI", "Batch: tolerance bands, e.g. {\"chamber_stiffness\": [3.0e5, 3.6e5]}");
    t.include(&J::fit, field_table<HydroMountFitOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct FitHydroMountOutput {
  const FitHydroMountJob& job;
  const ElastomerData& data;
  const HydroMountFitResult& fit;
  const std::vector<SteadyBranch>& branches;
  TrustShown trust;
  const std::string &date, &batch;

  std::vector<FittedRow> map() const {
    std::vector<FittedRow> out;
    const bool loop = fit.criterion == Criterion::loop;
    for (std::size_t i = 0; i < fit.map_model.size(); ++i) {
      const SteadyResponse& r = fit.map_model[i];
      out.push_back({AxisKind::translation, data.map.rows[i], loop ? r.k_dyn_loop : r.k_dyn,
                     loop ? r.loss_angle_loop : r.loss_angle, fit.row_used[i], static_cast<bool>(fit.at_fold[i])});
    }
    return out;
  }
  std::vector<Fold> folds() const {
    std::vector<Fold> out;
    for (const SteadyBranch& branch : branches) out.insert(out.end(), branch.folds.begin(), branch.folds.end());
    return out;
  }
};

const FieldTable& fields_of(const FitHydroMountOutput*) {
  using O = FitHydroMountOutput;
  static const FieldTable table = FieldTable::results<O>("fit hydromount result", [](FieldTable& t) {
    const auto fit = [](const O& o) -> const HydroMountFitResult& { return o.fit; };
    add_fit_status<O>(t, fit);
    add_axis<O>(t, [](const O&) { return AxisKind::translation; });
    add_origin<O>(t);
    t.add([](const O& o) { return model_object(o.fit.law); }, "model", "-", "The identified mount, as a model file");
    add_estimates<O>(t, fit);
    t.add([](const O& o) { return o.fit.levels; }, "levels", "-", "Levels of detail and what each gained");
    t.add(fit, "fit", "-", "Misfit and effort");
    t.add([](const O& o) { return o.map(); }, "map", "-", "Rows of the map beside the model");
    t.add([](const O& o) { return o.folds(); }, "folds", "-", "Where the mount jumps");
    t.add(&O::trust, "trust", "-", "Tests before simulation");
    t.add([](const O& o) { return o.fit.advice; }, "advice", "-", "What to measure next");
    t.add([](const O& o) { return o.fit.findings; }, "findings", "-", "What was noticed, and what to do");
    t.add([](const O& o) { return o.job; }, "options_used", "-", "All options");
    t.add([](const O& o) { return o.fit.temperatures; }, "temperature", "-", "Factors at each temperature")
        .unless_empty();
  });
  return table;
}

// Stopped before there was anything to report.
struct FitHydroMountStopped {
  const HydroMountFitResult& fit;
};

const FieldTable& fields_of(const FitHydroMountStopped*) {
  using O = FitHydroMountStopped;
  static const FieldTable table = FieldTable::results<O>("fit hydromount stopped", [](FieldTable& t) {
    add_fit_status<O>(t, [](const O& o) -> const HydroMountFitResult& { return o.fit; });
    add_axis<O>(t, [](const O&) { return AxisKind::translation; });
    t.add([](const O& o) { return o.fit.findings; }, "findings", "-", "What was noticed, and what to do");
  });
  return table;
}

namespace {

std::string terminal_text(const HydroMountFitResult& fit, std::size_t folds) {
  std::string text = fmt::format("status: {} ({})\n", fit.status, fit.reason);
  text += fmt::format("misfit: {:.2f} % of stiffness, {:.2f} deg of loss angle (rms)", 100.0 * fit.rms_k_dyn_rel,
                      fit.rms_loss_angle / degree);
  if (fit.rms_static) text += fmt::format(", static loop {:.3g} N", *fit.rms_static);
  if (fit.rms_transient) text += fmt::format(", transient {:.3g} N", *fit.rms_transient);
  text += fmt::format("; fitted in {:.0f} ms\n", 1e3 * fit.seconds);
  for (const HydroLevel& level : fit.levels)
    text += fmt::format("  {} {:<10} {:>2} parameters  {:6.2f} %  {:6.2f} deg  {}\n", level.chosen ? "*" : " ",
                        to_string(level.detail), level.parameters, 100.0 * level.rms_k_dyn_rel,
                        level.rms_loss_angle / degree, level.note);
  if (folds > 0) text += fmt::format("  the mount jumps: {} folds in the range of the data\n", folds);
  text += parameter_text(fit.parameters);
  for (const TemperatureLevel& level : fit.temperatures) {
    text += fmt::format("  {:.4g} degC, {} rows: ", level.temperature_c, level.rows);
    if (level.reference) text += "the law's own temperature\n";
    for (const ParameterEstimate& p : level.parameters)
      text += fmt::format("{} {:.3g} ({:.3g} ... {:.3g}){}", p.name, p.value, p.lower_95, p.upper_95,
                          &p == &level.parameters.back() ? "\n" : ", ");
  }
  for (const std::string& sentence : fit.not_told_apart) text += "  " + sentence + "\n";
  text += findings_text(fit.findings);
  return text;
}

// Rows of the map at the temperature at which the law was identified.
std::vector<std::size_t> reference_rows(const ElastomerData& data, const HydroMountFitResult& fit) {
  std::vector<double> levels;
  std::size_t reference = 0;
  for (const TemperatureLevel& level : fit.temperatures) {
    if (level.reference) reference = levels.size();
    levels.push_back(level.temperature_c);
  }
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < data.map.rows.size(); ++i)
    if (nearest_level(levels, data.map.rows[i].temperature_c) == reference) rows.push_back(i);
  return rows;
}

ElastomerData at_reference(const ElastomerData& data, const HydroMountFitResult& fit) {
  ElastomerData out = data;
  out.map.rows.clear();
  for (const std::size_t i : reference_rows(data, fit)) out.map.rows.push_back(data.map.rows[i]);
  return out;
}

HydroMountFitResult fit_at_reference(const ElastomerData& data, const HydroMountFitResult& fit) {
  HydroMountFitResult out = fit;
  out.map_model.clear(), out.row_used.clear(), out.at_fold.clear();
  for (const std::size_t i : reference_rows(data, fit)) {
    out.map_model.push_back(fit.map_model[i]);
    out.row_used.push_back(fit.row_used[i]);
    out.at_fold.push_back(fit.at_fold[i]);
  }
  return out;
}

}  // namespace

std::vector<SteadyBranch> traced_branches(const ElastomerData& data, const HydroMountFitResult& fit) {
  const MapView view(data.map);
  SteadyOptions options;
  options.odd_harmonics = 5;
  options.tolerance = 1e-8;
  options.loop = fit.criterion == Criterion::loop;
  const HarmonicBalance balance(fit.law, static_displacement(fit.law, fit.preload), options);
  std::vector<SteadyBranch> branches;
  for (const double a : view.amplitudes)
    branches.push_back(balance.trace(a, view.frequencies.front(), view.frequencies.back()));
  return branches;
}

Outcome fit_hydromount_job(const FitHydroMountJob& job, Progress& progress) {
  if (is_batch(job.data)) {
    BatchJob batch{"fit hydromount", job.title.empty() ? "Batch of hydro mounts" : job.title, {}, job.data, job.read,
                   job.tolerances};
    to_json_fields(job, batch.options);
    return fit_folder(batch, progress);
  }
  progress.report(0.0, "reading");
  BenchInputs inputs = read_bench_inputs(job.data, job.read);
  leave_out_rows(inputs.data.map, job.leave_out, inputs.findings);
  HydroMountFitResult fit = fit_hydromount(inputs.data, job.fit, progress);
  fit.findings.insert(fit.findings.begin(), inputs.findings.begin(), inputs.findings.end());

  Outcome outcome;
  outcome.complete = fit.status == "converged";
  outcome.inputs = inputs.inputs;
  if (fit.map_model.empty()) {
    to_json_fields(FitHydroMountStopped{fit}, outcome.result);
    return outcome;
  }
  progress.report(0.9, "tracing steady states");
  const std::vector<SteadyBranch> branches = traced_branches(inputs.data, fit);
  TrustOptions trust_options;
  std::vector<double> amplitudes;
  for (const MapRow& row : inputs.data.map.rows) amplitudes.push_back(row.amplitude);
  std::nth_element(amplitudes.begin(), amplitudes.begin() + static_cast<std::ptrdiff_t>(amplitudes.size() / 2),
                   amplitudes.end());
  trust_options.amplitude = amplitudes[amplitudes.size() / 2];
  trust_options.preload = fit.preload;
  const TrustResult trust = examine_trust(*make_mount(fit.law), trust_options);
  const FitHydroMountOutput output{job, inputs.data, fit, branches, {trust, {}}, inputs.date, inputs.batch};
  to_json_fields(output, outcome.result);
  outcome.files.push_back({"model.json", dump_json(model_object(fit.law).json)});
  outcome.text = terminal_text(fit, output.folds().size());
  const std::string title = job.title.empty() ? std::filesystem::path(job.data.front()).stem().string() : job.title;
  if (fit.temperatures.empty()) {
    outcome.document = hydromount_report(title, inputs.data, fit, branches, trust);
  } else {
    outcome.document =
        hydromount_report(title, at_reference(inputs.data, fit), fit_at_reference(inputs.data, fit), branches, trust);
    add_temperature_section(*outcome.document, fit.temperatures);
  }
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
