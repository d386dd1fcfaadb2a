// SPDX-License-Identifier: Apache-2.0
// Linear-phase low-pass filters of finite length and block averages.
//
// [signal E20] h_j = sinc(2 fc/fs (j - m)) w_j / sum, w the Kaiser window with beta 7.86 (80 dB), j = 0..2m; gain 1 at
// 0 Hz.
#pragma once

#include <span>
#include <vector>

namespace kdyn::inline signal {

// Half power (-6 dB) at cutoff_hz; the transition to -80 dB is `transition_hz` wide and sets the length.
std::vector<double> low_pass_taps(double cutoff_hz, double transition_hz, double rate_hz);

// Convolution where the filter lies fully on the signal: size - taps + 1 samples, none when the signal is too short.
std::vector<double> filter_inside(std::span<const double> signal, std::span<const double> taps);

// Means of `block` consecutive samples; what does not fill a block at the end is left out.
std::vector<double> block_means(std::span<const double> signal, std::size_t block);

}  // namespace kdyn::inline signal
