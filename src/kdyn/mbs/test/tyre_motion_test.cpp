// SPDX-License-Identifier: Apache-2.0
// Tyres that slip: against first-order lags, the equations of a towed wheel, the balance of energy and momentum, modes
// of a standing one, and gradients against differences.
#include <gtest/gtest.h>

#include <cmath>

#include "gradient_problem.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/mbs/linearise.hpp"
#include "kdyn/mbs/run_snapshot.hpp"
#include "tyre_cases.hpp"

namespace kdyn::mbs {
namespace {

using namespace tyres;

// A wheel that is pulled along at a slip angle: s' = V sin - V cos s/sigma, s = sigma tan(alpha) (1 - exp(-V cos t/sigma)).
TEST(Tyre, RelaxationIsALagOfFirstOrder) {
  const double V = 10.0, angle = 0.05, sigma = 0.4, C = 5e4;
  const Json model = {
      {"run", {{"step_s", 1e-4}, {"duration_s", 0.2}}},
      {"bodies",
       {{{"name", "wheel"},
         {"mass", 10},
         {"inertia", {1, 1, 1}},
         {"position", {0, 0, 0.28}},
         {"rotation", {0, 0, angle}},
         {"velocity", {V, 0, 0}}}}},
      {"joints",
       {{{"name", "rail"},
         {"kind", "translational"},
         {"markers",
          {{{"body", "ground"}, {"position", {0, 0, 0.28}}, {"rotation", {0, pi / 2, 0}}},
           {{"body", "wheel"},
            {"rotation",
             {{0, std::sin(angle), std::cos(angle)}, {0, std::cos(angle), -std::sin(angle)}, {-1, 0, 0}}}}}}},
        {{"name", "pull"},
         {"kind", "drive_translation"},
         {"axis", "x"},
         {"markers", {{{"body", "ground"}}, {{"body", "wheel"}}}},
         {"drive", "10*t"}}}},
      {"tyres",
       {{{"name", "tyre"},
         {"body", "wheel"},
         {"radius", 0.3},
         {"stiffness", 2e5},
         {"slip", {{"lateral_stiffness", C}, {"lateral_relaxation", sigma}, {"friction", 1e4}}}}}}};
  Json given = model;
  given["bodies"][0]["rotation"] = {0, 0, angle};
  given["joints"][0]["markers"][1]["rotation"] = {
      {0, std::sin(angle), std::cos(angle)}, {0, std::cos(angle), -std::sin(angle)}, {-1, 0, 0}};
  const Record r = run_of(given);
  for (std::size_t i = 0; i < r.time.size(); ++i) {
    const double expected = C * std::tan(angle) * (1.0 - std::exp(-V * std::cos(angle) * r.time[i] / sigma));
    // Order two in h V/sigma: (2.5e-3)^2 of the force; the wheel heads to the left and is pulled to the left.
    EXPECT_NEAR(r.signal.at("tyre.fy")[i], expected, 2e-5 * C * angle) << r.time[i];
    EXPECT_NEAR(r.signal.at("tyre.fz")[i], 2e5 * 0.02, 1e-6);
  }
}

// A wheel on a trailing arm that is towed along x, free to swing: with the swing psi and the deflection s,
//   I psi'' = -a C s/sigma,  s' = V psi + a psi' - V s/sigma   (small angles, no mass at the tyre).
// The run is compared with the exact solution of these three equations (Taylor steps far below its own).
TEST(Tyre, ATowedWheelSwingsAsItsEquations) {
  const double V = 8.0, a = 0.25, sigma = 0.35, C = 4e4, start = 1e-3, mass = 10.0, J = 0.4;
  const Json model = {
      {"run", {{"step_s", 5e-5}, {"duration_s", 0.4}, {"tolerance", 1e-12}}},
      {"bodies",
       {{{"name", "arm"},
         {"mass", mass},
         {"inertia", {J, J, J}},
         {"position", {-a * std::cos(start), -a * std::sin(start), 0.28}},
         {"rotation", {0, 0, start}},
         {"velocity", {V, 0, 0}}},
        {{"name", "hitch"}, {"mass", 1}, {"inertia", {1, 1, 1}}, {"position", {0, 0, 0.28}}, {"velocity", {V, 0, 0}}}}},
      {"joints",
       {{{"name", "rail"},
         {"kind", "translational"},
         {"markers",
          {{{"body", "ground"}, {"position", {0, 0, 0.28}}, {"rotation", {0, pi / 2, 0}}},
           {{"body", "hitch"}, {"rotation", {0, pi / 2, 0}}}}}},
        {{"name", "pull"},
         {"kind", "drive_translation"},
         {"axis", "x"},
         {"markers", {{{"body", "ground"}}, {{"body", "hitch"}}}},
         {"drive", "8*t"}},
        {{"name", "pin"},
         {"kind", "revolute"},
         {"markers", {{{"body", "hitch"}}, {{"body", "arm"}, {"position", {a, 0, 0}}}}}}}},
      {"tyres",
       {{{"name", "tyre"},
         {"body", "arm"},
         {"radius", 0.3},
         {"stiffness", 2e5},
         {"slip", {{"lateral_stiffness", C}, {"lateral_relaxation", sigma}, {"friction", 1e3}}}}}}};
  const Record r = run_of(model);
  Eigen::Matrix3d A;
  const double I = J + mass * a * a;
  A << 0, 1, 0, 0, 0, -a * C / (sigma * I), V, a, -V / sigma;
  Vector3 x(start, 0, 0);
  std::size_t next = 0;
  const double dt = 1e-5;
  double most = 0.0;
  for (int n = 0; next < r.time.size(); ++n) {
    if (std::abs(n * dt - r.time[next]) < 0.5 * dt) {
      // Beyond small angles: psi^2 of the swing; steps of 5e-5 s: (omega h)^2 = 2e-5 over five swings.
      EXPECT_NEAR(r.signal.at("arm.rotation.z")[next], x[0], 1e-4 * start) << r.time[next];
      most = std::max(most, std::abs(x[1]));
      ++next;
    }
    const Vector3 k1 = A * x, k2 = A * k1, k3 = A * k2, k4 = A * k3;
    x += dt * k1 + dt * dt / 2 * k2 + dt * dt * dt / 6 * k3 + dt * dt * dt * dt / 24 * k4;
  }
  EXPECT_GT(most, 0.01 * start);
}

// A sliding, spinning wheel of 100 kg: what slip takes is gone. Energy falls and never rises, until it rolls.
TEST(Tyre, SlipTakesEnergy) {
  for (const double spin : {0.0, 80.0}) {
    Json model = guided(100.0, 0.3 - 100.0 * 9.81 / 2e5);
    model["joints"] = {
        {{"name", "plane"},
         {"kind", "planar"},
         {"markers",
          {{{"body", "ground"}, {"rotation", {-pi / 2, 0, 0}}}, {{"body", "wheel"}, {"rotation", {-pi / 2, 0, 0}}}}}}};
    model["bodies"][0]["velocity"] = {8, 0, 0};
    model["bodies"][0]["angular_velocity"] = {0, spin, 0};
    model["run"]["duration_s"] = 0.8;
    model["tyres"][0]["damping"] = 0;
    model["tyres"][0]["slip"] = {{"longitudinal_stiffness", 2e4}, {"longitudinal_relaxation", 0.2}, {"friction", 0.8}};
    const Record r = run_of(model);
    const auto& energy = r.signal.at("energy.total");
    const double whole = r.signal.at("energy.kinetic")[0];
    // The deflected contact holds the integral of mu N tanh(C s/(sigma mu N)) over s, which is no part of energy.total.
    const auto &slip = r.signal.at("tyre.longitudinal_slip"), &load = r.signal.at("tyre.fz");
    double last = 1e300;
    for (std::size_t i = 0; i < energy.size(); ++i) {
      const double most = 0.8 * load[i], held = 0.2 * most * most / 2e4 * std::log(std::cosh(2e4 * slip[i] / most)),
                   sum = energy[i] + held;
      EXPECT_LE(sum, last + 2e-6 * whole) << r.time[i];
      last = sum;
    }
    EXPECT_LT(energy.back(), energy.front() - 0.01 * whole);
    const double deflection = r.signal.at("tyre.deflection").back(), rolling = 0.3 - deflection / 3.0;
    EXPECT_NEAR(r.signal.at("wheel.velocity.x").back(), rolling * r.signal.at("wheel.angular_velocity.y").back(), 1e-3);
    // No outer force along but the tyre's: m V + I Omega/R_e stays (F acts with the arm R_e).
    const double before = 100.0 * 8.0 + 1.0 * spin / rolling;
    EXPECT_NEAR(
        100.0 * r.signal.at("wheel.velocity.x").back() + r.signal.at("wheel.angular_velocity.y").back() / rolling,
        before, 1e-3 * before);
  }
}

// A standing tyre is a spring with loss across: m s^2 + C tau/sigma s + C/sigma = 0; and k/m upwards.
TEST(Tyre, ModesOfAStandingTyre) {
  const double m = 200.0, C = 5e4, sigma = 0.3, tau = 0.005, k = 2e5;
  Json model = guided(m, 0.3);
  model["joints"] = {
      {{"name", "upright"}, {"kind", "orientation"}, {"markers", {{{"body", "ground"}}, {{"body", "wheel"}}}}}};
  model["tyres"][0]["slip"] = {{"longitudinal_stiffness", 8e4},
                               {"lateral_stiffness", C},
                               {"lateral_relaxation", sigma},
                               {"longitudinal_relaxation", sigma}};
  model["tyres"][0]["damping"] = 0;
  const ModelFile file = model_from_json(model, "model");
  const LinearModel linear = linearise(System(file.model), true, {}, {});
  ASSERT_EQ(linear.status, RunStatus::done) << linear.reason;
  std::vector<double> found;
  for (const LinearMode& mode : modes(linear))
    if (mode.eigenvalue.imag() > 0.0) found.push_back(mode.frequency_hz * 2.0 * pi);
  std::vector<double> expected = {std::sqrt(k / m), std::sqrt(C / sigma / m), std::sqrt(8e4 / sigma / m)};
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(found.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 1e-9 * expected[i]);
  for (const LinearMode& mode : modes(linear))
    if (std::abs(mode.frequency_hz * 2.0 * pi - std::sqrt(C / sigma / m)) < 1e-6 * std::sqrt(C / sigma / m))
      EXPECT_NEAR(mode.damping_ratio, 0.5 * tau * std::sqrt(C / sigma / m), 1e-9);
}

// Four wheels on the ground and nothing else: they stand where they were put, with the weight on them, and stay.
TEST(Tyre, ACarStandsOnItsTyres) {
  Json model = {{"gravity", {0, 0, -9.81}},
                {"run", {{"step_s", 1e-3}, {"duration_s", 0.3}, {"static_start", true}}},
                {"bodies",
                 {{{"name", "car"},
                   {"mass", 1200},
                   {"centre", {0.1, 0, 0.2}},
                   {"inertia", {400, 1500, 1600}},
                   {"position", {0, 0, 0.3}}}}}};
  for (const double x : {-1.3, 1.3})
    for (const double y : {-0.75, 0.75}) {
      const std::string name = std::string(x > 0 ? "front" : "rear") + (y > 0 ? "_left" : "_right");
      model["bodies"].push_back(
          {{"name", name}, {"mass", 20}, {"inertia", {0.5, 0.9, 0.5}}, {"position", {x, y, 0.3}}});
      model["joints"].push_back({{"name", name + "_hub"},
                                 {"kind", "revolute"},
                                 {"markers",
                                  {{{"body", "car"}, {"position", {x, y, 0}}, {"rotation", {-pi / 2, 0, 0}}},
                                   {{"body", name}, {"rotation", {-pi / 2, 0, 0}}}}}});
      model["tyres"].push_back(
          {{"name", name + "_tyre"}, {"body", name}, {"file", "car_tyre.tir"}, {"side", y > 0 ? "left" : "right"}});
    }
  const Record r = run_of(model);
  double sum = 0.0;
  for (const char* name : {"front_left", "front_right", "rear_left", "rear_right"}) {
    const std::string tyre = std::string(name) + "_tyre";
    sum += r.signal.at(tyre + ".fz").front();
    EXPECT_NEAR(r.signal.at(tyre + ".fx").back(), 0.0, 1e-3);
    EXPECT_NEAR(r.signal.at(tyre + ".fy").back(), 0.0, 1e-3);
  }
  EXPECT_NEAR(sum, 1280 * 9.81, 1e-6 * sum);
  EXPECT_NEAR(r.signal.at("car.position.x").back(), r.signal.at("car.position.x").front(), 1e-9);
  EXPECT_NEAR(r.signal.at("car.position.x").front(), 0.0, 1e-2);
  // Left and right are mirror images: the car runs straight but for what its tyres say alike.
  Json rolling = model;
  rolling["run"]["duration_s"] = 0.5;
  for (Json& body : rolling["bodies"]) body["velocity"] = {15, 0, 0};
  for (std::size_t i = 1; i < 5; ++i) rolling["bodies"][i]["angular_velocity"] = {0, 15.0 / 0.31, 0};
  const Record straight = run_of(rolling);
  EXPECT_NEAR(straight.signal.at("car.position.y").back(), 0.0, 1e-9);
  EXPECT_NEAR(straight.signal.at("front_left_tyre.fy").back(), -straight.signal.at("front_right_tyre.fy").back(), 1e-6);
}

// A standing start: a torque on the wheel of a car at rest sets it in motion, smoothly through zero speed.
TEST(Tyre, AStandingStartStaysBounded) {
  Json model = guided(300.0, 0.3);
  model["run"] = {{"step_s", 1e-3}, {"duration_s", 2.0}, {"static_start", true}};
  model["joints"] = {
      {{"name", "plane"},
       {"kind", "planar"},
       {"markers",
        {{{"body", "ground"}, {"rotation", {-pi / 2, 0, 0}}}, {{"body", "wheel"}, {"rotation", {-pi / 2, 0, 0}}}}}}};
  model["tyres"][0] = {{"name", "tyre"}, {"body", "wheel"}, {"file", "car_tyre.tir"}};
  model["loads"] = {
      {{"name", "drive"}, {"marker", {{"body", "wheel"}}}, {"torque", {0, "300*step(t, 0.2, 0, 0.6, 1)", 0}}}};
  const Record r = run_of(model);
  const auto &fx = r.signal.at("tyre.fx"), &v = r.signal.at("wheel.velocity.x");
  for (std::size_t i = 0; i < fx.size(); ++i) EXPECT_LT(std::abs(fx[i]), 1500.0);
  EXPECT_GT(v.back(), 2.0);
  // Rolling by a constant torque: m V' = F_x, I Omega' = T + M_y, both over the last 0.2 s.
  const auto &spin = r.signal.at("wheel.angular_velocity.y"), &my = r.signal.at("tyre.my");
  const std::size_t end = v.size() - 1, begin = end - 200;
  EXPECT_NEAR(300.0 * (v[end] - v[begin]) / 0.2, fx[end], 1e-3 * fx[end]);
  EXPECT_NEAR((spin[end] - spin[begin]) / 0.2, 300.0 + my[end], 1e-2);
  // The moment is the force with the rolling radius as its arm, and rolling resistance: QSY1 to QSY4 at this speed.
  const double V = v[end] / 16.7, resistance = 0.315 * r.signal.at("tyre.fz")[end] *
                                               (0.01 + 0.02 * fx[end] / 4000.0 + 0.001 * V + 0.0005 * std::pow(V, 4));
  EXPECT_NEAR((-my[end] - resistance) / fx[end], 0.31, 0.005);
  EXPECT_TRUE(says(r.findings, "tyre_slow"));
}

// Newton's matrix, adjoint, direct sensitivity: a wheel on a bushing over an obstacle, with camber and slip.
gradients::Problem rolling_block(bool static_start, bool linear) {
  gradients::Problem p = gradients::block(gradients::linear_law, 0.08, 80.0);
  p.model.bodies[0].name = "block";
  p.model.bodies.push_back(
      cases::rigid(12.0, Vector3(0.2, 0.4, 0.25).asDiagonal(), {0.003, 0.002, -0.004}, {0.3, -0.2, -0.1}));
  p.model.bodies[1].rotation = rotation_of({0.05, 0.0, 0.1});
  p.model.bodies[1].velocity = {6.0, 0.2, 0.0};
  p.model.bodies[1].angular_velocity = {0.1, 21.0, 0.2};
  Connection held;
  held.name = "held";
  held.marker1 = p.model.add_marker(0, {0.3, -0.2, -0.1});
  held.marker2 = p.model.add_marker(1, Vector3::Zero());
  for (int k = 0; k < 3; ++k) held.laws[static_cast<std::size_t>(k)] = kelvin_voigt_law(k == 0 ? 2e3 : 4e4, 150.0);
  p.model.connections.push_back(held);
  Tyre tyre = example_tyre(linear);
  tyre.name = "tyre";
  Matrix3 axis;
  axis.col(2) = Vector3::UnitY(), axis.col(0) = Vector3::UnitZ(), axis.col(1) = Vector3::UnitX();
  tyre.marker = p.model.add_marker(1, {0.001, 0.002, 0.0}, axis);
  tyre.road.path = RoadPath({{-5.0, -0.395}, {0.2, -0.395}, {0.6, -0.38}, {1.0, -0.39}, {5.0, -0.395}}, 0.1);
  p.model.tyres.push_back(tyre);
  if (static_start) p.model.bodies[1].velocity = {0.3, 0.1, 0.0}, p.model.bodies[1].angular_velocity = {0.0, 0.4, 0.0};
  p.options.static_start = static_start;
  p.options.full_newton = true;
  return p;
}

class TyreGradient : public ::testing::TestWithParam<std::tuple<bool, bool>> {};
TEST_P(TyreGradient, AdjointForwardAndDifferencesAgree) {
  gradients::Problem p = rolling_block(std::get<0>(GetParam()), std::get<1>(GetParam()));
  std::vector<Parameter> parameters = gradients::every_fifth(gradients::law_parameters(p.model, {}));
  parameters.push_back({Parameter::Kind::mass, 1, 0});
  parameters.push_back({Parameter::Kind::inertia, 1, 1});
  parameters.push_back({Parameter::Kind::centre, 1, 1});
  const gradients::Comparison c = gradients::compare(p, parameters, {1e-4}, 1);
  EXPECT_LT(c.forward, 1e-9);
  EXPECT_LT(c.differences, 1e-6);
}
INSTANTIATE_TEST_SUITE_P(Start, TyreGradient, ::testing::Combine(::testing::Bool(), ::testing::Bool()));

TEST(Tyre, TheTangentIsExact) {
  for (const bool linear : {true, false}) {
    gradients::Problem p = rolling_block(false, linear);
    p.options.tolerance = 1e-13;
    const System system(p.model);
    const RunResult run = simulate(system, p.options, {}, silent_progress());
    ASSERT_EQ(run.status, RunStatus::done) << run.reason;
    EXPECT_LE(run.counts.iterations, 4 * run.counts.steps);
  }
}

// A run that is saved and goes on takes the same steps to the last bit.
TEST(Tyre, ARunGoesOnAsOne) {
  const gradients::Problem p = rolling_block(false, false);
  RunOptions options = p.options;
  options.full_newton = false;
  const System system(p.model);
  mbs::Run whole(system, options), first(system, options), second(system, options);
  ASSERT_EQ(whole.start().status, RunStatus::done);
  ASSERT_EQ(first.start().status, RunStatus::done);
  std::string reason;
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(whole.step(reason)) << reason;
  for (int i = 0; i < 25; ++i) ASSERT_TRUE(first.step(reason)) << reason;
  second.restore(first.snapshot(), "snapshot");
  const auto energy = [&](const mbs::Run& run) {
    return system.energy(run.state().q, run.state().v, run.state().laws, run.evaluation()).connections;
  };
  EXPECT_EQ(energy(first), energy(second));
  for (int i = 25; i < 60; ++i) ASSERT_TRUE(second.step(reason)) << reason;
  EXPECT_EQ(whole.state().q, second.state().q);
  EXPECT_EQ(whole.state().laws.w, second.state().laws.w);
}

// The right corner is the left one mirrored: its axis goes on pointing to the left, its tyre is the other side's.
TEST(Tyre, AMirroredCornerHasTheOtherTyre) {
  Json corner = {{"bodies", {{{"name", "wheel"}, {"mass", 20}, {"inertia", {1, 1, 1}}, {"position", {0, 0.7, 0.3}}}}},
                 {"tyres",
                  {{{"name", "tyre"},
                    {"body", "wheel"},
                    {"axis", {0.02, 1, 0.01}},
                    {"position", {0, 0.01, 0}},
                    {"file", "car_tyre.tir"},
                    {"side", "left"}}}}};
  Json model = {
      {"bodies", {{{"name", "car"}, {"mass", 1}, {"inertia", {1, 1, 1}}}}},
      {"subsystems", {{{"name", "left"}, {"model", corner}}, {{"name", "right"}, {"model", corner}, {"mirror", "y"}}}}};
  const Model made = model_from_json(model, "model", examples).model;
  ASSERT_EQ(made.tyres.size(), 2u);
  EXPECT_FALSE(made.tyres[0].mirrored);
  EXPECT_TRUE(made.tyres[1].mirrored);
  const Marker &left = made.markers[static_cast<std::size_t>(made.tyres[0].marker)],
               &right = made.markers[static_cast<std::size_t>(made.tyres[1].marker)];
  EXPECT_EQ(made.bodies[static_cast<std::size_t>(right.body)].name, "right_wheel");
  EXPECT_NEAR(right.R0(1, 2), left.R0(1, 2), 1e-15);
  EXPECT_NEAR(right.R0(0, 2), -left.R0(0, 2), 1e-15);
  EXPECT_NEAR(right.R0(2, 2), -left.R0(2, 2), 1e-15);
  EXPECT_EQ(right.x, Vector3(0, -0.01, 0));
  model["subsystems"][1]["mirror"] = "x";
  EXPECT_THROW(model_from_json(model, "model", examples), Error);
}

TEST(Tyre, WhatARunMeetsIsTold) {
  Json model = guided(300.0, 0.29);
  model["joints"] = {
      {{"name", "plane"},
       {"kind", "planar"},
       {"markers",
        {{{"body", "ground"}, {"rotation", {-pi / 2, 0, 0}}}, {{"body", "wheel"}, {"rotation", {-pi / 2, 0, 0}}}}}}};
  model["bodies"][0]["velocity"] = {20, 0, 0};
  model["run"] = {{"step_s", 1e-3}, {"duration_s", 0.3}};
  model["tyres"][0] = {{"name", "tyre"},
                       {"body", "wheel"},
                       {"file", "car_tyre.tir"},
                       {"road", {{"profile", {{-1, 0}, {1, 0}, {1.2, 0.1}, {1.4, 0}, {3, 0}}}}}};
  model["loads"] = {
      {{"name", "press"}, {"marker", {{"body", "wheel"}}}, {"force", {0, 0, "-12000*step(t, 0.15, 0, 0.2, 1)"}}}};
  const Record r = run_of(model);
  for (const char* code :
       {"tyre_slides_at_start", "tyre_coarse_steps", "tyre_beyond_road", "tyre_load_range", "tyre_lifted"})
    EXPECT_TRUE(says(r.findings, code)) << code;
  model["bodies"][0]["angular_velocity"] = {0, 20.0 / 0.31, 0};
  EXPECT_FALSE(says(run_of(model).findings, "tyre_slides_at_start"));
}

TEST(Tyre, WhatIsNotMeantIsRefused) {
  const Json good = guided(300.0, 0.3);
  const auto changed = [&](const char* key, const Json& value) {
    Json model = good;
    model["tyres"][0][key] = value;
    return model;
  };
  EXPECT_NO_THROW(model_from_json(good, "model"));
  for (const auto& [key, value] : std::vector<std::pair<const char*, Json>>{{"axis", {0, 0, 1}},
                                                                            {"axis", {0, -1, 0}},
                                                                            {"radius", -0.3},
                                                                            {"stiffness", 0},
                                                                            {"damping", -1},
                                                                            {"side", "left"},
                                                                            {"road", {{"profile", {{0, 0}}}}},
                                                                            {"road", {{"profile", {{1, 0}, {0, 0}}}}},
                                                                            {"road", {{"enveloping", true}}},
                                                                            {"slip", {{"friction", 1}}},
                                                                            {"slip", {{"lateral_stiffness", -1}}},
                                                                            {"load_curve", {{0, 0}, {0.01, -5}}},
                                                                            {"load_curve", {{0, 10}, {0.01, 50}}},
                                                                            {"marker", "nowhere"},
                                                                            {"file", "missing.tir"},
                                                                            {"low_speed", 0}})
    EXPECT_THROW(model_from_json(changed(key, value), "model"), Error) << key << " " << value.dump();
  Json sideways = good;
  sideways["gravity"] = {0, -9.81, 0};
  EXPECT_THROW(model_from_json(sideways, "model"), Error);
  Json small = good;
  small["tyres"][0]["radius"] = 300;
  EXPECT_TRUE(says(model_from_json(small, "model").findings, "tyre_units"));
  // A cleat of 10 mm that is written as 10.
  EXPECT_TRUE(
      says(model_from_json(changed("road", {{"profile", {{0, 0}, {1, 0}, {1.01, 10}, {1.02, 0}, {2, 0}}}}), "model")
               .findings,
           "tyre_units"));
  EXPECT_THROW(model_from_json(changed("road", {{"profile", {{0, 0}, {1, -1e308}}}}), "model"), Error);
}

}  // namespace
}  // namespace kdyn::mbs
