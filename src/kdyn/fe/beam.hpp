// SPDX-License-Identifier: Apache-2.0
// Straight beam with shear flexibility, rod, six-direction spring and rigid mass; global axes, u v w rx ry rz per node.
//
//   [fe E9]  axial EA/L, torsion GJ/L, bending with phi = 12 EI / (k A G L^2) in both planes
//   [fe E10] mass: lumped on translations (and on the rotation about the axis, where the property says so), or consistent (Euler-Bernoulli shape
//   functions, polar inertia about the axis) [fe E17] spring: k_c on the c-th relative motion at its point; each component is a rank-one matrix b b^T
//   [fe E18] rigid mass about an offset centre of gravity
//   [fe E36] sections that change along the beam, products of inertia, a neutral axis beside the shear centre; released ends
// No warping.
#pragma once

#include "kdyn/fe/model.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe {

using Matrix12 = Eigen::Matrix<double, 12, 12>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

struct BeamMatrices {
  Matrix12 stiffness, mass, added_mass;  // all of E and G; density; property.added_mass
};
BeamMatrices beam_element(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Element& element,
                          const Property& property, const Material& material, bool consistent_mass,
                          const BeamLaw* law = nullptr, const ElementDetail& detail = {});

// Column c: relative motion along axis c of the spring's point by the motions of both nodes; its stiffness is k_c b
// b^T. Grounded springs use the first six rows.
Eigen::Matrix<double, 12, 6> spring_directions(const Spring& spring, const Eigen::Vector3d& a,
                                               const Eigen::Vector3d& b);

Matrix6 point_mass(const PointMass& mass);

// [fe E19] motion of a point at `arm` from a node that moves: [1, -[arm]; 0, 1].
Matrix6 rigid_arm(const Eigen::Vector3d& arm);

}  // namespace kdyn::fe
