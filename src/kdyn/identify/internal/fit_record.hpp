// SPDX-License-Identifier: Apache-2.0
// A raw record as fits in time use it: thinned, with a run-in, and the samples that are scored.
//
// Of a steady sine three cycles of the steady part are taken and the last is scored: its loop, with all harmonics. Any
// other motion is taken whole, at most 4000 samples, and scored from its first twentieth on. Displacement and force are
// averaged over the same few samples where a record is sampled more finely than a law needs. Means do not count: force
// is compared about its mean.
#pragma once

#include <optional>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/signal/sine_fit.hpp"

namespace kdyn::inline identify {

struct FitRecord {
  std::vector<double> time, displacement, velocity, force;
  std::vector<std::size_t> scored;  // samples, rising
  double mean = 0.0, size = 1.0;    // of the measured force over the scored samples: mean, rms about it
  bool sine = false;
  // What a linear law would read from it, for start values.
  MapRow guess;
};

FitRecord make_fit_record(const BenchSeries& series, const std::optional<SineReduction>& sine,
                          std::vector<Finding>& findings);

// One record as several, each scored over its part of the time: a single record can be left out in parts.
std::vector<FitRecord> parts_in_time(const FitRecord& record, std::size_t parts);

// Force misfit over force variation, both about their means; `model` at the scored samples.
double force_misfit(const FitRecord& record, const std::vector<double>& model);

}  // namespace kdyn::inline identify
