// SPDX-License-Identifier: Apache-2.0
// Oracle: the bundled cab mount was measured on the virtual rig from a known model (data/cab_mount/MANIFEST.json), by
// simulation; the workbench evaluates closed forms. With the truth as model they must agree within the noise of the
// data.
#include "kdyn/app/mount/workbench.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "kdyn/app/job_record.hpp"
#include "kdyn/app/mount/left_out.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::app {
namespace {

std::string data(const std::string& name) { return std::string(KDYN_SOURCE_DIR) + "/data/cab_mount/" + name; }

TEST(Workbench, TruthMeetsTheMeasurement) {
  const Workbench bench({data("x_map.csv"), data("x_static.csv"), data("x_transient.csv")}, ReadHints{});
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
  const Workbench bench({data("z_map.csv")}, ReadHints{});
  const Json truth = read_json(data("z_truth.json"));
  EvaluateOptions options;
  const double with = bench.evaluate(truth, options)["misfit"]["rms_kdyn_rel"];
  options.left_out = {121.0, 229.0};  // lines 123 and 231: outliers according to the data doctor
  const double without = bench.evaluate(truth, options)["misfit"]["rms_kdyn_rel"];
  EXPECT_LT(without, 0.7 * with);
}

TEST(Workbench, BareNumbersAreThoseOfTheCurves) {
  const Workbench bench({data("z_map.csv")}, ReadHints{});
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
  const Workbench bench({data("x_map.csv")}, ReadHints{});
  EvaluateOptions options;
  options.preload = 99;
  EXPECT_THROW(bench.evaluate(read_json(data("x_truth.json")), options), Error);
  EXPECT_THROW(bench.evaluate(Json(3), {}), Error);
  EXPECT_THROW(Workbench({data("nothing.csv")}, ReadHints{}), Error);
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

// Points are named by the rows of the map: every row is drawn once, and what is left out is exactly what was named.
TEST(LeftOut, TakesTheNamedRowsAndNoOthers) {
  const Json measured = Workbench({data("x_map.csv")}, ReadHints{}).measured();
  std::vector<std::int64_t> rows;
  for (const Json& curve : measured["map"]["curves"])
    for (const Json& row : curve["row"]) rows.push_back(row.get<std::int64_t>());
  std::sort(rows.begin(), rows.end());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], static_cast<std::int64_t>(i));

  StiffnessMap map;
  for (int i = 1; i <= 4; ++i) map.rows.push_back({.frequency_hz = static_cast<double>(i)});
  const StiffnessMap whole = map;
  std::vector<Finding> findings;
  leave_out_rows(map, {}, findings);
  EXPECT_EQ(map.rows.size(), 4u);
  EXPECT_TRUE(findings.empty());
  leave_out_rows(map, {3, 1, 3}, findings);
  ASSERT_EQ(map.rows.size(), 2u);
  EXPECT_EQ(map.rows[0].frequency_hz, 2.0);
  EXPECT_EQ(map.rows[1].frequency_hz, 4.0);
  EXPECT_EQ(findings.size(), 1u);
  for (const std::vector<std::int64_t>& bad : {std::vector<std::int64_t>{0}, {5}, {1, 2, 3, 4}}) {
    map = whole;
    EXPECT_THROW(leave_out_rows(map, bad, findings), Error);
  }
}

// Searches at the same time are kept apart; step 0 begins one anew.
TEST(LiveSearch, KeepsTheLatestOfEachSearch) {
  LiveSearch live;
  const double values[] = {1.5, 2.5};
  live.add("start 1", 0, 9.0, values);
  live.add("start 2", 0, 8.0, {});
  live.add("start 1", 1, 4.0, {});
  live.add("start 2", 0, 7.0, {});
  ASSERT_EQ(live.searches.size(), 2u);
  EXPECT_EQ(live.searches[0].objective, (std::vector<double>{9.0, 4.0}));
  EXPECT_EQ(live.searches[1].objective, (std::vector<double>{7.0}));
  EXPECT_EQ(live.begun, 3);
  EXPECT_EQ(live.values, (std::vector<double>{1.5, 2.5}));
}

}  // namespace
}  // namespace kdyn::app
