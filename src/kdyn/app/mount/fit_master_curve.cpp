// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/mount/fit_outputs.hpp"
#include "kdyn/app/mount/master_curve_job.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/identify/temperature_fit.hpp"
#include "kdyn/io/modulus_table.hpp"
#include "kdyn/numerics/levels.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const MasterCurveJob*) {
  using J = app::MasterCurveJob;
  static const FieldTable table = FieldTable::of<J>("fit mastercurve", [](FieldTable& t) {
    t.add(&J::data, "data", "-",
          "DMA tables (temperature, frequency, storage and loss modulus), or maps measured at several temperatures")
        .must_be_given()
        .from_words()
        .reads();
    t.include(&J::read, field_table<ReadHints>());
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the first file");
    t.add(&J::amplitude, "amplitude", "m", "Of maps: the amplitude to take; null: the one with most rows");
    t.include(&J::curve, field_table<MasterCurveOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct MasterCurveOutput {
  const MasterCurveJob& job;
  const MasterCurveInputs& inputs;
  const MasterCurveResult& result;
};

const FieldTable& fields_of(const MasterCurveOutput*) {
  using O = MasterCurveOutput;
  static const FieldTable table = FieldTable::results<O>("fit mastercurve result", [](FieldTable& t) {
    t.add([](const O& o) { return o.result.status; }, "status", "-", "converged, not_converged, poor_fit");
    t.add([](const O& o) { return o.result.reason; }, "reason", "-", "Why");
    t.add([](const O& o) { return o.result.reference_c; }, "reference_c", "degC", "Reference temperature");
    t.add([](const O& o) { return o.inputs.stiffness ? "N/m" : "Pa"; }, "unit", "-", "Unit of storage and loss");
    t.add([](const O& o) { return o.result.shifted_by; }, "shifted_by", "-", "What the shifts were found by")
        .one_of({"automatic", "storage", "both"});
    t.add([](const O& o) { return o.result.factors; }, "shift_factors", "-", "A shift factor for each temperature");
    t.add([](const O& o) { return o.result.laws; }, "laws", "-", "Laws of the shift factors, the better one first");
    t.add([](const O& o) { return o.result.curve; }, "master_curve", "-", "The smooth curve");
    t.add([](const O& o) { return o.result.noise_storage_rel; }, "rms_storage_rel", "-", "Misfit of the storage, rms");
    t.add([](const O& o) { return o.result.noise_loss_rel; }, "rms_loss_rel", "-", "Misfit of the loss, rms");
    t.add([](const O& o) { return o.result.iterations; }, "iterations", "-", "Iterations of all smoothness levels");
    t.add([](const O& o) { return o.result.findings; }, "findings", "-", "What was noticed, and what to do");
    t.add([](const O& o) { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

// Rows of a map at one amplitude and preload, for all temperatures.
void take_map(const StiffnessMap& map, const MasterCurveJob& job, MasterCurveInputs& out) {
  if (map.rows.empty())
    throw_bad_input(
        "data", "the files hold no map and no table of moduli",
        "give a DMA table with temperature, frequency, storage and loss modulus, or maps at several temperatures");
  if (temperature_levels(map).size() < 2)
    throw_bad_input("data", "the map tells fewer than two temperatures",
                    "give a column temperature, or files named by it such as map_-20C.csv");
  std::vector<double> amplitudes;
  for (const MapRow& row : map.rows) amplitudes.push_back(row.amplitude);
  const std::vector<double> levels = levels_of(amplitudes);
  std::map<std::pair<std::size_t, double>, std::size_t> count;
  for (const MapRow& row : map.rows) ++count[{nearest_level(levels, row.amplitude), row.preload}];
  auto chosen = count.begin()->first;
  if (job.amplitude) {
    const std::size_t level = nearest_level(levels, *job.amplitude);
    if (std::abs(levels[level] / *job.amplitude - 1.0) > 0.1)
      throw_bad_input("amplitude", fmt::format("no row is within 10 % of {:g} m", *job.amplitude),
                      fmt::format("the nearest amplitude is {:.4g} m", levels[level]));
    chosen = {level, 0.0};
    std::size_t most = 0;
    for (const auto& [key, n] : count)
      if (key.first == level && n > most) chosen = key, most = n;
  } else {
    for (const auto& [key, n] : count)
      if (n > count[chosen]) chosen = key;
  }
  out.stiffness = true;
  out.note = fmt::format("{:.4g} mm, preload {:.4g} N", 1e3 * levels[chosen.first], chosen.second);
  for (const MapRow& row : map.rows)
    if (nearest_level(levels, row.amplitude) == chosen.first && row.preload == chosen.second &&
        !std::isnan(row.temperature_c))
      out.rows.push_back({row.temperature_c, row.frequency_hz, row.k_dyn * std::cos(row.loss_angle),
                          row.k_dyn * std::sin(row.loss_angle)});
  if (out.rows.size() < map.rows.size())
    out.findings.push_back({Severity::note, "one_amplitude_taken", "data",
                            fmt::format("{} of {} rows are used: {}; stiffness of rubber depends on amplitude too",
                                        out.rows.size(), map.rows.size(), out.note),
                            "choose another by --amplitude"});
}

MasterCurveInputs read_inputs(const MasterCurveJob& job) {
  MasterCurveInputs out;
  std::vector<std::string> others;
  for (const std::string& path : job.data) {
    const std::string content = read_text(path);
    const std::optional<ModulusTable> table = read_modulus_table(content, path);
    if (!table) {
      others.push_back(path);
      continue;
    }
    for (std::size_t i = 0; i < table->storage.size(); ++i)
      out.rows.push_back({table->temperature_c[i], table->frequency_hz[i], table->storage[i],
                          std::isnan(table->loss[i]) ? 0.0 : table->loss[i]});
    out.findings.insert(out.findings.end(), table->findings.begin(), table->findings.end());
    Source source;
    source.path = path;
    source.sha256 = sha256(content);
    out.inputs.push_back(std::move(source));
  }
  if (others.empty()) return out;
  if (!out.rows.empty())
    throw_bad_input(others.front(), "tables of moduli and other measurements are given together",
                    "give DMA tables alone, or maps alone");
  BenchInputs bench = read_bench_inputs(others, job.read);
  out.inputs = bench.inputs;
  out.findings = bench.findings;
  take_map(bench.data.map, job, out);
  if (!bench.data.loops.empty() || !bench.data.series.empty())
    out.findings.push_back({Severity::note, "not_used", "data", "static loops and records are not used",
                            "a master curve is made of frequencies and temperatures"});
  return out;
}

std::string text_of(const MasterCurveInputs& inputs, const MasterCurveResult& r) {
  std::string text = fmt::format(
      "status: {} ({})\nreference {:.4g} degC, {}\n  temperature      log10 a   95 % interval       status\n", r.status,
      r.reason, r.reference_c, inputs.note.empty() ? "table of moduli" : inputs.note);
  for (const ShiftFactor& f : r.factors)
    text += fmt::format("  {:>9.2f} degC {:>9.3f}   {:<17}  {}\n", f.temperature_c, f.log_a,
                        f.status == "reference"      ? std::string("-")
                        : std::isfinite(f.log_a_std) ? fmt::format("{:.3f} ... {:.3f}", f.log_a_lower, f.log_a_upper)
                                                     : std::string("not determined"),
                        f.status);
  for (const ShiftLaw& law : r.laws) {
    text += fmt::format("  {}:", law.title);
    for (const ParameterEstimate& p : law.parameters)
      text += fmt::format(" {} = {:.4g} {} ({:.4g} ... {:.4g})", p.name, p.value, p.unit == "-" ? "" : p.unit,
                          p.lower_95, p.upper_95);
    text += fmt::format("; leaves {:.3f} decades\n", law.rms_decades);
  }
  return text + findings_text(r.findings);
}

}  // namespace

Outcome fit_master_curve_job(const MasterCurveJob& job, Progress& progress) {
  if (job.data.empty()) throw_bad_input("data", "no file is given", "give --data FILE...");
  progress.report(0.0, "reading");
  const MasterCurveInputs inputs = read_inputs(job);
  MasterCurveResult result = fit_master_curve(inputs.rows, job.curve, progress);
  result.findings.insert(result.findings.begin(), inputs.findings.begin(), inputs.findings.end());
  Outcome outcome;
  outcome.complete = result.status == "converged";
  outcome.inputs = inputs.inputs;
  const MasterCurveOutput output{job, inputs, result};
  to_json_fields(output, outcome.result);
  outcome.text = text_of(inputs, result);
  const std::string title = !job.title.empty() ? job.title : std::filesystem::path(job.data.front()).stem().string();
  outcome.document = master_curve_report(title, inputs, result);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
