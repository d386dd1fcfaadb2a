// SPDX-License-Identifier: Apache-2.0
// Model files: what is wrong is said by field, and what was computed before a failure is kept.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::mbs {
namespace {

Json pendulum() {
  return {
      {"gravity", {0.0, -9.81, 0.0}},
      {"run", {{"step_s", 1e-3}, {"duration_s", 0.1}}},
      {"bodies", {{{"name", "bar"}, {"mass", 2.0}, {"centre", {0.5, 0.0, 0.0}}, {"inertia", {0.01, 0.17, 0.17}}}}},
      {"joints", {{{"name", "hinge"}, {"kind", "revolute"}, {"markers", {{{"body", "ground"}}, {{"body", "bar"}}}}}}},
      {"springs",
       {{{"name", "coil"},
         {"markers",
          {{{"body", "ground"}, {"position", {1.0, 1.0, 0.0}}}, {{"body", "bar"}, {"position", {1.0, 0.0, 0.0}}}}},
         {"law", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 100.0}, {"damping", 1.0}}}}},
         {"rest_length", 0.9}}}},
      {"loads",
       {{{"name", "push"}, {"marker", {{"body", "bar"}}}, {"force", {0.0, "3*sin(t)", {{0.0, 0.0}, {1.0, 2.0}}}}}}}};
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
  EXPECT_EQ(refusal([](Json& m) { m["joints"][0]["markers"][1]["body"] = "bra"; }).where,
            "model.joints[0].markers[1].body");
  EXPECT_EQ(refusal([](Json& m) { m["joints"][0]["markers"][1]["body"] = "ground"; }).where, "joint hinge");
  EXPECT_EQ(refusal([](Json& m) { m["bodies"][0]["mass"] = 0.0; }).where, "model.bodies[0].mass");
  EXPECT_EQ(refusal([](Json& m) {
              m["bodies"][0]["inertia"] = {0.0, 0.0, 0.0}, m["bodies"][0]["centre"] = {0.0, 0.0, 0.0};
            }).where,
            "body bar");
  EXPECT_EQ(refusal([](Json& m) { m["bodies"][0]["inertia"] = {0.01, 0.02, 0.2}; }).where, "model.bodies[0].inertia");
  EXPECT_EQ(refusal([](Json& m) {
              m["loads"][0]["force"][2] = {{0.0, nullptr}, {1.0, 2.0}};
            }).where,
            "model.loads[0].force[2][0]");
  EXPECT_EQ(refusal([](Json& m) {
              m["loads"][0]["force"][2] = {{1.0, 0.0}, {0.0, 2.0}};
            }).where,
            "model.loads[0].force[2][1]");
  EXPECT_EQ(refusal([](Json& m) { m["springs"][0]["law"]["parameters"]["stiffness"] = -5.0; }).where,
            "model.springs[0].law.parameters.stiffness");
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

// Held out horizontally the tangent has no stiffness; below the hinge it hangs at rest. Oracle: gravity.
TEST(MultibodyModelFile, APendulumHeldOutIsLetDown) {
  Json model = {
      {"gravity", {0.0, -9.81, 0.0}},
      {"run", {{"step_s", 1e-3}, {"duration_s", 0.1}, {"static_start", true}}},
      {"bodies", {{{"name", "bar"}, {"mass", 2.0}, {"centre", {0.5, 0.0, 0.0}}, {"inertia", {0.01, 0.17, 0.17}}}}},
      {"markers", {{{"name", "tip"}, {"body", "bar"}, {"position", {1.0, 0.0, 0.0}}}}},
      {"joints",
       {{{"name", "hinge"}, {"kind", "revolute"}, {"markers", {Json{{"body", "ground"}}, Json{{"body", "bar"}}}}}}}};
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  const RunResult run = simulate(
      system, file.run,
      [&](const RunState&, const Evaluation& e) {
        EXPECT_NEAR(e.frame[0].u.x(), 0.0, 1e-9);
        EXPECT_NEAR(e.frame[0].u.y(), -1.0, 1e-9);
      },
      silent_progress());
  EXPECT_EQ(run.status, RunStatus::done) << run.reason;
}

// The pendulum with a bushing at its hinge's other end.
Json with_bushing(const Json& laws) {
  Json model = pendulum();
  model["bushings"] = {
      {{"name", "left"},
       {"markers",
        {{{"body", "ground"}, {"position", {1.0, 0.0, 0.0}}}, {{"body", "bar"}, {"position", {1.0, 0.0, 0.0}}}}},
       {"laws", laws}}};
  return model;
}

Json bushing_model(const char* coupling) {
  const Json spring = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 1e4}, {"damping", 10.0}}}};
  return {{"model", "bushing"}, {"coupling", coupling}, {"axes", {{"fx", spring}, {"fz", {{"model", spring}}}}}};
}

