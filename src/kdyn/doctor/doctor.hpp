// SPDX-License-Identifier: Apache-2.0
// The data doctor: what a test engineer would notice on a second look at a bench file, in plain words with numbers,
// place and remedy.
//
// Each finding has a stable code, listed here.
//   map     amplitude_implausible stiffness_implausible phase_complement loss_angle_unit loss_angle_negative
//           amplitude_not_achieved amplitude_drift outlier rig_resonance duplicate_rows repeated_points warm_up_drift
//           too_few_amplitudes too_few_frequencies map_too_long unit_slip channel_delay frequency_implausible
//           clipped
//   static  stiffness_implausible columns_swapped folded_column force_sign negative_work one_branch loop_open
//           non_monotone clipped too_few_points rows_missing
//           constant_channel
//   series  stiffness_implausible force_sign force_delay sampling_non_uniform missing_samples sampling_low clipped spikes
//           displacement_offset force_offset too_few_points constant_channel time_implausible
//   files together  axis_mismatch unit_mismatch unit_slip k_dyn_below_static preload_outside_static
// Severity: note = worth knowing, warning = may spoil a fit, serious = a fit would be wrong.
//
// SI units. Works on elastomer and hydro mounts of vehicles and machines (1 N/mm to 1e6 N/mm, 1 um to 50 mm); the
// limits are options. Map rows need positive frequency, amplitude and stiffness, as the readers deliver them. It judges
// one direction of one mount. It changes no data, and it knows no model: misfit is the business of the fit.
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline doctor {

struct DoctorOptions {
  // What is plausible for a mount; the torsional ranges are for N*m/rad and rad.
  double stiffness_min = 1e3, stiffness_max = 1e9;
  double amplitude_min = 1e-6, amplitude_max = 50e-3;
  double torsional_stiffness_min = 0.1, torsional_stiffness_max = 1e7;
  double torsional_amplitude_min = 1e-5, torsional_amplitude_max = 1.6;

  // A row is an outlier when it misses the value expected from its neighbours by more than this many standard
  // deviations (from the median absolute deviation of all rows), and by at least the two amounts below.
  double outlier_sigma = 4.5;
  double outlier_k_rel = 0.02;
  double outlier_angle = 0.012;  // rad, 0.7 deg

  double amplitude_tolerance = 0.05;       // achieved against nominal
  double amplitude_drift_tolerance = 0.1;  // of the achieved amplitude over frequency when there is no nominal column
  double monotone_tolerance = 0.02;        // of the force range: a static branch may run back by this much
  double closing_tolerance = 0.05;  // of the force range: start and end of a static cycle may differ by this much

  // What the elastomer law needs to be told apart from a linear spring.
  std::size_t min_amplitudes = 2, min_frequencies = 3;
  double min_frequency_span = 4.0;  // highest over lowest frequency
  double min_samples_per_cycle = 10.0;

  double unit_factor =
      30.0;  // stiffness of two files further apart than this: no mount does that, a wrong unit is off by 1000
  double hardening_min = 0.95;  // dynamic over static stiffness; below 1 only by noise
};

std::vector<Finding> examine(const StiffnessMap& map, const DoctorOptions& options = {});
std::vector<Finding> examine(const StaticLoop& loop, const DoctorOptions& options = {});
std::vector<Finding> examine(const BenchSeries& series, const DoctorOptions& options = {});

// Files of one direction against each other; null for what is not there.
std::vector<Finding> examine_together(const StiffnessMap* map, const StaticLoop* loop, const BenchSeries* series,
                                      const DoctorOptions& options = {});

// Rows that a fit should leave out or give less weight: outliers, rows with flipped or complementary loss angle, second
// copies of a row.
std::vector<bool> suspicious_rows(const StiffnessMap& map, const DoctorOptions& options = {});

// What a file holds. Members that do not apply are empty or 0; `words` says the same in sentences.
struct BenchSummary {
  std::string kind;  // "map", "static", "series"
  AxisKind axis = AxisKind::translation;
  std::size_t rows = 0;
  std::size_t frequencies = 0;
  double frequency_min_hz = 0.0, frequency_max_hz = 0.0;
  std::vector<double> amplitudes, preloads;  // levels, SI
  double displacement_min = 0.0, displacement_max = 0.0, force_min = 0.0, force_max = 0.0;
  double duration = 0.0, sampling_hz = 0.0;
  std::vector<std::string> units;  // "amplitude_mm: mm, multiplied by 0.001 to m"
  std::vector<std::string> words;
};

BenchSummary summarise(const StiffnessMap& map);
BenchSummary summarise(const StaticLoop& loop);
BenchSummary summarise(const BenchSeries& series);

}  // namespace kdyn::inline doctor
