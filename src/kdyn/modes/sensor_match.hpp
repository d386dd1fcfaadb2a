// SPDX-License-Identifier: Apache-2.0
// What each sensor of a test reads of the motion of a model, or of another test.
//
// A sensor is matched to the nearest point of the model by position, by label when one of the two has no geometry. Its
// direction, in whatever axes the test has there, becomes a combination of the translations of that point, in whatever
// axes the model has there. A point that does not move in a direction the sensor reads cannot stand for it: such sensors
// are left out, and told.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/mode_set.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline modes {

struct Match {
  std::size_t sensor = 0;  // index into the dofs of the test
  std::int64_t fe_node = 0;
  double distance = 0.0;                      // m; 0 when matched by label
  std::array<Eigen::Index, 3> rows{0, 0, 0};  // of the model; the sensor reads sum(weights * rows)
  std::array<double, 3> weights{0, 0, 0};
};

struct MatchOptions {
  double tolerance_m = 0.0;  // largest distance; 0: 2 % of the diagonal of the model
  std::string model_word = "FE node";
};

// Throws Error(bad_input) when no sensor has a partner.
std::vector<Match> match_sensors(const ModeSet& test, const std::vector<Dof>& dofs, const Geometry& geometry,
                                 const MatchOptions& options, std::vector<Finding>& findings);

// Shapes of the model as the sensors read them: one row for each match.
Eigen::MatrixXd at_sensors(const std::vector<Match>& matches, const Eigen::MatrixXd& shapes);
Eigen::MatrixXcd at_sensors(const std::vector<Match>& matches, const Eigen::MatrixXcd& shapes);

}  // namespace kdyn::inline modes
