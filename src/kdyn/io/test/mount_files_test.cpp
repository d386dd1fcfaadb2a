// SPDX-License-Identifier: Apache-2.0
// Property files: layouts of the makers read to SI by hand, our own written and read again.
#include <gtest/gtest.h>

#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/io/bushing_file.hpp"
#include "kdyn/io/ubf.hpp"

namespace kdyn::inline io {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

bool has(const std::vector<Finding>& findings, const std::string& code) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.code == code; });
}

const char* adams = R"($---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE     =  'bus'
 FILE_VERSION  =  4.0
 FILE_FORMAT   =  'ASCII'
[UNITS]
 LENGTH  =  'mm'   ANGLE = 'degrees'
 force   =  'newton'
 MASS    =  'kg'
 TIME    =  'sec'
[DAMPING]
 FX_DAMPING   =  10.0
 TX_DAMPING   =  1800.0
[FX_CURVE]
{  x        fx}
 -3.5   -25000.0
  0.0        0.0
  3.5    2.5D4    $ a comment
[TX_CURVE]
{ ax  tx }
 -90 -1000
 90 1000
[SOMETHING_ELSE]
 ANY = 'thing'
)";

TEST(Bus, BecomesSi) {
  TeimOrbitFile file = parse_teimorbit(adams, "a.bus");
  EXPECT_TRUE(is_bushing_file(file));
  const BushingFile bushing = bushing_of(std::move(file));
  EXPECT_TRUE(bushing.findings.empty()) << bushing.findings[0].message;
  const BushingDirection& fx = bushing.directions[0];
  ASSERT_EQ(fx.curve.size(), 3U);
  EXPECT_DOUBLE_EQ(fx.curve[2].first, 3.5e-3);
  EXPECT_DOUBLE_EQ(fx.curve[2].second, 25000.0);
  EXPECT_DOUBLE_EQ(*fx.damping, 10e3);  // N s/mm
  const BushingDirection& tx = bushing.directions[3];
  EXPECT_DOUBLE_EQ(tx.curve[1].first, std::numbers::pi / 2.0);
  EXPECT_DOUBLE_EQ(tx.curve[1].second, 1.0);    // N mm
  EXPECT_DOUBLE_EQ(*tx.damping, 1.8 / degree);  // 1800 N mm s per degree
}

TEST(Bus, ForgivesAndSays) {
  const BushingFile no_units = bushing_of(parse_teimorbit("[FX_CURVE]\n{x f}\n0 0\n1 5\n2 bad\n", "a.bus"));
  EXPECT_TRUE(has(no_units.findings, "no_units"));
  EXPECT_DOUBLE_EQ(no_units.directions[0].curve[1].first, 1e-3);
  EXPECT_TRUE(has(parse_teimorbit("[FX_CURVE]\n{x f}\n0 0\n1 5 6\n", "a.bus").findings, "bad_row"));
  EXPECT_TRUE(
      has(bushing_of(parse_teimorbit("[UNITS]\nLENGTH='furlong'\n[FX_CURVE]\n{x f}\n0 0\n1 -5\n", "a.bus")).findings,
          "unit_unknown"));
  EXPECT_TRUE(has(bushing_of(parse_teimorbit("[UNITS]\n[FX_CURVE]\n{x f}\n0 0\n1 -5\n", "a.bus")).findings,
                  "curve_not_rising"));
  EXPECT_THROW(parse_teimorbit("nothing here\n", "a.bus"), Error);
}

TEST(Bus, BothFormatsRoundTrip) {
  BushingFile given;
  given.coupling = "cylindrical";
  given.directions[0].curve = {{-1.0 / 300.0, -1e3 / 7.0}, {0.0, 0.0}, {1.0 / 300.0, 1e3 / 3.0}};
  given.directions[0].damping = 1234.5;
  given.directions[4].curve = {{-0.1, -2.0}, {0.1, 2.0}};
  given.directions[5].stiffness = 75.0;
  given.comments = {"two\nlines"};
  for (const std::string& text : {bus_text(given), gbs_text(given)}) {
    const BushingFile read = bushing_of(parse_teimorbit(text, "a"));
    EXPECT_TRUE(read.findings.empty()) << read.findings[0].message;
    for (std::size_t i = 0; i < 3; ++i) {
      // Ten digits are written.
      EXPECT_NEAR(read.directions[0].curve[i].first, given.directions[0].curve[i].first, 1e-9 * 0.0033);
      EXPECT_NEAR(read.directions[0].curve[i].second, given.directions[0].curve[i].second, 1e-9 * 333.0);
    }
    EXPECT_NEAR(*read.directions[0].damping, 1234.5, 1e-6);
    EXPECT_NEAR(read.directions[4].curve[1].second, 2.0, 1e-8);
  }
  const BushingFile gbs = bushing_of(parse_teimorbit(gbs_text(given), "a.gbs"));
  EXPECT_EQ(gbs.coupling, "cylindrical");
  EXPECT_NEAR(*gbs.directions[5].stiffness, 75.0, 1e-7);
}

