// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/exchange/export_property.hpp"
#include "kdyn/app/mount/bushing_job.hpp"
#include "kdyn/app/part_sink.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/fit_summary.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/report/html.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const FitBushingJob*) {
  using J = app::FitBushingJob;
  static const FieldTable table = FieldTable::of<J>("fit bushing", [](FieldTable& t) {
    t.add(&J::data, "data", "-", "A folder, a workbook with a sheet for each direction, or files of all directions")
        .must_be_given()
        .from_words()
        .reads();
    t.include(&J::read, field_table<ReadHints>());
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the first file or folder");
    t.add(&J::directions, "directions", "-",
          "Axis of a direction where its name does not tell, or tells another: radial=fy+fz,axial=fx; - for data "
          "without a direction");
    t.add(&J::laws, "laws", "-",
          "Law of an axis: elastomer or hydromount, e.g. fz=hydromount; by default what describes the data better");
    t.add(&J::ratios, "ratios", "-",
          "Axes that were not measured, as a multiple of one that was: fy=0.8*fx; others carry no force");
    t.add(&J::coupling, "coupling", "-",
          "Static coupling of the translations; automatic: cylindrical when one measured direction stands for fx and "
          "fy, "
          "else none")
        .one_of({"automatic", "none", "cylindrical", "spherical"});
    t.add(&J::exports, "exports", "-", "Formats to write beside the model: ubf bus gbs fmu2 fmu3 c");
    t.add(&J::elastomer, "elastomer", "-", "Options of kdyn fit elastomer for all directions, e.g. {\"law\": \"g4\"}");
    t.add(&J::hydromount, "hydromount", "-",
          "Options of kdyn fit hydromount for all directions, e.g. {\"chamber_area\": 2e-3}");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

std::optional<double> number_at(const Json& in, const char* key) {
  return in.is_object() && in.contains(key) && in[key].is_number() ? std::optional(in[key].get<double>())
                                                                   : std::nullopt;
}
std::size_t axis_index(const std::string& name, const std::string& where) {
  const auto it = std::find(axis_names.begin(), axis_names.end(), lower_case(name));
  if (it == axis_names.end())
    throw_bad_input(where, fmt::format("{} is no axis of a bushing", in_quotes(name)), "use fx fy fz tx ty tz");
  return static_cast<std::size_t>(it - axis_names.begin());
}

const char* operation_of(const std::string& law) { return law == "hydromount" ? "fit hydromount" : "fit elastomer"; }

// One law for one direction, by the operation that does it for single mounts.
Outcome run_fit(const FitBushingJob& job, const MeasuredDirection& direction, const std::string& law,
                Progress& progress) {
  const Operation& operation = *find_operation(operation_of(law));
  Json options = law == "hydromount" ? job.hydromount : job.elastomer;
  if (!options.is_object()) throw_bad_input(law, "these options are no object", R"(write {"field": value})");
  Json read;
  to_json_fields(job.read, read);
  for (const auto& [key, value] : read.items())
    if (!value.is_null()) options[key] = value;
  options["data"] = direction.files;
  options["part"] = direction.part;
  options["direction"] = direction.direction;
  options["title"] = direction.axis_words();
  return run_operation(operation, options, progress);
}

struct Attempt {
  std::string law;
  Outcome outcome;
  FitSummary fit;
  std::string error;
  bool usable() const { return error.empty() && outcome.result.contains("model"); }
};

// Misfits over the rows that every attempt used, and what they say by the Bayesian information criterion with noise of
// unknown size: 2 N ln s_k + 2 N ln s_phi + p ln 2 N.
void compare_on_common_rows(const std::vector<Attempt>& attempts, std::vector<LawTried>& tried) {
  std::size_t rows = 0;
  for (const Attempt& a : attempts)
    if (a.usable()) rows = std::max(rows, a.fit.map.size());
  std::vector<bool> common(rows, true);
  for (const Attempt& a : attempts) {
    if (!a.usable()) continue;
    const std::vector<SummaryRow>& map = a.fit.map;
    for (std::size_t i = 0; i < rows; ++i) common[i] = common[i] && i < map.size() && map[i].used;
  }
  for (std::size_t k = 0; k < attempts.size(); ++k) {
    if (!attempts[k].usable()) continue;
    double count = 0.0, stiffness = 0.0, angle = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (!common[i]) continue;
      const SummaryRow& row = attempts[k].fit.map[i];
      stiffness += std::pow(row.k_dyn_model / row.k_dyn - 1.0, 2);
      angle += std::pow(std::remainder(row.loss_angle_model_deg - row.loss_angle_deg, 360.0), 2);
      count += 1.0;
    }
    if (!(count > 0.0)) continue;
    tried[k].rms_kdyn_rel = std::sqrt(stiffness / count), tried[k].rms_loss_deg = std::sqrt(angle / count);
    tried[k].information = 2.0 * count * std::log(std::max(*tried[k].rms_kdyn_rel, 1e-12)) +
                           2.0 * count * std::log(std::max(*tried[k].rms_loss_deg, 1e-12)) +
                           static_cast<double>(tried[k].parameters) * std::log(2.0 * count);
  }
}

// A fit that describes its data goes before one that does not; among such the criterion decides.
std::size_t best_of(const std::vector<LawTried>& tried) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < tried.size(); ++k) {
    const bool good = tried[k].status == "converged", best_good = tried[best].status == "converged";
    const bool lower =
        tried[k].information && (!tried[best].information || *tried[k].information < *tried[best].information);
    if ((good && !best_good) || (good == best_good && lower)) best = k;
  }
  return best;
}

