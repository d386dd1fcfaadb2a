// SPDX-License-Identifier: Apache-2.0
// How a mount changes with temperature: rows of factors relative to the model's own parameters, linear between rows and
// constant outside  [elastomer E23].
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kdyn/element/parameter.hpp"

namespace kdyn::inline elastomer {

// Factors on all stiffness, on the frequency-dependent and on the amplitude-dependent part of a rubber.
struct TemperatureRow {
  double temperature_c = 0.0, stiffness = 1.0, freq = 1.0, ampl = 1.0;
};

inline constexpr ParameterInfo temperature_parameter = {
    "temperature_c",
    "degC",
    -273.15,
    false,
    1000.0,
    "Temperature of the mount; its parameters are those of the temperature at which all factors are 1"};

template <class Row, class T>
T temperature_factor(const std::vector<Row>& rows, double Row::*factor, const T& temperature_c) {
  const double at = value_of(temperature_c);
  if (!(at > rows.front().temperature_c)) return T(rows.front().*factor);
  if (!(at < rows.back().temperature_c)) return T(rows.back().*factor);
  std::size_t i = 0;
  while (rows[i + 1].temperature_c < at) ++i;
  const Row &a = rows[i], &b = rows[i + 1];
  const T s = (temperature_c - a.temperature_c) / (b.temperature_c - a.temperature_c);
  return T(a.*factor + s * (b.*factor - a.*factor));
}

}  // namespace kdyn::inline elastomer