TEST(MultibodyModelFile, TakesABushingModel) {
  // In place, and by the name of a file beside the model: the coupling and the axes are those of the bushing model.
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "kdyn_bushing_model";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "bushing.json") << bushing_model("spherical").dump();
  for (const Json& laws : {bushing_model("spherical"), Json("bushing.json")}) {
    const Model model = model_from_json(with_bushing(laws), "model", folder.string()).model;
    const Connection& c = model.connections[0];
    EXPECT_EQ(c.coupling, Coupling::spherical);
    EXPECT_TRUE(c.laws[0] && c.laws[2]);
    EXPECT_FALSE(c.laws[1] || c.laws[3] || c.laws[4] || c.laws[5]);
    EXPECT_EQ(System(model).coupled().size(), 1u);
  }
  // The bushing itself may say it, too, or alone.
  Json said = with_bushing(bushing_model("cylindrical")["axes"]);
  said["bushings"][0]["coupling"] = "cylindrical";
  EXPECT_EQ(model_from_json(said, "model").model.connections[0].coupling, Coupling::cylindrical);
  EXPECT_EQ(model_from_json(with_bushing(bushing_model("none")["axes"]), "model").model.connections[0].coupling,
            Coupling::none);
  Json twice = with_bushing(bushing_model("cylindrical"));
  twice["bushings"][0]["coupling"] = "cylindrical";
  EXPECT_EQ(model_from_json(twice, "model").model.connections[0].coupling, Coupling::cylindrical);
  std::filesystem::remove_all(folder);
}

TEST(MultibodyModelFile, NamesWhatIsWrongWithABushingModel) {
  const auto where = [](const std::function<void(Json&)>& change) {
    return refusal([&](Json& m) {
             m = with_bushing(bushing_model("cylindrical"));
             change(m["bushings"][0]);
           })
        .where;
  };
  EXPECT_EQ(where([](Json& b) { b["coupling"] = "spherical"; }),
            "model.bushings[0].coupling");  // against the model's own
  EXPECT_EQ(where([](Json& b) { b["coupling"] = "radial"; }), "model.bushings[0].coupling");
  EXPECT_EQ(where([](Json& b) { b["laws"]["coupling"] = 3; }), "model.bushings[0].laws.coupling");
  EXPECT_EQ(where([](Json& b) { b["laws"]["axes"]["fq"] = 3; }), "model.bushings[0].laws.axes.fq");
  EXPECT_EQ(where([](Json& b) { b["laws"]["axes"]["fx"] = "spring.json"; }), "model.bushings[0].laws.axes.fx");
  EXPECT_EQ(where([](Json& b) { b["laws"]["axes"]["fx"] = b["laws"]; }), "model.bushings[0].laws.axes.fx");
  EXPECT_EQ(where([](Json& b) { b["laws"]["axes"] = Json::object(); }), "model.bushings[0].laws.axes");
  EXPECT_EQ(where([](Json& b) { b["laws"]["scale"] = 2.0; }), "model.bushings[0].laws.scale");
  EXPECT_EQ(where([](Json& b) { b["laws"] = b["laws"]["axes"]["fx"]; }), "model.bushings[0].laws.model");
  EXPECT_EQ(where([](Json& b) { b["laws"] = {{"fx", b["laws"]}}; }), "model.bushings[0].laws.fx");
  EXPECT_EQ(refusal([](Json& m) { m["springs"][0]["coupling"] = "cylindrical"; }).where, "model.springs[0].coupling");
}

TEST(MultibodyModelFile, TakesAnActiveMountAndSaysWhatItIs) {
  Json parameters;
  for (const auto& [name, value] : std::map<std::string, double>{
           {"cT1", 418.1e3}, {"cT2", 48.1e3}, {"dT1", 268.7},    {"dT2", 11.1},     {"cB1", 180.4e3},  {"cB2", 272.9e3},
           {"dB1", 1525.7},  {"dB2", 62.9},   {"AT", 3872.4e-6}, {"AB", 2362.2e-6}, {"AA", 1683.9e-6}, {"AK", 92.5e-6},
           {"lK", 0.3288},   {"dK", 0.4},     {"rho", 1000.0},   {"cA", 53.5e3},    {"dA", 19.5},      {"mA", 0.1058},
           {"R", 3.7},       {"L", 3.5e-3},   {"kM", 14.0}})
    parameters[name] = value;
  const ModelFile file =
      model_from_json(with_bushing({{"fy", {{"model", "activemount"}, {"parameters", parameters}}}}), "model");
  ASSERT_EQ(file.findings.size(), 1u);
  EXPECT_EQ(file.findings[0].code, "active_mount_sides");
  const System system(file.model);
  EXPECT_EQ(system.states(), 7);
  EXPECT_EQ(simulate(system, file.run, {}, silent_progress()).status, RunStatus::done);
}

}  // namespace
}  // namespace kdyn::mbs
