// SPDX-License-Identifier: Apache-2.0
// What is wrong with single channels of a fit in place: sign, unit, gain, offset, delay, clipping, two cables exchanged,
// nothing but noise.
//
// Every fit is tested by one linear step with gain, offset and delay of each channel freed beside all other unknowns
// [insitu E9]: it costs no run. Only when that step is significant, or the fit is poor, is such a fit made.
#pragma once

#include <string>
#include <vector>

#include "kdyn/insitu/internal/problem.hpp"

namespace kdyn::inline insitu::internal {

struct ChannelTest {
  Eigen::MatrixXd information;  // J^T J of the parameters themselves, as normal_equations gives it
  std::vector<InsituChannel> channels;
  std::vector<bool> suspect;  // of each channel: it differs from what it should show by more than its noise explains
  bool suspicious = false;    // any of them
};

// `at` is read by other unknowns and given back as it was. Nothing when sensitivities fail.
bool test_channels(const std::vector<InsituExperiment>& experiments, const std::vector<InsituParameter>& parameters,
                   const std::vector<InsituPrior>& priors, InsituProblem& problem, InsituPoint& at, double noise,
                   ChannelTest& out);

// Clipped channels, told by the samples alone.
std::vector<Finding> clipped_channels(const std::vector<InsituExperiment>& experiments);
// Samples that jump out, and channels that hang for a while. Dead channels are refused before.
std::vector<Finding> odd_samples(const std::vector<InsituExperiment>& experiments);

struct Diagnosis {
  std::vector<Finding> findings;  // of faulty channels
  double largest_shift = 0.0;     // of a parameter when the faults are allowed for, in its standard deviations
  std::string shifted;            // that parameter
};

// A fit with gain, offset and delay of all channels free, from `from`; `best`, `deviation`: values of the fit in doubt.
Diagnosis find_faults(const std::vector<InsituExperiment>& experiments, const std::vector<InsituParameter>& parameters,
                      const std::vector<InsituPrior>& priors, const Eigen::VectorXd& from, const Eigen::VectorXd& best,
                      const Eigen::VectorXd& deviation, const InsituOptions& options, Progress& progress);

}  // namespace kdyn::inline insitu::internal
