// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/field_eigen.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::inline base::field_parts {

std::size_t rows_in(const Field& field, const Json& in, const std::string& where) {
  if (!in.is_array())
    throw_bad_input(where, "this is not a list", field.meaning.empty() ? "write [...]" : field.meaning);
  return in.size();
}
namespace {

using Sizes = std::array<std::int64_t, 2>;

const std::vector<std::uint8_t>& bytes_of(const Json& in, std::size_t at_least) {
  demand(in.is_binary() && in.get_binary().size() >= at_least, "a matrix in an archive is whole");
  return in.get_binary();
}

}  // namespace

void put_matrix(Json& out, Eigen::Index rows, Eigen::Index cols, const void* entries, std::size_t size_of_one) {
  const Sizes sizes = {rows, cols};
  const std::size_t size = static_cast<std::size_t>(rows * cols) * size_of_one;
  std::vector<std::uint8_t> bytes(sizeof(sizes) + size);
  std::memcpy(bytes.data(), sizes.data(), sizeof(sizes));
  if (size > 0) std::memcpy(bytes.data() + sizeof(sizes), entries, size);
  out = Json::binary(std::move(bytes));
}

std::pair<Eigen::Index, Eigen::Index> size_in(const Json& in) {
  Sizes sizes;
  std::memcpy(sizes.data(), bytes_of(in, sizeof(sizes)).data(), sizeof(sizes));
  return {sizes[0], sizes[1]};
}

void take_matrix(const Json& in, void* entries, std::size_t size) {
  if (size > 0) std::memcpy(entries, bytes_of(in, sizeof(Sizes) + size).data() + sizeof(Sizes), size);
}

void uneven_rows(const std::string& where) {
  throw_bad_input(where, "the rows have different lengths", "write a full matrix");
}
void wrong_size(const std::string& where, Eigen::Index wanted) {
  throw_bad_input(where, fmt::format("{} values are needed", wanted), "correct the size");
}

}  // namespace kdyn::inline base::field_parts
