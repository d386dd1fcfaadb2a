// SPDX-License-Identifier: Apache-2.0
// A flexible body as the multibody module reads it: points, shapes without rigid content, modal matrices, rigid-body
// mass properties.
//
// u(t) = shapes * eta(t) with translations in m and rotations in rad in the body frame; modal_mass eta'' +
// modal_damping eta' + modal_stiffness eta = shapes^T f. Positions are in m in the same frame.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/data/dof.hpp"
#include "kdyn/data/geometry.hpp"
#include "kdyn/data/mode_set.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline modes {

struct RigidBodyProperties {
  double mass = 0.0;                                  // kg
  std::array<double, 3> centre = {0.0, 0.0, 0.0};     // m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // kg*m^2 about the centre of gravity
  std::string origin;                                 // where the numbers come from
};

struct FlexibleBody {
  std::string name, origin;  // origin: "test modes", "Craig-Bampton", ...
  Geometry geometry;
  std::vector<Dof> dofs;
  Eigen::MatrixXd shapes;  // dofs x modes
  Eigen::VectorXd frequency_hz, damping;
  std::vector<std::string> kinds;  // of each mode: "test", "normal", "mixed"
  Eigen::MatrixXd modal_mass, modal_stiffness, modal_damping;
  RigidBodyProperties rigid;
  std::vector<Dof> interface_dofs;  // where other parts connect; may be empty
};

// [modes E15] Between the 6 x 6 mass matrix about the origin, [m I, m [c]^T; m [c], J], and mass, centre of gravity,
// inertia about it.
RigidBodyProperties rigid_properties(const Eigen::Matrix<double, 6, 6>& mass, const std::string& origin);
Eigen::Matrix<double, 6, 6> rigid_mass_matrix(const RigidBodyProperties& rigid);

Json rows_json(const Eigen::MatrixXd& A);  // a matrix as a list of its rows

void body_json(const FlexibleBody& body, Json& out);
FlexibleBody body_from_json(const Json& in, const std::string& where);
ModeSet mode_set_of(const FlexibleBody& body);  // for universal files and pictures

}  // namespace kdyn::inline modes
