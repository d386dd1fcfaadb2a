// SPDX-License-Identifier: Apache-2.0
#include "kdyn/door/temperatures.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"

namespace kdyn::inline door {
namespace {

bool letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The length of a sign for degrees Celsius at the start of `text`, which a letter must not follow; 0 when there is
// none.
std::size_t degrees_sign(std::string_view text) {
  for (const std::string_view sign : {"degc", "deg_c", "gradc", "grad", "celsius",
                                      "\xc2\xb0"
                                      "c",
                                      "c"})
    if (text.starts_with(sign) && (text.size() == sign.size() || !letter_or_digit(text[sign.size()])))
      return sign.size();
  return 0;
}

}  // namespace

std::optional<double> temperature_in_name(std::string_view name) {
  const std::string text = lower_case(name);
  std::optional<double> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    std::size_t end = i;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    std::size_t sign = end;
    while (sign < text.size() && (text[sign] == ' ' || text[sign] == '_') && sign < end + 1) ++sign;
    const char before = i > 0 ? text[i - 1] : '_', earlier = i > 1 ? text[i - 2] : '_';
    const bool number_starts = !letter_or_digit(before) || (before == 't' && !letter_or_digit(earlier));
    if (degrees_sign(std::string_view(text).substr(sign)) > 0 && number_starts && end - i <= 3 && before != '.') {
      double value = std::stod(text.substr(i, end - i));
      if (before == '-') {
        if (letter_or_digit(earlier)) return std::nullopt;  // a hyphen or a minus
        value = -value;
      }
      if (found && *found != value) return std::nullopt;
      if (value >= -100.0 && value <= 250.0) found = value;
    }
    i = end;
  }
  return found;
}

void label_temperatures(Contents& contents) {
  for (BenchSet& set : contents.sets) {
    auto& rows = set.bench.map.rows;
    const bool map = set.bench.kind == BenchKind::map;
    if (map ? std::any_of(rows.begin(), rows.end(), [](const MapRow& row) { return !std::isnan(row.temperature_c); })
            : !std::isnan(set.labels.temperature_c))
      continue;
    const auto sheet = set.place.rfind('!');
    std::optional<double> told;
    if (sheet != std::string::npos) told = temperature_in_name(std::string_view(set.place).substr(sheet + 1));
    if (!told) told = temperature_in_name(std::filesystem::path(set.place.substr(0, sheet)).stem().string());
    if (!told) continue;
    set.labels.temperature_c = *told;
    for (MapRow& row : rows) row.temperature_c = *told;
    contents.findings.push_back({Severity::note, "temperature_by_name", set.place,
                                 fmt::format("measured at {:.4g} degC, as its name says", *told), ""});
  }
}

}  // namespace kdyn::inline door
