// SPDX-License-Identifier: Apache-2.0
// A sensor of three axes that sits turned: what it shows is what it should show in other axes.
//
//   [insitu E15]  shown = T^T expected, T: how the sensor's axes are turned; T is the rotation nearest to the rows of the regression
//                 matrix, each divided by its length (gains of the axes may differ)
#pragma once

#include <array>
#include <string>

#include "kdyn/data/finding.hpp"
#include "kdyn/mbs/output.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline insitu::internal {

struct TurnedSensor {
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  double as_named = 0.0, left = 0.0;  // power that is left over, over that of what was shown: mean of the three axes
  double distance = 0.0;              // of the regression from a rotation: largest entry
  double angle() const;
  // Turned beyond doubt: a rotation, and one that explains what was left.
  bool told() const;
};

// Rows of `shown` and of `expected` for the axes x, y, z of one sensor; samples that were not taken are not finite.
TurnedSensor turn_of(const Eigen::MatrixXd& shown, const Eigen::MatrixXd& expected,
                     const std::array<Eigen::Index, 3>& rows);

// Outputs that are components of a vector in the axes of a marker.
bool can_turn(const mbs::Output& output);

Finding describe_turn(const std::string& sensor, const Eigen::Matrix3d& turn);

}  // namespace kdyn::inline insitu::internal
