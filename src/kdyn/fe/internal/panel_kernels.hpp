// SPDX-License-Identifier: Apache-2.0
// Inner loops of the triangular solves and of the Lanczos recurrence, for a strip of eight vectors at once. [fe E23]
// [fe E25]
//
// A strip holds the eight values of one unknown side by side: one cache line, one wide register.
#pragma once

#include <cstddef>

namespace kdyn::fe::internal {

inline constexpr int strip = 8;

// `panel` is (columns + below) x columns by columns with unit diagonal understood; `y` holds columns + below rows of
// `strip` values. Forward: y_own = L11^-1 y_own, y_below -= L21 y_own. Backward: y_own = L11^-T (y_own - L21^T
// y_below).
void sweep_forward(const double* panel, int columns, int below, double* y);
void sweep_backward(const double* panel, int columns, int below, double* y);

// On rows begin..end of strips: out += a^T b (8 x 8, row of a by row), w -= q c, w = w c.
void add_gram(const double* a, const double* b, std::ptrdiff_t begin, std::ptrdiff_t end, double* out);
void subtract_product(double* w, const double* q, const double* c, std::ptrdiff_t begin, std::ptrdiff_t end);
void multiply_in_place(double* w, const double* c, std::ptrdiff_t begin, std::ptrdiff_t end);

// out = A x for rows begin..end of a matrix by compressed rows.
void multiply_rows(const std::size_t* start, const int* column, const double* value, const double* x, double* out,
                   std::ptrdiff_t begin, std::ptrdiff_t end);

}  // namespace kdyn::fe::internal
