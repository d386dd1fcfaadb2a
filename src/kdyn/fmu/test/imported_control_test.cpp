// SPDX-License-Identifier: Apache-2.0
// FMUs for co-simulation as controllers of a multibody model. Oracles: the law that the FMU was made from in the same
// model, and the whole model without a cut; the order in the communication step.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/fmu/fmu.hpp"
#include "kdyn/fmu/system_fmu.hpp"
#include "kdyn/fmu/test/sample_models.hpp"
#include "kdyn/mbs/fmu_law.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/run.hpp"
#include "kdyn/mbs/run_snapshot.hpp"

namespace kdyn::inline fmu {
namespace {

using mbs::RunStatus;

const Json spring = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 3e5}, {"damping", 2500.0}}}};

class CoSimulationController : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "kdyn_control_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const Json& law, int version = 2) {
    write_text((folder_ / name).string(), make_fmu(law, "element", {.version = version}).archive);
  }
  // A body of 50 kg on a spring and the element beside it, pushed by two sines.
  static Json plant(double step = 1.25e-4) {
    return {
        {"gravity", {0, 0, -9.81}},
        {"run", {{"step_s", step}, {"duration_s", 0.3}, {"static_start", true}, {"tolerance", 1e-12}}},
        {"bodies", {{{"name", "block"}, {"mass", 50.0}, {"inertia", {1, 1, 1}}}}},
        {"joints",
         {{{"name", "rail"}, {"kind", "translational"}, {"markers", {{{"body", "ground"}}, {{"body", "block"}}}}}}},
        {"bushings",
         {{{"name", "b"},
           {"markers", {{{"body", "ground"}}, {{"body", "block"}}}},
           {"laws", {{"fz", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 5e5}, {"damping", 300.0}}}}}}}}}},
        {"loads",
         {{{"name", "push"},
           {"marker", {{"body", "block"}}},
           {"force", {0, 0, "150*sin(2*pi*7*t) + 60*sin(2*pi*23*t)"}}}}}};
  }
  static Json with_law(const Json& law) {
    Json model = plant();
    model["bushings"].push_back(
        {{"name", "m"}, {"markers", {{{"body", "ground"}}, {{"body", "block"}}}}, {"laws", {{"fz", law}}}});
    return model;
  }
  static Json with_fmu(const std::string& file, double sample, const std::string& outputs) {
    Json model = plant();
    model["controllers"] = Json::array({{{"name", "m"},
                                         {"inputs",
                                          {{{"name", "displacement"}, {"formula", "b.fz.deflection"}},
                                           {{"name", "velocity"}, {"formula", "b.fz.rate"}}}},
                                         {"outputs", Json::array({"force"})},
                                         {"sample_s", sample},
                                         {"fmu", {{"file", file}, {"outputs", outputs}}}}});
    model["bushings"][0]["forces"] = {{"fz", "m.force"}};
    return model;
  }
  mbs::ModelFile read(const Json& model, bool allowed = true) const {
    const mbs::RunsForeignCode consent(allowed);
    return mbs::model_from_json(model, "model", folder_.string());
  }
  std::vector<double> path(const Json& model) const {
    const mbs::ModelFile file = read(model);
    std::vector<double> out;
    const mbs::RunResult run = mbs::simulate(
        mbs::System(file.model), file.run,
        [&](const mbs::RunState& s, const mbs::Evaluation&) { out.push_back(s.q[2]); }, silent_progress());
    EXPECT_EQ(run.status, RunStatus::done) << run.reason;
    return out;
  }
  static double apart(const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_EQ(a.size(), b.size());
    double worst = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      worst = std::max(worst, std::abs(a[i] - b[i])), largest = std::max(largest, std::abs(a[i] - a[0]));
    return worst / largest;
  }
  std::string refusal(const Json& model, bool allowed = true) const {
    try {
      read(model, allowed);
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty());
      return std::string(error.what());
    }
    return "";
  }

  std::filesystem::path folder_;
};

