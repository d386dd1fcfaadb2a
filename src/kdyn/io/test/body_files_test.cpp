// SPDX-License-Identifier: Apache-2.0
// Flexible bodies: SID and MBDyn, written and read, and the public SID body against what its text says.
#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/mbdyn_fem.hpp"
#include "kdyn/io/sid.hpp"
#include "samples.hpp"

namespace kdyn::inline io {
namespace {

using test::shared;

SidBody sample_sid() {
  SidBody body;
  body.comment = "sample", body.mass = 0.785, body.mode_names = {"Eigen Mode 1 : 8.36 Hz", "Eigen Mode 2"};
  SidTaylor full;
  full.order = 1, full.rows = 3, full.columns = 2, full.modes = 2;
  for (int i = 0; i < 6; ++i) full.m0.push_back(1.0 / (3.0 + i));
  for (int i = 0; i < 12; ++i) full.m1.push_back(-1.0 / (7.0 + i));
  SidTaylor symmetric;
  symmetric.rows = symmetric.columns = 2, symmetric.modes = 2, symmetric.structure = 2;
  symmetric.m0 = {2.0, 0.3, 0.3, 4.0};
  SidTaylor identity;
  identity.rows = identity.columns = 3, identity.structure = 4;
  identity.m0 = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  body.blocks = {{"mdCM", full}, {"Me", symmetric}};
  body.nodes.push_back({6022, "body ref", {{"origin", full}, {"AP", identity}}});
  return body;
}

TEST(Sid, RoundTripsExactly) {
  const SidBody given = sample_sid();
  const SidBody read = parse_sid(sid_text(given), "a.sid_fem");
  EXPECT_TRUE(read.findings.empty()) << read.findings[0].message;
  EXPECT_EQ(read.mass, given.mass);
  EXPECT_EQ(read.mode_names, given.mode_names);
  ASSERT_EQ(read.nodes.size(), 1U);
  EXPECT_EQ(read.nodes[0].label, 6022);
  for (const auto& [name, block] : given.blocks) {
    EXPECT_EQ(read.blocks.at(name).m0, block.m0) << name;
    EXPECT_EQ(read.blocks.at(name).m1, block.m1) << name;
  }
  EXPECT_EQ(read.nodes[0].blocks.at("AP").m0, given.nodes[0].blocks.at("AP").m0);
  EXPECT_EQ(sid_text(read), sid_text(given));
}

TEST(Sid, PlacesAreRowModeColumn) {
  const SidBody read = parse_sid(sid_text(sample_sid()), "a");
  const SidTaylor& block = read.blocks.at("mdCM");
  EXPECT_EQ(block.at(2, 1), 1.0 / 8.0);       // m0, column-major: 2 + 3 * 1 = 5
  EXPECT_EQ(block.at(1, 2, 1), -1.0 / 18.0);  // m1 of mode 2: 6 + 5 = 11
}

TEST(Sid, LyingSizesAreFindings) {
  std::string text = sid_text(sample_sid());
  text.replace(text.find("nrow                  =    3"), 28, "nrow                  =999999");
  const SidBody read = parse_sid(text, "a");
  EXPECT_FALSE(read.findings.empty());
  EXPECT_NE(read.findings[0].where.find("block"), std::string::npos);
  EXPECT_THROW(parse_sid("nothing", "a"), Error);
}

TEST(Sid, PublicBody) {
  const auto path = shared("mbs/sid/balken1m.SID_FEM");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the public file is not here";
  const SidBody body = parse_sid(read_text(path.string()), path.string());
  EXPECT_TRUE(body.findings.empty());
  EXPECT_DOUBLE_EQ(body.mass, 0.784999999999);
  ASSERT_EQ(body.nodes.size(), 3U);
  ASSERT_EQ(body.mode_names.size(), 1U);
  // A beam of 1 m: the centre of mass is in the middle, m x_CM = 0.785 / 2.
  EXPECT_NEAR(body.blocks.at("mdCM").at(0, 0), 0.785 / 2.0, 1e-12);
  // One mode at 8.36 Hz: Ke / Me is its squared angular frequency (the name has four digits).
  const double omega = std::sqrt(body.blocks.at("Ke").at(0, 0) / body.blocks.at("Me").at(0, 0));
  EXPECT_NEAR(omega / 6.283185307179586, 8.360, 5e-4);
  EXPECT_EQ(body.nodes[0].blocks.at("origin").at(0, 1, 0), -1.67898308819);
}

TEST(MbdynFem, RoundTripsExactly) {
  MbdynFem given;
  given.modes = test::sample_modes();
  given.modal_mass.rows = given.modal_mass.columns = given.modal_stiffness.rows = given.modal_stiffness.columns = 2;
  given.modal_mass.real = {1.5, 0.1, 0.1, 3.0};
  given.modal_stiffness.real = {100.0, 0.0, 0.0, 900.0};
  given.lumped_mass.assign(18, 1.0 / 3.0);
  const MbdynFem read = parse_mbdyn_fem(mbdyn_fem_text(given), "a.fem");
  EXPECT_TRUE(read.findings.empty()) << read.findings[0].message;
  EXPECT_EQ(read.modal_mass.real, given.modal_mass.real);
  EXPECT_EQ(read.lumped_mass, given.lumped_mass);
  ASSERT_EQ(read.modes.modes.size(), 2U);
  EXPECT_NEAR(read.modes.modes[1].frequency_hz(), std::sqrt(300.0) / 6.283185307179586, 1e-12);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(read.modes.geometry.nodes[i].position, given.modes.geometry.nodes[i].position);
  // Six values per node here, three given.
  EXPECT_EQ(read.modes.modes[0].shape[0], given.modes.modes[0].shape[0]);
  EXPECT_EQ(read.modes.modes[0].shape[6], given.modes.modes[0].shape[3]);
  EXPECT_EQ(mbdyn_fem_text(read), mbdyn_fem_text(given));
}

TEST(MbdynFem, DamageIsNamedByGroup) {
  MbdynFem given;
  given.modes = test::sample_modes();
  std::string text = mbdyn_fem_text(given);
  text.insert(text.find("** RECORD GROUP 6"), "0.5 oops\n");
  const MbdynFem read = parse_mbdyn_fem(text, "a.fem");
  ASSERT_FALSE(read.findings.empty());
  EXPECT_NE(read.findings[0].where.find("record group 5, byte"), std::string::npos) << read.findings[0].where;
  EXPECT_EQ(read.modes.modes.size(), 2U);
  EXPECT_THROW(parse_mbdyn_fem("no", "a"), Error);
}

}  // namespace
}  // namespace kdyn::inline io
