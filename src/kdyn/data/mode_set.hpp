// SPDX-License-Identifier: Apache-2.0
// Modes of a structure: poles, shapes over one common list of degrees of freedom, and the geometry to draw them on.
//
// A pole is lambda = -zeta omega_0 + i omega_0 sqrt(1 - zeta^2) in rad/s (upper half plane for a vibration mode).
// Shapes are translations in m and rotations in rad per unit modal coordinate; how they are scaled is said by
// `scaling`.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/dof.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/geometry.hpp"

namespace kdyn::inline data {

enum class ModeScaling {
  unknown,
  unit_modal_mass,  // real modes: phi^T M phi = 1
  unit_modal_a,     // complex modes: modal A = 1, residue = phi phi^T
  as_given,         // modal_mass or modal_a of each mode says
};

struct Mode {
  std::complex<double> pole;                // rad/s
  std::vector<std::complex<double>> shape;  // one value per degree of freedom of the set
  double modal_mass = 0.0;                  // kg; 0 unknown (real modes)
  std::complex<double> modal_a;             // 0 unknown (complex modes)
  std::string name;

  double frequency_hz() const;   // |pole| / 2 pi, undamped
  double damping_ratio() const;  // -Re pole / |pole|
};

std::complex<double> pole_of(double frequency_hz, double damping_ratio);

struct ModeSet {
  std::string name;
  ModeScaling scaling = ModeScaling::unknown;
  bool complex_shapes = false;
  std::vector<Dof> dofs;
  std::vector<Mode> modes;
  Geometry geometry;
  Source source;
  std::vector<Finding> findings;
};

}  // namespace kdyn::inline data
