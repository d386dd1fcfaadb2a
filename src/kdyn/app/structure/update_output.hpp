// SPDX-License-Identifier: Apache-2.0
// What kdyn update writes into result.json.
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/structure/update_jobs.hpp"

namespace kdyn::app {

struct UpdateOutput {
  const UpdateJob& job;
  std::string status, reason;
  const std::vector<UpdateCase>& cases;  // the first one stands at the top level too
  bool several = false;                  // configurations
  std::vector<Finding> findings;
};

}  // namespace kdyn::app
