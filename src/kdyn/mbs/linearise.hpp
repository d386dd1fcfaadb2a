// SPDX-License-Identifier: Apache-2.0
// A multibody model made linear about rest: modes with damping, and frequency responses from forces to outputs.
//
//   [mbs E22]  M xi'' + C xi' + K xi + F_w w + J^T dlambda = P u,  J xi = 0,  w' = H_x X xi + H_v X xi' + H_w w
//   [mbs E23]  with xi = Z z, J Z = 0:  x = (z, z', w),  x' = A x + B u,  y = Cx + D u
// M, C, K are the reduced matrices of [mbs E7]; loads at rest (weight, preload, reactions) enter K. Laws act with their
// slopes at rest: friction is that of vanishing amplitude, where it is stiffest and loses nothing. The time of loads
// and drivers is t = 0.
//   [mbs E29]  frequency response: [-w^2 M + i w C + K + F_w (i w - H_w)^-1 (H_x + i w H_v), J^T; J, 0] [xi; lambda] = [P u; -Phi_d d] for forces u
//   and
//              motions d of driven joints
// Valid for small motion about rest: no gyroscopic terms. A model that moves at its start, or is driven there, is
// refused.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::mbs {

// A unit force (component 0..2, N) or torque (3..5, N m) on a marker, in global axes.
// Or the motion of a driven joint (m or rad) when `joint` is given.
struct LinearInput {
  int marker = 0;
  int component = 0;
  int joint = -1;
};

struct LinearModel {
  RunStatus status = RunStatus::done;
  std::string reason;  // for a person, when there is no operating point
  RunState at;         // operating point, at rest
  MatrixX A, B, C, D;  // [mbs E23]; outputs are deviations from their values at rest. Inputs that are forces; columns
                       // of others are zero
  MatrixX Z;           // tangents x free motions: what the joints leave
  MatrixX mass, damping, stiffness;  // of the free motions, without the states of laws
  // Of all tangents  [mbs E29]
  MatrixX M, K, Cv, J, Fw, Hx, Hv, Hw, P, drive;   // drive: -Phi_d
  MatrixX from_x, from_v, from_a, from_w, from_u;  // outputs by xi, xi', xi'', w, and (reactions) by forces
};

struct LinearMode {
  std::complex<double> eigenvalue;  // 1/s
  double frequency_hz = 0.0;        // |eigenvalue|/(2 pi)
  double damping_ratio = 0.0;       // -Re/|eigenvalue|; 1 for a motion that does not oscillate
  Eigen::VectorXcd shape;           // tangents xi, largest entry 1
};

// Rest is the static equilibrium, or the assembled position of the model (`static_start` false), which must then be
// one. Errors when the model moves at its start, is driven there, or does not stay where it is.
LinearModel linearise(const System& system, bool static_start, const std::vector<LinearInput>& inputs,
                      const std::vector<Output>& outputs);

// Oscillating motions by rising frequency, each once; then real eigenvalues that belong to motion of bodies or states.
std::vector<LinearMode> modes(const LinearModel& model);

// Motion of a marker in a mode: translation and rotation (rad), global axes.
Eigen::Matrix<std::complex<double>, 6, 1> marker_motion(const System& system, const LinearModel& model,
                                                        const LinearMode& mode, int marker);

// y = H u at a frequency: outputs x inputs.  [mbs E29]
Eigen::MatrixXcd frequency_response(const LinearModel& model, double frequency_hz);

}  // namespace kdyn::mbs
