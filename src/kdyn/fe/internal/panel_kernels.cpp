// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/panel_kernels.hpp"

#include <algorithm>
#include <cstddef>

// The compiler makes a plain and a wide version of these loops; the loader takes the one the processor can run.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define KDYN_WIDE __attribute__((target_clones("default", "arch=haswell", "arch=skylake-avx512"), optimize("O3")))
#else
#define KDYN_WIDE
#endif

namespace kdyn::fe::internal {
namespace {

constexpr int depth = 4;  // columns that one pass over the rows takes along

}  // namespace

KDYN_WIDE void sweep_forward(const double* panel, int columns, int below, double* y) {
  const std::ptrdiff_t rows = columns + below;
  for (int k = 0; k < columns; k += depth) {
    const int count = std::min(depth, columns - k);
    for (int j = 0; j < count; ++j)
      for (int i = j + 1; i < count; ++i) {
        const double l = panel[(k + j) * rows + k + i];
        for (int c = 0; c < strip; ++c) y[(k + i) * strip + c] -= l * y[(k + j) * strip + c];
      }
    const double* own = y + static_cast<std::ptrdiff_t>(k) * strip;
    if (count == depth) {
      const double *l0 = panel + k * rows, *l1 = l0 + rows, *l2 = l1 + rows, *l3 = l2 + rows;
      double x[depth][strip];
      for (int j = 0; j < depth; ++j)
        for (int c = 0; c < strip; ++c) x[j][c] = own[j * strip + c];
      for (std::ptrdiff_t i = k + depth; i < rows; ++i) {
        double* yi = y + i * strip;
        for (int c = 0; c < strip; ++c) yi[c] -= l0[i] * x[0][c] + l1[i] * x[1][c] + l2[i] * x[2][c] + l3[i] * x[3][c];
      }
    } else {
      for (int j = 0; j < count; ++j)
        for (std::ptrdiff_t i = k + count; i < rows; ++i)
          for (int c = 0; c < strip; ++c) y[i * strip + c] -= panel[(k + j) * rows + i] * own[j * strip + c];
    }
  }
}

KDYN_WIDE void sweep_backward(const double* panel, int columns, int below, double* y) {
  const std::ptrdiff_t rows = columns + below;
  for (int end = columns; end > 0;) {
    const int count = end % depth == 0 ? depth : end % depth;
    const int k = end - count;
    double sum[depth][strip] = {};
    if (count == depth) {
      const double *l0 = panel + k * rows, *l1 = l0 + rows, *l2 = l1 + rows, *l3 = l2 + rows;
      for (std::ptrdiff_t i = end; i < rows; ++i) {
        const double* yi = y + i * strip;
        for (int c = 0; c < strip; ++c) {
          sum[0][c] += l0[i] * yi[c];
          sum[1][c] += l1[i] * yi[c];
          sum[2][c] += l2[i] * yi[c];
          sum[3][c] += l3[i] * yi[c];
        }
      }
    } else {
      for (int j = 0; j < count; ++j)
        for (std::ptrdiff_t i = end; i < rows; ++i)
          for (int c = 0; c < strip; ++c) sum[j][c] += panel[(k + j) * rows + i] * y[i * strip + c];
    }
    for (int j = count - 1; j >= 0; --j) {
      double* yj = y + (static_cast<std::ptrdiff_t>(k) + j) * strip;
      for (int c = 0; c < strip; ++c) yj[c] -= sum[j][c];
      for (int i = j + 1; i < count; ++i) {
        const double l = panel[(k + j) * rows + k + i];
        for (int c = 0; c < strip; ++c) yj[c] -= l * y[(static_cast<std::ptrdiff_t>(k) + i) * strip + c];
      }
    }
    end = k;
  }
}

}  // namespace kdyn::fe::internal
