// SPDX-License-Identifier: Apache-2.0
// Which law explains the data: every law is fitted to the same map by the same function and ranked by what it predicts,
// not by what it fits.
//
// Laws: compared_laws(), which are those of laws/law_list.hpp that can make a first guess. Data: map rows of one
// preload, held against the first-harmonic stiffness (closed form or harmonic balance) by ln(K_model/K) with real part
// (stiffness) and imaginary part (angle) of equal weight; and raw records, run in time and held against the measured
// force about its mean, which sees the shape of loops. Records of steady sines are reduced too (signal/sine_fit.hpp):
// the first harmonics start the fit.
//
// Ranking  [identify E40]: root mean square error over what the fit has not seen, averaged over the splits that the data
// allow: one amplitude level left out at a time, one block of neighbouring frequencies, one record of any other motion.
// The error of a row is |ln(K_model/K)|, that of a record its force misfit over force variation. A split with a single
// level is not possible and is said so.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/identify/elastomer_fit.hpp"

namespace kdyn::inline identify {

struct CompareOptions {
  std::vector<std::string> laws;  // empty: all
  std::int64_t maxwell_branches = 3;
  std::int64_t frequency_blocks = 4;
  std::int64_t starts = 6;  // start points of each full fit
  std::int64_t max_iterations = 60;
  std::int64_t seed = 1;
  std::optional<double> preload;  // rows of this preload; none: the preload with most rows
};
const FieldTable& fields_of(const CompareOptions*);

const std::vector<std::string>& compared_laws();

struct Misfit {
  double k_dyn_rel = 0.0, loss_angle = 0.0;  // rms, rad
  double total = 0.0;                        // rms of |ln(K_model/K)|
};

struct SeriesMisfit {
  double force_rel = 0.0;  // rms of force misfit over rms of force about its mean, steady part
  std::vector<double> displacement, measured, model;  // one steady cycle or so, for the picture
};

struct LawFit {
  std::size_t rank = 0;  // 1: the best
  std::string law, title;
  std::string status = "not run";
  std::vector<ParameterEstimate> parameters;
  std::vector<std::string> not_told_apart;
  Json model;  // model file
  Misfit fit;
  std::optional<Misfit> left_out_amplitudes, left_out_frequencies, left_out_records;
  double score = 0.0;  // what the ranking uses: rms over the splits, or the fit's own misfit when none is possible
  std::vector<std::complex<double>> stiffness;                                              // at every used row
  std::function<std::complex<double>(double frequency_hz, double amplitude)> stiffness_at;  // anywhere, for pictures
  std::vector<double> amplitude_misfit;  // prediction (or fit) misfit at each amplitude level
  std::vector<SeriesMisfit> series;
  int iterations = 0, evaluations = 0;
  double seconds = 0.0;
};

struct CompareResult {
  std::string status = "not run";  // converged | not_converged | stopped
  std::string reason;
  AxisKind axis = AxisKind::translation;
  std::vector<MapRow> rows;  // as used: one preload, records reduced
  std::vector<double> amplitude_levels, frequency_levels;
  std::vector<LawFit> laws;  // best first
  std::string verdict;       // one or two sentences
  std::vector<Finding> findings;
  bool cross_validated = false;
};

CompareResult compare_laws(const ElastomerData& data, const CompareOptions& options,
                           Progress& progress = silent_progress());

}  // namespace kdyn::inline identify
