// SPDX-License-Identifier: Apache-2.0
// Sparse symmetric factorisation a K + b M = L D L^T (multifrontal, without pivoting) and solves of blocks of
// right-hand sides.
//
//   [fe E22] fronts over supernodes of a METIS order of the mesh nodes
//   [fe E23] L and D by blocks: D_j = A_jj - sum L_jk D_k L_jk, L_ij = (A_ij - sum L_ik D_k L_jk) / D_j
//   [fe E24] negative pivots of K - s M count the eigenvalues below s (Sylvester)
// Positive definite matrices need no pivoting. An indefinite one may meet small pivots: `small_pivots` counts those
// that were replaced, and the caller checks a residual before he believes the counts. Results do not depend on the
// number of threads.
#pragma once

#include <memory>
#include <vector>

#include "kdyn/fe/assemble.hpp"

namespace kdyn::fe {

struct FactorFacts {
  int negative_pivots = 0, small_pivots = 0;
  double entries = 0.0, flops = 0.0;  // of L, of the factorisation
};

class SparseFactor {
 public:
  // Patterns of both matrices together: a mass at a node the stiffness does not reach still counts. `group_of` names
  // the node of each unknown (ascending), or is empty. threads = 0: as many as the machine has.
  SparseFactor(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<int>& group_of,
               int threads = 0);
  ~SparseFactor();
  SparseFactor(SparseFactor&&) noexcept;
  SparseFactor& operator=(SparseFactor&&) noexcept;

  // Memory that factor() takes at its peak on one thread: factor, fronts under way, a copy of the entries. Known before.
  double expected_bytes() const;

  // Numbers of a K + b M; the patterns must be within those of the constructor.
  FactorFacts factor(const SparseMatrix& stiffness, const SparseMatrix& mass, double a, double b);
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;
  int size() const;

  // The same for eight right-hand sides in place, side by side for each unknown, in the order of elimination: for those
  // who solve often.
  void solve_strip(double* x) const;
  const std::vector<int>& order() const;  // place of each unknown

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace kdyn::fe
