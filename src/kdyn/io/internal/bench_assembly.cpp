// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/bench_assembly.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::inline io::internal {
namespace {

using enum Quantity;

constexpr const char* remedy_for_names =
    "name the columns in the file, or say which is which: --columns 'frequency=Freq 1,k_dyn=3,amplitude==0.1 mm' "
    "(names, numbers or values); "
    "docs/formats.md lists the layouts";

// The values of a quantity in SI: a column, a level of the header or a constant.
struct Supply {
  const DataColumn* column = nullptr;
  std::string unit;
  double factor = 1.0, constant = 0.0;
  double at(std::size_t row) const { return column != nullptr ? column->values[row] * factor : constant; }
};

// One part of a block: the columns of one direction and one level.
class Assembler {
 public:
  Assembler(const DataBlock& block, const DataTable& table, const BenchReadOptions& options,
            std::vector<const DataColumn*> columns, const std::optional<HeaderLevel>& level, std::string direction,
            std::vector<Finding>& findings)
      : block_(block),
        table_(table),
        options_(options),
        columns_(std::move(columns)),
        direction_(std::move(direction)),
        findings_(findings) {
    for (const auto& [quantity, constant] : block.constants) {
      supply_[quantity].constant = constant.value;
      constant_places_[quantity] = constant.place;
    }
    if (level) supply_[level->quantity] = {nullptr, "", 1.0, level->value};
    for (const DataColumn* column : columns_) choose(*column);
  }

  BenchKind kind() const {
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
    throw_bad_input(
        block_.where,
        fmt::format("the columns {} are no bench layout that kdyn knows; for a {} there is no column for {}",
                    join(seen, ", "),
                    *nearest == BenchKind::map      ? "map"
                    : *nearest == BenchKind::series ? "time record"
                                                    : "static loop",
                    join(missing(*nearest), ", ")),
        remedy_for_names);
  }

  // What a map still lacks; empty when it is one.
  std::vector<std::string> missing(BenchKind kind) const {
    std::vector<std::string> names;
    const auto need = [&](Quantity q) {
      if (!has(q)) names.emplace_back(quantity_name(q));
    };
    if (kind == BenchKind::map) {
      need(frequency), need(amplitude);
      if (has(storage_stiffness) && (has(loss_stiffness) || has(damping))) return names;
      if (!has(k_dyn) && !has(storage_stiffness)) names.emplace_back("k_dyn");
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

  void fill(BenchKind kind, std::vector<BenchSet>& sets) {
    keep_needed(kind);
    settle_units();
    tell_conversions();
    // Rows of each part and direction apart, in the order in which they come up.
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> groups;
    std::vector<std::pair<std::string, std::string>> order;
    for (std::size_t i = 0; i < block_.lines.size(); ++i) {
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
      set.place = table_.name();
      set.bench.kind = kind;
      if (has(temperature) && !column(temperature)) set.labels.temperature_c = supply_.at(temperature).constant;
      if (kind == BenchKind::map)
        fill_map(groups[key], set);
      else
        fill_samples(kind, groups[key], set);
      add(std::move(set), sets);
    }
  }

 private:
  bool has(Quantity q) const { return supply_.contains(q); }
  const DataColumn* column(Quantity q) const {
    const auto it = supply_.find(q);
    return it == supply_.end() ? nullptr : it->second.column;
  }

  // A full name wins over a short one; two full names are not for kdyn to choose from.
  void choose(const DataColumn& candidate) {
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
                        ? fmt::format("say which one by its number: --columns {}=2", quantity_name(q))
                        : fmt::format("say which one: --columns {}=\"{}\"", quantity_name(q), used->title));
  }

  void keep_needed(BenchKind kind) {
    if (kind == BenchKind::map) {
      for (const Quantity q : {displacement, force, time}) supply_.erase(q);
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
                               storage_stiffness, loss_stiffness, damping})
        supply_.erase(q);
      if (kind == BenchKind::static_loop) supply_.erase(time);
      if (const DataColumn* t = column(temperature)) {
        // A record has one temperature: its mean.
        double sum = 0.0;
        std::size_t count = 0;
        for (const double v : t->values)
          if (std::isfinite(v)) sum += v, ++count;
        supply_.erase(temperature);
        if (count > 0) supply_[temperature].constant = sum / static_cast<double>(count);
      }
    }
    std::vector<std::string> ignored;
    for (const DataColumn& one : block_.columns) {
      const bool used =
          std::any_of(supply_.begin(), supply_.end(), [&](const auto& s) { return s.second.column == &one; });
      const bool elsewhere = one.name.level.has_value() || !one.name.direction.empty();
      if (!used && !elsewhere && one.name.quantity != temperature) ignored.push_back(in_quotes(one.title));
    }
    for (const std::string& title : block_.unused) ignored.push_back(in_quotes(title));
    if (!ignored.empty()) note("columns_ignored", block_.where, fmt::format("not used: {}", join(ignored, ", ")), "");
  }

