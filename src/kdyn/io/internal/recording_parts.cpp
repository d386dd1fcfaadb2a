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
  if (bytes.size() >= 2 && utf16_unit(bytes, 0, big_endian) == 0xfeff) bytes.remove_prefix(2);  // byte order mark
  std::size_t count = 0;
  while (2 * count + 1 < bytes.size() && utf16_unit(bytes, 2 * count, big_endian) != 0) ++count;
  return utf8_of_utf16(count, [&](std::size_t i) { return utf16_unit(bytes, 2 * i, big_endian); });
}

std::string from_latin1(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

}  // namespace kdyn::inline io::internal
