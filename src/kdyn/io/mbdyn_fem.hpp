// SPDX-License-Identifier: Apache-2.0
// Modal data of MBDyn (.fem): text in record groups. Read and written: 1 header, 2 node labels, 5 6 7 coordinates, 8
// mode shapes (six values per node), 9 modal mass, 10 modal stiffness, 11 lumped nodal mass. Groups 3 and 4 (initial
// state) are skipped, others named.
//
// SI is assumed by MBDyn; the file does not tell units.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/matrix_set.hpp"
#include "kdyn/data/mode_set.hpp"

namespace kdyn::inline io {

struct MbdynFem {
  ModeSet modes;                       // poles from the diagonals of modal stiffness and mass, undamped
  Matrix modal_mass, modal_stiffness;  // dense, modes x modes
  std::vector<double> lumped_mass;     // six per node in the order of modes.geometry.nodes; empty when not given
  std::vector<Finding> findings;
};

bool looks_like_mbdyn_fem(std::string_view content);
MbdynFem parse_mbdyn_fem(std::string_view content, const std::string& name);
std::string mbdyn_fem_text(const MbdynFem& body);

}  // namespace kdyn::inline io
