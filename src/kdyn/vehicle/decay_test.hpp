// SPDX-License-Identifier: Apache-2.0
// A bump test as it could be run: which wheels roll over the bump, how long is recorded, with which added mass, and how
// noisy the sensors are. Simulated tests serve planning (plan.hpp), validation and the examples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kdyn/vehicle/decays.hpp"

namespace kdyn::inline vehicle {

struct BumpCase {
  std::string name;
  Bump bump;
};
std::vector<BumpCase> published_cases();  // bounce, pitch, roll of Zheng et al. 2016
BumpCase bump_case(
    const std::string& name);  // bounce, pitch, roll; or the wheels that are lifted: "A", "AD", "ACE" ...

struct DecayTest {
  std::vector<BumpCase> cases = published_cases();
  double rate_hz = 1000.0, length_s = 2.0;
  MotionKind kind = MotionKind::acceleration;
  std::vector<DecayChannel> channels;          // sensors instead of the motions of the centre of gravity
  std::vector<std::vector<PointMass>> points;  // of configuration 1, 2, ... beside `added`
  bool with_bump =
      false;  // records start 0.1 s before the bump instead of at its end; length_s counts from the end of the bump
};

// Noise-free records of the plain vehicle and of each loaded one, exact.
DecaySet simulate_decays(const Vehicle<double>& vehicle, const std::vector<AddedMass>& added, const DecayTest& test);

// [vehicle E26] White Gaussian noise; the standard deviation of a channel is its rms over the free decays of its
// configuration times 10^(-snr_db/20). One random stream for each record.
std::vector<double> noise_for(const DecaySet& set, double snr_db);
void add_noise(DecaySet& set, const std::vector<double>& sigma, std::uint64_t seed);

}  // namespace kdyn::inline vehicle
