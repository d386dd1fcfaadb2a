// SPDX-License-Identifier: Apache-2.0
// One operation on every part and direction of a folder, or on every object of files that hold several.
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/mount/population.hpp"

namespace kdyn::app {

struct BatchJob {
  std::string operation;  // "fit elastomer"
  std::string title;
  Json options;  // of each part; data, part, direction and title are set for each
  std::vector<std::string> data;
  ReadHints read;
  Tolerances tolerances;
};

Outcome fit_groups(const BatchJob& job, const std::vector<BatchGroup>& groups, std::vector<Finding> told,
                   Progress& progress);
// Groups of a folder; those whose files hold several objects are split, files that are no measurements are told.
Outcome fit_folder(const BatchJob& job, Progress& progress);

}  // namespace kdyn::app
