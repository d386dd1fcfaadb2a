// SPDX-License-Identifier: Apache-2.0
// Elements with states and clocks of their own in one model: what one of them does at its instants must not show in the
// others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {
namespace {

// A quarter car on a tyre on a road that moves in time.
Json quarter_car() {
  const auto link = [](const char* name, const Json& one, const Json& two, double k, double c) {
    return Json{{"name", name},
                {"markers", {one, two}},
                {"laws", {{"fz", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", c}}}}}}}};
  };
  const Json ground = {{"body", "ground"}}, body = {{"body", "body"}}, wheel = {{"body", "wheel"}};
  Json model = {{"gravity", {0.0, 0.0, -9.81}},
                {"run", {{"step_s", 1e-3}, {"duration_s", 2.0}, {"static_start", true}}}};
  model["bodies"] = {{{"name", "wheel"}, {"mass", 40.0}, {"inertia", {1.0, 1.0, 1.0}}, {"position", {0, 0, 0.3}}},
                     {{"name", "body"}, {"mass", 350.0}, {"inertia", {9.0, 9.0, 9.0}}, {"position", {0, 0, 0.3}}}};
  model["joints"] = {{{"name", "a"}, {"kind", "translational"}, {"markers", {ground, wheel}}},
                     {{"name", "b"}, {"kind", "translational"}, {"markers", {wheel, body}}}};
  model["bushings"] = Json::array({link("strut", wheel, body, 2e4, 1500.0)});
  model["tyres"] = Json::array({{{"name", "tyre"},
                                 {"body", "wheel"},
                                 {"radius", 0.3},
                                 {"stiffness", 2e5},
                                 {"damping", 50.0},
                                 {"road", {{"height", "0.01*sin(12*t) + 0.003*sin(70*t)"}}}}});
  return model;
}

std::vector<double> wheel_heights(const Json& model) {
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  std::vector<double> out;
  const RunResult result = simulate(
      system, file.run, [&](const RunState& s, const Evaluation&) { out.push_back(s.q[system.q_at(0) + 2]); },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  return out;
}

// A digital controller without an effect makes the scheme begin anew at each sample, at the state that is there: with
// the road of that instant. The scheme's own error is of second order, and so is what beginning anew changes: a quarter
// of it at half the step. Oracle: the same car without the controller.
TEST(ElementsTogether, SamplesLeaveTyresOnTheirRoad) {
  double last = 0.0;
  for (const double step : {1e-3, 5e-4}) {
    Json model = quarter_car();
    model["run"]["step_s"] = step;
    const std::vector<double> alone = wheel_heights(model);
    model["controllers"] = Json::array(
        {{{"name", "idle"}, {"input", "body.velocity.z"}, {"output", "force"}, {"gain", 0.0}, {"sample_s", 0.01}}});
    model["loads"] = {{{"name", "act"}, {"marker", {{"body", "body"}}}, {"force", {0.0, 0.0, "idle.force"}}}};
    const std::vector<double> sampled = wheel_heights(model);
    ASSERT_EQ(alone.size(), sampled.size());
    double size = 0.0, most = 0.0;
    for (std::size_t i = 0; i < alone.size(); ++i) {
      size = std::max(size, std::abs(alone[i] - alone[0]));
      most = std::max(most, std::abs(sampled[i] - alone[i]));
    }
    EXPECT_GT(size, 5e-3);
    EXPECT_LT(
        most,
        2e-3 * size);  // 70 rad/s and steps of 1 ms: (70e-3)^2/12 is 4e-4 of the fast part for each sample's restart
    if (last > 0.0) EXPECT_LT(most, 0.4 * last);
    last = most;
  }
}

}  // namespace
}  // namespace kdyn::mbs
