// SPDX-License-Identifier: Apache-2.0
// Shear panel (CSHEAR): a quadrilateral sheet that carries pure shear along its edges and nothing else; the normal
// stresses go into the rods around it.
//
//   [fe E41] stress function phi = (a.p)(b.p)/(c.p) with p = (x, y, 1) and the rows a, b, c of the projective map of the
//            panel to the unit square: in equilibrium, no normal traction on any edge (Garvey's panel)
//   [fe E42] K = v v^T/F: v forces of the edges at the corners for one unit of phi, half at each end of an edge; F twice
//            the complementary energy
// Corners a little out of plane: the mean plane counts, and v is freed of what a rigid motion would feel.
#pragma once

#include "kdyn/fe/beam.hpp"

namespace kdyn::fe {

struct ShearPanel {
  Matrix12 stiffness;  // translations of the corners, global axes
  double area = 0.0;
};
// Corners in order around; shear modulus of its own. Throws Error(bad_input) where the corners are no convex
// quadrilateral.
ShearPanel shear_panel(const Eigen::Matrix<double, 3, 4>& corners, double thickness, double young, double poisson,
                       double shear);

}  // namespace kdyn::fe
