// SPDX-License-Identifier: Apache-2.0
// Tests that every fitted model has to pass before it goes into a simulation: no drift under random motion, no energy
// out of nothing.
//
//   drift      10 s of 1/f random displacement, repeated; the mean of the force beyond the static one must not grow  [rig E14]
//   passivity  work over one period of steady random periodic motion, and over a loading cycle with micro-reversals, must not be negative [rig E15]
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn::inline rig {

struct TrustOptions {
  AxisKind axis = AxisKind::translation;  // a rotation has rad and N*m where the comments say m and N
  double amplitude = 5e-4;                // m: rms of the random motion, half stroke of the closed paths
  double preload = 0.0;                   // N
  double duration_s = 60.0;
  int paths = 20;
  std::uint64_t seed = 1;
};

struct TrustResult {
  AxisKind axis = AxisKind::translation;
  double drift = 0.0;        // growth of the mean force over (stiffness x rms displacement), relative
  double drift_force = 0.0;  // the same in N
  double lowest_work =
      0.0;  // smallest work over a closed path, relative to stiffness x amplitude^2; negative: energy from nothing
  bool drifts = false;  // drift > 2 %
  bool generates_energy = false;
  std::string words;  // the verdict in one sentence
};

const FieldTable& fields_of(const TrustResult*);

TrustResult examine_trust(const Mount& mount, const TrustOptions& options = {});

}  // namespace kdyn::inline rig
