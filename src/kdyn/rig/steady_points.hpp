// SPDX-License-Identifier: Apache-2.0
// Steady response of a model at any number of points, as a rig would measure it: by the closed form or the harmonic
// balance of the law where it has one, on the virtual rig otherwise. For whoever asks for many points at once: sliders,
// scripts. The rubber law gives the first harmonic alone, where a run-time object would find the extremes of the loop
// as well.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "kdyn/base/field.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn::inline rig {

struct ModelPoint {
  double k_dyn = 0.0, loss_angle = 0.0;  // N/m (N*m/rad), rad
};

class SteadyPoints {
 public:
  // `model`: that of the mount; what stands around it (a result) is not looked at. `loop`: force range and loop area
  // instead of the first harmonic.
  SteadyPoints(const Json& model, const Mount& mount, bool loop);
  // Without the rig: nothing where the law has no closed form.
  std::optional<ModelPoint> closed(double u0, double frequency_hz, double amplitude) const;
  // The displacement of a preload is remembered.
  ModelPoint at_preload(double preload, double frequency_hz, double amplitude);

 private:
  const Mount& mount_;
  bool loop_;
  struct Rubber;                    // the law itself, behind a wall: its header is slow to compile
  std::shared_ptr<Rubber> rubber_;  // remembers amplitudes: one object for each thread
  std::map<double, double> displacement_of_;
};

}  // namespace kdyn::inline rig
