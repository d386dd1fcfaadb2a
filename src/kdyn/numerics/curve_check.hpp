// SPDX-License-Identifier: Apache-2.0
// Whether points make a rising curve.
#pragma once

#include <string>

#include "kdyn/base/curve.hpp"

namespace kdyn::inline numerics {

// At least two points; x and y finite and strictly increasing, otherwise Error(bad_input) at `where` naming the point.
void check_rising(const Curve& points, const std::string& where);

}  // namespace kdyn::inline numerics
