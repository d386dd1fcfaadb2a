// SPDX-License-Identifier: Apache-2.0
// Shear panels and gaps against closed forms: energy of simple shear, the parallelogram of the Nastran theoretical
// manual, a bay of rods and panel.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "deck_tools.hpp"
#include "kdyn/fe/shear_panel.hpp"

namespace kdyn::fe {
namespace {

using namespace test;
using Corners = Eigen::Matrix<double, 3, 4>;
using Vector12 = Eigen::Matrix<double, 12, 1>;

constexpr double young = 7e10, poisson = 0.33, thickness = 1.2e-3;
const double shear = 0.5 * young / (1.0 + poisson);

TEST(ShearPanel, RectangleHasTheEnergyOfSimpleShear) {
  Corners c;
  c << 0, 0.4, 0.4, 0, 0, 0, 0.25, 0.25, 0, 0, 0, 0;
  const ShearPanel panel = shear_panel(c, thickness, young, poisson, shear);
  EXPECT_NEAR(panel.area, 0.1, 1e-15);
  Vector12 u = Vector12::Zero();
  for (int i = 0; i < 4; ++i) u[3 * i] = 0.01 * c(1, i);
  EXPECT_NEAR(u.dot(panel.stiffness * u) / (shear * thickness * 0.1 * 1e-4), 1.0, 1e-12);
  // Stretching costs nothing.
  for (int i = 0; i < 4; ++i) u.segment<3>(3 * i) = Eigen::Vector3d(0.01 * c(0, i), -0.02 * c(1, i), 0.0);
  EXPECT_LT((panel.stiffness * u).norm(), 1e-12 * panel.stiffness.norm());
}

TEST(ShearPanel, ParallelogramHasTheFlexibilityOfTheManual) {
  const double skew = 0.5, a = 0.3, b = 0.2;
  const Eigen::Vector3d one = a * Eigen::Vector3d::UnitX(),
                        two = b * Eigen::Vector3d(std::sin(skew), std::cos(skew), 0);
  Corners c;
  c.col(0).setZero(), c.col(1) = one, c.col(2) = one + two, c.col(3) = two;
  const ShearPanel panel = shear_panel(c, thickness, young, poisson, shear);
  const double area = a * b * std::cos(skew), tangent = std::tan(skew);
  const double flexibility = area / (shear * thickness) * (1.0 + 2.0 / (1.0 + poisson) * tangent * tangent);
  // Shear flow 1: edge forces as long as the edges, forward on the lower and right one, each half at both ends.
  Vector12 v = Vector12::Zero();
  const Eigen::Vector3d forces[4] = {-one, two, one, -two};
  for (int i = 0; i < 4; ++i) {
    v.segment<3>(3 * i) += 0.5 * forces[i];
    v.segment<3>(3 * ((i + 1) % 4)) += 0.5 * forces[i];
  }
  const Matrix12 exact = v * v.transpose() / flexibility;
  EXPECT_LT((panel.stiffness - exact).norm(), 1e-12 * exact.norm());
}

TEST(ShearPanel, AnyQuadrilateralIsFreeAndDoesNotDependOnItsFirstCorner) {
  Corners c;
  c << 0, 0.5, 0.42, 0.05, 0, 0.04, 0.31, 0.22, 0.0, 0.01, 0.0, 0.015;  // a little out of plane
  const ShearPanel panel = shear_panel(c, thickness, young, poisson, shear);
  for (int k = 0; k < 6; ++k) {
    Vector12 u;
    for (int i = 0; i < 4; ++i) u.segment<3>(3 * i) = rigid_arm(c.col(i)).topRows<3>().col(k);
    EXPECT_LT((panel.stiffness * u).norm(), 1e-11 * panel.stiffness.norm() * u.norm());
  }
  Corners turned;
  turned << c.rightCols<3>(), c.leftCols<1>();
  const ShearPanel same = shear_panel(turned, thickness, young, poisson, shear);
  Matrix12 back;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) back((i + 3) % 12, (j + 3) % 12) = same.stiffness(i, j);
  EXPECT_LT((panel.stiffness - back).norm(), 1e-9 * back.norm());
  c.col(2).swap(c.col(3));
  EXPECT_THROW(shear_panel(c, thickness, young, poisson, shear), Error);
}

const std::string bay =
    "BEGIN BULK\nPARAM,COUPMASS,-1\nGRID,1,,0.,0.,0.,,123456\nGRID,2,,0.,.25,0.,,123456\n"
    "GRID,3,,.4,.25,0.,,3456\nGRID,4,,.4,0.,0.,,3456\nMAT1,1,7.+10,,.33\nMAT1,2,7.+16,,.33\nPROD,2,2,.01\n"
    "CROD,1,2,1,4\nCROD,2,2,2,3\nCROD,3,2,3,4\nCONM2,7,3,,5.\nCONM2,8,4,,5.\n";

TEST(NastranPanels, ABayOfRodsAndPanelSwingsOnItsShear) {
  const Model model = model_from(bay + "PSHEAR,1,1,1.2-3\nCSHEAR,9,1,1,4,3,2\n");
  const Modes modes = modes_of(model, 1);
  // Rods are rigid: k = G t h/L on both masses.
  const double k = shear * thickness * 0.25 / 0.4;
  EXPECT_NEAR(modes.frequency_hz[0] / (std::sqrt(k / 10.0) / (2.0 * std::numbers::pi)), 1.0, 1e-5);
  // Mass: of sheet and added, a quarter at each corner.
  const Model heavy = model_from(bay + "MAT1,3,7.+10,,.33,2700.\nPSHEAR,1,3,1.2-3,10.\nCSHEAR,9,1,1,4,3,2\n");
  const double own = 0.1 * (2700.0 * thickness + 10.0);
  EXPECT_NEAR(assemble(heavy).rigid_mass(0, 0), 10.0 + own, 1e-9);
  EXPECT_NEAR(modes_of(heavy, 1).frequency_hz[0] / (std::sqrt(k / (10.0 + 0.5 * own)) / (2.0 * std::numbers::pi)), 1.0,
              1e-5);
}

TEST(NastranPanels, WhatOfTheSheetHelpsTheRods) {
  // Without the long rods the sheet carries their force: F1 = 1 gives each long side half the width.
  std::string soft = bay;
  soft.replace(soft.find("CROD,1,2,1,4\nCROD,2,2,2,3\n"), 26, "");
  const Model model = model_from(soft + "SPC1,1,2,3,4\nPSHEAR,1,1,1.2-3,,1.\nCSHEAR,9,1,1,4,3,2\n");
  const double k = young * 0.5 * thickness * 0.25 / 0.4;
  EXPECT_NEAR(modes_of(model, 1).frequency_hz[0] / (std::sqrt(k / 5.0) / (2.0 * std::numbers::pi)), 1.0, 1e-6);
  // Above 1.01 the width counts in thicknesses.
  const Model narrow = model_from(soft + "SPC1,1,2,3,4\nPSHEAR,1,1,1.2-3,,20.\nCSHEAR,9,1,1,4,3,2\n");
  EXPECT_NEAR(modes_of(narrow, 1).frequency_hz[0] /
                  (std::sqrt(young * 0.5 * 20.0 * thickness * thickness / 0.4 / 5.0) / (2.0 * std::numbers::pi)),
              1.0, 1e-6);
}

TEST(NastranPanels, AGapIsWhatItsOpeningSays) {
  const std::string head =
      "BEGIN BULK\nGRID,1,,0.,0.,0.,,123456\nGRID,2,,0.,0.,.1,,123456\nGRID,3,,0.,0.,.1,,3456\nCONM2,7,3,,2.\n"
      "CELAS2,5,1.+4,3,1\nCELAS2,6,1.+4,3,2\nCGAP,9,1,1,3,1.,0.,0.\n";
  const auto springs = [&](const std::string& property) {
    const Model model = model_from(head + property);
    EXPECT_EQ(std::count_if(model.findings.begin(), model.findings.end(),
                            [](const Finding& f) { return f.code == "gap" && f.severity == Severity::warning; }),
              1);
    return model.springs.at(0).stiffness;
  };
  const auto closed = springs("PGAP,1,0.,0.,1.+6,,,.2\n");
  EXPECT_EQ(closed[0], 1e6);
  EXPECT_EQ(closed[1], 2e5);
  const auto open = springs("PGAP,1,.001,0.,1.+6,5.,3.+4\n");
  EXPECT_EQ(open[0], 5.0);
  EXPECT_EQ(open[1], 0.0);
  EXPECT_EQ(springs("PGAP,1,.001,0.,1.+6\n")[0], 1e-8);
}

}  // namespace
}  // namespace kdyn::fe
