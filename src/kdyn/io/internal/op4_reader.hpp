// SPDX-License-Identifier: Apache-2.0
// The two halves of the OP4 reader share the header of a matrix and its checks.
#pragma once

#include <optional>

#include "kdyn/io/internal/matrix_runs.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io::internal {

struct Op4Header {
  std::int64_t columns = 0, rows = 0, form = 0, type = 0;  // rows < 0: bigmat
  std::string_view name;
};

// Nothing when the numbers cannot be a header.
std::optional<MatrixPlan> plan_of(const Op4Header& header);

// Adds a run when it lies within the matrix; false when it does not.
bool add_run(MatrixPlan& plan, std::int64_t column, std::int64_t row, std::uint64_t count, std::size_t place);

void parse_op4_binary(std::string_view content, const std::string& name, MatrixSet& out);
void parse_op4_text(std::string_view content, const std::string& name, MatrixSet& out);

// What the first bytes are: 4 or 8 bytes per integer, byte order; nothing for text.
struct Op4Binary {
  bool big = false, wide = false;
};
std::optional<Op4Binary> op4_binary_of(std::string_view content);
std::optional<Op4Header> op4_text_header(std::string_view line);

}  // namespace kdyn::inline io::internal
