// SPDX-License-Identifier: Apache-2.0
// How the start of a run is put together: joints whose markers do not meet as the model gives them are closed by the
// least change of position [mbs E13], a static start lets the model down to its equilibrium [mbs E14], velocities are
// made to agree with joints and drives. A misprint in one hard point would so change a suspension in silence: every
// part that moves is told.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {

// A joint that is open as the model gives it.
struct OpenJoint {
  std::string joint;
  double gap = 0.0;    // m, or sine of an angle
  bool drive = false;  // its body is put where the motion begins
};

// How a body was moved: its origin, and its axes by a rotation vector; both along the global axes.
struct MovedPart {
  std::string body;
  std::array<double, 3> shift{}, turn{};  // m, rad; of velocities m/s, rad/s
};

struct AssembledStart {
  std::vector<OpenJoint> open;
  std::vector<MovedPart> closing;      // from the model's positions until all joints close
  std::vector<MovedPart> equilibrium;  // from there to the static equilibrium; empty without a static start
  std::vector<MovedPart> velocity;     // what was added to the given velocities
  std::vector<Finding> findings;
  VectorX closed;  // position with closed joints; empty when they cannot be closed

  bool moves() const { return !open.empty() || !closing.empty() || !equilibrium.empty() || !velocity.empty(); }
};

// Joints that are open by more than 1e-6 (m, or sine of an angle), the parts that closing them moves, and a finding for
// each. Throws Error(bad_input) when one is open by more than `limit`. Drives are told and never refused: their bodies
// are put where the motion begins.
AssembledStart assemble_start(const System& system, double limit, const std::string& where);

// Adds what a static start and consistent velocities changed beyond that; q, v: where the run began.
void add_run_start(const System& system, const VectorX& q, const VectorX& v, bool static_start, AssembledStart& start);

}  // namespace kdyn::mbs
