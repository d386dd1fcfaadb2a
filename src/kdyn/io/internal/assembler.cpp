// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/assembler.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr const char* remedy_for_names =
    "name the columns in the file, or say which is which: --columns 'frequency=Freq 1,k_dyn=3,amplitude==0.1 mm' "
    "(names, numbers or values); "
    "docs/formats.md lists the layouts";

constexpr std::string_view static_words[] = {"mean",        "mittel",        "static", "statisch",
                                             "offset",      "vorspann",      "vorweg", "vorauslenkung",
                                             "compression", "predeflection", "moyen"};

}  // namespace

using enum Quantity;

Assembler::Assembler(DataBlock& block, const DataTable& table, const BenchReadOptions& options,
                     std::vector<const DataColumn*> columns, const std::optional<HeaderLevel>& level,
                     std::string direction, bool alone, std::vector<Finding>& findings)
    : block_(block),
      table_(table),
      options_(options),
      columns_(std::move(columns)),
      direction_(std::move(direction)),
      alone_(alone),
      findings_(findings) {
  for (const auto& [quantity, constant] : block.constants) {
    supply_[quantity].constant = constant.value;
    constant_places_[quantity] = constant.place;
  }
  if (level) supply_[level->quantity] = {nullptr, "", 1.0, level->value};
  for (const DataColumn* column : columns_) choose(*column);
}

BenchKind Assembler::kind() const {
  std::optional<BenchKind> nearest;
  for (const BenchKind kind : {BenchKind::map, BenchKind::series, BenchKind::static_loop}) {
    if (options_.expected != BenchKind::unknown && options_.expected != kind) continue;
    const std::size_t count = missing(kind).size();
    if (count == 0) return kind;
    if (!nearest || count < missing(*nearest).size()) nearest = kind;
  }
  std::vector<std::string> seen;
  for (const DataColumn& column : block_.columns)
    if (seen.size() < 12) seen.push_back(in_quotes(column.title));
  for (const std::string& title : block_.unused)
    if (seen.size() < 12) seen.push_back(in_quotes(title));
  throw_bad_input(block_.where,
                  fmt::format("the columns {} are no bench layout that kdyn knows; for a {} there is no column for {}",
                              join(seen, ", "),
                              *nearest == BenchKind::map      ? "map"
                              : *nearest == BenchKind::series ? "time record"
                                                              : "static loop",
                              join(missing(*nearest), ", ")),
                  remedy_for_names);
}

std::vector<std::string> Assembler::missing(BenchKind kind) const {
  std::vector<std::string> names;
  const auto need = [&](Quantity q) {
    if (!has(q)) names.emplace_back(quantity_name(q));
  };
  if (kind == BenchKind::map) {
    need(frequency), need(amplitude);
    if (has(storage_stiffness) && (has(loss_stiffness) || has(damping))) return names;
    if (!has(k_dyn) && !has(storage_stiffness) && !has(force_amplitude)) names.emplace_back("k_dyn");
    if (!has(loss_angle) && !has(loss_factor) && !has(loss_stiffness) && !has(damping))
      names.emplace_back("loss_angle");
  } else if (kind == BenchKind::series) {
    if (!column(time)) names.emplace_back("time");
    if (!column(displacement)) names.emplace_back("displacement");
  } else {
    if (!column(displacement)) names.emplace_back("displacement");
    if (!column(force)) names.emplace_back("force");
  }
  return names;
}

