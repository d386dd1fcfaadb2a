// SPDX-License-Identifier: Apache-2.0
// Force of a mount under a prescribed displacement.
#pragma once

#include <vector>

#include "kdyn/element/mount.hpp"

namespace kdyn::inline element {

// Velocity of a sampled displacement: derivative of the parabola through three neighbours (second order, uneven steps
// allowed).
std::vector<double> velocity_of(const std::vector<double>& time, const std::vector<double>& displacement);

// Starts at rest at the first displacement and returns the force at every sample. Velocity may be empty: then
// velocity_of is used. `inside` gets the mount's own signals at every sample.
std::vector<double> simulate(Mount& mount, const std::vector<double>& time, const std::vector<double>& displacement,
                             const std::vector<double>& velocity = {}, std::vector<MountRecord>* inside = nullptr);

// Empty records of the signals inside a mount, and one more sample of each.
std::vector<MountRecord> records_of(const Mount& mount);
void record(const Mount& mount, std::vector<MountRecord>& records);

}  // namespace kdyn::inline element
