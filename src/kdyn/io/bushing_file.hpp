// SPDX-License-Identifier: Apache-2.0
// Bushing property files with static curves and viscous damping: Adams .bus and Altair .gbs.
//
// Held in SI: m and N, or rad and N*m; damping N*s/m or N*m*s/rad. Directions in the order FX FY FZ TX TY TZ.
// Installation data (preload, scale factors) live in the subsystem file and are not here.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/io/teimorbit.hpp"

namespace kdyn::inline io {

struct BushingDirection {
  Curve curve;                      // displacement, force; empty: none
  std::optional<double> stiffness;  // constant stiffness, where a file gives that instead
  std::optional<double> damping;
};

struct BushingFile {
  std::string name, coupling = "rectangular";
  std::vector<std::string> comments;  // written as $ lines
  std::array<BushingDirection, 6> directions;
  std::array<double, 6> place{};  // of the block [KDYN]: position in m, rotation vector in rad
  std::vector<Finding> findings;
};

// From a file already taken apart; which of the two it is says FILE_TYPE or the blocks it has.
bool is_bushing_file(const TeimOrbitFile& file);
BushingFile bushing_of(TeimOrbitFile&& file);

// mm, degrees, newton; the shortest digits that give the number back. .gbs says how translations are coupled; .bus has
// no place for it, a block [KDYN] of our own holds it, which other tools skip; so it does with the place of the
// bushing.
std::string bus_text(const BushingFile& file);
std::string gbs_text(const BushingFile& file);

}  // namespace kdyn::inline io
