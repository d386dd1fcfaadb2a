// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/batch.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/fit_summary.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/report/html.hpp"

namespace kdyn::app {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_files = 100000;

bool is_bench_file(const fs::path& path) {
  const std::string extension = lower_case(path.extension().string());
  return extension == ".csv" || extension == ".tsv" || extension == ".txt" || extension == ".dat" ||
         extension == ".xlsx" || extension == ".ods";
}

// "z_map" -> "z"; a stem that is nothing but the kind keeps its name.
std::string without_kind(const std::string& stem) {
  static const std::set<std::string> kinds = {"map", "static", "transient", "series", "dynamic", "sweep", "loop"};
  const auto cut = stem.find_last_of("_-. ");
  if (cut != std::string::npos && cut > 0 && kinds.contains(lower_case(stem.substr(cut + 1))))
    return stem.substr(0, cut);
  return stem;
}

std::string family_of(const std::string& name) {
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(slash + 1);
}

// One part or direction of the batch.
struct BatchPart {
  std::string name;
  std::vector<std::string> files;
  std::string status, error{};
  FitSummary fit{};
  std::vector<std::string> outliers{};

  bool failed() const { return !error.empty(); }
};
const FieldTable& fields_of(const BatchPart*) {
  using P = BatchPart;
  static const FieldTable table = FieldTable::results<P>("part of the batch", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Name of the group of files");
    t.add(&P::files, "files", "-", "Its files");
    t.add(&P::status, "status", "-", "Status of its fit; failed: it has none");
    t.add(&P::error, "error", "-", "Why it has none").unless_empty();
    t.add([](const P& p) { return p.fit.parameters; }, "parameters", "-", "Identified parameters")
        .keyed_by("name")
        .unless_null();
    t.add([](const P& p) { return p.fit.fit; }, "fit", "-", "Misfit").unless_null();
    t.add([](const P& p) { return p.failed() ? std::nullopt : std::optional(p.outliers); }, "outliers", "-",
          "Parameters that differ from those of its like")
        .unless_null();
  });
  return table;
}

}  // namespace

struct BatchOutput {
  std::string status, reason;
  const std::vector<BatchPart>& parts;
  const std::vector<Finding>& findings;
};

const FieldTable& fields_of(const BatchOutput*) {
  using O = BatchOutput;
  static const FieldTable table = FieldTable::results<O>("result of a batch", [](FieldTable& t) {
    t.add(&O::status, "status", "-", "converged when every part did");
    t.add(&O::reason, "reason", "-", "Why");
    t.add([](const O& o) { return o.parts; }, "parts", "-", "Parts and directions");
    add_findings<O>(t);
  });
  return table;
}

bool is_batch(const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(), [](const std::string& path) {
    std::error_code ec;
    return fs::is_directory(path, ec);
  });
}

std::vector<BatchGroup> batch_groups(const std::vector<std::string>& paths) {
  std::map<std::string, std::vector<std::string>> groups;
  std::size_t count = 0;
  for (const std::string& path : paths) {
    std::error_code ec;
    if (!fs::is_directory(path, ec)) {
      groups[without_kind(fs::path(path).stem().string())].push_back(path);
      continue;
    }
    for (const auto& entry :
         fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, ec)) {
      if (!entry.is_regular_file(ec) || !is_bench_file(entry.path())) continue;
      if (++count > most_files)
        throw_bad_input(path, fmt::format("the folder holds more than {} files", most_files), "split the batch");
      const fs::path inside = fs::relative(entry.path(), path, ec);
      groups[(inside.parent_path() / without_kind(inside.stem().string())).generic_string()].push_back(
          entry.path().string());
    }
  }
  if (groups.empty())
    throw Error(ErrorCode::file_access, "is a directory without a measurement file", join(paths, ", "),
                "name a file, or a folder that holds .csv, .txt, .dat, .xlsx or .ods files");
  std::vector<BatchGroup> out;
  for (auto& [name, files] : groups) {
    std::sort(files.begin(), files.end());
    out.push_back({name, std::move(files), "", ""});
  }
  return out;
}

