// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/batch.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "kdyn/app/part_sink.hpp"
#include "kdyn/app/present/fit_summary.hpp"
#include "kdyn/app/provenance.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/field_known.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"
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

// A name for each place that files were given from: its last folder, with as many of those above as tell it from the
// others. Files stand for the folder they lie in.
std::vector<std::string> place_labels(const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> parts;  // of each place, the last one first
  for (const std::string& path : paths) {
    std::error_code ec;
    fs::path place = fs::weakly_canonical(path, ec);
    if (!fs::is_directory(place, ec)) place = place.parent_path();
    std::vector<std::string> names;
    for (const fs::path& part : place.relative_path())
      if (!part.empty()) names.insert(names.begin(), part.string());
    parts.push_back(std::move(names));
  }
  const auto label = [](const std::vector<std::string>& names, std::size_t count) {
    fs::path out;
    for (std::size_t i = std::min(count, names.size()); i-- > 0;) out /= names[i];
    return out.generic_string();
  };
  std::size_t longest = 1;
  for (const auto& names : parts) longest = std::max(longest, names.size());
  for (std::size_t count = 1; count <= longest; ++count) {
    std::vector<std::string> labels;
    std::map<std::string, std::set<std::vector<std::string>>> same;
    for (const auto& names : parts) labels.push_back(label(names, count)), same[labels.back()].insert(names);
    if (std::all_of(same.begin(), same.end(), [](const auto& s) { return s.second.size() == 1; })) return labels;
  }
  return std::vector<std::string>(paths.size());
}

// What tells whether a result.json is the one this run would write.
struct EarlierRun {
  std::string status;
  std::optional<Provenance> provenance;
};
const FieldTable& fields_of(const EarlierRun*) {
  using E = EarlierRun;
  static const FieldTable table = FieldTable::results<E>("earlier run", [](FieldTable& t) {
    t.add(&E::status, "status", "-", "Status");
    t.add(&E::provenance, "provenance", "-", "How it came about");
  });
  return table;
}

// What the summary needs of a part's result.json.
void take_summary(const Json& result, PartSummary& part) {
  FitSummary fit = fit_summary(result, part.group.name);
  part.status = fit.status.value_or("");
  part.complete = part.status == "converged";
  part.rms_kdyn_rel = fit.misfit().rms_k_dyn_rel;
  part.rms_loss_deg = fit.misfit().rms_loss_deg;
  if (fit.parameters) part.parameters = std::move(*fit.parameters);
  EarlierRun earlier;
  from_known_fields(earlier, result, part.group.name);
  if (earlier.provenance) part.inputs = std::move(earlier.provenance->inputs);
  part.date = std::move(fit.date), part.batch = std::move(fit.batch);
}

}  // namespace

bool is_batch(const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(), [](const std::string& path) {
    std::error_code ec;
    return fs::is_directory(path, ec);
  });
}

std::vector<BatchGroup> batch_groups(const std::vector<std::string>& paths) {
  struct Found {
    std::size_t given;  // which of the paths
    fs::path inside;    // below it, with folders
    std::string path;
  };
  std::vector<Found> all;
  for (std::size_t given = 0; given < paths.size(); ++given) {
    const std::string& path = paths[given];
    std::error_code ec;
    if (!fs::is_directory(path, ec)) {
      all.push_back({given, fs::path(path).filename(), path});
      continue;
    }
    for (const auto& entry :
         fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, ec)) {
      if (!entry.is_regular_file(ec) || !is_bench_file(entry.path())) continue;
      if (all.size() >= most_files)
        throw_bad_input(path, fmt::format("the folder holds more than {} files", most_files), "split the batch");
      all.push_back({given, fs::relative(entry.path(), path, ec), entry.path().string()});
    }
  }
  if (all.empty())
    throw Error(ErrorCode::file_access, "is a directory without a measurement file", join(paths, ", "),
                "name a file, or a folder that holds .csv, .txt, .dat, .xlsx or .ods files");
  // The same name in two places is two parts, not one: then the places are part of all names.
  std::map<std::string, std::set<std::size_t>> places;
  for (const Found& one : all) places[fs::path(one.inside).replace_extension().generic_string()].insert(one.given);
  const bool several = std::any_of(places.begin(), places.end(), [](const auto& p) { return p.second.size() > 1; });
  const std::vector<std::string> labels = several ? place_labels(paths) : std::vector<std::string>(paths.size());
  std::map<std::string, std::vector<std::string>> groups;
  for (const Found& one : all)
    groups[(fs::path(labels[one.given]) / one.inside.parent_path() / without_kind(one.inside.stem().string()))
               .generic_string()]
        .push_back(one.path);
  std::vector<BatchGroup> out;
  for (auto& [name, files] : groups) {
    std::sort(files.begin(), files.end());
    out.push_back({name, std::move(files), "", ""});
  }
  return out;
}

