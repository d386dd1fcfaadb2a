// SPDX-License-Identifier: Apache-2.0
// Transients beside the map of a hydro mount: their force is simulated by the law itself and compared sample by sample;
// valves that the map does not open are looked for in them  [identify E34].
#pragma once

#include <vector>

#include "kdyn/identify/internal/hydromount_fitter.hpp"

namespace kdyn::inline identify {

class HydroTransients {
 public:
  explicit HydroTransients(const std::vector<BenchSeries>& series);

  bool empty() const { return series_.empty(); }
  // Force over every sample of a record, moved to the mean of the measured force.
  std::vector<double> force(const HydroLayout& layout, std::size_t record) const;
  // Model less measurement at the samples that are compared, N; empty when the law cannot be run.
  Eigen::VectorXd residuals(const HydroLayout& layout) const;
  // Derivatives of these by the free unknowns (logarithms), by differences.
  Eigen::MatrixXd slopes(const HydroLayout& layout, const Eigen::VectorXd& at) const;
  // What the records repeat to: noise from sample to sample, but no less than benches have.
  double noise() const { return noise_; }
  // Largest force of the chamber along the records.
  double chamber_force(const HydroLayout& layout) const;
  bool cut() const { return cut_; }

 private:
  std::vector<BenchSeries> series_;
  std::vector<std::vector<double>> velocity_;
  std::vector<std::vector<std::size_t>> samples_;
  double noise_ = 0.0;
  bool cut_ = false;
};

// How the records took part.
struct HydroTransientFit {
  double sigma = 0.0, widening = 1.0;
  Eigen::VectorXd residuals;  // N
  Eigen::MatrixXd slopes;     // N
};

// Map and transients together from a fitted map. `look_for_valves`: a pressure limit or a bypass may join where the map
// shows none and the records ask for one; its level is returned in `fitted`.
HydroTransientFit fit_with_transients(HydroFitter& fitter, const HydroTransients& records, bool look_for_valves,
                                      HydroFitted& fitted);

}  // namespace kdyn::inline identify
