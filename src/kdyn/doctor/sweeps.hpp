// SPDX-License-Identifier: Apache-2.0
// A map as a set of frequency sweeps, and how well each row fits between its neighbours. Used by the data doctor only.
#pragma once

#include <cstddef>
#include <vector>

#include "kdyn/doctor/doctor.hpp"

namespace kdyn::inline doctor {

// Rows of one amplitude and one preload, by rising frequency.
struct Sweep {
  double amplitude = 0.0, preload = 0.0;  // medians
  std::vector<std::size_t> rows;
};

// Levels are told apart by gaps: 5 % of the largest preload, 6 % in amplitude (nominal amplitude where the file has
// it). Where amplitudes drift so far that levels run together, the rows of each frequency are ranked.
std::vector<Sweep> find_sweeps(const StiffnessMap& map);

// Levels of a set of values, each the median of a group without a gap wider than `gap` between neighbours. `level`
// receives the group of each value.
std::vector<double> find_levels(const std::vector<double>& values, double gap, std::vector<std::size_t>& level);

// Numbers the different frequencies of the map; the number of each row.
std::vector<std::size_t> number_frequencies(const StiffnessMap& map, std::vector<double>& frequencies_hz);

enum class Blemish { none, outlier, complement, sign };

// Deviation of each row from what its neighbours along frequency lead to expect (log k_dyn and loss angle), and what
// stands out.
struct Neighbourhood {
  std::vector<double> expected_log_k, expected_angle;
  std::vector<Blemish> blemish;
  double sigma_log_k = 0.0, sigma_angle = 0.0;
  struct Common {  // deviation shared by all sweeps at one frequency: no outlier but a resonance, of the mount or of
                   // the rig
    double log_k = 0.0, angle = 0.0;
    std::size_t sweeps = 0;
  };
  std::vector<double> frequencies_hz;
  std::vector<Common> common;
};

Neighbourhood examine_neighbours(const StiffnessMap& map, const std::vector<Sweep>& sweeps,
                                 const DoctorOptions& options);

}  // namespace kdyn::inline doctor
