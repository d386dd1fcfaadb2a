// SPDX-License-Identifier: Apache-2.0
// ln Gamma(x) for x > 0.
#pragma once

#include <cmath>

namespace kdyn::inline numerics {

// The lgamma of C leaves the sign in a global variable, which all threads would write; glibc has one that does not.
inline double log_gamma(double x) {
#ifdef __GLIBC__
  int sign = 0;
  return ::lgamma_r(x, &sign);
#else
  return std::lgamma(x);
#endif
}

}  // namespace kdyn::inline numerics
