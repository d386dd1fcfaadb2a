// SPDX-License-Identifier: Apache-2.0
// Two sets of modes, or of frequency responses, beside each other: test and model, two tests, two models.
//
//   MAC [sysid E9], CoMAC and the sign of each sensor [modes E18], orthogonality of the test by the model's modes
//   [modes E5], FRAC and RVAC of responses [modes E19]
// Nothing is adjusted: what differs is shown, and what looks like a wrong channel is named.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/frequency_response.hpp"
#include "kdyn/data/mode_set.hpp"
#include "kdyn/modes/sensor_match.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline modes {

struct CorrelateOptions {
  double match_tolerance_m = 0.0;  // 0: 2 % of the model's diagonal
  double least_mac = 0.5;          // below, two modes are no pair
  std::vector<double> band_hz{};   // lower, upper; of test modes and response lines; empty: all
};

struct ModePair {
  std::size_t test = 0, model = 0;  // indices into the modes of the sets
  double test_hz = 0.0, model_hz = 0.0;
  double difference = 0.0;  // model/test - 1
  double mac = 0.0;
  double test_damping = 0.0, model_damping = 0.0;
};

struct SensorAgreement {
  Dof sensor;
  std::int64_t node = 0;  // of the model
  double distance = 0.0;  // m
  double comac = 0.0;
  double sign = 0.0;  // [modes E18], -1 ... 1
};

struct ModeCorrelation {
  std::vector<Match> matches;
  Eigen::MatrixXcd test_at_sensors, model_at_sensors;  // sensors x modes of `test_modes`, `model_modes`
  std::vector<std::size_t> test_modes, model_modes;    // those compared, indices into the sets
  Eigen::MatrixXd mac;                                 // rows: test_modes, columns: model_modes
  std::vector<ModePair> pairs;                         // by frequency of the test
  std::vector<std::size_t> test_alone;                 // modes of the test without a partner
  std::vector<std::size_t> model_alone;                // of the model, between the lowest and highest mode of the test
  std::vector<SensorAgreement> sensors;                // empty with less than two pairs
  std::optional<Eigen::MatrixXd> orthogonality;  // of the test modes; where the model's modes have unit modal mass
  std::optional<Eigen::MatrixXd> cross_orthogonality;  // rows: test modes, columns: first modes of the model
  std::vector<Finding> findings;
};

ModeCorrelation correlate_modes(const ModeSet& test, const ModeSet& model, const CorrelateOptions& options);

struct ResponseAgreement {
  std::size_t test = 0, model = 0;  // channels
  double frac = 0.0;
  double size = 0.0;  // model/test, by norms over the band
};

struct ResponseCorrelation {
  std::vector<double> frequency_hz;  // lines compared: those of the test inside both ranges
  std::vector<ResponseAgreement> channels;
  std::vector<std::vector<std::complex<double>>> test_values, model_values;  // of the channels, at these lines
  std::vector<Dof> inputs;
  std::vector<std::vector<double>> rvac;  // for each input, over the lines; inputs with two outputs or more
  std::vector<Finding> findings;
};

// Channels are matched by their labels. Accelerance, mobility and receptance are converted to the kind of the test.
ResponseCorrelation correlate_responses(const FrequencyResponse& test, const FrequencyResponse& model,
                                        const CorrelateOptions& options);

}  // namespace kdyn::inline modes
