// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/recording_parts.hpp"

#include <algorithm>
#include <ctime>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"
#include "kdyn/io/internal/utf8.hpp"

namespace kdyn::inline io::internal {

MemoryBound::MemoryBound(std::uint64_t file_bytes, std::string where)
    : left_(std::min((std::uint64_t{2} << 30) + 20 * file_bytes, (std::uint64_t{64} << 20) + 1100 * file_bytes)),
      where_(std::move(where)) {}

void MemoryBound::take(std::uint64_t count, std::uint64_t size) {
  if (size > 0 && count > left_ / size)
    throw_bad_input(where_, fmt::format("{} values need more memory than a file of this size is granted", count),
                    "read fewer channels at a time");
  left_ -= count * size;
}

void LeftOut::tell(const std::string& file, std::vector<Finding>& findings) const {
  for (const auto& [reason, names] : names_) {
    constexpr std::size_t shown = 5;
    std::vector<std::string> few;
    for (std::size_t i = 0; i < names.size() && i < shown; ++i) few.push_back(in_quotes(names[i]));
    findings.push_back(
        {Severity::warning, "channels_left_out", file,
         fmt::format("{} channel{} left out, {}: {}{}", names.size(), names.size() == 1 ? " was" : "s were", reason,
                     join(few, ", "), names.size() > shown ? ", ..." : ""),
         ""});
  }
}

void make_names_unique(Recording& recording) {
  std::map<std::size_t, std::set<std::string>> taken;
  std::map<std::pair<std::size_t, std::string>, std::size_t> next;
  std::size_t renamed = 0;
  for (std::size_t i = 0; i < recording.channels.size(); ++i) {
    RecordedChannel& channel = recording.channels[i];
    if (channel.name.empty()) channel.name = fmt::format("channel {}", i + 1);
    auto& names = taken[channel.group_number];
    if (names.insert(channel.name).second) continue;
    std::size_t& number = next.emplace(std::pair{channel.group_number, channel.name}, 2).first->second;
    std::string other;
    do other = fmt::format("{} #{}", channel.name, number++);
    while (!names.insert(other).second);
    channel.name = std::move(other);
    ++renamed;
  }
  if (renamed > 0)
    recording.findings.push_back(
        {Severity::note, "names_repeat", recording.path,
         fmt::format("{} channels have the name of another one of their group; they are called \"... #2\" and so on",
                     renamed),
         ""});
}

std::string date_text(std::int64_t seconds, std::uint32_t milliseconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "";
  char buffer[64];
  const std::size_t length = std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S", &parts);
  return fmt::format("{}.{:03} UTC", std::string_view(buffer, length), milliseconds);
}

std::string from_utf16(std::string_view bytes, bool big_endian) {
  std::string out;
  const auto unit = [&](std::size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]), b = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<std::uint32_t>(big_endian ? (a << 8) | b : (b << 8) | a);
  };
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t code = unit(i);
    if (code == 0) break;
    if (code == 0xfeff && i == 0) continue;  // byte order mark
    if (code >= 0xd800 && code < 0xdc00 && i + 3 < bytes.size() && unit(i + 2) >= 0xdc00 && unit(i + 2) < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
      i += 2;
    } else if (code >= 0xd800 && code < 0xe000) {
      code = '?';
    }
    append_utf8(out, code);
  }
  return out;
}

std::string from_latin1(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

std::string from_windows1252(std::string_view bytes) {
  // Codes 128 to 159; those that are not assigned stay as they are.
  constexpr std::uint16_t special[32] = {0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                         0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                         0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                         0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
  std::string out;
  for (const char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    append_utf8(out, code >= 128 && code < 160 ? special[code - 128] : code);
  }
  return out;
}

}  // namespace kdyn::inline io::internal
