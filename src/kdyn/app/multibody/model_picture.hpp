// SPDX-License-Identifier: Apache-2.0
// A multibody model as it stands, before anything is computed with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::app {

// None when the model cannot be put together; a finding then says what is missing.
std::optional<report::Animation> model_picture(const std::string& path, std::vector<Finding>& findings);

}  // namespace kdyn::app
