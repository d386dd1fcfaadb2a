// SPDX-License-Identifier: Apache-2.0
// One maker per family of laws, each compiled in its own file.
#pragma once

#include <memory>
#include <string>

#include "kdyn/mbs/axis_law.hpp"

namespace kdyn::mbs {

std::unique_ptr<AxisLaw> elastomer_axis(const Json& in, const std::string& where);
std::unique_ptr<AxisLaw> hydromount_axis(const Json& in, const std::string& where);
std::unique_ptr<AxisLaw> active_mount_axis(const Json& in, const std::string& where);
// Null when the model is none of the rivals.
std::unique_ptr<AxisLaw> rival_axis(const std::string& model, const Json& in, const std::string& where);

}  // namespace kdyn::mbs
