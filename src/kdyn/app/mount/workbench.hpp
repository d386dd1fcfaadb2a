// SPDX-License-Identifier: Apache-2.0
// A mount on the screen: measurements as columns to draw, and a model evaluated quickly enough to follow a slider. SI
// units, angles in deg.
//
// The model is the one of the model file, evaluated by its own closed form, simulation and virtual rig; no formula
// lives here. Measured forces may carry an offset of the sensor, hence model forces of loops and transients are shifted
// to the same mean.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/mount/workbench_answers.hpp"
#include "kdyn/app/present/bench_plots.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/hydromount/steady_curve.hpp"
#include "kdyn/numerics/tasks.hpp"

namespace kdyn::app {

struct EvaluateOptions {
  std::int64_t preload = 0;      // index of the preload level
  std::int64_t points = 50;      // frequencies of each curve
  bool loop_criterion = false;   // stiffness from force range and loop area instead of the first harmonic
  bool misfit = true;            // over the rows of the map; the curves alone are quicker
  std::vector<double> left_out;  // indices of rows that do not count in the misfit
  bool paths = true;             // static loops and transients
  double cycle_hz = 0.0;         // > 0: one steady cycle for each amplitude at this frequency
};

// A part of a long record, thinned for a screen: every extreme stays.
struct SeriesView {
  std::int64_t index = 0;  // of the record
  double from_s = -1e300, to_s = 1e300;
  std::int64_t points = 4000;
  std::string channel;  // one alone; empty: all
};

class Workbench {
 public:
  Workbench(const std::vector<std::string>& files, const ReadHints& hints);

  // Rows of the map by preload and amplitude level, static loops, transients: Measured.
  Json measured() const;
  // Evaluated
  Json evaluate(const Json& model, const EvaluateOptions& options) const;
  // The curves of evaluate as bare numbers, for a slider: stiffness, then loss angle in deg, of one amplitude after the
  // other; frequencies and order are those of evaluate with the same preload and points.
  std::vector<float> follow(const Json& model, const EvaluateOptions& options) const;
  // SeriesPart: samples counts those within the view; each channel keeps its own extremes.
  Json series(const SeriesView& view) const;

 private:
  using Reduction = std::function<ModelPoint(double frequency_hz, double amplitude, double u0)>;

  using CurveResponse = std::function<std::vector<ModelPoint>(const std::vector<SweepPoint>& sweep)>;
  double preload_displacement(const Mount& mount, const EvaluateOptions& options) const;
  std::vector<ModelCurve> curves(const CurveResponse& response, const EvaluateOptions& options,
                                 TaskRunner& runner) const;
  MapMisfit misfit(const Mount& mount, const Reduction& response, const EvaluateOptions& options) const;
  void add_paths(Mount& mount, Evaluated& out) const;
  std::vector<ModelCycle> cycles(const Mount& mount, const EvaluateOptions& options) const;

  BenchInputs inputs_;
  MapView view_;
  std::vector<std::vector<std::size_t>> loop_points_, series_points_;  // which samples are drawn
};

// Every number of a model file that can be turned: path in the file, unit, meaning and bounds where its field table
// tells them: a list of ModelNumber.
Json model_fields(const Json& model);

const FieldTable& fields_of(const EvaluateOptions*);
const FieldTable& fields_of(const SeriesView*);

}  // namespace kdyn::app
