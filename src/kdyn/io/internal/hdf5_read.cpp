// SPDX-License-Identifier: Apache-2.0
// The HDF5 reader: groups by an explicit stack, every address checked, every allocation and every unpacked chunk paid
// from a budget.
#include <algorithm>
#include <cstring>
#include <deque>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"
#include "kdyn/io/internal/hdf5_types.hpp"
#include "kdyn/io/internal/hdf5_values.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::size_t deepest = 16, most_objects = 100000, most_messages = 4096;

enum Message {
  space_message = 1,
  type_message = 3,
  layout_message = 8,
  filter_message = 11,
  attribute_message = 12,
  continuation_message = 16,
  group_message = 17
};

// What an object header says, as far as it is understood.
struct Object {
  std::optional<H5Space> space;
  std::optional<H5Type> type;
  std::optional<H5Layout> layout;
  std::optional<H5Filters> filters;
  std::vector<H5Attribute> attributes;
  std::uint64_t tree = h5_nowhere, heap = h5_nowhere;  // of a group
  std::string problem;
};

class Reader {
 public:
  Reader(std::shared_ptr<const ByteSource> bytes, const std::string& name, std::vector<Finding>& findings,
         H5Wanted wanted = {})
      : source_(std::move(bytes)),
        name_(name),
        findings_(findings),
        wanted_(std::move(wanted)) {}

  std::vector<H5Item> read() {
    std::string scratch;
    const std::string_view superblock = source_.up_to(0, 96, scratch);
    if (superblock.empty())
      throw_bad_input(name_, "this is no HDF5 file: its signature is missing",
                      "check that the file was transferred completely, in binary mode");
    const unsigned version = static_cast<unsigned char>(superblock[8]);
    if (version > 1)
      throw_bad_input(name_, fmt::format("the file uses superblock version {}, which is not read", version),
                      "write it with the library's default, not with libver='latest'");
    if (superblock[13] != 8 || superblock[14] != 8)
      throw_bad_input(name_, "addresses of other than 8 bytes are not read", "write it on a usual machine");
    const std::size_t root_entry = (version == 0 ? 24 : 28) + 32;
    H5Bytes entry(superblock.substr(std::min(root_entry, superblock.size())));
    entry.skip(8);
    struct Group {
      std::string path;
      std::uint64_t address;
      std::size_t depth;
    };
    std::vector<Group> waiting = {{"", entry.take(8), 0}};
    seen_.insert(waiting[0].address);
    while (!waiting.empty()) {
      const Group group = std::move(waiting.back());
      waiting.pop_back();
      const Object object = header(group.address);
      std::vector<std::pair<std::string, std::uint64_t>> members;
      if (!list(object, members))
        complain("bad_group", group.path.empty() ? "/" : group.path, group.address,
                 "the list of the group is damaged; the part that could be read was used");
      std::sort(members.begin(), members.end());
      add_group_attributes(object, group.path, members);
      std::vector<Group> inner;
      for (const auto& [name, address] : members) {
        if (++visited_ > most_objects) {
          complain("too_many_objects", group.path, address,
                   "there are more than 100000 objects; the rest was not read");
          return std::move(items_);
        }
        const std::string path = group.path + "/" + name;
        const Object member = header(address);
        if (member.tree != h5_nowhere) {
          add_group(member, path);
          if (group.depth + 1 >= deepest)
            complain("too_deep", path, address, "groups are nested more than 16 deep; this one was not read");
          else if (seen_.insert(address).second)
            inner.push_back({path, address, group.depth + 1});
        } else {
          read_dataset(member, path, address);
        }
      }
      for (auto next = inner.rbegin(); next != inner.rend(); ++next) waiting.push_back(std::move(*next));
    }
    return std::move(items_);
  }

