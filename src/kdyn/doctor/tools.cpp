// SPDX-License-Identifier: Apache-2.0
#include "kdyn/doctor/tools.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/units.hpp"

namespace kdyn::inline doctor {

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0.0;
  const auto rank = static_cast<std::size_t>(std::llround(fraction * static_cast<double>(values.size() - 1)));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double spread(const std::vector<double>& values) {
  const double centre = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double v : values) deviations.push_back(std::abs(v - centre));
  return 1.4826 * median(std::move(deviations));
}

Range range_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

bool look_like_rad_per_s(std::vector<double> frequencies) {
  std::sort(frequencies.begin(), frequencies.end());
  frequencies.erase(std::unique(frequencies.begin(), frequencies.end()), frequencies.end());
  constexpr std::size_t enough = 5;
  if (frequencies.size() < enough) return false;
  // Two digits, or three of which the last is a 5; files hold at least four digits of 2 pi times that.
  const auto round = [](double f) {
    if (!(f > 0.0)) return false;
    const double unit = std::pow(10.0, std::floor(std::log10(f)) - 1.0), digits = f / unit;
    return std::abs(digits - 0.5 * std::round(2.0 * digits)) < 4e-4 * digits;
  };
  const auto share = [&](double by) {
    const auto count = std::count_if(frequencies.begin(), frequencies.end(), [&](double f) { return round(f / by); });
    return static_cast<double>(count) / static_cast<double>(frequencies.size());
  };
  return share(2.0 * std::numbers::pi) > 0.8 && share(1.0) < 0.3;
}

Trend trend(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = std::min(x.size(), y.size());
  if (n < 2) return {};
  double mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < n; ++i) mean_x += x[i] / static_cast<double>(n), mean_y += y[i] / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double dx = x[i] - mean_x, dy = y[i] - mean_y;
    xx += dx * dx, xy += dx * dy, yy += dy * dy;
  }
  if (!(xx > 0.0)) return {};
  return {xy / xx, yy > 0.0 ? xy / std::sqrt(xx * yy) : 0.0};
}

void Chart::add(Severity severity, const char* code, std::size_t line, std::string message, std::string remedy) {
  findings_.push_back(
      {severity, code, line > 0 ? fmt::format("{}:{}", path_, line) : path_, std::move(message), std::move(remedy)});
}

bool Chart::has(std::string_view code) const {
  return std::any_of(findings_.begin(), findings_.end(),
                     [code](const Finding& finding) { return finding.code == code; });
}

std::string list_lines(const std::vector<std::size_t>& lines) {
  constexpr std::size_t shown = 8;
  const std::size_t count = std::min(lines.size(), shown);
  std::string text = fmt::format("line{} {}", lines.size() == 1 ? "" : "s",
                                 fmt::join(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count), ", "));
  if (lines.size() > shown) text += fmt::format(" and {} more", lines.size() - shown);
  return text;
}

std::string show_length(double value, AxisKind axis) {
  if (axis == AxisKind::rotation) return fmt::format("{:.4g} deg", convert(value, "rad", "deg"));
  return fmt::format("{:.4g} mm", convert(value, "m", "mm"));
}

std::string show_force(double value, AxisKind axis) {
  return fmt::format("{:.4g} {}", value, axis == AxisKind::rotation ? "N*m" : "N");
}

std::string show_stiffness(double value, AxisKind axis) {
  if (axis == AxisKind::rotation) return fmt::format("{:.4g} N*m/rad", value);
  return fmt::format("{:.4g} N/mm", convert(value, "N/m", "N/mm"));
}

std::string show_angle(double value) { return fmt::format("{:.3g} deg", convert(value, "rad", "deg")); }

}  // namespace kdyn::inline doctor
