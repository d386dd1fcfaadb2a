// SPDX-License-Identifier: Apache-2.0
// MTS RPC III (.rsp .drv .tim .rpc): header records of 128 bytes (key 32, value 96) in blocks of 512, then groups of
// points, in each group channel after channel.
//
// value = raw integer x SCALE. INT_FULL_SCALE tells the integer of full scale and is no further factor: statistics that
// commercial writers store in the file fit raw x SCALE alone. Floats are values already. The last group is stored full;
// only FRAMES x PTS_PER_FRAME points count.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/large_memory.hpp"
#include "kdyn/io/internal/raw_values.hpp"
#include "kdyn/io/internal/recording_parts.hpp"
#include "kdyn/io/internal/utf8.hpp"

namespace kdyn::inline io::internal {
namespace {

struct RpcLayout {
  std::uint64_t data_start = 0, channels = 0, group_points = 0, points = 0;
  std::uint64_t short_group = 0;  // points of a last group that is stored without padding; 0: as all others
  std::uint64_t width = 2;
  RawField field;
  std::vector<double> scales;

  std::uint64_t full_groups() const {
    return short_group > 0 ? points / group_points : (points + group_points - 1) / group_points;
  }
};

class RpcReader final : public ChannelReader {
 public:
  RpcReader(std::shared_ptr<const ByteSource> bytes, RpcLayout layout, std::string name)
      : bytes_(std::move(bytes)),
        layout_(std::move(layout)),
        name_(std::move(name)) {}

  std::vector<ChannelSamples> values(const std::vector<std::size_t>& wanted) const override {
    MemoryBound bound(bytes_->size(), name_);
    std::vector<ChannelSamples> out(wanted.size());
    for (ChannelSamples& samples : out) {
      bound.take(layout_.points, sizeof(double));
      reserve_large(
          samples.values,
          static_cast<std::size_t>(layout_.points));  // each piece is cleared and filled while it is in the cache
    }
    const RpcLayout& l = layout_;
    std::string scratch;
    for (std::uint64_t first = 0; first < l.points;) {
      const std::uint64_t group = first / l.group_points;
      const bool is_short = group >= l.full_groups();
      const std::uint64_t stored = is_short ? l.short_group : l.group_points;
      const std::uint64_t here = std::min(stored, l.points - first),
                          base = l.data_start + group * l.group_points * l.channels * l.width;
      // Large parts of a group in one go; a few channels out of many one by one.
      const bool whole = 2 * wanted.size() >= l.channels && l.channels * stored * l.width <= largest_slab;
      std::string_view slab;
      if (whole) slab = bytes_->at(base, static_cast<std::size_t>(l.channels * stored * l.width), scratch);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        out[i].values.resize(static_cast<std::size_t>(first + here));
        double* to = out[i].values.data() + first;
        const std::uint64_t from = wanted[i] * stored * l.width;
        for (std::uint64_t done = 0; done < here;) {
          const std::uint64_t count = std::min(here - done, largest_slab / l.width);
          const char* raw =
              whole
                  ? slab.data() + from
                  : bytes_->at(base + from + done * l.width, static_cast<std::size_t>(count * l.width), scratch).data();
          take_field(l.field, raw, static_cast<std::size_t>(l.width), static_cast<std::size_t>(whole ? here : count),
                     to + done, l.scales[wanted[i]]);
          done += whole ? here : count;
        }
      }
      first += here;
    }
    return out;
  }

  std::vector<std::optional<std::string>> texts(std::size_t) const override { return {}; }

 private:
  static constexpr std::uint64_t largest_slab = std::uint64_t{1} << 22;
  std::shared_ptr<const ByteSource> bytes_;
  RpcLayout layout_;
  std::string name_;
};

class RpcOpener {
 public:
  RpcOpener(std::shared_ptr<const ByteSource> bytes, const std::string& name) : bytes_(std::move(bytes)), name_(name) {}

  Recording open() {
    out_.path = name_;
    out_.format = "rpc3";
    out_.file_bytes = bytes_->size();
    read_header();
    check_kind();
    read_layout();
    check_size();
    list_channels();
    make_names_unique(out_);
    out_.reader = std::make_shared<RpcReader>(bytes_, layout_, name_);
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message, const std::string& remedy) const {
    throw_bad_input(name_, message, remedy);
  }
  void tell(Severity severity, const char* code, const std::string& message, const std::string& remedy) {
    out_.findings.push_back({severity, code, name_, message, remedy});
  }

