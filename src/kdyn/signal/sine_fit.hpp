// SPDX-License-Identifier: Apache-2.0
// Steady sine in a raw record: frequency, the steady part, and the dynamic stiffness there, for any number of cycles.
//
// The frequency is found by least squares (four-parameter sine fit, IEEE 1057) on the displacement; the steady part is
// the longest run of cycles whose amplitude is within 5 % of the largest (records often fade in and out). There
// displacement and force are fitted by mean, slope and the first five harmonics together, so the window need not hold
// whole cycles and harmonics do not leak into the first.
#pragma once

#include <optional>
#include <span>

namespace kdyn::inline signal {

struct SineReduction {
  double frequency_hz = 0.0;
  double amplitude = 0.0;  // of the first harmonic of displacement, zero to peak
  double mean_force = 0.0;
  double k_dyn = 0.0, loss_angle = 0.0;  // first harmonic of force over displacement
  double purity = 0.0;                   // share of the displacement's variance in the first harmonic
  double force_purity = 0.0;             // the same of the force: what a linear law could explain
  std::size_t first = 0, count = 0;      // samples of the steady part
  double cycles = 0.0;                   // in the steady part
};

// Nothing when the record is no steady sine: less than 1.5 cycles at one amplitude, or less than 90 % of the variance
// in one frequency.
std::optional<SineReduction> reduce_sine_record(std::span<const double> time, std::span<const double> displacement,
                                                std::span<const double> force);

}  // namespace kdyn::inline signal
