// SPDX-License-Identifier: Apache-2.0
// Gauss' hypergeometric series for 0 <= x < 1 and any scalar  [numerics E5]; terms are added until they no longer
// count. Converges like x^j: fine up to x = 0.9999 (about 4e5 terms), not meant for x -> 1.
#pragma once

#include <cmath>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline numerics {

template <class T>
T hypergeometric_2f1(const T& a, const T& b, double c, const T& x) {
  T term(1.0), sum(1.0);
  for (int j = 0; j < 1000000; ++j) {
    term *= (a + double(j)) * (b + double(j)) / ((c + j) * (1.0 + j)) * x;
    sum += term;
    if (std::abs(value_of(term)) <= 1e-17 * std::abs(value_of(sum))) break;
  }
  return sum;
}

}  // namespace kdyn::inline numerics
