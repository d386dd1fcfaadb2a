// SPDX-License-Identifier: Apache-2.0
// A simulation and what was kept of it, as result.json and the report read it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/app/multibody/multibody_picture.hpp"
#include "kdyn/app/multibody/run_record.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/run_snapshot.hpp"

namespace kdyn::app {

// Steps that were taken between points of the output grid.
struct StepsShown {
  const mbs::RunCounts& counts;
  std::optional<double> smallest, largest;
  std::vector<double> time, step;  // thinned by the smallest of each run of steps: a short stretch stays to be seen
};

// What state.json holds.
struct SavedRun {
  std::string model_sha256;  // of its file
  mbs::RunSnapshot run;
  RecordMemory record;
};

struct SimulateRun {
  const SimulateJob& job;
  const mbs::ModelFile& file;
  const mbs::System& system;
  const mbs::RunResult& run;
  const RunRecord& record;
  const StepsShown& steps;
  const mbs::AssembledStart& start;
  const SavedRun* restarted;  // null: from the start of the model
  std::size_t every = 1;      // points of the run for a row of the file
  std::vector<std::string> files{};
  std::vector<Finding> findings{};
  std::string series_name{};  // of the file with all rows; empty: none is written
};

// The signals of one group that say most: those that were chosen, or deflections and loads of mounts, sensors and
// accelerations of named points, the ones that move most first.
struct ShownGroup {
  std::string title;
  std::vector<std::size_t> signals;
  std::size_t moving = 0;         // of the group, those that are left out too
  bool from_equilibrium = false;  // drawn as departures from the static equilibrium
};
std::vector<ShownGroup> shown_groups(const SimulateRun& run);

report::Document simulate_report(const std::string& title, const SimulateRun& run, const Picture& picture);

const FieldTable& fields_of(const StepsShown*);
const FieldTable& fields_of(const SavedRun*);
const FieldTable& fields_of(const RecordMemory*);

}  // namespace kdyn::app
