// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "kdyn/app/bench_plots.hpp"
#include "kdyn/app/display.hpp"
#include "kdyn/app/inputs.hpp"
#include "kdyn/app/jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const InspectJob*) {
  static const FieldTable table = FieldTable::of<app::InspectJob>(
      "inspect", [](FieldTable& t) { t.add(&app::InspectJob::files, "files", "-", "Files to look at").from_words().must_be_given().reads(); });
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
  constexpr std::size_t most_rows = 20'000;  // more markers than anyone can tell apart
  if (map.rows.size() > most_rows) return {};
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

// Which kind of mount a map looks like. Rubber alone loses less than about 25 deg and stiffens by less than 2.5 times over the frequencies of a
// bench; a fluid column gives a peak of the loss angle or a dip and rise of the stiffness about its resonance.
Json suggestion(const StiffnessMap& map) {
  constexpr double rubber_angle = 25.0 * degree, rubber_rise = 2.5;
  const MapRow* most = nullptr;
  double low = 0.0, high = 0.0;
  for (const MapRow& row : map.rows) {
    if (most == nullptr || row.loss_angle > most->loss_angle) most = &row;
    // At the same amplitude and preload as the first row: both change the stiffness of rubber as well.
    const MapRow& first = map.rows.front();
    if (std::abs(row.amplitude - first.amplitude) > 0.1 * first.amplitude ||
        std::abs(row.preload - first.preload) > 0.1 * std::abs(first.preload) + 1.0)
      continue;
    low = low == 0.0 ? row.k_dyn : std::min(low, row.k_dyn);
    high = std::max(high, row.k_dyn);
  }
  if (most == nullptr || map.axis == AxisKind::rotation) return nullptr;
  const bool hydro = most->loss_angle > rubber_angle || high > rubber_rise * low;
  return {
      {"operation", hydro ? "fit hydromount" : "fit elastomer"},
      {"because",
       fmt::format("the loss angle reaches {:.0f} deg (at {:.3g} Hz) and the stiffness at one amplitude spans {:.0f} to {:.0f} N/mm over frequency",
                   most->loss_angle / degree, most->frequency_hz, 1e-3 * low, 1e-3 * high)}};
}
Json suggestion(const StaticLoop&) { return nullptr; }
Json suggestion(const BenchSeries&) { return nullptr; }

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
    const Json model = parse_json(content, path);
    if (model.is_object() && model.contains("bodies")) {
      out.json["kind"] = "multibody";
      out.words.push_back(fmt::format("a multibody model with {} bodies", model["bodies"].size()));
      return out;
    }
    const auto mount = mount_from_json(model, path);
    out.json["kind"] = "model";
    out.json["model"] = mount->model();
    out.words.push_back(fmt::format("a model of kind {}", mount->model()));
  } catch (const Error& error) {
    out.findings.push_back({Severity::serious, "unreadable", error.where(), error.message(), error.remedy()});
  }
  return out;
}

// Bench measurements go through the data doctor as well.
void add_bench(const BenchFile& file, Inspected& out) {
  const auto add = [&](const auto& data) {
    Json source = source_json(data.source);
    source["sha256"] = out.json["sha256"];
    source["kind"] = out.json["kind"];
    source["format"] = out.json["format"];
    out.json = std::move(source);
    const BenchSummary summary = summarise(data);
    out.json["rows"] = summary.rows;
    out.json["axis"] = summary.axis == AxisKind::rotation ? "rotation" : "translation";
    if (summary.frequencies > 0) {
      out.json["frequency_range_hz"] = {summary.frequency_min_hz, summary.frequency_max_hz};
      out.json["amplitudes"] = summary.amplitudes;
      out.json["preloads"] = summary.preloads;
    }
    if (const Json kind = suggestion(data); !kind.is_null()) out.json["suggests"] = kind;
    out.words = summary.words;
    out.plots = plots_of(data);
    const std::vector<Finding> more = examine(data);
    out.findings.insert(out.findings.end(), more.begin(), more.end());
  };
  switch (file.kind) {
    case BenchKind::map: add(file.map); break;
    case BenchKind::static_loop: add(file.loop); break;
    case BenchKind::series: add(file.series); break;
    case BenchKind::unknown: break;
  }
}

Inspected inspect_exchange(const std::string& path) {
  Inspected out;
  const Exchange exchange = read_exchange(path);
  out.json = {{"path", path}, {"sha256", exchange.sha256}, {"kind", exchange.kind()}, {"format", exchange.format}};
  out.words = exchange.words;
  out.findings = exchange.findings;
  if (exchange.bench) add_bench(*exchange.bench, out);
  if (exchange.deck) {
    out.json["cards_skipped"] = Json::object();
    for (const auto& [name, count] : exchange.deck->skipped) out.json["cards_skipped"][name] = count;
  }
  out.json["summary"] = out.words;
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
    Inspected one = looks_like_json(path) ? inspect_model(path, read_text(path)) : inspect_exchange(path);
    outcome.text += path + "\n";
    for (const std::string& line : one.words) outcome.text += "  " + line + "\n";
    outcome.text += findings_text(one.findings);
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