FittedDirection fit_direction(const FitBushingJob& job, const MeasuredDirection& direction, Progress& progress,
                              std::vector<Finding>& findings) {
  FittedDirection out;
  out.of = &direction;
  std::string wanted;
  for (const std::size_t axis : direction.axes)
    if (const auto it = job.laws.find(axis_names[axis]); it != job.laws.end() && it->second != "automatic")
      wanted = it->second;
  std::vector<Attempt> attempts;
  const auto attempt = [&](const std::string& law) {
    Attempt one{law, {}, {}, ""};
    try {
      one.outcome = run_fit(job, direction, law, progress);
      one.fit = fit_summary(one.outcome.result, direction.axis_words());
    } catch (const Error& error) {
      one.error = fmt::format("{}{}{}", error.where(), error.where().empty() ? "" : ": ", error.message());
    }
    attempts.push_back(std::move(one));
  };
  attempt(wanted.empty() ? "elastomer" : wanted);
  const bool has_map = attempts.front().usable() && !attempts.front().fit.map.empty();
  if (wanted.empty() && has_map && direction.kind == AxisKind::translation &&
      (direction.peaks || attempts.front().fit.status != "converged"))
    attempt("hydromount");
  for (const Attempt& a : attempts) {
    LawTried one{a.law, "failed", a.error, 0, {}, {}};
    if (a.error.empty()) {
      one.status = a.fit.status.value_or(""), one.reason = a.fit.reason.value_or("");
      if (a.fit.parameters)
        for (const ParameterEstimate& p : *a.fit.parameters) one.parameters += p.status == ParameterStatus::free;
    }
    out.tried.push_back(std::move(one));
  }
  compare_on_common_rows(attempts, out.tried);
  const std::size_t best = best_of(out.tried);
  out.tried[best].chosen = true;
  Attempt& chosen = attempts[best];
  out.law = chosen.law, out.status = out.tried[best].status, out.reason = out.tried[best].reason;
  out.folder = "directions/" + std::string(axis_names[direction.axes.front()]);
  const std::string place = direction.axis_words();
  if (out.tried.size() > 1 && attempts[0].usable() && attempts[1].usable())
    findings.push_back(
        {Severity::note, "law_chosen", place,
         fmt::format(
             "{}: {} was taken. Elastomer meets stiffness to {:.2g} % and loss angle to {:.2g} deg, "
             "hydro mount to {:.2g} % and {:.2g} deg",
             direction.peaks ? "the loss angle peaks over frequency" : "the elastomer does not describe the data",
             out.law == "hydromount" ? "a hydro mount" : "an elastomer",
             100.0 * out.tried[0].rms_kdyn_rel.value_or(0.0), out.tried[0].rms_loss_deg.value_or(0.0),
             100.0 * out.tried[1].rms_kdyn_rel.value_or(0.0), out.tried[1].rms_loss_deg.value_or(0.0)),
         fmt::format("--laws {}={} takes the other one", axis_names[direction.axes.front()],
                     out.law == "hydromount" ? "elastomer" : "hydromount")});
  if (!chosen.usable()) {
    findings.push_back({Severity::serious, "direction_failed", place, out.reason.empty() ? "no fit" : out.reason,
                        "correct the file and run it again; the bushing has no law on this axis"});
    return out;
  }
  // What a fit of one direction says of the others is no news here.
  for (Finding& one : chosen.fit.findings)
    if (!one.message.ends_with(" was asked for")) {
      one.where = fmt::format("{}: {}", place, one.where);
      findings.push_back(std::move(one));
    }
  out.model = inner_model(chosen.outcome.result);
  out.model.erase("axis");  // its place in the bushing says it
  if (chosen.fit.parameters) out.parameters = std::move(*chosen.fit.parameters);
  if (chosen.fit.fit) out.rms_static = chosen.fit.fit->rms_static, out.rms_transient = chosen.fit.fit->rms_transient;
  if (!chosen.fit.map.empty())
    out.rms_kdyn_rel = chosen.fit.misfit().rms_k_dyn_rel, out.rms_loss_deg = chosen.fit.misfit().rms_loss_deg;
  const auto mount = mount_from_json(out.model, place);
  const double step = 1e-6;
  out.static_stiffness = (mount->static_force(step) - mount->static_force(-step)) / (2.0 * step);
  out.outcome = std::move(chosen.outcome);
  return out;
}

