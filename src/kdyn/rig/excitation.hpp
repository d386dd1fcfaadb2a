// SPDX-License-Identifier: Apache-2.0
// Displacements that the virtual rig imposes, with their exact velocity and acceleration: sums of sines with given or
// random phases.
//
//   [rig E10] random: components evenly spaced in frequency between two limits, amplitudes of a power spectral density 1/f^p, random
//            phases, scaled to the wanted rms; p = 1 is the 1/f signal of drift tests, p = 2 the displacement of a road.
//   [rig E11] sweep: u = a sin(phi), phi' = 2 pi f(t), frequency rising exponentially from f0 to f1.
#pragma once

#include <cstdint>
#include <vector>

#include "kdyn/rig/rig.hpp"

namespace kdyn::inline rig {

// A path sampled at an even rate.
struct Excitation {
  std::vector<double> time, displacement, velocity, acceleration;
};

Excitation random_excitation(double rms, double lower_hz, double upper_hz, double slope, double duration_s,
                             double sample_rate_hz, std::uint64_t seed);

// Random road-like motion with single obstacles on top: one-minus-cosine bumps of random height at random times.
Excitation road_excitation(double rms, double lower_hz, double upper_hz, double duration_s, double sample_rate_hz,
                           std::uint64_t seed);

Excitation sweep_excitation(double amplitude, double from_hz, double to_hz, double duration_s, double sample_rate_hz);

Excitation formula_excitation(const std::string& formula, double duration_s, double sample_rate_hz);

}  // namespace kdyn::inline rig
