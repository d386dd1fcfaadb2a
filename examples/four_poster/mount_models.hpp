// SPDX-License-Identifier: Apache-2.0
// Three ways to model the same mount, behind one face: as simulated by kdyn, as a linear frequency-dependent element,
// as spring and damper.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kdyn/element/mount.hpp"

namespace four_poster {

enum class MountType { engine, gearbox, subframe };

enum class MountKind { spring_damper, linear, nonlinear };
inline constexpr MountKind all_kinds[] = {MountKind::spring_damper, MountKind::linear, MountKind::nonlinear};
const char* to_string(MountKind kind);

// A mount in the vehicle: force over its static preload, at displacements about the static position.
class MountModel {
 public:
  virtual ~MountModel() = default;
  virtual double advance(const kdyn::Motion<double>& to, double h) = 0;  // returns the force, N
};

// What the simpler models are tuned for.
struct Layout {
  double spring_damper_hz = 10.0, spring_damper_amplitude = 1e-3;  // one frequency and one amplitude
  double linear_amplitude = 1e-4, linear_hydro_amplitude = 5e-4;   // one amplitude over all frequencies
};

// Models of one mount at one static load (N, negative: compressed), made once and handed to every run.
class MountMaker {
 public:
  MountMaker(const kdyn::Mount& mount, double load, const Layout& layout);
  // `factor` scales the force, for the scatter of parts.
  std::unique_ptr<MountModel> make(MountKind kind, double factor) const;
  double linear_misfit() const {
    return linear_misfit_;
  }  // of the linear model at its amplitude, norm of the difference over norm

 private:
  std::shared_ptr<const kdyn::Mount> mount_;
  double load_ = 0.0, linear_misfit_ = 0.0;
  double spring_ = 0.0, damper_ = 0.0;  // spring and damper
  // Linear: k0 + i w c + Maxwell elements, and for a hydro mount a spring in series with the mass and damping of the
  // fluid.
  double k0_ = 0.0, c_ = 0.0;
  std::vector<double> maxwell_stiffness_, maxwell_time_;
  double chamber_ = 0.0, fluid_mass_ = 0.0, fluid_damping_ = 0.0;
};

}  // namespace four_poster
