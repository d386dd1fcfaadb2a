// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/panel_kernels.hpp"

// The compiler makes a plain and two wide versions of these loops; the loader takes the best one the processor can run.
// Levels of the instruction set are named, not processors: arch=haswell would be taken by that very processor only.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define KDYN_WIDE __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define KDYN_WIDE
#endif
#define KDYN_INLINE __attribute__((always_inline)) inline
// Loops over the eight columns at hand are written out, so that their sums stay in registers.
#if defined(__clang__)
#define KDYN_UNROLL _Pragma("unroll")
#else
#define KDYN_UNROLL _Pragma("GCC unroll 8")
#endif

namespace kdyn::fe::internal {
namespace {

// Eight values that are worked on together; memory need not be aligned.
using Eight = double __attribute__((vector_size(64)));
using Loose = double __attribute__((vector_size(64), aligned(8), may_alias));

KDYN_INLINE const Loose& at(const double* p) { return *reinterpret_cast<const Loose*>(p); }
KDYN_INLINE Loose& at(double* p) { return *reinterpret_cast<Loose*>(p); }

// y_i -= sum of Count columns times x, for the rows begin..end.
template <int Count>
KDYN_INLINE void subtract_columns(const double* panel, std::ptrdiff_t rows, const double* x, std::ptrdiff_t begin,
                                  std::ptrdiff_t end, double* y) {
  Eight own[Count];
  KDYN_UNROLL
  for (int j = 0; j < Count; ++j) own[j] = at(x + j * strip);
  for (std::ptrdiff_t i = begin; i < end; ++i) {
    Eight sum = at(y + i * strip);
    KDYN_UNROLL
    for (int j = 0; j < Count; ++j) sum -= panel[j * rows + i] * own[j];
    at(y + i * strip) = sum;
  }
}

template <int Count>
KDYN_INLINE void sum_columns(const double* panel, std::ptrdiff_t rows, std::ptrdiff_t begin, std::ptrdiff_t end,
                             const double* y, double* out) {
  Eight sum[Count];
  KDYN_UNROLL
  for (int j = 0; j < Count; ++j) sum[j] = Eight{};
  for (std::ptrdiff_t i = begin; i < end; ++i) {
    const Eight own = at(y + i * strip);
    KDYN_UNROLL
    for (int j = 0; j < Count; ++j) sum[j] += panel[j * rows + i] * own;
  }
  KDYN_UNROLL
  for (int j = 0; j < Count; ++j) at(out + j * strip) = sum[j];
}

// Columns that one pass over the rows takes along, the largest first.
constexpr int depth = 8;
KDYN_INLINE int step_of(int left) { return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1; }

}  // namespace

KDYN_WIDE void sweep_forward(const double* panel, int columns, int below, double* y) {
  const std::ptrdiff_t rows = columns + below;
  for (int k = 0; k < columns;) {
    const int count = step_of(columns - k);
    const double* first = panel + k * rows;
    for (int j = 0; j < count; ++j)
      for (int i = j + 1; i < count; ++i) at(y + (k + i) * strip) -= first[j * rows + k + i] * at(y + (k + j) * strip);
    const double* own = y + static_cast<std::ptrdiff_t>(k) * strip;
    if (count == 8)
      subtract_columns<8>(first, rows, own, k + count, rows, y);
    else if (count == 4)
      subtract_columns<4>(first, rows, own, k + count, rows, y);
    else if (count == 2)
      subtract_columns<2>(first, rows, own, k + count, rows, y);
    else
      subtract_columns<1>(first, rows, own, k + count, rows, y);
    k += count;
  }
}

KDYN_WIDE void sweep_backward(const double* panel, int columns, int below, double* y) {
  const std::ptrdiff_t rows = columns + below;
  for (int end = columns; end > 0;) {
    const int count = step_of(end);
    const int k = end - count;
    const double* first = panel + k * rows;
    double sum[depth * strip];
    if (count == 8)
      sum_columns<8>(first, rows, end, rows, y, sum);
    else if (count == 4)
      sum_columns<4>(first, rows, end, rows, y, sum);
    else if (count == 2)
      sum_columns<2>(first, rows, end, rows, y, sum);
    else
      sum_columns<1>(first, rows, end, rows, y, sum);
    for (int j = count - 1; j >= 0; --j) {
      Eight own = at(y + (static_cast<std::ptrdiff_t>(k) + j) * strip) - at(sum + j * strip);
      for (int i = j + 1; i < count; ++i)
        own -= first[j * rows + k + i] * at(y + (static_cast<std::ptrdiff_t>(k) + i) * strip);
      at(y + (static_cast<std::ptrdiff_t>(k) + j) * strip) = own;
    }
    end = k;
  }
}

KDYN_WIDE void add_gram(const double* a, const double* b, std::ptrdiff_t begin, std::ptrdiff_t end, double* out) {
  Eight sum[strip];
  KDYN_UNROLL
  for (int j = 0; j < strip; ++j) sum[j] = at(out + j * strip);
  for (std::ptrdiff_t i = begin; i < end; ++i) {
    const Eight own = at(b + i * strip);
    KDYN_UNROLL
    for (int j = 0; j < strip; ++j) sum[j] += a[i * strip + j] * own;
  }
  KDYN_UNROLL
  for (int j = 0; j < strip; ++j) at(out + j * strip) = sum[j];
}

KDYN_WIDE void subtract_product(double* w, const double* q, const double* c, std::ptrdiff_t begin, std::ptrdiff_t end) {
  Eight rows[strip];
  KDYN_UNROLL
  for (int j = 0; j < strip; ++j) rows[j] = at(c + j * strip);
  for (std::ptrdiff_t i = begin; i < end; ++i) {
    Eight own = at(w + i * strip);
    KDYN_UNROLL
    for (int j = 0; j < strip; ++j) own -= q[i * strip + j] * rows[j];
    at(w + i * strip) = own;
  }
}

KDYN_WIDE void multiply_in_place(double* w, const double* c, std::ptrdiff_t begin, std::ptrdiff_t end) {
  Eight rows[strip];
  KDYN_UNROLL
  for (int j = 0; j < strip; ++j) rows[j] = at(c + j * strip);
  for (std::ptrdiff_t i = begin; i < end; ++i) {
    Eight own = w[i * strip] * rows[0];
    KDYN_UNROLL
    for (int j = 1; j < strip; ++j) own += w[i * strip + j] * rows[j];
    at(w + i * strip) = own;
  }
}

KDYN_WIDE void multiply_rows(const std::size_t* start, const int* column, const double* value, const double* x,
                             double* out, std::ptrdiff_t begin, std::ptrdiff_t end) {
  for (std::ptrdiff_t i = begin; i < end; ++i) {
    Eight sum{};
    for (std::size_t k = start[i]; k < start[i + 1]; ++k)
      sum += value[k] * at(x + static_cast<std::ptrdiff_t>(column[k]) * strip);
    at(out + i * strip) = sum;
  }
}

}  // namespace kdyn::fe::internal
