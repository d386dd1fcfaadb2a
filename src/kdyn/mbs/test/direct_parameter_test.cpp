// SPDX-License-Identifier: Apache-2.0
// Parameters of loads and drives, and the orientation of sensors. Oracle: differences of whole runs, direct sensitivity
// as a second formulation; closed forms of the signals.
#include <gtest/gtest.h>

#include <cmath>

#include "gradient_problem.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/sensors.hpp"

namespace kdyn::mbs {
namespace {

Sensor sensor(const std::string& name, SensorKind kind, const std::string& body) {
  Sensor s;
  s.name = name, s.kind = kind, s.body = body;
  s.position = {0.05, 0.1, -0.02};
  s.rotation = {0.4, 0.0, -0.3};
  s.turn = {0.03, -0.02, 0.01};
  return s;
}

// A block on two bushings, one of them on a table that is shaken up and down by a formula, and a bar on the block that
// a table of rows turns back and forth.
gradients::Problem shaken() {
  gradients::Problem p = gradients::block(gradients::linear_law, 0.12, 80.0);
  p.model.bodies[0].name = "block";
  p.model.bodies.push_back(cases::rigid(6.0, Vector3(0.1, 0.12, 0.15).asDiagonal(), {0.0, 0.0, 0.0}, {-0.2, 0.0, 0.0}));
  p.model.bodies[1].name = "table";
  p.model.connections[0].marker1 = p.model.add_marker(1, Vector3::Zero());
  Joint rail;
  rail.name = "rail", rail.kind = JointKind::translational;
  rail.marker1 = p.model.add_marker(-1, {-0.2, 0.0, 0.0}), rail.marker2 = p.model.add_marker(1, Vector3::Zero());
  p.model.joints.push_back(rail);
  Joint shaker = rail;
  shaker.name = "shaker", shaker.kind = JointKind::drive_translation, shaker.axis = 2;
  shaker.drive = TimeSignal("2e-3*sin(50*t) + 1e-3*(1 - cos(30*t))");
  shaker.drive.set_tuning({0.0, 1.2, 0.002, 0.9});
  p.model.joints.push_back(shaker);
  p.model.bodies.push_back(
      cases::rigid(2.0, Vector3(0.02, 0.03, 0.04).asDiagonal(), {0.05, 0.02, 0.01}, {0.0, 0.1, 0.1}));
  p.model.bodies[2].name = "bar";
  Joint hinge;
  hinge.name = "hinge", hinge.kind = JointKind::revolute;
  hinge.marker1 = p.model.add_marker(0, {0.0, 0.1, 0.1}), hinge.marker2 = p.model.add_marker(2, Vector3::Zero());
  p.model.joints.push_back(hinge);
  Joint motor = hinge;
  motor.name = "motor", motor.kind = JointKind::drive_rotation;
  Curve rows;
  for (int i = 0; i <= 60; ++i) rows.emplace_back(-0.01 + 0.004 * i, 0.3 * std::sin(25.0 * 0.004 * i) + 0.05);
  motor.drive = TimeSignal::motion(rows);
  motor.drive.set_tuning({0.0, 0.8, 0.001, 1.1});
  p.model.joints.push_back(motor);
  Sensor felt = sensor("felt", SensorKind::accelerometer, "bar"), force, moment;
  felt.gravity = true;
  force.name = "post", force.kind = SensorKind::force, force.of = "shaker";
  moment.name = "torque", moment.kind = SensorKind::moment, moment.of = "motor";
  for (const Sensor& s : {felt, sensor("gyro", SensorKind::gyro, "block"), force, moment})
    add_sensor(p.model, s, s.name);
  p.outputs.clear(), p.weights.clear();
  for (const SensorChannel& c : p.model.channels) {
    p.outputs.push_back(c.output);
    p.weights.push_back(c.sensor == 0 ? 1e-2 : c.sensor == 1 ? 1.0 : c.sensor == 2 ? 1e-4 : 1e-2);
  }
  p.outputs.push_back({.kind = OutputKind::reaction_moment, .index = 3, .component = 1, .own_axes = false});
  p.weights.push_back(1e-2);
  p.outputs.push_back({OutputKind::position, p.model.loads[0].marker, 2});
  p.weights.push_back(1e4);
  p.options.full_newton = true;
  p.options.max_iterations = 60;
  return p;
}

class DirectGradient : public ::testing::TestWithParam<bool> {};

// The limits are those asked for: 1e-10 between both exact formulations, 1e-7 against differences.
TEST_P(DirectGradient, SignalsAndOrientationsAgreeWithDifferences) {
  gradients::Problem p = shaken();
  p.options.static_start = GetParam();
  std::vector<Parameter> parameters;
  for (const int k : {0, 1, 2}) {
    parameters.push_back({Parameter::Kind::turn, k % 2, k});
    parameters.push_back({Parameter::Kind::signal, 0, k, 3});  // force z
    parameters.push_back({Parameter::Kind::signal, 0, k, 5});  // torque y
    parameters.push_back({Parameter::Kind::signal, 1, k, 0});  // shaker
    parameters.push_back({Parameter::Kind::signal, 3, k, 0});  // motor
  }
  parameters.push_back({Parameter::Kind::law, 2, 0});
  // How a drive that begins away from the given position moves the bodies depends on their masses, which is not
  // differentiated: at rest it does not.
  if (GetParam()) parameters.push_back({Parameter::Kind::mass, 2, 0});
  const gradients::Comparison c = gradients::compare(p, parameters, {1e-3}, 1);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, 1e-7);
}
INSTANTIATE_TEST_SUITE_P(Start, DirectGradient, ::testing::Bool());

// A sine with factor, shift and frequency is the sine written so.
TEST(TimeSignal, TuningIsWhatTheFormulaSays) {
  TimeSignal signal("3*sin(7*t + 0.2) + t^2");
  signal.set_tuning({0.0, 1.5, 0.1, 2.0});
  const TimeSignal written("1.5*(3*sin(7*(2*(t - 0.1)) + 0.2) + (2*(t - 0.1))^2)");
  for (const double t : {0.0, 0.13, 0.7}) {
    EXPECT_NEAR(signal(t), written(t), 1e-13);
    EXPECT_NEAR(signal.rate(t), written.rate(t), 1e-12);
    EXPECT_NEAR(signal.second_rate(t), written.second_rate(t), 1e-10);
  }
  EXPECT_EQ(signal_to_json(signal_from_json(signal_to_json(signal), "back")), signal_to_json(signal));
  // Rows of straight lines move in time.
  TimeSignal table(Curve{{0.0, 0.0}, {1.0, 2.0}, {2.0, 0.0}});
  table.set_tuning({0.0, 3.0, 0.5, 2.0});
  // Tables are read a hair (1e-12) later, so that jumps at steps are not missed.
  EXPECT_NEAR(table(1.0), 6.0, 1e-10);
  EXPECT_NEAR(table(0.75), 3.0, 1e-10);
  EXPECT_EQ(table.table()[2].first, 1.5);
}

// By differences over 1e-3 of sixth order: 1e-10 of the derivatives' size.
TEST(TimeSignal, ChangesAreDerivativesByTheParameters) {
  Curve rows;
  for (int i = 0; i <= 50; ++i) rows.emplace_back(0.02 * i, std::sin(5.0 * 0.02 * i) + 0.3 * std::cos(9.0 * 0.02 * i));
  std::vector<TimeSignal> signals = {TimeSignal("tanh(3*t) + exp(-t)*sqrt(1 + t)*tan(0.3*t) - log(2 + t)/(1 + t^3)"),
                                     TimeSignal::motion(rows)};
  for (TimeSignal& signal : signals)
    for (const int k : {0, 1, 2}) {
      const SignalTuning given{0.0, 0.7, 0.03, 1.2};
      const auto value = [&](double by, int derivative) {
        SignalTuning tuning = given;
        (k == 0 ? tuning.factor : k == 1 ? tuning.time_shift_s : tuning.frequency_factor) += by;
        signal.set_tuning(tuning);
        const double t = 0.431;
        return derivative == 0 ? signal(t) : derivative == 1 ? signal.rate(t) : signal.second_rate(t);
      };
      signal.set_tuning(given);
      const TimeSignal::Change change = signal.change(static_cast<SignalParameter>(k), 0.431);
      for (const int derivative : {0, 1, 2}) {
        const double h = 1e-3;
        const auto pair = [&](double f) { return value(f * h, derivative) - value(-f * h, derivative); };
        const double slope = (45.0 * pair(1) - 9.0 * pair(2) + pair(3)) / (60.0 * h);
        const double found = derivative == 0 ? change.value : derivative == 1 ? change.rate : change.second;
        // The spline of fifth degree has a third derivative with corners in its fifth.
        EXPECT_NEAR(found, slope, (signal.formula() != nullptr ? 1e-8 : 1e-6) * std::max(1.0, std::abs(slope)))
            << k << " " << derivative;
      }
    }
}

// The same drive as a formula, and as rows of its acceleration that are integrated: within the 2 % that are promised
// from three times the high-pass on, away from the ends.
TEST(TimeSignal, AccelerationsAreIntegratedToMotion) {
  Json rows = Json::array();
  // A burst: at rest before and after, and a sensor with an offset of 3 m/s^2.
  const Formula burst("1e-3*exp(-((t - 2)/0.4)^2)*sin(2*pi*5*(t - 2))", "burst");
  for (int i = 0; i <= 2000; ++i) rows.push_back(Json::array({0.002 * i, burst.rates(0.002 * i).second + 3.0}));
  Json model = read_json(std::string(KDYN_SOURCE_DIR) + "/examples/multibody/double_mass.json");
  model["joints"].push_back({{"name", "post"},
                             {"kind", "drive_translation"},
                             {"axis", "z"},
                             {"markers", Json::array({Json{{"body", "ground"}}, Json{{"body", "m1"}}})},
                             {"drive", {{"table", rows}, {"integrate", 2}, {"high_pass_hz", 0.5}}}});
  const ModelFile file = model_from_json(model, "model", "");
  const TimeSignal& drive = file.model.joints.back().drive;
  double largest = 0.0;
  for (double t = 1.0; t < 3.0; t += 0.0137) largest = std::max(largest, std::abs(drive(t) - burst(t).value));
  EXPECT_LT(largest, 0.02e-3);
  model["joints"].back()["drive"].erase("high_pass_hz");
  EXPECT_THROW(model_from_json(model, "model", ""), Error);
}

}  // namespace
}  // namespace kdyn::mbs
