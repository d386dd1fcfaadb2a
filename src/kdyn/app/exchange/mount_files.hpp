// SPDX-License-Identifier: Apache-2.0
// Between property files of other tools and model files of kdyn, one direction at a time. No law is evaluated here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/io/bushing_file.hpp"
#include "kdyn/io/ubf.hpp"

namespace kdyn::app {

// Model JSON of a direction; what cannot be carried over is said in findings. Nothing when the direction holds no
// spring.
std::optional<Json> model_of(const UbfDirection& direction, bool hydro, const std::string& where,
                             std::vector<Finding>& findings);
std::optional<Json> model_of(const BushingDirection& direction, const std::string& where,
                             std::vector<Finding>& findings);

// The keys of a model, elastomer or hydromount. Throws Error(bad_input) for other models.
UbfDirection ubf_direction_of(const Json& model, const std::string& where, bool& hydro);

}  // namespace kdyn::app
