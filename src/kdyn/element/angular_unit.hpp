// SPDX-License-Identifier: Apache-2.0
// Units of an axis that turns: N/m -> N*m/rad and the like. Laws name the units of a translation; files, tables and
// exported models of a torsional axis show these. Plain C++17, as all that FMUs carry.
#pragma once

#include "kdyn/element/parameter.hpp"

namespace kdyn::inline element {

inline const char* angular_unit(const char* unit) {
  constexpr const char* pairs[][2] = {{"m", "rad"},       {"m/s", "rad/s"},       {"N", "N*m"},
                                      {"N/m", "N*m/rad"}, {"N*s/m", "N*m*s/rad"}, {"1/m", "1/rad"}};
  for (const auto& pair : pairs)
    if (same_text(unit, pair[0])) return pair[1];
  return unit;
}

}  // namespace kdyn::inline element
