// SPDX-License-Identifier: Apache-2.0
// Words of the command line into JSON, and measured values into levels and names.
#include <gtest/gtest.h>

#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/app/present/bench_plots.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::app {
namespace {

Json words(const char* field, const std::vector<std::string>& given) {
  return value_from_words(*field_table<FitElastomerJob>().find(field), given);
}

TEST(Words, BecomeWhatTheFieldWants) {
  EXPECT_EQ(words("law", {"g4"}), Json("g4"));
  EXPECT_EQ(words("title", {"12"}), Json("12"));  // a text stays a text
  EXPECT_EQ(words("max_iterations", {"12"}), Json(12));
  EXPECT_EQ(words("data", {"a.csv", "b.csv"}), Json::array({"a.csv", "b.csv"}));
  EXPECT_EQ(words("data", {R"(["a.csv"])"}), Json::array({"a.csv"}));
  EXPECT_EQ(words("fix", {"lambda=0.3,rho=4e3"}), (Json{{"lambda", 0.3}, {"rho", 4e3}}));
  EXPECT_EQ(words("bounds", {R"({"rho": [1, 2]})"}), (Json{{"rho", Json::array({1, 2})}}));
  EXPECT_EQ(words("noise_k_dyn_rel", {"null"}), Json(nullptr));
  EXPECT_THROW(words("fix", {"lambda"}), Error);
  const Field& list = *field_table<RigJob>().find("frequencies_hz");
  EXPECT_EQ(value_from_words(list, {"1,2", "5"}), Json::array({1, 2, 5}));
}

TEST(Words, SetReachesIntoMaps) {
  Json options = Json::object();
  const FieldTable& table = field_table<FitElastomerJob>();
  set_from_text(options, table, "fix.lambda=0.3");
  set_from_text(options, table, "fix.rho=4000");
  set_from_text(options, table, "max-iterations=7");
  EXPECT_EQ(options, (Json{{"fix", {{"lambda", 0.3}, {"rho", 4000}}}, {"max_iterations", 7}}));
  EXPECT_THROW(set_from_text(options, table, "fixx=1"), Error);
  EXPECT_THROW(set_from_text(options, table, "fix"), Error);
}

TEST(Levels, NeighboursWithinTenPercentAreOne) {
  EXPECT_EQ(levels_of({0.1, 0.99, 0.101, 1.0, 0.098, 1.02}).size(), 2u);
  EXPECT_EQ(levels_of({0.0, 800.0, 0.0, 801.0}).size(), 2u);
  EXPECT_EQ(levels_of({}).size(), 0u);
  EXPECT_EQ(nearest_level({0.1, 1.0}, 0.8), 1u);
}

TEST(Levels, AmplitudesCarryTheirNominalNames) {
  StiffnessMap map;
  for (const double f : {1.0, 50.0})
    for (const double a : {1e-4, 2e-3}) map.rows.push_back({f, f > 10 ? 0.92 * a : a, 0.0, 4e5, 0.05, a, 0});
  const MapView named(map);
  ASSERT_EQ(named.amplitudes.size(), 2u);
  EXPECT_EQ(named.amplitude_name(0), "0.1 mm");
  EXPECT_EQ(named.amplitude_name(1), "2 mm");
  for (MapRow& row : map.rows) row.nominal_amplitude = 0.0;
  EXPECT_EQ(MapView(map).amplitudes.size(), 2u);
  // The model is drawn at the amplitude that was achieved, not at the nominal one.
  std::vector<double> asked;
  over_frequency(named, 0, [&](double f, double a, double) {
    if (f > 49.9) asked.push_back(a);
    return ModelPoint{4e5, 0.05};
  });
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_NEAR(asked[1], 0.92 * 2e-3, 1e-9);
}

TEST(Registry, EveryHeadingStandsBeforeAFieldAndEveryExampleNamesItsOperation) {
  for (const Operation& operation : operations()) {
    for (const Heading& heading : operation.headings)
      EXPECT_NE(operation.options().find(heading.first_field), nullptr) << heading.first_field;
    EXPECT_TRUE(operation.example.starts_with("kdyn " + operation.name)) << operation.name;
    EXPECT_EQ(find_operation(operation.name), &operation);
  }
}

}  // namespace
}  // namespace kdyn::app