// Outputs that are held converge with the communication step, those that are carried on with its square.
TEST_F(CoSimulationController, ConvergesToTheLawItWasMadeFrom) {
  for (const int version : {2, 3}) {
    write("element.fmu", spring, version);
    const std::vector<double> native = path(with_law(spring));
    const auto error = [&](double sample, const char* outputs) {
      return apart(native, path(with_fmu("element.fmu", sample, outputs)));
    };
    const double held = error(1e-3, "held"), held_half = error(5e-4, "held"), carried = error(1e-3, "linear"),
                 carried_half = error(5e-4, "linear");
    std::printf("[ figure ] FMI %d: held %.1e %.1e, carried on %.1e %.1e\n", version, held, held_half, carried,
                carried_half);
    EXPECT_NEAR(held / held_half, 2.0, 0.5);
    EXPECT_NEAR(carried / carried_half, 4.0, 1.2);
    EXPECT_LT(carried_half, 0.2 * held_half);
  }
}

// The weight rests on both, and the state is that of the law: friction and states of an elastomer, too.
TEST_F(CoSimulationController, RestsWithTheModel) {
  write("element.fmu", test::elastomer());
  const std::vector<double> native = path(with_law(test::elastomer())),
                            imported = path(with_fmu("element.fmu", 1.25e-4, "linear"));
  EXPECT_NEAR(native[0], imported[0], 1e-9 * std::abs(native[0]));
  EXPECT_LT(apart(native, imported), 1e-2);
}

// A system of kdyn as FMU inside another one: a mass on a spring, a damper and a controller of its own, whose base the
// outer model moves, against the model in one piece.
TEST_F(CoSimulationController, RunsASystemFmuOfKdyn) {
  const Json link = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 8e4}, {"damping", 400.0}}}};
  const auto rail = [](const char* body) -> Json {
    return {{"name", std::string(body) + "_rail"},
            {"kind", "translational"},
            {"markers", {{{"body", "ground"}}, {{"body", body}}}}};
  };
  Json inner = {{"run", {{"step_s", 1.25e-4}, {"duration_s", 1.0}}}};
  inner["bodies"] = Json::array({{{"name", "base"}, {"mass", 1e-3}, {"inertia", {1, 1, 1}}},
                                 {{"name", "rider"}, {"mass", 8.0}, {"inertia", {1, 1, 1}}}});
  inner["joints"] = Json::array({rail("base"), rail("rider")});
  inner["joints"].push_back({{"name", "table"},
                             {"kind", "drive_translation"},
                             {"axis", "z"},
                             {"markers", {{{"body", "ground"}}, {{"body", "base"}}}},
                             {"drive", 0.0}});
  inner["bushings"] = Json::array(
      {{{"name", "seat"}, {"markers", {{{"body", "base"}}, {{"body", "rider"}}}}, {"laws", {{"fz", link}}}}});
  inner["bushings"][0]["forces"] = {{"fz", "follow.output"}};
  inner["controllers"] = Json::array({{{"name", "follow"},
                                       {"input", "seat.fz.rate"},
                                       {"filter", {{"time_constant_s", 0.01}, {"gain", 150.0}}},
                                       {"limits", {-1e4, 1e4}}}});
  const SystemFmu system = make_system_fmu(mbs::model_from_json(inner, "inner"),
                                           {.inputs = {"table"}, .outputs = {"seat.fz.load"}}, {.name = "rider"});
  write_text((folder_ / "rider.fmu").string(), system.fmu.archive);

  Json whole = plant();
  whole["gravity"] = {0, 0, 0};
  Json outer = whole;
  whole["bodies"].push_back(inner["bodies"][1]);
  whole["joints"].push_back(rail("rider"));
  whole["bushings"].push_back({{"name", "seat"},
                               {"markers", {{{"body", "block"}}, {{"body", "rider"}}}},
                               {"laws", {{"fz", link}}},
                               {"forces", {{"fz", "follow.output"}}}});
  whole["controllers"] = inner["controllers"];
  const auto cut = [&](double sample) {
    Json model = outer;
    model["controllers"] = Json::array(
        {{{"name", "rider"},
          {"inputs",
           {{{"name", "drive"}, {"formula", "block.position.z"}}, {{"name", "rate"}, {"formula", "block.velocity.z"}}}},
          {"outputs", Json::array({"load"})},
          {"sample_s", sample},
          {"fmu",
           {{"file", "rider.fmu"},
            {"outputs", "linear"},
            {"variables", {{"drive", "table.drive"}, {"rate", "table.drive_rate"}, {"load", "seat.fz.load"}}}}}}});
    model["loads"][0]["force"][2] = "150*sin(2*pi*7*t) + 60*sin(2*pi*23*t) + rider.load";
    return model;
  };
  const std::vector<double> native = path(whole);
  const double coarse = apart(native, path(cut(1e-3))), fine = apart(native, path(cut(5e-4)));
  std::printf("[ figure ] system FMU in a model: %.1e %.1e\n", coarse, fine);
  EXPECT_LT(fine, 5e-3);
  EXPECT_NEAR(coarse / fine, 4.0, 1.5);
}

