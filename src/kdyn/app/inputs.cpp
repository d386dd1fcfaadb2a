// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/inputs.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/door/reduce_sines.hpp"
#include "kdyn/identify/temperature_fit.hpp"

namespace kdyn::app {
namespace {

// A file once, whatever number of sheets or blocks it had.
void add_input(const Source& source, const Contents& contents, std::vector<Source>& inputs) {
  Source one = source;
  for (const Exchange& file : contents.files)
    if (source.path == file.path || source.path.starts_with(file.path + "!"))
      one.path = file.path, one.sha256 = file.sha256;
  inputs.push_back(std::move(one));
}

}  // namespace

BenchInputs bench_inputs(Contents&& contents, SineRecords sines) {
  BenchInputs all;
  all.findings = std::move(contents.findings);
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
    switch (file.kind) {
      case BenchKind::map:
        same_axis(file.map.axis, set.place);
        add_input(file.map.source, contents, all.inputs);
        add_map(std::move(file.map));
        break;
      case BenchKind::static_loop:
        same_axis(file.loop.axis, set.place);
        add_input(file.loop.source, contents, all.inputs);
        all.data.loops.push_back(std::move(file.loop));
        break;
      case BenchKind::series: {
        same_axis(file.series.axis, set.place);
        add_input(file.series.source, contents, all.inputs);
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
