// SPDX-License-Identifier: Apache-2.0
// Updated decks: the oracle of the numbers are the matrices of the parameters, that of the text is the deck itself.
#include "kdyn/fe/nastran_update.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/fe/modes.hpp"

namespace kdyn::fe {
namespace {

// A strip on three bushings, two of which share a property, with a mass and a grounded scalar spring; cards in small,
// large and free field, comments before, inside and behind cards, properties in an included file.
constexpr const char* deck = R"(SOL 103
CEND
BEGIN BULK
$ nodes
GRID,1,,0.,0.,0.
GRID,2,,.2,0.,0.
GRID,3,,.4,0.,0.
GRID,4,,0.,.1,0.
GRID,5,,.2,.1,0.
GRID,6,,.4,.1,0.
GRID,11,,0.,0.,0.,,123456
GRID,12,,.4,0.,0.,,123456
GRID,13,,.4,.1,0.,,123456
CQUAD4         1       1       1       2       5       4
CQUAD4         2       1       2       3       6       5
$ bushings
CBUSH       1001      51       1      11                               0
CBUSH,1002,51,3,12,,,,0   $ shares its property
CBUSH   1003    52      6       13                              0
CELAS2  2001    1.5+5   5       3
$ a mass with inertia
CONM2   3001    2               .8      .0      .0      .01             +M1
$ inside the card
+M1     .002    .0      .003    .0      .0      .004
include 'properties.inc'
$ the end
ENDDATA
)";
constexpr const char* properties = R"($ steel
MAT1    1       2.1+11          .3      7850.
PSHELL  1       1       .002    1               1
PBUSH   51      K       1.+6    2.+6    3.+6    100.    200.    300.
$ behind
PBUSH*                52               K        4000000.        5000000.*
*               6000000.            400.            500.            600.*
*                                     GE              .1
*
)";

class UpdatedDeckTest : public testing::Test {
 protected:
  UpdatedDeckTest() {
    folder = std::filesystem::path(testing::TempDir()) /
             ("updated_deck_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    path = (folder / "strip.bdf").string();
    write_text(path, deck);
    write_text((folder / "properties.inc").string(), properties);
  }
  ~UpdatedDeckTest() override { std::filesystem::remove_all(folder); }

  std::filesystem::path folder;
  std::string path;
};

std::vector<Parameter> all_parameters() {
  return {{"kx", ParameterKind::spring, {1001}, 0},
          {"kz", ParameterKind::spring, {1001, 1002}, 2},
          {"kr", ParameterKind::spring, {1003}, 4},
          {"t", ParameterKind::thickness, {1}, 0},
          {"E", ParameterKind::young, {1}, 0},
          {"rho", ParameterKind::density, {1}, 0},
          {"s", ParameterKind::scalar_spring, {2001}, 0},
          {"m", ParameterKind::point_mass, {3001}, 0}};
}

std::multiset<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::multiset<std::string> out;
  for (std::string line; std::getline(in, line);) out.insert(line);
  return out;
}

TEST_F(UpdatedDeckTest, ReadBackItHasTheFrequenciesOfTheParameters) {
  Eigen::VectorXd ratio(8);
  ratio << 1.2345678, 0.7654321, 1.111111, 0.987654, 1.0707, 0.93, 2.5, 1.3333333;
  const UpdatedDeck updated = updated_deck(path, {}, all_parameters(), ratio);
  EXPECT_LT(updated.largest_difference, 1e-9);  // eleven digits are written
  for (const auto& [name, text] : updated.files) write_text((folder / "out" / name).string(), text);
  const Assembly wanted = assemble(read_nastran_model(path), all_parameters());
  ModesOptions options;
  options.count = 12;
  const Modes expected =
      find_modes(wanted.matrices.stiffness_at(ratio), wanted.matrices.mass_at(ratio), wanted.map.node_of, options);
  const Modes found = find_modes(assemble(read_nastran_model((folder / "out/strip.bdf").string())), options);
  ASSERT_EQ(found.frequency_hz.size(), expected.frequency_hz.size());
  for (Eigen::Index i = 0; i < found.frequency_hz.size(); ++i)
    EXPECT_NEAR(found.frequency_hz[i], expected.frequency_hz[i], 1e-6 * expected.frequency_hz[i]) << i;
}

TEST_F(UpdatedDeckTest, OnlyCardsThatChangeAreTouched) {
  const UpdatedDeck updated =
      updated_deck(path, {}, {{"t", ParameterKind::thickness, {1}, 0}}, Eigen::VectorXd::Constant(1, 1.1));
  ASSERT_EQ(updated.files.size(), 2u);
  EXPECT_EQ(updated.files[0].second, deck);  // the deck itself stays byte for byte
  EXPECT_FALSE(updated.changed[0]);
  EXPECT_TRUE(updated.changed[1]);
  std::multiset<std::string> before = lines(properties), after = lines(updated.files[1].second);
  for (const std::string& line : lines(properties))
    if (const auto there = after.find(line); there != after.end()) after.erase(there), before.erase(before.find(line));
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before.begin()->substr(0, 6), "PSHELL");
  ASSERT_EQ(updated.changes.size(), 1u);
  EXPECT_EQ(updated.changes[0].card, "PSHELL 1");
  EXPECT_EQ(updated.changes[0].field, "T");
  EXPECT_DOUBLE_EQ(updated.changes[0].before, 0.002);
  EXPECT_DOUBLE_EQ(updated.changes[0].after, 0.0022);
  EXPECT_EQ(updated.changes[0].line, 3u);
}

