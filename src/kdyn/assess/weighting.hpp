// SPDX-License-Identifier: Apache-2.0
// Frequency weightings of ISO 2631-1 for whole-body vibration, exact at any sampling rate.
//
// [assess E1] H = H_h H_l H_t H_s with s = i 2 pi f:
//   H_h = 1/(1 + sqrt(2) w1/s + (w1/s)^2)                              high-pass, w1 = 2 pi 0.4
//   H_l = 1/(1 + sqrt(2) s/w2 + (s/w2)^2)                              low-pass, w2 = 2 pi 100
//   H_t = (1 + s/w3)/(1 + s/(Q4 w4) + (s/w4)^2)                        acceleration-velocity transition
//   H_s = (1 + s/(Q5 w5) + (s/w5)^2)/(1 + s/(Q6 w6) + (s/w6)^2) (w5/w6)^2   upward step
//
// Applied in the frequency domain with zeros appended [assess E2]: recursive filters made from H by a transformation of
// s are wrong near half of the sampling rate (the bilinear one by more than the standard's tolerance above a quarter of
// it); this one is not. Offline by nature: a sample of the result depends on samples a little ahead.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kdyn::inline assess {

// Wk: z of seat and feet. Wd: x, y of the seat. Wc: x of the backrest. We: rotations. Wj: head of a lying person.
enum class Weighting { Wk, Wd, Wc, We, Wj };

const char* to_string(Weighting weighting);
const char* meaning_of(Weighting weighting);
std::optional<Weighting> weighting_named(std::string_view name);

std::complex<double> weighting_response(Weighting weighting, double frequency_hz);

std::vector<double> apply_weighting(std::span<const double> acceleration, double rate_hz, Weighting weighting);

}  // namespace kdyn::inline assess
