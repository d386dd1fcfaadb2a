// SPDX-License-Identifier: Apache-2.0
// Frequency responses of a test or a model: complex ratio output/input of each channel over one common frequency axis.
//
// Values are in SI (m/s^2 per N and the like); the units say which. The time convention is exp(+i omega t).
// Covariance of a sample is that of (Re, Im) in squared units of the value, of the averaged estimate, not of one
// average.
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/dof.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline data {

struct SampleCovariance {
  double re_re = 0.0, re_im = 0.0, im_im = 0.0;
};

struct FrequencyResponseChannel {
  Dof output, input;
  std::string output_unit, input_unit;  // SI; empty when the file does not tell
  std::vector<std::complex<double>> values;
  std::vector<SampleCovariance> covariance;  // empty or one per line
  std::vector<double> coherence;             // empty or one per line
};

struct FrequencyResponse {
  std::string name;
  std::vector<double> frequency_hz;
  std::vector<FrequencyResponseChannel> channels;
  double added_decay = 0.0;  // 1/s: an exponential window moved every pole this far into the left half plane
  Source source;
  std::vector<Finding> findings;  // what the reader forgave or left out
};

}  // namespace kdyn::inline data
