// SPDX-License-Identifier: Apache-2.0
// The gate before a calibration: which parameters these channels, lines and this noise can determine, and what would
// help with the others.
//
//   [update E17] predicted covariance of the log-metric estimate: A^-1 (sum J^T v J) A^-1, A = sum J^T J with J of [update E5] and v the
//                variance of log10 H of a sample, |noise|^2/(2 |H|^2 ln^2 10) in each of its two parts. Identification smooths: v is
//                multiplied by (lines of the calibration)/(lines of the test), so that more lines of the same test give no new knowledge.
//   [update E28] with draws of the target's noise (target_noise.hpp) instead of v: A^-1 (1/B sum_b g_b g_b^T) A^-1, g_b = sum J^T eps_b. E17 takes
//                the noise of samples for independent; identification takes out what no modal model can follow, most of it where responses
//                are small, and E17 then says two to three times too much. E17 is for planning, when there are no responses yet.
//   [update E18] information of an added channel or of the same test with an added mass: F + sum J^T J/v
// A parameter is determined when its predicted 95 % half interval is within `target_percent`; a direction is not
// determined when its predicted standard deviation is above `loose`. It is a prediction at the given parameters, for
// small errors and independent noise.
#pragma once

#include <string>
#include <vector>

#include "kdyn/update/metric.hpp"

namespace kdyn::update {

struct GateOptions {
  double target_percent = 4.0;  // 95 % half interval of a determined parameter
  double loose = 0.5;           // relative standard deviation beyond which a direction is not determined
  // [update E33] Inverse covariance of what is known beforehand about the ratios; empty: nothing. `model_error`: how much
  // larger than by noise the deviations are, as a factor of their squares.
  Eigen::MatrixXd prior{};
  double model_error = 1.0;
};

enum class Verdict { determined, weak, not_determined };
const char* to_string(Verdict verdict);

struct Direction {
  Eigen::VectorXd weights;  // unit vector in the free parameters' ratios, all parameters long
  double std = 0.0;         // predicted, relative
  std::string words;        // "k3 with 0.8 k7"
};

struct Gate {
  Eigen::VectorXd
      std;  // predicted standard deviation of each ratio; infinite when a loose direction takes part; 0 for fixed
  std::vector<Verdict> verdict;
  std::vector<Direction> loose;    // what the data cannot determine
  Eigen::MatrixXd covariance;      // of the ratios, [update E17], without loose directions
  Eigen::MatrixXd information;     // Fisher, sum J^T J / v
  double noise_to_response = 0.0;  // median over channels of rms noise / rms response
  double sample_variance = 0.0;    // [update E33] of one part of log10 H, as it acts on the parameters
};

struct GateNoise {
  Eigen::VectorXd variance;             // of the complex noise of each channel
  Eigen::Index raw_lines = 0;           // of the test in the band
  std::vector<Eigen::MatrixXcd> draws;  // of the target's noise; empty: [update E17]
};

// `free`: which parameters will be calibrated.
Gate identifiability(const fe::ReducedModel& model, const Eigen::VectorXd& ratio, const Target& target, double damping,
                     const GateNoise& noise, const std::vector<bool>& free, const std::vector<std::string>& names,
                     const GateOptions& options = {});

// What could be added to a test.
struct Candidates {
  std::vector<std::string> outputs, inputs;  // labels
  Eigen::MatrixXd output_rows,
      input_columns;  // on the reduced model's coordinates: candidates x size, size x candidates
  struct Mass {
    std::string label;
    Eigen::MatrixXd rows;  // translations of its point, 3 x size
    double kg = 0.0;
  };
  std::vector<Mass> masses;
};
struct Suggestion {
  std::string kind, label;  // "sensor", "input", "mass"
  double kg = 0.0;
  double std_before = 0.0, std_after = 0.0;  // of the parameter that gains, predicted (information bound)
  std::string parameter;
};
// The best `count` of each kind, by the gain of the parameters that are not determined well; the worst ones when all
// are.
std::vector<Suggestion> suggestions(const fe::ReducedModel& model, const Eigen::VectorXd& ratio, const Target& target,
                                    double damping, const GateNoise& noise, const Gate& gate,
                                    const Candidates& candidates, const std::vector<bool>& free,
                                    const std::vector<std::string>& names, int count = 3);

}  // namespace kdyn::update
