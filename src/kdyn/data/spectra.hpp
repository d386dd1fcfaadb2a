// SPDX-License-Identifier: Apache-2.0
// Measured spectra and coherences over frequency, as a file holds them: results of another analyser, kept and passed
// on.
//
// Values stand in the unit the file names. Whether "g" of a power spectrum means g or g^2 is not said by every writer,
// so nothing is converted.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/dof.hpp"

namespace kdyn::inline data {

enum class SpectrumKind { auto_spectrum, cross_spectrum, coherence, power_spectral_density, spectrum };

struct Spectrum {
  SpectrumKind kind = SpectrumKind::spectrum;
  Dof output, input;  // input: the reference of cross spectra and coherences
  std::string unit;   // as the file names it; empty when it does not
  std::vector<double> frequency_hz;
  std::vector<std::complex<double>> values;
  bool is_complex = false;
};

struct SpectrumSet {
  std::vector<Spectrum> spectra;
  Source source;
};

}  // namespace kdyn::inline data
