// SPDX-License-Identifier: Apache-2.0
// Bulk data: field formats, continuations, includes, DMIG; and the public decks against counts taken by hand with a
// text tool.
#include <gtest/gtest.h>
#include <unistd.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/dmig.hpp"
#include "samples.hpp"

namespace kdyn::inline io {
namespace {

using test::shared;

TEST(Nastran, NumbersAsSolversWriteThem) {
  const std::pair<const char*, double> cases[] = {{"1.", 1.0},        {"2.9+7", 2.9e7},     {"1.1-3", 1.1e-3},
                                                  {"-.5", -0.5},      {"1.0D3", 1000.0},    {"7", 7.0},
                                                  {"+3.2E-2", 0.032}, {"1.5-101", 1.5e-101}};
  for (const auto& [text, value] : cases) {
    ASSERT_TRUE(nastran_number(text).has_value()) << text;
    EXPECT_DOUBLE_EQ(*nastran_number(text), value) << text;
  }
  EXPECT_FALSE(nastran_number("abc").has_value());
  EXPECT_FALSE(nastran_number("1.2.3").has_value());
  EXPECT_FALSE(nastran_number("").has_value());
}

TEST(Nastran, TheThreeFieldFormatsGiveTheSameCard) {
  const std::string deck =
      "BEGIN BULK\n"
      "GRID           1       0     1.5    -2.5   3.5+0       0\n"
      "GRID*                  2               0             1.5            -2.5*A\n"
      "*A                3.5D+0               0\n"
      "grid,3,0,1.5,-2.5,3.5,0\n"
      "GRID\t4\t0\t1.5\t-2.5\t3.5\t0\n"
      "ENDDATA\nGRID,5\n";
  const NastranDeck read = parse_nastran(deck, "a.bdf");
  ASSERT_EQ(read.cards.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const NastranCard& card = read.cards[i];
    EXPECT_EQ(read.integer(card, 2), static_cast<std::int64_t>(i + 1));
    EXPECT_DOUBLE_EQ(read.real(card, 4), 1.5);
    EXPECT_DOUBLE_EQ(read.real(card, 5), -2.5);
    EXPECT_DOUBLE_EQ(read.real(card, 6), 3.5);
    EXPECT_EQ(read.integer(card, 7, 9), 0);
  }
}

TEST(Nastran, Continuations) {
  const std::string deck =
      "CHEXA          1       1       1       2       3       4       5       6+C1\n"
      "+C1            7       8\n"
      "CHEXA,2,1,11,12,13,14,15,16\n,17,18\n"
      "CORD2R         1       0      0.      0.      0.      0.      0.      1.\n"
      "              1.      0.      0.\n"
      "SPC1,1,123,10,THRU,14,20,THRU\n,24,BY,2\n";
  const NastranDeck read = parse_nastran(deck, "a.bdf");
  ASSERT_EQ(read.cards.size(), 4U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(read.integer(read.cards[0], 4 + i), static_cast<std::int64_t>(i + 1));
    EXPECT_EQ(read.integer(read.cards[1], 4 + i), static_cast<std::int64_t>(i + 11));
  }
  EXPECT_DOUBLE_EQ(read.real(read.cards[2], 10), 1.0);
  EXPECT_EQ(read.labels(read.cards[3], 4), (std::vector<std::int64_t>{10, 11, 12, 13, 14, 20, 22, 24}));
}

TEST(Nastran, CoordinateSystemsResolveInAnyOrder) {
  NastranDeck deck = parse_nastran(
      "GRID,1,2,1.,90.,0.\n"
      "CORD2C,2,1,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n"
      "CORD2R,1,0,10.,0.,0.,10.,0.,1.\n,11.,0.,0.\n"
      "GRID,2,9,0.,0.,0.\n"
      "CQUAD4,7,1,1,2,1,2\n",
      "a.bdf");
  const Geometry g = geometry_of(deck);
  ASSERT_EQ(g.nodes.size(), 1U);  // the second refers to a system that is not there
  EXPECT_NEAR(g.nodes[0].position[0], 10.0, 1e-15);
  EXPECT_NEAR(g.nodes[0].position[1], 1.0, 1e-15);
  ASSERT_EQ(g.elements.size(), 1U);
  EXPECT_EQ(g.elements[0].nodes, (std::vector<std::int64_t>{1, 2, 1, 2}));
  ASSERT_EQ(deck.findings.size(), 1U);
  EXPECT_NE(deck.findings[0].where.find("a.bdf:6: GRID"), std::string::npos) << deck.findings[0].where;
}

TEST(Nastran, IncludesStayBelowTheDeck) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("kdyn_include_" + std::to_string(::getpid()));
  write_text((root / "deck/main.bdf").string(),
             "BEGIN BULK\nINCLUDE 'sub/part.inc'\nINCLUDE '../secret.inc'\nINCLUDE '/etc/passwd'\nINCLUDE "
             "'missing.inc'\nENDDATA\n");
  write_text((root / "deck/sub/part.inc").string(), "GRID,1,,0.,0.,0.\nINCLUDE 'sub/part.inc'\n");
  write_text((root / "secret.inc").string(), "GRID,99,,0.,0.,0.\n");
  const NastranDeck deck = read_nastran((root / "deck/main.bdf").string());
  fs::remove_all(root);
  // The file that includes itself is cut off at ten levels: nine copies of its grid.
  EXPECT_EQ(deck.cards.size(), 9U);
  for (const NastranCard& card : deck.cards) EXPECT_EQ(deck.integer(card, 2), 1);
  std::size_t refused = 0;
  for (const Finding& finding : deck.findings) refused += finding.code == "include" ? 1 : 0;
  EXPECT_EQ(refused, 4U);
}

TEST(Nastran, BadFieldsNameTheirPlace) {
  const NastranDeck deck = parse_nastran("GRID,1,,x,0.,0.\nSPC1,1,1,5,THRU,2\nSPC1,1,1,1,THRU,99999999999\n", "a.bdf");
  try {
    (void)deck.real(deck.cards[0], 4);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "a.bdf:1: GRID, field 4");
  }
  EXPECT_THROW(deck.labels(deck.cards[1], 4), Error);
  EXPECT_THROW(deck.labels(deck.cards[2], 4), Error);
  EXPECT_THROW(parse_nastran(std::string("GRID\0,1", 7), "a.bdf"), Error);
}

