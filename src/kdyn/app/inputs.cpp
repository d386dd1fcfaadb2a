// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/inputs.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/door/reduce_sines.hpp"
#include "kdyn/identify/temperature_fit.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::app {
namespace {

// A file once, whatever number of sheets or blocks it had.
void add_input(const Source& source, const BenchSet& set, const Contents& contents, std::vector<Source>& inputs) {
  Source one = source;
  for (const Exchange& file : contents.files)
    if (source.path == file.path || source.path.starts_with(file.path + "!")) {
      one.path = file.path, one.sha256 = file.sha256;
      if (source.path.size() > file.path.size()) one.sheet = source.path.substr(file.path.size() + 1);
    }
  for (const ColumnUse& use : set.mapping) one.mapping[use.meaning] = use.column;
  inputs.push_back(std::move(one));
}

// Frequency, amplitude and preload of two rows within what a bench repeats.
bool same_point(const MapRow& a, const MapRow& b) {
  return std::abs(a.frequency_hz - b.frequency_hz) <= 0.01 * a.frequency_hz &&
         std::abs(a.amplitude - b.amplitude) <= 0.03 * a.amplitude &&
         std::abs(a.preload - b.preload) <= 0.03 * std::abs(a.preload) + 1.0 &&
         !(std::abs(a.temperature_c - b.temperature_c) > 2.0);
}

// Two files with the same points must tell the same stiffness: parts of one drawing differ by some 10 %, directions by
// more. Scatter of one part is a matter for the doctor.
void demand_one_part(const std::vector<BenchSet>& sets) {
  constexpr double too_far = 0.15;
  constexpr std::size_t enough = 3, most_rows = 5000;
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (std::size_t k = i + 1; k < sets.size(); ++k) {
      const auto &a = sets[i].bench.map.rows, &b = sets[k].bench.map.rows;
      if (a.size() * b.size() > most_rows * most_rows) continue;
      std::vector<double> ratios;
      for (const MapRow& row : a)
        for (const MapRow& other : b)
          if (same_point(row, other)) ratios.push_back(std::log(other.k_dyn / row.k_dyn));
      if (ratios.size() < enough) continue;
      const double middle = median(ratios);
      if (std::abs(middle) <= too_far) continue;
      throw_bad_input(
          sets[k].place,
          fmt::format("at {} points that {} holds too, its stiffness is {:.3g} times as high (median): these "
                      "are not measurements of one part, direction and temperature",
                      ratios.size(), sets[i].place, std::exp(middle)),
          "fit the files one by one; or name their parts in a column or a line \"part: NAME\"");
    }
}

// Loops and records must be measured where the law is identified: at the only temperature of the map, or at its
// reference temperature.
void keep_one_temperature(std::vector<BenchSet>& sets, std::vector<Finding>& findings) {
  StiffnessMap map;
  for (const BenchSet& set : sets)
    map.rows.insert(map.rows.end(), set.bench.map.rows.begin(), set.bench.map.rows.end());
  const std::vector<double> levels = temperature_levels(map);
  std::optional<double> here;
  std::string who;
  if (!levels.empty()) here = levels[levels.size() > 1 ? reference_level(levels) : 0], who = "the map";
  for (auto set = sets.begin(); set != sets.end();) {
    const double told = set->labels.temperature_c;
    if (set->bench.kind == BenchKind::map || std::isnan(told) || !here || std::abs(told - *here) <= 2.0) {
      if (set->bench.kind != BenchKind::map && !std::isnan(told) && !here) here = told, who = set->place;
      ++set;
      continue;
    }
    if (levels.size() < 2)
      throw_bad_input(
          set->place,
          fmt::format("its {} was measured at {:.4g} degC, {} at {:.4g} degC; one law holds at one temperature",
                      to_string(set->bench.kind), told, who, *here),
          fmt::format("choose one: --temperature {:.4g}", *here));
    findings.push_back({Severity::warning, "not_used", set->place,
                        fmt::format("its {} was not used: measured at {:.4g} degC, and the law is identified at {:.4g}",
                                    to_string(set->bench.kind), told, *here),
                        ""});
    set = sets.erase(set);
  }
}

}  // namespace

BenchInputs bench_inputs(Contents&& contents, SineRecords sines) {
  BenchInputs all;
  all.findings = std::move(contents.findings);
  demand_one_part(contents.sets);
  keep_one_temperature(contents.sets, all.findings);
  std::optional<AxisKind> axis;
  const auto same_axis = [&](AxisKind kind, const std::string& place) {
    if (axis && *axis != kind)
      throw_bad_input(place, "this file is torsional and another one is translational, or the other way round",
                      "fit one direction at a time");
    axis = kind;
  };
  const auto add_map = [&](StiffnessMap&& map) {
    if (all.data.map.rows.empty())
      all.data.map = std::move(map);
    else
      all.data.map.rows.insert(all.data.map.rows.end(), map.rows.begin(), map.rows.end());
  };
  for (BenchSet& set : contents.sets) {
    BenchFile& file = set.bench;
    if (all.date.empty()) all.date = set.labels.date;
    if (all.batch.empty()) all.batch = set.labels.batch;
    switch (file.kind) {
      case BenchKind::map:
        same_axis(file.map.axis, set.place);
        add_input(file.map.source, set, contents, all.inputs);
        add_map(std::move(file.map));
        break;
      case BenchKind::static_loop:
        same_axis(file.loop.axis, set.place);
        add_input(file.loop.source, set, contents, all.inputs);
        all.data.loops.push_back(std::move(file.loop));
        break;
      case BenchKind::series: {
        same_axis(file.series.axis, set.place);
        add_input(file.series.source, set, contents, all.inputs);
        if (file.series.force.empty())
          throw_bad_input(set.place, "the series has no force column", "a fit needs force; add force_n");
        std::optional<StiffnessMap> reduced;
        if (sines == SineRecords::reduce) reduced = reduce_sines(file.series, all.findings);
        if (reduced)
          add_map(std::move(*reduced));
        else
          all.data.series.push_back(std::move(file.series));
        break;
      }
      case BenchKind::unknown: demand(false, "a set that was read has a kind");
    }
  }
  return all;
}

BenchInputs read_bench_inputs(const std::vector<std::string>& paths, const ReadHints& hints, SineRecords sines) {
  Contents contents = read_measurements(paths, hints);
  if (!contents.sets.empty()) choose_object(contents, hints);
  if (const std::vector<MeasuredObject> objects = objects_of(contents); objects.size() > 1) {
    const MeasuredObject& first = objects.front();
    throw_bad_input("data", tell_objects(objects, contents) + "; one fit describes one of them",
                    fmt::format("choose one, for example {}; fit elastomer fits each when several are given",
                                !first.direction.empty() ? "--direction " + first.direction
                                : !first.part.empty()    ? "--part " + in_quotes(first.part)
                                                         : "--direction -"));
  }
  return bench_inputs(std::move(contents), sines);
}

void demand_one_temperature(const BenchInputs& inputs) {
  const std::vector<double> levels = temperature_levels(inputs.data.map);
  if (levels.size() < 2) return;
  std::vector<std::string> shown;
  for (const double level : levels) shown.push_back(fmt::format("{:.4g}", level));
  throw_bad_input("data",
                  fmt::format("the map was measured at {} temperatures ({} degC), and this law knows none",
                              levels.size(), join(shown, ", ")),
                  fmt::format("choose one: --temperature {}", shown.front()));
}

}  // namespace kdyn::app
