// SPDX-License-Identifier: Apache-2.0
// All runs in one table.
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "kdyn/app/study/study_result.hpp"
#include "kdyn/io/store.hpp"

namespace kdyn::app {
namespace {

std::string cell(std::string text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return "\"" + text + "\"";
}

const char* status_of(const StudyResult& result, std::size_t run) {
  return !result.finished[run] ? "not run" : result.is_done[run] ? "done" : "failed";
}

}  // namespace

std::string runs_csv(const StudyPlan& plan, const StudyResult& result) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "run,status");
  const auto head = [&](const std::string& name, const std::string& unit) {
    fmt::format_to(out, ",{}", cell(unit.empty() || unit == "-" ? name : fmt::format("{} [{}]", name, unit)));
  };
  for (const StudyColumn& c : plan.columns()) head(c.name, c.unit);
  for (const StudyResponseResult& r : result.responses) head(r.name, r.unit);
  if (result.optimum) fmt::format_to(out, ",objective,violation,stage");
  fmt::format_to(out, ",reason\n");
  for (std::size_t run = 0; run < plan.runs(); ++run) {
    fmt::format_to(out, "{},{}", run, status_of(result, run));
    for (std::size_t c = 0; c < plan.columns().size(); ++c)
      if (plan.columns()[c].has_levels())
        fmt::format_to(out, ",{}", cell(plan.level(run, c).name));
      else
        fmt::format_to(out, ",{}", plan.entry(run, c));
    for (const StudyResponseResult& r : result.responses)
      if (std::isfinite(r.values[run]))
        fmt::format_to(out, ",{}", r.values[run]);
      else
        fmt::format_to(out, ",");
    if (result.optimum) {
      for (const double v : {result.optimum->objectives[run], result.optimum->violations[run]})
        if (std::isfinite(v))
          fmt::format_to(out, ",{}", v);
        else
          fmt::format_to(out, ",");
      fmt::format_to(out, ",{}", result.optimum->stages[run]);
    }
    fmt::format_to(out, ",{}\n", cell(result.reasons[run]));
  }
  return fmt::to_string(text);
}

std::string runs_hdf5(const StudyPlan& plan, const StudyResult& result) {
  SignalSet table;
  table.rows = plan.runs();
  const auto column = [&](const std::string& name, const std::string& unit, const auto& value) {
    Signal& signal = table.signals.emplace_back();
    signal.name = name, signal.unit = unit == "-" ? "" : unit;
    signal.step_s = 1.0;
    signal.values.reserve(plan.runs());
    for (std::size_t run = 0; run < plan.runs(); ++run) signal.values.push_back(value(run));
  };
  column("run", "", [](std::size_t run) { return static_cast<double>(run); });
  column("done", "", [&](std::size_t run) { return result.is_done[run] ? 1.0 : 0.0; });
  for (std::size_t c = 0; c < plan.columns().size(); ++c) {
    const StudyColumn& about = plan.columns()[c];
    const bool numbers = !about.has_levels() || about.is_number();
    column(about.name, about.unit, [&](std::size_t run) { return numbers ? plan.number(run, c) : plan.entry(run, c); });
  }
  for (const StudyResponseResult& r : result.responses)
    column(r.name, r.unit, [&](std::size_t run) { return r.values[run]; });
  if (result.optimum) {
    column("objective", "", [&](std::size_t run) { return result.optimum->objectives[run]; });
    column("violation", "", [&](std::size_t run) { return result.optimum->violations[run]; });
  }
  Store store;
  store.signals = std::move(table);
  return store_bytes(std::move(store));
}

}  // namespace kdyn::app
