// SPDX-License-Identifier: Apache-2.0
// Samples out of the records of an MDF 4 file.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/internal/large_memory.hpp"
#include "kdyn/io/internal/mdf_model.hpp"
#include "kdyn/io/internal/mdf_stream.hpp"
#include "kdyn/io/internal/recording_parts.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::size_t slab_records = std::size_t{1} << 12;  // its samples stay in the fast cache

// Fixed records of one stream.
void fixed_records(const MdfModel& model, const MdfStream& stream, std::size_t record, std::uint64_t count,
                   const std::function<void(const char*, std::size_t, std::size_t)>& use) {
  MdfCursor cursor(model.file->bytes(), stream, model.file->name());
  for (std::uint64_t done = 0; done < count;) {
    const std::string_view here = cursor.look(record);
    const std::size_t records = std::min<std::uint64_t>({here.size() / record, count - done, slab_records});
    if (records == 0) model.file->fail(0, fmt::format("the data end after {} of {} records", done, count));
    use(here.data(), static_cast<std::size_t>(done), records);
    cursor.skip(std::uint64_t{records} * record);
    done += records;
  }
}

}  // namespace

std::uint64_t walk_records(const MdfModel& model, std::size_t data_group,
                           const std::function<void(std::size_t, std::string_view)>& use) {
  const MdfDataGroup& dg = model.data_groups[data_group];
  MdfCursor cursor(model.file->bytes(), dg.stream, model.file->name());
  std::map<std::uint64_t, std::size_t> by_id;
  for (std::size_t i = 0; i < dg.groups.size(); ++i) by_id.emplace(model.groups[dg.groups[i]].id, i);
  std::uint64_t last_id = ~std::uint64_t{0};
  std::size_t last = 0;
  while (cursor.left() >= dg.id_bytes && cursor.left() > 0) {
    const std::uint64_t at = cursor.position();
    std::string_view here = cursor.look(dg.id_bytes);
    std::uint64_t id = 0;
    for (std::size_t i = 0; i < dg.id_bytes; ++i) id |= std::uint64_t{static_cast<unsigned char>(here[i])} << (8 * i);
    if (id != last_id) {
      const auto found = by_id.find(id);
      if (found == by_id.end()) return at;
      last_id = id, last = found->second;
    }
    const MdfGroup& group = model.groups[dg.groups[last]];
    std::uint64_t length = std::uint64_t{group.data_bytes} + group.invalid_bytes;
    if (group.texts) {
      if (cursor.left() < dg.id_bytes + 4) return at;
      here = cursor.look(dg.id_bytes + 4);
      length = std::uint64_t{4} + load<std::uint32_t>(here.data() + dg.id_bytes, false);
    }
    if (cursor.left() < dg.id_bytes + length) return at;
    here = cursor.look(static_cast<std::size_t>(dg.id_bytes + length));
    use(last, here.substr(dg.id_bytes, static_cast<std::size_t>(length)));
    cursor.skip(dg.id_bytes + length);
  }
  return cursor.position();
}

void for_records(const MdfModel& model, std::size_t number, const std::function<void(const MdfRecords&)>& use) {
  const MdfGroup& group = model.groups[number];
  const MdfDataGroup& dg = model.data_groups[group.data_group];
  const std::size_t data = group.data_bytes, invalid = group.invalid_bytes, record = dg.id_bytes + data + invalid;
  if (group.cycles == 0) return;
  const auto counted = [&] {  // virtual channels only: there is nothing to read
    for (std::uint64_t first = 0; first < group.cycles; first += slab_records)
      use({"", nullptr, 0, static_cast<std::size_t>(first),
           static_cast<std::size_t>(std::min<std::uint64_t>(slab_records, group.cycles - first))});
  };
  if (dg.columns) {
    if (data > 0)
      fixed_records(model, dg.stream, data, group.cycles, [&](const char* p, std::size_t first, std::size_t count) {
        use({p, nullptr, data, first, count});
      });
    else
      counted();
    if (invalid > 0)
      fixed_records(model, dg.invalidation, invalid, group.cycles,
                    [&](const char* p, std::size_t first, std::size_t count) {
                      use({nullptr, p, invalid, first, count});
                    });
    return;
  }
  if (dg.sorted() && record == 0) return counted();
  if (dg.sorted()) {
    fixed_records(model, dg.stream, record, group.cycles, [&](const char* p, std::size_t first, std::size_t count) {
      use({p + dg.id_bytes, invalid > 0 ? p + dg.id_bytes + data : nullptr, record, first, count});
    });
    return;
  }
  // Records of several groups: those of this one are collected.
  std::string slab;
  std::size_t first = 0, count = 0;
  const auto flush = [&] {
    if (count > 0) use({slab.data(), invalid > 0 ? slab.data() + data : nullptr, data + invalid, first, count});
    first += count, count = 0;
    slab.clear();
  };
  walk_records(model, group.data_group, [&](std::size_t which, std::string_view payload) {
    if (dg.groups[which] != number || first + count >= group.cycles) return;
    slab += payload;
    ++count;
    constexpr std::size_t enough = std::size_t{1} << 18;
    if (slab.size() >= enough || count == slab_records) flush();
  });
  flush();
}

