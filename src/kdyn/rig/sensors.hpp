// SPDX-License-Identifier: Apache-2.0
// What the sensors of a rig make of the true signals: fixture mass, low-pass filters, noise, quantisation, in this
// order.
//
//   [rig E12] the load cell on the moving side carries the fixture: F_measured = F + m u'', so that K_measured = K - m w^2
//   [rig E13] low-pass: second-order Butterworth by the bilinear transform with prewarping; equal filters in both channels leave K as it is,
//            unequal ones turn its phase
#pragma once

#include <span>
#include <vector>

#include "kdyn/base/random.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::inline rig {

// Even sampling with step h. `acceleration` may be empty when there is no fixture mass.
void apply_sensors(const RigOptions& options, double h, std::span<const double> acceleration,
                   std::vector<double>& displacement, std::vector<double>& force, RandomStream& noise);

}  // namespace kdyn::inline rig
