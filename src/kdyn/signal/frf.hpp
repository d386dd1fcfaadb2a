// SPDX-License-Identifier: Apache-2.0
// Frequency responses from time data of a modal test: hammer, random, burst, periodic and stepped multisine excitation;
// of ambient excitation, whose forces nobody measures, half spectra (half_spectra.hpp).
//
//   [signal E43] spectra of blocks, S_yu = mean of conj(U) Y over the blocks; all inputs of a record together
//   [signal E44] H1 = S_yu S_uu^-1 (noise on the outputs), H2 = S_yy/S_uy (noise on the input), Hv = sqrt(S_yy/S_uu) S_yu/|S_yu| (on both);
//                H2 and Hv for one input at a time
//   [signal E45] coherence |S_yu|^2/(S_uu S_yy), for several inputs the multiple coherence S_yu S_uu^-1 S_uy/S_yy
//   [signal E46] covariance of a sample: scatter of what each block moves H1 by, v_b = (Y_b - H1 U_b) U_b^H S_uu^-1, with the factor
//                n/(n - n_u) for the degrees of freedom and, for overlapping blocks, the number of independent ones (Welch)
//
// Hammer: the force triggers, each hit is one block with some samples before it; a force window keeps noise out after
// the pulse, an exponential window lets a long decay end within the block and adds the same decay to every pole (see
// FrfEstimate::added_decay). Hits with a second blow, or with clipped samples, are found and left out. Periodic and
// multisine: only lines the force excites are given. Units and directions of the signals are kept. Samples must be
// evenly spaced and of equal rate; it does not resample.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/data/frequency_response.hpp"
#include "kdyn/data/signal.hpp"
#include "kdyn/signal/windows.hpp"

namespace kdyn::inline signal {

enum class ModalExcitation { hammer, random, burst, periodic, multisine, ambient };
enum class FrfEstimator { h1, h2, hv };

struct FrfOptions {
  ModalExcitation excitation = ModalExcitation::hammer;
  FrfEstimator estimator = FrfEstimator::h1;
  std::vector<std::string> inputs{};  // labels of the force signals; empty: all signals in N or N*m
  double block_s = 0.0;               // length of a block or period; 0: hammer from hit to hit, else 1 s
  double overlap = 0.5;               // of random blocks
  std::vector<double> band_hz{};      // lines that are given; empty: up to 0.4 of the sampling rate
  double trigger_level = 0.1;         // hammer: part of the largest force
  double pre_trigger_s = 0.0;         // hammer; 0: 1 % of the block
  double force_window_s = 0.0;        // hammer: pulse is taken as over after this; 0: from the data
  double decay_to =
      0.0;  // hammer: value of the exponential window at the end; 0: 1 unless the response has not decayed
  double double_hit_level = 0.1;  // second peak of the force, part of the first
  bool keep_double_hits = false;
  double excited_level = 1e-3;  // periodic: part of the strongest line's force from which a line counts as excited
  double step_s = 0.0, settle_s = 0.0;  // multisine: duration of a step, and what is left out at its start
};

struct BlockInfo {
  double start_s = 0.0;
  double peak = 0.0;         // largest force magnitude
  double second_peak = 0.0;  // hammer: largest force after the pulse, part of the peak
  bool used = true;
  std::string reason;  // why not
};

struct FrfEstimate {
  FrequencyResponse response;
  double added_decay = 0.0;       // 1/s, by the exponential window: true -Re(pole) is smaller by this
  int averages = 0;               // blocks used (of the first record)
  std::vector<BlockInfo> blocks;  // of all records
  double sample_rate = 0.0, block_s = 0.0, force_window_s = 0.0;
  std::vector<double> example_time, example_force, example_response;  // first used block as transformed, for a picture
  std::vector<Finding> findings;
};

// Each record holds signals taken together; records with the same inputs are averaged, those with other inputs add
// columns.
FrfEstimate estimate_frf(const std::vector<SignalSet>& records, const FrfOptions& options);

const FieldTable& fields_of(const FrfOptions*);

}  // namespace kdyn::inline signal
