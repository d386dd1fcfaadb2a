// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/direct_parameters.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/internal/geometry.hpp"
#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/internal/sensor_output.hpp"

namespace kdyn::mbs {
const TimeSignal& signal_of(const Model& model, const Parameter& p) {
  if (p.side == 0) return model.joints[at(p.index)].drive;
  const PointLoad& load = model.loads[at(p.index)];
  return p.side < 4 ? load.force[at(p.side - 1)] : load.torque[at(p.side - 4)];
}

TimeSignal::Change signal_change(const Model& model, const Parameter& p, double t) {
  return signal_of(model, p).change(static_cast<SignalParameter>(p.law_parameter), t);
}

void set_direct(System& system, const Parameter& p, double value) {
  if (p.kind == Parameter::Kind::turn) {
    if (!(std::abs(value) < 2.0 * EIGEN_PI))
      throw_bad_input("turn of sensor " + system.model().sensors[at(p.index)].name,
                      fmt::format("{} rad is more than one turn", value), "give radians");
    Vector3 turn(system.model().sensors[at(p.index)].turn.data());
    turn[p.law_parameter] = value;
    system.turn_sensor(p.index, turn);
    return;
  }
  SignalTuning tuning = signal_of(system.model(), p).tuning();
  const auto of = static_cast<SignalParameter>(p.law_parameter);
  if (!std::isfinite(value) || (of == SignalParameter::frequency_factor && !(value > 0.0)))
    throw_bad_input("signal", fmt::format("{} cannot be used", value), "give a finite number; frequencies above 0");
  (of == SignalParameter::factor       ? tuning.factor
   : of == SignalParameter::time_shift ? tuning.time_shift_s
                                       : tuning.frequency_factor) = value;
  if (p.side == 0)
    system.set_tuning(p.index, tuning);
  else
    system.set_tuning(p.index, p.side - 1, tuning);
}

// [mbs E40]
void add_direct(const System& system, const Parameter& p, double t, const VectorX& lambda, const Evaluation& e,
                VectorX& full, VectorX& joints) {
  if (!is_signal(p)) return;
  const TimeSignal::Change change = signal_change(system.model(), p, t);
  if (p.side == 0) {
    system.add_drive_change(p.index, change.value, t, lambda, e, full, joints);
    return;
  }
  const PointLoad& load = system.model().loads[at(p.index)];
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
  (p.side < 4 ? force : torque)[(p.side - 1) % 3] = -change.value;
  system.add_load(load, force, torque, e, full);
}

double output_by_parameter(const System& system, const Parameter& p, const Output& o, const RunState& state,
                           const Evaluation& e) {
  if (!is_sensor(o)) return 0.0;
  if (is_drive(p) && o.index == p.index && o.kind == OutputKind::reaction_moment)
    return signal_change(system.model(), p, state.t).value * system.moment_by_drive(o, state.lambda, state.t, e);
  if (p.kind != Parameter::Kind::turn || o.index != system.sensor_marker(p.index) ||
      o.kind == OutputKind::reaction_force || o.kind == OutputKind::reaction_moment || o.kind == OutputKind::modal)
    return 0.0;
  // [mbs E41]
  const OutputSlope slope = sensor_slope(system, o, state, e);
  const std::array<double, 3>& turn = system.model().sensors[at(p.index)].turn;
  const Matrix3 by = skew(left_jacobian(-Vector3(turn.data())).col(p.law_parameter));
  return slope.by_one.G.cwiseProduct(e.frame[at(o.index)].R * by).sum() +
         slope.by_rate.G.cwiseProduct(e.rate[at(o.index)].R * by).sum();
}

VectorX closing_change(const System& system, const RunOptions& options, int joint) {
  // Sixth-order differences: the position is closed to 1e-13, and bends over lengths of a decimetre and more.
  constexpr double step = 2e-3;
  constexpr double weight[3] = {45.0, -9.0, 1.0};
  System moved = system;
  const SignalTuning given = system.model().joints[at(joint)].drive.tuning();
  VectorX sum = VectorX::Zero(system.coordinates());
  for (int k = 1; k <= 3; ++k)
    for (const int side : {1, -1}) {
      SignalTuning tuning = given;
      tuning.offset += side * k * step;
      moved.set_tuning(joint, tuning);
      VectorX q;
      if (!Run(moved, options).assemble(q)) return {};
      sum += side * weight[k - 1] * q;
    }
  VectorX q, xi;
  if (!Run(system, options).assemble(q)) return {};
  system.body_velocity(q, sum / (60.0 * step), xi);
  return xi;
}

}  // namespace kdyn::mbs
