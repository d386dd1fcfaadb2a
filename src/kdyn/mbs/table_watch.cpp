// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/table_watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/json.hpp"
#include "kdyn/mbs/force_table.hpp"
#include "kdyn/mbs/signals.hpp"

namespace kdyn::mbs {

TableWatch::TableWatch(const System& system) {
  for (std::size_t a = 0; a < system.axes().size(); ++a) {
    const Axis& axis = system.axes()[a];
    if (axis.law->model() != ForceTable<double>::model) continue;
    Json law;
    axis.law->to_json(law);
    Range range;
    range.axis = a;
    range.name = axis_name(system.model().connections[static_cast<std::size_t>(axis.connection)], axis.component);
    for (int k = 0; k < 2; ++k) {
      const char* key = k == 0 ? "displacement" : "velocity";
      const double factor = law["parameters"][std::string(key) + "_factor"].get<double>();
      range.low[k] = law.contains(key) ? law[key].front().get<double>() / factor : 0.0;
      range.high[k] = law.contains(key) ? law[key].back().get<double>() / factor : 0.0;
    }
    tables_.push_back(std::move(range));
  }
}

void TableWatch::see(const RunState& state) {
  for (Range& range : tables_) {
    const Motion<double>& at = state.laws.motion[range.axis];
    for (int k = 0; k < 2; ++k) {
      range.least[k] = std::min(range.least[k], k == 0 ? at.u : at.v);
      range.most[k] = std::max(range.most[k], k == 0 ? at.u : at.v);
    }
  }
}

std::vector<Finding> TableWatch::findings(const std::string& where) const {
  std::vector<Finding> out;
  for (const Range& range : tables_)
    for (int k = 0; k < 2; ++k) {
      if (range.low[k] == range.high[k]) continue;
      const double span = range.high[k] - range.low[k],
                   beyond = std::max(range.low[k] - range.least[k], range.most[k] - range.high[k]);
      if (!(beyond > 1e-3 * span)) continue;
      out.push_back(
          {Severity::warning, "beyond_table", where + ", " + range.name,
           fmt::format("its force table holds {} from {:.4g} to {:.4g}, the run went from {:.4g} to {:.4g}: beyond "
                       "its ends the force is guessed along the end slopes",
                       k == 0 ? "displacements" : "velocities", range.low[k], range.high[k], range.least[k],
                       range.most[k]),
           "measure the table further, or check units and the run"});
    }
  return out;
}

}  // namespace kdyn::mbs