  // Values of one dataset, or of some of its rows or columns one after another.
  std::vector<double> numbers(const H5Item& item, const H5Slice& slice) {
    const Object object = header(item.address);
    const auto fail = [&](const char* message) {
      throw_bad_input(fmt::format("{}: dataset {}", name_, in_quotes(item.path)), message, "write the file again");
    };
    if (!object.problem.empty() || !object.space || !object.type || !object.layout ||
        object.type->kind != H5Type::Kind::number ||
        !std::equal(object.space->extents.begin(), object.space->extents.end(), item.shape.begin(), item.shape.end()) ||
        (!slice.indices.empty() && item.shape.size() != 2))
      fail("its values cannot be read");
    std::size_t count = slice.indices.empty() ? 1 : slice.indices.size() * item.shape[1 - slice.axis];
    if (slice.indices.empty())
      for (const std::size_t extent : item.shape) count *= extent;
    if (count > source_.budget() / (8 + object.type->size)) fail("it claims more values than the file can hold");
    std::string raw;
    std::string_view bytes;
    if (count > 0 && !h5_values(source_, dataset_of(object), slice, raw, bytes))
      fail("its values lie outside the file or cannot be unpacked");
    H5Item read;
    convert(*object.type, count, bytes, read);
    if (read.kind != H5Item::Kind::integer) return std::move(read.numbers);
    return {read.integers.begin(), read.integers.end()};
  }

 private:
  void complain(const char* code, const std::string& path, std::uint64_t address, const std::string& message) {
    if (findings_.size() < 100)
      findings_.push_back({Severity::serious, code,
                           fmt::format("{}: dataset {}, byte {}", name_, in_quotes(path),
                                       source_.start() + (address > source_.size() ? 0 : address)),
                           message, "write the file again"});
  }

  // Bytes at an address of the file that stay; empty when they are not all there.
  std::string_view at(std::uint64_t address, std::uint64_t size) {
    std::string scratch;
    const std::string_view found = source_.at(address, size, scratch);
    return scratch.empty() ? found : std::string_view(kept_.emplace_back(std::move(scratch))).substr(0, found.size());
  }

  Object header(std::uint64_t address) {
    Object out;
    H5Bytes head(at(address, 16));
    const std::uint64_t version = head.take(1);
    head.skip(1);
    std::uint64_t left = head.take(2);
    head.skip(4);
    const std::uint64_t size = head.take(4);
    if (!head.good() || version != 1) {
      out.problem =
          at(address, 4) == "OHDR" ? "its header is of a newer version that is not read" : "its header is damaged";
      return out;
    }
    left = std::min<std::uint64_t>(left, most_messages);
    constexpr std::uint64_t largest_header = std::uint64_t{1} << 24;
    std::vector<std::string_view> blocks = {
        at(address + 16, std::min({size, source_.size() - address - 16, largest_header}))};
    for (std::size_t b = 0; b < blocks.size() && left > 0; ++b) {
      H5Bytes in(blocks[b]);
      while (left > 0 && in.rest().size() >= 8) {
        const std::uint64_t type = in.take(2), bytes = in.take(2), flags = in.take(1);
        in.skip(3);
        const std::string_view data = in.take_bytes(bytes);
        if (!in.good()) break;
        --left;
        if ((flags & 2U) != 0) {
          if (type == type_message) out.problem = "its type is shared with others, which is not read";
          continue;
        }
        if (type == continuation_message && blocks.size() < 64) {
          H5Bytes next(data);
          const std::uint64_t where = next.take(8), length = next.take(8);
          if (next.good()) blocks.push_back(at(where, length));
        } else {
          take_message(type, data, out);
        }
      }
    }
    return out;
  }

  static void take_message(std::uint64_t type, std::string_view data, Object& out) {
    if (type == space_message) out.space = h5_space(data);
    if (type == type_message) out.type = h5_type(data);
    if (type == layout_message) {
      out.layout = h5_layout(data);
      if (!out.layout) out.problem = "its layout is damaged or of a newer version that is not read";
    }
    if (type == filter_message) {
      out.filters = h5_filters(data);
      if (!out.filters || !out.filters->known)
        out.problem = "it uses a filter other than deflate, shuffle and Fletcher32";
    }
    if (type == attribute_message && out.attributes.size() < 64)
      if (auto attribute = h5_attribute(data)) out.attributes.push_back(std::move(*attribute));
    if (type == group_message) {
      H5Bytes in(data);
      const std::uint64_t tree = in.take(8), heap = in.take(8);
      if (in.good()) out.tree = tree, out.heap = heap;
    }
  }

