// SPDX-License-Identifier: Apache-2.0
// What sensors show, against mechanics by hand; their derivatives, against differences of whole runs.
#include <gtest/gtest.h>

#include <cmath>

#include "gradient_problem.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/mbs/linearise.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/sensors.hpp"

namespace kdyn::mbs {
namespace {

Sensor sensor(const std::string& name, SensorKind kind) {
  Sensor s;
  s.name = name;
  s.kind = kind;
  return s;
}
Sensor on_body(const std::string& name, SensorKind kind, const std::string& body, std::array<double, 3> position) {
  Sensor s = sensor(name, kind);
  s.body = body;
  s.position = position;
  return s;
}
Sensor between(const std::string& name, SensorKind kind, const std::string& one, const std::string& two) {
  Sensor s = sensor(name, kind);
  s.markers = {one, two};
  return s;
}
Sensor load_of(const std::string& name, SensorKind kind, const std::string& of) {
  Sensor s = sensor(name, kind);
  s.of = of;
  return s;
}

constexpr double g = 9.81, mass = 3.0, arm = 0.4, inertia = 0.05;

// A bar that swings about z of the ground; angle theta of its x axis against global x, weight along -y.
Model pendulum() {
  Model model;
  model.gravity = {0.0, -g, 0.0};
  model.bodies.push_back(cases::rigid(mass, Vector3(0.01, inertia, inertia).asDiagonal(), {arm, 0.0, 0.0}));
  model.bodies.back().name = "bar";
  Joint hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::revolute;
  hinge.marker1 = model.add_marker(-1, Vector3::Zero(), Matrix3::Identity(), "ground");
  hinge.marker2 = model.add_marker(0, Vector3::Zero(), Matrix3::Identity(), "pivot");
  model.joints.push_back(hinge);
  model.add_marker(0, {0.7, 0.0, 0.0}, Matrix3::Identity(), "tip");
  model.add_marker(-1, {0.2, 1.0, 0.0}, Matrix3::Identity(), "post");
  return model;
}

TEST(MultibodySensor, ShowWhatMechanicsSays) {
  Model model = pendulum();
  Sensor felt = on_body("felt", SensorKind::accelerometer, "bar", {0.5, 0.0, 0.0});
  felt.gravity = true;
  add_sensor(model, felt, "sensors[0]");
  add_sensor(model, on_body("plain", SensorKind::accelerometer, "bar", {0.5, 0.0, 0.0}), "sensors[1]");
  Sensor turned = felt;  // its x axis is y of the bar
  turned.name = "turned";
  turned.rotation = {0.0, 0.0, 0.5 * M_PI};
  add_sensor(model, turned, "sensors[2]");
  add_sensor(model, on_body("gyro", SensorKind::gyro, "bar", {0.1, 0.0, 0.0}), "sensors[3]");
  add_sensor(model, between("angle", SensorKind::angle, "ground", "pivot"), "sensors[4]");
  add_sensor(model, between("travel", SensorKind::displacement, "ground", "tip"), "sensors[5]");
  add_sensor(model, between("pot", SensorKind::string_pot, "post", "tip"), "sensors[6]");
  add_sensor(model, load_of("cell", SensorKind::force, "hinge"), "sensors[7]");
  add_sensor(model, load_of("torque", SensorKind::moment, "hinge"), "sensors[8]");
  const System system(model);
  RunOptions options;
  options.step_s = 1e-4;
  options.duration_s = 0.5;
  const auto value = [&](const RunState& s, const Evaluation& e, const std::string& name) {
    for (const SensorChannel& c : model.channels)
      if (c.name == name) return output_value(system, c.output, s, e);
    ADD_FAILURE() << name;
    return 0.0;
  };
  // Joints hold the position; the acceleration along them errs with the square of the step: (3 rad/s * 1e-4 s)^2 and
  // the first steps, of some 1e-4 of g.
  const double near = 5e-3;
  int n = 0;
  simulate(
      system, options,
      [&](const RunState& s, const Evaluation& e) {
        if (++n < 20) return;
        const double theta = std::atan2(e.frame[1].R(1, 0), e.frame[1].R(0, 0)),
                     omega = vect(e.frame[1].R.transpose() * e.rate[1].R).z(),
                     alpha = -mass * g * arm * std::cos(theta) / (inertia + mass * arm * arm);
        EXPECT_NEAR(value(s, e, "angle"), theta, 1e-12);
        EXPECT_NEAR(value(s, e, "gyro.z"), omega, 1e-9);
        EXPECT_NEAR(value(s, e, "plain.x"), -omega * omega * 0.5, near);
        EXPECT_NEAR(value(s, e, "plain.y"), alpha * 0.5, near);
        EXPECT_NEAR(value(s, e, "felt.x"), -omega * omega * 0.5 + g * std::sin(theta), near);
        EXPECT_NEAR(value(s, e, "felt.y"), alpha * 0.5 + g * std::cos(theta), near);
        EXPECT_NEAR(value(s, e, "turned.x"), value(s, e, "felt.y"), 1e-9);
        EXPECT_NEAR(value(s, e, "turned.y"), -value(s, e, "felt.x"), 1e-9);
        EXPECT_NEAR(value(s, e, "travel.x"), 0.7 * std::cos(theta), 1e-9);
        EXPECT_NEAR(value(s, e, "pot"), std::hypot(0.7 * std::cos(theta) - 0.2, 0.7 * std::sin(theta) - 1.0), 1e-9);
        // Newton for the bar: the hinge carries m (a - g) of its centre of mass.
        const double ax = -omega * omega * arm, ay = alpha * arm;
        EXPECT_NEAR(value(s, e, "cell.x"), mass * (ax * std::cos(theta) - ay * std::sin(theta)), 5.0 * near);
        EXPECT_NEAR(value(s, e, "cell.y"), mass * (ax * std::sin(theta) + ay * std::cos(theta) + g), 5.0 * near);
        EXPECT_NEAR(value(s, e, "torque.x"), 0.0, 1e-6);
      },
      silent_progress());
  EXPECT_EQ(n, 5001);
}

// The block on two bushings with a bar that hangs on it by a hinge, and every kind of sensor.
gradients::Problem sensed() {
  gradients::Problem p = gradients::block(gradients::linear_law, 0.15, 80.0);
  p.model.bodies[0].name = "block";
  p.model.bodies.push_back(
      cases::rigid(4.0, Vector3(0.02, 0.05, 0.04).asDiagonal(), {0.0, 0.02, -0.2}, {0.1, 0.0, -0.05}));
  p.model.bodies[1].name = "bar";
  Matrix3 along_y;
  along_y.col(0) = Vector3::UnitZ(), along_y.col(1) = Vector3::UnitX(), along_y.col(2) = Vector3::UnitY();
  Joint hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::revolute;
  hinge.marker1 = p.model.add_marker(0, {0.1, 0.0, -0.05}, along_y);
  hinge.marker2 = p.model.add_marker(1, Vector3::Zero(), along_y);
  p.model.joints.push_back(hinge);
  p.model.add_marker(0, {0.1, 0.1, 0.0}, Matrix3::Identity(), "top");
  p.model.add_marker(1, {0.02, 0.0, -0.3}, Matrix3::Identity(), "low");
  Sensor felt = on_body("felt", SensorKind::accelerometer, "bar", {0.01, 0.02, -0.3});
  felt.gravity = true;
  felt.rotation = {0.3, -0.2, 0.5};
  std::vector<Sensor> sensors = {felt,
                                 on_body("gyro", SensorKind::gyro, "block", {0.0, 0.0, 0.0}),
                                 between("angle", SensorKind::angle, "top", "low"),
                                 between("travel", SensorKind::displacement, "top", "low"),
                                 between("pot", SensorKind::string_pot, "top", "low"),
                                 load_of("cell", SensorKind::force, "hinge"),
                                 load_of("torque", SensorKind::moment, "hinge"),
                                 load_of("mount", SensorKind::force, "left")};
  sensors[2].axes = "y";
  for (const Sensor& s : sensors) add_sensor(p.model, s, s.name);
  p.outputs.clear(), p.weights.clear();
  for (const SensorChannel& c : p.model.channels) {
    p.outputs.push_back(c.output);
    const SensorKind kind = p.model.sensors[static_cast<std::size_t>(c.sensor)].kind;
    p.weights.push_back(kind == SensorKind::force           ? 1e-4
                        : kind == SensorKind::accelerometer ? 1e-2
                        : kind == SensorKind::moment        ? 1e-2
                        : kind == SensorKind::gyro          ? 1.0
                                                            : 1e3);
  }
  // Global axes as well.
  p.outputs.push_back({.kind = OutputKind::spin, .index = hinge.marker2, .component = 1, .own_axes = false});
  p.weights.push_back(1.0);
  for (const int k : {0, 1, 2}) {
    p.outputs.push_back({.kind = OutputKind::reaction_moment, .index = 0, .component = k, .own_axes = false});
    p.weights.push_back(1e-2);
  }
  p.options.full_newton = true;
  return p;
}

class SensorGradient : public ::testing::TestWithParam<bool> {};

// The limits are those asked for: 1e-10 between both exact formulations, 1e-7 against differences.
TEST_P(SensorGradient, AdjointForwardAndDifferencesAgree) {
  gradients::Problem p = sensed();
  p.options.static_start = GetParam();
  std::vector<Parameter> parameters = gradients::every_fifth(gradients::law_parameters(p.model, {}));
  parameters.push_back({Parameter::Kind::mass, 0, 0});
  parameters.push_back({Parameter::Kind::mass, 1, 0});
  for (const int k : {0, 1, 2}) {
    parameters.push_back({Parameter::Kind::inertia, k % 2, k});
    parameters.push_back({Parameter::Kind::centre, 1, k});
  }
  const gradients::Comparison c = gradients::compare(p, parameters, {1e-3}, 1);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, 1e-7);
}
INSTANTIATE_TEST_SUITE_P(Start, SensorGradient, ::testing::Bool());

// Oracle: the sensor itself at a position moved along each tangent; nothing else is at work there.
TEST(MultibodySensor, LinearRowsAreTheSlopesAtRest) {
  gradients::Problem p = sensed();
  std::vector<Output> outputs;
  for (const Output& o : p.outputs)
    if (o.kind != OutputKind::reaction_force && o.kind != OutputKind::reaction_moment && is_sensor(o))
      outputs.push_back(o);
  p.model.loads.clear();
  const System system(p.model);
  const LinearModel linear = linearise(system, true, {}, outputs);
  ASSERT_EQ(linear.status, RunStatus::done);
  for (std::size_t j = 0; j < outputs.size(); ++j)
    for (int t = 0; t < system.tangents(); ++t) {
      const auto at = [&](double step) {
        RunState s = linear.at;
        VectorX q = s.q;
        system.retract(q, step * VectorX::Unit(system.tangents(), t));
        s.q = q, s.v.setZero(), s.vd.setZero();
        Evaluation e;
        system.place(s.q, s.v, e);
        return output_value(system, outputs[j], s, e);
      };
      // Central difference over 1e-4: the curvature of rotations leaves 1e-8, rounding 1e-11.
      const double slope = (at(1e-4) - at(-1e-4)) / 2e-4;
      EXPECT_NEAR(linear.from_x(static_cast<Eigen::Index>(j), t), slope, 1e-6 * std::max(1.0, std::abs(slope)));
    }
}

// A slow force on a hanging bar is carried by its hinge.
TEST(MultibodySensor, SlowForcesAreCarriedByTheHinge) {
  Model model = pendulum();
  model.bodies[0].rotation = Eigen::AngleAxisd(-0.5 * M_PI, Vector3::UnitZ()).toRotationMatrix();
  add_sensor(model, load_of("cell", SensorKind::force, "hinge"), "sensors[0]");
  std::vector<Output> outputs;
  for (const SensorChannel& c : model.channels) outputs.push_back(c.output);
  const System system(model);
  const LinearModel linear = linearise(system, true, {{2, 0}, {2, 1}, {2, 2}}, outputs);
  ASSERT_EQ(linear.status, RunStatus::done);
  const Eigen::MatrixXcd H = frequency_response(linear, 1e-4);
  // Sideways the weight turns with the bar: a push at the tip, 0.7 m, is balanced by weight at 0.4 m, the hinge by -1.
  EXPECT_NEAR(H(0, 0).real(), -1.0, 1e-6);
  EXPECT_NEAR(H(1, 1).real(), -1.0, 1e-6);
  EXPECT_NEAR(H(2, 2).real(), -1.0, 1e-6);
  EXPECT_NEAR(std::abs(H(0, 1)) + std::abs(H(1, 0)), 0.0, 1e-6);
}

TEST(MultibodySensor, WrongDescriptionsAreNamed) {
  const auto message = [](const Sensor& s) -> std::string {
    Model model = pendulum();
    try {
      add_sensor(model, s, "sensors[0]");
    } catch (const Error& e) {
      return e.where() + ": " + e.message();
    }
    return "";
  };
  EXPECT_NE(message(on_body("a", SensorKind::accelerometer, "baar", {0, 0, 0})).find("sensors[0].body"),
            std::string::npos);
  EXPECT_NE(message(between("a", SensorKind::angle, "ground", "pivt")).find("sensors[0].markers[1]"),
            std::string::npos);
  EXPECT_NE(message(load_of("a", SensorKind::force, "hinges")).find("sensors[0].of"), std::string::npos);
  Model model = pendulum();
  add_sensor(model, on_body("a", SensorKind::gyro, "bar", {0, 0, 0}), "sensors[0]");
  EXPECT_THROW(add_sensor(model, on_body("a", SensorKind::gyro, "bar", {0, 0, 0}), "sensors[1]"), Error);
  Sensor again = on_body("a", SensorKind::gyro, "bar", {0, 0, 0});
  again.axes = "z";
  set_sensor(model, again, "sensors[0]");
  EXPECT_EQ(model.channels.size(), 1U);
}

}  // namespace
}  // namespace kdyn::mbs
