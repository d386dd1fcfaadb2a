// SPDX-License-Identifier: Apache-2.0
// Place and scale of bushing models in a multibody run, and laws that switch themselves. Oracles: markers placed by
// hand, laws with other numbers, runs with short steps.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {
namespace {

Json voigt(double stiffness, double damping) {
  return {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", stiffness}, {"damping", damping}}}};
}

Json body_on(const Json& bushing, double step = 1e-3, double duration = 0.2) {
  return {{"title", "body on a bushing"},
          {"gravity", {0.0, 0.0, -9.81}},
          {"run", {{"step_s", step}, {"duration_s", duration}}},
          {"bodies",
           {{{"name", "body"},
             {"mass", 12.0},
             {"inertia", {{0.2, 0.0, 0.0}, {0.0, 0.3, 0.0}, {0.0, 0.0, 0.25}}},
             {"angular_velocity", {1.0, -2.0, 0.5}}}}},
          {"bushings", Json::array({bushing})}};
}

RunState end_of(const Json& model) {
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  RunState last;
  const RunResult result = simulate(
      system, file.run, [&](const RunState& s, const Evaluation&) { last = s; }, silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  return last;
}

TEST(PlacedBushing, IsTheSameAsMarkersPutThere) {
  const Json axes = {{"fx", voigt(3e5, 200.0)}, {"fy", voigt(1e5, 100.0)}, {"fz", voigt(2e5, 150.0)},
                     {"tx", voigt(400.0, 1.0)}, {"ty", voigt(600.0, 1.0)}, {"tz", voigt(500.0, 1.0)}};
  const Vector3 at(0.02, -0.03, 0.05), turn(0.4, -0.7, 0.3), p(0.03, 0.01, -0.02);
  // Marker axes turned by `turn`; the bushing by a quarter about x inside them.
  const Matrix3 marker = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  const Matrix3 own = Eigen::AngleAxisd(0.9, Vector3::UnitX()).toRotationMatrix();
  const auto marker_json = [](const char* body, const Vector3& x, const Matrix3& R) {
    Json rotation = Json::array();
    for (int i = 0; i < 3; ++i) rotation.push_back({R(i, 0), R(i, 1), R(i, 2)});
    return Json{{"body", body}, {"position", {x[0], x[1], x[2]}}, {"rotation", rotation}};
  };
  const auto bushing = [&](const Vector3& x, const Matrix3& R, const Json& laws) {
    return Json{
        {"name", "mount"}, {"markers", {marker_json("ground", x, R), marker_json("body", x, R)}}, {"laws", laws}};
  };
  const RunState by_hand = end_of(body_on(
      bushing(at + marker * p, marker * own, {{"model", "bushing"}, {"coupling", "cylindrical"}, {"axes", axes}})));
  const RunState placed = end_of(body_on(bushing(at, marker,
                                                 {{"model", "bushing"},
                                                  {"coupling", "cylindrical"},
                                                  {"position", {p[0], p[1], p[2]}},
                                                  {"orientation", {0.9, 0.0, 0.0}},
                                                  {"axes", axes}})));
  EXPECT_LT((by_hand.q - placed.q).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((by_hand.v - placed.v).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(PlacedBushing, AScaleMultipliesTheLoad) {
  Json scaled = voigt(1e5, 80.0), twice = voigt(2.5e5, 200.0);
  scaled["scale"] = 2.5;
  const auto run = [&](const Json& law) {
    return end_of(body_on(
        {{"name", "mount"},
         {"markers",
          {{{"body", "ground"}, {"position", {0.1, 0.0, 0.0}}}, {{"body", "body"}, {"position", {0.1, 0.0, 0.0}}}}},
         {"laws", {{"fx", law}, {"fy", law}, {"fz", law}, {"tx", voigt(300.0, 1.0)}}}}));
  };
  const RunState a = run(scaled), b = run(twice);
  EXPECT_LT((a.q - b.q).cwiseAbs().maxCoeff(), 1e-11);
  // The law by itself: forward and backward derivatives meet, through the scale.
  const auto law = axis_law_from_json(scaled, "law");
  const AxisLaw::Memory memory = law->start(0.0);
  const AxisLaw::Step step{&memory, {0.0, 0.0}, {1e-3, 0.02}, nullptr, nullptr, 1e-3};
  AxisLaw::Inputs gradient, direction;
  AxisLaw::Outputs bar, out;
  bar.f = 1.0;
  law->pull_back(step, bar, {0, 1}, gradient);
  direction.to = {1.0, 0.0}, direction.parameters = {0.0, 0.0};
  law->push_forward(step, direction, {0, 1}, out);
  EXPECT_NEAR(out.f, 2.5e5, 1e-6);
  EXPECT_NEAR(gradient.to.u, 2.5e5, 1e-6);
  EXPECT_NEAR(gradient.parameters[0], 2.5e-3, 1e-15);
  EXPECT_NEAR(law->static_force(2e-3), 500.0, 1e-9);
}

// A mass on a hydro mount that switches between points of the grid, with a jump and a ramp. Without stops at the
// switches the error at the end falls with the first power of the step.
TEST(SwitchedMount, IsOfSecondOrderInTheStep) {
  Json mount = Json::parse(R"({"model":"hydromount",
    "main_rubber":{"model":"elastomer","parameters":{"static_stiffness":400e3,"alpha":0.1,"beta":0.1,"gamma":0.003,"lambda":0.3}},
    "chamber_rubber":{"model":"elastomer","parameters":{"static_stiffness":600e3}},
    "parameters":{"chamber_area":8.586e-3,"channel_area":8.191e-5,"channel_length":0.248428,"fluid_density":950.08,"fluid_damping_linear":0.333,
      "fluid_damping_nonlinear":1.393,"switch_signal":[[0,1],[0.0503,1],[0.0503,0],[0.1207,0],[0.1393,1]]}})");
  const auto run = [&](double h) {
    Json model = body_on(
        {{"name", "mount"},
         {"markers",
          {{{"body", "ground"}, {"position", {0.0, 0.0, 0.0}}}, {{"body", "body"}, {"position", {0.0, 0.0, 0.0}}}}},
         {"laws",
          {{"fz", mount},
           {"fx", voigt(1e5, 100.0)},
           {"fy", voigt(1e5, 100.0)},
           {"tx", voigt(300.0, 1.0)},
           {"ty", voigt(300.0, 1.0)},
           {"tz", voigt(300.0, 1.0)}}}},
        h, 0.2);
    model["bodies"][0]["angular_velocity"] = {0.0, 0.0, 0.0};
    model["bodies"][0]["velocity"] = {0.0, 0.0, 0.3};
    return end_of(model).q[2];
  };
  // Between points of the grid of steps, and on it.
  for (const double jump : {0.0503, 0.05}) {
    mount["parameters"]["switch_signal"][1][0] = mount["parameters"]["switch_signal"][2][0] = jump;
    const double exact = run(6.25e-5);
    const double coarse = std::abs(run(2e-3) - exact), middle = std::abs(run(1e-3) - exact),
                 fine = std::abs(run(5e-4) - exact);
    std::printf("[ figure ] error at 2, 1, 0.5 ms: %.2e %.2e %.2e m, orders %.2f %.2f\n", coarse, middle, fine,
                std::log2(coarse / middle), std::log2(middle / fine));
    // Orders of a run whose phase against the switches changes with the step scatter about 2.
    EXPECT_GT(std::log2(coarse / fine) / 2.0, 1.7);
  }
}

TEST(SwitchedMount, StepsEndAtSwitches) {
  Json mount = Json::parse(R"({"model":"hydromount",
    "main_rubber":{"model":"elastomer","parameters":{"static_stiffness":400e3}},"chamber_rubber":{"model":"elastomer","parameters":{"static_stiffness":600e3}},
    "parameters":{"chamber_area":8.586e-3,"channel_area":8.191e-5,"channel_length":0.248428,"fluid_density":950.08,"fluid_damping_linear":0.333,
      "switch_signal":[[0,1],[0.0103,1],[0.0103,0],[0.015,0],[0.016,1]]}})");
  const Json model = body_on(
      {{"name", "mount"},
       {"markers",
        {{{"body", "ground"}, {"position", {0.0, 0.0, 0.0}}}, {{"body", "body"}, {"position", {0.0, 0.0, 0.0}}}}},
       {"laws", {{"fz", mount}}}},
      2e-3, 0.02);
  for (const bool control : {false, true}) {
    ModelFile file = model_from_json(model, "model");
    file.run.step_control = control;
    const System system(file.model);
    std::vector<double> times;
    simulate(
        system, file.run, [&](const RunState& s, const Evaluation&) { times.push_back(s.t); }, silent_progress());
    const auto has = [&](double t) {
      return std::any_of(times.begin(), times.end(), [&](double at) { return std::abs(at - t) < 1e-12; });
    };
    EXPECT_TRUE(has(0.0103) && has(0.015) && has(0.016) && has(0.02)) << control;
    if (!control) {
      EXPECT_EQ(times.size(),
                11u + 3u);  // the grid, the jump, a short step behind it, and the corner that is not on the grid
      EXPECT_TRUE(has(0.0103 - 2e-3 / 1024.0));
    }
  }
}

}  // namespace
}  // namespace kdyn::mbs
