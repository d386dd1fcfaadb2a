// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/identify/doctor.hpp"
#include "kdyn/io/exchange.hpp"
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
};

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
    out.words = summary.words;
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
  for (const std::string& path : job.files) {
    if (progress.stop_requested()) {
      outcome.complete = false;
      outcome.result["status"] = "stopped";
      break;
    }
    const bool json = std::filesystem::path(path).extension() == ".json";
    Inspected one = json ? inspect_model(path, read_text(path)) : inspect_exchange(path);
    outcome.text += path + "\n";
    for (const std::string& line : one.words) outcome.text += "  " + line + "\n";
    for (const Finding& f : one.findings) outcome.text += fmt::format("  {}: {} ({})\n    {}\n", to_string(f.severity), f.message, f.where, f.remedy);
    if (one.findings.empty()) outcome.text += "  nothing to report\n";
    outcome.inputs.push_back({{"path", path}, {"sha256", one.json["sha256"]}});
    one.json["findings"] = to_json(one.findings);
    outcome.result["files"].push_back(std::move(one.json));
    all.insert(all.end(), one.findings.begin(), one.findings.end());
  }
  outcome.result["findings"] = to_json(all);
  return outcome;
}

}  // namespace kdyn::app