namespace {

class MdfReader final : public ChannelReader {
 public:
  MdfReader(std::shared_ptr<const MdfModel> model, std::vector<std::size_t> counts)
      : model_(std::move(model)),
        counts_(std::move(counts)) {}

  std::vector<ChannelSamples> values(const std::vector<std::size_t>& wanted) const override {
    MemoryBound bound(model_->file->bytes().size(), model_->file->name());
    std::vector<ChannelSamples> out(wanted.size());
    std::map<std::size_t, std::vector<std::size_t>> by_group;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const MdfChannel& channel = model_->channels.at(wanted[i]);
      bound.take(counts_[wanted[i]], sizeof(double));
      if (channel.text != MdfText::none) {
        out[i].values.resize(counts_[wanted[i]]);
        numbers_of_texts(wanted[i], out[i]);
      } else {
        reserve_large(out[i].values, counts_[wanted[i]]);  // each piece is cleared and filled while it is in the cache
        by_group[channel.group].push_back(i);
      }
    }
    for (const auto& [group, members] : by_group)
      for_records(*model_, group, [&, &in_group = members](const MdfRecords& records) {
        for (const std::size_t i : in_group) {
          const MdfChannel& channel = model_->channels[wanted[i]];
          if (records.data != nullptr) take(channel, records, out[i], bound);
          if (records.invalid != nullptr && channel.invalid_bit) mark(*channel.invalid_bit, records, out[i]);
        }
      });
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      out[i].values.resize(counts_[wanted[i]], std::nan(""));
      if (model_->channels[wanted[i]].all_invalid) {
        std::fill(out[i].values.begin(), out[i].values.end(), std::nan(""));
        out[i].marked_invalid = out[i].values.size();
        out[i].texts.clear();
      }
    }
    return out;
  }

  std::vector<std::optional<std::string>> texts(std::size_t number) const override {
    const MdfChannel& channel = model_->channels.at(number);
    MemoryBound bound(model_->file->bytes().size(), model_->file->name());
    bound.take(counts_[number], sizeof(std::optional<std::string>));
    std::vector<std::optional<std::string>> out(counts_[number]);
    const auto keep = [&](std::size_t sample, const MdfResult& result) {
      if (result.text == nullptr) return;
      bound.take(result.text->size());
      out[sample] = *result.text;
    };
    if (channel.text == MdfText::none) {
      std::vector<double> raw(slab_records);
      for_records(*model_, channel.group, [&](const MdfRecords& records) {
        if (records.data == nullptr || !channel.conversion) return;
        take_raw(channel, records, raw.data());
        for (std::size_t i = 0; i < records.count; ++i)
          keep(records.first + i, channel.conversion->of(raw[i], channel.whole()));
      });
    } else {
      raw_texts(channel, [&](std::size_t sample, std::string&& text) {
        keep(sample, channel.conversion ? channel.conversion->of(text) : MdfResult{0.0, &text, false});
      });
    }
    if (channel.all_invalid)
      for (auto& text : out) text.reset();
    else if (channel.invalid_bit)
      for_records(*model_, channel.group, [&](const MdfRecords& records) {
        for (std::size_t i = 0; i < records.count && records.invalid != nullptr; ++i)
          if (marked(*channel.invalid_bit, records, i)) out[records.first + i].reset();
      });
    return out;
  }

 private:
  static bool marked(std::uint32_t bit, const MdfRecords& records, std::size_t i) {
    return ((static_cast<unsigned char>(records.invalid[i * records.stride + (bit >> 3)]) >> (bit & 7)) & 1) != 0;
  }

  static void take_raw(const MdfChannel& channel, const MdfRecords& records, double* out) {
    if (!channel.counted) return take_field(channel.field, records.data, records.stride, records.count, out);
    for (std::size_t i = 0; i < records.count; ++i) out[i] = static_cast<double>(records.first + i);
  }

  static void take(const MdfChannel& channel, const MdfRecords& records, ChannelSamples& out, MemoryBound& bound) {
    if (out.values.size() < records.first + records.count) out.values.resize(records.first + records.count);
    double* values = out.values.data() + records.first;
    take_raw(channel, records, values);
    if (!channel.conversion || !channel.conversion->gives_number()) return;
    if (!channel.mixed()) return channel.conversion->apply(values, records.count, channel.whole());
    for (std::size_t i = 0; i < records.count; ++i) {
      const MdfResult result = channel.conversion->of(values[i], channel.whole());
      values[i] = result.number;
      if (result.text == nullptr) continue;
      bound.take(sizeof(out.texts.front()) + result.text->size());
      out.texts.emplace_back(records.first + i, *result.text);
    }
  }

  static void mark(std::uint32_t bit, const MdfRecords& records, ChannelSamples& out) {
    for (std::size_t i = 0; i < records.count; ++i)
      if (marked(bit, records, i)) {
        out.values[records.first + i] = std::nan("");
        ++out.marked_invalid;
      }
    const auto from = std::lower_bound(out.texts.begin(), out.texts.end(), records.first,
                                       [](const auto& t, std::size_t at) { return t.first < at; });
    out.texts.erase(std::remove_if(from, out.texts.end(),
                                   [&](const auto& t) {
                                     return t.first < records.first + records.count &&
                                            marked(bit, records, t.first - records.first);
                                   }),
                    out.texts.end());
  }

  // Numbers that texts stand for (conversion of texts to values).
  void numbers_of_texts(std::size_t number, ChannelSamples& out) const {
    const MdfChannel& channel = model_->channels[number];
    std::fill(out.values.begin(), out.values.end(), std::nan(""));
    if (!channel.conversion || channel.conversion->type() != MdfConversion::text_value) return;
    raw_texts(channel, [&](std::size_t sample, std::string&& text) {
      out.values[sample] = channel.conversion->of(text).number;
    });
    if (channel.invalid_bit)
      for_records(*model_, channel.group, [&](const MdfRecords& records) {
        if (records.invalid != nullptr) mark(*channel.invalid_bit, records, out);
      });
  }

  static std::string decoded(MdfText kind, std::string_view bytes) {
    if (kind == MdfText::utf16_le || kind == MdfText::utf16_be) return from_utf16(bytes, kind == MdfText::utf16_be);
    bytes = bytes.substr(0, bytes.find('\0'));
    return kind == MdfText::latin1 ? from_latin1(bytes) : to_utf8(bytes);
  }

  void raw_texts(const MdfChannel& channel, const std::function<void(std::size_t, std::string&&)>& use) const {
    if (channel.text_bytes > 0) {
      for_records(*model_, channel.group, [&](const MdfRecords& records) {
        for (std::size_t i = 0; i < records.count && records.data != nullptr; ++i)
          use(records.first + i,
              decoded(channel.text, {records.data + i * records.stride + channel.field.byte, channel.text_bytes}));
      });
      return;
    }
    // Of any length: the record holds an offset into a stream of (u32 length, bytes).
    std::string stream;
    if (channel.text_group) {
      const MdfGroup& group = model_->groups[*channel.text_group];
      const auto& members = model_->data_groups[group.data_group].groups;
      walk_records(*model_, group.data_group, [&](std::size_t which, std::string_view payload) {
        if (members[which] == *channel.text_group) stream += payload;
      });
    } else if (channel.texts) {
      MemoryBound bound(model_->file->bytes().size(), model_->file->name());
      bound.take(channel.texts->size);
      stream = all_bytes(model_->file->bytes(), *channel.texts, model_->file->name());
    }
    std::vector<double> offsets(slab_records);
    for_records(*model_, channel.group, [&](const MdfRecords& records) {
      if (records.data == nullptr) return;
      take_field(channel.field, records.data, records.stride, records.count, offsets.data());
      for (std::size_t i = 0; i < records.count; ++i) {
        const double at = offsets[i];
        if (!(at >= 0.0) || at + 4.0 > static_cast<double>(stream.size()))
          model_->file->fail(channel.texts && !channel.texts->pieces.empty() ? channel.texts->pieces[0].file_offset : 0,
                             fmt::format("sample {} of a text channel points to byte {:.0f} of {} bytes of text",
                                         records.first + i, at, stream.size()));
        const auto begin = static_cast<std::size_t>(at);
        const std::size_t length = load<std::uint32_t>(stream.data() + begin, false);
        if (length > stream.size() - begin - 4)
          model_->file->fail(0, fmt::format("the text of sample {} is longer than what is stored", records.first + i));
        use(records.first + i, decoded(channel.text, std::string_view(stream).substr(begin + 4, length)));
      }
    });
  }

  std::shared_ptr<const MdfModel> model_;
  std::vector<std::size_t> counts_;
};

}  // namespace

std::shared_ptr<const ChannelReader> mdf_reader(std::shared_ptr<const MdfModel> model,
                                                std::vector<std::size_t> counts) {
  return std::make_shared<MdfReader>(std::move(model), std::move(counts));
}

}  // namespace kdyn::inline io::internal
