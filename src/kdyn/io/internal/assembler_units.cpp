// SPDX-License-Identifier: Apache-2.0
// Units of the columns: told, assumed or refused; what was converted.
#include "kdyn/io/internal/assembler.hpp"

#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/internal/whole_steps.hpp"

namespace kdyn::inline io::internal {

using enum Quantity;

namespace {

const char* example_unit(Quantity q) {
  switch (q) {
    case k_dyn:
    case storage_stiffness:
    case loss_stiffness: return "N/mm";
    case loss_angle: return "deg";
    case preload:
    case force_amplitude:
    case force: return "N";
    case temperature: return "degC";
    case frequency: return "Hz";
    case time: return "s";
    case loss_factor: return "-";
    case damping: return "N*s/mm";
    default: return "mm";
  }
}

// "kg/mm" is written where "kgf/mm" is meant; nothing where that is no unit of the quantity either.
std::optional<std::string> as_force(const std::string& unit, Quantity q) {
  if (!unit.starts_with("kg")) return std::nullopt;
  const std::string force = "kgf" + unit.substr(2);
  return unit_fits_any(force, q) ? std::optional(force) : std::nullopt;
}

}  // namespace

bool Assembler::temperature_scale(Supply& supply) {
  if (supply.unit == "degF")
    supply.factor = 1.0 / 1.8, supply.offset = -32.0 / 1.8;
  else if (supply.unit == "K")
    supply.factor = 1.0, supply.offset = -273.15;
  else if (unit_fits(supply.unit, temperature, false))
    supply.factor = parse_unit(supply.unit)->to_si, supply.offset = 0.0;
  else
    return false;
  return true;
}

std::string Assembler::unit_of(Quantity q, const DataColumn& column) {
  if (!column.name.other_unit.empty() && !column.unit_by_hint)
    throw_bad_input(
        column.place,
        fmt::format("column {} carries the unit {}, and beside it {} is told", in_quotes(column.title),
                    in_quotes(column.name.unit), in_quotes(column.name.other_unit)),
        fmt::format("remove one of the two, or say which holds: --units {}={}", quantity_name(q), column.name.unit));
  if (!column.name.unit.empty() && !column.name.multiplied) return column.name.unit;
  if (q == temperature && (column.name.unknown_unit == "K" || column.name.unknown_unit == "Kelvin")) return "K";
  if (column.name.multiplied)
    throw_bad_input(
        column.place,
        fmt::format("the name of column {} holds a factor, and kdyn cannot know whether its numbers were multiplied by "
                    "it or have to be",
                    in_quotes(column.title)),
        fmt::format("say the unit with its factor, such as --units {0}=1e-3 or --units \"{0}=1e3 {1}\"",
                    quantity_name(q), example_unit(q)));
  if (!column.name.unknown_unit.empty())
    throw_bad_input(
        column.place,
        fmt::format("column {} has the unknown unit {}", in_quotes(column.title), in_quotes(column.name.unknown_unit)),
        fmt::format("say it: --units {}={}", quantity_name(q), example_unit(q)));
  if (q == loss_factor) return "-";
  if (q == temperature) return "degC";
  if (q == time || q == frequency) {
    const char* assumed = q == time ? "s" : "Hz";
    const bool counts = q == time && whole_steps(column.values);
    note("unit_assumed", column.place,
         fmt::format("column {} has no unit, {} was assumed{}", in_quotes(column.title), assumed,
                     counts ? "; its numbers are whole, as of milliseconds or of a counter" : ""),
         fmt::format("say otherwise with --units {}=...", quantity_name(q)),
         counts ? Severity::warning : Severity::note);
    return assumed;
  }
  throw_bad_input(column.place,
                  fmt::format("column {} has no unit, and kdyn does not guess one", in_quotes(column.title)),
                  fmt::format("write it in the header, such as {} [{}], or say --units {}={}", quantity_name(q),
                              example_unit(q), quantity_name(q), example_unit(q)));
}

void Assembler::settle_units() {
  std::optional<bool> rotation;
  std::string decided_by;
  for (auto& [q, supply] : supply_) {
    if (supply.column == nullptr) continue;
    supply.unit = unit_of(q, *supply.column);
    if (q == temperature && supply.unit == "K") continue;
    const bool linear = unit_fits(supply.unit, q, false), angular = unit_fits(supply.unit, q, true);
    if (!linear && !angular)
      throw_bad_input(
          supply.column->place,
          fmt::format("column {} means {}, but {} converts neither to {} nor to {}", in_quotes(supply.column->title),
                      quantity_name(q), in_quotes(supply.unit), si_unit(q, false), si_unit(q, true)),
          fmt::format("correct the unit, or say --units {}={}", quantity_name(q),
                      as_force(supply.unit, q).value_or(example_unit(q))));
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
    if (q == temperature && temperature_scale(supply)) continue;
    if (q == frequency && parse_unit(supply.unit)->same_dimension(*parse_unit("rad/s"))) {
      supply.factor = parse_unit(supply.unit)->to_si / (2.0 * std::numbers::pi);
      continue;
    }
    supply.factor =
        factor_to_si(supply.unit, si_unit(q, axis_ == AxisKind::rotation), supply.column->place) * name.factor;
    if (q == amplitude || q == nominal_amplitude || q == force_amplitude) supply.factor *= amplitude_factor(name.kind);
  }
}

void Assembler::tell_conversions() {
  for (const auto& [q, supply] : supply_) {
    if (supply.column == nullptr) {
      const auto constant = block_.constants.find(q);
      if (constant != block_.constants.end()) mapping_.push_back({quantity_name(q), "= " + constant->second.text, ""});
      const auto place = constant_places_.find(q);
      if (place != constant_places_.end())
        note("constant_used", place->second,
             fmt::format("{} holds for all rows: {}", quantity_name(q), block_.constants.at(q).text), "");
      continue;
    }
    mapping_.push_back({quantity_name(q), supply.column->title, supply.unit});
    conversions_.push_back({supply.column->title, supply.unit, si_unit(q, axis_ == AxisKind::rotation), supply.factor});
    if ((q == amplitude || q == nominal_amplitude || q == force_amplitude) &&
        supply.column->name.kind != AmplitudeKind::peak)
      note(supply.column->name.kind == AmplitudeKind::rms ? "rms_amplitude" : "peak_to_peak_halved",
           supply.column->place,
           fmt::format("column {} is {}; it was {} to zero-to-peak", in_quotes(supply.column->title),
                       to_string(supply.column->name.kind),
                       supply.column->name.kind == AmplitudeKind::rms ? "multiplied by 1.414" : "halved"),
           "");
  }
}

}  // namespace kdyn::inline io::internal
