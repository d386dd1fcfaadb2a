// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/bench_layout.hpp"

#include <initializer_list>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/internal/csv_cells.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr const char* layouts_help =
    "name the columns as in one of: frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg (map); "
    "displacement_mm,force_n (static); "
    "time_s,displacement_mm,force_n (series)";

class LayoutFinder {
 public:
  LayoutFinder(const CsvLayout& csv, const BenchReadOptions& options) : csv_(csv), options_(options) {}

  BenchLayout layout;

  void find() {
    find_columns();
    layout.kind = recognise();
    drop_columns_of_other_layouts();
    settle_units();
  }

 private:
  std::string header_place() const { return line_place(csv_.name, csv_.header_line); }

  void note(const char* code, const std::string& where, std::string message, std::string remedy,
            Severity severity = Severity::note) {
    layout.findings.push_back({severity, code, where, std::move(message), std::move(remedy)});
  }

  std::size_t index_of(const std::string& column, const char* option) const {
    for (std::size_t i = 0; i < csv_.columns.size(); ++i)
      if (lower_case(csv_.columns[i]) == lower_case(column)) return i;
    throw_bad_input(header_place(),
                    fmt::format("option '{}' names column {}, which the file does not have", option, in_quotes(column)),
                    suggest(column, csv_.columns));
  }

  void use(Quantity quantity, std::size_t index, const ColumnName& name) {
    auto& used = layout.columns[slot(quantity)];
    if (used)
      throw_bad_input(header_place(),
                      fmt::format("columns {} and {} both mean {}", in_quotes(used->name),
                                  in_quotes(csv_.columns[index]), quantity_name(quantity)),
                      fmt::format("rename one of them, or say which one with option columns {{\"{}\": name}}",
                                  quantity_name(quantity)));
    used = BenchColumn{index, name.peak_to_peak, csv_.columns[index], name.unit, 1.0};
  }

  void find_columns() {
    for (const auto& [meaning, column] : options_.columns) {
      const auto quantity = quantity_named(meaning);
      if (!quantity)
        throw_bad_input("columns", fmt::format("unknown meaning {}", in_quotes(meaning)),
                        suggest(meaning, all_meanings()));
      const std::size_t index = index_of(column, "columns");
      use(*quantity, index, read_column_name(csv_.columns[index]));
    }
    take_recognised(false);
    take_recognised(true);
  }

  // Full names first; what they mean is no longer open to single letters, nor is what the options chose.
  void take_recognised(bool weak) {
    std::array<bool, quantity_count> taken{};
    for (std::size_t q = 0; q < taken.size(); ++q)
      taken[q] = (weak && layout.columns[q]) || options_.columns.count(quantity_name(static_cast<Quantity>(q))) > 0;
    for (std::size_t i = 0; i < csv_.columns.size(); ++i) {
      const ColumnName name = read_column_name(csv_.columns[i]);
      if (name.quantity && name.weak == weak && !taken[slot(*name.quantity)] && !already_used(i))
        use(*name.quantity, i, name);
    }
  }

  bool already_used(std::size_t index) const {
    for (const auto& used : layout.columns)
      if (used && used->index == index) return true;
    return false;
  }

  static std::vector<std::string> all_meanings() {
    std::vector<std::string> names;
    names.reserve(quantity_count);
    for (int i = 0; i < quantity_count; ++i) names.emplace_back(quantity_name(static_cast<Quantity>(i)));
    return names;
  }

  bool has(Quantity quantity) const { return layout.columns[slot(quantity)].has_value(); }

  std::vector<std::string> missing(BenchKind kind) const {
    std::vector<std::string> names;
    const auto need = [&](Quantity quantity) {
      if (!has(quantity)) names.emplace_back(quantity_name(quantity));
    };
    if (kind == BenchKind::map) {
      need(Quantity::frequency), need(Quantity::amplitude), need(Quantity::k_dyn);
      if (!has(Quantity::loss_factor)) need(Quantity::loss_angle);
    } else if (kind == BenchKind::series) {
      need(Quantity::time), need(Quantity::displacement);
    } else {
      need(Quantity::displacement), need(Quantity::force);
    }
    return names;
  }

