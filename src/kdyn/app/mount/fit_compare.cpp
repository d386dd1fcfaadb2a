// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/mount/compare_job.hpp"
#include "kdyn/app/mount/fit_outputs.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/identify/result_fields.hpp"
#include "kdyn/laws/model_field.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const FitCompareJob*) {
  using J = app::FitCompareJob;
  static const FieldTable table = FieldTable::of<J>("fit compare", [](FieldTable& t) {
    t.add(&J::data, "data", "-", "Measurement files: maps, and raw records of steady sines (delimited text or JSON)")
        .must_be_given()
        .from_words()
        .reads();
    t.include(&J::read, field_table<ReadHints>());
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the first file");
    t.include(&J::compare, field_table<CompareOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct FitCompareOutput {
  const FitCompareJob& job;
  const CompareResult& result;

  const LawFit* best() const { return result.laws.empty() ? nullptr : &result.laws.front(); }
  std::optional<ModelObject> model() const {
    if (best() == nullptr) return std::nullopt;
    ModelObject out{best()->model};
    if (result.axis == AxisKind::rotation) put_axis(out, axis_word(result.axis));
    return out;
  }
};

namespace {

struct LawAtRow {
  double k_dyn = 0.0, loss_angle = 0.0;
};
const FieldTable& fields_of(const LawAtRow*) {
  static const FieldTable table = FieldTable::results<LawAtRow>("law at a row", [](FieldTable& t) {
    t.add(&LawAtRow::k_dyn, "k_dyn", stiffness_unit, "Dynamic stiffness of the law");
    t.add(&LawAtRow::loss_angle, "loss_angle_deg", "deg", "Its loss angle").in_degrees();
  });
  return table;
}

// A row of the map with every law.
struct ComparedRow {
  const CompareResult& result;
  std::size_t i;
};
const FieldTable& fields_of(const ComparedRow*) {
  using R = ComparedRow;
  static const FieldTable table = FieldTable::results<R>("row of the map and laws", [](FieldTable& t) {
    add_map_row<R>(
        t, [](const R& r) { return r.result.axis; }, [](const R& r) -> const MapRow& { return r.result.rows[r.i]; });
    t.add(
         [](const R& r) {
           std::vector<std::pair<std::string, LawAtRow>> out;
           for (const LawFit& f : r.result.laws)
             out.push_back({f.law, {std::abs(f.stiffness[r.i]), std::arg(f.stiffness[r.i])}});
           return out;
         },
         "models", "-", "Every law here")
        .unless_empty();
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const FitCompareOutput*) {
  using O = FitCompareOutput;
  static const FieldTable table = FieldTable::results<O>("fit compare result", [](FieldTable& t) {
    add_fit_status<O>(t, [](const O& o) -> const CompareResult& { return o.result; });
    t.add([](const O& o) { return o.result.verdict; }, "verdict", "-", "One or two sentences");
    const auto axis = [](const O& o) { return o.result.axis; };
    add_axis<O>(t, axis);
    t.add([](const O& o) { return o.model(); }, "model", "-", "The best law, as a model file").unless_null();
    t.add([](const O& o) { return o.best() ? std::optional(o.best()->parameters) : std::nullopt; }, "parameters", "-",
          "Parameters of the best law")
        .keyed_by("name")
        .unless_null();
    t.add([](const O& o) { return o.best() ? std::optional(o.best()->fit) : std::nullopt; }, "fit", "-",
          "Misfit of the best law")
        .unless_null();
    t.add([](const O& o) { return o.result.laws; }, "ranking", "-", "All laws, best first");
    t.add([](const O& o) { return o.result.cross_validated; }, "cross_validated", "-",
          "Whether the ranking is by rows the fits have not seen");
    add_on_axis<O>(
        t, axis, [](const O& o) { return o.result.amplitude_levels; },
        {"amplitude_levels_m", "m", "amplitude_levels_rad", "rad"}, "Amplitude levels of the map");
    t.add(
        [](const O& o) {
          std::vector<ComparedRow> out;
          for (std::size_t i = 0; i < o.result.rows.size(); ++i) out.push_back({o.result, i});
          return out;
        },
        "map", "-", "Rows of the map and every law");
    t.add([](const O& o) { return o.result.findings; }, "findings", "-", "What was noticed, and what to do");
    t.add([](const O& o) { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

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
  const FitCompareOutput output{job, result};
  to_json_fields(output, outcome.result);
  if (const auto model = output.model()) outcome.files.push_back({"model.json", dump_json(model->json)});
  outcome.text = text_of(result);
  const std::string title = !job.title.empty() ? job.title : std::filesystem::path(job.data.front()).stem().string();
  outcome.document = compare_report(title, inputs.data, result);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
