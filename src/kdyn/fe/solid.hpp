// SPDX-License-Identifier: Apache-2.0
// Solid elements with three translations per node: hexahedra of 8 and 20 nodes, wedges of 6 and 15, tetrahedra of 4 and
// 10.
//
//   [fe E7] isoparametric stiffness and mass by Gauss points; Nastran's node order
//   [fe E8] hex8: nine incompatible displacements and three enhanced volumetric strains, condensed; no shear, bending or volume locking up to
//           a Poisson ratio of 0.4999 (rubber)
// wedge6 and tet4 are stiff in bending and lock near 0.5: fillers. Quadratic elements are fully integrated and do well
// at 0.49. Lumped mass: row sums of the linear elements, scaled diagonal of the quadratic ones (whose row sums are
// negative at corners).
#pragma once

#include "kdyn/fe/model.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe {

struct SolidInput {
  double young = 0.0, poisson = 0.0, density = 0.0;  // Pa, -, kg/m^3
  bool consistent_mass = true;
  const SolidLaw* law = nullptr;  // counts instead of modulus and Poisson ratio
};

struct SolidMatrices {
  Eigen::MatrixXd stiffness, mass;  // 3 * nodes
};

// `corners` has one column per node. Throws Error(bad_input) when the element is turned inside out.
SolidMatrices solid_element(Shape shape, const Eigen::Matrix3Xd& corners, const SolidInput& input);

}  // namespace kdyn::fe
