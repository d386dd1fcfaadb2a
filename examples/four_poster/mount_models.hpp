// SPDX-License-Identifier: Apache-2.0
// Three ways to model the same mount, behind one face: as simulated by kdyn, as a linear frequency-dependent element, as spring and damper.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kdyn/element/mount.hpp"

namespace four_poster {

enum class MountKind { spring_damper, linear, nonlinear };
inline constexpr MountKind all_kinds[] = {MountKind::spring_damper, MountKind::linear, MountKind::nonlinear};
const char* to_string(MountKind kind);

// A mount in the vehicle: force over its static preload, at displacements about the static position.
class MountModel {
 public:
  virtual ~MountModel() = default;
  virtual double advance(const kdyn::Motion<double>& to, double h) = 0;  // returns the force, N
};

// What the layout of the simpler models is made for.
struct Layout {
  double spring_damper_hz = 10.0, spring_damper_amplitude = 1e-3;  // tuned at one frequency and one amplitude
  double linear_amplitude = 1e-4;                                  // tuned at one amplitude over all frequencies
};

// `load` is the static force on the mount (N, negative: compressed); `factor` scales its force, for part scatter.
std::unique_ptr<MountModel> make_model(const kdyn::Mount& mount, MountKind kind, double load, double factor, const Layout& layout);

}  // namespace four_poster