  void note(const char* code, const std::string& where, std::string message, std::string remedy,
            Severity severity = Severity::note) {
    for (const Finding& f : findings_)
      if (f.code == code && f.where == where && f.message == message) return;
    findings_.push_back({severity, code, where, std::move(message), std::move(remedy)});
  }

  static const char* example_unit(Quantity q) {
    switch (q) {
      case k_dyn:
      case storage_stiffness:
      case loss_stiffness: return "N/mm";
      case loss_angle: return "deg";
      case preload:
      case force: return "N";
      case damping: return "N*s/mm";
      default: return "mm";
    }
  }

  std::string unit_of(Quantity q, const DataColumn& column) {
    if (!column.name.unit.empty()) return column.name.unit;
    if (!column.name.unknown_unit.empty())
      throw_bad_input(column.place,
                      fmt::format("column {} has the unknown unit {}", in_quotes(column.title),
                                  in_quotes(column.name.unknown_unit)),
                      fmt::format("say it: --units {}={}", quantity_name(q), example_unit(q)));
    if (q == loss_factor) return "-";
    if (q == temperature) return "degC";
    if (q == time || q == frequency) {
      const char* assumed = q == time ? "s" : "Hz";
      note("unit_assumed", column.place,
           fmt::format("column {} has no unit, {} was assumed", in_quotes(column.title), assumed),
           fmt::format("say otherwise with --units {}=...", quantity_name(q)));
      return assumed;
    }
    throw_bad_input(column.place,
                    fmt::format("column {} has no unit, and kdyn does not guess one", in_quotes(column.title)),
                    fmt::format("write it in the header, such as {} [{}], or say --units {}={}", quantity_name(q),
                                example_unit(q), quantity_name(q), example_unit(q)));
  }

  void settle_units() {
    std::optional<bool> rotation;
    std::string decided_by;
    for (auto& [q, supply] : supply_) {
      if (supply.column == nullptr) continue;
      supply.unit = unit_of(q, *supply.column);
      const bool linear = unit_fits(supply.unit, q, false), angular = unit_fits(supply.unit, q, true);
      if (!linear && !angular)
        throw_bad_input(
            supply.column->place,
            fmt::format("column {} means {}, but {} converts neither to {} nor to {}", in_quotes(supply.column->title),
                        quantity_name(q), in_quotes(supply.unit), si_unit(q, false), si_unit(q, true)),
            fmt::format("correct the unit, or say --units {}={}", quantity_name(q), example_unit(q)));
      if (linear == angular) continue;
      if (rotation && *rotation != angular)
        throw_bad_input(supply.column->place,
                        fmt::format("column {} in {} is {}, but {} is not", in_quotes(supply.column->title),
                                    in_quotes(supply.unit), angular ? "angular" : "linear", in_quotes(decided_by)),
                        "use length and force for a translational axis, angle and moment for a torsional one");
      rotation = angular;
      decided_by = supply.column->title;
    }
    axis_ = rotation.value_or(false) ? AxisKind::rotation : AxisKind::translation;
    for (auto& [q, supply] : supply_) {
      if (supply.column == nullptr) continue;
      const HeaderName& name = supply.column->name;
      supply.factor =
          factor_to_si(supply.unit, si_unit(q, axis_ == AxisKind::rotation), supply.column->place) * name.factor;
      if (q == amplitude || q == nominal_amplitude) supply.factor *= amplitude_factor(name.kind);
    }
  }

  void tell_conversions() {
    for (const auto& [q, supply] : supply_) {
      if (supply.column == nullptr) {
        const auto place = constant_places_.find(q);
        if (place != constant_places_.end())
          note("constant_used", place->second,
               fmt::format("{} holds for all rows: {}", quantity_name(q), block_.constants.at(q).text), "");
        continue;
      }
      conversions_.push_back(
          {supply.column->title, supply.unit, si_unit(q, axis_ == AxisKind::rotation), supply.factor});
      if ((q == amplitude || q == nominal_amplitude) && supply.column->name.kind != AmplitudeKind::peak)
        note(supply.column->name.kind == AmplitudeKind::rms ? "rms_amplitude" : "peak_to_peak_halved",
             supply.column->place,
             fmt::format("column {} is {}; it was {} to zero-to-peak", in_quotes(supply.column->title),
                         to_string(supply.column->name.kind),
                         supply.column->name.kind == AmplitudeKind::rms ? "multiplied by 1.414" : "halved"),
             "");
    }
  }

