// SPDX-License-Identifier: Apache-2.0
// Responses without measured forces (operational modal analysis): half spectra, which have the poles and shapes of
// frequency responses when the forces are broadband.
//
//   [signal E48] R_yx(k) = 1/(n - k) sum_j y_(j+k) x_j of a segment without its mean, for a reference x
//   [signal E49] S(w) = dt (R(0)/2 + sum_(k >= 1) R(k) exp(-(a + i w) k dt)): for white forces sum_r phi_r g_r^T/(i w - lambda_r + a)
//                and its conjugate
// No window leaks: the correlations of a segment are exact, and the exponential, which brings their scatter at long
// delays down, adds a decay that is known. Noise of a sensor alone appears at k = 0 only. References take the place of
// forces; modal masses stay unknown. A machine that turns at constant speed looks like a mode without damping.
#pragma once

#include <vector>

#include "kdyn/signal/frf.hpp"

namespace kdyn::inline signal {

// options: inputs (references; none: up to six that together tell most), block_s (longest delay; 0: a twentieth of the
// record, at most 4096 samples), decay_to (of the exponential, 0: 0.01), band_hz. Covariance is the scatter of segments
// of four delays' length.
FrfEstimate estimate_half_spectra(const std::vector<SignalSet>& records, const FrfOptions& options);

}  // namespace kdyn::inline signal
