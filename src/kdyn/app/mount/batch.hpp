// SPDX-License-Identifier: Apache-2.0
// A folder of parts and directions as one job: files are grouped by name, groups run in parallel, each result goes to
// the disk when it is finished; population.hpp sums them up.
//
// Group name: path below the folder without extension and without the word that tells the kind of measurement (map,
// static, transient, series, dynamic, sweep, loop): "left/z_map.csv" and "left/z_static.csv" are the group "left/z".
// Where two of the given folders hold a file of the same name, the folder is part of all names: "supplier_a/z" and
// "supplier_b/z" are two parts.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/door/read.hpp"

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

// A group for each measured object, in their order: files that hold several parts or directions (workbooks, columns of
// directions) are taken apart.
std::vector<BatchGroup> groups_of_objects(const Contents& contents, const std::string& prefix);

// What the summary of a batch keeps of a part; the rest is on the disk.
struct PartSummary {
  BatchGroup group{};
  std::string status{}, error{};  // error: what a single run would have said; empty when there is a result
  bool complete = false, resumed = false;
  double rms_kdyn_rel = std::numeric_limits<double>::quiet_NaN(), rms_loss_deg = rms_kdyn_rel;
  std::vector<ParameterEstimate> parameters{};
  std::string date{}, batch{};  // as its files state them
  std::vector<Source> inputs{};
  std::vector<OutputFile> files{};  // where no folder takes them (app/part_sink.hpp)
};

struct BatchWork {
  std::function<Outcome(const BatchGroup&, Progress&)> fit;
  // Whether a result that lies there already is the one that the fit would give; none: nothing is taken over.
  std::function<bool(const BatchGroup&, const Json& earlier)> is_done{};
  // Takes a group apart whose files hold several objects, and tells what holds none; none: groups stay as they are.
  // Groups that an earlier run finished are not read for it.
  std::function<std::vector<BatchGroup>(const BatchGroup&, std::vector<Finding>& told)> split{};
};

// The same operation, options, program and content of the files: the fit would give the same bits.
bool is_same_run(const Json& earlier, const std::string& operation, const Json& options);

// Runs every group on all cores; a failing group does not stop the others. What splitting tells is appended. Each part is written as soon as it is
// finished, and parts that an earlier run finished are taken over. Order and results do not depend on the number of
// threads.
std::vector<PartSummary> run_batch(const std::vector<BatchGroup>& groups, const BatchWork& work,
                                   std::vector<Finding>& told, Progress& progress);

}  // namespace kdyn::app
