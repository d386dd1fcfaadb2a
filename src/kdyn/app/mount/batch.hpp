// SPDX-License-Identifier: Apache-2.0
// A folder of parts and directions as one job: files are grouped by name, groups run in parallel, results come into one
// table.
//
// Group name: path below the folder without extension and without the word that tells the kind of measurement (map,
// static, transient, series, dynamic, sweep, loop): "left/z_map.csv" and "left/z_static.csv" are the group "left/z".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"

namespace kdyn::app {

struct BatchGroup {
  std::string name;  // "left/z"
  std::vector<std::string> files;
  std::string part{},
      direction{};  // what to take from the files when they hold several; "-": what names none; empty: all
};

// True when any of the paths is a folder.
bool is_batch(const std::vector<std::string>& paths);
// Bench files (.csv, .tsv, .txt, .dat, .xlsx, .ods) below the folders; plain files form a group each by their own name.
std::vector<BatchGroup> batch_groups(const std::vector<std::string>& paths);

struct BatchEntry {
  BatchGroup group;
  Outcome outcome;    // empty when it failed
  std::string error;  // what a single run would have said
};

// Runs every group on all cores; a failing group does not stop the others. Order and results do not depend on the
// number of threads.
std::vector<BatchEntry> run_batch(const std::vector<BatchGroup>& groups,
                                  const std::function<Outcome(const BatchGroup&, Progress&)>& job, Progress& progress);

// One result and report of all groups: a row per part, parameters beside each other, outliers marked. Groups whose last
// part of the name is the same ("left/z", "right/z") are nominally the same and are compared with each other; names
// without a folder are compared all together. `told` are findings about the batch as a whole.
Outcome summarise_batch(const std::string& title, std::vector<BatchEntry> entries, std::vector<Finding> told = {});

struct BatchOutput;
const FieldTable& fields_of(const BatchOutput*);

}  // namespace kdyn::app
