// SPDX-License-Identifier: Apache-2.0
// Free decays of the vehicle as they were measured, and how they are made ready for identification.
//
// A free decay stays one when it is averaged over blocks or passed through a filter whose start-up is cut away [vehicle
// E20]: the system is the same, only the initial state differs. So lowering the sampling rate costs information, never
// accuracy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/vehicle/response.hpp"
#include "kdyn/vehicle/vehicle.hpp"

namespace kdyn::inline vehicle {

// One decay of one configuration.
struct DecayRecord {
  int config = 0;           // 0 as is, 1 and up: with the added mass of that number
  std::string name;         // of the excitation: "bounce"
  double interval = 0.0;    // s
  Eigen::MatrixXd samples;  // time x 7, SI
  std::string where;        // file and lines, for messages
};

struct DecaySet {
  std::array<MotionKind, vehicle_dofs> kinds{};  // what each channel measures; by default acceleration
  std::vector<DecayRecord> records;
  std::vector<AddedMass> added;  // of configuration 1, 2, ...
  DecaySet() { kinds.fill(MotionKind::acceleration); }
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

// Standard deviation of white sensor noise in each channel, from fourth differences of the second half of the records
// [vehicle E22].
std::array<double, vehicle_dofs> estimate_noise(const DecaySet& set);

const FieldTable& fields_of(const DecayOptions*);

}  // namespace kdyn::inline vehicle
