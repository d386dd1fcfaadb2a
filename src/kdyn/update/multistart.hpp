// SPDX-License-Identifier: Apache-2.0
// Calibration from several starts, spread over threads and ranks, in one or more phases.
//
//   [update E8] Latin hypercube of starts
// A phase frees some of the parameters and holds the others where they are (as the paper does: rotational stiffnesses
// first, then all). Every start runs all phases, each with the whole continuation. Starts that end within `same` of the
// best are counted: few of them, and the best one may be one of several minima.
#pragma once

#include <vector>

#include "kdyn/update/calibrate.hpp"
#include "kdyn/update/checkpoint.hpp"

namespace kdyn::update {

struct MultiStartOptions {
  int starts = 5;
  std::int64_t seed = 1;
  std::vector<std::vector<bool>> phases;  // free parameters of each phase; empty: all at once
  CalibrationOptions calibration;
  double same = 1e-3;  // largest difference of a ratio between starts that found the same optimum
};

struct MultiStart {
  std::vector<Calibration> runs;  // one per start; the first is nominal
  int best = 0;                   // index into runs
  int same_as_best = 0;           // starts that ended there
};

// `starts`: one column per start (see latin_hypercube).
MultiStart calibrate_from(const Eigen::MatrixXd& starts, const fe::ReducedModel& model,
                          const std::vector<Stage>& stages, const MultiStartOptions& options,
                          const Checkpoint& checkpoint = {}, Progress& progress = silent_progress());

}  // namespace kdyn::update
