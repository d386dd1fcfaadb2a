// SPDX-License-Identifier: Apache-2.0
// Nastran OP2 results: geometry (GEOM1, GEOM2), eigenvectors (OUG tables, real and complex, SORT1) and generalised
// masses (LAMA).
//
// Records of 32-bit words of Fortran, either byte order. A file tells no units: numbers are taken as SI, and a finding
// says so. Shapes stand in the motion systems of their nodes, as in the file. Of several subcases the first is read.
// Other tables are named in a finding; files of 64-bit words are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/mode_set.hpp"

namespace kdyn::inline io {

struct Op2File {
  std::string name;
  std::vector<std::string> tables;  // in the order of the file
  ModeSet modes;                    // with geometry; findings of the file
};

bool looks_like_op2(std::string_view content);
Op2File parse_op2(std::string_view content, const std::string& name);

}  // namespace kdyn::inline io
