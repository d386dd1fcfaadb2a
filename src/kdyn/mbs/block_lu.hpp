// SPDX-License-Identifier: Apache-2.0
// LU factorisation of a matrix of dense blocks: bodies first, each joint after its bodies, in an order found once by
// the least fill. Pivoting stays inside the blocks: a body's block is dominated by its mass, a joint's block is the
// Schur complement of its bodies, which is regular when the joints are not redundant.
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::mbs {

class BlockLu {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  // sizes of the blocks, pairs of coupled blocks, and how many of the first blocks are bodies.
  void analyse(const std::vector<int>& sizes, const std::vector<std::pair<int, int>>& couplings, int bodies);

  void set_zero();
  // The block of row block i and column block j, to be filled before factorise().
  Eigen::Map<Matrix> block(int i, int j);
  // False when a block is singular.
  bool factorise();
  void solve(Vector& b) const;
  void solve_transposed(Vector& b) const;

  // All numbers of the factor, and back into one that was analysed alike; false when they are not as many.
  std::vector<double> image() const;
  bool set_image(const std::vector<double>& image);

  Matrix to_dense() const;  // before factorise()
  int offset(int block) const { return offsets_[static_cast<std::size_t>(block)]; }
  int size() const { return offsets_.empty() ? 0 : offsets_.back(); }

 private:
  struct Entry {
    int row, column;
    std::size_t at;  // in values_
  };
  int find(int i, int j) const;

  std::vector<int> sizes_, offsets_;
  std::vector<Entry> entries_;
  std::vector<std::vector<std::pair<int, int>>> lookup_;  // for each row: (column, entry)
  std::vector<double> values_, inverses_;
  std::vector<std::size_t> inverse_at_;
  struct Stage {
    int block;
    std::vector<int> later;         // neighbours eliminated later
    std::vector<int> lower, upper;  // entries (later, block) and (block, later)
    std::vector<int> inner;         // entries (later i, later j), row by row
  };
  std::vector<Stage> stages_;
  mutable Vector work_;
};

}  // namespace kdyn::mbs
