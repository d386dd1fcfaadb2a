// SPDX-License-Identifier: Apache-2.0
// A model against measurements that took no part in its fit: maps, static loops, transients, road loads and sweeps.
//
// Nothing is fitted but the constant of a force sensor. The verdict is that of the gate of all identifications
// (numerics/fit_gate.hpp), with what a user asks of a prediction in place of the noise of the bench: a tenth of the
// stiffness, three degrees, a tenth of the force.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/app/present/bench_plots.hpp"
#include "kdyn/assess/durability.hpp"
#include "kdyn/identify/map_noise.hpp"
#include "kdyn/identify/static_history.hpp"
#include "kdyn/signal/spectrum.hpp"

namespace kdyn::app {

struct ValidateJob {
  std::vector<std::string> files;  // the model, then the data
  std::string axis;
  bool loop_criterion = false;
  double allowed_k_dyn_rel = 0.1, allowed_loss_angle_deg = 3.0, allowed_force_rel = 0.1;
  std::vector<double> exponents = {3.0, 5.0};
  ReadHints read;
  std::string title;
};
const FieldTable& fields_of(const ValidateJob*);
Outcome validate(const ValidateJob& job, Progress& progress);

struct ValidateOutput;
const FieldTable& fields_of(const ValidateOutput*);

// Misfit within a range of frequency, amplitude or displacement.
struct PartMisfit {
  std::string of, unit;
  double from = 0.0, to = 0.0;  // as shown
  std::size_t count = 0;
  double k_dyn_rel = 0.0, loss_angle = 0.0;  // of a map
  std::optional<double> force_rel;           // of a series, instead
};
const FieldTable& fields_of(const PartMisfit*);

struct SeriesValidation {
  std::vector<double> model;                      // force, moved to the mean of the measurement
  double rms = 0.0, rms_rel = 0.0, offset = 0.0;  // rms_rel: over the rms of the measured force about its mean
  double correlation = 0.0;
  double rate_hz = 0.0;  // 0: the steps are not even; no spectra
  Psd psd_measured, psd_model, psd_difference;
  Durability load_measured, load_model;
  std::vector<double> damage_ratio;  // model over measurement, of each exponent
  std::vector<PartMisfit> bands;     // by frequency: rms of the difference in the band over rms of the force there
};

struct Validation {
  std::string model;
  AxisKind axis = AxisKind::translation;
  std::string status = "done", reason;
  std::vector<ModelRow> map;
  double rms_k_dyn_rel = 0.0, rms_loss_angle = 0.0;
  std::vector<PartMisfit> parts;  // of the map
  std::vector<StaticComparison> loops;
  std::vector<SeriesValidation> series;
  std::vector<Finding> findings;
};
// The comparison itself, without files.
Validation validate_model(const Mount& mount, const ElastomerData& data, const ValidateJob& job, Progress& progress);
SeriesValidation validate_series(const Mount& mount, const BenchSeries& series, const std::vector<double>& exponents);

report::Document validation_report(const std::string& title, const Mount& mount, const ElastomerData& data,
                                   const Validation& v, const ValidateJob& job);

}  // namespace kdyn::app
