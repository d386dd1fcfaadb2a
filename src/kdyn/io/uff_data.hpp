// SPDX-License-Identifier: Apache-2.0
// Between universal files and the data types of kdyn. Values become SI here: functions by the unit their axis names,
// geometry and shapes by dataset 164. What has no unit keeps its number, and a finding says so.
#pragma once

#include "kdyn/data/frequency_response.hpp"
#include "kdyn/data/mode_set.hpp"
#include "kdyn/data/signal.hpp"
#include "kdyn/io/uff.hpp"

namespace kdyn::inline io {

// Functions of type 4 over the frequency axis that most of them share; coherences (type 6) join the channel of the same
// points. The file's values are moved out of it where that saves a copy.
FrequencyResponse frequency_response_of(UffFile&& file);
SignalSet signals_of(const UffFile& file);  // functions of type 1, evenly spaced
ModeSet modes_of(const UffFile& file);      // shapes of analysis 2, 3 and 7, with geometry
Geometry geometry_of(const UffFile& file);  // global cartesian positions, m

UffFile to_uff(const FrequencyResponse& response);
UffFile to_uff(SignalSet signals);  // their values are moved
UffFile to_uff(const ModeSet& modes);
UffFile to_uff(const Geometry& geometry);

}  // namespace kdyn::inline io
