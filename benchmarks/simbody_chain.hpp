// SPDX-License-Identifier: Apache-2.0
// The chain of chain_model.hpp in Simbody (Debian libsimbody-dev): free bodies, linear bushings, CPodes (BDF with
// Newton).
#pragma once

#include <vector>

#include <Eigen/Dense>

namespace kdyn::peer {

// Tip after 1, 2, ... `seconds` seconds at the integrator's accuracy. Behind a function of its own: Simbody is slow to
// compile.
std::vector<Eigen::Vector3d> simbody_chain_tips(int bodies, int seconds, double accuracy);

}  // namespace kdyn::peer
