// SPDX-License-Identifier: Apache-2.0
// The model a calibration changes: matrices with their parameters, and where sensors and forces act on them.
//
// From a finite-element model (any parameter of assemble.hpp) or from matrices with derivatives (matrix_model.hpp).
// Directions of sensors are global axes, also where a node's own motion is expressed in other ones, or a vector for
// each sensor. A sensor may sit on a point that follows others (RBE2, RBE3); one on a held motion is an error.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/fe/matrix_model.hpp"
#include "kdyn/fe/model.hpp"

namespace kdyn::update {

struct ParameterSetting {
  std::string name, unit, group;
  double lower = -0.6, upper = 1.5;  // relative change p/p0 - 1
  bool fixed = false;
  fe::Parameter what;    // of finite-element models
  double nominal = 1.0;  // of matrices; finite-element models know theirs
  // What is known beforehand: standard deviation of the ratio (0: nothing) about this value (0: the nominal one).
  double prior_std = 0.0, prior_value = 0.0;
};

struct FullModel {
  std::vector<ParameterSetting> parameters;
  fe::AffineMatrices matrices;
  std::vector<int> group_of;
  Geometry geometry;
  Eigen::MatrixXd translation;     // unknowns x 3: unit translations of the whole structure, for its mass; may be empty
  std::vector<Dof> spring_points;  // translations of the points where spring parameters act: candidates for sensors

  std::optional<fe::DofMap> map;  // of finite-element models
  std::map<std::int64_t, int> node_of_label;
  std::map<std::string, int> row_of_dof;  // of matrices

  // What it was assembled from, while a mesh twice as fine is not too large to be tried (internal/mesh_part.hpp).
  std::shared_ptr<const fe::Model> described;

  double mass_kg(const Eigen::VectorXd& ratio) const;  // 0 when not known
  // One row per sensor; forces act along the same rows. Throws Error(bad_input) naming the sensor.
  // `axes`: direction of each sensor in global axes, any length; zero or an empty list: as its dof says. A dof of
  // rotation turns about it.
  Eigen::MatrixXd rows(const std::vector<Dof>& dofs, const std::string& where,
                       const std::vector<Eigen::Vector3d>& axes = {}) const;
  bool knows(const Dof& dof) const;
  bool loses() const;  // whether a loss factor is among the parameters
};

FullModel full_model(const fe::Model& model, std::vector<ParameterSetting> parameters);
// The parameters are derivatives dK_name, dM_name that came with the matrices.
FullModel full_model(const fe::MatrixModel& model, std::vector<ParameterSetting> parameters, const std::string& where);

}  // namespace kdyn::update
