// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/raw_values.hpp"

#include <cmath>
#include <limits>

#include "kdyn/io/internal/bytes.hpp"

namespace kdyn::inline io::internal {
namespace {

template <class T, bool big>
void plain(const char* p, std::size_t stride, std::size_t count, double* out, double factor) {
  if (stride == sizeof(T)) {  // a step the compiler knows: several values at a time
    for (std::size_t i = 0; i < count; ++i) out[i] = factor * static_cast<double>(load<T>(p + i * sizeof(T), big));
    return;
  }
  for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = factor * static_cast<double>(load<T>(p, big));
}

template <class T>
void plain(const RawField& field, const char* records, std::size_t stride, std::size_t count, double* out,
           double factor) {
  const char* p = records + field.byte;
  if (field.big_endian)
    plain<T, true>(p, stride, count, out, factor);
  else
    plain<T, false>(p, stride, count, out, factor);
}

double half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double value = exponent == 0    ? std::ldexp(fraction, -24)
                 : exponent == 31 ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                   : std::numeric_limits<double>::quiet_NaN())
                                  : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000U) != 0 ? -value : value;
}

double bits_at(const RawField& field, const unsigned char* p) {
  const std::size_t bytes = field.bytes();
  std::uint64_t value = 0;
  const auto byte_at = [&](std::size_t i) { return std::uint64_t{p[field.big_endian ? bytes - 1 - i : i]}; };
  for (std::size_t i = 0; i < bytes && i < 8; ++i) value |= byte_at(i) << (8 * i);
  value >>= field.bit;
  if (bytes == 9) value |= byte_at(8) << (64 - field.bit);
  if (field.bits < 64) value &= (std::uint64_t{1} << field.bits) - 1;
  if (field.kind == RawField::unsigned_integer) return static_cast<double>(value);
  if (field.bits < 64 && (value >> (field.bits - 1)) != 0) value |= ~std::uint64_t{0} << field.bits;
  return static_cast<double>(static_cast<std::int64_t>(value));
}

}  // namespace

bool RawField::possible() const {
  if (kind == real) return bit == 0 && (bits == 16 || bits == 32 || bits == 64);
  return bit < 8 && bits >= 1 && bits <= 64;
}

void take_field(const RawField& field, const char* records, std::size_t stride, std::size_t count, double* out,
                double factor) {
  if (field.kind == RawField::real) {
    if (field.bits == 64) return plain<double>(field, records, stride, count, out, factor);
    if (field.bits == 32) return plain<float>(field, records, stride, count, out, factor);
    for (std::size_t i = 0; i < count; ++i)
      out[i] = factor * half(load<std::uint16_t>(records + field.byte + i * stride, field.big_endian));
    return;
  }
  const bool is_signed = field.kind == RawField::signed_integer;
  if (field.bit == 0) switch (field.bits) {
      case 8:
        return is_signed ? plain<std::int8_t>(field, records, stride, count, out, factor)
                         : plain<std::uint8_t>(field, records, stride, count, out, factor);
      case 16:
        return is_signed ? plain<std::int16_t>(field, records, stride, count, out, factor)
                         : plain<std::uint16_t>(field, records, stride, count, out, factor);
      case 32:
        return is_signed ? plain<std::int32_t>(field, records, stride, count, out, factor)
                         : plain<std::uint32_t>(field, records, stride, count, out, factor);
      case 64:
        return is_signed ? plain<std::int64_t>(field, records, stride, count, out, factor)
                         : plain<std::uint64_t>(field, records, stride, count, out, factor);
      default: break;
    }
  const auto* p = reinterpret_cast<const unsigned char*>(records) + field.byte;
  for (std::size_t i = 0; i < count; ++i, p += stride) out[i] = factor * bits_at(field, p);
}

}  // namespace kdyn::inline io::internal