void Assembler::fill(BenchKind kind, std::vector<BenchSet>& sets) {
  keep_needed(kind);
  settle_units();
  tell_conversions();
  // Rows of each part and direction apart, in the order in which they come up; most tables have one of each.
  const bool labelled = !block_.row_parts.empty() || !block_.row_directions.empty();
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> groups;
  std::vector<std::pair<std::string, std::string>> order;
  if (!labelled) order.emplace_back(block_.labels.part, direction_);
  for (std::size_t i = 0; labelled && i < block_.rows; ++i) {
    std::pair<std::string, std::string> key{block_.row_parts.empty() ? block_.labels.part : block_.row_parts[i],
                                            block_.row_directions.empty() ? direction_ : block_.row_directions[i]};
    if (!groups.contains(key)) order.push_back(key);
    groups[key].push_back(i);
  }
  for (const auto& key : order) {
    BenchSet set;
    set.labels = block_.labels;
    set.labels.part = key.first;
    set.labels.direction = key.second;
    if (!block_.row_parts.empty()) set.labels.part_from = "a column of " + table_.name();
    if (!block_.row_directions.empty()) set.labels.direction_from = "a column of " + table_.name();
    // A set has one date and one batch: those of its first row.
    const std::size_t first = labelled ? groups[key].front() : 0;
    if (first < block_.row_dates.size()) set.labels.date = block_.row_dates[first];
    if (first < block_.row_batches.size()) set.labels.batch = block_.row_batches[first];
    set.place = table_.name();
    set.bench.kind = kind;
    set.mapping = mapping_;
    if (has(temperature) && !column(temperature)) set.labels.temperature_c = supply_.at(temperature).constant;
    if (kind == BenchKind::map)
      fill_map(labelled ? groups[key] : every_row(), set);
    else if (labelled || !move_samples(kind, set))
      fill_samples(kind, labelled ? groups[key] : every_row(), set);
    add(std::move(set), sets);
  }
}

void Assembler::choose(const DataColumn& candidate) {
  const Quantity q = *candidate.name.quantity;
  const DataColumn* used = column(q);
  if (used == nullptr || (used->name.weak && !candidate.name.weak) || (candidate.by_hint && !used->by_hint)) {
    supply_[q].column = &candidate;
    return;
  }
  if (candidate.name.weak || (used->by_hint && !candidate.by_hint)) {
    if (!used->name.weak || used->by_hint) return;
  }
  if (q == temperature || q == nominal_amplitude) return;  // the first one serves
  throw_bad_input(candidate.place,
                  fmt::format("columns {} and {} both mean {}", in_quotes(used->title), in_quotes(candidate.title),
                              quantity_name(q)),
                  used->title == candidate.title
                      ? fmt::format("say which one by its number: --columns {0}={1} or {0}={2}", quantity_name(q),
                                    used->index + 1, candidate.index + 1)
                      : fmt::format("say which one: --columns {}=\"{}\"", quantity_name(q), used->title));
}

void Assembler::keep_needed(BenchKind kind) {
  const DataColumn* averaged = nullptr;
  if (kind == BenchKind::map) {
    tell_open_names();
    for (const Quantity q : {displacement, force, time}) supply_.erase(q);
    if (has(k_dyn) || has(storage_stiffness)) supply_.erase(force_amplitude);
    tell_static_position();
    // Where magnitude and angle are told, other descriptions only serve to check them, and only in units that can be
    // compared.
    if (has(k_dyn) && (has(loss_angle) || has(loss_factor)))
      for (const Quantity q : {storage_stiffness, loss_stiffness, damping}) {
        const DataColumn* one = column(q);
        if (one == nullptr) continue;
        redundant_.insert(q);
        if (one->name.unit.empty() || !(unit_fits(one->name.unit, q, false) || unit_fits(one->name.unit, q, true)))
          supply_.erase(q);
      }
    if (has(loss_angle)) redundant_.insert(loss_factor);
  } else {
    for (const Quantity q : {frequency, amplitude, nominal_amplitude, preload, k_dyn, loss_angle, loss_factor,
                             storage_stiffness, loss_stiffness, damping, force_amplitude})
      supply_.erase(q);
    if (kind == BenchKind::static_loop) supply_.erase(time);
    if (const DataColumn* t = column(temperature)) {
      // A record has one temperature: its mean.
      Supply as_told;
      as_told.unit = unit_of(temperature, *t);
      if (!temperature_scale(as_told))
        throw_bad_input(t->place,
                        fmt::format("column {} means temperature, but {} is no unit of it", in_quotes(t->title),
                                    in_quotes(as_told.unit)),
                        "correct the unit, or say --units temperature=degC");
      double sum = 0.0;
      std::size_t count = 0;
      for (const double v : t->values)
        if (std::isfinite(v)) sum += v * as_told.factor + as_told.offset, ++count;
      supply_.erase(temperature);
      if (count > 0) supply_[temperature].constant = sum / static_cast<double>(count);
      averaged = t;
    }
  }
  std::vector<std::string> ignored;
  for (const DataColumn& one : block_.columns) {
    const bool used =
        std::any_of(supply_.begin(), supply_.end(), [&](const auto& s) { return s.second.column == &one; });
    const bool elsewhere = one.name.level.has_value() || !one.name.direction.empty();
    if (!used && !elsewhere && &one != averaged) ignored.push_back(in_quotes(one.title));
  }
  for (const std::string& title : block_.unused) ignored.push_back(in_quotes(title));
  if (!ignored.empty()) note("columns_ignored", block_.where, fmt::format("not used: {}", join(ignored, ", ")), "");
}