// "0.8*fx"
EstimatedAxis estimate_from(const std::string& axis, const std::string& text) {
  const std::string where = "ratios." + axis;
  EstimatedAxis out{std::string(axis_names[axis_index(axis, where)]), "", 0.0};
  const auto star = text.find('*');
  const std::string number(trim(std::string_view(text).substr(0, star)));
  char* end = nullptr;
  out.ratio = std::strtod(number.c_str(), &end);
  if (star == std::string::npos || end == number.c_str() || *end != '\0' || !(out.ratio > 0.0) ||
      !std::isfinite(out.ratio))
    throw_bad_input(where, fmt::format("{} is no ratio", in_quotes(text)), "write fy=0.8*fx");
  out.from = axis_names[axis_index(std::string(trim(std::string_view(text).substr(star + 1))), where)];
  if ((axis_index(out.axis, where) < 3) != (axis_index(out.from, where) < 3))
    throw_bad_input(where, "a torsional law cannot be made of a translation: curves and friction have other units",
                    "take the ratio to an axis of the same kind, or give a torsional measurement");
  return out;
}

void assemble(const FitBushingJob& job, const BushingMeasurements& measured, FitBushingOutput& out) {
  Json axes = Json::object();
  for (const FittedDirection& d : out.directions)
    if (!d.model.is_null())
      for (const std::size_t axis : d.of->axes) axes[axis_names[axis]] = d.model;
  for (const auto& [axis, text] : job.ratios) {
    const EstimatedAxis one = estimate_from(axis, text);
    if (axes.contains(one.axis))
      throw_bad_input("ratios." + axis, "this axis was measured", "leave it out of ratios, or out of the data");
    if (!axes.contains(one.from))
      throw_bad_input("ratios." + axis, fmt::format("axis {} has no law itself", one.from),
                      "take the ratio to an axis that was measured");
    out.estimated.push_back(one);
  }
  for (const EstimatedAxis& one : out.estimated) {
    Json law = axes[one.from];
    law["scale"] = one.ratio * number_at(law, "scale").value_or(1.0);
    axes[one.axis] = std::move(law);
    out.findings.push_back({Severity::warning, "estimated", one.axis,
                            fmt::format("this axis was not measured: {:g} times {}, as stated", one.ratio, one.from),
                            "measure it where its forces matter"});
  }
  std::vector<std::string> in_order;
  for (const char* name : axis_names)
    if (!axes.contains(name)) out.absent.emplace_back(name);
  if (!out.absent.empty())
    out.findings.push_back({Severity::note, "axes_absent", "model",
                            fmt::format("{} {} not measured and carr{} no force", join(out.absent, ", "),
                                        out.absent.size() > 1 ? "were" : "was", out.absent.size() > 1 ? "y" : "ies"),
                            "measure them, or state ratios to measured axes: --ratios fy=0.8*fx"});
  BushingCoupling coupling = job.coupling;
  if (coupling == BushingCoupling::automatic)
    coupling = measured.round ? BushingCoupling::cylindrical : BushingCoupling::none;
  out.coupling = coupling_names[static_cast<std::size_t>(coupling) - 1];
  if (job.coupling == BushingCoupling::automatic && measured.round)
    out.findings.push_back({Severity::note, "coupling", "model",
                            "one measured direction stands for two axes: their static forces are coupled (cylindrical)",
                            "--coupling none leaves each axis by itself"});
  Json model = {{"model", "bushing"}, {"coupling", out.coupling}, {"axes", axes}};
  bushing_json(bushing_from_json(model, "model"), out.model);  // read as any model file is
}