  [[noreturn]] void refuse(Quantity q, std::size_t row, const char* rule) const {
    const Supply& supply = supply_.at(q);
    throw_bad_input(
        place_of(q, row),
        fmt::format("{} holds {:.6g} {}, expected {}",
                    supply.column != nullptr ? "column " + in_quotes(supply.column->title) : quantity_name(q),
                    supply.at(row) / supply.factor, supply.unit, rule),
        "correct the value or delete the row");
  }
  std::string place_of(Quantity q, std::size_t row) const {
    const DataColumn* one = column(q);
    if (one == nullptr || table_.sheet.empty()) return fmt::format("{}:{}", table_.name(), block_.lines[row]);
    const auto letters = one->place.substr(one->place.rfind('!') + 1);
    std::string cell;
    for (const char c : letters)
      if (c >= 'A' && c <= 'Z') cell += c;
    return fmt::format("{}!{}{}", table_.name(), cell, block_.lines[row]);
  }

  // "K" beside "C" is the real part, "Kdyn" and "K*" are magnitudes.
  bool magnitude_by_name() const {
    const std::string title = plain_words(column(k_dyn)->title);
    return title.find("dyn") != std::string::npos || title.find('*') != std::string::npos ||
           title.find("complex") != std::string::npos || title.find("abs") != std::string::npos ||
           title.find('|') != std::string::npos || title.find("komplex") != std::string::npos;
  }

  std::complex<double> stiffness(std::size_t i) const {
    const double omega = 2.0 * std::numbers::pi * supply_.at(frequency).at(i);
    if (has(k_dyn) && has(loss_angle)) return std::polar(supply_.at(k_dyn).at(i), supply_.at(loss_angle).at(i));
    if (has(k_dyn) && has(loss_factor))
      return std::polar(supply_.at(k_dyn).at(i), std::atan(supply_.at(loss_factor).at(i)));
    const bool from_damping = !has(loss_stiffness) && has(damping);
    if (has(storage_stiffness) && (has(loss_stiffness) || has(damping)))
      return {supply_.at(storage_stiffness).at(i),
              from_damping ? omega * supply_.at(damping).at(i) : supply_.at(loss_stiffness).at(i)};
    if (has(storage_stiffness)) {
      const double angle = has(loss_angle) ? supply_.at(loss_angle).at(i) : std::atan(supply_.at(loss_factor).at(i));
      return std::polar(supply_.at(storage_stiffness).at(i) / std::cos(angle), angle);
    }
    const double k = supply_.at(k_dyn).at(i),
                 imaginary = from_damping ? omega * supply_.at(damping).at(i) : supply_.at(loss_stiffness).at(i);
    if (!magnitude_by_name()) return {k, imaginary};
    return std::abs(imaginary) <= k ? std::complex<double>(std::sqrt(k * k - imaginary * imaginary), imaginary)
                                    : std::complex<double>(std::nan(""), 0.0);
  }

  // Several descriptions of one stiffness must agree.
  void check_redundant(const std::vector<std::size_t>& rows) {
    std::vector<double> differences;
    const auto look = [&](Quantity q, auto&& expected) {
      if (!column(q)) return;
      differences.clear();
      for (const std::size_t i : rows) {
        const std::complex<double> K = stiffness(i);
        const double given = supply_.at(q).at(i), computed = expected(K, i);
        if (std::isfinite(given) && std::isfinite(computed) && std::abs(K) > 0.0)
          differences.push_back(std::abs(given - computed));
      }
      if (differences.empty()) return;
      auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
      std::nth_element(differences.begin(), middle, differences.end());
      double scale = 0.0;
      for (const std::size_t i : rows)
        if (const double size = std::abs(expected(stiffness(i), i)); std::isfinite(size)) scale = std::max(scale, size);
      if (*middle > 0.05 * scale)
        note("stiffness_contradicts", column(q)->place,
             fmt::format("column {} contradicts the columns that were used: {:.3g} beside {:.3g} {} at most (median)",
                         in_quotes(column(q)->title), *middle / supply_.at(q).factor, scale / supply_.at(q).factor,
                         supply_.at(q).unit),
             "check units and meaning of the columns; --columns says which to use", Severity::warning);
    };
    if (!has(k_dyn) || !(has(loss_angle) || has(loss_factor))) return;
    look(storage_stiffness, [](std::complex<double> K, std::size_t) { return K.real(); });
    look(loss_stiffness, [](std::complex<double> K, std::size_t) { return K.imag(); });
    if (has(loss_angle)) look(loss_factor, [](std::complex<double> K, std::size_t) { return K.imag() / K.real(); });
    look(damping, [this](std::complex<double> K, std::size_t i) {
      return K.imag() / (2.0 * std::numbers::pi * supply_.at(frequency).at(i));
    });
  }

