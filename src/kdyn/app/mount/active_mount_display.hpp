// SPDX-License-Identifier: Apache-2.0
// What the two reports of active mounts share: grids, phases that run on, units and names of the responses.
#pragma once

#include <complex>
#include <vector>

#include "kdyn/activemount/transfer.hpp"

namespace kdyn::app {

inline std::complex<double> plain(const Complex<double>& z) { return {z.re, z.im}; }
std::vector<double> log_grid(double lower, double upper, int points);
// Phase in degrees that runs on without jumps of 360.
std::vector<double> unwrapped_deg(const std::vector<std::complex<double>>& H);
double magnitude_factor(ActivePath path);     // to the unit below
const char* magnitude_unit(ActivePath path);  // N/mm or N/V
const char* path_meaning(ActivePath path);

}  // namespace kdyn::app
