// SPDX-License-Identifier: Apache-2.0
// Decays from files. Columns: the channels of the sensors in the job ("name.z", or "name" where one axis is meant), or
// the seven motions zs, theta, phi, zuA, zuB, zuC, zuD, with their units; time_s (or k with
// a sampling interval given); config (0 as is, 1 with added mass) and case (name of the excitation), where a file holds
// more than one.
//
// The unit of a channel tells what it measures: m, m/s, m/s^2; rad, rad/s, rad/s^2 for theta and phi. Channels without
// unit are SI of the quantity in the options. Records are told apart by config, case, and by time or k starting anew.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/vehicle/decays.hpp"

namespace kdyn::inline vehicle {

struct DecayFileOptions {
  std::optional<double> sample_interval_s;         // when there is no time column
  MotionKind quantity = MotionKind::acceleration;  // of channels without unit
  std::map<std::string, std::string> units;        // channel -> unit
  VehicleLayout layout;
  std::vector<DecayChannel> channels;  // of sensors; empty: the motions of the centre of gravity, wheel and body
};

struct DecayFiles {
  DecaySet set;  // without the added masses
  std::vector<Source> sources;
  std::vector<Finding> findings;
};

// `plain`: config from the column, 0 without one; `loaded`: files without config column of the vehicle with added mass.
DecayFiles read_decay_files(const std::vector<std::string>& plain, const std::vector<std::string>& loaded,
                            const DecayFileOptions& options);

// One table into the set; `config` for tables without such a column.
void add_decays(const SignalSet& table, int config, const DecayFileOptions& options, DecayFiles& into);

// The file layout above, for simulated tests.
std::string decay_csv(const DecaySet& set);

}  // namespace kdyn::inline vehicle
