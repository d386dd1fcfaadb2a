// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/result_fields.hpp"

namespace kdyn::inline sysid {

const FieldTable& fields_of(const IdentifiedMode*) {
  using M = IdentifiedMode;
  static const FieldTable table = FieldTable::results<M>("identified mode", [](FieldTable& t) {
    t.add(&M::pole, "pole", "1/s", "Pole").archive_only();
    t.add(&M::frequency_hz, "frequency_hz", "Hz", "Natural frequency, |pole| / 2 pi");
    t.add(&M::damping, "damping", "-", "Damping ratio");
    t.add(&M::frequency_std_hz, "frequency_std_hz", "Hz", "Standard deviation of the frequency; 0: not computed");
    t.add(&M::damping_std, "damping_std", "-", "Standard deviation of the damping ratio; 0: not computed");
    t.add([](const M& m) { return m.pole.real(); }, "real", "1/s", "Real part of the pole");
    t.add([](const M& m) { return m.pole.imag(); }, "imag", "1/s", "Imaginary part of the pole");
    t.add(&M::phase_collinearity, "phase_collinearity", "-", "1: all points move in phase or against it");
    t.add(&M::contribution, "contribution", "-", "Norm of its own response over that of the data, in band");
    t.add(&M::gain, "gain", "-", "Growth of the cost without it");
    t.add(&M::seen_orders, "seen_orders", "-", "Orders of the stabilisation diagram it was seen in");
    t.add([](const M& m) { return Eigen::VectorXd(m.shape.real()); }, "shape_re", "-",
          "Mode shape at the outputs, real part");
    t.add([](const M& m) { return Eigen::VectorXd(m.shape.imag()); }, "shape_im", "-", "Imaginary part");
    t.add([](const M& m) { return Eigen::VectorXd(m.participation.real()); }, "participation_re", "-",
          "Participation of the inputs, real part");
    t.add([](const M& m) { return Eigen::VectorXd(m.participation.imag()); }, "participation_im", "-",
          "Imaginary part");
    t.add(&M::shape, "shape", "-", "Shape").archive_only();
    t.add(&M::participation, "participation", "-", "Participation").archive_only();
  });
  return table;
}

const FieldTable& fields_of(const DroppedCandidate*) {
  using D = DroppedCandidate;
  static const FieldTable table = FieldTable::results<D>("dropped candidate", [](FieldTable& t) {
    t.add(&D::frequency_hz, "frequency_hz", "Hz", "Frequency of the candidate");
    t.add(&D::damping, "damping", "-", "Its damping ratio");
    t.add(&D::reason, "reason", "-", "Why it is no mode");
  });
  return table;
}

const FieldTable& fields_of(const StateSpace*) {
  static const FieldTable table = FieldTable::results<StateSpace>("state space", [](FieldTable& t) {
    t.add(&StateSpace::A, "A", "-", "x' = A x + B u, by rows");
    t.add(&StateSpace::B, "B", "-", "Inputs");
    t.add(&StateSpace::C, "C", "-", "y = C x + D u");
    t.add(&StateSpace::D, "D", "-", "Direct term");
  });
  return table;
}

}  // namespace kdyn::inline sysid
