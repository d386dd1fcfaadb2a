// SPDX-License-Identifier: Apache-2.0
// Numbers in binary records: integers of any number of bits at any bit, floats of 16, 32 and 64 bits, either byte
// order.
//
// Integers of b bits at bit s of byte B: the ceil((s + b) / 8) bytes from B form one number in the byte order of the
// field; it is shifted right by s, masked, and extended by its sign. Integers beyond 2^53 lose digits as doubles.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kdyn::inline io::internal {

struct RawField {
  enum Kind { unsigned_integer, signed_integer, real };
  Kind kind = unsigned_integer;
  bool big_endian = false;
  std::uint32_t byte = 0, bit = 0, bits = 0;

  std::size_t bytes() const { return (std::size_t{bit} + bits + 7) / 8; }  // that the field touches
  bool possible() const;                                                   // a width that can be read
};

// Takes the field out of `count` records of `stride` bytes, times `factor` (1 changes no bit).
void take_field(const RawField& field, const char* records, std::size_t stride, std::size_t count, double* out,
                double factor = 1.0);

}  // namespace kdyn::inline io::internal
