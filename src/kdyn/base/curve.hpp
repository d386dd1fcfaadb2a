// SPDX-License-Identifier: Apache-2.0
// A table of pairs: static curves, factors over preload, signals over time.
#pragma once

#include <utility>
#include <vector>

namespace kdyn::inline base {

using Curve = std::vector<std::pair<double, double>>;

}  // namespace kdyn::inline base
