// SPDX-License-Identifier: Apache-2.0
// Virtual test rig: runs a mount law through the programmes of a real bench and reduces the data in the same way.
//
//   static     slow triangle about the preload point; the last cycle is kept
//   map        stepped sine over frequency x amplitude x preload, each point until the response repeats
//   transient  displacement from a file or a formula
//   sweep      sine of rising frequency, reduced in windows of a few cycles
//   random     1/f random displacement, the test for drift
//   road       road-like random displacement with single bumps
//
// Displacement is controlled: a sine runs about the static displacement of its preload. Preload is the static force
// there. Sensors are ideal unless asked otherwise (sensors.hpp): fixture mass, low-pass filters, noise, resolution.
// Noise is seeded; on raw signals it passes through the data reduction, noise_k_dyn_rel and noise_loss_angle_deg
// scatter the reduced values of a map  [rig E3].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn::inline rig {

enum class RigProgram { static_loop, map, transient, sweep, random, road };

struct RigOptions {
  RigProgram program = RigProgram::map;
  // map
  std::vector<double> frequencies_hz = {1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50};
  std::vector<double> amplitudes_m = {1e-4, 2e-4, 5e-4, 1e-3};
  std::vector<double> preloads_n = {0.0};
  std::int64_t samples_per_cycle = 512;
  std::int64_t measured_cycles = 2;
  std::int64_t max_cycles = 1000;
  double settle_tolerance = 1e-7;
  // static
  double static_amplitude_m = 2e-3;
  double static_rate_m_per_s = 1.0 / 6000.0;  // 10 mm/min
  std::int64_t static_points = 400;
  std::int64_t static_cycles = 3;
  // transient
  std::string formula;
  // sweep, random, road
  double sweep_amplitude_m = 5e-4;
  double sweep_from_hz = 1.0, sweep_to_hz = 50.0;
  double random_rms_m = 5e-4;
  double random_lower_hz = 0.2, random_upper_hz = 60.0;
  // all of these
  double duration_s = 1.0;
  double sample_rate_hz = 1000.0;
  std::optional<double> temperature_c;
  // imperfections
  double noise_force_n = 0.0;
  double noise_displacement_m = 0.0;
  double noise_k_dyn_rel = 0.0;
  double noise_loss_angle_deg = 0.0;
  double resolution_force_n = 0.0, resolution_displacement_m = 0.0;
  double filter_force_hz = 0.0, filter_displacement_hz = 0.0;
  double fixture_mass_kg = 0.0;
  std::int64_t seed = 1;
};

struct RigMapRow {
  double frequency_hz = 0.0, amplitude = 0.0, preload = 0.0;
  SteadyResponse response;                    // from the simulated signals
  std::optional<SteadyResponse> closed_form;  // of the same law, where it has one
  std::int64_t cycles = 0;                    // run before the response repeated
  bool settled = false;
};

// One cycle of force over displacement, kept for pictures.
struct RigLoop {
  double frequency_hz = 0.0, amplitude = 0.0, preload = 0.0;
  std::vector<double> displacement, force;
  std::vector<MountRecord> inside;  // signals inside the mount, where it has some
};

struct RigResult {
  std::string status = "not run";  // done | stopped | not_settled
  std::string reason;
  std::vector<RigMapRow> map;
  std::vector<RigLoop> loops;
  StaticLoop static_loop;
  BenchSeries series;
  std::vector<MountRecord> inside;  // of the series: pressure, fluid velocity
  std::vector<Finding> findings;    // points that did not settle, the first twenty
};

// The input series is used by the transient programme when no formula is given; its force, if any, is not.
RigResult run_rig(const Mount& mount, const RigOptions& options, const BenchSeries* input = nullptr,
                  Progress& progress = silent_progress());

// One point of the map by itself, without the closed form beside it.
RigMapRow run_rig_point(const Mount& mount, const RigOptions& options, double frequency_hz, double amplitude,
                        double preload);

const FieldTable& fields_of(const RigOptions*);

}  // namespace kdyn::inline rig
