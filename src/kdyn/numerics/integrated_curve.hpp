// SPDX-License-Identifier: Apache-2.0
// Displacement from a record of acceleration or velocity. What is slower than the high-pass is lost: noise and the zero
// of a sensor, integrated twice, would drift without end.
//
//   [numerics E16]  y'' + sqrt(2) w y' + w^2 y = a forwards, then the high-pass s^2/(s^2 + sqrt(2) w s + w^2) backwards, w = 2 pi high_pass_hz:
//                   together 1/s^2 (or 1/s) times f^4/(f^4 + high_pass_hz^4), without a shift in time
// The mean of the record is taken off first, and the motion is at rest before and after it. Within 2 % from 3 times the
// high-pass on; near the ends, within about 1/high_pass_hz, less.
#pragma once

#include "kdyn/base/curve.hpp"

namespace kdyn::inline numerics {

// `times`: 1 for a velocity, 2 for an acceleration. Points must ascend strictly, at least six of them.
Curve integrated(const Curve& points, int times, double high_pass_hz);

}  // namespace kdyn::inline numerics
