// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/inputs.hpp"

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::app {

Json source_json(const Source& source) {
  Json out = {{"path", source.path}, {"sha256", source.sha256}};
  for (const UnitConversion& c : source.conversions)
    out["conversions"].push_back({{"column", c.column}, {"unit", c.unit}, {"si_unit", c.si_unit}, {"factor", c.factor}});
  return out;
}

BenchInputs read_bench_inputs(const std::vector<std::string>& paths, const Json& units) {
  BenchReadOptions options;
  if (!units.is_object()) throw_bad_input("units", "must be an object of column and unit", R"(write {"force": "kN"})");
  for (const auto& [column, unit] : units.items()) {
    if (!unit.is_string()) throw_bad_input("units." + column, "the unit must be text", R"(write for example "kN")");
    options.units[column] = unit.get<std::string>();
  }
  BenchInputs all;
  std::optional<AxisKind> axis;
  for (const std::string& path : paths) {
    BenchFile file = read_bench_file(path, options);
    all.findings.insert(all.findings.end(), file.findings.begin(), file.findings.end());
    const auto same_axis = [&](AxisKind kind) {
      if (axis && *axis != kind)
        throw_bad_input(path, "this file is torsional and another one is translational, or the other way round", "fit one direction at a time");
      axis = kind;
    };
    switch (file.kind) {
      case BenchKind::map:
        same_axis(file.map.axis);
        all.inputs.push_back(source_json(file.map.source));
        if (all.data.map.rows.empty())
          all.data.map = std::move(file.map);
        else
          all.data.map.rows.insert(all.data.map.rows.end(), file.map.rows.begin(), file.map.rows.end());
        break;
      case BenchKind::static_loop:
        same_axis(file.loop.axis);
        all.inputs.push_back(source_json(file.loop.source));
        all.data.loops.push_back(std::move(file.loop));
        break;
      case BenchKind::series:
        same_axis(file.series.axis);
        all.inputs.push_back(source_json(file.series.source));
        if (file.series.force.empty()) throw_bad_input(path, "the series has no force column", "a fit needs force; add force_n");
        all.data.series.push_back(std::move(file.series));
        break;
      case BenchKind::unknown:
        throw_bad_input(path, "the columns are of no layout kdyn knows", "use map, static or series columns; see docs/guide.md");
    }
  }
  return all;
}

}  // namespace kdyn::app
