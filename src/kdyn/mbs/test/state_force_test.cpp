// SPDX-License-Identifier: Apache-2.0
// Forces by formula: against laws and closed forms that say the same, against the balance of energy, and their
// gradients against differences.
#include <gtest/gtest.h>

#include <cmath>

#include "gradient_problem.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/mbs/linearise.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/model_image.hpp"
#include "kdyn/mbs/sensors.hpp"
#include "kdyn/mbs/state_force.hpp"

namespace kdyn::mbs {
namespace {

void add_formula(Model& model, const std::string& text, bool of_load, int index, int component,
                 const FormulaTables& tables = {}) {
  StateForce force = read_state_force(model, text, tables, "formula");
  force.name = "formula";
  force.of_load = of_load, force.index = index, force.component = component;
  model.state_forces.push_back(std::move(force));
}

// The block on two bushings with a bar between it and ground that formulas tie together in every way they know.
gradients::Problem ruled(bool static_start) {
  gradients::Problem p = gradients::block(gradients::linear_law, 0.12, 80.0);
  p.model.bodies[0].name = "block";
  p.model.bodies.push_back(
      cases::rigid(4.0, Vector3(0.02, 0.05, 0.04).asDiagonal(), {0.0, 0.02, -0.2}, {0.1, 0.0, -0.05}));
  p.model.bodies[1].name = "bar";
  Joint hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::revolute;
  Matrix3 along_y;
  along_y.col(0) = Vector3::UnitZ(), along_y.col(1) = Vector3::UnitX(), along_y.col(2) = Vector3::UnitY();
  hinge.marker1 = p.model.add_marker(0, {0.1, 0.0, -0.05}, along_y);
  hinge.marker2 = p.model.add_marker(1, Vector3::Zero(), along_y);
  p.model.joints.push_back(hinge);
  p.model.add_marker(0, {0.1, 0.1, 0.0}, Matrix3::Identity(), "top");
  const int low = p.model.add_marker(1, {0.02, 0.0, -0.3}, Matrix3::Identity(), "low");
  Connection rod;
  rod.name = "rod";
  rod.kind = ConnectionKind::spring;
  rod.marker1 = p.model.add_marker(-1, {0.4, 0.1, -0.6});
  rod.marker2 = low;
  p.model.connections.push_back(rod);
  PointLoad jet;
  jet.name = "jet";
  jet.marker = low;
  jet.follows = true;
  p.model.loads.push_back(jet);
  Sensor gyro;
  gyro.name = "gyro";
  gyro.kind = SensorKind::gyro;
  gyro.body = "block";
  add_sensor(p.model, gyro, "gyro");
  Sensor angle;
  angle.name = "angle";
  angle.kind = SensorKind::angle;
  angle.markers = {"top", "low"};
  angle.axes = "y";
  add_sensor(p.model, angle, "angle");
  const FormulaTables tables = {{"bend", {{-1.0, -300.0}, {-0.1, -60.0}, {0.0, 0.0}, {0.2, 150.0}, {1.0, 400.0}}}};
  // Along the rod, on the bushing's side, and at a point: deflections, rates, motion of points and sensors of other bodies.
  add_formula(p.model, "600*(rod.deflection - 0.385) + 40*rod.rate + bend(low.velocity.z) + 1e3*left.fx.deflection",
              false, 2, 0, tables);
  add_formula(p.model, "2e4*left.fz.deflection^3*1e3 + 200*left.ty.rate*cos(20*t) - 30*low.velocity.x", false, 0, 2);
  add_formula(p.model, "20*tanh(3*gyro.y) - 5*angle + 2*right.tx.deflection", false, 1, 4);
  add_formula(p.model, "-60*block.velocity.y - 200*low.position.y*if(t > 0.05, 1, 0.5) + 20*sin(30*t)", true, 1, 1);
  add_formula(p.model, "1.5*gyro.x + step(low.position.x, -1, -2, 1, 2)", true, 1, 5);
  p.options.static_start = static_start;
  p.options.full_newton = true;
  p.outputs.push_back({OutputKind::load, 0, 2});
  p.outputs.push_back({OutputKind::load, 2, 0});
  p.weights.push_back(1e-6), p.weights.push_back(1e-5);
  return p;
}

class FormulaGradient : public ::testing::TestWithParam<bool> {};

// The limits are those of the other elements: both exact formulations, and differences of whole runs.
TEST_P(FormulaGradient, AdjointForwardAndDifferencesAgree) {
  gradients::Problem p = ruled(GetParam());
  std::vector<Parameter> parameters = gradients::every_fifth(gradients::law_parameters(p.model, {}));
  parameters.push_back({Parameter::Kind::mass, 0, 0});
  parameters.push_back({Parameter::Kind::mass, 1, 0});
  parameters.push_back({Parameter::Kind::centre, 1, 1});
  const gradients::Comparison c = gradients::compare(p, parameters, {1e-3}, 1);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, 1e-7);
}
INSTANTIATE_TEST_SUITE_P(Start, FormulaGradient, ::testing::Bool());

// With velocities at the start and a static start the velocity's share at t = 0 matters, too.
TEST(MultibodyFormula, GradientWithVelocitiesAtTheStart) {
  gradients::Problem p = ruled(true);
  p.model.bodies[0].velocity = {0.1, -0.2, 0.3};
  p.model.bodies[0].angular_velocity = {0.5, 0.2, -0.4};
  const gradients::Comparison c =
      gradients::compare(p, gradients::every_fifth(gradients::law_parameters(p.model, {})), {1e-3}, 2);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, 1e-7);
}

