// SPDX-License-Identifier: Apache-2.0
// Nothing is lost in silence: a property file is read back as kdyn reads it, and as a reader does that skips kdyn's own
// blocks; each of the two is run on the rig beside the model it came from. What differs is named, with what that does
// to static curve, map and a random path.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kdyn/app/exchange/export_property.hpp"
#include "kdyn/app/exchange/property_models.hpp"

namespace kdyn::app {

// `axes` are single-axis models, one for each direction of the file; `coupling` and `place` as in model files.
void check_property_file(const std::string& text, const std::string& file, const std::vector<ExportModel>& axes,
                         const std::string& coupling, const std::array<double, 6>& place, const ExportJob& job,
                         ExportOutput& output, report::Document& document);

// Names of what differs between two model objects: "law", "parameters.decoupler_residual_slope"; numbers by more than
// rounding.
std::vector<std::string> differing_fields(const Json& a, const Json& b);

}  // namespace kdyn::app
