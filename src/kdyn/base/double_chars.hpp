// SPDX-License-Identifier: Apache-2.0
// Text into a double as std::from_chars does it. Libraries without that (libc++ up to 19) get fast_float, on which those
// that have it are built: the same number, bit for bit.
#pragma once

#include <charconv>

#ifndef __cpp_lib_to_chars
#include <cmath>
#include <string_view>

#include <fast_float/fast_float.h>
#endif

namespace kdyn::inline base {

#ifdef __cpp_lib_to_chars
inline std::from_chars_result double_from_chars(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}
#else
inline std::from_chars_result double_from_chars(const char* first, const char* last, double& value) {
  double read = 0.0;
  const auto [end, problem] = fast_float::from_chars(first, last, read);
  if (problem != std::errc()) return {end, problem};
  // fast_float hands out infinity and zero for what has no double; the standard says so and leaves the value alone.
  const std::string_view text(first, static_cast<std::size_t>(end - first));
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const bool digits = mantissa.find_first_of("0123456789") != std::string_view::npos;
  if (digits && (std::isinf(read) || (read == 0.0 && mantissa.find_first_of("123456789") != std::string_view::npos)))
    return {end, std::errc::result_out_of_range};
  value = read;
  return {end, problem};
}
#endif

}  // namespace kdyn::inline base
