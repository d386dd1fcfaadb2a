// SPDX-License-Identifier: Apache-2.0
// What a calibration compares with: measured responses with one damping ratio for all modes, at the lines of each stage
// of the continuation.
//
//   [update E3] lines, [update E7] stages; equalisation is [sysid E18], [sysid E21]
// The identified model is equalised, not the raw data: it has no noise between resonances and can be asked for at any
// line. Receptance and mobility become accelerance. Channels that are zero by structure (symmetry, a sensor that does
// not see the input) have no logarithm and are left out, with a finding.
#pragma once

#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/sysid/equalise.hpp"
#include "kdyn/sysid/identify.hpp"
#include "kdyn/update/calibrate.hpp"

namespace kdyn::update {

struct StageOptions {
  std::vector<double> band_hz;                             // two frequencies
  std::vector<double> damping = {0.20, 0.10, 0.05, 0.02};  // of the stages, in order
  std::vector<double> lines_per_half_bandwidth = {1.0, 1.0, 1.0, 2.0};
  DampingKind damping_kind = DampingKind::automatic;  // of the test
};

// The same with the last stage alone.
StageOptions last_of(const StageOptions& options);

// `use` (one per channel, or empty) chooses the channels of the calibration.
std::vector<Stage> equalised_stages(const ModalModel& identified, ResponseKind kind, const StageOptions& options,
                                    const std::vector<bool>& use = {});

// Responses that somebody has equalised already, with the damping ratio all their modes have.
struct EqualisedResponses {
  double damping = 0.02;
  FrequencyResponse responses;
};
// Stages at the lines of such responses within the band (empty: all), in the given order; `last` gets the responses of
// the last stage. All of them need the same channels.
std::vector<Stage> given_stages(const std::vector<EqualisedResponses>& given, const std::vector<double>& band_hz,
                                const std::string& where, ResponseKind& kind, bool& unit_known, FrfMatrix& last);

// The same lines for a known model: what a perfect test of it would give. For planning, rehearsals and tests.
std::vector<Stage> stages_of_model(const fe::ReducedModel& model, const Eigen::VectorXd& ratio,
                                   const StageOptions& options);

// Noise of the measured responses: mean square of what identification leaves over, for each channel. [update E14]
Eigen::VectorXd noise_variance(const ModalResult& identified);

// Channels that hold a response; the others are below `limit` of the largest rms. Findings name them.
std::vector<bool> live_channels(const FrfMatrix& frf, double limit, std::vector<Finding>& findings);

}  // namespace kdyn::update
