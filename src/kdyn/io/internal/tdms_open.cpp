// SPDX-License-Identifier: Apache-2.0
// Opens a TDMS file: segments, their objects and properties, what sampling and scaling they tell.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/internal/recording_parts.hpp"
#include "kdyn/io/internal/scan.hpp"
#include "kdyn/io/internal/tdms_model.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::uint64_t lead_bytes = 28;
struct CutShort {};  // the metadata end before they are complete

// Metadata of a segment, in its byte order.
class MetaReader {
 public:
  MetaReader(std::string_view data, bool big_endian) : data_(data), big_(big_endian) {}
  template <class T>
  T next() {
    return load<T>(bytes(sizeof(T)).data(), big_);
  }
  std::string text() { return to_utf8(bytes(next<std::uint32_t>())); }
  std::string_view bytes(std::size_t count) {
    if (count > data_.size() - at_) throw CutShort{};
    const std::string_view out = data_.substr(at_, count);
    at_ += count;
    return out;
  }
  std::size_t position() const { return at_; }
  bool big() const { return big_; }

 private:
  std::string_view data_;
  bool big_;
  std::size_t at_ = 0;
};

// "/'group'/'channel'" with doubled quotes inside names. False when it is no path.
bool split_path(std::string_view path, std::vector<std::string>& parts) {
  parts.clear();
  if (path == "/") return true;
  std::size_t at = 0;
  while (at < path.size()) {
    if (path.substr(at, 2) != "/'") return false;
    at += 2;
    std::string part;
    for (;; ++at) {
      if (at >= path.size()) return false;
      if (path[at] != '\'') {
        part += path[at];
      } else if (at + 1 < path.size() && path[at + 1] == '\'') {
        part += '\'';
        ++at;
      } else {
        break;
      }
    }
    ++at;
    parts.push_back(std::move(part));
  }
  return parts.size() <= 2;
}

class TdmsOpener {
 public:
  TdmsOpener(std::shared_ptr<const ByteSource> bytes, const std::string& name)
      : bytes_(*bytes),
        model_(std::make_shared<TdmsModel>()) {
    model_->bytes = std::move(bytes);
    model_->name = name;
    out_.path = name;
    out_.format = "tdms";
    out_.file_bytes = bytes_.size();
  }

  Recording open() {
    for (std::uint64_t at = 0; at < bytes_.size();) {
      const std::uint64_t next = segment(at);
      if (next <= at) break;
      at = next;
    }
    for (const TdmsSegment& segment : model_->segments)
      for (const TdmsEntry& entry : segment.layout->entries)
        model_->objects[entry.object].count += segment.chunks * entry.values + segment.tail_values(entry);
    list();
    left_out_.tell(out_.path, out_.findings);
    make_names_unique(out_);
    out_.reader = tdms_reader(model_);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& message, const std::string& remedy) const {
    throw_bad_input(fmt::format("{}: byte {}", out_.path, at), message, remedy);
  }
  [[noreturn]] void damaged(std::uint64_t at, const std::string& message) const {
    fail(at, message, "the file is damaged: copy it again");
  }
  void tell(Severity severity, const char* code, std::uint64_t at, const std::string& message,
            const std::string& remedy) {
    if (out_.findings.size() < 100)
      out_.findings.push_back({severity, code, fmt::format("{}: byte {}", out_.path, at), message, remedy});
  }

