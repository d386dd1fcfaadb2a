// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/mount/active_mount_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/laws/model_field.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const AemJob*) {
  using J = app::AemJob;
  static const FieldTable table = FieldTable::of<J>("aem", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Model file of an active mount, or the result.json of its fit")
        .from_words()
        .must_be_given()
        .reads();
    t.include(&J::analysis, field_table<AnalysisOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

std::string text_of(const ActiveAnalysis& a) {
  std::string text =
      fmt::format("status: {}\n  pole          frequency   damping   rule of thumb   corrected rule\n", a.status);
  const ServiceResponse& nominal = a.temperatures.front();
  for (std::size_t i = 0; i < nominal.poles.size(); ++i) {
    const std::string name = pole_name(nominal.poles, i, nominal.law);
    text +=
        fmt::format("  {:<12}{:>8.2f} Hz   {:>7.3f}", name, nominal.poles[i].frequency_hz, nominal.poles[i].damping);
    if (name == "actuator")
      text += fmt::format("   {:>10.2f} Hz   {:>10.2f} Hz", nominal.approximate.actuator_pole_hz,
                          nominal.corrected.actuator_pole_hz);
    if (name == "fluid") text += fmt::format("   {:>10.2f} Hz", nominal.approximate.fluid_pole_hz);
    text += "\n";
  }
  if (!a.envelopes.empty()) text += "  phase envelope (widest place)          S_x                  S_y\n";
  for (std::size_t i = 0; i + 1 < a.envelopes.size(); i += 2)
    text += fmt::format("  {:<34}{:>6.1f} deg at {:>5.1f} Hz  {:>6.1f} deg at {:>5.1f} Hz\n",
                        to_string(a.envelopes[i].rule), a.envelopes[i].max_deg, a.envelopes[i].at_hz,
                        a.envelopes[i + 1].max_deg, a.envelopes[i + 1].at_hz);
  text += fmt::format("control run: {}{}, {:.1f} dB, at most {:.3g} V\n", a.control.status,
                      a.control.reason.empty() ? "" : " (" + a.control.reason + ")", a.control.attenuation_db,
                      a.control.largest_voltage);
  text += findings_text(a.findings);
  return text;
}

}  // namespace

Outcome aem(const AemJob& job, Progress& progress) {
  const std::string content = read_text(job.model);
  const Json whole = parse_json(content, job.model), &json = inner_model(whole);
  const std::string where = &json == &whole ? job.model : job.model + ".model";
  if (model_word(json) != "activemount")
    throw_bad_input(where, "this is no active mount", R"(write {"model": "activemount", "parameters": {...}})");
  const ActiveMountModel model = active_mount_from_json(json, where);
  const ActiveAnalysis analysis = analyse(model, job.analysis, progress);
  Outcome outcome;
  outcome.inputs.push_back({job.model, sha256(content), {}});
  outcome.complete = analysis.status == "done";
  to_json_fields(AemOutput{job, model, analysis}, outcome.result);
  outcome.text = text_of(analysis);
  if (analysis.status == "done")
    outcome.document = aem_report(std::filesystem::path(job.model).stem().string(), model, job.analysis, analysis);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
