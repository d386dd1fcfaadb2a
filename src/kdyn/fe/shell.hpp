// SPDX-License-Identifier: Apache-2.0
// Flat shell elements with six degrees of freedom per node: quadrilateral and triangle.
//
//   quadrilateral: membrane of Q4 with incompatible modes [fe E1], MITC4 plate [fe E2], drilling penalty [fe E5]
//   triangle:      constant-strain membrane, DKT plate [fe E3], drilling penalty [fe E5]
// Matrices come apart by powers of the thickness t, so that K = K_t + K_ttt follows a change of thickness exactly [fe
// E6]. Node order per node is u v w rx ry rz in global axes. A warped quadrilateral is projected on its mean plane;
// rigid arms carry the nodes [fe E4]. Valid for thin and moderately thick plates (DKT: thin); the triangle's membrane
// is stiff in in-plane bending, use it as filler.
#pragma once

#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe {

struct ShellInput {
  double young = 0.0, poisson = 0.0, shear = 0.0, density = 0.0;  // Pa, -, Pa, kg/m^3
  double thickness = 0.0, offset = 0.0;                           // m
  double added_mass = 0.0;                                        // kg/m^2
  double drilling_factor = 1e-3;
  bool consistent_mass = true;
};

template <int Size>
struct ShellMatrices {
  using Matrix = Eigen::Matrix<double, Size, Size>;
  Matrix k_linear, k_cubic;           // grow with t and t^3; both with E
  Matrix m_linear, m_cubic, m_added;  // grow with t, t^3 (both with the density) and not at all
};

// Corners in order around the element. Throws Error(bad_input) when the quadrilateral is folded or has no area.
ShellMatrices<24> shell_quad(const Eigen::Matrix<double, 3, 4>& corners, const ShellInput& input);
ShellMatrices<18> shell_triangle(const Eigen::Matrix3d& corners, const ShellInput& input);

}  // namespace kdyn::fe
