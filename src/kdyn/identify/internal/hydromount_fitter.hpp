// SPDX-License-Identifier: Apache-2.0
// One level of detail of a hydro mount fitted in stages from given start values, and corrected for higher harmonics
// [identify E32].
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "kdyn/identify/hydromount_fit.hpp"
#include "kdyn/identify/internal/hydromount_residuals.hpp"
#include "kdyn/identify/internal/hydromount_start.hpp"
#include "kdyn/numerics/least_squares.hpp"

namespace kdyn::inline identify {

// A fitted level: values, rows as they were left (roots, corrections), and how good it is.
struct HydroFitted {
  HydroLayout layout;
  HydroFeatures features;
  HydroDetail detail = HydroDetail::springs;
  std::vector<HydroRow> rows;
  double chi_square = std::numeric_limits<double>::infinity();
  bool converged = false;
};

class HydroFitter {
 public:
  HydroFitter(HydroProblem problem, const HydroMountFitOptions& options, Progress& progress);

  // First-harmonic fit in stages from layout.values; the layout says which parts there are. `glance`: only to see what
  // the level cannot do. First on every third row, the unknowns that matter most; the misfit is that of these rows.
  HydroFitted begin(HydroDetail detail, const HydroLayout& layout, const HydroFeatures& features, bool glance);
  // Then all rows and unknowns.
  void settle(HydroFitted& fitted, bool glance);
  // Higher harmonics at the present values, then all unknowns again; so many times.
  void refine(HydroFitted& fitted, int times, double tolerance);
  // To the end; leaves the least-squares problem behind for the covariance.
  void finish(HydroFitted& fitted);

  bool stopped() const { return progress_.stop_requested(); }
  Progress& progress() { return progress_; }

  HydroProblem problem;
  std::vector<std::pair<int, HydroPrior>> own_priors;  // in place of those for any mount
  LeastSquaresResult last;
  std::vector<double> history;
  int iterations = 0;

 private:
  enum class Roots { choose, keep };
  void stage(HydroFitted& fitted, std::vector<int> slots, bool coarse, int most, double tolerance,
             Roots roots = Roots::choose);
  void keep(HydroFitted& fitted);
  void set_priors(const HydroFeatures& features);

  const HydroMountFitOptions& options_;
  Progress& progress_;
};

// How much neighbouring residuals of the map resemble each other: the larger lag-one correlation of stiffness and
// angle. Noise of 240 rows gives 0.07; what a model lacks shows as a pattern.
double residual_pattern(const std::vector<HydroRow>& rows);

}  // namespace kdyn::inline identify
