// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/recording.hpp"

#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"
#include "kdyn/io/internal/recording_parts.hpp"

namespace kdyn::inline io {

const char* to_string(RecordAxis axis) {
  switch (axis) {
    case RecordAxis::time: return "time";
    case RecordAxis::angle: return "angle";
    case RecordAxis::distance: return "distance";
    case RecordAxis::index: return "index";
    case RecordAxis::none: break;
  }
  return "none";
}

std::string recording_format(std::string_view first) {
  using std::string_view_literals::operator""sv;
  if (first.starts_with("MDF     ") || first.starts_with("UnFinMF ")) return "mdf4";
  if (first.starts_with("FORMAT\0"sv) || first.starts_with("OFMRTA"sv)) return "rpc3";
  if (first.starts_with("TDSm") || first.starts_with("TDSh")) return "tdms";
  return "";
}

bool is_recording(const std::string& path) {
  std::error_code ec;
  std::string scratch;
  if (!std::filesystem::is_regular_file(path, ec)) return false;
  const auto bytes = ByteSource::open(path);
  if (!recording_format(bytes->up_to(0, 64, scratch)).empty()) return true;
  try {
    return bytes->size() > internal::large_hdf5_bytes && internal::is_hdf5(*bytes) &&
           internal::open_hdf5(bytes, path).has_value();
  } catch (const Error&) {
    return false;  // the reader of whole files says what is wrong
  }
}

namespace {

Recording open_by_format(std::shared_ptr<const ByteSource> bytes, const std::string& name) {
  std::string scratch;
  const std::string format = recording_format(bytes->up_to(0, 64, scratch));
  if (format == "mdf4") return internal::open_mdf(std::move(bytes), name);
  if (format == "rpc3") return internal::open_rpc(std::move(bytes), name);
  if (format == "tdms") return internal::open_tdms(std::move(bytes), name);
  if (format.empty() && internal::is_hdf5(*bytes))
    if (auto recording = internal::open_hdf5(bytes, name)) return std::move(*recording);
  throw_bad_input(name, "this is no recording kdyn knows",
                  "MDF 4 (.mf4), RPC III (.rsp, .drv, .tim), TDMS and signals in HDF5 are read");
}

// Once for all: files of a hundred thousand channels would be gone through for every name.
void mark_repeated_names(std::vector<RecordedChannel>& channels) {
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (const auto [same, is_new] = first.emplace(channels[i].name, i); !is_new)
      channels[i].name_repeats = channels[same->second].name_repeats = true;
}

}  // namespace

Recording open_recording(std::shared_ptr<const ByteSource> bytes, const std::string& name) {
  Recording out = open_by_format(std::move(bytes), name);
  mark_repeated_names(out.channels);
  return out;
}

Recording open_recording(const std::string& path) { return open_recording(ByteSource::open(path), path); }

std::vector<double> Recording::values(std::size_t channel) const {
  return std::move(reader->values({channel}).front().values);
}

std::vector<double> Recording::times(std::size_t number) const {
  const RecordedChannel& channel = channels.at(number);
  const auto fail = [&](const std::string& message, const char* remedy) {
    throw_bad_input(path, fmt::format("channel {}: {}", in_quotes(full_name(number)), message), remedy);
  };
  const std::optional<std::size_t> axis = channel.master != RecordAxis::none ? number : channel.axis_channel;
  if (!axis) {
    if (!(channel.step_s > 0.0))
      fail("the file does not tell when its samples were taken", "export it with a time channel");
    std::vector<double> out(channel.count);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = channel.start_s + channel.step_s * static_cast<double>(i);
    return out;
  }
  const RecordedChannel& master = channels[*axis];
  if (master.master != RecordAxis::time)
    fail(fmt::format("it was recorded over {}, not over time", to_string(master.master)),
         "choose channels recorded over time");
  double factor = 1.0;
  if (!master.unit.empty()) {
    const auto unit = parse_unit(master.unit);
    if (!unit || !unit->same_dimension(*parse_unit("s")))
      fail(
          fmt::format("its time channel {} is in {}, which is no time", in_quotes(master.name), in_quotes(master.unit)),
          "mend the unit in the tool that wrote the file");
    factor = unit->to_si;
  }
  std::vector<double> out = values(*axis);
  if (factor != 1.0)
    for (double& t : out) t *= factor;
  return out;
}

std::string Recording::full_name(std::size_t number) const {
  const RecordedChannel& channel = channels.at(number);
  return channel.name_repeats ? channel.group + "/" + channel.name : channel.name;
}

bool name_fits(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*')
      star = p++, mark = t;
    else if (p < pattern.size() && pattern[p] == text[t])
      ++p, ++t;
    else if (star != std::string_view::npos)
      p = star + 1, t = ++mark;
    else
      return false;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::size_t> choose_channels(const Recording& recording, const std::vector<std::string>& names) {
  const std::vector<RecordedChannel>& all = recording.channels;
  std::vector<std::size_t> out;
  if (names.empty()) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].is_text && all[i].master == RecordAxis::none) out.push_back(i);
    return out;
  }
  std::vector<bool> taken(all.size());
  for (const std::string& name : names) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (name_fits(name, all[i].name) || name_fits(name, all[i].group + "/" + all[i].name)) found.push_back(i);
    if (found.empty()) {
      std::vector<std::string> known;
      for (std::size_t i = 0; i < all.size() && i < 200; ++i) known.push_back(recording.full_name(i));
      throw_bad_input(recording.path, fmt::format("there is no channel {}", in_quotes(name)), suggest(name, known));
    }
    if (found.size() > 1 && name.find('*') == std::string::npos) {
      std::vector<std::string> full;
      for (std::size_t i = 0; i < found.size() && i < 10; ++i) full.push_back(in_quotes(recording.full_name(found[i])));
      throw_bad_input(recording.path, fmt::format("{} channels are called {}", found.size(), in_quotes(name)),
                      "name one with its group: " + join(full, ", "));
    }
    for (const std::size_t i : found)
      if (!taken[i]) out.push_back(i), taken[i] = true;
  }
  return out;
}

