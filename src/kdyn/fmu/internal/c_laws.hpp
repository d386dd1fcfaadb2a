// SPDX-License-Identifier: Apache-2.0
// One generator per law; c_source.cpp lists them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kdyn/fmu/c_source.hpp"

namespace kdyn::internal {

CSource elastomer_c(const Json& model, const std::string& where, const std::string& prefix);

// A double as C text that gives back every bit.
std::string c_number(double value);
// Replaces every @KEY@ of a template; a key that is left over is a bug.
std::string fill_template(std::string text, const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace kdyn::internal