// A force beside a map may be its preload; words beside "amplitude" may say that it is none from zero to peak.
void Assembler::tell_open_names() {
  if (const DataColumn* load = column(force); load != nullptr && !has(preload))
    note("preload_unknown", load->place,
         fmt::format("column {} holds a force and does not say which: it was not used, and the preload was taken as 0",
                     in_quotes(load->title)),
         fmt::format("if it is the preload, say --columns preload=\"{}\"", load->title), Severity::warning);
  if (const DataColumn* one = column(amplitude); one != nullptr && !one->by_hint && !one->name.left_over.empty())
    note("amplitude_assumed", one->place,
         fmt::format("column {} was taken as amplitude, {}; {} was not understood", in_quotes(one->title),
                     to_string(one->name.kind), in_quotes(one->name.left_over)),
         "if it is peak-to-peak, say --units \"amplitude=mm p-p\"");
}

// A mean position instead of a mean force: the preload is not known then, and 0 is not it.
void Assembler::tell_static_position() {
  if (has(preload)) return;
  for (const std::string& title : block_.unused) {
    const std::string unit = read_header_name(title, "", Decimal::unknown).unit, words = plain_words(title);
    if (unit.empty() || !unit_fits_any(unit, displacement)) continue;
    const bool says_so = std::any_of(std::begin(static_words), std::end(static_words),
                                     [&](std::string_view word) { return words.find(word) != std::string::npos; });
    if (says_so)
      note(
          "preload_unknown", block_.where,
          fmt::format("column {} tells a static position, not a preload; the preload was taken as 0", in_quotes(title)),
          "give the preload: --columns 'preload==850 N', or a column of mean forces", Severity::warning);
  }
}

void Assembler::note(const char* code, const std::string& where, std::string message, std::string remedy,
                     Severity severity) {
  for (const Finding& f : findings_)
    if (f.code == code && f.where == where && f.message == message) return;
  findings_.push_back({severity, code, where, std::move(message), std::move(remedy)});
}

void Assembler::refuse(Quantity q, std::size_t row, const char* rule) const {
  const Supply& supply = supply_.at(q);
  throw_bad_input(place_of(q, row),
                  fmt::format("{} holds {:.6g} {}, expected {}",
                              supply.column != nullptr ? "column " + in_quotes(supply.column->title) : quantity_name(q),
                              supply.at(row) / supply.factor, supply.unit, rule),
                  "correct the value or delete the row");
}

std::string Assembler::place_of(Quantity q, std::size_t row) const {
  const DataColumn* one = column(q);
  if (one == nullptr || table_.sheet.empty()) return fmt::format("{}:{}", table_.name(), block_.lines.of(row));
  const auto letters = one->place.substr(one->place.rfind('!') + 1);
  std::string cell;
  for (const char c : letters)
    if (c >= 'A' && c <= 'Z') cell += c;
  return fmt::format("{}!{}{}", table_.name(), cell, block_.lines.of(row));
}

void Assembler::add(BenchSet&& set, std::vector<BenchSet>& sets) {
  if (set.bench.kind == BenchKind::map)
    for (BenchSet& other : sets)
      if (other.bench.kind == BenchKind::map && other.labels.part == set.labels.part &&
          other.labels.direction == set.labels.direction && other.bench.map.axis == set.bench.map.axis) {
        other.bench.map.rows.insert(other.bench.map.rows.end(), set.bench.map.rows.begin(), set.bench.map.rows.end());
        for (const UnitConversion& c : set.bench.map.source.conversions) {
          const auto& known = other.bench.map.source.conversions;
          if (std::none_of(known.begin(), known.end(), [&](const UnitConversion& k) { return k.column == c.column; }))
            other.bench.map.source.conversions.push_back(c);
        }
        return;
      }
  sets.push_back(std::move(set));
}

std::vector<std::size_t> Assembler::every_row() const {
  std::vector<std::size_t> rows(block_.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

}  // namespace kdyn::inline io::internal