  void read_header() {
    std::string scratch;
    constexpr std::size_t record = 128, block = 512;
    std::string_view first = bytes_->up_to(0, block, scratch);
    if (first.starts_with("OFMRTA"))
      refuse("the bytes of the header are swapped in pairs", "copy the file without swapping bytes");
    if (first.size() < block)
      refuse("the file is shorter than one header block of 512 bytes", "the file was cut: copy it again");
    const auto value_of = [](std::string_view r) {
      std::string_view value = r.substr(32);
      value = trim(value.substr(0, value.find('\0')));
      if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
        value = trim(value.substr(1, value.size() - 2));
      return from_windows1252(value);
    };
    const auto key_of = [](std::string_view r) {
      std::string key(trim(r.substr(0, std::min<std::size_t>(32, r.find('\0')))));
      std::transform(key.begin(), key.end(), key.begin(),
                     [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      return from_windows1252(key);
    };
    for (std::size_t i = 0; i < 4; ++i)
      keys_.emplace(key_of(first.substr(i * record, record)), value_of(first.substr(i * record, record)));
    const std::uint64_t blocks = whole_number("NUM_HEADER_BLOCKS");
    if (blocks == 0 || blocks > bytes_->size() / block)
      refuse(fmt::format("{} header blocks of 512 bytes do not fit into {} bytes", blocks, bytes_->size()),
             "the file was cut or damaged: copy it again");
    constexpr std::uint64_t most = 1 << 16;
    if (blocks > most)
      refuse(fmt::format("{} header blocks are more than a recording needs", blocks),
             "the file is damaged: copy it again");
    const std::string_view header = bytes_->at(0, static_cast<std::size_t>(blocks * block), scratch);
    const std::uint64_t records = std::min<std::uint64_t>(whole_number("NUM_PARAMS"), 4 * blocks);
    keys_.clear();
    for (std::size_t i = 0; i < records; ++i) {
      const std::string_view r = header.substr(i * record, record);
      if (std::string key = key_of(r); !key.empty() && !keys_.emplace(key, value_of(r)).second)
        tell(Severity::warning, "key_repeats",
             fmt::format("the header says {} twice; the first one counts", in_quotes(key)), "");
    }
    layout_.data_start = blocks * block;
  }

  const std::string* text(const std::string& key) const {
    const auto found = keys_.find(key);
    return found == keys_.end() ? nullptr : &found->second;
  }
  std::optional<double> number(const std::string& key) const {
    const std::string* value = text(key);
    if (value == nullptr) return std::nullopt;
    std::string plain = *value;
    std::replace(plain.begin(), plain.end(), ',', '.');
    const auto out = parse_number(plain);
    if (!out || !std::isfinite(*out))
      refuse(fmt::format("{} is {}, which is no number", key, in_quotes(*value)), "mend the header");
    return out;
  }
  std::uint64_t whole_number(const std::string& key) const {
    const auto value = number(key);
    if (!value) refuse(fmt::format("the header does not tell {}", key), "the file is damaged, or no RPC III file");
    if (*value < 0.0 || *value != std::floor(*value) || *value > 1e15)
      refuse(fmt::format("{} is {:g}, a count is expected", key, *value), "mend the header");
    return static_cast<std::uint64_t>(*value);
  }

  void check_kind() {
    const std::string* format = text("FORMAT");
    if (format == nullptr) refuse("the header does not tell FORMAT", "the file is damaged, or no RPC III file");
    if (*format == "BINARY_IEEE_BIG_END")
      layout_.field.big_endian = true;
    else if (*format != "BINARY_IEEE_LITTLE_END" && *format != "BINARY")
      refuse(fmt::format("FORMAT is {}; binary files are read", in_quotes(*format)),
             "save it as BINARY_IEEE_LITTLE_END");
    if (const std::string* kind = text("FILE_TYPE"); kind != nullptr && *kind != "TIME_HISTORY")
      refuse(fmt::format("FILE_TYPE is {}; time histories are read", in_quotes(*kind)),
             "choose a time history (.rsp, .drv, .tim)");
    if (const std::string* type = text("TIME_TYPE")) {
      static const std::map<std::string, std::string> refused = {
          {"3", "MULT_DRIVE"}, {"4", "MULT_RESP"}, {"5", "CONFIG_DRIVE"}, {"6", "CONFIG_RESP"}, {"7", "PEAK_PICK"},
          {"MULT_DRIVE", ""},  {"MULT_RESP", ""},  {"CONFIG_DRIVE", ""},  {"CONFIG_RESP", ""},  {"PEAK_PICK", ""}};
      if (refused.contains(*type))
        refuse(fmt::format("TIME_TYPE is {} {}; plain drives and responses are read", *type, refused.at(*type)),
               "export a demultiplexed time history");
    }
    for (const char* key : {"DATE", "OPERATION", "PARENT_1", "INT_FULL_SCALE", "TIME_TYPE", "FORMAT"})
      if (const std::string* value = text(key)) out_.metadata.emplace_back(key, *value);
    if (const std::string* half = text("HALF_FRAMES"); half != nullptr && *half != "0")
      tell(Severity::warning, "half_frames",
           "HALF_FRAMES is set: the first and the last half frame are filler, no measurement; they are part of the "
           "signals",
           "cut half a frame at both ends");
    if (const auto parts = number("PARTITIONS"); parts && *parts > 1.0)
      tell(Severity::note, "partitions",
           fmt::format("the channels form {:g} partitions; they are listed in their order", *parts), "");
  }

  void read_layout() {
    RpcLayout& l = layout_;
    l.channels = whole_number("CHANNELS");
    const std::uint64_t frame = whole_number("PTS_PER_FRAME"), frames = whole_number("FRAMES");
    l.group_points = keys_.contains("PTS_PER_GROUP") ? whole_number("PTS_PER_GROUP") : frame;
    constexpr std::uint64_t most_channels = 1 << 16, most = std::uint64_t{1} << 40;
    if (l.channels == 0 || l.channels > most_channels)
      refuse(fmt::format("CHANNELS is {}", l.channels), "mend the header");
    if (frame == 0 || frame > most || l.group_points == 0 || l.group_points > most || l.group_points % frame != 0)
      refuse(fmt::format("PTS_PER_GROUP is {}, which is no multiple of PTS_PER_FRAME, {}", l.group_points, frame),
             "mend the header");
    if (frames > most / frame) refuse(fmt::format("FRAMES is {}", frames), "mend the header");
    l.points = frames * frame;
    rest_points_ = (frames % (l.group_points / frame)) * frame;
    const std::string* type = text("DATA_TYPE");
    typed_ = type != nullptr && !type->empty();
    l.field.kind = RawField::signed_integer;
    if (typed_ && *type == "FLOATING_POINT")
      l.field.kind = RawField::real, l.width = 4;
    else if (typed_ && *type == "DOUBLE_PRECISION")
      l.field.kind = RawField::real, l.width = 8;
    else if (typed_ && *type != "SHORT_INTEGER")
      refuse(fmt::format("DATA_TYPE is {}", in_quotes(*type)), "save it as SHORT_INTEGER or FLOATING_POINT");
    l.field.bits = static_cast<std::uint32_t>(8 * l.width);
    const auto step = number("DELTA_T");
    if (!step || !(*step > 0.0))
      refuse("DELTA_T, the time between points, is missing or not positive", "mend the header");
    step_ = *step;
  }

  void check_size() {
    RpcLayout& l = layout_;
    const std::uint64_t there = bytes_->size() - l.data_start, group = l.width * l.channels * l.group_points;
    if (group > std::uint64_t{1} << 60) refuse("a group of points is larger than any file", "mend the header");
    const std::uint64_t groups = (l.points + l.group_points - 1) / l.group_points;
    const std::uint64_t full = there / group;
    if (groups <= full) {
      const std::uint64_t expected = groups * group;
      if (!typed_ && there == 2 * expected && expected > 0)
        refuse("there is no DATA_TYPE and the data have twice the size of integers: they may be floats",
               "add DATA_TYPE FLOATING_POINT or SHORT_INTEGER to the header");
      if (there > expected)
        tell(Severity::warning, "long_data",
             fmt::format("{} bytes more are there than the header describes; they were not used", there - expected),
             "");
      return;
    }
    if (rest_points_ > 0 && full + 1 == groups && there - full * group == l.width * l.channels * rest_points_) {
      l.short_group = rest_points_;
      tell(Severity::warning, "short_group", "the last group is stored without padding; it was read as its size says",
           "");
      return;
    }
    const std::uint64_t usable = full * l.group_points;
    tell(Severity::warning, "truncated",
         fmt::format("{} bytes are missing: {} of {} points in whole groups are there", groups * group - there, usable,
                     l.points),
         "the file was cut: copy it again");
    l.points = usable;
  }

  void list_channels() {
    for (std::uint64_t n = 1; n <= layout_.channels; ++n) {
      const auto of = [&](const char* key) -> std::string {
        const std::string* value = text(fmt::format("{}.CHAN_{}", key, n));
        return value == nullptr || *value == "NONE" ? "" : *value;
      };
      RecordedChannel channel;
      channel.name = of("DESC");
      channel.unit = of("UNITS");
      channel.group = "0";
      channel.count = static_cast<std::size_t>(layout_.points);
      channel.step_s = step_;
      double scale = 1.0;
      const auto given = number(fmt::format("SCALE.CHAN_{}", n));
      if (layout_.field.kind == RawField::real) {
        if (given && *given != 1.0)
          tell(Severity::warning, "scale_of_floats",
               fmt::format("channel {}: floats with SCALE {:g}; the values are taken as they are",
                           in_quotes(channel.name), *given),
               "check the size of the values against what you expect");
      } else if (given) {
        scale = *given;
      } else {
        tell(Severity::serious, "no_scale",
             fmt::format("channel {} has no SCALE: its values are counts, without a unit", n), "mend the header");
        channel.unit.clear();
      }
      layout_.scales.push_back(scale);
      out_.channels.push_back(std::move(channel));
    }
  }

  std::shared_ptr<const ByteSource> bytes_;
  std::string name_;
  Recording out_;
  RpcLayout layout_;
  std::map<std::string, std::string> keys_;
  std::uint64_t rest_points_ = 0;
  bool typed_ = false;
  double step_ = 0.0;
};

}  // namespace

Recording open_rpc(std::shared_ptr<const ByteSource> bytes, const std::string& name) {
  return RpcOpener(std::move(bytes), name).open();
}

}  // namespace kdyn::inline io::internal