// The Newton matrix: one factorisation in every iteration converges quadratically, in four rounds at most.
TEST(MultibodyFormula, TheTangentIsExact) {
  gradients::Problem p = ruled(false);
  p.options.tolerance = 1e-13;
  const System system(p.model);
  const RunResult run = simulate(system, p.options, {}, silent_progress());
  ASSERT_EQ(run.status, RunStatus::done) << run.reason;
  EXPECT_LE(run.counts.iterations, 4 * run.counts.steps);
}

Json crank() {
  const Json law = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 4000.0}, {"damping", 30.0}}}};
  return {
      {"gravity", {0.0, -9.81, 0.0}},
      {"run", {{"step_s", 1e-3}, {"duration_s", 0.5}}},
      {"bodies",
       {{{"name", "bar"},
         {"mass", 2.0},
         {"centre", {0.5, 0.0, 0.0}},
         {"inertia", {0.01, 0.17, 0.17}},
         {"angular_velocity", {1.0, 0.5, 6.0}}}}},
      {"markers", {{{"name", "end"}, {"body", "bar"}, {"position", {1.0, 0.0, 0.0}}}}},
      {"joints", {{{"name", "ball"}, {"kind", "spherical"}, {"markers", {{{"body", "ground"}}, {{"body", "bar"}}}}}}},
      {"springs",
       {{{"name", "coil"},
         {"markers", {{{"body", "ground"}, {"position", {1.0, 1.0, 0.0}}}, "end"}},
         {"law", law},
         {"rest_length", 0.9}}}},
      {"bushings",
       {{{"name", "mount"},
         {"markers",
          {{{"body", "ground"}, {"position", {0.6, 0.0, 0.0}}}, {{"body", "bar"}, {"position", {0.6, 0.0, 0.0}}}}},
         {"laws", {{"fx", law}, {"tz", law}}}}}}};
}

std::vector<double> series(const Json& model, const std::string& signal_body) {
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  std::vector<double> out;
  const RunResult run = simulate(
      system, file.run,
      [&](const RunState& s, const Evaluation&) {
        for (int k = 0; k < 12; ++k) out.push_back(s.q[k]);
      },
      silent_progress());
  EXPECT_EQ(run.status, RunStatus::done) << run.reason << signal_body;
  return out;
}

// Oracle: the law itself. Formulas read the same measures, so both run the same scheme to rounding (amplified by 1/h^2).
TEST(MultibodyFormula, ActsAsTheLawItWrites) {
  const auto native = series(crank(), "laws");
  Json written = crank();
  written["springs"][0].erase("law");
  written["springs"][0]["force"] = "4000*coil.deflection + 30*coil.rate";
  written["bushings"][0].erase("laws");
  written["bushings"][0]["forces"] = {{"fx", "4000*mount.fx.deflection + 30*mount.fx.rate"},
                                      {"tz", "4000*mount.tz.deflection + 30*mount.tz.rate"}};
  const auto formula = series(written, "formulas");
  ASSERT_EQ(native.size(), formula.size());
  for (std::size_t i = 0; i < native.size(); ++i) ASSERT_NEAR(native[i], formula[i], 1e-9) << i;
}

