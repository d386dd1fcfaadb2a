// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/job_folder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "kdyn/app/job_record.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/app/result_folder.hpp"
#include "kdyn/base/field_known.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/search_watcher.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {
namespace {

namespace fs = std::filesystem;

// Operations may report from several threads and thousands of times a second; a file is written ten times a second.
class FileProgress final : public Progress, public FolderSink, public SearchWatcher {
 public:
  FileProgress(std::string path, std::string live_path, bool (*is_stopped)(), ResultFolder& folder)
      : FolderSink(&folder, true),
        path_(std::move(path)),
        live_path_(std::move(live_path)),
        is_stopped_(is_stopped) {}
  void report(double fraction, std::string_view what) override {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100) && what == what_) return;
    last_ = now;
    what_ = what;
    // Progress is information: a disk that is full for a moment does not end the work.
    try {
      write_text(path_, dump_json(described_json(JobProgress{fraction, what_})));
    } catch (const Error&) {
    }
  }
  bool stop_requested() const override { return is_stopped_(); }
  void values_are(const std::vector<std::string>& names, const std::vector<std::string>& units) override {
    const std::lock_guard lock(mutex_);
    live_.names = names, live_.units = units;
  }
  void step(std::string_view search, int step, double objective, std::span<const double> values) override {
    const std::lock_guard lock(mutex_);
    live_.add(search, step, objective, values);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_live_ < std::chrono::milliseconds(250)) return;
    last_live_ = now;
    try {
      write_text(live_path_, dump_json(described_json(live_)));
    } catch (const Error&) {
    }
  }

 private:
  std::string path_, live_path_, what_;
  bool (*is_stopped_)();
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_{}, last_live_{};
  LiveSearch live_;
};

// The picture by which a run is known again in a list: a few points of the first curves of its report.
constexpr std::size_t most_curves = 6, most_points = 48;

const report::Plot* first_plot(const std::vector<report::Block>& blocks) {
  for (const report::Block& block : blocks) {
    if (const auto* plot = std::get_if<report::Plot>(&block.content); plot && !plot->series.empty()) return plot;
    if (const auto* row = std::get_if<report::PlotRow>(&block.content))
      for (const report::Plot& plot : row->plots)
        if (!plot.series.empty()) return &plot;
  }
  return nullptr;
}

Json small_curve(const report::Document& document) {
  const report::Plot* plot = nullptr;
  for (const report::Section& section : document.sections)
    if (!plot) plot = first_plot(section.blocks);
  Json curves = Json::array();
  if (!plot) return {{"title", ""}, {"curves", std::move(curves)}};
  for (const report::Series& series : plot->series) {
    if (curves.size() == most_curves) break;
    const std::size_t count = std::min(series.x.size(), series.y.size());
    const std::size_t every = std::max<std::size_t>(1, (count + most_points - 1) / most_points);
    Json x = Json::array(), y = Json::array();
    for (std::size_t i = 0; i < count; i += every) {
      const double a = plot->x.log ? std::log10(series.x[i]) : series.x[i];
      const double b = plot->y.log ? std::log10(series.y[i]) : series.y[i];
      if (!std::isfinite(a) || !std::isfinite(b)) continue;
      x.push_back(a), y.push_back(b);
    }
    if (x.empty()) continue;
    curves.push_back({{"group", series.group},
                      {"dots", series.style == report::SeriesStyle::markers},
                      {"x", std::move(x)},
                      {"y", std::move(y)}});
  }
  return {{"title", plot->title}, {"curves", std::move(curves)}};
}

// A disk that is full now may have room in a minute.
template <class Work>
void patiently(bool (*is_stopped)(), Work&& work) {
  for (int attempt = 0;; ++attempt) {
    try {
      return work();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::file_access || attempt >= 60 || is_stopped()) throw;
      std::fputs(fmt::format("{}: {}; trying again\n", error.where(), error.message()).c_str(), stderr);
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
  }
}

}  // namespace

Error out_of_memory() { return Error(ErrorCode::bad_input, memory_message, "memory", memory_remedy); }

Json error_json(const Error& error) { return described_json(job_error(error)); }

int run_job_folder(const std::string& folder, bool (*is_stopped)()) {
  const auto path = [&](const char* name) { return (fs::path(folder) / name).string(); };
  const auto fail = [&](const Error& error) {
    write_text(path("error.json"), dump_json(error_json(error)));
    return static_cast<int>(error.code());
  };
  try {
    JobRecord job;
    from_known_fields(job, read_json(path("job.json")), path("job.json"));
    const Operation* operation = find_operation(job.operation);
    if (operation == nullptr)
      throw_bad_input(path("job.json"), fmt::format("unknown operation {}", in_quotes(job.operation)),
                      "kdyn describe lists the operations");
    std::optional<ResultFolder> out;
    patiently(is_stopped, [&] { out.emplace(folder); });
    FileProgress progress(path("progress.json"), path("live.json"), is_stopped, *out);
    const Outcome outcome = run_operation(*operation, job.options, progress);
    patiently(is_stopped, [&] { out->write(outcome, true); });
    // Only looked at: a run without it is as good.
    if (outcome.document) try {
        write_text(path("curve.json"), dump_json(small_curve(*outcome.document)));
      } catch (const Error&) {
      }
    return outcome.complete ? 0 : 3;
  } catch (const Error& error) {
    return fail(error);
  } catch (const std::bad_alloc&) {
    return fail(out_of_memory());
  } catch (const std::exception& error) {
    return fail(Error(ErrorCode::internal, error.what(), "", "please report this with the project folder of the job"));
  }
}

}  // namespace kdyn::app
