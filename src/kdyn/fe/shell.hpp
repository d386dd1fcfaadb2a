// SPDX-License-Identifier: Apache-2.0
// Flat shell elements with six degrees of freedom per node: quadrilateral and triangle.
//
//   quadrilateral: membrane of Q4 with incompatible modes [fe E1], MITC4 plate [fe E2], drilling penalty [fe E5]
//   triangle:      constant-strain membrane, DKT plate [fe E3], drilling penalty [fe E5]
//   both take the matrices of a law (laminates, orthotropic plates) [fe E35] and, of plain plates, a thickness of their own
//   at each corner
// Matrices come apart by powers of the thickness t, so that K = K_t + K_ttt follows a change of thickness exactly [fe
// E6]. Node order per node is u v w rx ry rz in global axes. A warped quadrilateral is projected on its mean plane;
// rigid arms carry the nodes [fe E4]. Valid for thin and moderately thick plates (DKT: thin); the triangle's membrane
// is stiff in in-plane bending, use it as filler.
#pragma once

#include <array>

#include "kdyn/fe/model.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe {

struct ShellInput {
  double young = 0.0, poisson = 0.0, shear = 0.0, density = 0.0;  // Pa, -, Pa, kg/m^3
  double thickness = 0.0, offset = 0.0;                           // m
  double added_mass = 0.0;                                        // kg/m^2
  double drilling_factor = 1e-3;
  bool consistent_mass = true;
  double bending_ratio = 1.0, shear_ratio = 5.0 / 6.0;  // as of Property
  const ShellLaw* law = nullptr;       // counts instead of material and thickness; all stiffness is then k_linear
  double angle = 0.0;                  // of the law's axes from the side of the first two nodes, rad
  std::array<double, 4> corners = {};  // thickness there over `thickness`; all zero: 1
};

// Stands for no shear flexibility: what remains is below 0.1 % of that of the material.
inline constexpr double rigid_shear = 1000.0;

// [fe E35] The matrices of a law in axes of the element, from which those of the material are turned by `angle`.
struct TurnedLaw {
  Eigen::Matrix3d membrane, coupling, bending;
  Eigen::Matrix2d shear;
};
TurnedLaw turned(const ShellLaw& law, double angle);
// The stiffness that the drilling penalty of [fe E5] refers to: the least shear stiffness over all axes.
double drilling_stiffness(const ShellLaw& law);
Eigen::Matrix3d plane_stress(double young, double poisson);

template <int Size>
struct ShellMatrices {
  using Matrix = Eigen::Matrix<double, Size, Size>;
  Matrix k_linear, k_cubic;           // grow with t and t^3; both with E
  Matrix m_linear, m_cubic, m_added;  // grow with t, t^3 (both with the density) and not at all
};

// Corners in order around the element. Throws Error(bad_input) when the quadrilateral is folded or has no area.
ShellMatrices<24> shell_quad(const Eigen::Matrix<double, 3, 4>& corners, const ShellInput& input);
ShellMatrices<18> shell_triangle(const Eigen::Matrix3d& corners, const ShellInput& input);

// [fe E39] Curved shells of eight and six nodes: corners, then the middles of the sides from the first on. Thickness at
// corners is not taken.
struct ShellMatricesOfAnySize {
  Eigen::MatrixXd k_linear, k_cubic, m_linear, m_cubic, m_added;
};
ShellMatricesOfAnySize shell_quadratic(const Eigen::Matrix3Xd& nodes, const ShellInput& input);

}  // namespace kdyn::fe
