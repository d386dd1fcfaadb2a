// SPDX-License-Identifier: Apache-2.0
// Free decays of the vehicle as they were measured, and how they are made ready for identification.
//
// A free decay stays one when it is averaged over blocks or passed through a filter whose start-up is cut away [vehicle
// E20]: the system is the same, only the initial state differs. So lowering the sampling rate costs information, never
// accuracy.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/vehicle/channels.hpp"
#include "kdyn/vehicle/response.hpp"
#include "kdyn/vehicle/vehicle.hpp"

namespace kdyn::inline vehicle {

// One decay of one configuration.
struct DecayRecord {
  int config = 0;           // 0 as is, 1 and up: with the added mass of that number
  std::string name;         // of the excitation: "bounce"
  double interval = 0.0;    // s
  Eigen::MatrixXd samples;  // time x channels, SI
  std::string where;        // file and lines, for messages
  Eigen::MatrixXd road;     // height under each wheel in m, as it was measured along; empty: a free decay
  double road_interval = 0.0;
  std::int64_t averaged = 1;  // recorded samples in each of `samples`
};

struct DecaySet {
  VehicleLayout layout;
  std::vector<DecayChannel> channels = seven_motions(MotionKind::acceleration);
  std::vector<DecayRecord> records;
  std::vector<AddedMass> added;                // of configuration 1, 2, ...
  std::vector<std::vector<PointMass>> points;  // likewise, as far as there are

  int channel_count() const { return static_cast<int>(channels.size()); }
  int configurations() const { return static_cast<int>(std::max(added.size(), points.size())); }  // with added mass
  VehicleMatrices<double> matrices(const Vehicle<double>& vehicle, int config) const;
};

struct DecayOptions {
  bool cut_bump = true;                  // find the end of the excitation and start there
  std::optional<double> start_s, end_s;  // kept part of every record, from its first sample; wins over cut_bump
  std::int64_t average = 0;              // samples in a block mean; 0: down to at least 200 Hz
  std::optional<double> low_pass_hz;     // linear-phase low-pass before averaging
  bool remove_offset = false;            // estimate a constant in every channel and record
};

struct PreparedDecays {
  DecaySet set;
  std::vector<double> start_s;  // where each record was cut
  std::int64_t average = 1;     // what was used
  std::vector<Finding> findings;
};

// Cuts, filters, averages and checks. Throws Error(bad_input) with a remedy when a record cannot be a free decay of
// use. `start_s`, when given, holds the start of the decay in every record and replaces the search.
PreparedDecays prepare_decays(const DecaySet& measured, const DecayOptions& options,
                              const std::vector<double>& start_s = {});

// Index of the first sample of the free decay: 0 when the whole record is one [vehicle E21]. `displacement`: a channel
// measures one.
std::size_t find_decay_start(const DecayRecord& record, bool displacement = false);

// A channel that was driven beyond its range: it stays at its largest or smallest value for several samples, again and
// again. Names of such channels, in the raw records.
std::vector<std::string> clipped_channels(const DecaySet& measured);

// Standard deviation of white sensor noise in each channel, from fourth differences of the second half of the records
// [vehicle E22].
std::vector<double> estimate_noise(const DecaySet& set);

const FieldTable& fields_of(const DecayOptions*);

}  // namespace kdyn::inline vehicle
