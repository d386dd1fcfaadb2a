// SPDX-License-Identifier: Apache-2.0
// A six-axis bushing on the virtual rig, with motion on several axes at once: what coupling, friction and hydraulics do
// to each other in one part.
//
//   map        sines of one frequency on all moving axes, each with its amplitude and phase; over frequencies_hz and motion_factors
//   static     slow triangle, axes in proportion: a path along a line in space
//   transient  a sine or a formula for each axis, or columns of a file; sines are reduced over the second half of the run
//   sweep, random, road   as for a mount, amplitude or rms of each axis; random ones independent from axis to axis
//
// Displacement is controlled. An axis that moves does so about the static displacement of its preload, found for all of
// them together with the coupling; others are held at zero. Forces and moments of all axes are results, reduced for
// those that move: the share of the force of an axis that follows its own motion. Of coupled axes this depends on what
// the others do.
#pragma once

#include <array>
#include <optional>

#include "kdyn/element/bushing.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::inline rig {

// Motion of one axis; m and N, of a rotation rad and N*m.
struct AxisMotion {
  double amplitude = 0.0;              // zero to peak; random and road: rms
  double phase_deg = 0.0;              // map, transient
  double preload = 0.0;                // static force about which it moves
  std::optional<double> frequency_hz;  // transient; a map has its own
  std::string formula;                 // transient: displacement over the time t
};
const FieldTable& fields_of(const AxisMotion*);

struct BushingRigOptions {
  RigOptions rig;
  std::array<std::optional<AxisMotion>, 6> motion;  // absent: held
  std::vector<double> factors = {1.0};              // map: the amplitudes of all axes times these
};

struct BushingRigResult {
  std::string status = "not run";  // as of RigResult
  std::string reason;
  std::array<double, 6> centre{};  // static displacements about which the axes move
  std::array<RigResult, 6> axes;   // map of those that move; series, static loop of all
  std::array<bool, 6> shown{};     // moves, or carries a force
  std::vector<Finding> findings;
};

// Series of a file for the axes that have one, over one time; they replace the motion of the transient programme,
// preloads stay.
using BushingInput = std::array<std::optional<BenchSeries>, 6>;
BushingRigResult run_bushing_rig(const Bushing& bushing, const BushingRigOptions& options,
                                 const BushingInput* input = nullptr, Progress& progress = silent_progress());

// [rig E18] Displacements of the axes with a preload at which the static forces there are those, all others held at
// zero.
Bushing::Vector static_displacement(const Bushing& bushing, const std::array<std::optional<double>, 6>& preload);

}  // namespace kdyn::inline rig