  BenchKind recognise() const {
    std::optional<BenchKind> nearest;
    for (const BenchKind kind : {BenchKind::map, BenchKind::series, BenchKind::static_loop}) {
      if (options_.expected != BenchKind::unknown && options_.expected != kind) continue;
      const std::size_t count = missing(kind).size();
      if (count == 0) return kind;
      if (!nearest || count < missing(*nearest).size()) nearest = kind;
    }
    std::vector<std::string> seen;
    for (const std::string& column : csv_.columns)
      if (seen.size() < 12) seen.push_back(in_quotes(column));
    throw_bad_input(
        header_place(),
        fmt::format("the columns {} are no bench layout that kdyn knows; for a {} file there is no column for {}",
                    join(seen, ", "), to_string(*nearest), join(missing(*nearest), ", ")),
        layouts_help);
  }

  void drop_columns_of_other_layouts() {
    const auto drop = [&](std::initializer_list<Quantity> quantities) {
      for (const Quantity quantity : quantities) layout.columns[slot(quantity)].reset();
    };
    if (layout.kind == BenchKind::map) {
      drop({Quantity::displacement, Quantity::force, Quantity::time, Quantity::storage_stiffness,
            Quantity::loss_stiffness, Quantity::damping});
      if (has(Quantity::loss_angle)) drop({Quantity::loss_factor});
    } else {
      drop({Quantity::frequency, Quantity::amplitude, Quantity::nominal_amplitude, Quantity::preload, Quantity::k_dyn,
            Quantity::loss_angle, Quantity::loss_factor, Quantity::temperature, Quantity::storage_stiffness,
            Quantity::loss_stiffness, Quantity::damping});
      if (layout.kind == BenchKind::static_loop) drop({Quantity::time});
    }
    std::vector<std::string> ignored;
    for (std::size_t i = 0; i < csv_.columns.size(); ++i)
      if (!already_used(i)) ignored.push_back(in_quotes(csv_.columns[i]));
    if (!ignored.empty()) note("columns_ignored", header_place(), fmt::format("not used: {}", join(ignored, ", ")), "");
  }

  // The unit of a column: from the options, else from its name, else from the units row.
  std::string find_unit(Quantity quantity, const BenchColumn& column) {
    for (const auto& [name, unit] : options_.units)
      if (lower_case(name) == lower_case(column.name) || name == quantity_name(quantity)) return unit;
    std::string row = csv_.units.empty() ? std::string() : csv_.units[column.index];
    if (row == "-") row.clear();  // "no unit here", also for columns whose name carries one
    if (!column.unit.empty() && !row.empty()) {
      const auto a = parse_unit(column.unit), b = parse_unit(row);
      if (!a || !b || !a->same_dimension(*b) || a->to_si != b->to_si)
        throw_bad_input(line_place(csv_.name, csv_.units_line),
                        fmt::format("column {} carries the unit {}, the units row says {}", in_quotes(column.name),
                                    in_quotes(column.unit), in_quotes(row)),
                        "remove one of the two");
    }
    if (!column.unit.empty()) return column.unit;
    if (!row.empty()) return row;
    if (quantity == Quantity::loss_factor) return "-";
    if (quantity == Quantity::temperature) return "degC";  // the only scale kdyn reads
    if (quantity == Quantity::time || quantity == Quantity::frequency) {
      const char* assumed = si_unit(quantity, false);
      note("unit_assumed", header_place(),
           fmt::format("column {} has no unit, {} was assumed", in_quotes(column.name), assumed),
           fmt::format("write it in the header: {}_{}", quantity_name(quantity), lower_case(assumed)));
      return assumed;
    }
    throw_bad_input(
        header_place(), fmt::format("column {} has no unit, and kdyn does not guess one", in_quotes(column.name)),
        fmt::format("write it in the header, such as {} [{}], or give option units {{\"{}\": \"{}\"}}",
                    quantity_name(quantity), example_unit(quantity),
                    in_quotes(column.name).substr(1, in_quotes(column.name).size() - 2), example_unit(quantity)));
  }

