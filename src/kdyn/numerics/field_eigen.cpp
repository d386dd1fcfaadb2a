// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/field_eigen.hpp"

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::internal {

std::size_t rows_in(const Field& field, const Json& in, const std::string& where) {
  if (!in.is_array()) throw_bad_input(where, "this is not a list", field.meaning.empty() ? "write [...]" : field.meaning);
  return in.size();
}
void uneven_rows(const std::string& where) { throw_bad_input(where, "the rows have different lengths", "write a full matrix"); }
void wrong_size(const std::string& where, Eigen::Index wanted) {
  throw_bad_input(where, fmt::format("{} values are needed", wanted), "correct the size");
}

}  // namespace kdyn::internal
