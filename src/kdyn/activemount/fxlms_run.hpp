// SPDX-License-Identifier: Apache-2.0
// The control loop in time: engine order sweep, the real (nonlinear) mount as plant, and the narrowband controller at
// its sampling rate.
//
//   [activemount E20]  theta+ = theta + omega(t) T: a phase accumulator. exp(i omega n T) with a changing omega would run to a wrong
//                      frequency (250 Hz instead of 150 Hz at the end of a sweep from 50 Hz).
//
// The engine side moves as amplitude * sin(theta); the voltage is held over each sample; the error is the force on
// chassis or engine at the sample. The estimate of the secondary path is that of the nominal mount, sampled, turned by
// phase_error_deg; the plant may be another mount, so temperature errors can be played through.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kdyn/activemount/fxlms.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"

namespace kdyn::inline activemount {

struct FxlmsOptions {
  double engine_speed_start_rpm = 1500.0, engine_speed_end_rpm = 6000.0;
  double engine_order = 2.0;
  double duration_s = 6.0;
  double control_from_s = 0.5;
  double displacement_amplitude_m = 1e-5;
  double sample_rate_hz = 2000.0;
  double step = 0.01;            // mu |Shat|^2
  double phase_error_deg = 0.0;  // of the estimate
};

const FieldTable& fields_of(const FxlmsOptions*);

struct FxlmsResult {
  std::string status = "not run";  // done | diverged | stopped
  std::string reason;
  std::vector<double> time, frequency_hz;
  std::vector<double> error, error_without, voltage;  // N, N, V
  double attenuation_db = 0.0;  // rms with control over rms without, last third of the run; negative is better
  double largest_voltage = 0.0;
};

// The run ends early with status "diverged" when the error grows to 1000 times what it would be without control.
FxlmsResult run_fxlms(const ActiveMount<double>& plant, const ActiveMount<double>& nominal, ActivePath path,
                      const FxlmsOptions& options, Progress& progress = silent_progress());

}  // namespace kdyn::inline activemount
