// SPDX-License-Identifier: Apache-2.0
// Values out of the segments of a TDMS file.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/internal/recording_parts.hpp"
#include "kdyn/io/internal/scan.hpp"
#include "kdyn/io/internal/tdms_model.hpp"

namespace kdyn::inline io::internal {

std::size_t tdms_size(std::uint32_t type) {
  switch (type) {
    case 1:
    case 5:
    case tdms_bool: return 1;
    case 2:
    case 6: return 2;
    case 3:
    case 7:
    case tdms_f32:
    case tdms_f32_unit: return 4;
    case 4:
    case 8:
    case tdms_f64:
    case tdms_f64_unit:
    case tdms_complex_f32: return 8;
    case tdms_time:
    case tdms_complex_f64: return 16;
    default: return 0;
  }
}

std::uint64_t TdmsSegment::tail_values(const TdmsEntry& entry) const {
  if (tail_bytes == 0 || entry.type == tdms_text) return 0;
  if (layout->row_bytes > 0) return tail_bytes / layout->row_bytes;
  const std::uint64_t here = tail_bytes > entry.offset ? tail_bytes - entry.offset : 0;
  return std::min(entry.values, here / tdms_size(entry.type));
}

namespace {

RawField field_of(std::uint32_t type, bool big_endian) {
  RawField field;
  field.big_endian = big_endian;
  field.bits = static_cast<std::uint32_t>(8 * tdms_size(type));
  field.kind = type >= tdms_i8 && type <= tdms_i64                          ? RawField::signed_integer
               : (type >= tdms_u8 && type <= tdms_u64) || type == tdms_bool ? RawField::unsigned_integer
                                                                            : RawField::real;
  return field;
}

// Seconds since 1970 of a time stamp of 16 bytes: seconds since 1904 and fractions of 2^-64 s.
double time_at(const char* p, bool big_endian) {
  constexpr double from_1904 = 2082844800.0;
  const auto seconds = load<std::int64_t>(p + (big_endian ? 0 : 8), big_endian);
  const auto fraction = load<std::uint64_t>(p + (big_endian ? 8 : 0), big_endian);
  return static_cast<double>(seconds) - from_1904 + std::ldexp(static_cast<double>(fraction), -64);
}

void take_numbers(std::uint32_t type, bool big_endian, const char* from, std::size_t stride, std::size_t count,
                  double* out) {
  if (type != tdms_time) return take_field(field_of(type, big_endian), from, stride, count, out);
  for (std::size_t i = 0; i < count; ++i) out[i] = time_at(from + i * stride, big_endian);
}

class TdmsReader final : public ChannelReader {
 public:
  explicit TdmsReader(std::shared_ptr<const TdmsModel> model) : model_(std::move(model)) {}