TEST(Ubf, RoundTripsExactly) {
  UbfFile given;
  given.model_type = "G4D", given.shape = "cylindrical";
  UbfDirection& d = given.directions[2];
  d.present = true;
  double value = 0.1;
  for (const UbfKey& key : ubf_keys())
    if (std::string(key.unit) != "deg") d.numbers[key.key] = value /= 0.97;
  d.texts = {{"USE_CURVE", "yes"}, {"FRICTION_LAW", "masing"}, {"MAIN_RUBBER_FRICTION_LAW", "g4"}};
  d.curve = {{-1.0 / 3.0, -7.1}, {0.0, 0.0}, {1.0 / 3.0, 9.7}};
  d.chamber_curve = {{0.0, 1.0}, {0.01, 1.0 / 3.0}};
  const UbfFile read = ubf_of(parse_teimorbit(ubf_text(given), "a.ubf"));
  EXPECT_TRUE(read.findings.empty()) << read.findings[0].message;
  EXPECT_EQ(read.model_type, "G4D");
  EXPECT_EQ(read.shape, "cylindrical");
  EXPECT_EQ(read.directions[2].numbers, d.numbers);
  EXPECT_EQ(read.directions[2].texts, d.texts);
  EXPECT_EQ(read.directions[2].curve, d.curve);
  EXPECT_EQ(read.directions[2].chamber_curve, d.chamber_curve);
  EXPECT_EQ(ubf_text(read), ubf_text(given));
}

TEST(Ubf, AcceptsThePrintedSpellingsAndUnits) {
  const UbfFile file =
      ubf_of(parse_teimorbit("[MDI_HEADER]\nFILE_TYPE='ubu'\n[UNITS]\nLENGTH='mm'\nFORCE='newton'\nTIME='second'\nMASS="
                             "'kg'\nANGLE='deg'\n[MODEL]\nMODEL_TYPE='G4D'\n"
                             "[FZ]\nFRICITION_MAX_1 = 0.001\nMAIN_RUBER_FRICTION_SIGNUM_GRADIENT = "
                             "1e9\nCHAMEBR_RUBBER_SCALE_FREQ = 1\nSCLAE_MAIN_RUBBER_CURVE = 2\nALFA = "
                             "0.3\nscaler = 0.5\nRDL = 0.09\n"
                             "STIFFNESS_STATIC = 338\nCHAMBER_AREA = 4400\nUNHEARD_OF = 3\n",
                             "a.ubu"));
  const auto& n = file.directions[2].numbers;
  EXPECT_DOUBLE_EQ(n.at("FRICTION_MAX_1"), 1e-6);
  EXPECT_TRUE(n.contains("MAIN_RUBBER_FRICTION_SIGNUM_GRADIENT"));
  EXPECT_DOUBLE_EQ(n.at("CHAMBER_RUBBER_SCALE_FREQ"), 1.0);
  EXPECT_DOUBLE_EQ(n.at("SCALE_MAIN_RUBBER_CURVE"), 2.0);
  EXPECT_DOUBLE_EQ(n.at("ALPHA"), 0.3);
  EXPECT_DOUBLE_EQ(n.at("LAMBDA"), 0.5);
  EXPECT_DOUBLE_EQ(n.at("RDL_RUBBER"), 9e-5);
  EXPECT_DOUBLE_EQ(n.at("STIFFNESS_STATIC"), 338e3);
  EXPECT_DOUBLE_EQ(n.at("CHAMBER_AREA"), 4400e-6);
  EXPECT_TRUE(has(file.findings, "keys_unused"));
}

}  // namespace
}  // namespace kdyn::inline io
