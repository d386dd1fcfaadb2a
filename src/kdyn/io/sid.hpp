// SPDX-License-Identifier: Apache-2.0
// Flexible bodies as standard input data (SID_FEM, Wallrapp): text blocks of matrices that depend linearly on the modal
// coordinates.
//
// A Taylor block holds M(q) = m0 + sum_k m1_k q_k. Structure: 0 zero, 1 diagonal, 2 symmetric, 3 full, 4 identity;
// symmetric blocks are completed here. Geometric stiffness of order n (mn) is kept as named values. Blocks that claim
// more than the file can hold are refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/finding.hpp"

namespace kdyn::inline io {

struct SidTaylor {
  int order = 0, rows = 0, columns = 0, modes = 0, modes_nonlinear = 0, structure = 3;
  std::vector<double> m0;  // rows x columns, column-major; empty when zero
  std::vector<double> m1;  // for each mode a matrix as m0; empty when order is 0

  double at(int r, int c) const;            // of m0
  double at(int mode, int r, int c) const;  // of m1
};

struct SidNode {
  std::int64_t label = 0;
  std::string reference_frame;
  std::map<std::string, SidTaylor> blocks;  // origin, phi, psi, AP, sigma
};

struct SidBody {
  std::string comment;
  double mass = 0.0;  // kg
  std::vector<std::string> mode_names;
  std::vector<SidNode> nodes;
  std::map<std::string, SidTaylor> blocks;  // mdCM, J, Ct, Cr, Me, Gr, Ge, Oe, ksigma, Ke, De
  std::vector<Finding> findings;
};

bool looks_like_sid(std::string_view content);
SidBody parse_sid(std::string_view content, const std::string& name);
std::string sid_text(const SidBody& body);

}  // namespace kdyn::inline io
