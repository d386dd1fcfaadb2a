// SPDX-License-Identifier: Apache-2.0
// A multibody model as it stands, before anything is computed with it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::app {

// Where a bushing, a spring or a sensor of it sits, in global axes at the start.
struct ModelPlace {
  std::string name;
  const char* kind = "";
  std::array<double, 3> at = {0, 0, 0};
};

// None when the model cannot be put together; a finding then says what is missing.
std::optional<report::Animation> model_picture(const std::string& path, std::vector<Finding>& findings,
                                               std::vector<ModelPlace>& places);

}  // namespace kdyn::app
