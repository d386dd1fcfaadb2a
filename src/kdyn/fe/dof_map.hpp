// SPDX-License-Identifier: Apache-2.0
// Which motions of the nodes are unknowns, and how all others follow from them: held ones, rigid and averaging links,
// linear constraints.
//
//   [fe E21] u = T q: each of the six global components of a node is one unknown, zero, or a combination of unknowns
// Dependent motions are eliminated, so that mass and stiffness stay symmetric and without multipliers. Chains of
// constraints are resolved; a circle, a motion that depends twice, and a motion that is both held and dependent are
// errors that name the place.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "kdyn/data/dof.hpp"
#include "kdyn/fe/model.hpp"

namespace kdyn::fe {

struct DofMap {
  static constexpr int zero = -1, combined = -2;
  using Combination = std::vector<std::pair<int, double>>;  // unknown and factor

  int unknowns = 0;
  std::vector<int> equation;                          // 6 per node, global axes: unknown, zero or combined
  std::unordered_map<int, Combination> combinations;  // by 6 * node + component
  std::vector<int> first;                             // nodes + 1: unknowns of a node are first[n] .. first[n + 1] - 1
  std::vector<int> node_of;                           // node index of an unknown
  std::vector<Dof> dofs;                              // label and direction (in the frame of the node) of an unknown

  // Motion of all nodes in global axes (6 per node) from that of the unknowns, one column each.
  Eigen::MatrixXd expand(const Eigen::MatrixXd& q) const;
  // The unknown of a dof, or -1 when it is none.
  int find(const Dof& dof) const;
};

// [fe E20] A motion of the reference of an averaging link by those of its members; motions are 6 * node + component in the
// frames of the nodes.
struct AverageRow {
  int motion = 0;
  DofMap::Combination parts;
};
std::vector<AverageRow> average_rows(const Model& model, const AverageLink& link);

// `touched` has a bit per component (global axes) that an element, a mass or a constraint gives stiffness or mass to;
// others are held.
// `held` has a bit per component in the frame of the node that is held beside its supports; empty: none.
DofMap make_dof_map(const Model& model, const std::vector<unsigned>& touched, const std::vector<unsigned>& held = {});

}  // namespace kdyn::fe
