// SPDX-License-Identifier: Apache-2.0
// What sensors show at a state, with the exact first derivative that forward and adjoint sensitivity and the linear
// model share  [mbs E36].
#pragma once

#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::mbs {

double sensor_value(const System& system, const Output& output, const RunState& state, const Evaluation& e);
OutputSlope sensor_slope(const System& system, const Output& output, const RunState& state, const Evaluation& e);
// Applied to changes of coordinates, velocities, accelerations and multipliers (size 0: none).
double slope_along(const System& system, const OutputSlope& slope, const VectorX& dq, const VectorX& dv,
                   const VectorX& dvd, const VectorX& dlambda);
// The transpose.
void pull_back_slope(const System& system, const OutputSlope& slope, double bar, VectorX& on_q, VectorX& on_v,
                     VectorX& on_vd, VectorX& on_lambda);

}  // namespace kdyn::mbs
