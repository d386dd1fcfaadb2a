// SPDX-License-Identifier: Apache-2.0
// The operations of hydro mounts, of active mounts and of the comparison, run as a front end would, on the bundled
// data.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "kdyn/app/operation.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::app {
namespace {

const std::string data_folder = std::string(KDYN_SOURCE_DIR) + "/data/";

Outcome run(const std::string& name, const Json& options) {
  const Operation* operation = find_operation(name);
  EXPECT_NE(operation, nullptr);
  return run_operation(*operation, options, silent_progress());
}

ErrorCode code_of(const std::string& name, const Json& options) {
  try {
    run(name, options);
  } catch (const Error& e) {
    EXPECT_FALSE(e.where().empty());
    return e.code();
  }
  return ErrorCode::internal;
}

// Oracle: data/hydro_mount/MANIFEST.json. The file that is written runs on the rig as the fit says.
TEST(FitHydroMountOperation, FindsTheBundledMountAndWritesAModelThatRuns) {
  const std::string folder = data_folder + "hydro_mount/";
  const Outcome outcome = run("fit hydromount", {{"data", {folder + "map.csv", folder + "static.csv"}},
                                                 {"chamber_area", 4.8e-3},
                                                 {"channel_area", 6.2e-5},
                                                 {"fluid_density", 1050.0}});
  const Json& r = outcome.result;
  EXPECT_EQ(r["status"], "converged");
  EXPECT_TRUE(outcome.complete);
  ASSERT_TRUE(outcome.document.has_value());
  // Noise of the set: 0.7 % and 0.3 deg.
  EXPECT_NEAR(r["fit"]["rms_kdyn_rel"].get<double>(), 0.007, 0.001);
  EXPECT_NEAR(r["fit"]["rms_loss_deg"].get<double>(), 0.3, 0.05);
  const auto near_truth = [&](const char* name, double truth, double tolerance) {
    EXPECT_NEAR(r["parameters"][name]["value"].get<double>(), truth, tolerance * truth) << name;
  };
  // Four standard deviations of the fit.
  near_truth("channel_length", 0.21, 0.011);
  near_truth("chamber_stiffness", 560e3, 0.022);
  near_truth("decoupler_clearance", 1.2e-4, 0.031);
  for (const char* key : {"value", "unit", "std", "lower_95", "upper_95", "status"})
    EXPECT_TRUE(r["parameters"]["effective_mass"].contains(key)) << key;
  EXPECT_GE(r["levels"].size(), 3u);
  EXPECT_EQ(r["map"].size(), 162u);
  ASSERT_EQ(outcome.files.front().name, "model.json");
  const std::filesystem::path model = std::filesystem::temp_directory_path() / "kdyn_hydromount_operation_test.json";
  write_text(model.string(), outcome.files.front().content);
  const Json rig =
      run("rig", {{"model", model.string()}, {"program", "map"}, {"frequencies_hz", {9.0}}, {"amplitudes_m", {5e-4}}})
          .result;
  std::filesystem::remove(model);
  for (const Json& row : r["map"])
    if (row["frequency_hz"] == 9.0 && std::abs(row["amplitude_m"].get<double>() - 5e-4) < 1e-9) {
      // Harmonics 1, 3, 5 of the fit against the whole law on the rig.
      EXPECT_NEAR(rig["map"][0]["k_dyn"].get<double>() / row["k_dyn_model"].get<double>(), 1.0, 5e-3);
    }
}

TEST(AemOperation, TellsTheContractedKeys) {
  const Outcome outcome = run(
      "aem", {{"model", data_folder + "active_mount/model.json"}, {"stability_step_hz", 75.0}, {"duration_s", 1.0}});
  const Json& r = outcome.result;
  EXPECT_TRUE(outcome.complete);
  ASSERT_TRUE(outcome.document.has_value());
  // Values of the published mount (reference/active_mount.json of the module): poles 9.6095 and 280.4834 Hz.
  std::vector<double> pairs;
  for (const Json& pole : r["poles"])
    if (pole["im"].get<double>() > 0.0) pairs.push_back(pole["frequency_hz"].get<double>());
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_NEAR(pairs[0], 280.48340957, 1e-6);
  EXPECT_NEAR(pairs[1], 9.60951426, 1e-7);
  EXPECT_GT(r["zeros"].size(), 15u);
  EXPECT_NEAR(r["phase_envelope"]["temperature_x_preload"]["S_x"]["max_deg"].get<double>(), 64.514, 0.1);
  EXPECT_NEAR(r["phase_envelope"]["temperature_x_preload"]["S_y"]["max_deg"].get<double>(), 45.154, 0.1);
  EXPECT_FALSE(r["stability"]["limits"].empty());
  EXPECT_LT(r["stability"]["control_run"]["attenuation_db"].get<double>(), -10.0);
  EXPECT_EQ(r["provenance"]["inputs"].size(), 1u);
}

TEST(AemOperation, HotMountWithAFastLoopIsReported) {
  // At 0.4 the loop is unstable even with an exact estimate below 100 Hz.
  const Outcome outcome = run("aem", {{"model", data_folder + "active_mount/model.json"},
                                      {"stability_step_hz", 150.0},
                                      {"steps", {0.01}},
                                      {"step", 0.4},
                                      {"plant", "65 C"},
                                      {"duration_s", 2.0}});
  EXPECT_EQ(outcome.result["stability"]["control_run"]["status"], "diverged");
  bool told = false;
  for (const Json& f : outcome.result["findings"]) told = told || f["code"] == "control_diverged";
  EXPECT_TRUE(told);
}

TEST(AemOperation, RefusesWithTheRightCode) {
  EXPECT_EQ(code_of("aem", {{"model", "no_such_file.json"}}), ErrorCode::file_access);
  EXPECT_EQ(code_of("aem", {{"model", data_folder + "cab_mount/x_truth.json"}}), ErrorCode::bad_input);  // an elastomer
  EXPECT_EQ(code_of("aem", {{"model", data_folder + "active_mount/model.json"}, {"plant", "80 C"}}),
            ErrorCode::bad_input);
  EXPECT_EQ(code_of("aem", {{"model", data_folder + "active_mount/model.json"}, {"frequency_upper_hz", 1500.0}}),
            ErrorCode::bad_input);
  EXPECT_EQ(code_of("aem", {{"model", data_folder + "active_mount/model.json"}, {"variations", "model"}}),
            ErrorCode::bad_input);
  EXPECT_EQ(code_of("aem", {}), ErrorCode::bad_input);
}

TEST(FitActiveMountOperation, IdentifiesTheBundledMount) {
  const Outcome outcome =
      run("fit activemount", {{"data", {data_folder + "active_mount/s_x.csv", data_folder + "active_mount/p_yx.csv"}},
                              {"model", data_folder + "active_mount/model.json"},
                              {"starts", 3}});
  EXPECT_TRUE(outcome.complete);
  const Json truth = read_json(data_folder + "active_mount/model.json")["parameters"];
  int inside = 0, free = 0;
  for (const auto& [name, p] : outcome.result["parameters"].items()) {
    if (p["status"] != "free") continue;
    ++free;
    inside += p["lower_95"].get<double>() <= truth[name].get<double>() &&
              truth[name].get<double>() <= p["upper_95"].get<double>();
  }
  EXPECT_EQ(free, 12);
  EXPECT_GE(inside, 9);                                                   // twelve correlated intervals of 95 %
  EXPECT_LT(outcome.result["fit"]["rms_kdyn_rel"].get<double>(), 0.015);  // noise 1 %
  EXPECT_EQ(code_of("fit activemount", {{"data", {data_folder + "cab_mount/x_map.csv"}}}), ErrorCode::bad_input);
}

TEST(RigOperation, RunsEveryOtherLaw) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "kdyn_rig_laws";
  const std::vector<std::pair<const char*, const char*>> models = {
      {"kelvin_voigt", R"({"stiffness": 3e5, "damping": 400})"},
      {"maxwell", R"({"static_stiffness": 3e5, "stiffness": [5e4], "relaxation_time": [0.004]})"},
      {"berg",
       R"({"stiffness": 3e5, "friction_max": 50, "friction_displacement": 2e-4, "viscous_stiffness": 3e4, "relaxation_time": 0.004})"},
      {"bouc_wen",
       R"({"stiffness": 3e5, "hysteretic_stiffness": 1e5, "yield_displacement": 2e-4, "sharpness": 1.5, "shape": 0.6, "damping": 300})"},
      {"fractional_zener", R"({"static_stiffness": 3e5, "hardening": 1.0, "relaxation_time": 1e-4, "order": 0.4})"},
      {"payne",
       R"({"static_stiffness": 3e5, "payne_stiffness": 2e5, "payne_displacement": 3e-4, "onset_exponent": 1.2, "tail_exponent": 0.8,
                    "link_stiffness": 1e4, "frequency_exponent": 0.1, "kept_share": 0.3})"}};
  for (const auto& [model, parameters] : models) {
    const std::string path = (folder / (std::string(model) + ".json")).string();
    write_text(path, std::string(R"({"model": ")") + model + R"(", "parameters": )" + parameters + "}");
    const Outcome outcome =
        run("rig", {{"model", path}, {"program", "map"}, {"frequencies_hz", {5.0}}, {"amplitudes_m", {3e-4}}});
    ASSERT_EQ(outcome.result["map"].size(), 1u) << model;
    EXPECT_GT(outcome.result["map"][0]["k_dyn"].get<double>(), 3e5) << model;
    EXPECT_GT(outcome.result["map"][0]["loss_angle_deg"].get<double>(), 0.5) << model;
  }
  fs::remove_all(folder);
}

TEST(FitCompareOperation, RanksTheBundledCabMount) {
  const Outcome outcome = run("fit compare", {{"data", {data_folder + "cab_mount/x_map.csv"}}, {"starts", 3}});
  const Json& ranking = outcome.result["ranking"];
  ASSERT_EQ(ranking.size(), 8u);
  // The cab mount was made with Masing friction and a limit: the elastomer must win, linear laws must lose.
  EXPECT_TRUE(ranking[0]["law"] == "elastomer_masing" || ranking[0]["law"] == "elastomer_g4") << ranking[0]["law"];
  EXPECT_LT(ranking[0]["score"].get<double>(), 0.015);
  EXPECT_GT(ranking[7]["score"].get<double>(), 0.05);
  EXPECT_TRUE(outcome.document.has_value());
  EXPECT_EQ(code_of("fit compare", {{"data", {data_folder + "cab_mount/x_static.csv"}}}), ErrorCode::bad_input);
}

}  // namespace
}  // namespace kdyn::app