namespace {

// The whole name, since it is needed to choose the channel; only what is no letter gives way.
std::string whole_name(std::string_view text) {
  constexpr std::size_t longest = 200;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return out + (text.size() > longest ? "...'" : "'");
}

}  // namespace

std::vector<std::string> words_of(const Recording& recording) {
  std::vector<std::string> out;
  std::size_t numbers = 0, texts = 0;
  std::set<std::size_t> groups;
  for (const RecordedChannel& channel : recording.channels) {
    groups.insert(channel.group_number);
    if (channel.master == RecordAxis::none) ++(channel.is_text ? texts : numbers);
  }
  const char* title = recording.format == "mdf4"   ? "MDF 4"
                      : recording.format == "rpc3" ? "RPC III"
                      : recording.format == "hdf5" ? "HDF5"
                                                   : "TDMS";
  out.push_back(fmt::format("{} recording: {} channel{} of numbers{} in {} group{}", title, numbers,
                            numbers == 1 ? "" : "s", texts > 0 ? fmt::format(", {} of texts", texts) : "",
                            groups.size(), groups.size() == 1 ? "" : "s"));
  constexpr std::size_t most = 40;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < recording.channels.size(); ++i) {
    const RecordedChannel& channel = recording.channels[i];
    if (channel.master != RecordAxis::none) continue;
    if (++shown > most) continue;
    std::string axis = channel.step_s > 0.0 ? fmt::format(" at {:g} Hz", 1.0 / channel.step_s) : ", no time axis";
    if (channel.axis_channel) {
      const RecordedChannel& master = recording.channels[*channel.axis_channel];
      axis = fmt::format(" over {} {}", to_string(master.master), whole_name(master.name));
    }
    out.push_back(fmt::format("{} {}: {} samples{}{}", channel.is_text ? "text" : "signal",
                              whole_name(recording.full_name(i)), channel.count, axis,
                              channel.is_text        ? ""
                              : channel.unit.empty() ? ", no unit"
                                                     : ", " + channel.unit));
  }
  if (shown > most) out.push_back(fmt::format("and {} more channels", shown - most));
  for (const auto& [key, value] : recording.metadata)
    if (out.size() < 2 * most && !value.empty()) out.push_back(fmt::format("{}: {}", key, whole_name(value)));
  return out;
}

}  // namespace kdyn::inline io
