// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/column_claims.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"

namespace kdyn::inline io::internal {
namespace {

bool rises(const std::vector<double>& values) {
  std::size_t up = 0;
  double last = std::nan("");
  for (const double v : values) {
    if (std::isnan(v)) continue;
    if (v < last) return false;
    up += v > last ? 1 : 0;
    last = v;
  }
  return up > 0;
}

}  // namespace

using enum Quantity;

void claim_by_unit(DataBlock& block, std::vector<DataColumn>& nameless, std::vector<Finding>& findings) {
  const auto has = [&](Quantity q) {
    return std::any_of(block.columns.begin(), block.columns.end(),
                       [&](const DataColumn& c) { return c.name.quantity == q; });
  };
  const auto claim = [&](Quantity q, const char* why, auto&& accept) {
    if (has(q)) return;
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < nameless.size(); ++i)
      if (!nameless[i].name.quantity && !nameless[i].name.unit.empty() &&
          (unit_fits(nameless[i].name.unit, q, false) ||
           (q != Quantity::time && unit_fits(nameless[i].name.unit, q, true))) &&
          accept(nameless[i]))
        candidates.push_back(i);
    if (candidates.size() != 1) return;
    DataColumn& one = nameless[candidates.front()];
    one.name.quantity = q;
    findings.push_back({Severity::note, "column_by_unit", one.place,
                        fmt::format("column {} was taken as {}: {}", in_quotes(one.title), quantity_name(q), why),
                        fmt::format("say otherwise with --columns {}=...", quantity_name(q))});
    block.columns.push_back(one);
  };
  const bool map_like = has(frequency) && (has(k_dyn) || has(storage_stiffness));
  if (map_like) return;
  claim(Quantity::time, "it rises and is in a unit of time", [](const DataColumn& c) { return rises(c.values); });
  claim(displacement, "it is the only column in a unit of length or angle", [](const DataColumn&) { return true; });
  claim(force, "it is the only column in a unit of force or moment", [](const DataColumn&) { return true; });
}

}  // namespace kdyn::inline io::internal