TEST(Dmig, RoundTripsToTenDigits) {
  MatrixSet given;
  given.matrices = {test::sample_sparse(false), test::sample_sparse(true)};
  const std::string text = dmig_text(given);
  const MatrixSet read = parse_dmig(text, "a.pch");
  ASSERT_EQ(read.matrices.size(), 2U);
  EXPECT_TRUE(read.findings.empty());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.matrices[i].row_dofs, given.matrices[i].row_dofs);
    EXPECT_TRUE(read.matrices[i].symmetric);
    for (int c = 0; c < 6; ++c)
      for (int r = 0; r < 6; ++r)
        EXPECT_LT(std::abs(read.matrices[i].at(r, c) - given.matrices[i].at(r, c)),
                  5.1e-10 * std::abs(given.matrices[i].at(r, c)) + 1e-300);
  }
  EXPECT_EQ(dmig_text(read), text);
}

class PublicDecks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(shared("nastran"))) GTEST_SKIP() << "the public files are not here";
  }
};

// Nodes, elements of known kinds and cards that are not used, counted with grep in the decks and their includes.
TEST_F(PublicDecks, ParseWithEveryOtherCardCounted) {
  struct Case {
    const char* path;
    std::size_t nodes, elements;
    std::map<std::string, std::size_t> skipped;
  };
  const Case cases[] = {{"beam_modes/beam_modes.dat", 12, 10, {{"USET", 1}}},
                        {"cbush/cbush.dat", 2, 1, {{"FORCE", 1}}},
                        {"cbush_2021/cbush_test.bdf", 252, 129, {{"GRAV", 1}, {"MDLPRM", 1}}},
                        {"plate_py/plate_py.dat", 231, 200, {{"MAT4", 1}}},
                        {"solid_bending/solid_bending.bdf", 72, 186, {{"FORCE", 23}, {"LOAD", 1}}},
                        {"sol_101_elements/mode_solid_shell_bar.bdf", 25, 21, {{"FORCE", 1}, {"LOAD", 1}}},
                        {"other/sdbush10.bdf",
                         17,
                         3,
                         {{"CDAMP1", 1},
                          {"DLOAD", 1},
                          {"FORCE", 10},
                          {"FREQ1", 1},
                          {"MOMENT", 6},
                          {"PBUSHT", 1},
                          {"PDAMP", 1},
                          {"PDAMPT", 1},
                          {"PELAST", 1},
                          {"RLOAD1", 2},
                          {"SPCD", 1},
                          {"TABLED1", 9}}}};
  for (const Case& one : cases) {
    NastranDeck deck = read_nastran(shared(std::string("nastran/") + one.path).string());
    const Geometry g = geometry_of(deck);
    EXPECT_EQ(g.nodes.size(), one.nodes) << one.path;
    EXPECT_EQ(g.elements.size(), one.elements) << one.path;
    EXPECT_EQ(deck.skipped, one.skipped) << one.path;
    for (const Finding& finding : deck.findings)
      EXPECT_EQ(finding.code, "card_skipped") << one.path << " " << finding.where << " " << finding.message;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared("nastran"))) {
    if (entry.path().extension() != ".bdf" && entry.path().extension() != ".dat") continue;
    NastranDeck deck = read_nastran(entry.path().string());
    geometry_of(deck);
    std::size_t named = 0;
    for (const Finding& finding : deck.findings) {
      EXPECT_EQ(finding.code, "card_skipped") << entry.path() << " " << finding.message;
      ++named;
    }
    EXPECT_EQ(named, deck.skipped.size());
  }
}

TEST_F(PublicDecks, DmigMatrices) {
  const MatrixSet set = read_dmig(shared("nastran/dmig/dmig.pch").string());
  const Matrix* k = set.find("KAAX");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->rows, 15);
  // A free chain of springs: every column of K adds up to zero (the file has seven digits), the first entry is printed
  // in the file.
  for (int c = 0; c < k->columns; ++c) {
    std::complex<double> sum = 0.0;
    for (int r = 0; r < k->rows; ++r) sum += k->at(r, c);
    EXPECT_LT(std::abs(sum), 1e-9 * 7381.4) << c;
  }
  EXPECT_EQ(k->at(0, 0), 155.6);
  EXPECT_EQ(label(k->row_dofs[0]), "101+X");
  EXPECT_EQ(set.find("MUG1T")->columns, 90);
  const MatrixSet sparse = read_dmig(shared("nastran/dmig/dmig_sparse.pch").string());
  EXPECT_EQ(sparse.find("KAAX")->rows, 36);
  EXPECT_EQ(sparse.find("KAAX")->at(0, 0), 2.877660236E+06);
}

}  // namespace
}  // namespace kdyn::inline io