  void fill_map(const std::vector<std::size_t>& rows, BenchSet& set) {
    StiffnessMap& map = set.bench.map;
    map.axis = axis_;
    map.source.conversions = conversions_;
    std::vector<std::size_t> gaps;
    std::set<std::string> gap_columns;
    for (const std::size_t i : rows) {
      bool gap = false;
      for (const auto& [q, supply] : supply_)
        if (supply.column != nullptr && needed_in_map(q) && !redundant_.contains(q) &&
            std::isnan(supply.column->values[i]))
          gap = true, gap_columns.insert(supply.column->title);
      if (gap) {
        gaps.push_back(i);
        continue;
      }
      MapRow row;
      row.frequency_hz = positive(frequency, i);
      row.amplitude = positive(amplitude, i);
      for (const Quantity q : {k_dyn, storage_stiffness})
        if (column(q) != nullptr && q == k_dyn) positive(q, i);
      if (column(loss_angle) != nullptr && std::abs(supply_.at(loss_angle).at(i)) >= std::numbers::pi)
        refuse(loss_angle, i, "an angle between -180 and 180 deg");
      const std::complex<double> K = stiffness(i);
      row.k_dyn = std::abs(K);
      row.loss_angle = std::arg(K);
      if (!std::isfinite(row.k_dyn) || row.k_dyn <= 0.0)
        refuse(has(k_dyn) ? k_dyn : storage_stiffness, i, "a stiffness that agrees with its loss part");
      if (column(loss_angle) != nullptr && has(k_dyn))
        row.loss_angle = supply_.at(loss_angle).at(i), row.k_dyn = supply_.at(k_dyn).at(i);
      if (has(preload)) row.preload = supply_.at(preload).at(i);
      if (const DataColumn* nominal = column(nominal_amplitude);
          nominal != nullptr && std::isfinite(nominal->values[i])) {
        row.nominal_amplitude = supply_.at(nominal_amplitude).at(i);
        if (row.nominal_amplitude < 0.0) refuse(nominal_amplitude, i, "a number >= 0 (0: not told)");
      }
      if (has(temperature)) row.temperature_c = supply_.at(temperature).at(i);
      row.line = block_.lines[i];
      for (const double v : {row.frequency_hz, row.amplitude, row.k_dyn, row.preload})
        if (!std::isfinite(v)) refuse(frequency, i, "numbers that stay finite in SI units");
      map.rows.push_back(row);
    }
    if (column(k_dyn) != nullptr && !has(loss_angle) && !has(loss_factor) && !has(storage_stiffness))
      note("stiffness_taken_as", column(k_dyn)->place,
           magnitude_by_name()
               ? fmt::format("column {} was taken as the magnitude of the complex stiffness",
                             in_quotes(column(k_dyn)->title))
               : fmt::format("column {} was taken as the real part (storage stiffness), since damping stands beside it",
                             in_quotes(column(k_dyn)->title)),
           "say otherwise with --columns storage_stiffness=... or k_dyn=...");
    check_redundant(rows);
    tell_gaps(gaps, gap_columns, rows.size());
    if (map.rows.empty()) throw_bad_input(block_.where, "no row of the map is complete", "fill in the missing cells");
  }

  static bool needed_in_map(Quantity q) { return q != nominal_amplitude && q != temperature; }

  double positive(Quantity q, std::size_t i) const {
    const double v = supply_.at(q).at(i);
    if (!(v > 0.0)) refuse(q, i, "a number > 0");
    return v;
  }

