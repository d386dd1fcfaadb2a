// SPDX-License-Identifier: Apache-2.0
#include "kdyn/doctor/delay.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kdyn/base/angle.hpp"

namespace kdyn::inline doctor {

std::optional<ChannelDelay> find_delay(const StiffnessMap& map, const std::vector<Sweep>& sweeps,
                                       const Neighbourhood& neighbours) {
  constexpr double rubber = 25.0 * degree, noticeable = 3.0 * degree, sigmas = 5.0;
  constexpr std::size_t enough = 8;
  std::vector<double> x, y;  // frequency and what is left of the angle, less their means over the sweep
  double highest = 0.0;
  std::size_t used_sweeps = 0;
  for (const MapRow& row : map.rows)
    if (row.loss_angle > rubber) return std::nullopt;
  for (const Sweep& sweep : sweeps) {
    std::vector<const MapRow*> rows;
    for (const std::size_t r : sweep.rows)
      if (neighbours.blemish[r] == Blemish::none) rows.push_back(&map.rows[r]);
    std::vector<double> f, left;
    for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
      const double span = std::log(rows[i + 1]->frequency_hz / rows[i - 1]->frequency_hz);
      if (!(span > 0.1)) continue;  // repeated points
      const double slope = std::log(rows[i + 1]->k_dyn / rows[i - 1]->k_dyn) / span;
      f.push_back(rows[i]->frequency_hz);
      left.push_back(rows[i]->loss_angle - 0.5 * std::numbers::pi * slope);
    }
    if (f.size() < 2) continue;
    ++used_sweeps;
    double f_mean = 0.0, left_mean = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i)
      f_mean += f[i] / static_cast<double>(f.size()), left_mean += left[i] / static_cast<double>(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) x.push_back(f[i] - f_mean), y.push_back(left[i] - left_mean);
    highest = std::max(highest, rows.back()->frequency_hz);
  }
  if (x.size() < enough + used_sweeps) return std::nullopt;
  double xx = 0.0, xy = 0.0, rest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) xx += x[i] * x[i], xy += x[i] * y[i];
  if (!(xx > 0.0)) return std::nullopt;
  const double slope = xy / xx;
  for (std::size_t i = 0; i < x.size(); ++i) rest += (y[i] - slope * x[i]) * (y[i] - slope * x[i]);
  const double deviation = std::sqrt(rest / static_cast<double>(x.size() - used_sweeps - 1) / xx);
  if (slope > -sigmas * deviation || -slope * highest < noticeable) return std::nullopt;
  return ChannelDelay{-slope / (2.0 * std::numbers::pi), deviation / (2.0 * std::numbers::pi), -slope * highest,
                      highest};
}

}  // namespace kdyn::inline doctor