  // Names and addresses of a group's members; false when something is damaged.
  bool list(const Object& object, std::vector<std::pair<std::string, std::uint64_t>>& members) {
    if (object.tree == h5_nowhere) return false;
    H5Bytes heap(at(object.heap, 32));
    if (heap.take_bytes(4) != "HEAP") return false;
    heap.skip(4);
    const std::uint64_t size = heap.take(8);
    heap.skip(8);
    const std::string_view names = at(heap.take(8), size);
    if (!heap.good() || names.empty()) return false;
    bool whole = true;
    std::vector<std::uint64_t> nodes = {object.tree};
    std::set<std::uint64_t> seen;
    while (!nodes.empty()) {
      const std::uint64_t address = nodes.back();
      nodes.pop_back();
      if (!seen.insert(address).second || !source_.visit()) {
        whole = false;
        continue;
      }
      std::string scratch;
      H5Bytes node(source_.node(address, 16, scratch));
      const std::string_view mark = node.take_bytes(4);
      if (mark == "TREE") {
        const std::uint64_t kind = node.take(1);
        node.skip(1);
        const std::uint64_t count = node.take(2);
        node.skip(16);
        if (kind != 0) return false;
        for (std::uint64_t i = 0; i < count && node.good(); ++i) {
          node.skip(8);
          const std::uint64_t child = node.take(8);
          if (node.good()) nodes.push_back(child);
        }
      } else if (mark == "SNOD") {
        node.skip(2);
        const std::uint64_t count = node.take(2);
        for (std::uint64_t i = 0; i < count && node.good(); ++i) {
          const std::uint64_t name = node.take(8), header_address = node.take(8), cache = node.take(4);
          node.skip(20);
          if (!node.good()) break;
          if (cache == 2) continue;  // a soft link
          if (name >= names.size()) {
            whole = false;
            continue;
          }
          const std::string_view text = names.substr(name, 256), plain = text.substr(0, text.find('\0'));
          if (plain.empty() || plain.size() > 255 || plain.find('/') != std::string_view::npos ||
              !source_.pay(2 * plain.size() + 64)) {
            whole = false;
            continue;
          }
          members.emplace_back(to_utf8(plain), header_address);
        }
      } else {
        whole = false;
      }
      whole = whole && node.good();
    }
    return whole;
  }

  // A text of fixed length, or one that stands in a heap of the file.
  std::optional<std::string> text_of(const H5Attribute& attribute) const {
    constexpr std::size_t longest = 256;
    if (attribute.type.kind == H5Type::Kind::text) {
      const std::string_view text = attribute.data.substr(0, std::min(attribute.type.size, longest));
      return to_utf8(text.substr(0, text.find('\0')));
    }
    if (attribute.type.kind != H5Type::Kind::text_in_heap) return std::nullopt;
    H5Bytes in(attribute.data);
    const std::uint64_t length = in.take(4), collection = in.take(8), wanted = in.take(4);
    std::string scratch;
    H5Bytes heap(source_.up_to(collection, std::uint64_t{1} << 16, scratch));
    if (!in.good() || length > longest || heap.take_bytes(4) != "GCOL") return std::nullopt;
    heap.skip(12);
    while (heap.good()) {
      const std::uint64_t index = heap.take(2);
      heap.skip(6);
      const std::uint64_t size = heap.take(8);
      if (index == 0 || !heap.good()) return std::nullopt;
      if (index == wanted) {
        const std::string_view text = heap.take_bytes(std::min(size, length));
        return to_utf8(text.substr(0, text.find('\0')));
      }
      heap.skip(size > (std::uint64_t{1} << 16) ? size : (size + 7) / 8 * 8);
    }
    return std::nullopt;
  }

