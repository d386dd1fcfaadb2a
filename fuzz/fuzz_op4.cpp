// SPDX-License-Identifier: Apache-2.0
// Any bytes as OP4 matrices.
#include "guard.hpp"

#include "kdyn/io/op4.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) {
    const kdyn::MatrixSet set = kdyn::parse_op4(content, "fuzz.op4");
    for (const kdyn::Matrix& matrix : set.matrices)
      if (matrix.rows > 0 && matrix.columns > 0) matrix.at(matrix.rows - 1, matrix.columns - 1);
  });
}