  void tell_gaps(const std::vector<std::size_t>& gaps, const std::set<std::string>& columns, std::size_t rows) {
    if (gaps.empty()) return;
    std::vector<std::string> names;
    for (const std::string& title : columns)
      if (names.size() < 6) names.push_back(in_quotes(title));
    note("rows_with_gaps", fmt::format("{}:{}", table_.name(), block_.lines[gaps.front()]),
         fmt::format("{} of {} rows have no value in {} and were left out", gaps.size(), rows, join(names, ", ")),
         "fill in the cells if the values exist", 10 * gaps.size() > rows ? Severity::warning : Severity::note);
  }

  void fill_samples(BenchKind kind, const std::vector<std::size_t>& rows, BenchSet& set) {
    const bool series = kind == BenchKind::series;
    const bool has_force = column(force) != nullptr;
    std::vector<double> t, x, f;
    LineNumbers lines;
    std::vector<std::size_t> gaps;
    std::set<std::string> gap_columns;
    std::size_t repeated = 0, first_repeated = 0;
    for (const std::size_t i : rows) {
      bool gap = false;
      for (const auto& [q, supply] : supply_)
        if (supply.column != nullptr && std::isnan(supply.column->values[i]))
          gap = true, gap_columns.insert(supply.column->title);
      if (gap) {
        gaps.push_back(i);
        continue;
      }
      const double xi = supply_.at(displacement).at(i), fi = has_force ? supply_.at(force).at(i) : 0.0;
      if (!std::isfinite(xi) || !std::isfinite(fi)) refuse(displacement, i, "numbers that stay finite in SI units");
      if (series) {
        const double ti = supply_.at(time).at(i);
        if (!t.empty() && !(ti > t.back())) {
          if (ti < t.back()) refuse(time, i, "a time after that of the row before");
          if (xi != x.back() || (has_force && fi != f.back()))
            refuse(time, i, "a time after that of the row before (write time with more digits)");
          if (repeated++ == 0) first_repeated = block_.lines[i];
          continue;
        }
        t.push_back(ti);
      }
      lines.add(x.size(), block_.lines[i]);
      x.push_back(xi);
      if (has_force) f.push_back(fi);
    }
    if (x.size() < 2)
      throw_bad_input(block_.where, fmt::format("only {} row of numbers, at least 2 are needed", x.size()),
                      "check the export");
    if (repeated > 0)
      note("duplicate_time", fmt::format("{}:{}", table_.name(), first_repeated),
           fmt::format("{} rows repeat the row before them and were dropped", repeated),
           "check the export of the recorder", Severity::warning);
    tell_gaps(gaps, gap_columns, rows.size());
    if (series) {
      set.bench.series.axis = axis_;
      set.bench.series.time = std::move(t);
      set.bench.series.displacement = std::move(x);
      set.bench.series.force = std::move(f);
      set.bench.series.lines = std::move(lines);
      set.bench.series.source.conversions = conversions_;
    } else {
      set.bench.loop.axis = axis_;
      set.bench.loop.displacement = std::move(x);
      set.bench.loop.force = std::move(f);
      set.bench.loop.lines = std::move(lines);
      set.bench.loop.source.conversions = conversions_;
    }
  }

  // Maps of one table that belong to the same part and direction are one map.
  static void add(BenchSet&& set, std::vector<BenchSet>& sets) {
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

  const DataBlock& block_;
  const DataTable& table_;
  const BenchReadOptions& options_;
  std::vector<const DataColumn*> columns_;
  std::string direction_;
  std::vector<Finding>& findings_;
  std::map<Quantity, Supply> supply_;
  std::map<Quantity, std::string> constant_places_;
  std::set<Quantity> redundant_;
  std::vector<UnitConversion> conversions_;
  AxisKind axis_ = AxisKind::translation;
};

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

// What names do not tell, units and numbers may: a rising column in seconds is time, the only column in mm the
// displacement, the only one in N the force. Only where no map is in sight.
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

}  // namespace

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

void assemble(DataBlock&& block, const DataTable& table, const BenchReadOptions& options, std::vector<BenchSet>& sets,
              std::vector<Finding>& findings) {
  std::vector<DataColumn> known, nameless;
  for (DataColumn& column : block.columns) (column.name.quantity ? known : nameless).push_back(std::move(column));
  block.columns = std::move(known);
  claim_by_unit(block, nameless, findings);
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
      Assembler one(block, table, options, std::move(columns), level,
                    direction.empty() ? block.labels.direction : direction, findings);
      one.fill(one.kind(), sets);
    };
    if (levels.empty())
      part(std::nullopt);
    else
      for (const HeaderLevel& level : levels) part(level);
  }
}

}  // namespace kdyn::inline io::internal