// The same as a force at a point: a spring to a fixed point, written with positions and velocities.
TEST(MultibodyFormula, PositionsAndVelocitiesOfPoints) {
  Json with = crank();
  const auto native = series(with, "laws");
  with.erase("springs");
  with["loads"] = {
      {{"name", "pull"},
       {"marker", "end"},
       {"force",
        {"-(end.position.x - 1)*(4000*(1 - 0.9/sqrt((end.position.x - 1)^2 + (end.position.y - 1)^2 + "
         "end.position.z^2)) + "
         "30*((end.position.x - 1)*end.velocity.x + (end.position.y - 1)*end.velocity.y + "
         "end.position.z*end.velocity.z)/"
         "((end.position.x - 1)^2 + (end.position.y - 1)^2 + end.position.z^2))",
         "-(end.position.y - 1)*(4000*(1 - 0.9/sqrt((end.position.x - 1)^2 + (end.position.y - 1)^2 + "
         "end.position.z^2)) + "
         "30*((end.position.x - 1)*end.velocity.x + (end.position.y - 1)*end.velocity.y + "
         "end.position.z*end.velocity.z)/"
         "((end.position.x - 1)^2 + (end.position.y - 1)^2 + end.position.z^2))",
         "-end.position.z*(4000*(1 - 0.9/sqrt((end.position.x - 1)^2 + (end.position.y - 1)^2 + end.position.z^2)) + "
         "30*((end.position.x - 1)*end.velocity.x + (end.position.y - 1)*end.velocity.y + "
         "end.position.z*end.velocity.z)/"
         "((end.position.x - 1)^2 + (end.position.y - 1)^2 + end.position.z^2))"}}}};
  const auto formula = series(with, "points");
  ASSERT_EQ(native.size(), formula.size());
  for (std::size_t i = 0; i < native.size(); ++i) ASSERT_NEAR(native[i], formula[i], 1e-9) << i;
}

// Van der Pol: x'' = mu (1 - x^2) x' - x by Runge-Kutta of fourth order with a hundredth of the step.
TEST(MultibodyFormula, VanDerPolMeetsRungeKutta) {
  Json model = {
      {"run", {{"step_s", 1e-3}, {"duration_s", 20.0}}},
      {"bodies", {{{"name", "m"}, {"mass", 1.0}, {"inertia", {1.0, 1.0, 1.0}}, {"position", {0.5, 0.0, 0.0}}}}},
      {"joints",
       {{{"name", "rail"},
         {"kind", "translational"},
         {"markers",
          {{{"body", "ground"}, {"rotation", {0.0, 1.5707963267948966, 0.0}}},
           {{"body", "m"}, {"rotation", {0.0, 1.5707963267948966, 0.0}}}}}}}},
      {"loads",
       {{{"name", "f"},
         {"marker", {{"body", "m"}}},
         {"force", {"2*(1 - m.position.x^2)*m.velocity.x - m.position.x", 0.0, 0.0}}}}}};
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  double x = 0.5, v = 0.0, worst = 0.0, supplied = 0.0, power = 0.0, error = 0.0;
  const auto acceleration = [](double p, double w) { return 2.0 * (1.0 - p * p) * w - p; };
  bool first = true;
  simulate(
      system, file.run,
      [&](const RunState& s, const Evaluation& e) {
        if (!first)
          for (int i = 0; i < 10; ++i) {
            const double h = 1e-4;
            const double k1 = v, l1 = acceleration(x, v), k2 = v + 0.5 * h * l1,
                         l2 = acceleration(x + 0.5 * h * k1, k2), k3 = v + 0.5 * h * l2,
                         l3 = acceleration(x + 0.5 * h * k2, k3), k4 = v + h * l3, l4 = acceleration(x + h * k3, k4);
            x += h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
            v += h * (l1 + 2.0 * l2 + 2.0 * l3 + l4) / 6.0;
          }
        worst = std::max(worst, std::abs(s.q[0] - x));
        // Work of the formula against the energy of the mass.
        const double now = e.formula[0] * s.v[0];
        if (!first) supplied += 0.5e-3 * (power + now);
        power = now;
        error = std::max(error, std::abs(supplied - 0.5 * s.v[0] * s.v[0]));
        first = false;
      },
      silent_progress());
  // Second order at 1 ms: the phase of the fast flanks (velocity 4) decides.
  EXPECT_LT(worst, 2e-4);
  EXPECT_GT(worst, 0.0);
  EXPECT_LT(error, 1e-4);  // of energies up to 8 J
}

