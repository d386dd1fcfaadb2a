// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/series_json.hpp"

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline io {
namespace {

TEST(SeriesJson, ReadsUnitsAndColumns) {
  const BenchFile file = parse_series_json(
      R"({"data": [[0, 1, 2, 9], [0.5, -1, 4, 9]], "displacement units": "in", "time units": "s", "friction force units": "kip"})",
      "a.json");
  ASSERT_EQ(file.kind, BenchKind::series);
  EXPECT_EQ(file.series.time, (std::vector<double>{0.0, 0.5}));
  EXPECT_NEAR(file.series.displacement[0], 0.0254, 1e-15);
  EXPECT_NEAR(file.series.force[1], 4.0 * 4448.2216152605, 1e-6);
  EXPECT_EQ(file.findings.size(), 1u);  // the fourth column is left out
  const BenchFile named = parse_series_json(
      R"({"columns": ["force", "time", "displacement"], "data": [[5, 0, 1], [6, 1, 2]], "displacement units": "mm", "force units": "N"})",
      "b.json");
  EXPECT_EQ(named.series.force, (std::vector<double>{5.0, 6.0}));
  EXPECT_NEAR(named.series.displacement[1], 2e-3, 1e-18);
}

TEST(SeriesJson, BrokenFilesAreNamed) {
  const auto where_of = [](const char* text) {
    try {
      parse_series_json(text, "a.json");
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_input);
      return e.where();
    }
    return std::string("no error");
  };
  EXPECT_EQ(where_of(R"({"data": []})"), "a.json");
  EXPECT_EQ(where_of(R"({"data": [[0, 1], [1, 2]]})"), "a.json");  // no unit of displacement
  EXPECT_EQ(where_of(R"({"data": [[0, 1], [1]], "displacement units": "mm"})"), "a.json.data[1][1]");
  EXPECT_EQ(where_of(R"({"data": [[0, 1], [0, 2]], "displacement units": "mm"})"), "a.json.data[1][0]");
  EXPECT_EQ(where_of(R"({"data": [[0, "x"]], "displacement units": "mm"})"), "a.json.data[0][1]");
  EXPECT_NE(where_of(R"({"data": [[0, 1)"), "no error");
  EXPECT_NE(where_of(R"({"data": [[0, 1], [1, 2]], "displacement units": "kg"})"), "no error");
}

}  // namespace
}  // namespace kdyn::inline io
