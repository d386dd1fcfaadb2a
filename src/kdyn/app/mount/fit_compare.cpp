// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/mount/compare_job.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const FitCompareJob*) {
  using J = app::FitCompareJob;
  static const FieldTable table = FieldTable::of<J>("fit compare", [](FieldTable& t) {
    t.add(&J::data, "data", "-", "Measurement files: maps, and raw records of steady sines (delimited text or JSON)")
        .must_be_given()
        .reads();
    t.include(&J::read, field_table<ReadHints>());
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the first file");
    t.include(&J::compare, field_table<CompareOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

Json misfit_json(const Misfit& m) {
  return {{"rms_kdyn_rel", m.k_dyn_rel}, {"rms_loss_deg", m.loss_angle / degree}, {"rms_total", m.total}};
}

Json law_json(const LawFit& fit, std::size_t rank) {
  Json out = {{"rank", rank},         {"law", fit.law},     {"title", fit.title},
              {"status", fit.status}, {"score", fit.score}, {"fit", misfit_json(fit.fit)}};
  out["cross_validation"] = {
      {"amplitudes", fit.left_out_amplitudes ? misfit_json(*fit.left_out_amplitudes) : Json(nullptr)},
      {"frequencies", fit.left_out_frequencies ? misfit_json(*fit.left_out_frequencies) : Json(nullptr)}};
  out["amplitude_misfit"] = fit.amplitude_misfit;
  Json series = Json::array();
  for (const SeriesMisfit& s : fit.series) series.push_back(s.force_rel);
  out["series_force_rel"] = std::move(series);
  out["parameters"] = parameters_json(fit.parameters);
  out["not_told_apart"] = fit.not_told_apart;
  out["model"] = fit.model;
  out["iterations"] = fit.iterations;
  out["seconds"] = fit.seconds;
  return out;
}

std::string text_of(const CompareResult& r) {
  std::string text = fmt::format(
      "status: {} ({})\n  rank  law                          score   fit     left-out amplitudes   left-out "
      "frequencies   time\n",
      r.status, r.reason);
  const auto percent = [](const std::optional<Misfit>& m) {
    return m ? fmt::format("{:>10.2f} %", 100.0 * m->total) : std::string("           -");
  };
  for (std::size_t i = 0; i < r.laws.size(); ++i) {
    const LawFit& f = r.laws[i];
    text += fmt::format("  {:>4}  {:<26}{:>6.2f} %{:>6.2f} %  {}          {}          {:>6.2f} s\n", i + 1, f.title,
                        100.0 * f.score, 100.0 * f.fit.total, percent(f.left_out_amplitudes),
                        percent(f.left_out_frequencies), f.seconds);
  }
  text += r.verdict + "\n";
  text += findings_text(r.findings);
  return text;
}

}  // namespace

Outcome fit_compare_job(const FitCompareJob& job, Progress& progress) {
  if (job.data.empty()) throw_bad_input("data", "no file is given", "give --data FILE...");
  progress.report(0.0, "reading");
  BenchInputs inputs = read_bench_inputs(job.data, job.read, SineRecords::keep);
  demand_one_temperature(inputs);
  CompareResult result = compare_laws(inputs.data, job.compare, progress);
  result.findings.insert(result.findings.begin(), inputs.findings.begin(), inputs.findings.end());
  Outcome outcome;
  outcome.complete = result.status == "converged";
  outcome.inputs = inputs.inputs;
  Json& out = outcome.result;
  out["status"] = result.status;
  out["reason"] = result.reason;
  out["verdict"] = result.verdict;
  out["axis"] = axis_word(result.axis);
  if (!result.laws.empty()) {
    // The winner, where every fit has it.
    const LawFit& best = result.laws.front();
    out["model"] = best.model;
    if (result.axis == AxisKind::rotation) out["model"]["axis"] = axis_word(result.axis);
    out["parameters"] = parameters_json(best.parameters);
    out["fit"] = misfit_json(best.fit);
    outcome.files.push_back({"model.json", dump_json(out["model"])});
  }
  out["ranking"] = Json::array();
  for (std::size_t i = 0; i < result.laws.size(); ++i) out["ranking"].push_back(law_json(result.laws[i], i + 1));
  out["cross_validated"] = result.cross_validated;
  const AxisKeys keys = axis_keys(result.axis);
  out[result.axis == AxisKind::rotation ? "amplitude_levels_rad" : "amplitude_levels_m"] = result.amplitude_levels;
  out["map"] = Json::array();
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const MapRow& row = result.rows[i];
    Json one = {{"frequency_hz", row.frequency_hz},
                {keys.amplitude, row.amplitude},
                {keys.preload, row.preload},
                {"k_dyn", row.k_dyn},
                {"loss_angle_deg", row.loss_angle / degree}};
    for (const LawFit& f : result.laws)
      one["models"][f.law] = {{"k_dyn", std::abs(f.stiffness[i])},
                              {"loss_angle_deg", std::arg(f.stiffness[i]) / degree}};
    out["map"].push_back(std::move(one));
  }
  out["findings"] = to_json(result.findings);
  to_json_fields(job, out["options_used"]);
  outcome.text = text_of(result);
  const std::string title = !job.title.empty() ? job.title : std::filesystem::path(job.data.front()).stem().string();
  outcome.document = compare_report(title, inputs.data, result);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