std::vector<BatchGroup> groups_of_objects(const Contents& contents, const std::string& prefix) {
  std::vector<BatchGroup> out;
  for (const MeasuredObject& object : objects_of(contents)) {
    BatchGroup group{prefix + object.name(),
                     {},
                     object.part.empty() ? "-" : object.part,
                     object.direction.empty() ? "-" : object.direction};
    for (const std::size_t i : object.sets) {
      // Labels that were lent to sets without one would not be found again.
      const BenchSet& set = contents.sets[i];
      if (set.labels.part.empty() && group.part != "-") group.part = "";
      if (set.labels.direction.empty() && group.direction != "-") group.direction = "";
      for (const Exchange& file : contents.files)
        if ((set.place == file.path || set.place.starts_with(file.path + "!")) &&
            std::find(group.files.begin(), group.files.end(), file.path) == group.files.end())
          group.files.push_back(file.path);
    }
    out.push_back(std::move(group));
  }
  return out;
}

bool is_same_run(const Json& earlier, const std::string& operation, const Json& options) {
  try {
    EarlierRun run;
    from_known_fields(run, earlier, "result.json");
    if (!run.provenance || run.status == "stopped") return false;
    const Provenance& was = *run.provenance;
    if (was.operation != operation || was.options_given != options) return false;
    if (was.kdyn.version != version() || was.kdyn.revision != revision()) return false;
    for (const Source& input : was.inputs)
      if (sha256(read_text(input.path)) != input.sha256) return false;
    return !was.inputs.empty();
  } catch (const Error&) {
    return false;
  }
}

std::vector<PartSummary> run_batch(const std::vector<BatchGroup>& groups, const BatchWork& work,
                                   std::vector<Finding>& told, Progress& progress) {
  PartSink* sink = part_sink(progress);
  std::vector<std::vector<PartSummary>> parts(groups.size());
  std::vector<std::vector<Finding>> findings(groups.size());
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex reporting;
  std::exception_ptr disk;  // a part that cannot be written ends the run
  // What an earlier run finished is taken over.
  const auto taken_over = [&](PartSummary& part) {
    if (sink == nullptr || !work.is_done) return false;
    const Json earlier = sink->finished(part.group.name);
    if (earlier.is_null() || !work.is_done(part.group, earlier)) return false;
    sink->keep(part.group.name);
    take_summary(earlier, part);
    part.resumed = true;
    return true;
  };
  const auto fit_part = [&](PartSummary& part, Progress& quiet) {
    const BatchGroup& group = part.group;
    Outcome outcome;
    try {
      outcome = work.fit(group, quiet);
    } catch (const std::bad_alloc&) {
      part.error = "the memory of this machine does not suffice for this part";
      return;
    } catch (const std::exception& error) {
      part.error = error.what();
      return;
    }
    take_summary(outcome.result, part);
    part.complete = outcome.complete;
    if (sink != nullptr) {
      sink->write(group.name, outcome);
      return;
    }
    const std::string folder = "parts/" + group.name + "/";
    part.files.push_back({folder + "result.json", dump_json(outcome.result)});
    if (outcome.document) part.files.push_back({folder + "report.html", report::to_html(*outcome.document)});
    for (OutputFile& file : outcome.files) part.files.push_back({folder + file.name, std::move(file.content)});
  };
  const auto run_group = [&](std::size_t i, Progress& quiet) {
    PartSummary whole;
    whole.group = groups[i];
    if (taken_over(whole)) {
      parts[i].push_back(std::move(whole));
      return;
    }
    const std::vector<BatchGroup> single = work.split ? work.split(groups[i], findings[i]) : std::vector{groups[i]};
    for (const BatchGroup& group : single) {
      PartSummary& part = parts[i].emplace_back();
      part.group = group;
      const bool asked = group.name == groups[i].name && group.files == groups[i].files;
      if (progress.stop_requested())
        part.error = "stopped";
      else if (asked || !taken_over(part))
        fit_part(part, quiet);
    }
  };
  const auto run = [&] {
    InnerProgress quiet(progress);  // progress of several parts would mix
    for (std::size_t i = next++; i < groups.size(); i = next++) {
      if (progress.stop_requested()) {
        parts[i].emplace_back().group = groups[i];
        parts[i].back().error = "stopped";
        continue;
      }
      try {
        run_group(i, quiet);
      } catch (...) {
        const std::scoped_lock lock(reporting);
        if (!disk) disk = std::current_exception();
        next = groups.size();
      }
      const std::scoped_lock lock(reporting);
      progress.report(static_cast<double>(++done) / static_cast<double>(groups.size()), groups[i].name);
    }
  };
  std::vector<std::thread> workers;
  const std::size_t threads = std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), groups.size());
  for (std::size_t i = 1; i < threads; ++i) try {
      workers.emplace_back(run);
    } catch (const std::system_error&) {  // no more threads to be had: those that run do the work
      break;
    }
  run();
  for (std::thread& worker : workers) worker.join();
  if (disk) std::rethrow_exception(disk);
  std::vector<PartSummary> all;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::move(parts[i].begin(), parts[i].end(), std::back_inserter(all));
    told.insert(told.end(), findings[i].begin(), findings[i].end());
  }
  return all;
}

}  // namespace kdyn::app
