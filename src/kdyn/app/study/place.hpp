// SPDX-License-Identifier: Apache-2.0
// Places in JSON by path, as people write them: bushings.engine_left.laws.fz.parameters.stiffness.
//
// A part of a list is found by its name, by its number from 0 (loads[0], loads.0) or by any of its fields
// (damage[exponent=5]); * stands for any text (bushings.engine_*.laws.fz). Names may hold dots: the longest that fits is
// taken. A path may lead on through the name of a JSON file: its content then stands in that place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::app {

// The content of a JSON file that is named in a document; nothing when there is none.
using FileOfPlace = std::function<std::optional<Json>(const std::string& name)>;

// All values at the path, at least one; throws Error(bad_input) at `where` with what is known there.
std::vector<Json*> find_places(Json& document, std::string_view path, const std::string& where,
                               const FileOfPlace& file);
// The one value at the path.
const Json& find_value(const Json& document, std::string_view path, const std::string& where);

}  // namespace kdyn::app
