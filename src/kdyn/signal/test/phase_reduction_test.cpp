// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <vector>

#include <gtest/gtest.h>

#include "kdyn/signal/reduction.hpp"

namespace kdyn::inline signal {
namespace {

// Oracle: signals made from a known complex stiffness on a phase that fills no whole number of cycles.
TEST(ReduceByPhase, FindsTheStiffnessItWasMadeFromOnPartsOfCycles) {
  const std::complex<double> K = std::polar(3.2e5, 0.31);
  std::vector<double> phase, u, force;
  for (int i = 0; i < 137; ++i) {
    const double phi = 0.4 + 0.0613 * i + 1e-5 * i * i;  // as in a sweep
    phase.push_back(phi);
    u.push_back(1e-3 * std::sin(phi) + 2e-4);
    force.push_back(1e-3 * (K.real() * std::sin(phi) + K.imag() * std::cos(phi)) - 17.0);
  }
  const Reduction r = reduce_by_phase(phase, u, force);
  // Exact up to round-off of a 3 x 3 solution.
  EXPECT_NEAR(r.k_dyn / 3.2e5, 1.0, 1e-12);
  EXPECT_NEAR(r.loss_angle, 0.31, 1e-12);
  EXPECT_NEAR(r.amplitude / 1e-3, 1.0, 1e-12);
}

}  // namespace
}  // namespace kdyn::inline signal
