// SPDX-License-Identifier: Apache-2.0
// Frequency responses as delimited text.
//
// kdyn's layout: frequency_hz, then for each channel <output>:<input>_re and _im and, optionally, _crr _cri _cii
// (covariance of Re, Im) and _coh. Units stand in a comment line: "# unit <output>:<input> m/s^2 N" (output unit, input
// unit). Degrees of freedom as in data/dof.hpp.
// "# added_decay 0.7" tells what an exponential window added to every pole, 1/s.
// The layout of older tests is read too: f_Hz, then re1,im1,[cRR1,cRI1,cII1,][coh1] and so on; its comment lines name
// sensors and units
// ("sensors: NAME unit N; NAME unit m/s^2; ..."), the first of which is the force.
#pragma once

#include <string>
#include <string_view>

#include "kdyn/data/frequency_response.hpp"

namespace kdyn::inline io {

bool looks_like_frf_csv(std::string_view content);
// Throws Error(bad_input) with file:line when a column has no partner, a frequency falls or a number is none.
FrequencyResponse parse_frf_csv(std::string_view content, const std::string& name);
std::string frf_csv(const FrequencyResponse& response);  // shortest digits that round-trip

}  // namespace kdyn::inline io
