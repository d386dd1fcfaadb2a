// SPDX-License-Identifier: Apache-2.0
// Laminates, orthotropic materials, plates of several thicknesses and shells with midside nodes against laminate, plate
// and beam theory.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "deck_tools.hpp"

namespace kdyn::fe {
namespace {

using namespace test;
using Eigen::Matrix3d;

const std::string square =
    "BEGIN "
    "BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.1,1.,0.\nGRID,4,,0.,.9,0.\nCORD2R,5,,0.,0.,0.,0.,0.,1.\n,."
    "86602540378,.5,0.\n";
const std::string plies = "MAT8,1,140.+9,10.+9,.3,5.+9,5.+9,3.+9,1600.\n";

TEST(NastranShells, OnePlyIsAPlate) {
  const std::string head = square + "MAT1,1,7.+10,,.3,2700.\n";
  const Assembly plate = assemble(model_from(head + "PSHELL,1,1,.01,1,,1,,3.\nCQUAD4,1,1,1,2,3,4\n"));
  expect_same(plate, assemble(model_from(head + "PCOMP,1,,3.\n,1,.01,77.\nCQUAD4,1,1,1,2,3,4,33.\n")), 1e-9);
  expect_same(plate, assemble(model_from(head + "PCOMPG,1,,3.,,,,,SYM\n,1,1,.005,20.\nCQUAD4,1,1,1,2,3,4\n")), 1e-9);
  expect_same(plate,
              assemble(model_from(
                  head + "MAT2,2,7.6923076923077+10,2.3076923076923+10,,7.6923076923077+10,,2.6923076923077+10,2700.\n"
                         "PSHELL,1,2,.01,2,,1,,3.\nCQUAD4,1,1,1,2,3,4\n")),
              1e-9);
  // Two thin layers of one material, put on top of the nodes, are a plate with an offset.
  expect_same(assemble(model_from(head + "PSHELL,1,1,.01,1,,1\nCQUAD4,1,1,1,2,3,4,,.005\n")),
              assemble(model_from(head + "PCOMP,1,0.\n,1,.004\n,,.006\nCQUAD4,1,1,1,2,3,4\n")), 1e-9);
  // Bending stiffness and shear thickness of their own.
  const Assembly thick = assemble(model_from(head + "PSHELL,1,1,.01,1,2.,1,.4\nCQUAD4,1,1,1,2,3,4\n"));
  const Assembly same = assemble(model_from(
      head + "MAT1,2,14.+10,,.3,1.\nMAT1,3,,1.292307692307692+10,,1.\nPSHELL,1,1,.01,2,,3\nCQUAD4,1,1,1,2,3,4\n"));
  expect_same(thick, same, 1e-9);
}

TEST(NastranShells, MatricesOfALaminate) {
  // [0/90/45] of 1, 2 and 1 mm: sums of the plies by hand.
  const Model model = model_from(square + plies + "PCOMP,1\n,1,.001,0.,,1,.002,90.\n,1,.001,45.\nCQUAD4,1,1,1,2,3,4\n");
  ASSERT_EQ(model.shell_laws.size(), 1u);
  const double d = 1.0 - .09 * 10.0 / 140.0, q11 = 140e9 / d, q22 = 10e9 / d, q12 = 3e9 / d, q66 = 5e9;
  Matrix3d zero, ninety, slant;
  zero << q11, q12, 0, q12, q22, 0, 0, 0, q66;
  ninety << q22, q12, 0, q12, q11, 0, 0, 0, q66;
  // 45 degrees: (Q11 + Q22 + 2 Q12 + 4 Q66)/4 and so on (Jones, Mechanics of Composite Materials).
  const double a = .25 * (q11 + q22 + 2 * q12), b = .25 * (q11 - q22), shear = .25 * (q11 + q22 - 2 * q12);
  slant << a + q66, a - q66, b, a - q66, a + q66, b, b, b, shear;
  const ShellLaw& law = model.shell_laws.front();
  const double mm = 1e-3;
  EXPECT_LT((law.membrane - mm * (zero + 2 * ninety + slant)).norm(), 1e-6 * law.membrane.norm());
  // Heights -2, -1, 1, 2 mm.
  EXPECT_LT((law.coupling - mm * mm * (-1.5 * zero + 1.5 * slant)).norm(), 1e-6 * law.coupling.norm());
  EXPECT_LT((law.bending - mm * mm * mm / 3.0 * (7 * zero + 2 * ninety + 7 * slant)).norm(), 1e-6 * law.bending.norm());
  EXPECT_NEAR(law.mass, 1600.0 * 4e-3, 1e-12);
  // Shear of a sandwich: a core of 20 mm between faces of 1 mm bends as two thin faces, so G d^2 / c with d = 21 mm.
  const Model sandwich = model_from(
      square + "MAT1,1,7.+10,,.3\nMAT1,2,1.+4,5.+7,,50.\nPCOMP,1\n,1,.001,,,2,.02\n,1,.001\nCQUAD4,1,1,1,2,3,4\n");
  EXPECT_NEAR(sandwich.shell_laws[0].shear(0, 0), 5e7 * .021 * .021 / .02, .01 * 5e7 * .021);
}

TEST(NastranShells, MaterialAxes) {
  // The ply turned in the laminate, the laminate turned in the element, and its axis from a system: all the same.
  const Assembly ply = assemble(model_from(square + plies + "PCOMP,1\n,1,.002,30.\nCQUAD4,1,1,1,2,3,4\n"));
  expect_same(ply, assemble(model_from(square + plies + "PCOMP,1\n,1,.002\nCQUAD4,1,1,1,2,3,4,30.\n")), 1e-10);
  expect_same(ply, assemble(model_from(square + plies + "PCOMP,1\n,1,.002\nCQUAD4,1,1,1,2,3,4,5\n")), 1e-8);
  // Another first node turns the element, not the plate.
  expect_same(ply, assemble(model_from(square + plies + "PCOMP,1\n,1,.002\nCQUAD4,1,1,2,3,4,1,5\n")), 1e-8);
  const Assembly tria = assemble(model_from(square + plies + "PCOMP,1\n,1,.002\nCTRIA3,1,1,1,2,3,30.\n"));
  expect_same(tria, assemble(model_from(square + plies + "PCOMP,1\n,1,.002\nCTRIA3,1,1,2,3,1,5\n")), 1e-8);
}

// A strip of 10 quads or 20 triangles along x, 1 m by 0.1 m, clamped at x = 0.
std::string strip(const std::string& element, bool triangles, const char* rest = "") {
  std::string out = "BEGIN BULK\n";
  for (int i = 0; i <= 10; ++i)
    for (int k = 0; k < 2; ++k)
      out += "GRID," + std::to_string(2 * i + k + 1) + ",," + std::to_string(.1 * i) + "," + std::to_string(.1 * k) +
             ",0.\n";
  for (int i = 0; i < 10; ++i) {
    const auto n = [&](int a) { return "," + std::to_string(2 * i + a); };
    if (triangles)
      out += "CTRIA3," + std::to_string(2 * i + 1) + ",1" + n(1) + n(3) + n(4) + element + "\nCTRIA3," +
             std::to_string(2 * i + 2) + ",1" + n(1) + n(4) + n(2) + element + "\n";
    else
      out += "CQUAD4," + std::to_string(i + 1) + ",1" + n(1) + n(3) + n(4) + n(2) + element + "\n";
  }
  return out + "SPC1,1,123456,1,2\n" + rest;
}
// Mean motion of the tip under unit forces there.
double tip_motion(const Model& model, int load, int answer) {
  const Assembly a = assemble(model);
  Eigen::VectorXd force = Eigen::VectorXd::Zero(a.map.unknowns);
  for (const int n : {21, 22}) force[a.map.find({n, load, {}})] = .5;
  const Eigen::VectorXd u = statics(a, force);
  return .5 * (u[a.map.find({21, answer, {}})] + u[a.map.find({22, answer, {}})]);
}

TEST(NastranShells, UnsymmetricLaminateBendsWhenPulled) {
  // [0/90], nu12 = 0: the strip is a beam of two layers of 140 and 10 GPa, 1 mm each; u and w at the tip by hand.
  const std::string property = "MAT8,1,140.+9,10.+9,0.,5.+9,5.+9,5.+9,1600.\nPCOMP,1\n,1,.001,0.,,1,.001,90.\n";
  const double w = .1, a = w * 1e-3 * 150e9, b = w * .5e-6 * (-140e9 + 10e9), d = w * 1e-9 / 3.0 * 150e9;
  const double det = a * d - b * b;
  for (const bool triangles : {false, true}) {
    const Model model = model_from(strip(",0", triangles, property.c_str()));
    // Pulled by 1 N: strain D/det, curvature -B/det; w = -curvature L^2/2 with u = z w' signs: beta_x = ry, w,x = -ry.
    EXPECT_NEAR(tip_motion(model, 1, 1), d / det, .01 * d / det) << triangles;
    EXPECT_NEAR(tip_motion(model, 1, 3), .5 * b / det, .01 * std::abs(b / det)) << triangles;
    EXPECT_NEAR(tip_motion(model, 3, 3), a / det / 3.0, .02 * a / det / 3.0) << triangles;
  }
}

TEST(NastranShells, ThicknessAtTheCorners) {
  // One element from 20 to 10 mm: mass by the mean thickness; a taper over ten elements against the integral of the beam.
  const std::string property = "MAT1,1,7.+10,,0.,2700.\nPSHELL,1,1,.015,1,,1\n";
  std::string deck = strip("", false, property.c_str());
  for (int i = 0; i < 10; ++i) {
    const std::string head = "CQUAD4," + std::to_string(i + 1) + ",1,";
    const std::size_t at = deck.find('\n', deck.find(head));
    const auto t = [&](double x) { return std::to_string(.02 - .01 * x); };
    const double x0 = .1 * i, x1 = .1 * (i + 1);
    const std::string more = ",,\n,,," + t(x0) + "," + t(x1) + "," + t(x1) + "," + t(x0);
    deck.insert(at, more);
  }
  const Model model = model_from(deck);
  EXPECT_EQ(model.details.size(), 10u);
  EXPECT_NEAR(assemble(model).rigid_mass(0, 0), 2700.0 * .1 * .015, 1e-9);
  double sum = 0.0;
  const int n = 2000;
  for (int i = 0; i < n; ++i) {
    const double x = (i + .5) / n, t = .02 - .01 * x;
    sum += (1 - x) * (1 - x) * 12.0 / (7e10 * .1 * t * t * t) / n;
  }
  // Ten elements with linear rotations leave 1/4 of a percent; shear adds 6/5 F L / (G A): 0.02 %.
  EXPECT_NEAR(tip_motion(model, 3, 3), sum, .006 * sum);
  // Ratios of the property's thickness.
  const std::string flagged = square + property + "CQUAD4,1,1,1,2,3,4\n,,1,2.,1.,1.,2.\n";
  const std::string absolute = square + property + "CQUAD4,1,1,1,2,3,4\n,,,.03,.015,.015,.03\n";
  expect_same(assemble(model_from(flagged)), assemble(model_from(absolute)), 1e-12);
  // A thickness that corners have of their own is no parameter.
  EXPECT_THROW(assemble(model, {{"t", ParameterKind::thickness, {1}}}), Error);
}

TEST(NastranShells, WhatALaminateIsMadeOfIsNoParameter) {
  const Model model = model_from(square + "MAT1,1,7.+10,,.3,2700.\nPCOMP,7\n,1,.01\nCQUAD4,1,7,1,2,3,4\n");
  EXPECT_THROW(assemble(model, {{"t", ParameterKind::thickness, {7}}}), Error);
  EXPECT_THROW(assemble(model, {{"e", ParameterKind::young, {1}}}), Error);
}

TEST(NastranShells, OrthotropicSolids) {
  const std::string brick =
      "BEGIN "
      "BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.2,0.\nGRID,5,,0.,0.,1.\nGRID,6,,1.,0.,"
      "1.\n"
      "GRID,7,,1.,1.,1.3\nGRID,8,,0.,1.,1.\nCHEXA,1,1,1,2,3,4,5,6,\n,7,8\n";
  // Isotropic numbers in MAT9 and MAT11 are MAT1, in any axes.
  const double e = 7e10, nu = .3, c = e / ((1 + nu) * (1 - 2 * nu));
  char mat9[300];
  std::snprintf(
      mat9, sizeof mat9,
      "MAT9,1,%.15g,%.15g,%.15g,0.,0.,0.,%.15g\n,%.15g,0.,0.,0.,%.15g,0.,0.,0.\n,%.15g,0.,0.,%.15g,0.,%.15g,2700.\n",
      c * (1 - nu), c * nu, c * nu, c * (1 - nu), c * nu, c * (1 - nu), .5 * e / (1 + nu), .5 * e / (1 + nu),
      .5 * e / (1 + nu));
  const std::string axes = "CORD2R,5,,0.,0.,0.,.3,.4,1.\n,1.,.2,-.1\n";
  const Assembly plain = assemble(model_from(brick + "MAT1,1,7.+10,,.3,2700.\nPSOLID,1,1\n"));
  expect_same(plain, assemble(model_from(brick + mat9 + "PSOLID,1,1\n")), 1e-12);
  expect_same(plain, assemble(model_from(brick + axes + mat9 + "PSOLID,1,1,5\n")), 1e-12);
  char mat11[300];
  std::snprintf(mat11, sizeof mat11, "MAT11,1,7.+10,7.+10,7.+10,.3,.3,.3,%.15g\n,%.15g,%.15g,2700.\n",
                .5 * e / (1 + nu), .5 * e / (1 + nu), .5 * e / (1 + nu));
  expect_same(plain, assemble(model_from(brick + mat11 + "PSOLID,1,1\n")), 1e-12);
  // Axes turned by 90 degrees about z exchange the first two directions.
  expect_same(assemble(model_from(brick + "CORD2R,5,,0.,0.,0.,0.,0.,1.\n,0.,1.,0.\nMAT11,1,1.+10,2.+10,3.+10,.1,.2,.15,"
                                          "4.+9\n,5.+9,6.+9\nPSOLID,1,1,5\n")),
              assemble(model_from(brick + "MAT11,1,2.+10,1.+10,3.+10,.2,.15,.2,4.+9\n,6.+9,5.+9\nPSOLID,1,1\n")),
              1e-12);
}

// A square plate of side 1, simply supported, of n x n shells with midside nodes.
std::string plate_of(int n, bool triangles, const std::string& property) {
  std::string out = "BEGIN BULK\n" + property;
  const int m = 2 * n;
  const auto label = [&](int i, int k) { return std::to_string(k * (m + 1) + i + 1); };
  for (int k = 0; k <= m; ++k)
    for (int i = 0; i <= m; ++i) {
      if (!triangles && i % 2 && k % 2) continue;
      const bool x = i == 0 || i == m, y = k == 0 || k == m;
      std::string held = "126";
      if (x || y) held += "3";
      if (x) held += "4";
      if (y) held += "5";
      out += "GRID," + label(i, k) + ",," + std::to_string(1.0 * i / m) + "," + std::to_string(1.0 * k / m) + ",0.,," +
             held + "\n";
    }
  int e = 0;
  for (int k = 0; k < m; k += 2)
    for (int i = 0; i < m; i += 2) {
      const auto card = [&](const char* name, std::initializer_list<std::pair<int, int>> places) {
        out += std::string(name) + "," + std::to_string(++e) + ",1";
        int count = 0;
        for (const auto& [a, b] : places) {
          if (count++ == 6) out += ",\n";
          out += "," + label(i + a, k + b);
        }
        out += "\n";
      };
      if (triangles) {
        card("CTRIA6", {{0, 0}, {2, 0}, {2, 2}, {1, 0}, {2, 1}, {1, 1}});
        card("CTRIA6", {{0, 0}, {2, 2}, {0, 2}, {1, 1}, {1, 2}, {0, 1}});
      } else {
        card("CQUAD8", {{0, 0}, {2, 0}, {2, 2}, {0, 2}, {1, 0}, {2, 1}, {1, 2}, {0, 1}});
      }
    }
  return out;
}

TEST(NastranShells, MidsideNodes) {
  // First frequency of a thin simply supported square plate: pi sqrt(D / (rho t)).
  const double d = 7e10 * 1e-6 / (12 * .91), exact = std::numbers::pi * std::sqrt(d / 27.0);
  const std::string property = "MAT1,1,7.+10,,.3,2700.\nPSHELL,1,1,.01,1,,1\nPARAM,COUPMASS,1\n";
  for (const bool triangles : {false, true}) {
    const Modes m = modes_of(model_from(plate_of(4, triangles, property)), 2);
    EXPECT_NEAR(m.frequency_hz[0], exact, (triangles ? .03 : .01) * exact) << triangles;
    EXPECT_EQ(m.rigid, 0);
  }
  EXPECT_NEAR(assemble(model_from(plate_of(2, true, property))).rigid_mass(2, 2), 27.0, 1e-9);
  // One ply is the plate; free, it has six rigid motions in any place and a curved one too.
  const std::string quad =
      "BEGIN "
      "BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,.1\nGRID,3,,1.1,1.,0.\nGRID,4,,0.,.9,.2\nGRID,5,,.5,-.05,.1\nGRID,6,,1.1,."
      "5,.05\n"
      "GRID,7,,.5,1.,.15\nGRID,8,,-.05,.45,.05\nMAT1,1,7.+10,,.3,2700.\nPARAM,COUPMASS,1\n";
  const Assembly one = assemble(model_from(quad + "PSHELL,1,1,.01,1,,1\nCQUAD8,1,1,1,2,3,4,5,6,\n,7,8\n"));
  expect_same(one, assemble(model_from(quad + "PCOMP,1\n,1,.01,15.\nCQUAD8,1,1,1,2,3,4,5,6,\n,7,8,,,,,20.\n")), 1e-9);
  const Eigen::MatrixXd k = full(one.matrices.stiffness_at());
  for (int c = 0; c < 6; ++c) {
    Eigen::VectorXd r = Eigen::VectorXd::Zero(48);
    const Model model = model_from(quad + "PSHELL,1,1,.01,1,,1\nCQUAD8,1,1,1,2,3,4,5,6,\n,7,8\n");
    for (int n = 0; n < 8; ++n) {
      const Eigen::Vector3d x = model.nodes[static_cast<std::size_t>(n)].position;
      if (c < 3) r[6 * n + c] = 1.0;
      if (c >= 3) r.segment<3>(6 * n) = Eigen::Vector3d::Unit(c - 3).cross(x), r[6 * n + c] = 1.0;
    }
    EXPECT_LT((k * r).norm(), 1e-9 * k.norm()) << c;
  }
}

}  // namespace
}  // namespace kdyn::fe
