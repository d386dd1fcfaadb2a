// SPDX-License-Identifier: Apache-2.0
// Gain, offset and delay of every channel as unknowns beside those of a job: what the test of channels and the search for
// faults have in common  [insitu E8] [insitu E9].
#pragma once

#include <string>
#include <vector>

#include "kdyn/insitu/internal/problem.hpp"

namespace kdyn::inline insitu::internal {

inline constexpr double significant = 5.0;    // standard deviations
inline constexpr double least_change = 0.01;  // of a signal's rms: what a smaller fault changes is not worth a word
inline constexpr double widest_delay = 0.03;  // s
inline constexpr double known_to = 4.0;       // standard deviations of what is said about a sensor

// Unknowns of one channel among all parameters.
struct ChannelOwn {
  std::size_t experiment = 0;
  Eigen::Index channel = 0;
  int gain = -1, offset = -1, delay = -1;
};

// Adds gain, offset and delay of every channel; those that are free already are found among the parameters.
std::vector<ChannelOwn> add_channel_unknowns(const std::vector<InsituExperiment>& experiments,
                                             std::vector<InsituParameter>& parameters);

// Inverse of an information matrix; infinite where nothing is known. Directions without information are left out.
struct InformationInverse {
  Eigen::MatrixXd covariance;
  Eigen::VectorXd deviation;
};
InformationInverse inverse_of(const Eigen::MatrixXd& information);

ChannelCalibration given_calibration(const InsituExperiment& experiment, Eigen::Index channel);
std::string signal_of(const InsituExperiment& experiment, Eigen::Index channel);
// rms about the mean of what was measured.
double rms_of_row(const Eigen::MatrixXd& measured, Eigen::Index channel);
// rms of the slope of what a channel should show, over that of its signal: 1/s.
double quickness(const InsituPoint& point, const ChannelOwn& own, const InsituExperiment& experiment);

}  // namespace kdyn::inline insitu::internal
