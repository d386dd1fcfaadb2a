// SPDX-License-Identifier: Apache-2.0
// Models of other programs as model files of kdyn: Adams solver decks (.adm) and URDF.
//
// Nothing that acts on the motion is lost in silence: statements that kdyn does not have stop the reading, with line and
// number, unless they are named in `ignore`; what only draws or reports is told once. Angles that look like degrees
// given for radians, and decks without units, are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::mbs {

struct ForeignModel {
  Json model;
  std::vector<Finding> findings;
};

enum class ForeignFormat { none, adams, urdf };
// By content. Model files of kdyn are none of them.
ForeignFormat foreign_format(std::string_view content);

ForeignModel read_adams(const std::string& content, const std::string& where,
                        const std::vector<std::string>& ignore = {});
ForeignModel read_urdf(const std::string& content, const std::string& where,
                       const std::vector<std::string>& ignore = {});

// The JSON of a model file, or of a model of another program made one.
ForeignModel model_json_of(const std::string& content, const std::string& where,
                           const std::vector<std::string>& ignore = {});

}  // namespace kdyn::mbs