  // Reads the segment at this byte and returns where the next one begins; the same byte when there is none.
  std::uint64_t segment(std::uint64_t at) {
    std::string scratch;
    const std::string_view lead = bytes_.up_to(at, lead_bytes, scratch);
    if (lead.starts_with("TDSh"))
      fail(at, "this is the index of a TDMS file; it holds no data", "open the .tdms file beside it");
    if (lead.size() < lead_bytes || !lead.starts_with("TDSm")) {
      if (at == 0) damaged(at, "the head of a segment is cut");
      tell(Severity::serious, "no_segment", at, "no segment begins here; the rest of the file was not read",
           "the file was cut or damaged: copy it again");
      return at;
    }
    const auto toc = load<std::uint32_t>(lead.data() + 4, false);
    const bool big = (toc & 64) != 0;
    const auto version = load<std::uint32_t>(lead.data() + 8, big);
    const auto next = load<std::uint64_t>(lead.data() + 12, big), meta = load<std::uint64_t>(lead.data() + 20, big);
    if (version != 4712 && version != 4713 && !version_told_) {
      version_told_ = true;
      tell(Severity::note, "version", at,
           fmt::format("version {} is neither 4712 nor 4713; it was read as such", version), "");
    }
    const std::uint64_t left = bytes_.size() - at - lead_bytes;
    const bool open_end = next == std::numeric_limits<std::uint64_t>::max() || next > left;
    const std::uint64_t length = open_end ? left : next;
    if ((toc & 128) != 0)
      fail(at, "DAQmx raw data are not read", "convert the file in LabVIEW or DIAdem: save it with scaled values");
    if (open_end)
      tell(Severity::warning, "open_segment", at,
           "the last segment was not closed: the recording was cut off. Whole values were read",
           "check the end of the signals");
    if (meta > length) {
      if (!open_end) damaged(at, fmt::format("a segment of {} bytes claims {} bytes of metadata", length, meta));
      tell(Severity::warning, "cut_metadata", at, "the metadata of the last segment are cut; it was dropped", "");
      return at;
    }
    if ((toc & 2) != 0) {
      try {
        metadata(at, meta, (toc & 4) != 0, big);
      } catch (const CutShort&) {
        if (at == 0 || !open_end) damaged(at, "the metadata of a segment end early");
        tell(Severity::warning, "cut_metadata", at, "the metadata of the last segment are cut; it was dropped", "");
        return at;
      }
    }
    if ((toc & 8) != 0) raw_data(at, at + lead_bytes + meta, length - meta, (toc & 32) != 0, big, open_end);
    return open_end ? bytes_.size() : at + lead_bytes + next;
  }

