// SPDX-License-Identifier: Apache-2.0
// Opens an MDF 4 file: header, groups, channels, streams; what is not read is told.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/internal/mdf_model.hpp"
#include "kdyn/io/internal/recording_parts.hpp"

namespace kdyn::inline io::internal {
namespace {

template <class T>
T value_at(const MdfBlock& block, std::size_t offset) {
  return load<T>(block.data.data() + offset, false);
}

class MdfOpener {
 public:
  MdfOpener(std::shared_ptr<const ByteSource> bytes, const std::string& name)
      : model_(std::make_shared<MdfModel>()),
        file_(*(model_->file = std::make_shared<MdfFile>(std::move(bytes), name))) {
    out_.path = name;
    out_.format = "mdf4";
    out_.file_bytes = file_.bytes().size();
  }

  Recording open() {
    identify();
    header();
    streams();
    count_cycles();
    masters();
    left_out_.tell(file_.name(), file_.findings());
    make_names_unique(out_);
    out_.findings = std::move(file_.findings());
    std::vector<std::size_t> counts;
    for (const RecordedChannel& channel : out_.channels) counts.push_back(channel.count);
    out_.reader = mdf_reader(model_, std::move(counts));
    return std::move(out_);
  }

 private:
  void identify() {
    std::string scratch;
    const std::string_view id = file_.bytes().up_to(0, 64, scratch);
    if (id.size() < 64) file_.fail(0, "the file is shorter than the head of an MDF file");
    const auto version = load<std::uint16_t>(id.data() + 28, false);
    const std::string text(
        trim(id.substr(8, id.substr(8, 8).find('\0') == std::string_view::npos ? 8 : id.substr(8, 8).find('\0'))));
    if (version < 400 || text.starts_with('3') || text.starts_with('2'))
      throw_bad_input(file_.name(),
                      fmt::format("this is MDF version {}; only 4.x is read",
                                  text.empty() ? fmt::format("{:.2f}", version / 100.0) : text),
                      "save it as MDF 4 (.mf4) in the tool that wrote it");
    out_.metadata.emplace_back("version", text);
    out_.metadata.emplace_back("written by",
                               std::string(trim(id.substr(16, id.substr(16, 8).find('\0')).substr(0, 8))));
    if (version > 420)
      file_.tell(Severity::note, "newer_version", 28,
                 fmt::format("MDF {} is newer than 4.20; what is known of it was read", text), "");
    if (id.starts_with("MDF ")) return;
    flags_ = load<std::uint16_t>(id.data() + 60, false);
    const auto custom = load<std::uint16_t>(id.data() + 62, false);
    constexpr unsigned readable = 0x2f;  // counts of cycles, of reductions, lengths of DT and RD, sizes of text groups
    if (custom != 0 || (flags_ & ~readable) != 0)
      throw_bad_input(file_.place(60), fmt::format("the file was not finalised (flags {}, {})", flags_, custom),
                      "finalise it with the tool of the logger that wrote it");
    file_.tell(Severity::warning, "unfinalised", 60,
               fmt::format("the file was not finalised (flags {}): its recording was cut off. Records were counted; "
                           "the last one may be missing",
                           flags_),
               "finalise it with the tool of the logger, where there is one");
  }