void judge_all(FitBushingOutput& out) {
  std::vector<std::string> poor, open, failed, good;
  for (const FittedDirection& d : out.directions) {
    auto& list = d.model.is_null() ? failed : d.status == "converged" ? good : d.status == "poor_fit" ? poor : open;
    list.push_back(d.of->axis_words());
  }
  out.status = !poor.empty() ? "poor_fit" : !open.empty() || !failed.empty() ? "not_converged" : "converged";
  std::vector<std::string> words;
  if (!poor.empty()) words.push_back(fmt::format("the model does not describe the data of {}", join(poor, ", ")));
  if (!open.empty()) words.push_back(fmt::format("the fit of {} did not converge", join(open, ", ")));
  if (!failed.empty()) words.push_back(fmt::format("{} could not be fitted", join(failed, ", ")));
  if (words.empty())
    words.push_back(
        fmt::format("{} of {} measured directions describe their data", good.size(), out.directions.size()));
  out.reason = join(words, "; ");
}

std::string terminal_text(const FitBushingOutput& out) {
  std::string text = fmt::format("status: {} ({})\n", out.status, out.reason);
  text += fmt::format("  {:<8}{:<12}{:<12}{:<14}{:>14} {:>12} {:>10}\n", "axis", "direction", "law", "status", "static",
                      "k_dyn misfit", "angle");
  for (const FittedDirection& d : out.directions) {
    const AxisDisplay units = axis_display(d.of->kind);
    text += fmt::format(
        "  {:<8}{:<12}{:<12}{:<14}{:>14} {:>12} {:>10}\n", d.of->axis_words(), d.of->label, d.law, d.status,
        d.model.is_null()
            ? ""
            : fmt::format("{} {}", format_number(d.static_stiffness * units.stiffness.factor), units.stiffness.unit),
        d.rms_kdyn_rel ? fmt::format("{:.2f} %", 100.0 * *d.rms_kdyn_rel) : "",
        d.rms_loss_deg ? fmt::format("{:.2f} deg", *d.rms_loss_deg) : "");
  }
  for (const EstimatedAxis& e : out.estimated)
    text += fmt::format("  {:<8}{:<12}{:g} * {}\n", e.axis, "estimated", e.ratio, e.from);
  text += fmt::format("  coupling: {}\n", out.coupling);
  return text + findings_text(out.findings);
}

}  // namespace