  // Single numbers and texts that describe a group ("fs", "direction") count like datasets in it.
  void add_group_attributes(const Object& object, const std::string& path,
                            const std::vector<std::pair<std::string, std::uint64_t>>& members) {
    for (const H5Attribute& attribute : object.attributes) {
      const bool taken =
          attribute.name.empty() || attribute.name.starts_with("MATLAB") || attribute.name == "H5PATH" ||
          attribute.name.find('/') != std::string::npos ||
          std::any_of(members.begin(), members.end(), [&](const auto& m) { return m.first == attribute.name; });
      H5Item item;
      item.path = path + "/" + to_utf8(attribute.name);
      if (taken || attribute.name.size() > 255 || !source_.pay(sizeof(H5Item) + 1024)) continue;
      std::uint64_t count = 1;
      for (const std::uint64_t extent : attribute.space.extents) count *= extent == 1 ? 1 : 0;
      if (count != 1 || attribute.space.is_null) continue;
      if (attribute.type.kind == H5Type::Kind::number && attribute.data.size() >= attribute.type.size) {
        item.shape = {1};
        item.numbers = {h5_real(attribute.data.data(), attribute.type.first)};
      } else if (auto text = text_of(attribute)) {
        item.kind = H5Item::Kind::text;
        item.text = std::move(*text);
      } else {
        continue;
      }
      items_.push_back(std::move(item));
    }
  }

  void take_attributes(const Object& object, H5Item& item) const {
    for (const H5Attribute& attribute : object.attributes) {
      if (const std::string name = lower_case(attribute.name); name == "unit" || name == "units")
        item.unit = trim(text_of(attribute).value_or(""));
      if (attribute.name == "MATLAB_class" && attribute.type.kind == H5Type::Kind::text && attribute.type.size <= 64 &&
          attribute.data.size() >= attribute.type.size) {
        const std::string_view text = attribute.data.substr(0, attribute.type.size);
        item.matlab_class = to_utf8(text.substr(0, text.find('\0')));
      }
      if (attribute.name == "MATLAB_empty") item.matlab_empty = true;
      if (attribute.name == "MATLAB_sparse" && attribute.type.kind == H5Type::Kind::number &&
          attribute.type.first.kind == H5Number::Kind::integer && attribute.data.size() >= attribute.type.size)
        item.matlab_sparse_rows = std::max<std::int64_t>(-1, h5_integer(attribute.data.data(), attribute.type.first));
    }
  }

  // Numbers of other programs that ask to be multiplied before they mean something: kdyn does not, and says so.
  void tell_scaling(const Object& object, const std::string& path, std::uint64_t address) {
    for (const H5Attribute& attribute : object.attributes) {
      const std::string name = lower_case(attribute.name);
      const bool offset = name == "add_offset" || name == "offset";
      if (!offset && name != "scale_factor" && name != "scale" && name != "gain" && name != "slope") continue;
      if (attribute.type.kind != H5Type::Kind::number || attribute.data.size() < attribute.type.size) continue;
      const double value = h5_real(attribute.data.data(), attribute.type.first);
      if (value == (offset ? 0.0 : 1.0) || findings_.size() >= 100) continue;
      findings_.push_back({Severity::serious, "scaling_not_applied",
                           fmt::format("{}: dataset {}, byte {}", name_, in_quotes(path),
                                       source_.start() + (address > source_.size() ? 0 : address)),
                           fmt::format("its attribute {} is {:g} and was not applied: values stand as they are stored",
                                       in_quotes(attribute.name), value),
                           "write scaled values, or take the attribute away if they are"});
    }
  }

  void add_group(const Object& object, const std::string& path) {
    if (!source_.pay(sizeof(H5Item) + path.size()))
      return complain("too_large", path, 0, "there are more groups than the file can describe");
    H5Item item;
    item.path = path;
    item.kind = H5Item::Kind::group;
    take_attributes(object, item);
    items_.push_back(std::move(item));
  }

