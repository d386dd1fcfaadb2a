// SPDX-License-Identifier: Apache-2.0
// Displacement that comes later than force, as a map shows it: the loss angle falls in proportion to frequency. Used by
// the data doctor only.
//
// Rubber is causal: its linear part has a loss angle near (pi/2) d ln|K| / d ln f (Kramers and Kronig, in their local
// form), friction adds an angle that hardly depends on frequency. What is left and falls with frequency, in all sweeps
// alike, is a delay between the channels. A rise cannot be told from a viscous damper and is not judged, nor are maps
// with loss angles beyond 25 deg (hydro mounts), where the local form is too coarse.
#pragma once

#include <optional>
#include <vector>

#include "kdyn/doctor/sweeps.hpp"

namespace kdyn::inline doctor {

struct ChannelDelay {
  double seconds = 0.0, deviation = 0.0;  // of the displacement behind the force, and its standard deviation
  double angle = 0.0;                     // rad, at the highest frequency
  double frequency_hz = 0.0;              // that one
};
std::optional<ChannelDelay> find_delay(const StiffnessMap& map, const std::vector<Sweep>& sweeps,
                                       const Neighbourhood& neighbours);

}  // namespace kdyn::inline doctor
