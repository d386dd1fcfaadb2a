// SPDX-License-Identifier: Apache-2.0
// Matrix Market: coordinate and array, real, integer, complex and pattern, general, symmetric, skew-symmetric and
// hermitian.
#pragma once

#include <string>
#include <string_view>

#include "kdyn/data/matrix_set.hpp"

namespace kdyn::inline io {

bool looks_like_matrix_market(std::string_view content);
MatrixSet parse_matrix_market(std::string_view content, const std::string& name);
// 17 digits; the lower triangle of matrices marked symmetric. One matrix per file.
std::string matrix_market_text(const Matrix& matrix);

}  // namespace kdyn::inline io
