// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of what a run computed: the discrete adjoint of the very scheme that ran, and the direct (forward)
// sensitivity.
//
// Outputs are numbers measured at every step; an objective is known by its derivative with respect to them. The adjoint
// costs about one run for any number of parameters, the direct method one linear solve per step and parameter but gives
// the whole Jacobian. Both pass through law states, friction memory (turning points inside a step included) and a
// static start. Memory: every state of the run is kept, 8 (4 n_q + n_lambda + 3 n_w) bytes and the laws' memories per
// step; checkpoints.hpp bounds it. Steps of any length: the derivatives are those of the steps that were taken, their
// choice is not differentiated.
//
//   [mbs E15]  multipliers p, r, s of the updates of q, v, a, and mu, nu, eta of [mbs E3]; all zero after the last step
//   [mbs E16]  T^T [m; nu] = N^T (p+ - J_q - p0), mu = N m, with T of [mbs E7] and states condensed as in [mbs E21]
//   [mbs E17]  memory: bars of m_n pass back through [mbs E20] to the motion of both ends of the step, to m_(n-1) and to the parameters
// Not differentiated: the choice of the time step.
#pragma once

#include <string>
#include <vector>

#include "kdyn/mbs/checkpoints.hpp"

namespace kdyn::mbs {

double output_value(const System& system, const Output& output, const RunState& state, const Evaluation& e);

struct Parameter {
  // position, orientation: of a bushing, measured from how the model gives its markers (Connection::shift, turn,
  // marker_shift)  [mbs E24]
  // inertia, centre: of a rigid body in its own axes, about the centre of mass; modal_damping: factor on the damping of
  // a flexible body's modes as the model gives it
  // signal: of a drive or a load  [mbs E40]; turn: of a sensor against how it was meant to sit  [mbs E41]
  enum class Kind { law, mass, position, orientation, inertia, centre, modal_damping, signal, turn };
  Kind kind = Kind::law;
  int index = 0;          // axis of the system, body, connection, joint or load, sensor
  int law_parameter = 0;  // law: index in parameter_names(); signal: SignalParameter; else axis 0..2
  int side = 0;  // position: of both markers, or of marker 1 or 2 alone; signal: 0 drive, 1..3 force, 4..6 torque
};

double parameter_value(const System& system, const Parameter& parameter);
// Errors when the value is outside the bounds of the law's parameter, or a mass is not above 0.
// Laws are shared with the model the system was made from: copy the laws (clone_laws) for independent systems.
void set_parameter(System& system, const Parameter& parameter, double value);
void clone_laws(Model& model);

struct GradientResult {
  bool complete = false;  // false: a factorisation failed
  VectorX gradient;
};

// y_bar(j, n) = d objective / d output j at step n.
GradientResult adjoint_gradient(const System& system, const RunOptions& options, const History& history,
                                const std::vector<Output>& outputs, const MatrixX& y_bar,
                                const std::vector<Parameter>& parameters);

// The same with states from elsewhere, such as checkpoints.
GradientResult adjoint_gradient(const System& system, const RunOptions& options, Trajectory& states,
                                const std::vector<Output>& outputs, const MatrixX& y_bar,
                                const std::vector<Parameter>& parameters);

// Jacobian of every output at every step: result[n] is outputs x parameters. Only the first `states` of the history are
// taken when given.
struct JacobianResult {
  bool complete = false;
  std::vector<MatrixX> jacobian;
};
JacobianResult forward_sensitivity(const System& system, const RunOptions& options, const History& history,
                                   const std::vector<Output>& outputs, const std::vector<Parameter>& parameters,
                                   std::size_t states = static_cast<std::size_t>(-1));

}  // namespace kdyn::mbs
