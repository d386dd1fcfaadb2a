// SPDX-License-Identifier: Apache-2.0
// Curves at several temperatures as one smooth curve and a shift for each of them  [identify E60].
#pragma once

#include <array>
#include <vector>

#include "kdyn/base/progress.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline identify {

// One frequency of one temperature: logarithms of storage and loss (NaN: not there).
struct MasterSample {
  std::size_t level = 0;
  double x = 0.0;  // log10 f
  std::array<double, 2> y{};
};
struct MasterSets {
  std::size_t levels = 0, reference = 0;
  std::vector<double> temperature_c;  // of the levels, rising
  std::vector<MasterSample> samples;
  bool free_vertical = false;
  bool loss_moves = false;  // the loss takes part in finding the shifts; else it follows
};

struct MasterSplineFit {
  bool converged = false, has_loss = false;
  int iterations = 0;
  std::vector<double> log_a, log_a_std;  // log10
  std::vector<double> log_b, log_b_std;  // ln
  Eigen::MatrixXd covariance;            // of log_a; zero at the reference
  std::array<double, 2> noise{};         // of ln storage and ln loss
  double degrees_of_freedom = 0.0;
  double knot_first = 0.0, knot_step = 1.0;
  std::array<Eigen::VectorXd, 2> coefficients;

  double curve(int channel, double x) const;
};

MasterSplineFit fit_master_spline(const MasterSets& sets, Progress& progress);

}  // namespace kdyn::inline identify
