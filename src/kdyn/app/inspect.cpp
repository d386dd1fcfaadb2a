// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "kdyn/app/bench_plots.hpp"
#include "kdyn/app/inputs.hpp"
#include "kdyn/app/jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/identify/doctor.hpp"
#include "kdyn/rig/model_file.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::InspectJob>() {
  static const FieldTable table = FieldTable::of<app::InspectJob>(
      "inspect", [](FieldTable& t) { t.add(&app::InspectJob::files, "files", "-", "Files to look at").from_words().must_be_given(); });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

struct Inspected {
  Json json;
  std::vector<std::string> words;
  std::vector<Finding> findings;
  std::vector<report::PlotRow> plots;
};

std::vector<report::PlotRow> plots_of(const StiffnessMap& map) {
  const MapView view(map);
  std::vector<report::PlotRow> all;
  for (std::size_t p = 0; p < view.preloads.size(); ++p) {
    report::PlotRow row = over_frequency(view, p);
    if (view.preloads.size() > 1)
      for (report::Plot& plot : row.plots) plot.title += ", preload " + view.preload_name(p);
    all.push_back(std::move(row));
  }
  return all;
}
std::vector<report::PlotRow> plots_of(const StaticLoop& loop) { return {static_plots(loop)}; }
std::vector<report::PlotRow> plots_of(const BenchSeries& series) { return {series_plots(series)}; }

// Models are JSON; whether a file is, is told by its name or its first character.
bool looks_like_json(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".json") return true;
  std::ifstream file(path);
  char first = 0;
  return file >> first && first == '{';
}

Inspected inspect_model(const std::string& path, const std::string& content) {
  Inspected out;
  out.json = {{"path", path}, {"sha256", sha256(content)}, {"kind", "unknown"}};
  try {
    const auto mount = mount_from_json(parse_json(content, path), path);
    out.json["kind"] = "model";
    out.json["model"] = mount->model();
    out.words.push_back(fmt::format("a model of kind {}", mount->model()));
  } catch (const Error& error) {
    out.findings.push_back({Severity::serious, "unreadable", error.where(), error.message(), error.remedy()});
  }
  return out;
}

Inspected inspect_bench(const std::string& path) {
  Inspected out;
  const BenchFile file = inspect_bench_file(path);
  out.findings = file.findings;
  const auto add = [&](const auto& data) {
    out.json = source_json(data.source);
    out.json["kind"] = to_string(file.kind);
    const BenchSummary summary = summarise(data);
    out.json["rows"] = summary.rows;
    out.json["axis"] = summary.axis == AxisKind::rotation ? "rotation" : "translation";
    if (summary.frequencies > 0) {
      out.json["frequency_range_hz"] = {summary.frequency_min_hz, summary.frequency_max_hz};
      out.json["amplitudes"] = summary.amplitudes;
      out.json["preloads"] = summary.preloads;
    }
    out.json["summary"] = summary.words;
    out.words = summary.words;
    out.plots = plots_of(data);
    const std::vector<Finding> more = examine(data);
    out.findings.insert(out.findings.end(), more.begin(), more.end());
  };
  switch (file.kind) {
    case BenchKind::map: add(file.map); break;
    case BenchKind::static_loop: add(file.loop); break;
    case BenchKind::series: add(file.series); break;
    case BenchKind::unknown: out.json = {{"path", path}, {"sha256", sha256(read_text(path))}, {"kind", "unknown"}}; break;
  }
  return out;
}

}  // namespace

Outcome inspect(const InspectJob& job, Progress& progress) {
  if (job.files.empty()) throw_bad_input("files", "no file is named", "kdyn inspect FILE...");
  Outcome outcome;
  std::vector<Finding> all;
  outcome.result["status"] = "done";
  outcome.result["files"] = Json::array();
  report::Document document{.title = std::filesystem::path(job.files.front()).filename().string(), .subtitle = "What is in the data"};
  if (job.files.size() > 1) document.title += fmt::format(" and {} more", job.files.size() - 1);
  for (const std::string& path : job.files) {
    if (progress.stop_requested()) {
      outcome.complete = false;
      outcome.result["status"] = "stopped";
      break;
    }
    Inspected one = looks_like_json(path) ? inspect_model(path, read_text(path)) : inspect_bench(path);
    outcome.text += path + "\n";
    for (const std::string& line : one.words) outcome.text += "  " + line + "\n";
    for (const Finding& f : one.findings) outcome.text += fmt::format("  {}: {} ({})\n    {}\n", to_string(f.severity), f.message, f.where, f.remedy);
    if (one.findings.empty()) outcome.text += "  nothing to report\n";
    auto& section = document.section(path);
    section.add(report::Text{join(one.words, "\n\n")});
    section.add(report::Findings{.findings = one.findings});
    for (report::PlotRow& row : one.plots) section.add(std::move(row));
    outcome.inputs.push_back({{"path", path}, {"sha256", one.json["sha256"]}});
    one.json["findings"] = to_json(one.findings);
    outcome.result["files"].push_back(std::move(one.json));
    all.insert(all.end(), one.findings.begin(), one.findings.end());
  }
  outcome.result["findings"] = to_json(all);
  for (const auto& [severity, label] :
       {std::pair(Severity::serious, "Serious"), std::pair(Severity::warning, "Warnings"), std::pair(Severity::note, "Notes")}) {
    const auto count = std::count_if(all.begin(), all.end(), [severity = severity](const Finding& f) { return f.severity == severity; });
    const bool bad = count > 0 && severity != Severity::note;
    document.key_figures.push_back({.label = label,
                                    .value = count,
                                    .quality = !bad                            ? report::Quality::good
                                               : severity == Severity::serious ? report::Quality::poor
                                                                               : report::Quality::fair});
  }
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
