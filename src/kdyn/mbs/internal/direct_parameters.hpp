// SPDX-License-Identifier: Apache-2.0
// Parameters that act at every instant by themselves, without laws, masses or places between: signals of loads and
// drives, and the orientation of sensors.
//
//   [mbs E40]  a load changes equilibrium by -dF, a drive its joint equation by Phi_d dd and, where its weights turn with it, equilibrium
//              by d(Phi_q^T)/dd lambda; the rates of a drive enter at the start
//   [mbs E41]  a sensor that is turned by exp(skew(turn)) against how it was meant: dR = R skew(J_r(turn) e_i), the same for its rate
#pragma once

#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::mbs {

inline bool is_signal(const Parameter& p) { return p.kind == Parameter::Kind::signal; }
inline bool is_drive(const Parameter& p) { return is_signal(p) && p.side == 0; }
inline bool is_direct(const Parameter& p) { return is_signal(p) || p.kind == Parameter::Kind::turn; }

const TimeSignal& signal_of(const Model& model, const Parameter& parameter);
// Change of the signal with its parameter.
TimeSignal::Change signal_change(const Model& model, const Parameter& parameter, double t);

void set_direct(System& system, const Parameter& parameter, double value);

// Adds what a signal's parameter changes in r of [mbs E3] and in the joint equations (sized and set by the caller).
void add_direct(const System& system, const Parameter& parameter, double t, const VectorX& lambda, const Evaluation& e,
                VectorX& full, VectorX& joints);
// What an output shows otherwise though nothing moves otherwise.
double output_by_parameter(const System& system, const Parameter& parameter, const Output& output,
                           const RunState& state, const Evaluation& e);

// Tangents of the position in which a run begins without a static start, for one unit of a drive's first value: joints
// are closed anew. Empty when they cannot be.
VectorX closing_change(const System& system, const RunOptions& options, int joint);

}  // namespace kdyn::mbs
