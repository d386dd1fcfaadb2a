// SPDX-License-Identifier: Apache-2.0
// Planning of a bump test: which added mass, which cases and how long a record give the accuracy that is asked for.
//
// The Cramer-Rao bound of the test on an assumed vehicle [vehicle E27]: no unbiased estimate is better, and the
// maximum-likelihood fit attains it. The answer depends mildly on the assumed vehicle; half right is good enough for
// planning.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/vehicle/decay_test.hpp"

namespace kdyn::inline vehicle {

struct PlanOptions {
  double target_percent = 1.0;                         // 95 % half interval wanted for every parameter
  std::vector<double> mass_factors = {0.5, 1.0, 2.0};  // of the given added mass
  std::vector<double> lengths_s = {1.0, 2.0, 4.0};
  std::vector<std::string> cases = {"bounce", "pitch", "roll"};  // tried alone, in pairs and together
  double rate_hz = 1000.0;
  double snr_db = 30.0;  // used when no sensor noise is given
  bool symmetric = true;
  std::vector<std::string> known;  // parameters measured directly
};

struct PlannedTest {
  double mass_factor = 1.0, length_s = 2.0;
  std::vector<std::string> cases;
  Eigen::VectorXd half_interval_percent;  // of every free parameter, 95 %
  double worst_percent = 0.0;
  std::string worst_name;
  bool meets = false;
};

struct PlanResult {
  std::vector<std::string> names;  // of the free parameters
  std::vector<PlannedTest> tests;  // all that were tried
  int recommended =
      -1;         // least effort that meets the target: fewest runs, then least mass, then shortest; -1: none does
  int best = -1;  // most accurate
  std::vector<double> noise;  // standard deviations used, SI
};

// Standard deviations of the logarithms of the free parameters (metres where a length may have either sign); infinite
// where the test does not determine one. Unknown gains, delays and offsets of the channels are taken into account.
Eigen::VectorXd cramer_rao(const Vehicle<double>& vehicle, const DecaySet& noise_free, const std::vector<double>& sigma,
                           bool symmetric, const std::vector<std::string>& known);

PlanResult plan_test(const Vehicle<double>& vehicle, const AddedMass& added, const std::vector<double>& noise,
                     const PlanOptions& options);

const FieldTable& fields_of(const PlanOptions*);

}  // namespace kdyn::inline vehicle
