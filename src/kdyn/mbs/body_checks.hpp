// SPDX-License-Identifier: Apache-2.0
// Whether a body can be computed: its mass about every axis, rigid content of its modes, spin against its first elastic
// frequency.
//
//   [mbs E32]  mass at rest [M_RR, M_Rd; M_dR, M_dd] of rigid motion and modes, read off G; content = largest eigenvalue of
//              M_RR^-1 M_Rd M_dd^-1 M_dR: the share of a mode combination that a rigid motion explains, 1 when it is one
// A clamped body may come near to 1 with many modes; only what rounding cannot tell from 1 is refused.
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/mbs/model.hpp"

namespace kdyn::mbs {

struct MassAtRest {
  Eigen::Matrix<double, 6, 6> rigid;
  Eigen::Matrix<double, 6, Eigen::Dynamic> coupling;
  MatrixX modal;
};
MassAtRest mass_at_rest(const MatrixX& G);

// Largest share of rigid motion in a combination of the modes, and that combination (unit modal mass).
struct RigidContent {
  double share = 0.0;
  VectorX combination;
};
RigidContent rigid_content(const MassAtRest& mass);

// With the body frame held, rad/s; 0 without modes.
double first_elastic_frequency(const Body& body);

// Throws naming `where`, cause and remedy when the body's mass is singular or its numbers contradict each other.
void require_regular_mass(const Body& body, const std::string& where);

// Modes close to rigid motion, modes without stiffness, spin at the start.
std::vector<Finding> check_bodies(const Model& model);

// A body that spins faster than 0.3 of its first elastic frequency: linear modes soften by (spin/frequency)^2 where the
// real body stiffens.
inline constexpr double fastest_spin = 0.3;
Finding spin_finding(const Body& body, double spin_rad_s, double frequency_rad_s);

}  // namespace kdyn::mbs
