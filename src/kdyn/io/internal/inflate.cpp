// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/inflate.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <zlib.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline io::internal {

std::string inflate_exactly(std::string_view packed, std::size_t size, const std::string& where) {
  z_stream stream{};
  demand(inflateInit(&stream) == Z_OK, "zlib is ready");
  std::string out;
  std::size_t taken = 0, made = 0;
  int state = Z_OK;
  constexpr std::size_t largest = std::size_t{1} << 30;  // zlib counts in 32 bits
  while (state == Z_OK) {
    if (made == out.size())
      out.resize(
          std::min(size + 1, std::max<std::size_t>(4 * out.size(), std::max<std::size_t>(4096, 4 * packed.size()))));
    const auto in = static_cast<uInt>(std::min(packed.size() - taken, largest)),
               room = static_cast<uInt>(std::min(out.size() - made, largest));
    if (room == 0) break;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken)), stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + made), stream.avail_out = room;
    state = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in, made += room - stream.avail_out;
    if (state == Z_OK && stream.avail_in == in && stream.avail_out == room) break;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || made != size)
    throw_bad_input(where,
                    fmt::format("packed data are damaged: {} bytes are expected, {}{} came out", size,
                                made > size ? "more than " : "", std::min(made, size)),
                    "copy or export the file again");
  out.resize(size);
  return out;
}

}  // namespace kdyn::inline io::internal