  void header() {
    const MdfBlock hd = file_.block(64, "HD");
    if (hd.data.size() >= 8) {
      const auto ns = value_at<std::uint64_t>(hd, 0);
      if (ns != 0)
        out_.metadata.emplace_back("start",
                                   date_text(static_cast<std::int64_t>(ns / 1'000'000'000), ns / 1'000'000 % 1000));
    }
    const std::string comment = file_.raw_text(hd.link(5));
    if (const std::string text = trim(comment).starts_with('<') ? xml_text(comment, "TX") : comment; !text.empty())
      out_.metadata.emplace_back("comment", text);
    for (auto& property : xml_properties(comment)) out_.metadata.push_back(std::move(property));
    if (hd.link(3) != 0)
      file_.tell(Severity::note, "attachments", hd.link(3), "attachments are in the file; they were not read", "");
    if (hd.link(4) != 0)
      file_.tell(Severity::note, "events", hd.link(4), "events (marks, triggers) are in the file; they were not read",
                 "");
    for (std::uint64_t at = hd.link(0); at != 0;) {
      if (!file_.visit(at)) file_.fail(at, "the list of data groups bites its tail");
      const MdfBlock dg = file_.block(at, "DG");
      data_group(dg);
      at = dg.link(0);
    }
  }

  void data_group(const MdfBlock& block) {
    MdfDataGroup dg;
    dg.offset = block.offset;
    dg.data_link = block.link(2);
    dg.id_bytes = block.data.empty() ? 0 : static_cast<unsigned char>(block.data[0]);
    if (dg.id_bytes != 0 && dg.id_bytes != 1 && dg.id_bytes != 2 && dg.id_bytes != 4 && dg.id_bytes != 8)
      file_.fail(block.offset, fmt::format("record numbers of {} bytes do not exist", dg.id_bytes));
    for (std::uint64_t at = block.link(1); at != 0;) {
      if (!file_.visit(at)) file_.fail(at, "the list of channel groups bites its tail");
      const MdfBlock cg = file_.block(at, "CG");
      if (cg.data.size() < 32) file_.fail(at, "a channel group is too short");
      MdfGroup group;
      group.offset = at;
      group.id = value_at<std::uint64_t>(cg, 0);
      group.cycles = value_at<std::uint64_t>(cg, 8);
      const auto flags = value_at<std::uint16_t>(cg, 16);
      group.texts = (flags & 1) != 0;
      group.data_bytes = value_at<std::uint32_t>(cg, 24);
      group.invalid_bytes = value_at<std::uint32_t>(cg, 28);
      if ((flags & 8) != 0) group.master_link = cg.link(6);
      group.data_group = model_->data_groups.size();
      group.number = group.texts ? 0 : numbered_++;
      group.name = file_.text(cg.link(2));
      if (group.name.empty()) group.name = std::to_string(group.number);
      dg.groups.push_back(model_->groups.size());
      model_->groups.push_back(group);
      bus_ = (flags & 6) != 0;
      if (!group.texts) channels(cg.link(1), model_->groups.size() - 1);
      if (cg.link(4) != 0) reductions_ = true;
      at = cg.link(0);
    }
    model_->data_groups.push_back(std::move(dg));
  }

  void channels(std::uint64_t first, std::size_t group) {
    std::vector<std::uint64_t> open = {first};
    while (!open.empty()) {
      const std::uint64_t at = open.back();
      open.pop_back();
      if (at == 0) continue;
      if (!file_.visit(at)) file_.fail(at, "the list of channels bites its tail");
      const MdfBlock cn = file_.block(at, "CN");
      if (cn.data.size() < 24) file_.fail(at, "a channel is too short");
      open.push_back(cn.link(0));
      const std::string name = file_.text(cn.link(2));
      std::string composition;
      if (cn.link(1) != 0) composition = file_.head(cn.link(1)).id;
      if (composition == "CN") open.push_back(cn.link(1));
      if (bus_)
        left_out_.add("frames of a bus, which need their database: decode them with the tool of the logger", name);
      else if (composition == "CA")
        left_out_.add("arrays (CA blocks): export their elements as channels", name);
      else
        channel(cn, name, group, composition == "CN");
    }
  }

  void channel(const MdfBlock& cn, const std::string& name, std::size_t group_index, bool has_members) {
    const MdfGroup& group = model_->groups[group_index];
    MdfChannel channel;
    RecordedChannel listed;
    channel.group = group_index;
    const int type = static_cast<unsigned char>(cn.data[0]), sync = static_cast<unsigned char>(cn.data[1]);
    const int data_type = static_cast<unsigned char>(cn.data[2]);
    const auto flags = value_at<std::uint32_t>(cn, 12);
    channel.field.bit = static_cast<unsigned char>(cn.data[3]);
    channel.field.byte = value_at<std::uint32_t>(cn, 4);
    channel.field.bits = value_at<std::uint32_t>(cn, 8);
    channel.all_invalid = (flags & 1) != 0;
    if ((flags & 2) != 0) channel.invalid_bit = value_at<std::uint32_t>(cn, 16);
    listed.name = name;
    const auto skip = [&](const std::string& reason) { left_out_.add(reason, name); };
    if (type == 4 || type == 5 || type > 6)
      return skip(type == 4   ? "synchronised to an attachment"
                  : type == 5 ? "of maximum length, with the used size in another channel"
                              : fmt::format("of type {}, which is newer than MDF 4.20", type));
    channel.counted = type == 3 || type == 6;
    const bool any_length = type == 1;
    if (data_type >= 6 && data_type <= 9) {
      // A counted channel has no bytes in the record, whatever its type says.
      if (channel.counted) return skip("counted, but of texts: the file is damaged");
      constexpr MdfText kinds[] = {MdfText::latin1, MdfText::utf8, MdfText::utf16_le, MdfText::utf16_be};
      channel.text = kinds[data_type - 6];
      if (!any_length) {
        channel.text_bytes = channel.field.bits / 8;
        if (channel.field.bit != 0 || channel.text_bytes == 0) return skip("texts without a length");
      }
    } else if (data_type >= 10 || any_length) {
      if (has_members) return;  // a structure: its members are read
      return skip(data_type <= 12                      ? "bytes without a meaning of their own (frames, pictures)"
                  : data_type == 13 || data_type == 14 ? "calendar dates (CANopen)"
                  : data_type == 15 || data_type == 16 ? "complex numbers"
                                                       : fmt::format("of data type {}, which is not known", data_type));
    } else {
      channel.field.kind = data_type < 2   ? RawField::unsigned_integer
                           : data_type < 4 ? RawField::signed_integer
                                           : RawField::real;
      channel.field.big_endian = data_type % 2 == 1;
    }
    if (!channel.counted) {
      const bool number = channel.text == MdfText::none || any_length;
      const std::uint64_t touched = number ? channel.field.bytes() : channel.text_bytes;
      if (number && !channel.field.possible())
        return skip(fmt::format("numbers of {} bits at bit {}, which is no width kdyn reads", channel.field.bits,
                                channel.field.bit));
      if (channel.field.byte + touched > group.data_bytes) return skip("outside their record: the file is damaged");
    }
    if (channel.invalid_bit && (*channel.invalid_bit >> 3) >= group.invalid_bytes) {
      if (!channel.all_invalid) return skip("marked by an invalidation bit outside the record: the file is damaged");
      channel.invalid_bit.reset();
    }
    try {
      if (cn.link(4) != 0) channel.conversion = conversion(cn.link(4));
      if (any_length) texts_of(cn.link(5), channel);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_input) throw;
      file_.tell(Severity::serious, "channel_refused", cn.offset,
                 fmt::format("channel {} is left out: {} ({})", in_quotes(name), error.message(), error.where()),
                 error.remedy());
      return;
    }
    finish(cn, type, sync, std::move(channel), std::move(listed));
  }

  void finish(const MdfBlock& cn, int type, int sync, MdfChannel&& channel, RecordedChannel&& listed) {
    const MdfGroup& group = model_->groups[channel.group];
    if (channel.text != MdfText::none) {
      listed.is_text = !channel.conversion || channel.conversion->type() != MdfConversion::text_value;
    } else if (channel.conversion && channel.conversion->type() >= MdfConversion::text_value) {
      return left_out_.add("numbers with a conversion that is meant for texts: the file is damaged", listed.name);
    } else {
      listed.is_text = channel.conversion && !channel.conversion->gives_number();
    }
    listed.unit = file_.text(cn.link(6));
    if (listed.unit.empty() && channel.conversion) listed.unit = std::string(trim(channel.conversion->unit()));
    listed.description = file_.text(cn.link(7));
    listed.group = group.name;
    listed.group_number = group.number;
    if (type == 2 || type == 3)
      listed.master = sync == 1   ? RecordAxis::time
                      : sync == 2 ? RecordAxis::angle
                      : sync == 3 ? RecordAxis::distance
                                  : RecordAxis::index;
    if (channel.whole() && !channel.counted && channel.field.bits > 53 && channel.text == MdfText::none)
      wide_.push_back(listed.name);
    out_.channels.push_back(std::move(listed));
    model_->channels.push_back(std::move(channel));
  }

  std::shared_ptr<const MdfConversion> conversion(std::uint64_t offset) {
    const auto known = conversions_.find(offset);
    if (known != conversions_.end()) return known->second;
    return conversions_[offset] = MdfConversion::read(file_, offset);
  }

  void texts_of(std::uint64_t link, MdfChannel& channel) {
    if (link == 0) return;
    if (file_.head(link).id == "CG")
      text_groups_.emplace_back(model_->channels.size(), link);
    else if (const auto known = text_streams_.find(link); known != text_streams_.end())
      channel.texts = known->second;
    else
      channel.texts = text_streams_[link] = std::make_shared<MdfStream>(file_.stream(link, false, nullptr));
  }

  void streams() {
    if (reductions_)
      file_.tell(Severity::note, "reductions", 0,
                 "reduced copies of the data (SR blocks) are in the file; the data themselves are read", "");
    if (!wide_.empty())
      file_.tell(Severity::note, "wide_integers", 0,
                 fmt::format("integers of more than 53 bits lose digits beyond 2^53: {}", in_quotes(join(wide_, ", "))),
                 "");
    for (MdfDataGroup& dg : model_->data_groups) {
      if (dg.data_link == 0) continue;
      const std::string id = file_.head(dg.data_link).id;
      dg.columns = id == "LD";
      if (dg.columns && !dg.sorted())
        file_.fail(dg.data_link, "column storage of several channel groups at once does not exist");
      dg.stream = file_.stream(dg.data_link, (flags_ & 4) != 0, &dg.invalidation);
      if (dg.columns && dg.id_bytes > 0) dg.id_bytes = 0;
    }
    std::map<std::uint64_t, std::size_t> at;
    for (std::size_t i = 0; i < model_->groups.size(); ++i) at[model_->groups[i].offset] = i;
    for (const auto& [channel, link] : text_groups_) {
      const auto found = at.find(link);
      if (found == at.end() || !model_->groups[found->second].texts)
        file_.fail(link, "a channel of texts points to a group that holds none");
      if (channel < model_->channels.size()) model_->channels[channel].text_group = found->second;
    }
  }

  // How many records there really are; the claims of the file are believed only as far as the bytes go.
  void count_cycles() {
    for (std::size_t d = 0; d < model_->data_groups.size(); ++d) {
      const MdfDataGroup& dg = model_->data_groups[d];
      if (dg.sorted()) {
        for (const std::size_t g : dg.groups) count_sorted(dg, model_->groups[g]);
      } else {
        count_unsorted(d);
      }
    }
    for (std::size_t i = 0; i < out_.channels.size(); ++i)
      out_.channels[i].count = static_cast<std::size_t>(model_->groups[model_->channels[i].group].cycles);
  }

  void count_sorted(const MdfDataGroup& dg, MdfGroup& group) {
    const std::uint64_t record =
        dg.columns ? group.data_bytes : dg.id_bytes + std::uint64_t{group.data_bytes} + group.invalid_bytes;
    if (record == 0) {
      constexpr std::uint64_t most = std::uint64_t{1} << 24;
      if (group.cycles > most)
        file_.fail(group.offset, fmt::format("a group claims {} samples without a byte of data", group.cycles));
      return;
    }
    std::uint64_t there = dg.stream.size / record;
    if (dg.columns && group.invalid_bytes > 0) there = std::min(there, dg.invalidation.size / group.invalid_bytes);
    const std::uint64_t claimed = group.cycles, rest = dg.columns ? 0 : dg.stream.size % record;
    if ((flags_ & 1) != 0 || (claimed == 0 && there > 0)) {
      group.cycles = there;
      if ((flags_ & 1) == 0)
        file_.tell(Severity::warning, "no_count", group.offset,
                   fmt::format("group {} says that it has no samples, but bytes of {} are there; they are read",
                               in_quotes(group.name), there),
                   "the recording was cut off: check its end");
      if (rest > 0)
        file_.tell(Severity::warning, "cut_record", group.offset,
                   fmt::format("the last record is cut; its {} bytes were not used", rest), "");
      return;
    }
    if (there < claimed) {
      file_.tell(
          Severity::warning, "short_data", group.offset,
          fmt::format("group {} says that it has {} samples, {} are there", in_quotes(group.name), claimed, there),
          "the file was cut or damaged: check its end");
      group.cycles = there;
    } else if (dg.stream.size > claimed * record) {
      file_.tell(Severity::warning, "long_data", group.offset,
                 fmt::format("group {} has {} samples, but {} bytes more are there; they were not used",
                             in_quotes(group.name), claimed, dg.stream.size - claimed * record),
                 "");
    }
  }

  void count_unsorted(std::size_t d) {
    const MdfDataGroup& dg = model_->data_groups[d];
    if (dg.id_bytes == 0)
      file_.fail(dg.offset, fmt::format("{} channel groups share their data without record numbers", dg.groups.size()));
    std::vector<std::uint64_t> found(dg.groups.size());
    const std::uint64_t end = walk_records(*model_, d, [&](std::size_t which, std::string_view) { ++found[which]; });
    if (end < dg.stream.size)
      file_.tell(
          (flags_ & 5) != 0 ? Severity::warning : Severity::serious, "bad_record", dg.offset,
          fmt::format("after {} of {} bytes of data no record of a known group begins; what follows was not used", end,
                      dg.stream.size),
          "the file was cut or damaged");
    for (std::size_t i = 0; i < found.size(); ++i) {
      MdfGroup& group = model_->groups[dg.groups[i]];
      if (!group.texts && (flags_ & 1) == 0 && found[i] != group.cycles)
        file_.tell(Severity::warning, "short_data", group.offset,
                   fmt::format("group {} says that it has {} samples, {} are there", in_quotes(group.name),
                               group.cycles, found[i]),
                   "");
      group.cycles = found[i];
    }
  }

  void masters() {
    std::map<std::size_t, std::size_t> of_group;
    for (std::size_t i = 0; i < out_.channels.size(); ++i) {
      const RecordedChannel& channel = out_.channels[i];
      if (channel.master == RecordAxis::none || channel.is_text) continue;
      const auto [known, is_new] = of_group.emplace(model_->channels[i].group, i);
      if (!is_new && channel.master == RecordAxis::time) known->second = i;
    }
    std::map<std::uint64_t, std::size_t> at;
    for (std::size_t i = 0; i < model_->groups.size(); ++i) at[model_->groups[i].offset] = i;
    for (std::size_t i = 0; i < out_.channels.size(); ++i) {
      if (out_.channels[i].master != RecordAxis::none) continue;
      const MdfGroup& group = model_->groups[model_->channels[i].group];
      auto found = of_group.find(model_->channels[i].group);
      if (found == of_group.end() && group.master_link != 0)
        if (const auto remote = at.find(group.master_link);
            remote != at.end() && model_->groups[remote->second].cycles == group.cycles)
          found = of_group.find(remote->second);
      if (found != of_group.end()) out_.channels[i].axis_channel = found->second;
    }
  }

  std::shared_ptr<MdfModel> model_;
  MdfFile& file_;
  Recording out_;
  LeftOut left_out_;
  unsigned flags_ = 0;
  std::size_t numbered_ = 0;
  bool bus_ = false, reductions_ = false;
  std::vector<std::string> wide_;
  std::map<std::uint64_t, std::shared_ptr<const MdfConversion>> conversions_;
  std::map<std::uint64_t, std::shared_ptr<const MdfStream>> text_streams_;
  std::vector<std::pair<std::size_t, std::uint64_t>> text_groups_;  // (channel, group it points to)
};

}  // namespace

Recording open_mdf(std::shared_ptr<const ByteSource> bytes, const std::string& name) {
  return MdfOpener(std::move(bytes), name).open();
}

}  // namespace kdyn::inline io::internal