  void read_dataset(const Object& object, const std::string& path, std::uint64_t address) {
    if (!object.problem.empty()) return complain("not_read", path, address, object.problem);
    if (!object.space || !object.type || !object.layout)
      return complain("bad_dataset", path, address, "type, shape or place of its values cannot be read");
    H5Item item;
    item.path = path;
    take_attributes(object, item);
    tell_scaling(object, path, address);
    if (!source_.pay(sizeof(H5Item) + path.size()))
      return complain("too_large", path, address, "there are more datasets than the file can describe");
    const H5Type& type = *object.type;
    if (object.space->is_null) {
      item.shape = {0};
      items_.push_back(std::move(item));
      return;
    }
    if (type.kind == H5Type::Kind::other || type.kind == H5Type::Kind::text_in_heap ||
        (type.kind == H5Type::Kind::text && !object.space->extents.empty()))
      return complain("type_unknown", path, address,
                      "its type is neither number, complex number nor single text; it was skipped");
    std::size_t count = 1;
    for (const std::uint64_t extent : object.space->extents) {
      item.shape.push_back(extent);
      if (extent != 0 && count > source_.budget() / extent)
        return complain("too_large", path, address, "it claims more values than the file can hold; it was not read");
      count *= extent;
    }
    const std::size_t element = type.kind == H5Type::Kind::complex ? 16
                                : type.kind == H5Type::Kind::text  ? type.size
                                                                   : 8;
    item.address = address;
    if (type.kind != H5Type::Kind::text && !wanted_.values(path, count)) {
      item.deferred = true;
      item.kind = type.kind == H5Type::Kind::complex           ? H5Item::Kind::complex
                  : type.first.kind == H5Number::Kind::integer ? H5Item::Kind::integer
                                                               : H5Item::Kind::real;
      items_.push_back(std::move(item));
      return;
    }
    // Raw bytes and, beside them, the values.
    if (type.size > source_.budget() || count > source_.budget() / (element + type.size) ||
        !source_.pay(count * element))
      return complain("too_large", path, address, "it claims more values than the file can hold; it was not read");
    std::string raw;
    std::string_view bytes;
    const H5Dataset dataset = dataset_of(object);
    if (count > 0 && !h5_values(source_, dataset, {}, raw, bytes))
      return complain("bad_dataset", path, address, "its values lie outside the file or cannot be unpacked");
    convert(type, count, bytes, item);
    items_.push_back(std::move(item));
  }

  static H5Dataset dataset_of(const Object& object) {
    return {object.space->extents, *object.type, *object.layout, object.filters.value_or(H5Filters{})};
  }

  static void convert(const H5Type& type, std::size_t count, std::string_view bytes, H5Item& item) {
    const char* p = bytes.data();
    if (type.kind == H5Type::Kind::text) {
      item.kind = H5Item::Kind::text;
      item.text = to_utf8(bytes.substr(0, bytes.find('\0')));
    } else if (type.kind == H5Type::Kind::complex) {
      item.kind = H5Item::Kind::complex;
      item.numbers.resize(2 * count);
      for (std::size_t i = 0; i < count; ++i, p += type.size)
        item.numbers[2 * i] = h5_real(p, type.first), item.numbers[2 * i + 1] = h5_real(p, type.second);
    } else if (type.first.kind == H5Number::Kind::integer) {
      item.kind = H5Item::Kind::integer;
      item.integers.resize(count);
      for (std::size_t i = 0; i < count; ++i, p += type.size) item.integers[i] = h5_integer(p, type.first);
    } else {
      item.numbers.resize(count);
      if (type.size == 8 && !type.first.big_endian && count > 0)
        std::memcpy(item.numbers.data(), p, 8 * count);
      else
        for (std::size_t i = 0; i < count; ++i, p += type.size) item.numbers[i] = h5_real(p, type.first);
    }
  }

  H5Source source_;
  const std::string& name_;
  std::vector<Finding>& findings_;
  H5Wanted wanted_;
  std::size_t visited_ = 0;
  std::set<std::uint64_t> seen_;
  std::vector<H5Item> items_;
  std::deque<std::string> kept_;  // descriptions that objects point into, of a file that is not in memory
};

}  // namespace

bool looks_like_hdf5(std::string_view content) { return is_hdf5(*ByteSource::of(content)); }

std::vector<H5Item> parse_hdf5(std::string_view content, const std::string& name, std::vector<Finding>& findings) {
  return Reader(ByteSource::of(content), name, findings).read();
}

std::vector<H5Item> list_hdf5(std::shared_ptr<const ByteSource> bytes, const std::string& name,
                              std::vector<Finding>& findings, const H5Wanted& wanted) {
  return Reader(std::move(bytes), name, findings, wanted).read();
}

std::vector<double> read_hdf5(std::shared_ptr<const ByteSource> bytes, const std::string& name, const H5Item& item,
                              const H5Slice& slice) {
  std::vector<Finding> findings;
  return Reader(std::move(bytes), name, findings).numbers(item, slice);
}

}  // namespace kdyn::inline io::internal