  static const char* example_unit(Quantity quantity) {
    switch (quantity) {
      case Quantity::k_dyn: return "N/mm";
      case Quantity::loss_angle: return "deg";
      case Quantity::preload:
      case Quantity::force: return "N";
      default: return "mm";
    }
  }

  void settle_units() {
    for (const auto& [name, unit] : options_.units)
      if (!quantity_named(name)) index_of(name, "units");
    std::array<std::string, quantity_count> units;
    std::optional<bool> rotation;
    std::string decided_by;
    for (int i = 0; i < quantity_count; ++i) {
      const auto quantity = static_cast<Quantity>(i);
      auto& column = layout.columns[slot(quantity)];
      if (!column) continue;
      const std::string unit = units[slot(quantity)] = find_unit(quantity, *column);
      const bool linear = unit_fits(unit, quantity, false), angular = unit_fits(unit, quantity, true);
      if (!linear && !angular) refuse_unit(quantity, *column, unit);
      if (linear == angular) continue;
      if (rotation && *rotation != angular)
        throw_bad_input(header_place(),
                        fmt::format("column {} in {} is {}, but {} is not", in_quotes(column->name), in_quotes(unit),
                                    angular ? "angular" : "linear", in_quotes(decided_by)),
                        "use length and force for a translational axis, angle and moment for a torsional one");
      rotation = angular;
      decided_by = column->name;
    }
    layout.axis = rotation.value_or(false) ? AxisKind::rotation : AxisKind::translation;
    for (int i = 0; i < quantity_count; ++i) {
      const auto quantity = static_cast<Quantity>(i);
      auto& column = layout.columns[slot(quantity)];
      if (!column) continue;
      const char* si = si_unit(quantity, layout.axis == AxisKind::rotation);
      column->unit = units[slot(quantity)];
      column->factor = factor_to_si(column->unit, si, header_place());
      if (column->peak_to_peak) {
        column->factor *= 0.5;
        note("peak_to_peak_halved", header_place(),
             fmt::format("column {} is peak-to-peak; it was halved", in_quotes(column->name)), "");
      }
      layout.conversions.push_back({column->name, column->unit, si, column->factor});
    }
  }

  [[noreturn]] void refuse_unit(Quantity quantity, const BenchColumn& column, const std::string& unit) const {
    const std::string wanted = fmt::format("use a unit such as {}", example_unit(quantity));
    if (!parse_unit(unit))
      throw_bad_input(
          header_place(), fmt::format("column {} has the unknown unit {}", in_quotes(column.name), in_quotes(unit)),
          quantity == Quantity::k_dyn ? "write stiffness as n_per_mm in a name or [N/mm] in brackets" : wanted);
    throw_bad_input(
        header_place(),
        fmt::format("column {} means {}, but {} converts neither to {} nor to {}", in_quotes(column.name),
                    quantity_name(quantity), in_quotes(unit), si_unit(quantity, false), si_unit(quantity, true)),
        quantity == Quantity::k_dyn ? "for a torsional axis say per deg or per rad, such as Nmm/deg" : wanted);
  }

  const CsvLayout& csv_;
  const BenchReadOptions& options_;
};

}  // namespace

bool looks_like_bench_header(const std::vector<std::string>& cells) {
  int known = 0;
  for (const std::string& cell : cells) known += read_column_name(cell).quantity.has_value() ? 1 : 0;
  return known >= 2;
}

BenchLayout find_bench_layout(const CsvLayout& csv, const BenchReadOptions& options) {
  LayoutFinder finder(csv, options);
  finder.find();
  return std::move(finder.layout);
}

}  // namespace kdyn::inline io::internal
