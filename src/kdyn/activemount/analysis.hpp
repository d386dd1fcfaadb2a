// SPDX-License-Identifier: Apache-2.0
// Everything `kdyn aem` tells about an active mount, as one verb: responses, roots, phase envelopes, stability of the
// control loop, a run.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "kdyn/activemount/active_mount_model.hpp"
#include "kdyn/activemount/fxlms_run.hpp"
#include "kdyn/activemount/poles.hpp"
#include "kdyn/activemount/steady.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline activemount {

enum class VariationSource { automatic, model, published, none };
enum class ErrorSignal { S_x, S_y };

struct AnalysisOptions {
  ErrorSignal error_signal = ErrorSignal::S_y;
  double frequency_lower_hz = 25.0, frequency_upper_hz = 400.0, frequency_step_hz = 0.5;
  VariationSource variations = VariationSource::automatic;
  std::vector<double> steps = {0.001, 0.01, 0.05, 0.1, 0.2};
  double stability_step_hz = 12.5;
  std::vector<double> voltages = {1.0, 5.0, 10.0};
  std::string plant;  // name of a temperature or preload set for the control run; empty: nominal
  FxlmsOptions control;
};
const FieldTable& fields_of(const AnalysisOptions*);

// Frequency responses of one state of service.
struct ServiceResponse {
  std::string name;
  ActiveMount<double> law;
  std::vector<Root> poles;
  ApproximateRoots approximate;
  CorrectedRoots corrected;
};

// Worst pair of estimate and plant among temperature x preload at one frequency and step.
struct PairMargin {
  double frequency_hz = 0.0, step = 0.0;
  double radius = 0.0;           // spectral radius of the worst pair
  double phase_error_deg = 0.0;  // of that pair
  std::string estimate, plant;
  bool stable() const { return radius < 1.0; }
};

struct VoltageResponse {
  double voltage = 0.0;
  std::vector<double> frequency_hz;
  std::vector<ActiveSteadyState> states;
};

struct ActiveAnalysis {
  std::string status = "not run";  // done | stopped
  std::string reason;
  std::string variation_source;                         // "model", "published" or "none"
  std::vector<ServiceResponse> temperatures, preloads;  // nominal first
  std::vector<Root> poles;
  std::vector<std::vector<Root>> zeros;  // in the order of active_paths
  std::vector<PhaseEnvelope> envelopes;  // rule by rule, S_x then S_y
  std::vector<PhaseLimits> limits;       // of the nominal mount
  std::vector<double> largest_steps;     // of the nominal mount with an exact estimate, at the frequencies below
  std::vector<double> stability_frequencies_hz;
  std::vector<PairMargin> pairs;
  std::vector<VoltageResponse> voltages;
  FxlmsResult control;
  std::vector<Finding> findings;
};

ActiveAnalysis analyse(const ActiveMountModel& model, const AnalysisOptions& options,
                       Progress& progress = silent_progress());

// What a pole is called: fluid, actuator, coil, relaxation.
std::string pole_name(const std::vector<Root>& poles, std::size_t index, const ActiveMount<double>& law);

}  // namespace kdyn::inline activemount
