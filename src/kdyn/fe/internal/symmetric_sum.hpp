// SPDX-License-Identifier: Apache-2.0
// Sums small dense matrices into a sparse symmetric one (lower triangle) by node blocks: pattern first, then numbers.
//
// Unknowns are numbered node by node, so the place of an entry follows from one search among the few neighbours of a
// node.
#pragma once

#include <vector>

#include <Eigen/Sparse>

namespace kdyn::fe::internal {

class SymmetricSum {
 public:
  // Unknowns of node n are first[n] .. first[n + 1] - 1; both vectors outlive the object.
  SymmetricSum(const std::vector<int>& first, const std::vector<int>& node_of) : first_(first), node_of_(node_of) {}

  void announce(const std::vector<int>& unknowns);  // a matrix over these will be added
  void freeze();                                    // no more announcements
  void add(const std::vector<int>& unknowns, const Eigen::Ref<const Eigen::MatrixXd>& matrix, double factor = 1.0);
  Eigen::SparseMatrix<double> take();  // exact zeros are dropped

 private:
  int nodes() const { return static_cast<int>(first_.size()) - 1; }
  struct Group {
    int node, begin, end;  // range in the list of unknowns
  };
  void group(const std::vector<int>& unknowns);

  const std::vector<int>& first_;
  const std::vector<int>& node_of_;
  std::vector<int> member_, member_start_{0};      // nodes of each announced matrix
  std::vector<int> neighbour_, neighbour_offset_;  // higher neighbours of a node, and unknowns of it before each
  std::vector<std::size_t> neighbour_start_;
  std::vector<std::size_t> column_;  // start of each column
  std::vector<double> value_;
  std::vector<Group> groups_;
};

}  // namespace kdyn::fe::internal
