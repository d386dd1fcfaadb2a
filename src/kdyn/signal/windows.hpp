// SPDX-License-Identifier: Apache-2.0
// Windows: weights of the samples of a block before it is transformed.
//
//   [signal E41] hann  w_j = (1 - cos(2 pi j/n))/2;  flat top: five cosines (ISO 18431-2), amplitude of a sine within 0.1 %
//   [signal E42] force w_j = 1 until the pulse is over, then a quarter cosine to 0; exponential w_j = exp(-t_j/tau)
// An exponential window adds 1/tau (in 1/s) to -Re of every pole: subtract it again after identification.
#pragma once

#include <cstddef>
#include <vector>

namespace kdyn::inline signal {

enum class Window { rectangular, hann, flat_top };

std::vector<double> window(Window kind, std::size_t n);  // periodic form: w_n would equal w_0
// `hold` samples of 1, then `taper` samples down to 0, the rest 0.
std::vector<double> force_window(std::size_t n, std::size_t hold, std::size_t taper);
std::vector<double> exponential_window(std::size_t n, double step_s, double tau_s);

double mean_square(const std::vector<double>& window);  // power of the window: what a spectrum is divided by
}  // namespace kdyn::inline signal