std::vector<BatchEntry> run_batch(const std::vector<BatchGroup>& groups,
                                  const std::function<Outcome(const BatchGroup&, Progress&)>& job, Progress& progress) {
  // Workers see only the stop request; their own progress would mix.
  class Quiet final : public Progress {
   public:
    explicit Quiet(const Progress& outer) : outer_(outer) {}
    bool stop_requested() const override { return outer_.stop_requested(); }

   private:
    const Progress& outer_;
  };
  std::vector<BatchEntry> entries(groups.size());
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex reporting;
  const auto work = [&] {
    Quiet quiet(progress);
    for (std::size_t i = next++; i < groups.size(); i = next++) {
      entries[i].group = groups[i];
      if (progress.stop_requested()) {
        entries[i].error = "stopped";
        continue;
      }
      try {
        entries[i].outcome = job(groups[i], quiet);
      } catch (const std::bad_alloc&) {
        entries[i].error = "the memory of this machine does not suffice for this part";
      } catch (const std::exception& error) {
        entries[i].error = error.what();
      }
      const std::scoped_lock lock(reporting);
      progress.report(static_cast<double>(++done) / static_cast<double>(groups.size()), groups[i].name);
    }
  };
  std::vector<std::thread> workers;
  const std::size_t threads = std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), groups.size());
  for (std::size_t i = 1; i < threads; ++i) try {
      workers.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads to be had: those that run do the work
      break;
    }
  work();
  for (std::thread& worker : workers) worker.join();
  return entries;
}

namespace {

// Outlier: more than 3.5 robust standard deviations from the median of its family, and more than its own interval
// explains.
void mark_outliers(std::vector<BatchPart>& parts, const std::vector<std::string>& names,
                   std::vector<Finding>& findings) {
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < parts.size(); ++i) families[family_of(parts[i].name)].push_back(i);
  for (const auto& [family, members] : families) {
    if (members.size() < 4) continue;
    for (const std::string& name : names) {
      std::vector<double> logs;
      for (const std::size_t i : members)
        if (const ParameterEstimate* p = parts[i].fit.find(name); p != nullptr && p->value > 0.0)
          logs.push_back(std::log(p->value));
      if (logs.size() < 4) continue;
      const double middle = median(logs);
      for (double& x : logs) x -= middle;
      const double scale = robust_scale(logs);
      for (const std::size_t i : members) {
        const ParameterEstimate* p = parts[i].fit.find(name);
        if (p == nullptr || !(p->value > 0.0)) continue;
        const double distance = std::abs(std::log(p->value) - middle),
                     own = std::isfinite(p->std) ? p->std / p->value : 1e9;
        if (!(distance > 3.5 * scale && distance > 3.0 * own && distance > 0.02)) continue;
        parts[i].outliers.push_back(name);
        findings.push_back({Severity::warning, "part_outlier", parts[i].name,
                            fmt::format("{} is {:.0f} % {} the median of its {} parts", name,
                                        100.0 * std::abs(std::expm1(std::log(p->value) - middle)),
                                        std::log(p->value) > middle ? "above" : "below", members.size()),
                            "look at its report; was the part or its measurement different?"});
      }
    }
  }
}

