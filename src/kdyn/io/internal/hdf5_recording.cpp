// SPDX-License-Identifier: Apache-2.0
// Signals of an HDF5 file (stores of kdyn, MATLAB 7.3, other programs) that are read when asked for, so that the file
// may be larger than memory. Which datasets are signals is decided as for small files (mat_signals.cpp).
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"
#include "kdyn/io/internal/mat_parts.hpp"
#include "kdyn/io/internal/recording_parts.hpp"
#include "kdyn/io/internal/store_json.hpp"
#include "kdyn/io/mat.hpp"

namespace kdyn::inline io::internal {
namespace {

// Where the samples of a channel stand: a whole dataset, or a row (axis 0) or column (axis 1) of one.
struct H5Channel {
  H5Item item;
  bool whole = true;
  std::size_t axis = 0;
  std::uint64_t index = 0;
};

class Hdf5Reader final : public ChannelReader {
 public:
  Hdf5Reader(std::shared_ptr<const ByteSource> bytes, std::string name, std::vector<H5Channel> channels)
      : bytes_(std::move(bytes)),
        name_(std::move(name)),
        channels_(std::move(channels)) {}

  std::vector<ChannelSamples> values(const std::vector<std::size_t>& wanted) const override {
    std::vector<ChannelSamples> out(wanted.size());
    std::map<std::uint64_t, std::vector<std::size_t>> by_dataset;  // rows or columns of one dataset in one pass
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const H5Channel& channel = channels_.at(wanted[i]);
      if (channel.whole)
        out[i].values = read_hdf5(bytes_, name_, channel.item);
      else
        by_dataset[channel.item.address].push_back(i);
    }
    for (const auto& [address, members] : by_dataset) {
      const H5Channel& first = channels_[wanted[members.front()]];
      H5Slice slice{first.axis, {}};
      for (const std::size_t i : members) slice.indices.push_back(channels_[wanted[i]].index);
      const std::vector<double> all = read_hdf5(bytes_, name_, first.item, slice);
      const std::size_t count = all.size() / members.size();
      for (std::size_t n = 0; n < members.size(); ++n) {
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(n * count);
        out[members[n]].values.assign(from, from + static_cast<std::ptrdiff_t>(count));
      }
    }
    return out;
  }

  std::vector<std::optional<std::string>> texts(std::size_t) const override { return {}; }

 private:
  std::shared_ptr<const ByteSource> bytes_;
  std::string name_;
  std::vector<H5Channel> channels_;
};

std::size_t values_in(const H5Item& item) {
  std::size_t count = 1;
  for (const std::size_t extent : item.shape) count *= extent;
  return count;
}

bool is_series(const H5Item& item) { return item.kind == H5Item::Kind::real || item.kind == H5Item::Kind::integer; }

void take_store_signals(const std::vector<H5Item>& items, Recording& out, std::vector<H5Channel>& channels) {
  const auto find = [&](const std::string& path) {
    return std::find_if(items.begin(), items.end(), [&](const H5Item& item) { return item.path == path; });
  };
  const auto description = find("/signals/meta");
  if (description == items.end() || description->kind != H5Item::Kind::text) return;
  const Json meta = parse_json(description->text, out.path);
  for (std::size_t i = 0; i < (meta.is_array() ? meta.size() : 0); ++i) {
    const auto item = find(fmt::format("/signals/{}", i));
    if (item == items.end() || !is_series(*item)) continue;
    RecordedChannel channel;
    channel.name = text_at(meta[i], "name"), channel.unit = text_at(meta[i], "unit");
    channel.start_s = number_at(meta[i], "start_s"), channel.step_s = number_at(meta[i], "step_s");
    channel.count = values_in(*item);
    out.channels.push_back(std::move(channel));
    channels.push_back({*item});
  }
}

void take_array_signals(std::vector<H5Item>&& items, Recording& out, std::vector<H5Channel>& channels) {
  std::map<std::string, H5Item> by_name;
  for (const H5Item& item : items) {
    H5Item place;
    place.path = item.path, place.shape = item.shape, place.kind = item.kind, place.address = item.address;
    by_name.emplace(dotted_name(item.path), std::move(place));
  }
  MatFile file;
  file.name = out.path;
  take_hdf5_items(std::move(items), file);
  out.findings.insert(out.findings.end(), file.findings.begin(), file.findings.end());
  for (const ArraySignal& plan : plan_signals(file, out.findings)) {
    const MatArray& array = file.arrays[plan.array];
    const auto place = by_name.find(array.name);
    if (place == by_name.end() || !is_series(place->second) || place->second.address == 0) continue;
    RecordedChannel channel;
    channel.name = plan.name, channel.unit = plan.unit;
    channel.start_s = plan.start_s, channel.step_s = plan.step_s;
    channel.count = plan.count;
    out.channels.push_back(std::move(channel));
    // The last dimension of HDF5 is the first one of the array.
    const bool whole = values_in(place->second) == plan.count;
    channels.push_back({place->second, whole, plan.by_rows ? std::size_t{1} : std::size_t{0}, plan.channel});
  }
}

}  // namespace

std::optional<Recording> open_hdf5(std::shared_ptr<const ByteSource> bytes, const std::string& name) {
  Recording out;
  out.path = name;
  out.format = "hdf5";
  out.file_bytes = bytes->size();
  H5Wanted wanted;
  wanted.largest = std::size_t{1} << 12;
  wanted.always = [](const std::string& path) { return tells_sampling(dotted_name(path)); };
  std::vector<H5Item> items = list_hdf5(bytes, name, out.findings, wanted);
  const bool store = std::any_of(items.begin(), items.end(), [](const H5Item& item) { return item.path == "/kdyn"; });
  std::vector<H5Channel> channels;
  if (store)
    take_store_signals(items, out, channels);
  else
    take_array_signals(std::move(items), out, channels);
  if (out.channels.empty()) return std::nullopt;
  for (RecordedChannel& channel : out.channels) channel.group = "0";
  make_names_unique(out);
  out.reader = std::make_shared<Hdf5Reader>(std::move(bytes), name, std::move(channels));
  return out;
}

}  // namespace kdyn::inline io::internal
