// SPDX-License-Identifier: Apache-2.0
// Flexible body from experimental modes: points matched with an FE model, shapes made orthonormal, expanded, checked,
// and given the test's frequencies and damping (paper K with the corrections of the equations in orthonormalise.hpp and
// expand.hpp).
//
// Sensors are matched to FE nodes as sensor_match.hpp says. Complex test shapes are turned to the real axis first.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/mode_set.hpp"
#include "kdyn/modes/expand.hpp"
#include "kdyn/modes/fe_body.hpp"
#include "kdyn/modes/flexible_body.hpp"
#include "kdyn/modes/orthonormalise.hpp"
#include "kdyn/modes/sensor_match.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline modes {

struct TestBodyOptions {
  OrthoMethod orthonormalise = OrthoMethod::automatic;
  double rotation_limit = 0.7;
  ExpandMethod expansion = ExpandMethod::serep;
  int basis_size = 0;
  double noise = 0.0;              // of the shapes, relative; 0: unknown
  double match_tolerance_m = 0.0;  // 0: 2 % of the model's diagonal
};

struct TestBodyResult {
  FlexibleBody body;
  std::vector<Match> matches;
  std::vector<Dof> sensors;     // those that were matched
  Eigen::MatrixXd test_shapes;  // real, sensors x modes, as measured
  OrthoResult ortho;
  ExpandResult expansion;
  Eigen::MatrixXd mac_test_fe;    // test modes against FE modes of the basis, at the sensors
  Eigen::MatrixXd mac_body_test;  // body against test modes, at the sensors
  Eigen::VectorXd comac;          // per sensor, body against test
  Eigen::MatrixXd body_mass;      // shapes^T M shapes by the FE mass; empty when only FE modes are known
  double largest_coupling = 0.0;  // its largest off-diagonal
  std::vector<Finding> findings;
};

TestBodyResult body_from_test(const ModeSet& test, const FeModes& fe, const TestBodyOptions& options);

const FieldTable& fields_of(const TestBodyOptions*);

}  // namespace kdyn::inline modes
