// SPDX-License-Identifier: Apache-2.0
// What the workbench answers: measurements, a part of a record, and what a model makes of them. Long records are
// thinned; "_m" and "_n" stand for rad and N*m on a torsional axis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/present/fit_summary.hpp"

namespace kdyn::app {

// One amplitude at one preload; both are indices of levels.
struct MeasuredCurve {
  std::size_t preload = 0, amplitude = 0;
  std::vector<double> frequency_hz{}, k_dyn{}, loss_angle_deg{}, amplitude_m{};
  std::vector<std::int64_t> row{};  // of the map, from 0: as options leave points out
};
struct MeasuredMap {
  std::vector<double> amplitudes_m, preloads_n, frequencies_hz;
  std::vector<MeasuredCurve> curves;
};
struct MeasuredLoop {
  std::vector<double> displacement_m, force_n;
};
struct MeasuredSeries {
  std::vector<double> time_s, displacement_m, force_n;
  std::size_t samples = 0;  // before thinning
};
struct Measured {
  AxisKind axis = AxisKind::translation;
  MeasuredMap map;
  std::vector<MeasuredLoop> loops;
  std::vector<MeasuredSeries> series;
};

struct SeriesChannel {
  std::string name;
  std::vector<double> time_s, values;
};
struct SeriesPart {
  double from_s = 0.0, to_s = 0.0;  // of the whole record
  std::ptrdiff_t samples = 0;       // within the view
  std::vector<SeriesChannel> channels;
};

struct ModelCurve {
  std::int64_t preload = 0;
  std::size_t amplitude = 0;
  std::vector<double> frequency_hz{}, k_dyn{}, loss_angle_deg{};
};
struct ModelPath {
  std::vector<double> force_n;
  double rms_n = 0.0;
};
struct ModelCycle {
  double amplitude_m = 0.0;
  std::vector<double> displacement_m, force_n;
};
// What was asked for; null in loops and series: too long or too short to be simulated while somebody waits.
struct Evaluated {
  std::optional<std::vector<ModelCurve>> curves;
  std::optional<MapMisfit> misfit;
  std::optional<std::vector<std::optional<ModelPath>>> loops, series;
  std::optional<std::vector<ModelCycle>> cycles;
};

// A number of a model file that can be turned.
struct ModelNumber {
  std::vector<std::string> path;  // in the file
  std::string name;
  double value = 0.0;
  std::string unit = "-", meaning{};
  std::optional<double> lower{}, upper{};
  std::string part{};  // main_rubber, chamber_rubber
};

const FieldTable& fields_of(const MeasuredCurve*);
const FieldTable& fields_of(const MeasuredMap*);
const FieldTable& fields_of(const MeasuredLoop*);
const FieldTable& fields_of(const MeasuredSeries*);
const FieldTable& fields_of(const Measured*);
const FieldTable& fields_of(const SeriesChannel*);
const FieldTable& fields_of(const SeriesPart*);
const FieldTable& fields_of(const ModelCurve*);
const FieldTable& fields_of(const ModelPath*);
const FieldTable& fields_of(const ModelCycle*);
const FieldTable& fields_of(const Evaluated*);
const FieldTable& fields_of(const ModelNumber*);

}  // namespace kdyn::app
