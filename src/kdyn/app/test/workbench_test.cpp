// SPDX-License-Identifier: Apache-2.0
// Oracle: the bundled cab mount was measured on the virtual rig from a known model (data/cab_mount/MANIFEST.json), by
// simulation; the workbench evaluates closed forms. With the truth as model they must agree within the noise of the
// data.
#include "kdyn/app/mount/workbench.hpp"

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn::app {
namespace {

std::string data(const std::string& name) { return std::string(KDYN_SOURCE_DIR) + "/data/cab_mount/" + name; }

TEST(Workbench, TruthMeetsTheMeasurement) {
  const Workbench bench({data("x_map.csv"), data("x_static.csv"), data("x_transient.csv")}, Json::object());
  const Json truth = read_json(data("x_truth.json"));
  EvaluateOptions options;
  options.cycle_hz = 10.0;
  const Json all = bench.evaluate(truth, options);
  // The data carry noise of 0.5 % and 0.1 deg and a few deliberate outliers; a wrong law or unit misses by far more.
  EXPECT_LT(all["misfit"]["rms_kdyn_rel"].get<double>(), 0.02);
  EXPECT_LT(all["misfit"]["rms_loss_deg"].get<double>(), 0.3);
  EXPECT_LT(all["loops"][0]["rms_n"].get<double>(), 10.0);
  EXPECT_LT(all["series"][0]["rms_n"].get<double>(), 10.0);
  EXPECT_EQ(all["cycles"].size(), bench.measured()["map"]["amplitudes_m"].size());
  EXPECT_EQ(all["curves"][0]["k_dyn"].size(), 50u);

  // Both data reductions of the same law come from the same run-time object; the quick path must give its first
  // harmonic.
  options = {};
  options.misfit = options.paths = false;
  Json harmonic = bench.evaluate(truth, options);
  options.loop_criterion = true;
  const Json loop = bench.evaluate(truth, options);
  for (std::size_t i = 0; i < 50; ++i)  // they differ by the third harmonic, a few percent of the stiffness at most
    EXPECT_NEAR(harmonic["curves"][0]["k_dyn"][i].get<double>() / loop["curves"][0]["k_dyn"][i].get<double>(), 1.0,
                0.05);
}

TEST(Workbench, RowsCanBeLeftOutOfTheMisfit) {
  const Workbench bench({data("z_map.csv")}, Json::object());
  const Json truth = read_json(data("z_truth.json"));
  EvaluateOptions options;
  const double with = bench.evaluate(truth, options)["misfit"]["rms_kdyn_rel"];
  options.left_out = {121.0, 229.0};  // lines 123 and 231: outliers according to the data doctor
  const double without = bench.evaluate(truth, options)["misfit"]["rms_kdyn_rel"];
  EXPECT_LT(without, 0.7 * with);
}

TEST(Workbench, BareNumbersAreThoseOfTheCurves) {
  const Workbench bench({data("z_map.csv")}, Json::object());
  const Json truth = read_json(data("z_truth.json"));
  const std::vector<float> bare = bench.follow(truth, {});
  std::size_t at = 0;
  const Json all = bench.evaluate(truth, {});
  for (const Json& curve : all["curves"])
    for (const char* name : {"k_dyn", "loss_angle_deg"})
      for (const double value : curve[name]) {
        ASSERT_LT(at, bare.size());
        EXPECT_EQ(bare[at++], static_cast<float>(value));
      }
  EXPECT_EQ(at, bare.size());
}

TEST(Workbench, RefusesWhatDoesNotExist) {
  const Workbench bench({data("x_map.csv")}, Json::object());
  EvaluateOptions options;
  options.preload = 99;
  EXPECT_THROW(bench.evaluate(read_json(data("x_truth.json")), options), Error);
  EXPECT_THROW(bench.evaluate(Json(3), {}), Error);
  EXPECT_THROW(Workbench({data("nothing.csv")}, Json::object()), Error);
}

TEST(ModelFields, TellUnitMeaningAndBounds) {
  const Json fields = model_fields(read_json(data("x_truth.json")));
  ASSERT_FALSE(fields.empty());
  bool found = false;
  for (const Json& field : fields) {
    if (field["name"] != "rho") continue;
    found = true;
    EXPECT_EQ(field["path"], (Json{"parameters", "rho"}));
    EXPECT_EQ(field["unit"], "1/m");
    EXPECT_FALSE(field["meaning"].get<std::string>().empty());
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(model_fields(Json(3)), Json::array());
}

}  // namespace
}  // namespace kdyn::app