TEST_F(UpdatedDeckTest, ASharedPropertyIsCopiedForTheSpringThatChanges) {
  const UpdatedDeck updated =
      updated_deck(path, {}, {{"kx", ParameterKind::spring, {1002}, 0}}, Eigen::VectorXd::Constant(1, 0.5));
  EXPECT_TRUE(updated.changed[0]);  // CBUSH 1002 points to the copy
  EXPECT_TRUE(updated.changed[1]);
  EXPECT_NE(updated.files[0].second.find("$ shares its property"), std::string::npos);
  NastranDeck written =
      parse_nastran(updated.files[0].second, "x", [&](const std::string&, const std::string&, std::string&) {
        return std::optional<std::string>(updated.files[1].second);
      });
  const Model model = model_of(written);
  EXPECT_EQ(model.springs[0].property, 51);
  EXPECT_DOUBLE_EQ(model.springs[0].stiffness[0], 1e6);
  EXPECT_DOUBLE_EQ(model.springs[1].stiffness[0], 5e5);
  EXPECT_DOUBLE_EQ(model.springs[1].stiffness[2], 3e6);
}

TEST_F(UpdatedDeckTest, CommentsInsideAChangedCardStay) {
  const UpdatedDeck updated =
      updated_deck(path, {}, {{"m", ParameterKind::point_mass, {3001}, 0}}, Eigen::VectorXd::Constant(1, 2.0));
  for (const char* comment : {"$ a mass with inertia", "$ inside the card", "$ the end"})
    EXPECT_NE(updated.files[0].second.find(comment), std::string::npos) << comment;
  EXPECT_EQ(updated.changes.size(), 7u);  // mass and six inertias, zero or not
}

TEST_F(UpdatedDeckTest, LossFactorsAreWrittenAlsoWhereThereAreNone) {
  // 1001 shares its PBUSH, which has no GE line, with 1002; 1003 has one value for all; the steel has none.
  const std::vector<Parameter> parameters = {{"eta1", ParameterKind::spring, {1001}, -1, true, 0.1},
                                             {"eta3", ParameterKind::spring, {1003}, 2, true, 0.1},
                                             {"steel", ParameterKind::young, {1}, 0, true, 0.01},
                                             {"kx", ParameterKind::spring, {1001}, 0}};
  EXPECT_EQ(assemble(read_nastran_model(path), parameters).matrices.nominal[1], 0.1);  // that of the deck
  const UpdatedDeck updated =
      updated_deck(path, {}, parameters, (Eigen::VectorXd(4) << 1.5, 2.0, 0.3, 1.25).finished());
  EXPECT_LT(updated.largest_difference, 1e-9);
  for (const auto& [name, text] : updated.files) write_text((folder / "out" / name).string(), text);
  const Model model = read_nastran_model((folder / "out/strip.bdf").string());
  EXPECT_NEAR(model.springs[0].loss.minCoeff(), 0.15, 1e-12);
  EXPECT_NEAR(model.springs[0].loss.maxCoeff(), 0.15, 1e-12);
  EXPECT_NEAR(model.springs[0].stiffness[0], 1.25e6, 1e-3);
  EXPECT_TRUE(model.springs[1].loss.isZero(0.0));
  EXPECT_EQ(model.springs[1].stiffness[0], 1e6);
  const Vector6 mixed = (Vector6() << 0.1, 0.1, 0.2, 0.1, 0.1, 0.1).finished();
  EXPECT_LT((model.springs[2].loss - mixed).norm(), 1e-12);
  EXPECT_NEAR(model.materials[0].loss, 0.003, 1e-12);
  EXPECT_EQ(model.materials[0].young, 2.1e11);
  EXPECT_NE(updated.files[1].second.find("$ behind"), std::string::npos);
}

TEST_F(UpdatedDeckTest, WhatHasNoLossFactorIsRefused) {
  const Model model = read_nastran_model(path);
  EXPECT_THROW(assemble(model, {{"t", ParameterKind::thickness, {1}, 0, true, 0.1}}), Error);
  EXPECT_THROW(assemble(model, {{"k", ParameterKind::spring, {1001}, -1}}), Error);  // six stiffnesses are no parameter
}

TEST_F(UpdatedDeckTest, AParameterThatNoCardHoldsIsRefused) {
  EXPECT_THROW(updated_deck(path, {}, {{"t", ParameterKind::thickness, {7}, 0}}, Eigen::VectorXd::Constant(1, 1.1)),
               Error);
}

}  // namespace
}  // namespace kdyn::fe
