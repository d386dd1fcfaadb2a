// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/bench_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/assembler.hpp"
#include "kdyn/io/internal/column_claims.hpp"

namespace kdyn::inline io::internal {

using enum Quantity;

bool completes(const DataBlock& first, const DataBlock& second) {
  const auto holds = [](const DataBlock& b, Quantity q) {
    return std::any_of(b.columns.begin(), b.columns.end(), [&](const DataColumn& c) { return c.name.quantity == q; });
  };
  const auto frequencies = [](const DataBlock& b) -> const std::vector<double>* {
    for (const DataColumn& c : b.columns)
      if (c.name.quantity == frequency) return &c.values;
    return nullptr;
  };
  const auto* a = frequencies(first);
  const auto* b = frequencies(second);
  if (a == nullptr || b == nullptr || *a != *b) return false;
  const bool first_stiffness = holds(first, k_dyn) || holds(first, storage_stiffness),
             second_stiffness = holds(second, k_dyn) || holds(second, storage_stiffness);
  const auto loss = [&](const DataBlock& x) {
    return holds(x, loss_angle) || holds(x, loss_factor) || holds(x, loss_stiffness) || holds(x, damping);
  };
  return (first_stiffness && !loss(first) && loss(second) && !second_stiffness) ||
         (loss(first) && !first_stiffness && second_stiffness && !loss(second));
}

namespace {

// Rows of displacement and force at a rate that a setting tells are a record over time, no static loop.
void add_sampled_time(DataBlock& block, std::vector<Finding>& findings) {
  if (!(block.step_s > 0.0)) return;
  for (const DataColumn& column : block.columns)
    if (column.name.quantity == time || column.name.quantity == frequency) return;
  DataColumn column;
  column.name.quantity = time;
  column.name.unit = "s";
  column.title = block.step_from;
  column.place = block.where;
  column.index = ~std::size_t{0};
  for (std::size_t i = 0; i < block.rows; ++i) column.values.push_back(block.step_s * static_cast<double>(i));
  block.columns.push_back(std::move(column));
  findings.push_back({Severity::note, "time_by_rate", block.where,
                      fmt::format("times were made from the setting {}", in_quotes(block.step_from)),
                      "give a column of times if the rows are not samples at this rate"});
}

}  // namespace

void assemble(DataBlock&& block, const DataTable& table, const BenchReadOptions& options, std::vector<BenchSet>& sets,
              std::vector<Finding>& findings) {
  std::vector<DataColumn> known, nameless;
  for (DataColumn& column : block.columns) (column.name.quantity ? known : nameless).push_back(std::move(column));
  block.columns = std::move(known);
  claim_by_unit(block, nameless, findings);
  add_sampled_time(block, findings);
  for (const DataColumn& column : nameless)
    if (!column.name.quantity) block.unused.push_back(column.title);

  std::set<std::string> directions;
  for (const DataColumn& column : block.columns)
    if (!column.name.direction.empty()) directions.insert(column.name.direction);
  if (directions.size() <= 1) {
    // One direction in some names is that of the table; but "Axial Force" is the name of a channel on every machine.
    if (!directions.empty() && *directions.begin() != "axial" && block.labels.direction.empty())
      block.labels.direction = *directions.begin(), block.labels.direction_from = "a column name of " + table.name();
    for (DataColumn& column : block.columns) column.name.direction.clear();
    directions = {""};
  }
  for (const std::string& direction : directions) {
    std::vector<HeaderLevel> levels;
    for (const DataColumn& column : block.columns)
      if ((column.name.direction.empty() || column.name.direction == direction) && column.name.level &&
          std::none_of(levels.begin(), levels.end(), [&](const HeaderLevel& l) {
            return l.quantity == column.name.level->quantity &&
                   std::abs(l.value - column.name.level->value) <= 1e-12 + 1e-9 * std::abs(l.value);
          }))
        levels.push_back(*column.name.level);
    const auto part = [&](const std::optional<HeaderLevel>& level) {
      std::vector<const DataColumn*> columns;
      for (const DataColumn& column : block.columns) {
        if (!column.name.direction.empty() && column.name.direction != direction) continue;
        if (column.name.level &&
            (!level || column.name.level->quantity != level->quantity ||
             std::abs(column.name.level->value - level->value) > 1e-12 + 1e-9 * std::abs(level->value)))
          continue;
        columns.push_back(&column);
      }
      // Cross forces over one displacement are no second mount.
      if (directions.size() > 1) {
        const auto shared = [&](Quantity q) {
          return std::any_of(columns.begin(), columns.end(),
                             [&](const DataColumn* c) { return c->name.quantity == q && c->name.direction.empty(); });
        };
        const auto own = std::find_if(columns.begin(), columns.end(), [](const DataColumn* c) {
          return c->name.quantity == force && !c->name.direction.empty();
        });
        if (own != columns.end() && shared(displacement))
          throw_bad_input((*own)->place,
                          "columns of several directions both mean force, and there is one displacement for them",
                          fmt::format("say which force belongs to it: --columns force=\"{}\"", (*own)->title));
      }
      Assembler one(block, table, options, std::move(columns), level,
                    direction.empty() ? block.labels.direction : direction, levels.empty() && directions.size() == 1,
                    findings);
      one.fill(one.kind(), sets);
    };
    if (levels.empty())
      part(std::nullopt);
    else
      for (const HeaderLevel& level : levels) part(level);
  }
}

}  // namespace kdyn::inline io::internal