  std::vector<ChannelSamples> values(const std::vector<std::size_t>& wanted) const override {
    MemoryBound bound(model_->bytes->size(), model_->name);
    std::vector<ChannelSamples> out(wanted.size());
    std::vector<std::vector<std::size_t>> places(model_->objects.size());
    std::vector<std::uint64_t> done(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::size_t object = model_->objects_of_channels.at(wanted[i]);
      const std::uint64_t count = model_->objects[object].count;
      bound.take(count, sizeof(double));
      out[i].values.resize(static_cast<std::size_t>(count), std::nan(""));
      places[object].push_back(i);
    }
    for (const TdmsSegment& segment : model_->segments) {
      std::vector<Target> targets;
      for (const TdmsEntry& entry : segment.layout->entries)
        for (const std::size_t i : places[entry.object])
          if (entry.type != tdms_text) targets.push_back({&entry, out[i].values.data() + done[i], &done[i]});
      if (targets.empty()) continue;
      if (segment.layout->row_bytes > 0)
        rows(segment, targets);
      else
        blocks(segment, targets);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
      for (const TdmsScale& scale : model_->scales[wanted[i]]) {
        const std::vector<double>& c = scale.coefficients;
        for (double& v : out[i].values) {
          double y = 0.0;
          for (std::size_t k = c.size(); k-- > 0;) y = y * v + c[k];
          v = y;
        }
      }
    return out;
  }

  std::vector<std::optional<std::string>> texts(std::size_t channel) const override {
    const std::size_t object = model_->objects_of_channels.at(channel);
    MemoryBound bound(model_->bytes->size(), model_->name);
    bound.take(model_->objects[object].count, sizeof(std::optional<std::string>));
    std::vector<std::optional<std::string>> out;
    std::string scratch;
    for (const TdmsSegment& segment : model_->segments)
      for (const TdmsEntry& entry : segment.layout->entries) {
        if (entry.object != object || entry.type != tdms_text) continue;
        for (std::uint64_t chunk = 0; chunk < segment.chunks; ++chunk) {
          const std::uint64_t at = segment.data_start + chunk * segment.layout->chunk_bytes + entry.offset;
          const std::string_view data = model_->bytes->at(at, static_cast<std::size_t>(entry.bytes), scratch);
          const std::string_view bytes = data.substr(static_cast<std::size_t>(4 * entry.values));
          std::uint32_t begin = 0;
          for (std::uint64_t i = 0; i < entry.values; ++i) {
            const auto end = load<std::uint32_t>(data.data() + 4 * i, segment.big_endian);
            if (end < begin || end > bytes.size())
              throw_bad_input(fmt::format("{}: byte {}", model_->name, at + 4 * i),
                              fmt::format("a text ends at byte {} of {}", end, bytes.size()),
                              "the file is damaged: copy it again");
            bound.take(end - begin);
            out.emplace_back(to_utf8(bytes.substr(begin, end - begin)));
            begin = end;
          }
        }
      }
    return out;
  }

 private:
  struct Target {
    const TdmsEntry* entry;
    double* to;
    std::uint64_t* done;
  };
  static constexpr std::uint64_t slab = std::uint64_t{1} << 20;

  // Interleaved: rows of all channels, read once for all that are wanted.
  void rows(const TdmsSegment& segment, std::vector<Target>& targets) const {
    const std::uint64_t row = segment.layout->row_bytes;
    const std::uint64_t count = segment.chunks * (segment.layout->chunk_bytes / row) + segment.tail_bytes / row;
    const std::uint64_t at_once = std::max<std::uint64_t>(1, slab / row);
    std::string scratch;
    for (std::uint64_t first = 0; first < count; first += at_once) {
      const std::uint64_t here = std::min(at_once, count - first);
      const std::string_view data =
          model_->bytes->at(segment.data_start + first * row, static_cast<std::size_t>(here * row), scratch);
      for (Target& target : targets) {
        take_numbers(target.entry->type, segment.big_endian, data.data() + target.entry->offset,
                     static_cast<std::size_t>(row), static_cast<std::size_t>(here), target.to);
        target.to += here;
        *target.done += here;
      }
    }
  }

  void blocks(const TdmsSegment& segment, std::vector<Target>& targets) const {
    std::string scratch;
    for (Target& target : targets) {
      const TdmsEntry& entry = *target.entry;
      const std::size_t size = tdms_size(entry.type);
      const auto copy = [&](std::uint64_t at, std::uint64_t count) {
        for (std::uint64_t first = 0; first < count; first += slab / size) {
          const std::uint64_t here = std::min(slab / size, count - first);
          const std::string_view data =
              model_->bytes->at(at + first * size, static_cast<std::size_t>(here * size), scratch);
          take_numbers(entry.type, segment.big_endian, data.data(), size, static_cast<std::size_t>(here), target.to);
          target.to += here;
          *target.done += here;
        }
      };
      // Alone in its chunks: one run of values.
      if (entry.bytes == segment.layout->chunk_bytes) {
        copy(segment.data_start, segment.chunks * entry.values + segment.tail_values(entry));
        continue;
      }
      for (std::uint64_t chunk = 0; chunk < segment.chunks; ++chunk)
        copy(segment.data_start + chunk * segment.layout->chunk_bytes + entry.offset, entry.values);
      copy(segment.data_start + segment.chunks * segment.layout->chunk_bytes + entry.offset,
           segment.tail_values(entry));
    }
  }

  std::shared_ptr<const TdmsModel> model_;
};

}  // namespace

std::shared_ptr<const ChannelReader> tdms_reader(std::shared_ptr<const TdmsModel> model) {
  return std::make_shared<TdmsReader>(std::move(model));
}

}  // namespace kdyn::inline io::internal
