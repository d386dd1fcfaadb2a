// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/mount/batch_job.hpp"
#include "kdyn/app/mount/elastomer_report.hpp"
#include "kdyn/app/mount/fit_outputs.hpp"
#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/mount/left_out.hpp"
#include "kdyn/app/mount/temperature_report.hpp"
#include "kdyn/app/part_sink.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/identify/result_fields.hpp"
#include "kdyn/laws/model_field.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/rig/trust.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const FitElastomerJob*) {
  using J = app::FitElastomerJob;
  static const FieldTable table = FieldTable::of<J>("fit elastomer", [](FieldTable& t) {
    t.add(&J::data, "data", "-",
          "Measurement files: map, static loop, transient, in any order; none for data-sheet mode")
        .from_words()
        .reads();
    t.include(&J::read, field_table<ReadHints>());
    t.add(&J::leave_out, "leave_out", "-", leave_out_meaning).at_least(1);
    t.add(&J::temperature_mode, "temperature_mode", "-",
          "Map with a temperature column: one law with factors per temperature, or a law for each")
        .one_of({"scale", "separate"});
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the first file");
    t.add(&J::tolerances, "tolerances", "SI",
          "Batch: tolerance bands, e.g. {\"z.static_stiffness\": [3.0e5, 3.6e5]}; without a direction for all of them");
    t.include(&J::fit, field_table<ElastomerFitOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct FitElastomerOutput {
  const FitElastomerJob& job;
  const ElastomerData& data;
  const ElastomerFitResult& fit;
  TrustShown trust;
  std::vector<TemperatureLevel> temperature;
  const std::string &date, &batch;

  ModelObject model() const {
    ModelObject out = model_object(fit.law);
    if (fit.axis == AxisKind::rotation) put_axis(out, axis_word(fit.axis));
    return out;
  }
  std::vector<FittedRow> map() const {
    std::vector<FittedRow> out;
    const bool loop = fit.criterion == Criterion::loop;
    for (std::size_t i = 0; i < data.map.rows.size(); ++i) {
      const SteadyResponse& r = fit.map_model[i];
      out.push_back({data.map.axis, data.map.rows[i], loop ? r.k_dyn_loop : r.k_dyn,
                     loop ? r.loss_angle_loop : r.loss_angle, fit.row_used[i]});
    }
    return out;
  }
};

const FieldTable& fields_of(const FitElastomerOutput*) {
  using O = FitElastomerOutput;
  static const FieldTable table = FieldTable::results<O>("fit elastomer result", [](FieldTable& t) {
    const auto fit = [](const O& o) -> const ElastomerFitResult& { return o.fit; };
    add_fit_status<O>(t, fit);
    add_axis<O>(t, [](const O& o) { return o.fit.axis; });
    add_origin<O>(t);
    t.add([](const O& o) { return o.model(); }, "model", "-", "The identified mount, as a model file");
    add_estimates<O>(t, fit);
    t.add(fit, "fit", "-", "Misfit and effort");
    t.add([](const O& o) { return o.map(); }, "map", "-", "Rows of the map beside the model");
    t.add(&O::trust, "trust", "-", "Tests before simulation");
    t.add([](const O& o) { return o.fit.advice; }, "advice", "-", "What to measure next");
    t.add([](const O& o) { return o.fit.findings; }, "findings", "-", "What was noticed, and what to do");
    t.add([](const O& o) { return o.job; }, "options_used", "-", "All options");
    t.add(&O::temperature, "temperature", "-", "Factors at each temperature").unless_empty();
  });
  return table;
}

namespace {

std::string terminal_text(const ElastomerFitResult& fit) {
  std::string text = fmt::format("status: {} ({})\n", fit.status, fit.reason);
  std::vector<std::string> met;
  if (!fit.map_model.empty() || (!fit.rms_static && !fit.rms_transient))
    met.push_back(fmt::format("{:.2f} % of stiffness, {:.2f} deg of loss angle", 100.0 * fit.rms_k_dyn_rel,
                              fit.rms_loss_angle / degree));
  if (fit.rms_static) met.push_back(fmt::format("static loop {:.3g} N", *fit.rms_static));
  if (fit.rms_transient) met.push_back(fmt::format("transient {:.3g} N", *fit.rms_transient));
  text += fmt::format("misfit: {} (rms); fitted in {:.0f} ms\n", join(met, ", "), 1e3 * fit.seconds) +
          parameter_text(fit.parameters);
  for (const std::string& sentence : fit.not_told_apart) text += "  " + sentence + "\n";
  text += findings_text(fit.findings);
  return text;
}

// Typical amplitude and preload of the data: where the model is put to the test.
TrustOptions trust_options(const ElastomerData& data) {
  TrustOptions options;
  options.axis = data.map.axis;
  std::vector<double> amplitudes;
  for (const MapRow& row : data.map.rows) amplitudes.push_back(row.amplitude);
  if (!amplitudes.empty()) {
    options.amplitude = median(std::move(amplitudes));
    options.preload = data.map.rows.front().preload;
  }
  return options;
}

BatchJob batch_of(const FitElastomerJob& job) {
  BatchJob batch{"fit elastomer", job.title.empty() ? "Batch of elastomer mounts" : job.title, {}, job.data, job.read,
                 job.tolerances};
  to_json_fields(job, batch.options);
  return batch;
}

}  // namespace

Outcome fit_elastomer_job(const FitElastomerJob& job, Progress& progress) {
  if (is_batch(job.data)) return fit_folder(batch_of(job), progress);
  progress.report(0.0, "reading");
  Contents contents = read_measurements(job.data, job.read);
  if (!contents.sets.empty()) choose_object(contents, job.read);
  if (const std::vector<MeasuredObject> objects = objects_of(contents); objects.size() > 1)
    return fit_groups(
        batch_of(job), groups_of_objects(contents, ""),
        {{Severity::note, "several_objects", "data", tell_objects(objects, contents) + "; each was fitted for itself",
          "choose one with --direction or --part; say otherwise in the file, or give the files of one direction"}},
        progress);
  BenchInputs inputs = bench_inputs(std::move(contents), SineRecords::reduce);
  leave_out_rows(inputs.data.map, job.leave_out, inputs.findings);
  const std::vector<double> temperatures = temperature_levels(inputs.data.map);
  if (temperatures.size() > 1 && job.temperature_mode == TemperatureMode::separate)
    return fit_separate_temperatures(job, inputs, progress);
  progress.report(0.2, "fitting");
  const StiffnessMap whole_map = inputs.data.map;
  const std::size_t reference = temperatures.size() > 1 ? reference_level(temperatures) : 0;
  if (temperatures.size() > 1) inputs.data.map = at_temperature_level(whole_map, temperatures, reference);
  ElastomerFitResult fit = fit_elastomer(inputs.data, job.fit, progress);
  std::vector<TemperatureLevel> levels;
  if (temperatures.size() > 1) {
    levels = fit_temperatures(fit.law, whole_map, temperatures, reference, fit.criterion, fit.groups[0].noise,
                              fit.groups[1].noise);
    for (const TemperatureLevel& level : levels) fit.law.temperature.push_back(level.factors);
  }
  fit.findings.insert(fit.findings.begin(), inputs.findings.begin(), inputs.findings.end());

  Outcome outcome;
  outcome.complete = fit.status == "converged";
  outcome.inputs = inputs.inputs;
  const TrustResult trust = examine_trust(*make_mount(fit.law), trust_options(inputs.data));
  if (trust.drifts || trust.generates_energy)
    fit.findings.push_back({Severity::warning, "trust", "model", "in simulation the model " + trust.words,
                            fit.law.law == FrictionLaw::g4 ? "use law masing, which does neither, or give ymax"
                                                           : "report this with the model file: law masing is passive"});
  const FitElastomerOutput output{job,    inputs.data, fit,         {trust, valid_range(inputs.data.map)},
                                  levels, inputs.date, inputs.batch};
  to_json_fields(output, outcome.result);
  outcome.files.push_back({"model.json", dump_json(output.model().json)});
  outcome.text = terminal_text(fit);
  if (wants_report(progress)) {
    const std::string title = !job.title.empty() ? job.title
                              : job.data.empty() ? "Elastomer from a data sheet"
                                                 : std::filesystem::path(job.data.front()).stem().string();
    outcome.document = elastomer_report(title, inputs.data, fit, trust);
    if (!levels.empty()) add_temperature_section(*outcome.document, levels);
  }
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
