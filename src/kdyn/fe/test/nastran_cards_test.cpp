// SPDX-License-Identifier: Apache-2.0
// Cards of decks against closed forms and against models of other cards that say the same.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "deck_tools.hpp"
#include "kdyn/fe/internal/beam_sections.hpp"

namespace kdyn::fe {
namespace {

using namespace test;

// ---- what stops the job ----

TEST(NastranCards, AnElementThatIsNotUnderstoodStops) {
  const std::string rod =
      "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nMAT1,1,2.+11,,.3,7800.\nPROD,1,1,1.-4\nCROD,1,1,1,2\n";
  EXPECT_EQ(refusal(rod), "");
  const std::string words = refusal(rod + "CWELD,5,6,7\nCWELD,6,6,7\nCFOO,1\n");
  EXPECT_NE(words.find("test.bdf:9"), std::string::npos) << words;
  EXPECT_NE(words.find("CWELD (2)"), std::string::npos) << words;
  EXPECT_NE(words.find("CFOO"), std::string::npos) << words;
  EXPECT_NE(words.find("--ignore-cards CFOO,CWELD"), std::string::npos) << words;
  NastranDeck deck =
      parse_nastran(rod + "CWELD,5,6,7\nFORCE,1,2,,1.,1.,0.,0.\nPLOTEL,3,1,2\nDESVAR,1,A,1.\n", "test.bdf");
  const Model model = model_of(deck, {.ignore_cards = {"cweld,cgap"}});
  int ignored = 0, listed = 0;
  for (const Finding& f : model.findings) {
    ignored +=
        f.code == "cards_ignored" && f.severity == Severity::warning && f.message.find("CWELD") != std::string::npos;
    listed += f.code == "cards_not_used" && f.severity == Severity::note;
  }
  EXPECT_EQ(ignored, 1);
  EXPECT_EQ(listed, 3);  // loads, output, optimisation
  // Known cards can be left out too; then their elements are gone.
  NastranDeck two = parse_nastran(rod + "CELAS2,9,1.+5,1,1\n", "test.bdf");
  EXPECT_EQ(model_of(two, {.ignore_cards = {"CELAS2"}}).scalar_springs.size(), 0u);
}

TEST(NastranCards, FieldsThatWouldBeLostStop) {
  const std::string head =
      "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\nMAT1,1,1.+9,,.3,1000.\n";
  const auto says = [&](const std::string& rest, const char* what) {
    const std::string words = refusal(head + rest);
    EXPECT_NE(words.find(what), std::string::npos) << rest << ": " << words;
  };
  says("PSHELL,1,1,.01,-1\nCQUAD4,1,1,1,2,3,4\n", "plane strain");
  says("PCOMP,1,,,,,,,SMCORE\n,1,.01\nCQUAD4,1,1,1,2,3,4\n", "SMCORE");
  says("PBEAM,1,1,1.,1.,1.,0.,1.\n,,,,,,,,\n,1.,1.,.1\nCBEAM,1,1,1,2,0.,1.,0.\n", "S1");
  says("PBAR,1,1,1.,1.,1.,1.\nCBAR,1,1,1,2,0.,1.,0.,EEE\n", "not supported");
  says("PBARL,1,1,,STAR\n,1.\nCBAR,1,1,1,2,0.,1.,0.\n", "is not known");
  says("PBEAML,1,1,,HAT\n,1.,.1,1.,.2\nCBEAM,1,1,1,2,0.,1.,0.\n", "shear centre");
  says("PSOLID,1,1,,,,,PFLUID\nCTETRA,1,1,1,2,3,4\n", "not solved");
  says("BEGIN SUPER=2\nPROD,1,1,1.\nCROD,1,1,1,2\n", "BEGIN SUPER");
  says("PBCOMP,1,1,1.\nCBEAM,1,1,1,2,0.,1.,0.\n", "PBCOMP");
  says("PROD,1,1,1.\nCROD,1,1,1,2\nRBAR,5,1,2,123\n", "3 motions are independent");
  says("PROD,1,1,1.\nCROD,1,1,1,2\n@#$ what is this\n", "is no card");
  says("PROD,1,7,1.\nMAT10,7,1.\nCROD,1,1,1,2\n", "MAT10");
}

TEST(NastranCards, SetsOfTheCaseControl) {
  const std::string bulk =
      "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nMAT1,1,1.+9,,.3,1000.\nPROD,1,1,1.\nCROD,1,1,1,2\n"
      "SPC1,5,123456,1\nSPC,6,2,1,0.\nSPCADD,7,5,6\n";
  const auto held = [&](const std::string& control) {
    const Model model = model_from(control + bulk);
    return std::pair(model.nodes[0].fixed, model.nodes[1].fixed);
  };
  EXPECT_EQ(held("CEND\nSPC = 5\n"), std::pair(63u, 0u));
  EXPECT_EQ(held("CEND\nSPC=7\n"), std::pair(63u, 1u));
  EXPECT_EQ(held("CEND\nSUBCASE 1\nSPC = 6\nSUBCASE 2\nSPC = 5\n"), std::pair(0u, 1u));  // told by a finding
  EXPECT_EQ(held("CEND\nMETHOD = 1\n"), std::pair(0u, 0u));
  EXPECT_EQ(held("CEND\nSPC = 9\n"), std::pair(0u, 0u));
}

// ---- how cards are written ----

TEST(NastranCards, WaysOfWriting) {
  // Nodes by repetition, systems by nodes, a star apart from the name, blanks among components, the same node twice.
  const Model model = model_from(
      "BEGIN BULK\nGRID,1,,0.,0.,0.\n=,*(1),=,*(1.),==\n=(2)\nGRID,11,,0.,0.,0.\nGRID,12,,0.,0.,1.\nGRID,13,,0.,1.,0.\n"
      "GRID           1              0.      0.      0.\n"
      "CORD1R,5,11,12,13\nCORD2R *               6               0              0.              0.*A\n"
      "*A                    0.              0.              0.              1.*B\n"
      "*B                    0.              1.              0.\n"
      "GRID,20,5,2.,0.,0.,6\nMAT1,1,2.+11,,.3\nPROD,1,1,1.\nCROD,1,,1,2\nCROD,2,1,2,3\nCROD,3,1,3,4\n"
      "SPC1    1       12 456  1       THRU    4\n");
  ASSERT_EQ(model.nodes.size(), 8u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(model.nodes[static_cast<std::size_t>(i)].position.x(), i);
  EXPECT_EQ(model.nodes[3].fixed, 0x3bu);
  EXPECT_LT((model.nodes[7].position - Eigen::Vector3d(0.0, 2.0, 0.0)).norm(), 1e-15);  // x of system 5 is global y
  EXPECT_LT((model.frames[0].col(0) - Eigen::Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_EQ(model.elements.size(), 3u);  // the property of the first is its own label
  EXPECT_NE(refusal("BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,1,,1.,0.,0.\n").find("defined twice"), std::string::npos);
}

// ---- springs, masses, scalar points ----

TEST(NastranCards, ScalarPointsAndMasses) {
  // Two masses on springs, as scalar points and as nodes: (k1 + k2 - w^2 m1)(k2 - w^2 m2) = k2^2.
  const double k1 = 1000.0, k2 = 500.0, m1 = 2.0, m2 = 0.5;
  const double p = (k1 + k2) / m1 + k2 / m2, q = k1 * k2 / (m1 * m2);
  const double low = std::sqrt(0.5 * p - std::sqrt(0.25 * p * p - q)) / (2.0 * std::numbers::pi);
  const double high = std::sqrt(0.5 * p + std::sqrt(0.25 * p * p - q)) / (2.0 * std::numbers::pi);
  for (const char* text :
       {"SPOINT,1,2\nCELAS4,1,1000.,1\nPELAS,7,500.\nCELAS3,2,7,1,2\nCMASS4,3,2.,1\nPMASS,8,.5\nCMASS3,4,8,2\n",
        "GRID,1,,0.,0.,0.,,23456\nGRID,2,,1.,0.,0.,,23456\nCELAS2,1,1000.,1,1\nCELAS2,2,500.,1,1,2,1\n"
        "CMASS2,3,2.,1,1\nPMASS,8,.5\nCMASS1,4,8,2,1\n",
        "SPOINT,1,THRU,3\nCELAS4,1,1000.,1\nCELAS4,2,500.,1,3\nCMASS4,3,2.,1\nCMASS4,4,.5,2\n"
        "MPC,1,3,0,1.,2,0,-1.\n"}) {
    const Modes m = modes_of(model_from(std::string("BEGIN BULK\n") + text), 2);
    ASSERT_EQ(m.frequency_hz.size(), 2) << text;
    EXPECT_NEAR(m.frequency_hz[0], low, 1e-10 * low) << text;
    EXPECT_NEAR(m.frequency_hz[1], high, 1e-10 * high) << text;
  }
  // A mass between two motions: only their difference has inertia.
  const Assembly a = assemble(model_from("BEGIN BULK\nSPOINT,1,2\nCELAS4,1,1.,1\nCELAS4,2,1.,2\nCMASS4,3,2.,1,2\n"));
  const Eigen::MatrixXd mass = full(a.matrices.mass_at());
  EXPECT_EQ(mass(0, 0), 2.0);
  EXPECT_EQ(mass(1, 0), -2.0);
}

TEST(NastranCards, MassMatrixIsTheOffsetMass) {
  const std::string head =
      "BEGIN BULK\nCORD2R,9,,0.,0.,0.,.3,.4,1.\n,1.,.2,-.1\nGRID,1,,1.,2.,3.,9\nCELAS2,1,1.,1,1\nPARAM,AUTOSPC,NO\n";
  const Model offset = model_from(head + "CONM2,5,1,9,2.,.1,.2,.3\n,.4,.01,.5,.02,.03,.6\n");
  // By hand: m, m r x, J + m (r^2 - r r^T), all in the axes of the system.
  const double m = 2.0, x = .1, y = .2, z = .3;
  char card[600];
  std::snprintf(card, sizeof card,
                "CONM1,5,1,9,%.15g,0.,%.15g,0.,0.,\n,%.15g,0.,%.15g,%.15g,%.15g,%.15g,0.,%.15g\n,%.15g,%.15g,%.15g,%."
                "15g,0.,%.15g,%.15g,%.15g\n",
                m, m, m, -m * z, m * y, .4 + m * (y * y + z * z), m * z, -m * x, -.01 - m * x * y,
                .5 + m * (x * x + z * z), -m * y, m * x, -.02 - m * x * z, -.03 - m * y * z, .6 + m * (x * x + y * y));
  const Model direct = model_from(head + card);
  expect_same(assemble(offset), assemble(direct), 1e-12);
}

TEST(NastranCards, DirectMatricesOfTheDeck) {
  const std::string nodes = "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nCONM2,8,1,,1.\nCONM2,9,2,,1.\n";
  const Model spring = model_from(nodes + "CELAS2,1,400.,1,2,2,2\nCMASS2,2,3.,2,2\n");
  const Model direct = model_from("CEND\nK2GG = 2.0*KSPR\nM2GG=MADD\n" + nodes +
                                  "DMIG,KSPR,0,6,2\nDMIG,KSPR,1,2,,1,2,200.\n,2,2,-200.\nDMIG,KSPR,2,2,,2,2,200.\n"
                                  "DMIG,MADD,0,6,2\nDMIG,MADD,2,2,,2,2,3.\n");
  const Assembly a = assemble(spring), b = assemble(direct);
  EXPECT_EQ(a.map.unknowns, b.map.unknowns);
  expect_same(a, b, 1e-14);
  EXPECT_NE(refusal("CEND\nK2GG = NONE\n" + nodes + "DMIG,KSPR,0,6,2\nDMIG,KSPR,1,2,,1,2,200.\n").find("NONE"),
            std::string::npos);
}

TEST(NastranCards, RodsByThreeCards) {
  const std::string head = "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,2.,2.\nMAT1,1,2.+11,,.3,7800.\nSPC1,1,123456,1\n";
  const double pi = std::numbers::pi, area = pi * (0.25 - 0.16) * 1e-2,
               torsion = 0.5 * pi * (std::pow(.05, 4) - std::pow(.04, 4));
  char prod[200], conrod[200];
  std::snprintf(prod, sizeof prod, "PROD,5,1,%.15g,%.15g,,2.5\nCROD,1,5,1,2\n", area, torsion);
  std::snprintf(conrod, sizeof conrod, "CONROD,1,1,2,1,%.15g,%.15g,,2.5\n", area, torsion);
  const Assembly a = assemble(model_from(head + prod));
  expect_same(a, assemble(model_from(head + conrod)), 1e-12);
  expect_same(a, assemble(model_from(head + "PTUBE,5,1,.1,.01,2.5\nCTUBE,1,5,1,2\n")), 1e-12);
}

TEST(NastranCards, BushAlongALineAndItsMass) {
  const std::string head = "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,3.,4.,0.\nSPC1,1,123456,1\nCELAS2,9,1.,2,1\n";
  expect_same(assemble(model_from(head + "PBUSH1D,7,100.,,6.\nCBUSH1D,5,7,1,2\n")),
              assemble(model_from(head + "PBUSH,7,K,100.\n,M,6.\nCBUSH,5,7,1,2\n")), 1e-13);
  const Assembly a = assemble(model_from(head + "PBUSH1D,7,100.,,6.\nCBUSH1D,5,7,1,2\n"));
  EXPECT_NEAR(a.rigid_mass(0, 0), 6.0, 1e-12);
}

// ---- links ----

TEST(NastranCards, RigidLinksSayTheSame) {
  // Two cubes of one brick, joined by a rigid bar between corners, in four ways; the nodes turn their axes.
  std::string head =
      "BEGIN BULK\nCORD2R,9,,0.,0.,0.,.3,.4,1.\n,1.,.2,-.1\nMAT1,1,7.+10,,.3,2700.\nPBAR,1,1,1.-3,1.-6,2.-6,2.-6\n"
      "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.2,.3,.4,9\nGRID,4,,2.,.3,.9\n"
      "CBAR,1,1,1,2,0.,1.,0.\nCBAR,2,1,3,4,0.,1.,0.\nPARAM,COUPMASS,1\n";
  const Modes want = modes_of(model_from(head + "RBE2,5,2,123456,3\n"), 12);
  EXPECT_EQ(want.rigid, 6);
  for (const char* link :
       {"RBE2,5,2,123456,3,1.2-5\n", "RBAR,5,2,3,123456\n", "RBAR,5,2,3,,123456\n", "RBAR1,5,2,3,123456\n",
        "RBE1,5,2,123456\n,UM,3,123456\n", "RBE1,5,2,123,3,456\n,UM,2,456,3,123\n", "RBAR,5,2,3,1235,46,46,1235\n"}) {
    const Modes m = modes_of(model_from(head + link), 12);
    for (int i = 6; i < 12; ++i)
      EXPECT_NEAR(m.frequency_hz[i], want.frequency_hz[i], 1e-7 * want.frequency_hz[i]) << link << i;
  }
  // A rigid rod keeps the distance only: the rest is free.
  const Model rod = model_from(head + "RROD,5,2,3,1\n");
  ASSERT_EQ(rod.constraints.size(), 1u);
  const Assembly a = assemble(rod);
  EXPECT_EQ(a.map.unknowns, 23);
  EXPECT_EQ(modes_of(rod, 12).rigid, 11);
}

TEST(NastranCards, AveragingLinkWithOtherDependents) {
  // The same equations solved for motions of members instead of the reference: nothing changes.
  const std::string head =
      "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\nGRID,5,,.5,.5,.3\n"
      "MAT1,1,7.+10,,.3,2700.\nPSHELL,1,1,.01,1,,1\nCQUAD4,1,1,1,2,3,4\nCONM2,9,5,,3.\n,.1,0.,.2,0.,0.,.3\nPARAM,"
      "COUPMASS,1\n";
  const Modes want = modes_of(model_from(head + "RBE3,7,,5,123456,1.,123,1,2,\n,3,4\n"), 12);
  const Modes other = modes_of(model_from(head + "RBE3,7,,5,123456,1.,123,1,2,\n,3,4,UM,1,123,2,23,\n,4,3\n"), 12);
  EXPECT_EQ(want.rigid, 6);
  for (int i = 6; i < 12; ++i)
    EXPECT_NEAR(other.frequency_hz[i], want.frequency_hz[i], 1e-7 * want.frequency_hz[i]) << i;
}

// ---- beams ----

// Deflection of the tip of a cantilever of length 2 under a unit load along a component (1..6).
double tip(const std::string& property, const std::string& element, int load, int answer) {
  const Model model =
      model_from("BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,2.,0.,0.\nMAT1,1,2.+11,8.+10,,7800.\nSPC1,1,123456,1\n" +
                 property + element);
  const Assembly a = assemble(model);
  Eigen::VectorXd force = Eigen::VectorXd::Zero(a.map.unknowns);
  force[a.map.find({2, load, {}})] = 1.0;
  return statics(a, force)[a.map.find({2, answer, {}})];
}

TEST(NastranCards, TaperedBeam) {
  // Linear from 4e-3 to 1e-3 m^2 and 8e-6 to 2e-6 m^4; K1 = K2 = 0: no shear.
  const std::string property = "PBEAM,1,1,4.-3,8.-6,4.-6,,6.-6\n,,,,,,,,\n,NO,1.,1.-3,2.-6,1.-6,,1.5-6\n,0.,0.\n";
  const std::string element = "CBEAM,1,1,1,2,0.,1.,0.\n";
  const double l = 2.0, e = 2e11, g = 8e10;
  EXPECT_NEAR(tip(property, element, 1, 1), l / (e * (4e-3 - 1e-3)) * std::log(4.0), 2e-9 * l / (e * 1e-3));
  EXPECT_NEAR(tip(property, element, 4, 4), l / (g * (6e-6 - 1.5e-6)) * std::log(4.0), 2e-9 * l / (g * 1e-6));
  // int_0^L (L - x)^2 / (E I1 (1 - 3/4 x/L)) dx by Simpson's rule with 20000 steps.
  double sum = 0.0;
  const int n = 20000;
  for (int i = 0; i <= n; ++i) {
    const double x = l * i / n, f = (l - x) * (l - x) / (e * 8e-6 * (1.0 - 0.75 * x / l));
    sum += f * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * l / n / 3.0;
  }
  EXPECT_NEAR(tip(property, element, 2, 2), sum, 2e-9 * sum);
  const Model model =
      model_from("BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,2.,0.,0.\nMAT1,1,2.+11,,.3,7800.\n" + property + element);
  EXPECT_NEAR(assemble(model).rigid_mass(0, 0), 7800.0 * 2.0 * 2.5e-3, 1e-9);
}

TEST(NastranCards, ProductOfInertiaIsATurnedSection) {
  // Principal moments 8e-6 and 2e-6, axes turned by 30 degrees.
  const double a = 8e-6, b = 2e-6, s = std::sin(std::numbers::pi / 6), c = std::cos(std::numbers::pi / 6);
  char turned[300], vector[100];
  // y' = c y + s z, z' = -s y + c z: I1 = int y^2, I2 = int z^2, I12 = int y z of the turned section.
  std::snprintf(turned, sizeof turned, "PBAR,1,1,1.-3,%.15g,%.15g,1.-6\n,,,,,,,,\n,,,%.15g\n", a * c * c + b * s * s,
                a * s * s + b * c * c, (a - b) * s * c);
  std::snprintf(vector, sizeof vector, "CBAR,1,1,1,2,0.,%.15g,%.15g\n", c, s);
  for (int load : {2, 3})
    for (int answer : {2, 3})
      EXPECT_NEAR(tip(turned, "CBAR,1,1,1,2,0.,1.,0.\n", load, answer),
                  tip("PBAR,1,1,1.-3,8.-6,2.-6,1.-6\n", vector, load, answer), 1e-12)
          << load << answer;
}

TEST(NastranCards, ReleasedEnds) {
  // Clamped at one end; the other end is hinged to a node that is held: 3 E I / L^3 of the first node sideways.
  const std::string head =
      "BEGIN BULK\nGRID,1,,0.,0.,0.,,13456\nGRID,2,,2.,0.,0.,,123456\nMAT1,1,2.+11,,.3\n"
      "PBAR,1,1,1.-3,8.-6,2.-6,1.-6\n";
  const auto sideways = [&](const char* element) {
    return full(assemble(model_from(head + element)).matrices.stiffness_at())(0, 0);
  };
  const double k = 2e11 * 8e-6 / 8.0;
  EXPECT_NEAR(sideways("CBAR,1,1,1,2,0.,1.,0.\n"), 12.0 * k, 1e-9 * k);
  EXPECT_NEAR(sideways("CBAR,1,1,1,2,0.,1.,0.\n,,6\n"), 3.0 * k, 1e-9 * k);
  EXPECT_NEAR(sideways("CBAR,1,1,1,2,0.,1.,0.\n,456\n"), 3.0 * k, 1e-9 * k);
  // Axes of the pins are those of the beam: turned by 90 degrees about x, y of the node is its plane 2.
  EXPECT_NEAR(sideways("CBAR,1,1,1,2,0.,0.,1.\n,,5\n"), 3.0 * 2e11 * 2e-6 / 8.0, 1e-9 * k);
}

TEST(NastranCards, NeutralAxisBesideTheShearCentre) {
  // Equal to a centred beam whose ends are carried by arms under loads that do not twist it.
  const std::string centred = "PBEAM,1,1,1.-3,8.-6,2.-6,,1.-6\n,,,,,,,,\n,0.,0.\n";
  const std::string offset = "PBEAM,1,1,1.-3,8.-6,2.-6,,1.-6\n,,,,,,,,\n,0.,0.,,,,,,\n,,,,,.03,.05\n";
  for (int load : {1, 5, 6})
    for (int answer : {1, 2, 3, 5, 6})
      EXPECT_NEAR(tip(offset, "CBEAM,1,1,1,2,0.,1.,0.\n", load, answer),
                  tip(centred, "CBEAM,1,1,1,2,0.,1.,0.\n,,,0.,.03,.05,0.,.03,.05\n", load, answer), 1e-14)
          << load << answer;
  // Torsion stays about the shear centre: G J / L alone.
  EXPECT_NEAR(tip(offset, "CBEAM,1,1,1,2,0.,1.,0.\n", 4, 4), 2.0 / (8e10 * 1e-6), 1e-14);
}

TEST(NastranCards, SectionsByTheirDimensions) {
  // Areas and moments by counting a fine grid of points; y upwards, z to the right, from any origin.
  using In = bool (*)(double y, double z);
  struct Case {
    const char* type;
    std::vector<double> d;
    In inside;
  };
  const Case cases[] = {
      {"i",
       {10, 4, 6, 1, 1.5, 2},
       [](double y, double z) {
         z = std::abs(z);
         return y >= 0 && y <= 10 && (y < 1.5 ? z <= 2 : y > 8 ? z <= 3 : z <= .5);
       }},
      {"i1",
       {4, 1, 6, 8},
       [](double y, double z) { return std::abs(y) <= 4 && std::abs(z) <= (std::abs(y) > 3 ? 2.5 : .5); }},
      {"chan",
       {5, 10, 1, 2},
       [](double y, double z) { return std::abs(y) <= 5 && z >= 0 && z <= (std::abs(y) > 3 ? 5 : 1); }},
      {"chan1",
       {4, 1, 6, 8},
       [](double y, double z) { return std::abs(y) <= 4 && z >= 0 && z <= (std::abs(y) > 3 ? 5 : 1); }},
      {"chan2",
       {1, 2, 7, 9},
       [](double y, double z) { return y >= 0 && y <= 7 && std::abs(z) <= 4.5 && (y <= 2 || std::abs(z) >= 3.5); }},
      {"t", {6, 8, 2, 1}, [](double y, double z) { return y >= 0 && y <= 8 && std::abs(z) <= (y > 6 ? 3 : .5); }},
      {"t2", {6, 8, 2, 1}, [](double y, double z) { return y >= 0 && y <= 8 && std::abs(z) <= (y < 2 ? 3 : .5); }},
      {"t1", {6, 5, 2, 1}, [](double y, double z) { return z >= 0 && z <= 7 && std::abs(y) <= (z > 5 ? 3 : .5); }},
      {"l",
       {6, 8, 1, 2},
       [](double y, double z) { return y >= 0 && z >= 0 && y <= 8 && z <= 6 && (y <= 1 || z <= 2); }},
      {"z",
       {4, 1, 6, 8},
       [](double y, double z) {
         return std::abs(y) <= 4 && (std::abs(z) <= .5 || (y > 3 && z < 0 && z > -4.5) || (y < -3 && z > 0 && z < 4.5));
       }},
      {"cross",
       {4, 1, 8, 2},
       [](double y, double z) {
         return (std::abs(z) <= .5 && std::abs(y) <= 4) || (std::abs(y) <= 1 && std::abs(z) <= 2.5);
       }},
      {"h",
       {4, 2, 8, 1},
       [](double y, double z) {
         z = std::abs(z);
         return (z <= 2 && std::abs(y) <= .5) || (z > 2 && z <= 3 && std::abs(y) <= 4);
       }},
      {"hexa", {1, 8, 4}, [](double y, double z) { return std::abs(y) <= 2 && std::abs(z) <= 4 - std::abs(y) / 2; }},
      {"hat",
       {8, 1, 6, 3},
       [](double y, double z) {
         z = std::abs(z);
         return y >= 0 && y <= 8 && (y > 7 ? z <= 3 : y < 1 ? z >= 2 && z <= 6 : z >= 2 && z <= 3);
       }},
      {"hat1",
       {12, 8, 6, 1, 2},
       [](double y, double z) {
         z = std::abs(z);
         return y >= 0 && y <= 8 && (y < 2 ? z <= 6 : y > 7 ? z <= 3 : y < 3 ? z >= 2 && z <= 6 : z >= 2 && z <= 3);
       }},
      {"box",
       {6, 8, 1, 2},
       [](double y, double z) {
         y = std::abs(y), z = std::abs(z);
         return y <= 4 && z <= 3 && (y >= 3 || z >= 1);
       }},
      {"box1",
       {6, 8, 1, 2, .5, 1.5},
       [](double y, double z) {
         return y >= 0 && y <= 8 && z >= 0 && z <= 6 && (y >= 7 || y <= 2 || z <= .5 || z >= 4.5);
       }},
      {"dbox",
       {10, 6, 4, 1, 2, 1.5, .5, 1, 1.5, .75},
       [](double y, double z) {
         if (y < 0 || y > 6 || z < 0 || z > 10) return false;
         if (z <= 1 || (z >= 3 && z <= 5) || z >= 8.5) return true;
         return z < 3 ? y <= 1 || y >= 5.5 : y <= .75 || y >= 4.5;
       }},
      {"tube2",
       {3, 1},
       [](double y, double z) {
         const double r = std::hypot(y, z);
         return r <= 3 && r >= 2;
       }},
  };
  for (const Case& one : cases) {
    const auto s = internal::section_of(one.type, one.d);
    ASSERT_TRUE(s.has_value()) << one.type;
    const int n = 1600;
    const double h = 28.0 / n;
    double area = 0, y1 = 0, z1 = 0, yy = 0, zz = 0, yz = 0;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) {
        const double y = -14 + h * (i + .503), z = -14 + h * (k + .507);
        if (!one.inside(y, z)) continue;
        area += h * h, y1 += h * h * y, z1 += h * h * z, yy += h * h * y * y, zz += h * h * z * z, yz += h * h * y * z;
      }
    yy -= y1 * y1 / area, zz -= z1 * z1 / area, yz -= y1 * z1 / area;
    // The grid errs by one cell in the thickness of a wall: 0.0175 of 0.5.
    EXPECT_NEAR(s->area, area, .02 * area) << one.type;
    EXPECT_NEAR(s->inertia_1, yy, .02 * yy) << one.type;
    EXPECT_NEAR(s->inertia_2, zz, .02 * zz) << one.type;
    EXPECT_NEAR(s->inertia_12, yz, .02 * std::sqrt(yy * zz)) << one.type;
  }
  // Torsion: thin walls l t^3 / 3; a closed square tube 4 A^2 t / s; two equal cells as one box, since their middle wall carries nothing.
  EXPECT_NEAR(internal::section_of("l", {10, 10, .1, .1})->torsion, (9.95 + 9.95) * 1e-3 / 3, 1e-12);
  EXPECT_NEAR(internal::section_of("box", {10, 10, .1, .1})->torsion, std::pow(9.9, 3) * .1, 1e-9);
  EXPECT_NEAR(internal::section_of("dbox", {10, 10, 5, .1, .1, .1, .1, .1, .1, .1})->torsion,
              internal::section_of("box", {10, 10, .1, .1})->torsion, 1e-9);
  // Shear centre of a thin channel: 3 b^2 / (6 b + h) behind the web.
  const auto channel = internal::section_of("chan", {5, 10, .01, .01});
  const double behind = 3.0 * 25 / (30 + 10), centre = 25.0 / (10 + 10);
  EXPECT_NEAR(channel->neutral.y(), behind + centre, .02);
}

// ---- mass ----

TEST(NastranCards, SmearedMassAndMassOfHeldNodes) {
  // A plate of 2 x 1 m, held all around: its mass counts all the same.
  const std::string plate =
      "GRID,1,,0.,0.,0.,,123456\nGRID,2,,1.,0.,0.,,123\nGRID,3,,1.,1.,0.,,123\nGRID,4,,0.,1.,0.,,123456\nGRID,5,,2.,0.,"
      "0.\n"
      "GRID,6,,2.,1.,0.,,123\nMAT1,1,7.+10,,.3,2000.\nPSHELL,1,1,.01,1,,1,,4.\nCQUAD4,1,1,1,2,3,4\nCQUAD4,2,1,2,5,6,"
      "3\n";
  const auto mass = [&](const std::string& head, const std::string& rest) {
    return assemble(model_from(head + "BEGIN BULK\n" + plate + rest)).rigid_mass;
  };
  const double own = 2.0 * (20.0 + 4.0);
  EXPECT_NEAR(mass("", "")(0, 0), own, 1e-10);
  EXPECT_NEAR(mass("", "")(5, 5), 2.0 * own, 1e-9);  // lumped at the corners: 3/2 along x, 1/2 along y
  EXPECT_NEAR(mass("", "PARAM,WTMASS,.5\n")(1, 1), 0.5 * own, 1e-10);
  EXPECT_NEAR(mass("", "NSM1,3,PSHELL,5.,1\n")(2, 2), own + 10.0, 1e-10);
  EXPECT_NEAR(mass("", "NSML1,3,PSHELL,5.,ALL\n")(2, 2), own + 5.0, 1e-10);
  EXPECT_NEAR(mass("", "NSM1,3,ELEMENT,5.,2\n")(0, 4), 0.0, 1e-10);
  EXPECT_NEAR(mass("", "NSML,3,ELEMENT,2,5.\n")(1, 5), own * 1.0 + 5.0 * 1.5, 1e-10);
  EXPECT_NEAR(mass("CEND\nNSM=4\n", "NSM1,3,PSHELL,5.,1\nNSM1,5,PSHELL,7.,1\nNSMADD,4,3,5\n")(0, 0), own + 24.0, 1e-10);
  // Consistent mass has the exact inertia about z: m (a^2 + b^2) / 3 about a corner.
  EXPECT_NEAR(mass("", "PARAM,COUPMASS,1\n")(5, 5), own * (4.0 + 1.0) / 3.0, 1e-9);
}

TEST(NastranCards, LooseMotionsAreHeld) {
  // A membrane in a slanted plane has no stiffness across: what is held there does not touch the motion along it.
  const Model model = model_from(
      "BEGIN "
      "BULK\nGRID,1,,0.,0.,0.,,123456\nGRID,2,,1.,0.,0.\nGRID,3,,1.,.6,.8\nGRID,4,,0.,.6,.8,,123456\nMAT1,1,7.+10,,0.,"
      "2700.\n"
      "PSHELL,1,1,.01\nCQUAD4,1,1,1,2,3,4\n");
  const Assembly a = assemble(model);
  EXPECT_EQ(a.held_with_mass, 2);
  const Modes m = find_modes(a, {.count = 1});
  EXPECT_GT(m.frequency_hz[0], 100.0);
}

}  // namespace
}  // namespace kdyn::fe
