// SPDX-License-Identifier: Apache-2.0
// Inner loops of the triangular solves on one supernode, for a strip of right-hand sides at once. [fe E23]
#pragma once

namespace kdyn::fe::internal {

inline constexpr int strip = 8;  // right-hand sides that a strip holds side by side: one cache line

// `panel` is (columns + below) x columns by columns with unit diagonal understood; `y` holds columns + below rows of `strip` values.
// Forward: y_own = L11^-1 y_own, y_below -= L21 y_own. Backward: y_own = L11^-T (y_own - L21^T y_below).
void sweep_forward(const double* panel, int columns, int below, double* y);
void sweep_backward(const double* panel, int columns, int below, double* y);

}  // namespace kdyn::fe::internal
