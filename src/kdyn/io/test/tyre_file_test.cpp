// SPDX-License-Identifier: Apache-2.0
// Property files of tyres: values, units and places as written, and damaged files refused with file and line.
#include <gtest/gtest.h>

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/tyre_file.hpp"

namespace kdyn {
namespace {

const std::string small = R"($ comment
[MDI_HEADER]
FILE_TYPE = 'tir'
FILE_TYPE = 'twice, nobody asks'
[UNITS]
LENGTH = 'mm'      $ mm
FORCE = 'kN'
ANGLE = 'degree'
TIME = 'ms'
[MODEL]
PROPERTY_FILE_FORMAT = 'PAC2002'
NAME = 'a $ in quotes'
! a comment
[DIMENSION]
unloaded_radius = 3.2D+02
[VERTICAL]
VERTICAL_STIFFNESS = 0.2
VERTICAL_DAMPING = 0.05
LONGVL = 20
ALPMAX = 90
PKY1 = -20
[SHAPE]
{radial width}
1.0 0.0
[DEFLECTION_LOAD_CURVE]
{pen fz}
0 0
10, 1.5
20	4
)";

TEST(TyreFile, ValuesUnitsAndPlaces) {
  EXPECT_TRUE(looks_like_tyre_file(small));
  const TyreFile file = parse_tyre_file(small, "a.tir");
  EXPECT_DOUBLE_EQ(file.number("UNLOADED_RADIUS", 0.0), 0.32);
  EXPECT_DOUBLE_EQ(file.number("VERTICAL_STIFFNESS", 0.0), 2e5);  // 0.2 kN/mm
  EXPECT_DOUBLE_EQ(file.number("VERTICAL_DAMPING", 0.0), 50.0);   // 0.05 kN ms/mm
  EXPECT_DOUBLE_EQ(file.number("LONGVL", 0.0), 20.0);             // mm/ms
  EXPECT_NEAR(file.number("ALPMAX", 0.0), std::acos(0.0), 1e-15);
  EXPECT_DOUBLE_EQ(file.number("PKY1", 0.0), -20.0);  // a coefficient has no unit
  EXPECT_EQ(file.word("NAME"), "a $ in quotes");
  EXPECT_EQ(file.place("PKY1"), "a.tir:21");
  ASSERT_EQ(file.load_curve.size(), 3u);
  EXPECT_DOUBLE_EQ(file.load_curve[1].first, 0.01);
  EXPECT_DOUBLE_EQ(file.load_curve[2].second, 4000.0);
  EXPECT_EQ(file.findings.back().code, "tyre_table_ignored");
}

TEST(TyreFile, DamageIsNamedByLine) {
  const auto spoiled = [](const std::string& line, const std::string& instead) {
    std::string out = small;
    const std::size_t at = out.find(line);
    EXPECT_NE(at, std::string::npos) << line;
    return out.replace(at, line.size(), instead);
  };
  const std::pair<std::string, std::string> wrong[] = {{"LENGTH = 'mm'", "LENGTH = 'ells'"},
                                                       {"FORCE = 'kN'", ""},
                                                       {"PKY1 = -20", "PKY1 = minus"},
                                                       {"PKY1 = -20", "PKY1 = nan"},
                                                       {"PKY1 = -20", "PKY1 -20"},
                                                       {"PKY1 = -20", "ALPMAX = 3"},
                                                       {"PKY1 = -20", "= 3"},
                                                       {"[SHAPE]", "[SHAPE"},
                                                       {"10, 1.5", "10, x"},
                                                       {"10, 1.5", "30, 1"},
                                                       {"{pen fz}", "{fz pen}"},
                                                       {"NAME = 'a $ in quotes'", "NAME = 'open"}};
  for (const auto& [line, instead] : wrong) {
    try {
      parse_tyre_file(spoiled(line, instead), "a.tir");
      ADD_FAILURE() << instead;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_EQ(error.where().find("a.tir"), 0u) << error.where();
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  EXPECT_THROW(parse_tyre_file("", "a.tir"), Error);
  EXPECT_THROW(parse_tyre_file("x,y\n1,2\n", "a.csv"), Error);
  // Cut anywhere it is read or refused.
  const std::string whole = read_text(std::string(KDYN_SOURCE_DIR) + "/examples/multibody/car_tyre.tir");
  for (std::size_t n = 0; n < whole.size(); n += 7) {
    try {
      parse_tyre_file(std::string_view(whole).substr(0, n), "cut.tir");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
    }
  }
}

}  // namespace
}  // namespace kdyn
