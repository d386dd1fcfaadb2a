// SPDX-License-Identifier: Apache-2.0
// Model files: what is wrong is said by field, and what was computed before a failure is kept.
#include <gtest/gtest.h>

#include <functional>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::mbs {
namespace {

Json pendulum() {
  return {{"gravity", {0.0, -9.81, 0.0}},
          {"run", {{"step_s", 1e-3}, {"duration_s", 0.1}}},
          {"bodies", {{{"name", "bar"}, {"mass", 2.0}, {"centre", {0.5, 0.0, 0.0}}, {"inertia", {0.01, 0.17, 0.17}}}}},
          {"joints", {{{"name", "hinge"}, {"kind", "revolute"}, {"markers", {{{"body", "ground"}}, {{"body", "bar"}}}}}}},
          {"springs",
           {{{"name", "coil"},
             {"markers", {{{"body", "ground"}, {"position", {1.0, 1.0, 0.0}}}, {{"body", "bar"}, {"position", {1.0, 0.0, 0.0}}}}},
             {"law", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 100.0}, {"damping", 1.0}}}}},
             {"rest_length", 0.9}}}},
          {"loads", {{{"name", "push"}, {"marker", {{"body", "bar"}}}, {"force", {0.0, "3*sin(t)", {{0.0, 0.0}, {1.0, 2.0}}}}}}}};
}

struct Refusal {
  std::string where, text;
};
Refusal refusal(const std::function<void(Json&)>& change) {
  Json model = pendulum();
  change(model);
  try {
    const System system(model_from_json(model, "model").model);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return {error.where(), error.what()};
  }
  return {};
}

TEST(MultibodyModelFile, ReadsAPendulumAndRuns) {
  const ModelFile file = model_from_json(pendulum(), "model");
  EXPECT_EQ(file.model.joints.size(), 1u);
  EXPECT_DOUBLE_EQ(file.run.step_s, 1e-3);
  const System system(file.model);
  const RunResult run = simulate(system, file.run, {}, silent_progress());
  EXPECT_EQ(run.status, RunStatus::done) << run.reason;
  EXPECT_NEAR(run.last_time, 0.1, 1e-12);
}

TEST(MultibodyModelFile, NamesWhatIsWrong) {
  EXPECT_EQ(refusal([](Json& m) { m["joints"][0]["kind"] = "revolut"; }).where, "model.joints[0].kind");
  EXPECT_NE(refusal([](Json& m) { m["joints"][0]["kind"] = "revolut"; }).text.find("revolute"), std::string::npos);
  EXPECT_EQ(refusal([](Json& m) { m["joints"][0]["markers"][1]["body"] = "bra"; }).where, "model.joints[0].markers[1].body");
  EXPECT_EQ(refusal([](Json& m) { m["joints"][0]["markers"][1]["body"] = "ground"; }).where, "joint hinge");
  EXPECT_EQ(refusal([](Json& m) { m["bodies"][0]["mass"] = 0.0; }).where, "model.bodies[0].mass");
  EXPECT_EQ(refusal([](Json& m) { m["bodies"][0]["inertia"] = {0.0, 0.0, 0.0}, m["bodies"][0]["centre"] = {0.0, 0.0, 0.0}; }).where, "body bar");
  EXPECT_EQ(refusal([](Json& m) { m["bodies"][0]["inertia"] = {0.01, 0.02, 0.2}; }).where, "model.bodies[0].inertia");
  EXPECT_EQ(refusal([](Json& m) { m["loads"][0]["force"][2] = {{0.0, nullptr}, {1.0, 2.0}}; }).where, "model.loads[0].force[2][0]");
  EXPECT_EQ(refusal([](Json& m) { m["loads"][0]["force"][2] = {{1.0, 0.0}, {0.0, 2.0}}; }).where, "model.loads[0].force[2][1]");
  EXPECT_EQ(refusal([](Json& m) { m["springs"][0]["law"]["parameters"]["stiffness"] = -5.0; }).where, "model.springs[0].law.parameters.stiffness");
  EXPECT_EQ(refusal([](Json& m) { m["springs"][0]["color"] = "red"; }).where, "model.springs[0].color");
  EXPECT_EQ(refusal([](Json& m) { m["run"]["step_s"] = 0.0; }).where, "model.run.step_s");
}

TEST(MultibodyModelFile, SaysWhichFileIsMissing) {
  Json model = pendulum();
  model["springs"][0]["law"] = "no_such_law.json";
  try {
    model_from_json(model, "model", "folder");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::file_access);
    EXPECT_NE(std::string(error.what()).find("no_such_law.json"), std::string::npos);
  }
}

TEST(MultibodyModelFile, KeepsWhatWasComputedBeforeItDiverged) {
  ModelFile file = model_from_json(pendulum(), "model");
  // Two iterations are too few once the bar moves fast.
  file.run.max_iterations = 2;
  file.run.step_s = 0.02;
  file.run.duration_s = 5.0;
  file.run.tolerance = 1e-14;
  const System system(file.model);
  int samples = 0;
  const RunResult run = simulate(
      system, file.run, [&](const RunState&, const Evaluation&) { ++samples; }, silent_progress());
  EXPECT_EQ(run.status, RunStatus::diverged);
  EXPECT_NE(run.reason.find("Newton"), std::string::npos);
  EXPECT_EQ(samples, run.counts.steps + 1);
  EXPECT_NEAR(run.last_time, static_cast<double>(run.counts.steps) * file.run.step_s, 1e-12);
}

TEST(MultibodyModelFile, SaysThatAMechanismHasNoStaticEquilibrium) {
  Json model = pendulum();
  model.erase("springs");
  model["gravity"] = {0.0, 0.0, 0.0};
  model.erase("loads");
  model["run"]["static_start"] = true;
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  const RunResult run = simulate(system, file.run, {}, silent_progress());
  EXPECT_EQ(run.status, RunStatus::no_static_equilibrium);
  EXPECT_NE(run.reason.find("free motion"), std::string::npos);
}

}  // namespace
}  // namespace kdyn::mbs