// A skyhook damper: c on the absolute velocity; zeta = c/(2 sqrt(k m)), and it does not turn up in the force of the mount.
TEST(MultibodyFormula, LinearModelHasTheSkyhooksDamping) {
  const Json law = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 4000.0}, {"damping", 0.0}}}};
  const Json model = {
      {"bodies", {{{"name", "m"}, {"mass", 10.0}, {"inertia", {1.0, 1.0, 1.0}}}}},
      {"joints", {{{"name", "rail"}, {"kind", "translational"}, {"markers", {{{"body", "ground"}}, {{"body", "m"}}}}}}},
      {"bushings",
       {{{"name", "b"},
         {"markers", {{{"body", "ground"}}, {{"body", "m"}}}},
         {"laws", {{"fz", law}}},
         {"forces", {{"fz", "80*m.velocity.z + 1000*b.fz.deflection"}}}}}}};
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  const LinearModel linear = linearise(system, false, {{1, 2, -1}}, {{OutputKind::load, 0, 2}});
  const auto found = modes(linear);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].damping_ratio, 80.0 / (2.0 * std::sqrt(5000.0 * 10.0)), 1e-12);
  EXPECT_NEAR(found[0].frequency_hz, std::sqrt(500.0) / (2.0 * 3.141592653589793), 1e-12);
  // The load of the bushing by a force on the mass: (k + i w c)/(k - w^2 m + i w c).
  const double w = 2.0 * 3.141592653589793 * 3.0;
  const std::complex<double> k(5000.0, 80.0 * w), expected = k / (k - w * w * 10.0);
  EXPECT_LT(std::abs(frequency_response(linear, 3.0)(0, 0) - expected), 1e-10);
}

TEST(MultibodyFormula, NamesWhatItDoesNotKnow) {
  const auto refused = [](const std::string& text) {
    Json model = crank();
    model["springs"][0]["force"] = text;
    try {
      model_from_json(model, "model");
    } catch (const Error& error) {
      return std::string(error.where()) + ": " + error.what() + error.remedy();
    }
    return std::string();
  };
  EXPECT_EQ(refused("3*coil.deflection"), "");
  EXPECT_NE(refused("3*coil.deflecton").find("did you mean 'coil.deflection'"), std::string::npos);
  EXPECT_EQ(refused("3*coil.deflecton").find("model.springs[0].force"), 0u);
  EXPECT_NE(refused("min(1)").find("give at least two"), std::string::npos);
  EXPECT_NE(refused("if(t > 1, 2)").find("gives if 2 arguments"), std::string::npos);
  EXPECT_NE(refused("t = 3").find("=="), std::string::npos);
  EXPECT_NE(refused("bar.acceleration.x"), "");
}

TEST(MultibodyFormula, SaysWhichFormulaIsNoNumber) {
  Json model = crank();
  model["springs"][0]["force"] = "log(0.2 - t)";
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  const RunResult run = simulate(system, file.run, {}, silent_progress());
  EXPECT_EQ(run.status, RunStatus::diverged);
  EXPECT_NE(run.reason.find("the formula of spring coil is not a finite number"), std::string::npos) << run.reason;
}

// What an exported model holds acts as the model itself.
TEST(MultibodyFormula, SurvivesTheImageOfAModel) {
  Json model = crank();
  model["tables"] = {{"bend", {{-1.0, -9.0}, {0.0, 0.0}, {2.0, 5.0}}}};
  model["springs"][0]["force"] = "30*bend(end.velocity.x)";
  const ModelFile file = model_from_json(model, "model");
  const ModelImage again = model_from_image(parse_json(dump_json(image_of(file.model, file.run)), "image"), "image");
  const auto end = [](const Model& m, const RunOptions& options) {
    VectorX q;
    simulate(
        System(m), options, [&](const RunState& s, const Evaluation&) { q = s.q; }, silent_progress());
    return q;
  };
  EXPECT_EQ((end(file.model, file.run) - end(again.model, again.run)).cwiseAbs().maxCoeff(), 0.0);
}

}  // namespace
}  // namespace kdyn::mbs
