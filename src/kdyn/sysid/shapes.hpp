// SPDX-License-Identifier: Apache-2.0
// Comparing mode shapes.
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline sysid {

// Modal assurance criterion |a^H b|^2/((a^H a)(b^H b)): 1 for shapes that differ by a factor only. 0 when one of them
// is zero. [sysid E9]
double mac(const Eigen::VectorXcd& a, const Eigen::VectorXcd& b);
// Columns of a against columns of b.
Eigen::MatrixXd mac_matrix(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b);

// Modal phase collinearity: 1 when all components lie on a line through the origin of the complex plane (a real mode),
// 0 on a circle. [sysid E10]
double phase_collinearity(const Eigen::VectorXcd& shape);

// The shape turned so that it is as real as possible: phase of sum(shape^2) made zero, largest component positive.
// [sysid E11]
Eigen::VectorXcd as_real_as_possible(const Eigen::VectorXcd& shape);

// Co-ordinate MAC of paired shapes, one value for each degree of freedom: which sensor spoils the agreement. Phases are
// aligned first.
Eigen::VectorXd comac(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b);

// Pairs every column of a with at most one of b, largest MAC first; -1 where no partner is left.
std::vector<int> pair_by_mac(const Eigen::MatrixXd& mac);

}  // namespace kdyn::inline sysid
