// SPDX-License-Identifier: Apache-2.0
// Pictures of bench data, with or without a model beside them. Used by the reports of fits, of the rig and of the data
// doctor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/present/display.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/report/document.hpp"
#include "kdyn/rig/rig.hpp"
#include "kdyn/rig/steady_points.hpp"
#include "kdyn/rig/trust.hpp"

namespace kdyn::app {

// A map sorted for plotting: which amplitude level, frequency level and preload level each row belongs to.
class MapView {
 public:
  explicit MapView(const StiffnessMap& map);

  const StiffnessMap& map;
  AxisDisplay units;
  std::vector<double> amplitudes;  // nominal where the file tells them, else levels of the achieved ones
  std::vector<double> frequencies, preloads;
  std::vector<bool> used;  // all true; a fit marks the rows it left out

  std::size_t amplitude_level(const MapRow& row) const;
  std::string amplitude_name(std::size_t level) const;
  bool at_preload(const MapRow& row, std::size_t preload) const;
  std::string preload_name(std::size_t preload) const;  // "800 N"
};

// The achieved amplitude of one level over frequency: the model is drawn where the bench was, not where it should have
// been.
class AchievedAmplitude {
 public:
  AchievedAmplitude(const MapView& view, std::size_t level, std::size_t preload);
  bool empty() const { return points_.empty(); }
  double lower() const { return points_.front().first; }  // range of frequency
  double upper() const { return points_.back().first; }
  double operator()(double frequency_hz) const;

 private:
  std::vector<std::pair<double, double>> points_;
};

// Stiffness (N/m) and loss angle (rad) of a model; absent: only the measurement is drawn.
using ModelResponse = std::function<ModelPoint(double frequency_hz, double amplitude, double preload)>;

// Stiffness and loss angle over frequency with one colour per amplitude, and over amplitude at up to five frequencies;
// of one preload.
report::PlotRow over_frequency(const MapView& view, std::size_t preload, const ModelResponse& model = nullptr);
report::PlotRow over_amplitude(const MapView& view, std::size_t preload, const ModelResponse& model = nullptr);

// Measured, model and their difference; the model may be empty.
report::PlotRow static_plots(const StaticLoop& loop, const std::vector<double>& model = {});
report::PlotRow series_plots(const BenchSeries& series, const std::vector<double>& model = {});

// Loops of the rig, and the same without their static part, where it is known: there the width of the loop can be seen.
report::PlotRow loop_plots(const std::vector<RigLoop>& loops, const AxisDisplay& units,
                           const std::function<double(double)>& static_force,
                           const std::string& caption = "Simulated on the virtual rig, steady state.");

// Signals inside the mount, each in its own plot: over time, or over the phase of a cycle with one colour per
// amplitude.
report::PlotRow inside_plots(const std::vector<double>& time, const std::vector<MountRecord>& records);
report::PlotRow inside_plots(const std::vector<RigLoop>& loops, const AxisDisplay& units);

// Drift, passivity and the range of the data that the model was fitted to.
report::Table trust_table(const StiffnessMap& map, const TrustResult& trust, const AxisDisplay& units);
// What the data do not tell apart in words, and the correlation of the estimates as a picture.
void add_correlation(report::Section& section, const std::vector<std::string>& not_told_apart,
                     const std::vector<std::string>& names, const Eigen::MatrixXd& correlation);

}  // namespace kdyn::app
