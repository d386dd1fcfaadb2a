// SPDX-License-Identifier: Apache-2.0
// Curved beams against Castigliano's deflections of a quarter ring, general elements against springs, pyramids, midside
// nodes that are left out and layered solids against the energy of linear fields.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include "deck_tools.hpp"

#include "kdyn/base/error.hpp"
#include "kdyn/fe/nastran_write.hpp"

namespace kdyn::fe {
namespace {

using namespace test;
using Eigen::Vector3d;

constexpr double pi = std::numbers::pi;

// Deflection of motion `component` of a node under a unit load there.
double flexibility(const Model& model, std::int64_t node, int component) {
  const Assembly a = assemble(model);
  const int row = a.map.equation[static_cast<std::size_t>(6 * model.node_index(node) + component)];
  Eigen::VectorXd load = Eigen::VectorXd::Zero(a.map.unknowns);
  load[row] = 1.0;
  return statics(a, load)[row];
}

// Energy (twice) of a displacement field at the unknowns.
double energy(const Model& model, const std::function<Vector3d(const Vector3d&)>& field) {
  const Assembly a = assemble(model);
  Eigen::VectorXd u = Eigen::VectorXd::Zero(a.map.unknowns);
  for (std::size_t n = 0; n < model.nodes.size(); ++n)
    for (int c = 0; c < 3; ++c)
      if (const int row = a.map.equation[6 * n + static_cast<std::size_t>(c)]; row >= 0)
        u[row] = field(model.nodes[n].position)[c];
  return u.dot(full(a.matrices.stiffness_at()) * u);
}

const std::string ring =
    "BEGIN BULK\nGRID,1,,2.,0.,0.,,123456\nGRID,2,,0.,2.,0.\nGRID,3,,0.,0.,0.\nMAT1,1,2.+11,8.+10,,7800.\n"
    "PBEND,1,1,1.-3,2.-7,5.-7,3.-7,{RB},{TB}\n,,,,,,,,\n,,,,,,0.\n";
std::string with(std::string text, const std::string& radius, const std::string& angle) {
  text.replace(text.find("{RB}"), 4, radius);
  text.replace(text.find("{TB}"), 4, angle);
  return text;
}

TEST(NastranBends, AQuarterRingBendsAsCastiglianoSays) {
  const double r = 2.0, e = 2e11, g = 8e10, area = 1e-3, i1 = 2e-7, i2 = 5e-7, j = 3e-7;
  const Model model = model_from(with(ring, "", "") + "CBEND,9,1,1,2,3,,,1\n");
  const double r3 = r * r * r, axial = pi * r / (4.0 * e * area), tangential = 0.75 * pi - 2.0;
  const double radial = pi * r3 / (4.0 * e * i1) + axial, along = r3 * tangential / (e * i1) + axial,
               out = r3 * (pi / (4.0 * e * i2) + tangential / (g * j));
  EXPECT_NEAR(flexibility(model, 2, 1) / radial, 1.0, 1e-9);
  EXPECT_NEAR(flexibility(model, 2, 0) / along, 1.0, 1e-9);
  EXPECT_NEAR(flexibility(model, 2, 2) / out, 1.0, 1e-9);
  // The mass is that of 32 chords, which are short by 1e-4.
  EXPECT_NEAR(assemble(model).rigid_mass(0, 0) / (7800.0 * area * 0.5 * pi * r), 1.0, 2e-4);
  const Model lumped =
      model_from("BEGIN BULK\nPARAM,COUPMASS,-1\n" + with(ring, "", "").substr(11) + "CBEND,9,1,1,2,3,,,1\n");
  EXPECT_NEAR(assemble(lumped).rigid_mass(0, 0) / (7800.0 * area * 0.5 * pi * r), 1.0, 2e-4);
}

TEST(NastranBends, TheArcIsTheSameHoweverItIsDescribed) {
  const Assembly centre = assemble(model_from(with(ring, "", "") + "CBEND,9,1,1,2,3,,,1\n"));
  expect_same(centre, assemble(model_from(with(ring, "", "") + "CBEND,9,1,1,2,0.,1.,0.,2\n")), 1e-9);
  expect_same(centre, assemble(model_from(with(ring, "2.", "") + "CBEND,9,1,1,2,0.,1.,0.,3\n")), 1e-9);
  expect_same(centre, assemble(model_from(with(ring, "", "90.") + "CBEND,9,1,1,2,0.,1.,0.,4\n")), 1e-9);
  // A pipe by its radius and wall.
  const std::string nodes = ring.substr(0, ring.find("PBEND"));
  const double outer = 0.055, inner = 0.045, area = pi * (outer * outer - inner * inner),
               inertia = 0.25 * pi * (std::pow(outer, 4) - std::pow(inner, 4));
  const auto number = [](double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9e", x);
    return std::string(text);
  };
  expect_same(assemble(model_from(nodes + "PBEND,1,1,1,.05,.01\nCBEND,9,1,1,2,3,,,1\n")),
              assemble(model_from(nodes + "PBEND*,1,1," + number(area) + "," + number(inertia) + "\n*," +
                                  number(inertia) + "," + number(2.0 * inertia) + "\nCBEND,9,1,1,2,3,,,1\n")),
              1e-7);
}

TEST(NastranBends, WhatAnArcCannotBeStops) {
  const auto says = [&](const std::string& deck, const char* what) {
    const std::string words = refusal(deck);
    EXPECT_NE(words.find(what), std::string::npos) << words;
  };
  says(with(ring, "", "") + "CBEND,9,1,1,2,-1.,1.,0.,1\n", "along the chord");
  says(with(ring, "1.", "") + "CBEND,9,1,1,2,0.,1.,0.,3\n", "is none of an arc");
  says(with(ring, "", "") + "CBEND,9,1,1,2,3,,,7\n", "GEOM 7");
  says(with(ring, "", "") + "CBEND,9,8,1,2,3,,,1\n", "no PBEND 8");
  says(ring.substr(0, ring.find("PBEND")) + "PBEND,1,1,2,.05,.01\nCBEND,9,1,1,2,3,,,1\n", "FSI = 2");
}

const std::string two = "BEGIN BULK\nGRID,1,,0.,0.,0.,,123456\nGRID,2,,.5,0.,.2\nCONM2,7,2,,2.,,,,\n,.1,,.2,,,.3\n";

TEST(Genel, StiffnessFlexibilityAndRigidMotions) {
  const std::string at = "GENEL,9,,2,1,2,2,2,3\n,2,4,2,5,2,6\n";
  const std::string values = ",K,1.,0.,0.,0.,0.,0.,2.\n,0.,0.,0.,0.,3.,0.,0.,0.\n,4.,0.,0.,5.,0.,6.\n";
  const Assembly springs = assemble(model_from(
      two + "CELAS2,1,1.,2,1\nCELAS2,2,2.,2,2\nCELAS2,3,3.,2,3\nCELAS2,4,4.,2,4\nCELAS2,5,5.,2,5\nCELAS2,6,6.,2,6\n"));
  expect_same(springs, assemble(model_from(two + at + values)), 1e-12);
  const std::string inverse =
      ",Z,1.,0.,0.,0.,0.,0.,.5\n,0.,0.,0.,0.,.3333333333333,0.,0.,0.\n,.25,0.,0.,.2,0.,.16666666666667\n";
  expect_same(springs, assemble(model_from(two + at + inverse)), 1e-9);
  // Between two free nodes that are apart: no rigid motion costs energy.
  std::string free = two;
  free.replace(free.find(",,123456"), 8, "");
  const Model model =
      model_from(free + "CONM2,8,1,,2.,,,,\n,.1,,.2,,,.3\n" + at + ",UD,,1,1,1,2,1,3\n,1,4,1,5,1,6\n" + values);
  const Modes modes = modes_of(model, 12);
  EXPECT_EQ(modes.rigid, 6);
  EXPECT_GT(modes.frequency_hz[6], 0.01);
  EXPECT_NE(refusal(two + at + ",K,1.,2.\n").find("do not fit"), std::string::npos);
}

// A unit cube from its six faces to its middle, any order of the base.
TEST(Pyramids, SixOfThemAreACube) {
  const std::string cube =
      "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\nGRID,5,,0.,0.,1.\n"
      "GRID,6,,1.,0.,1.\nGRID,7,,1.,1.,1.\nGRID,8,,0.,1.,1.\nGRID,9,,.4,.5,.6\nMAT1,1,1.+9,,.0,1200.\nPSOLID,1,1\n"
      "CPYRAM,1,1,1,2,3,4,9\nCPYRAM,2,1,5,6,7,8,9\nCPYRAM,3,1,1,2,6,5,9\nCPYRAM,4,1,3,4,8,7,9\nCPYRAM,5,1,1,4,8,5,9\n"
      "CPYRAM,6,1,2,3,7,6,9\n";
  const Model model = model_from(cube);
  EXPECT_NEAR(assemble(model).rigid_mass(0, 0), 1200.0, 1e-9);
  EXPECT_NEAR(energy(model, [](const Vector3d& x) { return Vector3d(1e-3 * x.x(), 0, 0); }), 1e9 * 1e-6, 1e-6);
  EXPECT_NEAR(energy(model, [](const Vector3d& x) { return Vector3d(1e-3 * x.y(), 0, 0); }), 0.5e9 * 1e-6, 1e-6);
  EXPECT_THROW(nastran_text(model), Error);  // no card holds half of a material
  EXPECT_NE(refusal(cube + "GRID,10,,.5,0.,0.\nCPYRAM,7,1,1,2,3,4,9,10\n").find("midside"), std::string::npos);
}

TEST(Midsides, ALinearFieldHasItsEnergy) {
  const std::string head =
      "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\n"
      "GRID,5,,0.,0.,1.\nGRID,6,,1.,0.,1.\nGRID,7,,1.,1.,1.\nGRID,8,,0.,1.,1.\nGRID,9,,.5,0.,0.\n"
      "MAT1,1,1.+9,,.0,1200.\nPSOLID,1,1\nPSHELL,2,1,.01,1,,1\n";
  const auto stretch = [](const Vector3d& x) { return Vector3d(1e-3 * x.x(), 0, 0); };
  const Model solid = model_from(head + "CHEXA,1,1,1,2,3,4,5,6\n,7,8,9\n");
  EXPECT_EQ(solid.nodes.size(), 20U);
  EXPECT_NEAR(energy(solid, stretch), 1e3, 1e-6);
  EXPECT_NEAR(assemble(solid).rigid_mass(0, 0), 1200.0, 1e-9);
  const Model shell = model_from(head + "CQUAD8,1,2,1,2,3,4,9\n");
  EXPECT_NEAR(energy(shell, stretch), 10.0, 1e-8);
  const Model tetrahedron = model_from(head + "CTETRA,1,1,1,2,4,5,9\n");
  EXPECT_NEAR(energy(tetrahedron, stretch), 1e3 / 6.0, 1e-7);
}

TEST(LayeredSolids, PliesOfOneIsotropicMaterialAreAPlainSolid) {
  const std::string head =
      "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\nMAT1,1,1.+9,,.3,1200.\n"
      "MAT1,2,2.+9,,.3,1200.\nCTETRA,1,1,1,2,3,4\n";
  expect_same(assemble(model_from(head + "PSOLID,1,1\n")),
              assemble(model_from(head + "PCOMPS,1,0,13,20.\n,1,1,.5,45.\n,2,1,.5,-45.\n")), 1e-15);
  EXPECT_NE(refusal(head + "PCOMPS,1,0,13,20.\n,1,1,.5,45.\n,2,2,.5,-45.\n").find("isotropic"), std::string::npos);
}

// The actuator of a public deck: MSC Nastran gives 0, 0.0795775 and 0.275664 Hz; closed form of two masses on two springs
// and one that is free.
TEST(NastranCards, AutospcOfTheCaseControlLeavesLooseMassesFree) {
  const std::string bulk =
      "BEGIN BULK\nGRID,1,,1.,0.,0.,,23456\nGRID,2,,2.,0.,0.,,23456\nGRID,3,,3.,0.,0.,,23456\nCELAS2,21,1.,1,1\n"
      "CELAS2,22,1.5,1,1,2,1\nCONM2,11,1,,1.\nCONM2,12,2,,2.\nCONM2,13,3,,.4\n";
  const Modes free = modes_of(model_from("CEND\nAUTOSPC = NO\n" + bulk), 3);
  ASSERT_EQ(free.frequency_hz.size(), 3);
  EXPECT_EQ(free.frequency_hz[0], 0.0);
  EXPECT_NEAR(free.frequency_hz[1], 0.5 / (2.0 * pi), 1e-9);
  EXPECT_NEAR(free.frequency_hz[2], std::sqrt(3.0) / (2.0 * pi), 1e-9);
  EXPECT_EQ(modes_of(model_from("CEND\n" + bulk), 3).frequency_hz.size(), 2);
}

TEST(NastranCards, AnIncludeOfTheExecutiveControlHoldsNothingOfTheModel) {
  const std::string rod =
      "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nMAT1,1,2.+11,,.3,7800.\nPROD,1,1,1.-4\nCROD,1,1,1,2\n";
  EXPECT_EQ(refusal("SOL 103\nINCLUDE 'own.dmap'\nCEND\n" + rod), "");
  EXPECT_NE(refusal("SOL 103\nCEND\nINCLUDE 'sets.inc'\n" + rod).find("sets.inc"), std::string::npos);
  EXPECT_NE(refusal("SOL 103\nCEND\n" + rod + "INCLUDE 'more.inc'\n").find("more.inc"), std::string::npos);
  EXPECT_NE(refusal("BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nMAT4,1,2.\nPROD,1,1,1.-4\nCROD,1,1,1,2\n")
                .find("heat transfer"),
            std::string::npos);
}

}  // namespace
}  // namespace kdyn::fe
