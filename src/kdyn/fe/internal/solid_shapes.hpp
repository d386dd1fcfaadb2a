// SPDX-License-Identifier: Apache-2.0
// Shape functions and integration points of the solid elements. [fe E7]
#pragma once

#include <vector>

#include "kdyn/fe/model.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe::internal {

struct SolidPoint {
  Eigen::Vector3d place;  // natural coordinates
  double weight = 0.0;
  Eigen::VectorXd n;       // shape functions
  Eigen::Matrix3Xd slope;  // their derivatives by the natural coordinates
};

// Points that integrate the stiffness, or the mass, of a shape; computed once per shape.
const std::vector<SolidPoint>& stiffness_points(Shape shape);
const std::vector<SolidPoint>& mass_points(Shape shape);

}  // namespace kdyn::fe::internal
