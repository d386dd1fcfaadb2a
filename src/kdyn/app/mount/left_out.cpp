// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/left_out.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::app {

void leave_out_rows(StiffnessMap& map, const std::vector<std::int64_t>& rows, std::vector<Finding>& findings) {
  if (rows.empty()) return;
  const std::set<std::int64_t> out(rows.begin(), rows.end());
  const auto count = static_cast<std::int64_t>(map.rows.size());
  if (*out.begin() < 1 || *out.rbegin() > count)
    throw_bad_input("leave_out",
                    fmt::format("there is no point {} in the map", *out.begin() < 1 ? *out.begin() : *out.rbegin()),
                    fmt::format("the map has {} points, counted from 1", count));
  if (static_cast<std::int64_t>(out.size()) == count)
    throw_bad_input("leave_out", "no point of the map is left", "leave out fewer points");
  std::vector<MapRow> kept;
  for (std::int64_t i = 0; i < count; ++i)
    if (!out.contains(i + 1)) kept.push_back(map.rows[static_cast<std::size_t>(i)]);
  map.rows = std::move(kept);
  findings.push_back({Severity::note, "left_out", "leave_out",
                      fmt::format("{} of {} points of the map are left out as asked", out.size(), count), ""});
}

}  // namespace kdyn::app
