// SPDX-License-Identifier: Apache-2.0
// Operations on whole vehicles: identification from free decays, test planning, assessment of ride and durability
// signals.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/assess/comfort.hpp"
#include "kdyn/assess/durability.hpp"
#include "kdyn/data/signal.hpp"
#include "kdyn/signal/spectrum.hpp"
#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/load.hpp"
#include "kdyn/vehicle/plan.hpp"

namespace kdyn::app {

struct VehicleJob {
  std::vector<std::string> data;         // decays, with a config column or of the vehicle as is
  std::vector<std::string> data_loaded;  // decays with added mass, for files without config column
  std::vector<double> added_mass;        // seven numbers for config 1, seven more for config 2, ...
  std::vector<Sensor> sensors;           // none: the columns are motions of centre of gravity, body and wheels
  std::vector<Load> loads;               // added mass by its places
  std::int64_t axles = 2;
  bool hitch = false;
  bool plan = false;
  MotionKind quantity = MotionKind::acceleration;
  std::optional<double> sample_interval_s;
  std::map<std::string, std::string> units;  // of channels that do not tell theirs
  std::string title;
  VehicleFitOptions fit;
  PlanOptions planning;
};
Outcome vehicle_job(const VehicleJob& job, Progress& progress);

report::Document vehicle_report(const std::string& title, const VehicleFitResult& fit, bool symmetric);
// Mode shapes on a sketch of the vehicle; one name for each mode.
report::Animation vehicle_animation(const Vehicle<double>& vehicle, const VehicleModes& modes,
                                    const std::vector<std::string>& names);
report::Document plan_report(const std::string& title, const PlanResult& plan, const PlanOptions& options,
                             const AddedMass& added);

struct AssessJob {
  std::string file, compare;
  std::vector<std::string> channels;             // none: all
  std::map<std::string, std::string> weighting;  // channel -> Wk, Wd, Wc, We, Wj or "none"
  std::map<std::string, std::string> units;      // of channels that do not tell theirs
  std::optional<double> start_s, end_s;
  std::vector<double> exponents = {3.0, 5.0, 7.0};
  double equivalent_cycles = 1e6;
  double gate = 0.0;
  double resolution_hz = 0.5;
  std::string title;
};
Outcome assess_job(const AssessJob& job, Progress& progress);

// One channel of one record, assessed.
struct AssessedChannel {
  std::string name, unit, point;  // point: seat, backrest, feet; "" unknown
  double rate_hz = 0.0;
  std::vector<double> time, values;
  std::optional<Comfort> comfort;  // accelerations only
  Durability durability;
  Psd psd;
};
struct AssessedRecord {
  std::string name;
  std::vector<AssessedChannel> channels;
  std::map<std::string, double> totals;  // point -> vibration total value
  const AssessedChannel* find(const std::string& channel) const {
    for (const AssessedChannel& c : channels)
      if (c.name == channel) return &c;
    return nullptr;
  }
};
report::Document assess_report(const std::string& title, const std::vector<AssessedRecord>& records,
                               const std::vector<Finding>& findings);

const FieldTable& fields_of(const VehicleJob*);
const FieldTable& fields_of(const AssessJob*);

// Their results, defined beside the functions.
struct VehicleOutput;
struct VehiclePlanOutput;
struct AssessOutput;
const FieldTable& fields_of(const VehicleOutput*);
const FieldTable& fields_of(const VehiclePlanOutput*);
const FieldTable& fields_of(const AssessOutput*);

}  // namespace kdyn::app
