// SPDX-License-Identifier: Apache-2.0
// TeimOrbit, the text format of Adams property files: blocks [TITLE] with KEY = value lines and tables under a row of
// {column names}.
//
// `$` starts a comment line, texts stand in single quotes, (NAME) opens a sub-block whose table belongs to the block.
// Key case does not matter.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline io {

struct TeimOrbitTable {
  std::string name;  // of the sub-block; empty when there is none
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;  // each as long as columns
  std::size_t line = 0;
};

struct TeimOrbitBlock {
  std::string title;                                        // upper case
  std::vector<std::pair<std::string, std::string>> values;  // key in upper case, text without quotes
  std::vector<TeimOrbitTable> tables;
  std::size_t line = 0;

  std::optional<std::string> text(std::string_view key) const;
};

struct TeimOrbitFile {
  std::string name;
  std::vector<TeimOrbitBlock> blocks;
  std::vector<Finding> findings;

  const TeimOrbitBlock* find(std::string_view title) const;
};

bool looks_like_teimorbit(std::string_view content);
// Throws Error(bad_input) when there is no block at all.
TeimOrbitFile parse_teimorbit(std::string_view content, const std::string& name);

// What a reader sees that skips the blocks of kdyn's own, [KDYN] and [..._KDYN].
TeimOrbitFile without_own_blocks(TeimOrbitFile file);

// Where kdyn's bushings sit, a thing other tools keep with the installation: POSITION_X_M .. ROTATION_Z_RAD of the
// block [KDYN], SI; zero when there is none. What is no number up to 1e6 is zero with a finding.
std::array<double, 6> installed_place(TeimOrbitFile& file);
std::string place_block(const std::array<double, 6>& place);  // [KDYN] with these; empty when all are zero

// The units of a property file, as factors to SI.
struct TeimOrbitUnits {
  double length = 1e-3, angle = 0.017453292519943295, force = 1.0, mass = 1.0, time = 1.0;
  bool given = false;
};
// Unknown or missing names fall back to mm, degrees, newton, kg, second, with a finding.
TeimOrbitUnits teimorbit_units(TeimOrbitFile& file);

inline constexpr std::array<const char*, 6> bushing_directions = {"FX", "FY", "FZ", "TX", "TY", "TZ"};

}  // namespace kdyn::inline io
