// SPDX-License-Identifier: Apache-2.0
// Steady stiffness of a hydro mount along a sweep, quick enough to follow a slider.
//
// Harmonics 1, 3, 5 (with a pressure limit also the mean and the even ones), each point from its neighbour; every fourth
// point is searched for several steady states, and beside folds every point. Where there are several, the stable one with
// the smallest chamber motion is taken, as steady_response does. Against its 15 odd harmonics on random mounts: below 0.1 %
// rms, 2 % at worst; beside folds one point in 500 shows another steady state. No reduction of the force loop.
#pragma once

#include <complex>
#include <vector>

#include "kdyn/hydromount/hydromount.hpp"

namespace kdyn::inline hydromount {

struct SweepPoint {
  double frequency_hz = 0.0, amplitude = 0.0;
};
// First harmonic of the whole force over displacement at each point; NaN where no steady state was found.
std::vector<std::complex<double>> steady_curve(const HydroMount<double>& law, double u0,
                                               const std::vector<SweepPoint>& sweep);

}  // namespace kdyn::inline hydromount
