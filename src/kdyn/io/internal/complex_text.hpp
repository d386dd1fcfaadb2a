// SPDX-License-Identifier: Apache-2.0
// A complex number in one cell: "612.3+45.1i", "612,3 + j45,1", "(612.3 - 45.1*j)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kdyn::inline io::internal {

// Both parts as written, each a number of cell_numbers.hpp; the sign of the imaginary part stands before it.
struct ComplexText {
  std::string real, imaginary;
};
// Nothing unless the text is a real part, a sign and an imaginary part marked by i or j.
std::optional<ComplexText> split_complex(std::string_view text);

}  // namespace kdyn::inline io::internal
