// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/hdf5_types.hpp"

#include <cstring>

#include "kdyn/io/internal/bytes.hpp"

namespace kdyn::inline io::internal {
namespace {

std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

// A fixed- or floating-point type: class bits, size and properties. Only IEEE of 4 and 8 bytes and integers up to 8
// bytes.
bool number_type(std::uint8_t kind, std::uint32_t bits, std::size_t size, H5Bytes& properties, H5Number& out) {
  out.size = size;
  out.big_endian = (bits & 1U) != 0;
  const std::uint64_t offset = properties.take(2), precision = properties.take(2);
  if (kind == 0) {
    out.kind = H5Number::Kind::integer;
    out.is_signed = (bits & 8U) != 0;
    return properties.good() && offset == 0 && (size == 1 || size == 2 || size == 4 || size == 8) &&
           precision == 8 * size;
  }
  out.kind = H5Number::Kind::real;
  properties.skip(8);
  return properties.good() && offset == 0 && (size == 4 || size == 8) && precision == 8 * size && (bits & 0x40U) == 0;
}

// The two members real and imag of MATLAB's complex numbers.
bool complex_members(int version, std::uint32_t count, std::size_t size, H5Bytes& in, H5Type& out) {
  if (count != 2) return false;
  for (int member = 0; member < 2; ++member) {
    const std::size_t end = in.rest().find('\0');
    if (end == std::string_view::npos || end > 64) return false;
    const std::string name(in.rest().substr(0, end));
    in.skip(version < 3 ? padded(end + 1) : end + 1);
    const std::size_t offset_bytes = version < 3 ? 4 : size < 256 ? 1 : 2;
    const std::uint64_t offset = in.take(offset_bytes);
    if (version == 1) in.skip(28);
    const std::uint64_t head = in.take(1), bits = in.take(3), bytes = in.take(4);
    const auto kind = static_cast<std::uint8_t>(head & 0xf);
    H5Number& number = name == "real" ? out.first : out.second;
    if (!in.good() || (name != "real" && name != "imag") || kind > 1) return false;
    // Version 1 pads member types to eight bytes; numbers have 4 or 12 bytes of properties, and 12 + 8 is no multiple.
    H5Bytes properties(in.rest());
    if (!number_type(kind, static_cast<std::uint32_t>(bits), bytes, properties, number)) return false;
    in.skip(in.rest().size() - properties.rest().size());
    number.offset = offset;
    if (offset > size || bytes > size - offset) return false;
  }
  out.kind = H5Type::Kind::complex;
  return in.good();
}

}  // namespace

std::uint64_t H5Bytes::take(std::size_t bytes) {
  const std::string_view part = take_bytes(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = part.size(); i > 0; --i) value = (value << 8) | static_cast<unsigned char>(part[i - 1]);
  return value;
}

std::string_view H5Bytes::take_bytes(std::size_t count) {
  if (!good_ || count > data_.size()) {
    good_ = false;
    data_ = {};
    return {};
  }
  const std::string_view part = data_.substr(0, count);
  data_.remove_prefix(count);
  return part;
}

std::optional<H5Type> h5_type(std::string_view message) {
  H5Bytes in(message);
  const std::uint64_t head = in.take(1), bits = in.take(3), size = in.take(4);
  if (!in.good() || size == 0 || size > (std::uint64_t{1} << 32)) return std::nullopt;
  const int version = static_cast<int>(head >> 4);
  const auto kind = static_cast<std::uint8_t>(head & 0xf);
  H5Type out;
  out.size = size;
  if (version < 1 || version > 3) return std::nullopt;
  if (kind <= 1) {
    if (number_type(kind, static_cast<std::uint32_t>(bits), size, in, out.first)) out.kind = H5Type::Kind::number;
  } else if (kind == 3) {
    out.kind = H5Type::Kind::text;
  } else if (kind == 6) {
    if (size > 32 || !complex_members(version, static_cast<std::uint32_t>(bits & 0xffff), size, in, out))
      out.kind = H5Type::Kind::other;
  } else if (kind == 9 && (bits & 0xf) == 1) {
    out.kind = H5Type::Kind::text_in_heap;
  }
  return out;
}

std::optional<H5Space> h5_space(std::string_view message) {
  H5Bytes in(message);
  const std::uint64_t version = in.take(1), rank = in.take(1);
  in.skip(1);
  H5Space out;
  if (version == 1) {
    in.skip(5);
  } else if (version == 2) {
    out.is_null = in.take(1) == 2;
  } else {
    return std::nullopt;
  }
  if (rank > 8) return std::nullopt;
  for (std::uint64_t i = 0; i < rank; ++i) out.extents.push_back(in.take(8));
  if (!in.good()) return std::nullopt;
  return out;
}

std::optional<H5Layout> h5_layout(std::string_view message) {
  H5Bytes in(message);
  H5Layout out;
  const std::uint64_t version = in.take(1);
  if (version != 3) return std::nullopt;
  const std::uint64_t kind = in.take(1);
  if (kind == 0) {
    out.kind = H5Layout::Kind::compact;
    out.compact = in.take_bytes(in.take(2));
  } else if (kind == 1) {
    out.kind = H5Layout::Kind::contiguous;
    out.address = in.take(8), out.size = in.take(8);
  } else if (kind == 2) {
    out.kind = H5Layout::Kind::chunked;
    const std::uint64_t rank = in.take(1);
    out.address = in.take(8);
    if (rank < 2 || rank > 9) return std::nullopt;
    for (std::uint64_t i = 0; i < rank; ++i) out.chunk.push_back(in.take(4));
  } else {
    return std::nullopt;
  }
  if (!in.good()) return std::nullopt;
  return out;
}

std::optional<H5Filters> h5_filters(std::string_view message) {
  H5Bytes in(message);
  const std::uint64_t version = in.take(1), count = in.take(1);
  if ((version != 1 && version != 2) || count > 8) return std::nullopt;
  if (version == 1) in.skip(6);
  H5Filters out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t id = in.take(2), name = version == 1 || id >= 256 ? in.take(2) : 0;
    in.skip(2);
    const std::uint64_t values = in.take(2);
    in.skip(version == 1 ? padded(name) : name);
    in.skip(4 * values + (version == 1 && values % 2 != 0 ? 4 : 0));
    out.known = out.known && id >= 1 && id <= 3;
    out.ids.push_back(static_cast<std::uint16_t>(id));
  }
  if (!in.good()) return std::nullopt;
  return out;
}