Outcome fit_bushing_job(const FitBushingJob& job, Progress& progress) {
  const std::vector<std::string> formats = {"ubf", "bus", "gbs", "c", "fmu2", "fmu3"};
  for (const std::string& format : job.exports)
    if (std::find(formats.begin(), formats.end(), format) == formats.end())
      throw_bad_input("exports", fmt::format("unknown format {}", in_quotes(format)), suggest(format, formats));
  for (const auto& [axis, law] : job.laws) {
    axis_index(axis, "laws." + axis);
    if (law != "elastomer" && law != "hydromount" && law != "automatic")
      throw_bad_input("laws." + axis, fmt::format("unknown law {}", in_quotes(law)),
                      "use elastomer, hydromount or automatic");
  }
  for (const auto& [axis, text] : job.ratios) estimate_from(axis, text);
  progress.report(0.0, "reading");
  const BushingMeasurements measured = read_bushing(job);
  FitBushingOutput out{job, {}, {}, {}, {}, {}, {}, {}, {}, measured.findings};
  Outcome outcome;
  for (std::size_t i = 0; i < measured.directions.size(); ++i) {
    progress.report(0.1 + 0.8 * static_cast<double>(i) / static_cast<double>(measured.directions.size()),
                    measured.directions[i].axis_words());
    InnerProgress quiet(progress);
    out.directions.push_back(fit_direction(job, measured.directions[i], quiet, out.findings));
  }
  if (std::all_of(out.directions.begin(), out.directions.end(), [](const auto& d) { return d.model.is_null(); }))
    throw_bad_input("data", "no direction could be fitted: " + out.directions.front().reason,
                    "kdyn inspect says what is wrong with the files");
  assemble(job, measured, out);
  judge_all(out);
  const std::string title = job.title.empty() ? std::filesystem::path(job.data.front()).stem().string() : job.title;
  outcome.files.push_back({"model.json", dump_json(out.model)});
  for (FittedDirection& d : out.directions) {
    for (const Source& input : d.outcome.inputs)
      if (std::none_of(outcome.inputs.begin(), outcome.inputs.end(),
                       [&](const Source& other) { return other.path == input.path && other.sha256 == input.sha256; }))
        outcome.inputs.push_back(input);
    if (d.model.is_null()) continue;
    outcome.files.push_back({d.folder + "/result.json", dump_json(d.outcome.result)});
    if (d.outcome.document) outcome.files.push_back({d.folder + "/report.html", report::to_html(*d.outcome.document)});
    for (const OutputFile& file : d.outcome.files) outcome.files.push_back({d.folder + "/" + file.name, file.content});
  }
  for (const std::string& format : job.exports) {
    ExportJob one;
    one.to = static_cast<ExportTarget>(std::find(formats.begin(), formats.end(), format) - formats.begin());
    one.name = "bushing";
    one.models = {"model.json"};
    Outcome written = export_given({{"model.json", out.model, 2}}, one);
    for (OutputFile& file : written.files) outcome.files.push_back({format + "/" + file.name, std::move(file.content)});
    for (const Json& finding : written.result["findings"]) {
      Finding told;
      from_json_fields(told, finding, "findings");
      told.where = format + ": " + told.where;
      out.findings.push_back(std::move(told));
    }
  }
  for (const OutputFile& file : outcome.files) out.files.push_back(file.name);
  outcome.complete = out.status == "converged";
  to_json_fields(out, outcome.result);
  outcome.text = terminal_text(out);
  outcome.document = bushing_report(title, out);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