report::Table batch_table(const std::vector<BatchPart>& parts, const std::vector<BatchEntry>& entries,
                          const std::vector<std::string>& names) {
  report::Table table;
  table.columns = {{"Part"}, {"Status"}, {"Stiffness misfit", "%"}, {"Loss angle misfit", "deg"}};
  for (const std::string& name : names) {
    std::string unit;
    for (const BatchPart& part : parts)
      if (const ParameterEstimate* p = part.fit.find(name)) unit = p->unit;
    table.columns.push_back({name, display_unit(unit).unit});
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const BatchPart& part = parts[i];
    report::Row row;
    row.quality = part.failed()                 ? report::Quality::poor
                  : !part.outliers.empty()      ? report::Quality::fair
                  : entries[i].outcome.complete ? report::Quality::neutral
                                                : report::Quality::fair;
    row.cells = {part.name, part.status};
    if (part.fit.fit) {
      row.cells.emplace_back(100.0 * part.fit.fit->rms_k_dyn_rel);
      row.cells.emplace_back(part.fit.fit->rms_loss_deg);
    }
    row.cells.resize(4);
    for (const std::string& name : names) {
      const ParameterEstimate* p = part.fit.find(name);
      const double shown = p == nullptr ? 0.0 : p->value * display_unit(p->unit).factor;
      const bool outlier = std::find(part.outliers.begin(), part.outliers.end(), name) != part.outliers.end();
      row.cells.push_back(p == nullptr ? report::Value()
                          : outlier    ? report::Value(format_number(shown) + " (outlier)")
                                       : report::Value(shown));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The files of a part's own run, in a folder of its name.
void take_files(BatchEntry& entry, Outcome& outcome) {
  const std::string folder = "parts/" + entry.group.name + "/";
  outcome.files.push_back({folder + "result.json", dump_json(entry.outcome.result)});
  if (entry.outcome.document)
    outcome.files.push_back({folder + "report.html", report::to_html(*entry.outcome.document)});
  for (OutputFile& file : entry.outcome.files) outcome.files.push_back({folder + file.name, std::move(file.content)});
  outcome.inputs.insert(outcome.inputs.end(), entry.outcome.inputs.begin(), entry.outcome.inputs.end());
}

}  // namespace

Outcome summarise_batch(const std::string& title, std::vector<BatchEntry> entries, std::vector<Finding> told) {
  Outcome outcome;
  std::vector<BatchPart> parts;
  std::vector<FitSummary> fits;
  std::size_t failed = 0;
  for (const BatchEntry& entry : entries) {
    BatchPart& part = parts.emplace_back(BatchPart{entry.group.name, entry.group.files, "failed", entry.error});
    if (!part.failed()) {
      part.fit = fit_summary(entry.outcome.result, entry.group.name);
      part.status = part.fit.status.value_or("");
    }
    fits.push_back(part.fit);
    failed += part.failed() || !entry.outcome.complete;
  }
  const std::vector<std::string> names = parameter_names(fits);
  std::vector<Finding> findings;
  mark_outliers(parts, names, findings);
  report::Table table = batch_table(parts, entries, names);
  outcome.text = findings_text(told);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const BatchPart& part = parts[i];
    if (part.failed())
      findings.push_back(
          {Severity::serious, "part_failed", part.name, part.error, "correct the file and run the batch again"});
    else
      take_files(entries[i], outcome);
    outcome.text +=
        fmt::format("  {:<30} {:<14} {}\n", part.name, part.status,
                    part.failed() ? part.error
                                  : fmt::format("{:.2f} %, {:.2f} deg", 100.0 * part.fit.misfit().rms_k_dyn_rel,
                                                part.fit.misfit().rms_loss_deg));
  }
  outcome.complete = failed == 0;
  std::vector<Finding> all = std::move(told);
  all.insert(all.end(), findings.begin(), findings.end());
  to_json_fields(
      BatchOutput{failed == 0 ? "converged" : "not_converged",
                  failed == 0 ? "every part converged"
                              : fmt::format("{} of {} parts failed or did not converge", failed, parts.size()),
                  parts, all},
      outcome.result);
  report::Document document{.title = title, .subtitle = fmt::format("{} parts and directions", parts.size())};
  document.key_figures.push_back({.label = "Parts", .value = parts.size()});
  document.key_figures.push_back(
      {.label = "Failed", .value = failed, .quality = failed == 0 ? report::Quality::good : report::Quality::poor});
  document.section("Summary", "One row per part and direction; values in the units of the header.")
      .add(std::move(table));
  document.section("Findings").add(report::Findings{.findings = findings, .when_empty = "No part stands out."});
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
