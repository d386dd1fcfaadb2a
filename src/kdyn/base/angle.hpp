// SPDX-License-Identifier: Apache-2.0
// The two numbers that turn what people write into what formulas need: frequency in Hz times `two_pi` is rad/s, an
// angle in degrees times `degree` is rad.
#pragma once

namespace kdyn::inline base {

inline constexpr double two_pi = 6.28318530717958647692;
inline constexpr double degree = 1.74532925199432957692e-2;

}  // namespace kdyn::inline base
