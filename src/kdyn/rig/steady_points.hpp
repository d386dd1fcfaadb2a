// SPDX-License-Identifier: Apache-2.0
// Steady response of a model at any number of points, as a rig would measure it: by the closed form or the harmonic
// balance of the law where it has one, on the virtual rig otherwise. For whoever asks for many points at once: sliders,
// scripts. The rubber law gives the first harmonic alone, where a run-time object would find the extremes of the loop
// as well.
#pragma once

#include <complex>
#include <map>
#include <memory>
#include <optional>
#include <span>

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
  // Complex stiffness of whole arrays of one length. From thousands of points on, the rubber law interpolates in the
  // amplitude (elastomer/amplitude_table.hpp): relative differences to single points stay below 1e-11.
  void at_preloads(std::span<const double> preload, std::span<const double> frequency_hz,
                   std::span<const double> amplitude, std::span<std::complex<double>> out);

 private:
  double displacement_of(double preload);

  const Mount& mount_;
  bool loop_;
  struct Rubber;                    // the law itself, behind a wall: its header is slow to compile
  std::shared_ptr<Rubber> rubber_;  // remembers amplitudes: one object for each thread
  std::map<double, double> displacement_of_;
};

}  // namespace kdyn::inline rig
