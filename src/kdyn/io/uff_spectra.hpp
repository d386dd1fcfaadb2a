// SPDX-License-Identifier: Apache-2.0
// Functions 2, 3, 6, 9 and 12 of universal files: auto and cross spectra, coherences, power spectral densities,
// spectra.
#pragma once

#include <string>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/spectra.hpp"
#include "kdyn/io/uff.hpp"

namespace kdyn::inline io {

const char* to_string(SpectrumKind kind);
std::string name_of(const Spectrum& spectrum);  // "psd 12+Z", "coherence 3+X / 1+Z"

// Coherences of points that have a frequency response are left to it. Functions of other types are named in `findings`.
SpectrumSet spectra_of(const UffFile& file, std::vector<Finding>& findings);
UffFile to_uff(const SpectrumSet& spectra);
// A table over one frequency axis; throws Error(bad_input) when there are several.
std::string spectra_csv(const SpectrumSet& spectra, const std::string& path);

}  // namespace kdyn::inline io
