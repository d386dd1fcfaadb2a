// SPDX-License-Identifier: Apache-2.0
// Residuals of a hydro mount candidate against map and static loop: ln k_dyn and loss angle over their noise, static
// force, priors.
#pragma once

#include <complex>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/identify/internal/hydromount_candidate.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline identify {

struct HydroRow {
  double frequency_hz = 0.0, omega = 0.0, amplitude = 0.0, k_dyn = 0.0, loss_angle = 0.0;
  std::size_t source = 0;           // row of the map
  double chamber_amplitude = -1.0;  // root of the balance at the point looked at
  double anchor = -1.0;             // root at the last accepted point: trial steps start from it and leave it alone
  double anchor_slope = 1.0;        // d ln a/d ln r there
  std::complex<double> correction = 0.0;  // stiffness of many harmonics less that of one
  std::complex<double> model = 0.0;       // first harmonic with correction
  Eigen::VectorXd harmonics;              // of the steady state that gave the correction: where the next one starts
  SteadyResponse response;                // by many harmonics, when last corrected
  double weight = 1.0;        // below 1 beside a fold, where a small error of the model moves the response far
  bool several = false;       // more than one steady state
  bool other_branch = false;  // the steady state nearest the measurement is one that the first harmonic does not have
  bool coarse = false;        // takes part in the first stages
};

struct HydroPrior {
  double mean = 0.0, sigma = 0.0;  // of the logarithm; sigma 0: none
};

struct HydroProblem {
  std::vector<HydroRow> rows;
  std::vector<StaticLoop> loops;  // thinned
  double sigma_k = 0.01, sigma_angle = 0.5 * 3.14159265358979323846 / 180.0, sigma_static = 1.0;
  std::array<HydroPrior, hydro_slot_count> priors{};
  bool by_loops = false;  // the map was reduced from force loops, not by first harmonics
  double huber = 5.0;     // residuals of the map beyond this count linearly: a row beside a fold must not lead the fit
  int evaluations = 0;
  Eigen::VectorXd anchor_theta;  // the last accepted point, and how its roots move (d ln r/d theta, a column for each
                                 // row): trial steps are predicted
  Eigen::MatrixXd anchor_shift;
  Eigen::VectorXd evaluated_theta;  // where the rows' models were computed; empty: elsewhere

  int residuals(const HydroLayout& layout, bool coarse) const;
  // theta: logarithms of the free unknowns. Weighted residuals: map (two for each row), static loops, priors.
  bool evaluate(const HydroLayout& layout, const Eigen::VectorXd& theta, bool coarse, Eigen::VectorXd& r,
                Eigen::MatrixXd* J);
  // After anything else changed than theta.
  void forget_anchors();
  // Looks at every row (`coarse`: those of the first stages) for all roots and takes the one nearest the measurement.
  void choose_roots(const HydroLayout& layout, bool coarse);
  // [identify E32] Correction of every row by harmonics 1, 3, 5 at the present values, and by the reduction of the map.
  // `both`: responses hold both reductions.
  void correct(const HydroLayout& layout, bool both = false);
  // Weighted squares of the map rows at the present values, large ones counted linearly.
  double chi_square(const HydroLayout& layout);
};

double wrapped(double angle);  // into (-pi, pi]

}  // namespace kdyn::inline identify
