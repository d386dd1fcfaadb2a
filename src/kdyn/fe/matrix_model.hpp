// SPDX-License-Identifier: Apache-2.0
// Models that come as matrices: M and K, derivatives by parameters, and which row is which degree of freedom.
//
//   K(p) = K + sum_s (p_s / p_s0 - 1) dK_s, likewise M: terms of [fe E6] with the exponents 0 and 1. A derivative is by the relative
//   parameter p / p0, that is, the share of the nominal matrix that grows with the parameter.
// Names: K, M (or KAA, KGG, KJJ, stiffness, mass; a format without names takes the file's, so that model_K.mtx is K),
// dK_name and dM_name.
#pragma once

#include <initializer_list>

#include "kdyn/data/matrix_set.hpp"
#include "kdyn/fe/assemble.hpp"

namespace kdyn::fe {

struct MatrixModel {
  AffineMatrices matrices;
  std::vector<Dof> dofs;      // one per row, or empty
  std::vector<int> group_of;  // rows of one node have one number
  std::vector<Finding> findings;
};

const Matrix* find_matrix(const MatrixSet& set, std::initializer_list<const char*> names);

// Throws Error(bad_input) when M or K is missing, not square, complex, not finite, or when sizes differ. A matrix that
// is not symmetric is taken by halves and reported. Rows of equal label are reported. Matrices whose rows have
// different labels are brought onto all of them.
MatrixModel matrix_model_of(const MatrixSet& set, const std::string& where);

// Both triangles, for writers.
Matrix exchange_matrix(std::string name, const SparseMatrix& lower, const std::vector<Dof>& dofs);
Matrix exchange_matrix(std::string name, const Eigen::MatrixXd& full, const std::vector<Dof>& dofs);

}  // namespace kdyn::fe