  void metadata(std::uint64_t at, std::uint64_t size, bool new_list, bool big) {
    std::string scratch;
    MetaReader in(bytes_.at(at + lead_bytes, static_cast<std::size_t>(size), scratch), big);
    layout_ = nullptr;
    if (new_list) {
      list_.clear();
      in_list_.clear();
    }
    const auto count = in.next<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t here = at + lead_bytes + in.position();
      const std::string path = in.text();
      const std::size_t number = object(path, here);
      const auto head = in.next<std::uint32_t>();
      if (head == 0x1269 || head == 0x126a || head == 0x1369)
        fail(here, "DAQmx raw data are not read", "convert the file in LabVIEW or DIAdem: save it with scaled values");
      if (head != 0xffffffffU) {
        if (head != 0) index(in, model_->objects[number], here);
        if (!model_->objects[number].known)
          damaged(here, fmt::format("object {} refers to an earlier layout that does not exist", in_quotes(path)));
        set_entry(number, true);
      } else {
        set_entry(number, false);
      }
      for (auto left = in.next<std::uint32_t>(); left > 0; --left) {
        const std::string name = in.text();
        const auto type = in.next<std::uint32_t>();
        model_->objects[number].properties[name] = property(in, type, here);
      }
    }
  }

  std::size_t object(const std::string& path, std::uint64_t at) {
    const auto known = by_path_.find(path);
    if (known != by_path_.end()) return known->second;
    std::vector<std::string> parts;
    if (!split_path(path, parts)) damaged(at, fmt::format("{} is no path of an object", in_quotes(path)));
    TdmsObject object;
    if (!parts.empty()) object.group = parts[0];
    if (parts.size() > 1) object.name = parts[1];
    is_channel_.push_back(parts.size() > 1);
    model_->objects.push_back(std::move(object));
    return by_path_[path] = model_->objects.size() - 1;
  }

  void index(MetaReader& in, TdmsObject& object, std::uint64_t at) {
    const auto type = in.next<std::uint32_t>(), dimension = in.next<std::uint32_t>();
    const auto values = in.next<std::uint64_t>();
    if (dimension != 1) damaged(at, fmt::format("data of {} dimensions do not exist", dimension));
    if (type == tdms_extended || type == tdms_extended_unit)
      fail(at, "floats of extended precision are not read", "save the channel in double precision");
    if (type == 0xffffffffU)
      fail(at, "DAQmx raw data are not read", "convert the file in LabVIEW or DIAdem: save it with scaled values");
    if (type != tdms_text && type != tdms_void && tdms_size(type) == 0)
      fail(at, fmt::format("data type {} is not known", type), "save the channel as numbers or text");
    object.mixed_types =
        object.mixed_types || (object.known && object.type != type && (object.type == tdms_text || type == tdms_text));
    object.type = type;
    object.values = values;
    object.text_bytes = type == tdms_text ? in.next<std::uint64_t>() : 0;
    object.known = true;
  }

  void set_entry(std::size_t object, bool with_data) {
    const auto found = in_list_.find(object);
    if (found != in_list_.end()) {
      list_[found->second].second = with_data;
    } else {
      in_list_[object] = list_.size();
      list_.emplace_back(object, with_data);
    }
  }

  TdmsProperty property(MetaReader& in, std::uint32_t type, std::uint64_t at) {
    TdmsProperty out;
    if (type == tdms_text) {
      out.text = in.text();
      return out;
    }
    if (type == tdms_void) return out;
    const std::size_t size = tdms_size(type);
    if (size == 0) fail(at, fmt::format("a property has the unknown type {}", type), "save the file again without it");
    const std::string_view bytes = in.bytes(size);
    if (type == tdms_time) {
      const auto seconds = load<std::int64_t>(bytes.data() + (in.big() ? 0 : 8), in.big());
      const auto fraction = load<std::uint64_t>(bytes.data() + (in.big() ? 8 : 0), in.big());
      constexpr std::int64_t from_1904 = 2082844800, sensible = std::int64_t{1} << 40;
      if (seconds != 0 && seconds > -sensible && seconds < sensible)  // 1904-01-01 means "not set"
        out.text = date_text(seconds - from_1904, static_cast<std::uint32_t>((fraction >> 32) * 1000 >> 32));
      return out;
    }
    if (type == tdms_complex_f32 || type == tdms_complex_f64) return out;
    RawField field;
    field.big_endian = in.big();
    field.bits = static_cast<std::uint32_t>(8 * size);
    field.kind = type <= tdms_i64                        ? RawField::signed_integer
                 : type <= tdms_u64 || type == tdms_bool ? RawField::unsigned_integer
                                                         : RawField::real;
    take_field(field, bytes.data(), size, 1, &out.number);
    out.is_number = true;
    out.text = fmt::format("{}", out.number);
    return out;
  }

  void raw_data(std::uint64_t at, std::uint64_t start, std::uint64_t size, bool interleaved, bool big, bool open_end) {
    if (!layout_ || layout_interleaved_ != interleaved) make_layout(at, interleaved);
    if (size == 0) return;
    if (layout_->chunk_bytes == 0) damaged(at, fmt::format("{} bytes of data belong to no channel", size));
    TdmsSegment segment;
    segment.data_start = start;
    segment.big_endian = big;
    segment.layout = layout_;
    segment.chunks = size / layout_->chunk_bytes;
    segment.tail_bytes = size % layout_->chunk_bytes;
    const bool texts = std::any_of(layout_->entries.begin(), layout_->entries.end(),
                                   [](const TdmsEntry& e) { return e.type == tdms_text; });
    if (segment.tail_bytes > 0 && (texts || !open_end)) {
      tell(Severity::warning, "cut_chunk", at,
           fmt::format("{} bytes at the end of a segment fill no whole piece of data; {}", segment.tail_bytes,
                       texts ? "they were not used" : "whole values were read"),
           "check the end of the signals");
      if (texts) segment.tail_bytes = 0;
    }
    model_->segments.push_back(std::move(segment));
  }

  void make_layout(std::uint64_t at, bool interleaved) {
    const auto layout = std::make_shared<TdmsLayout>();
    constexpr std::uint64_t most = std::uint64_t{1} << 60;
    std::uint64_t rows = 0;
    for (const auto& [number, with_data] : list_) {
      const TdmsObject& object = model_->objects[number];
      if (!with_data || object.values == 0 || object.type == tdms_void) continue;
      TdmsEntry entry;
      entry.object = number, entry.type = object.type, entry.values = object.values;
      const std::uint64_t size = tdms_size(object.type);
      if (object.type == tdms_text) {
        if (object.values > most / 4 || object.text_bytes > most || object.text_bytes < 4 * object.values)
          damaged(at, "a block of texts is shorter than its list of ends");
        entry.bytes = object.text_bytes;
      } else {
        if (object.values > most / size) damaged(at, "a channel claims more values than any file holds");
        entry.bytes = object.values * size;
      }
      layout->entries.push_back(entry);
    }
    const bool by_rows = interleaved && !(layout->entries.size() == 1 && layout->entries[0].type == tdms_text);
    for (TdmsEntry& entry : layout->entries) {
      if (by_rows) {
        if (entry.type == tdms_text) damaged(at, "texts cannot be interleaved with numbers");
        if (rows != 0 && rows != entry.values) damaged(at, "interleaved channels differ in their number of values");
        rows = entry.values;
        entry.offset = layout->row_bytes;
        layout->row_bytes += tdms_size(entry.type);
      } else {
        entry.offset = layout->chunk_bytes;
      }
      if (layout->chunk_bytes > most) damaged(at, "a piece of data is larger than any file");
      layout->chunk_bytes += entry.bytes;
    }
    layout_ = layout;
    layout_interleaved_ = interleaved;
  }

  void list() {
    std::map<std::string, std::size_t> groups;
    for (std::size_t i = 0; i < model_->objects.size(); ++i) {
      const TdmsObject& object = model_->objects[i];
      if (!is_channel_[i]) {
        const std::string prefix = object.group.empty() ? "" : object.group + ": ";
        for (const auto& [key, value] : object.properties)
          if (out_.metadata.size() < 200 && !value.text.empty()) out_.metadata.emplace_back(prefix + key, value.text);
        continue;
      }
      if (object.mixed_types) {
        left_out_.add("which change between texts and numbers", object.name);
        continue;
      }
      if (object.type == tdms_complex_f32 || object.type == tdms_complex_f64) {
        left_out_.add("complex numbers", object.name);
        continue;
      }
      channel(i, groups.emplace(object.group, groups.size()).first->second);
    }
  }

  void channel(std::size_t number, std::size_t group) {
    const TdmsObject& object = model_->objects[number];
    RecordedChannel channel;
    channel.name = object.name;
    channel.group = object.group;
    channel.group_number = group;
    channel.count = static_cast<std::size_t>(object.count);
    channel.is_text = object.type == tdms_text;
    const auto find = [&](const std::string& key) -> const TdmsProperty* {
      const auto found = object.properties.find(key);
      return found == object.properties.end() ? nullptr : &found->second;
    };
    if (const TdmsProperty* unit = find("unit_string")) channel.unit = std::string(trim(unit->text));
    if (const TdmsProperty* text = find("description")) channel.description = text->text;
    if (object.type == tdms_time) channel.unit = "s", channel.description = "seconds since 1970-01-01 UTC";
    const TdmsProperty* axis = find("wf_xunit_string");
    const auto axis_unit = axis != nullptr && !trim(axis->text).empty() ? parse_unit(axis->text) : parse_unit("s");
    if (!axis_unit || !axis_unit->same_dimension(*parse_unit("s"))) {
      left_out_.add(fmt::format("over {} instead of time", in_quotes(axis->text)), object.name);
      return;
    }
    if (const TdmsProperty* step = find("wf_increment");
        step != nullptr && step->is_number && step->number > 0.0 && std::isfinite(step->number)) {
      channel.step_s = axis_unit->to_si * step->number;
      if (const TdmsProperty* start = find("wf_start_offset");
          start != nullptr && start->is_number && std::isfinite(start->number))
        channel.start_s = axis_unit->to_si * start->number;
    }
    if (const TdmsProperty* start = find("wf_start_time");
        start != nullptr && !start->text.empty() && out_.metadata.size() < 400)
      out_.metadata.emplace_back(object.group + "/" + object.name + ": start", start->text);
    std::vector<TdmsScale> scales;
    const TdmsProperty* status = find("NI_Scaling_Status");
    const TdmsProperty* count = find("NI_Number_Of_Scales");
    if (status != nullptr && status->text == "unscaled" && count != nullptr && count->is_number && !channel.is_text)
      if (const std::string refused = read_scales(object, count->number, scales); !refused.empty()) {
        scales.clear();
        channel.unit.clear();
        out_.findings.push_back(
            {Severity::serious, "scale_refused", out_.path,
             fmt::format("channel {}: {}; its values are raw ones, without a unit", in_quotes(channel.name), refused),
             "save the file with scaled values"});
      }
    model_->objects_of_channels.push_back(number);
    model_->scales.push_back(std::move(scales));
    out_.channels.push_back(std::move(channel));
  }

  // From the last scale back to the raw values; what is in the way, when a scale is not known.
  static std::string read_scales(const TdmsObject& object, double count, std::vector<TdmsScale>& scales) {
    constexpr double raw = 4294967295.0, most = 100.0;
    if (!(count >= 1.0) || count > most) return count == 0.0 ? "" : fmt::format("it claims {:g} scales", count);
    double at = std::floor(count) - 1.0;
    const auto number = [&](const std::string& key) -> std::optional<double> {
      const auto found = object.properties.find(key);
      return found != object.properties.end() && found->second.is_number ? std::optional(found->second.number)
                                                                         : std::nullopt;
    };
    for (int steps = 0; at != raw; ++steps) {
      if (steps > most) return "its scales refer to each other in a circle";
      const std::string prefix = fmt::format("NI_Scale[{:g}]_", at);
      const auto type = object.properties.find(prefix + "Scale_Type");
      if (type == object.properties.end()) return fmt::format("its scale {:g} is missing", at);
      const std::string kind = type->second.text;
      TdmsScale scale;
      if (kind == "Linear") {
        const auto slope = number(prefix + "Linear_Slope"), intercept = number(prefix + "Linear_Y_Intercept");
        if (!slope || !intercept) return "its linear scale is incomplete";
        scale.coefficients = {*intercept, *slope};
        at = number(prefix + "Linear_Input_Source").value_or(raw);
      } else if (kind == "Polynomial") {
        const auto size = number(prefix + "Polynomial_Coefficients_Size");
        if (!size || !(*size >= 1.0) || *size > most) return "its polynomial scale is incomplete";
        scale.coefficients.clear();
        for (int i = 0; i < static_cast<int>(*size); ++i) {
          const auto c = number(fmt::format("{}Polynomial_Coefficients[{}]", prefix, i));
          if (!c) return "its polynomial scale is incomplete";
          scale.coefficients.push_back(*c);
        }
        at = number(prefix + "Polynomial_Input_Source").value_or(raw);
      } else {
        return fmt::format("scales of type {} are not read", in_quotes(kind));
      }
      scales.insert(scales.begin(), std::move(scale));
    }
    return "";
  }

  const ByteSource& bytes_;
  std::shared_ptr<TdmsModel> model_;
  Recording out_;
  LeftOut left_out_;
  std::unordered_map<std::string, std::size_t> by_path_;
  std::vector<bool> is_channel_;
  std::vector<std::pair<std::size_t, bool>> list_;  // objects of the current segment, and whether they have data
  std::unordered_map<std::size_t, std::size_t> in_list_;
  std::shared_ptr<const TdmsLayout> layout_;
  bool layout_interleaved_ = false, version_told_ = false;
};

}  // namespace

Recording open_tdms(std::shared_ptr<const ByteSource> bytes, const std::string& name) {
  return TdmsOpener(std::move(bytes), name).open();
}

}  // namespace kdyn::inline io::internal
