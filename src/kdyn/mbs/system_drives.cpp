// SPDX-License-Identifier: Apache-2.0
// Joints that are driven: how their equations change with the motion that drives them.
//
//   [mbs E40]  translation: Phi = x_t - d. Rotation: Phi = E(d) : P with E_10 = cos d, E_00 = -sin d; its derivatives by d turn E by 90 degrees each
#include <cmath>

#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {
namespace {

// E(d) derived `order` times, as a product with P.
double turned_weights(double d, int order, const Matrix3& P) {
  const double angle = d + order * 0.5 * EIGEN_PI;
  return std::cos(angle) * P(1, 0) - std::sin(angle) * P(0, 0);
}

}  // namespace

int System::drive_row(int joint) const { return row_at_[at(joint)] < row_at_[at(joint) + 1] ? row_at_[at(joint)] : -1; }

void System::set_tuning(int joint, const SignalTuning& tuning) { model_.joints[at(joint)].drive.set_tuning(tuning); }
void System::set_tuning(int load, int component, const SignalTuning& tuning) {
  PointLoad& l = model_.loads[at(load)];
  (component < 3 ? l.force[at(component)] : l.torque[at(component - 3)]).set_tuning(tuning);
}

void System::add_drive_change(int joint, double value, double t, const VectorX& lambda, const Evaluation& e,
                              VectorX& full, VectorX& joints) const {
  const int row = drive_row(joint);
  if (row < 0) return;
  const Joint& j = model_.joints[at(joint)];
  if (j.kind == JointKind::drive_translation) {
    joints[row] -= value;
    return;
  }
  const Frame &one = e.frame[at(j.marker1)], &two = e.frame[at(j.marker2)];
  joints[row] += value * turned_weights(j.drive(t), 1, one.R.transpose() * two.R);
  Multipliers turned;
  turned.E(1, 0) = -std::sin(j.drive(t)) * value * lambda[row];
  turned.E(0, 0) = -std::cos(j.drive(t)) * value * lambda[row];
  FrameForce on_one, on_two;
  pull_back(one, two, turned, on_one, on_two);
  add_frame_force(j.marker1, on_one, full);
  add_frame_force(j.marker2, on_two, full);
}

// Phi_q v + Phi_t, and Phi_q v' + Phi_tt + 2 Phi_qt v + v^T Phi_qq v, with q, v, v' held.
void System::drive_rate_change(int joint, const TimeSignal::Change& d, const VectorX& vd, double t, const Evaluation& e,
                               VectorX& velocity, VectorX& acceleration) const {
  const int row = drive_row(joint);
  if (row < 0) return;
  const Joint& j = model_.joints[at(joint)];
  if (j.kind == JointKind::drive_translation) {
    velocity[row] -= d.rate;
    acceleration[row] -= d.second;
    return;
  }
  const double angle = j.drive(t), rate = j.drive.rate(t), second = j.drive.second_rate(t);
  const Frame &one = e.frame[at(j.marker1)], &two = e.frame[at(j.marker2)], &one_rate = e.rate[at(j.marker1)],
              &two_rate = e.rate[at(j.marker2)], one_second = frame_of(j.marker1, vd, true),
              two_second = frame_of(j.marker2, vd, true);
  const Matrix3 P = one.R.transpose() * two.R, P_rate = one_rate.R.transpose() * two.R + one.R.transpose() * two_rate.R,
                P_second = one_second.R.transpose() * two.R + one.R.transpose() * two_second.R +
                           2.0 * one_rate.R.transpose() * two_rate.R;
  const auto E = [&](int order, const Matrix3& with) { return turned_weights(angle, order, with); };
  velocity[row] += d.rate * E(1, P) + d.value * (rate * E(2, P) + E(1, P_rate));
  acceleration[row] +=
      d.second * E(1, P) + 2.0 * d.rate * (rate * E(2, P) + E(1, P_rate)) +
      d.value * (second * E(2, P) + rate * rate * E(3, P) + 2.0 * rate * E(2, P_rate) + E(1, P_second));
}

double System::moment_by_drive(const Output& output, const VectorX& lambda, double t, const Evaluation& e) const {
  const Joint& j = model_.joints[at(output.index)];
  const int row = drive_row(output.index);
  if (row < 0 || j.kind != JointKind::drive_rotation) return 0.0;
  const Frame &one = e.frame[at(j.marker1)], &two = e.frame[at(j.marker2)];
  Matrix3 turned = Matrix3::Zero();
  turned(1, 0) = -std::sin(j.drive(t)), turned(0, 0) = -std::cos(j.drive(t));
  const Vector3 c = output.own_axes ? Vector3(one.R.col(output.component)) : Vector3(Vector3::Unit(output.component));
  return -lambda[row] * c.dot(2.0 * vect(one.R * turned * two.R.transpose()));
}

void System::add_load(const PointLoad& load, Vector3 force, Vector3 torque, const Evaluation& e, VectorX& r) const {
  const Frame& frame = e.frame[at(load.marker)];
  if (load.follows) {
    force = frame.R * force;
    torque = frame.R * torque;
  }
  // [mbs E9] torque tau works on dR = skew(dtheta) R through G = skew(tau) R/2
  add_frame_force(load.marker, {force, 0.5 * skew(torque) * frame.R}, r);
}

int System::sensor_marker(int sensor) const {
  for (const SensorChannel& c : model_.channels)
    if (c.sensor == sensor && is_sensor(c.output)) return c.output.index;
  return -1;
}

void System::turn_sensor(int sensor, const Vector3& turn) {
  const int m = sensor_marker(sensor);
  Sensor& s = model_.sensors[at(sensor)];
  for (int k = 0; k < 3; ++k) s.turn[at(k)] = turn[k];
  if (m < 0) return;
  model_.markers[at(m)].R0 =
      given_markers_[at(m)].R0 * rotation_of(given_turns_[at(sensor)]).transpose() * rotation_of(turn);
}

}  // namespace kdyn::mbs
