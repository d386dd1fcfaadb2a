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

double number_at(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_number() ? object[key].get<double>() : std::nan("");
}

struct Cell {
  double value = std::nan(""), std = std::nan("");
  std::string unit;
  bool outlier = false;
};

}  // namespace

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

Outcome summarise_batch(const std::string& title, std::vector<BatchEntry> entries) {
  Outcome outcome;
  std::vector<std::string> names;
  std::vector<std::map<std::string, Cell>> cells(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Json& result = entries[i].outcome.result;
    if (!result.contains("parameters")) continue;
    for (const auto& [name, p] : result["parameters"].items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      cells[i][name] = {number_at(p, "value"), number_at(p, "std"), p["unit"].get<std::string>(), false};
    }
  }
  // Outlier: more than 3.5 robust standard deviations from the median of its family, and more than its own interval
  // explains.
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < entries.size(); ++i) families[family_of(entries[i].group.name)].push_back(i);
  std::vector<Finding> findings;
  for (const auto& [family, members] : families) {
    if (members.size() < 4) continue;
    for (const std::string& name : names) {
      std::vector<double> logs;
      for (const std::size_t i : members)
        if (cells[i].contains(name) && cells[i][name].value > 0.0) logs.push_back(std::log(cells[i][name].value));
      if (logs.size() < 4) continue;
      const double middle = median(logs);
      for (double& x : logs) x -= middle;
      const double scale = robust_scale(logs);
      for (const std::size_t i : members) {
        Cell& cell = cells[i][name];
        if (!(cell.value > 0.0)) continue;
        const double distance = std::abs(std::log(cell.value) - middle),
                     own = std::isfinite(cell.std) ? cell.std / cell.value : 1e9;
        cell.outlier = distance > 3.5 * scale && distance > 3.0 * own && distance > 0.02;
        if (cell.outlier)
          findings.push_back({Severity::warning, "part_outlier", entries[i].group.name,
                              fmt::format("{} is {:.0f} % {} the median of its {} parts", name,
                                          100.0 * std::abs(std::expm1(std::log(cell.value) - middle)),
                                          std::log(cell.value) > middle ? "above" : "below", members.size()),
                              "look at its report; was the part or its measurement different?"});
      }
    }
  }

  report::Document document{.title = title, .subtitle = fmt::format("{} parts and directions", entries.size())};
  report::Table table;
  table.columns = {{"Part"}, {"Status"}, {"Stiffness misfit", "%"}, {"Loss angle misfit", "deg"}};
  for (const std::string& name : names) {
    std::string unit;
    for (const auto& row : cells)
      if (const auto it = row.find(name); it != row.end()) unit = it->second.unit;
    table.columns.push_back({name, display_unit(unit).unit});
  }
  Json parts = Json::array();
  std::size_t failed = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    BatchEntry& entry = entries[i];
    Json part = {{"name", entry.group.name}, {"files", entry.group.files}};
    const bool broken = !entry.error.empty();
    const Json& result = entry.outcome.result;
    const std::string status = broken ? "failed" : result["status"].get<std::string>();
    part["status"] = status;
    if (broken) {
      part["error"] = entry.error;
      findings.push_back({Severity::serious, "part_failed", entry.group.name, entry.error,
                          "correct the file and run the batch again"});
    }
    failed += broken || !entry.outcome.complete;
    report::Row row;
    row.quality = broken                   ? report::Quality::poor
                  : entry.outcome.complete ? report::Quality::neutral
                                           : report::Quality::fair;
    row.cells = {entry.group.name, status};
    if (!broken) {
      part["parameters"] = result["parameters"];
      part["fit"] = {{"rms_kdyn_rel", result["fit"]["rms_kdyn_rel"]}, {"rms_loss_deg", result["fit"]["rms_loss_deg"]}};
      row.cells.emplace_back(100.0 * number_at(result["fit"], "rms_kdyn_rel"));
      row.cells.emplace_back(number_at(result["fit"], "rms_loss_deg"));
      Json outliers = Json::array();
      for (const std::string& name : names) {
        const auto it = cells[i].find(name);
        if (it == cells[i].end()) {
          row.cells.emplace_back();
          continue;
        }
        const double shown = it->second.value * display_unit(it->second.unit).factor;
        row.cells.emplace_back(it->second.outlier ? report::Value(format_number(shown) + " (outlier)")
                                                  : report::Value(shown));
        if (it->second.outlier) outliers.push_back(name);
      }
      if (!outliers.empty()) row.quality = report::Quality::fair;
      part["outliers"] = std::move(outliers);
      const std::string folder = "parts/" + entry.group.name + "/";
      outcome.files.push_back({folder + "result.json", dump_json(result)});
      if (entry.outcome.document)
        outcome.files.push_back({folder + "report.html", report::to_html(*entry.outcome.document)});
      for (OutputFile& file : entry.outcome.files)
        outcome.files.push_back({folder + file.name, std::move(file.content)});
      for (const Json& input : entry.outcome.inputs) outcome.inputs.push_back(input);
    } else {
      row.cells.resize(table.columns.size());
    }
    table.rows.push_back(std::move(row));
    outcome.text +=
        fmt::format("  {:<30} {:<14} {}\n", entry.group.name, status,
                    broken ? entry.error
                           : fmt::format("{:.2f} %, {:.2f} deg", 100.0 * number_at(result["fit"], "rms_kdyn_rel"),
                                         number_at(result["fit"], "rms_loss_deg")));
    parts.push_back(std::move(part));
  }
  outcome.complete = failed == 0;
  outcome.result["status"] = failed == 0 ? "converged" : "not_converged";
  outcome.result["reason"] = failed == 0
                                 ? "every part converged"
                                 : fmt::format("{} of {} parts failed or did not converge", failed, entries.size());
  outcome.result["parts"] = std::move(parts);
  outcome.result["findings"] = to_json(findings);
  document.key_figures.push_back({.label = "Parts", .value = entries.size()});
  document.key_figures.push_back(
      {.label = "Failed", .value = failed, .quality = failed == 0 ? report::Quality::good : report::Quality::poor});
  document.section("Summary", "One row per part and direction; values in the units of the header.")
      .add(std::move(table));
  document.section("Findings").add(report::Findings{.findings = findings, .when_empty = "No part stands out."});
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
