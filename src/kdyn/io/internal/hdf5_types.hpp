// SPDX-License-Identifier: Apache-2.0
// Messages of HDF5 object headers that say what a dataset is: type, extent, layout, filters, attributes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kdyn::inline io::internal {

// Little-endian numbers of a message; out of range sets `good` to false and gives zero.
class H5Bytes {
 public:
  explicit H5Bytes(std::string_view data) : data_(data) {}
  std::uint64_t take(std::size_t bytes);
  std::string_view take_bytes(std::size_t count);
  void skip(std::size_t count) { take_bytes(count); }
  std::string_view rest() const { return data_; }
  bool good() const { return good_; }

 private:
  std::string_view data_;
  bool good_ = true;
};

struct H5Number {  // a number within an element
  enum class Kind { integer, real } kind = Kind::real;
  std::size_t offset = 0, size = 8;
  bool big_endian = false, is_signed = true;
};

struct H5Type {
  enum class Kind { number, complex, text, text_in_heap, other } kind = Kind::other;
  std::size_t size = 0;
  H5Number first, second;  // second: imaginary part
};

struct H5Space {
  std::vector<std::uint64_t> extents;
  bool is_null = false;
};

struct H5Layout {
  enum class Kind { none, compact, contiguous, chunked } kind = Kind::none;
  std::uint64_t address = 0, size = 0;
  std::string_view compact;
  std::vector<std::uint64_t> chunk;  // extents, then the element size
};

struct H5Filters {
  bool known = true;
  std::vector<std::uint16_t> ids;  // in the order they were applied when writing
};

// Nothing when the message is damaged or newer than what is read.
std::optional<H5Type> h5_type(std::string_view message);
std::optional<H5Space> h5_space(std::string_view message);
std::optional<H5Layout> h5_layout(std::string_view message);
std::optional<H5Filters> h5_filters(std::string_view message);

struct H5Attribute {
  std::string name;
  H5Type type;
  H5Space space;
  std::string_view data;
};
std::optional<H5Attribute> h5_attribute(std::string_view message);

// One number of an element. Integers beyond 2^53 lose digits as double, not as integer.
double h5_real(const char* element, const H5Number& number);
std::int64_t h5_integer(const char* element, const H5Number& number);

}  // namespace kdyn::inline io::internal