// A run that is restored from its own snapshot goes on with the same bits.
TEST_F(CoSimulationController, GoesOnFromASnapshot) {
  write("element.fmu", test::elastomer());
  const mbs::ModelFile file = read(with_fmu("element.fmu", 5e-4, "linear"));
  const mbs::System system(file.model);
  mbs::Run run(system, file.run);
  ASSERT_EQ(run.start().status, RunStatus::done);
  std::string reason;
  for (int i = 0; i < 102; ++i) ASSERT_TRUE(run.step(reason)) << reason;
  const mbs::RunSnapshot snapshot = run.snapshot();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(run.step(reason)) << reason;
  const mbs::VectorX q = run.state().q;
  mbs::Run again(system, file.run);
  again.restore(snapshot, "snapshot");
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(again.step(reason)) << reason;
  EXPECT_EQ((q - again.state().q).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_GT(run.unit_jump(0), 0.0);
  // The FMU belongs to the run that began it last.
  EXPECT_THROW(
      {
        for (int i = 0; i < 8; ++i) run.step(reason);
      },
      Error);
}

TEST_F(CoSimulationController, SaysWhatIsWrong) {
  write("element.fmu", spring);
  const Json good = with_fmu("element.fmu", 1e-3, "held");
  EXPECT_EQ(refusal(good), "");
  EXPECT_NE(refusal(good, false).find("is a program"), std::string::npos);
  const auto with = [&](const std::function<void(Json&)>& change) {
    Json model = good;
    change(model["controllers"][0]);
    return refusal(model);
  };
  EXPECT_NE(with([](Json& c) { c.erase("sample_s"); }).find("communication step"), std::string::npos);
  EXPECT_NE(with([](Json& c) { c["inputs"].erase(1); }).find("no formula: velocity"), std::string::npos);
  EXPECT_NE(with([](Json& c) { c["outputs"][0] = "forse"; }).find("no real variable 'forse'"), std::string::npos);
  EXPECT_NE(with([](Json& c) { c["inputs"][0]["name"] = "force"; }).find("is no input"), std::string::npos);
  EXPECT_NE(with([](Json& c) { c["fmu"]["parameters"] = {{"stifness", 1.0}}; }).find("'stifness'"), std::string::npos);
  write("three.fmu", spring, 3);  // FMI 3.0 has no slopes of inputs
  EXPECT_NE(with([](Json& c) {
              c["fmu"] = {{"file", "three.fmu"}, {"inputs", "linear"}};
            }).find("cannot interpolate"),
            std::string::npos);
  EXPECT_NE(with([](Json& c) { c["fmu"]["outputs"] = "cubic"; }).find("no way to take outputs"), std::string::npos);
  EXPECT_NE(with([](Json& c) { c["initial"] = "zero"; }).find("knows its own start"), std::string::npos);
  EXPECT_NE(with([](Json& c) { c["fmu"]["file"] = "none.fmu"; }), "");
  // A model with an FMU inside is not exported.
  EXPECT_THROW(make_system_fmu(read(good), {}, {.name = "whole"}), Error);
}

}  // namespace
}  // namespace kdyn::inline fmu
