// SPDX-License-Identifier: Apache-2.0
// CalculiX matrices of *FREQUENCY,SOLVER=MATRIXSTORAGE: JOB.sti and JOB.mas (text: row, column, value, counted from 1,
// upper triangle) and JOB.dof (node.direction of each row). The full symmetric matrix is built; structural zeros are
// kept.
//
// Shells and beams are expanded by CalculiX: labels repeat and the mass matrix is not positive definite. That is found
// and said.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/matrix_set.hpp"

namespace kdyn::inline io {

bool looks_like_calculix_matrix(std::string_view content);
// Takes the text, so that it can be let go before the matrix is built.
Matrix parse_calculix_matrix(std::string&& content, const std::string& name, std::vector<Finding>& findings);
std::vector<Dof> parse_calculix_dofs(std::string_view content, const std::string& name, std::vector<Finding>& findings);

// Any of the three files: those of the same job that lie beside it are read too. Matrices are named K (.sti) and M
// (.mas).
MatrixSet read_calculix(const std::string& path);

std::string calculix_matrix_text(const Matrix& matrix);
std::string calculix_dof_text(const std::vector<Dof>& dofs);

}  // namespace kdyn::inline io