std::optional<H5Attribute> h5_attribute(std::string_view message) {
  H5Bytes in(message);
  const std::uint64_t version = in.take(1), flags = in.take(1), name_size = in.take(2), type_size = in.take(2),
                      space_size = in.take(2);
  if (version < 1 || version > 3 || (version > 1 && flags != 0)) return std::nullopt;
  if (version == 3) in.skip(1);
  const auto part = [&](std::uint64_t size) {
    const std::string_view whole = in.take_bytes(version == 1 ? padded(size) : size);
    return whole.substr(0, size);
  };
  H5Attribute out;
  const std::string_view name = part(name_size);
  out.name = std::string(name.substr(0, name.find('\0')));
  const auto type = h5_type(part(type_size));
  const auto space = h5_space(part(space_size));
  if (!in.good() || !type || !space) return std::nullopt;
  out.type = *type, out.space = *space;
  out.data = in.rest();
  return out;
}

std::int64_t h5_integer(const char* element, const H5Number& n) {
  const char* p = element + n.offset;
  switch (n.size) {
    case 1:
      return n.is_signed ? static_cast<std::int64_t>(load<std::int8_t>(p, false))
                         : static_cast<std::int64_t>(load<std::uint8_t>(p, false));
    case 2:
      return n.is_signed ? static_cast<std::int64_t>(load<std::int16_t>(p, n.big_endian))
                         : static_cast<std::int64_t>(load<std::uint16_t>(p, n.big_endian));
    case 4:
      return n.is_signed ? static_cast<std::int64_t>(load<std::int32_t>(p, n.big_endian))
                         : static_cast<std::int64_t>(load<std::uint32_t>(p, n.big_endian));
    default: return load<std::int64_t>(p, n.big_endian);
  }
}

double h5_real(const char* element, const H5Number& n) {
  if (n.kind == H5Number::Kind::integer)
    return n.size == 8 && !n.is_signed ? static_cast<double>(load<std::uint64_t>(element + n.offset, n.big_endian))
                                       : static_cast<double>(h5_integer(element, n));
  return n.size == 4 ? static_cast<double>(load<float>(element + n.offset, n.big_endian))
                     : load<double>(element + n.offset, n.big_endian);
}

}  // namespace kdyn::inline io::internal
