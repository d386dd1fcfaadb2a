// SPDX-License-Identifier: Apache-2.0
// Beam sections by their dimensions, as PBARL and PBEAML name them. [fe E11]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe::internal {

struct Section {
  double area = 0.0, inertia_1 = 0.0, inertia_2 = 0.0, inertia_12 = 0.0, torsion = 0.0;
  double shear_1 = 0.0, shear_2 = 0.0;                // shear area over area
  Eigen::Vector2d neutral = Eigen::Vector2d::Zero();  // centroid from the shear centre, along y and z
  bool shear_centre_known = true;
};

// How many dimensions a type (lower case) has; 0: it is not known.
std::size_t dimensions_of(const std::string& type);
// Nothing when the dimensions make no section.
std::optional<Section> section_of(const std::string& type, const std::vector<double>& dimensions);
std::string known_sections();

}  // namespace kdyn::fe::internal
