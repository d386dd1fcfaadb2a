// SPDX-License-Identifier: Apache-2.0
// Oracles: the exact definitions of the international yard and pound (1959), standard gravity (CGPM 1901) and the
// circle.
#include "kdyn/base/units.hpp"

#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline base {
namespace {

// Products of exact factors: each multiplication or power rounds once, a handful of ulps is what is allowed for.
void expect_factor(const char* text, double expected) {
  const auto unit = parse_unit(text);
  ASSERT_TRUE(unit.has_value()) << text;
  EXPECT_DOUBLE_EQ(unit->to_si, expected) << text;
}

TEST(Units, ExactDefinitions) {
  expect_factor("in", 0.0254);
  expect_factor("ft", 12 * 0.0254);
  expect_factor("lbf", 4.4482216152605);
  expect_factor("kip", 4448.2216152605);
  expect_factor("deg", std::numbers::pi / 180.0);
  expect_factor("min", 60.0);
  expect_factor("%", 0.01);
  expect_factor("-", 1.0);
}

TEST(Units, ProductsQuotientsAndPowers) {
  expect_factor("N/mm", 1e3);
  expect_factor("N*s/mm", 1e3);
  expect_factor("kip/in", 4448.2216152605 / 0.0254);
  expect_factor("Nmm/deg", 1e-3 * 180.0 / std::numbers::pi);
  expect_factor("m/s^2", 1.0);
  expect_factor("N/mm2", 1e6);
  expect_factor("kg*m^2*s^-2", 1.0);
  expect_factor("1/mm", 1e3);
  expect_factor("N/mm*s", 1e3);  // after the slash everything divides
  expect_factor("(1/N)*(mm/s²)", 1e-3);
  expect_factor("N/(mm*s)", 1e3);
  expect_factor("(m/s)/(kN)", 1e-3);
  expect_factor("(mm)^2", 1e-6);
  EXPECT_TRUE(parse_unit("(1/N)*(m/s^2)")->same_dimension(*parse_unit("1/kg")));
}

TEST(Units, DimensionDecidesWhatIsTheSame) {
  EXPECT_TRUE(parse_unit("N*m")->same_dimension(*parse_unit("kg*m^2/s^2")));
  EXPECT_TRUE(parse_unit("MPa")->same_dimension(*parse_unit("N/mm^2")));
  EXPECT_TRUE(parse_unit("N")->same_dimension(*parse_unit("lbf")));
  EXPECT_FALSE(parse_unit("N*m/rad")->same_dimension(*parse_unit("N*m")));
  EXPECT_FALSE(parse_unit("lbm")->same_dimension(*parse_unit("lbf")));
  EXPECT_FALSE(parse_unit("deg")->same_dimension(*parse_unit("-")));
}

TEST(Units, SignsOutsideAscii) {
  expect_factor("°", std::numbers::pi / 180.0);
  expect_factor("\xb0", std::numbers::pi / 180.0);  // Latin-1
  expect_factor("µm", 1e-6);                        // micro sign
  expect_factor("\xce\xbcm", 1e-6);                 // Greek mu
  expect_factor("N·m", 1.0);
  expect_factor("mm/s²", 1e-3);
  expect_factor("mm³", 1e-9);
}

TEST(Units, BlanksAndCase) {
  expect_factor("  N / mm ", 1e3);
  expect_factor("N mm", 1e-3);
  expect_factor("KN/MM", 1e6);
  expect_factor("HZ", 1.0);
  expect_factor("MN", 1e6);  // not mN
  EXPECT_FALSE(parse_unit("mPa")) << "is not MPa";
}

TEST(Units, SpellingsOfLabFiles) {
  expect_factor("U/  min", 2.0 * std::numbers::pi / 60.0);
  expect_factor("rpm", 2.0 * std::numbers::pi / 60.0);
  expect_factor("km/h", 1.0 / 3.6);
  expect_factor("Micro Strain", 1e-6);
  expect_factor("µm/m", 1e-6);
  expect_factor("m/s/s", 1.0);
  expect_factor("hours", 3600.0);
  expect_factor("mV", 1e-3);
  expect_factor("mbar", 100.0);
  expect_factor("kp/cm", 980.665);
  expect_factor("Grad", std::numbers::pi / 180.0);
  EXPECT_FALSE(parse_unit("MV")) << "is not mV";
  EXPECT_FALSE(parse_unit("C")) << "coulomb or degree Celsius";
  EXPECT_TRUE(parse_unit("V*A")->same_dimension(*parse_unit("W")));
  EXPECT_FALSE(parse_unit("V")->same_dimension(*parse_unit("W")));
}

TEST(Units, GarbageIsNoUnit) {
  for (const char* text : {"",
                           " ",
                           "furlong",
                           "N/",
                           "/mm",
                           "N//mm",
                           "N/mm/s",
                           "m^",
                           "m^x",
                           "m^1.5",
                           "m^99",
                           "m^nan",
                           "N**m",
                           "*",
                           "5",
                           "1.5",
                           "(",
                           ")",
                           "()",
                           "(N",
                           "N)",
                           "N(m)",
                           "(N)m",
                           "(N)2",
                           "((((((N))))))",
                           "(N/mm)^",
                           "N\xff",
                           "um^9*um^9*um^9*um^9*um^9*um^9*um^9",
                           "N\tmm"})
    EXPECT_FALSE(parse_unit(text)) << text;
  EXPECT_FALSE(parse_unit(std::string(10000, 'm')));
  EXPECT_FALSE(parse_unit(std::string("N\0", 2)));
}

TEST(Units, FactorToSiNamesPlaceUnitAndWhatIsWanted) {
  EXPECT_DOUBLE_EQ(factor_to_si("N/mm", "N/m", "a.csv:1"), 1e3);
  try {
    factor_to_si("mm", "N", "a.csv:1");
    FAIL() << "a length passed for a force";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_input);
    EXPECT_EQ(e.where(), "a.csv:1");
    EXPECT_NE(e.message().find("'mm' does not convert to N"), std::string::npos) << e.message();
  }
  try {
    factor_to_si("parsec", "m", "a.csv:1");
    FAIL() << "an unknown unit was taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_input);
    EXPECT_NE(e.message().find("unknown unit 'parsec'"), std::string::npos) << e.message();
  }
}

TEST(Units, ConvertBetweenUnitsOfOneDimension) {
  EXPECT_DOUBLE_EQ(convert(std::numbers::pi, "rad", "deg"), 180.0);
  EXPECT_DOUBLE_EQ(convert(338e3, "N/m", "N/mm"), 338.0);
  EXPECT_THROW(convert(1.0, "m", "N"), Error);
}

}  // namespace
}  // namespace kdyn::inline base
