// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/present/display.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kdyn::app {
namespace {

std::string relative(const ParameterEstimate& p) {
  if (p.status == ParameterStatus::fixed) return "";
  if (std::isnan(p.std)) return "not known";
  if (!std::isfinite(p.std)) return "not determined";
  return fmt::format("{:.2g} %", 100.0 * p.std / std::abs(p.value));
}

std::string interval(const ParameterEstimate& p, double factor) {
  if (p.status == ParameterStatus::fixed || std::isnan(p.std)) return "";
  if (!std::isfinite(p.std)) return "any";
  return fmt::format("{} ... {}", format_number(p.lower_95 * factor), format_number(p.upper_95 * factor));
}

std::string value_text(const ParameterEstimate& p, double factor) {
  return std::isnan(p.value) ? "unlimited" : format_number(p.value * factor);
}

}  // namespace

std::vector<double> scaled(const std::vector<double>& x, double factor) {
  std::vector<double> y(x.size());
  std::transform(x.begin(), x.end(), y.begin(), [factor](double value) { return factor * value; });
  return y;
}

std::string format_number(double value, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "" : value > 0 ? "inf" : "-inf";
  return fmt::format("{:.{}g}", value, digits);
}

AxisDisplay axis_display(AxisKind axis) {
  if (axis == AxisKind::rotation)
    return {display_unit("rad"), display_unit("N*m"), display_unit("N*m/rad"), "Angle", "Moment"};
  return {display_unit("m"), display_unit("N"), display_unit("N/m"), "Displacement", "Force"};
}

const char* axis_word(AxisKind axis) { return axis == AxisKind::rotation ? "rotation" : "translation"; }

report::Table parameter_table(const std::vector<ParameterEstimate>& parameters) {
  report::Table table;
  table.columns = {{"Parameter"},
                   {"Value", "", report::Align::right},
                   {"Unit"},
                   {"95 % interval", "", report::Align::right},
                   {"Std. deviation", "", report::Align::right},
                   {"Status"},
                   {"Meaning"}};
  for (const ParameterEstimate& p : parameters) {
    const DisplayUnit unit = display_unit(p.unit);
    report::Row row;
    row.cells = {p.name,      value_text(p, unit.factor), unit.unit, interval(p, unit.factor),
                 relative(p), to_string(p.status),        p.meaning};
    if (p.status == ParameterStatus::free && p.std > 0.5 * std::abs(p.value)) row.quality = report::Quality::poor;
    table.rows.push_back(std::move(row));
  }
  table.note = "Intervals are 95 % confidence intervals; derived values follow from the free ones.";
  return table;
}

std::string parameter_text(const std::vector<ParameterEstimate>& parameters) {
  std::size_t names = 18, units = 8;  // at least: tables of several fits look alike
  for (const ParameterEstimate& p : parameters) {
    names = std::max(names, p.name.size());
    units = std::max(units, display_unit(p.unit).unit.size());
  }
  const auto line = [&](std::string_view name, std::string_view value, std::string_view unit, std::string_view between,
                        std::string_view std, std::string_view status) {
    return fmt::format("  {:<{}}{:>12} {:<{}}{:>25}  {:<12} {}\n", name, names, value, unit, units + 1, between, std,
                       status);
  };
  std::string out = line("parameter", "value", "unit", "95 % interval", "std", "status");
  for (const ParameterEstimate& p : parameters) {
    const DisplayUnit unit = display_unit(p.unit);
    out +=
        line(p.name, value_text(p, unit.factor), unit.unit, interval(p, unit.factor), relative(p), to_string(p.status));
  }
  return out;
}

}  // namespace kdyn::app
