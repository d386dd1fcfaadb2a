// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/internal/fmu_options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline fmu::internal {

void check_options(const FmuOptions& options) {
  if (options.version != 2 && options.version != 3)
    throw_bad_input("version", fmt::format("FMI {} is not known", options.version), "use 2 or 3");
  const std::string& id = options.name;
  if (id.empty() || std::isdigit(static_cast<unsigned char>(id.front())) ||
      !std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; }))
    throw_bad_input("name", fmt::format("{} is no C identifier", in_quotes(id)), "use letters, digits and underscores");
}

std::string date_of(const FmuOptions& options) {
  if (!options.date.empty()) return options.date;
  std::time_t seconds = std::time(nullptr);
  if (const char* given = std::getenv("SOURCE_DATE_EPOCH")) {
    long long value = 0;
    const char* end = given + std::strlen(given);
    if (std::from_chars(given, end, value).ptr != end || value < 0)
      throw_bad_input("SOURCE_DATE_EPOCH", fmt::format("{} is no number of seconds since 1970", in_quotes(given)),
                      "unset this variable or mend it");
    seconds = static_cast<std::time_t>(value);
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

}  // namespace kdyn::inline fmu::internal
