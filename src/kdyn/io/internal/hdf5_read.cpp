// SPDX-License-Identifier: Apache-2.0
// The HDF5 reader: groups by an explicit stack, every address checked, every allocation and every unpacked chunk paid
// from a budget.
#include <algorithm>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <zlib.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"
#include "kdyn/io/internal/hdf5_types.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::size_t deepest = 16, most_objects = 100000, most_messages = 4096;
constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
constexpr std::uint64_t nowhere = ~std::uint64_t{0};

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
  std::uint64_t tree = nowhere, heap = nowhere;  // of a group
  std::string problem;
};

std::size_t superblock_of(std::string_view content) {
  for (std::size_t at = 0; at + 96 <= content.size(); at = at == 0 ? 512 : 2 * at)
    if (content.substr(at, 8) == signature) return at;
  return content.size();
}

class Reader {
 public:
  Reader(std::string_view content, const std::string& name, std::vector<Finding>& findings)
      : start_(superblock_of(content)),
        content_(content.substr(start_)),
        name_(name),
        findings_(findings),
        budget_(allowed_bytes(content.size())),
        unpack_budget_(4 * budget_),
        node_budget_(content.size() / 8 + 16) {}

  std::vector<H5Item> read() {
    if (content_.empty())
      throw_bad_input(name_, "this is no HDF5 file: its signature is missing",
                      "check that the file was transferred completely, in binary mode");
    const unsigned version = static_cast<unsigned char>(content_[8]);
    if (version > 1)
      throw_bad_input(name_, fmt::format("the file uses superblock version {}, which is not read", version),
                      "write it with the library's default, not with libver='latest'");
    if (content_[13] != 8 || content_[14] != 8)
      throw_bad_input(name_, "addresses of other than 8 bytes are not read", "write it on a usual machine");
    const std::size_t root_entry = (version == 0 ? 24 : 28) + 32;
    H5Bytes entry(content_.substr(std::min(root_entry, content_.size())));
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
      std::vector<Group> inner;
      for (const auto& [name, address] : members) {
        if (++visited_ > most_objects) {
          complain("too_many_objects", group.path, address,
                   "there are more than 100000 objects; the rest was not read");
          return std::move(items_);
        }
        const std::string path = group.path + "/" + name;
        const Object member = header(address);
        if (member.tree != nowhere) {
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

 private:
  void complain(const char* code, const std::string& path, std::uint64_t address, const std::string& message) {
    if (findings_.size() < 100)
      findings_.push_back({Severity::serious, code,
                           fmt::format("{}: dataset {}, byte {}", name_, in_quotes(path),
                                       address > content_.size() ? start_ : start_ + address),
                           message, "write the file again"});
  }

  // Bytes at an address of the file; empty when they are not all there.
  std::string_view at(std::uint64_t address, std::uint64_t size) const {
    if (address > content_.size() || size > content_.size() - address) return {};
    return content_.substr(address, size);
  }
  bool pay(std::size_t bytes) {
    if (bytes > budget_) return false;
    budget_ -= bytes;
    return true;
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
    std::vector<std::string_view> blocks = {at(address + 16, size)};
    if (blocks[0].empty()) blocks[0] = content_.substr(std::min<std::uint64_t>(address + 16, content_.size()));
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
    if (object.tree == nowhere) return false;
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
      if (!seen.insert(address).second || node_budget_ == 0) {
        whole = false;
        continue;
      }
      --node_budget_;
      H5Bytes node(content_.substr(std::min<std::uint64_t>(address, content_.size())));
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
              !pay(2 * plain.size() + 64)) {
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

  static void take_attributes(const Object& object, H5Item& item) {
    for (const H5Attribute& attribute : object.attributes) {
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

  void add_group(const Object& object, const std::string& path) {
    if (!pay(sizeof(H5Item) + path.size()))
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
    if (!pay(sizeof(H5Item) + path.size()))
      return complain("too_large", path, address, "there are more datasets than the file can describe");
    const H5Type& type = *object.type;
    if (object.space->is_null) {
      item.shape = {0};
      items_.push_back(std::move(item));
      return;
    }
    if (type.kind == H5Type::Kind::other || (type.kind == H5Type::Kind::text && !object.space->extents.empty()))
      return complain("type_unknown", path, address,
                      "its type is neither number, complex number nor single text; it was skipped");
    std::size_t count = 1;
    for (const std::uint64_t extent : object.space->extents) {
      item.shape.push_back(extent);
      if (extent != 0 && count > budget_ / extent)
        return complain("too_large", path, address, "it claims more values than the file can hold; it was not read");
      count *= extent;
    }
    const std::size_t element = type.kind == H5Type::Kind::complex ? 16
                                : type.kind == H5Type::Kind::text  ? type.size
                                                                   : 8;
    // Raw bytes and, beside them, the values.
    if (type.size > budget_ || count > budget_ / (element + type.size) || !pay(count * element))
      return complain("too_large", path, address, "it claims more values than the file can hold; it was not read");
    std::string raw;
    std::string_view bytes;
    if (count > 0 && !values(object, count, raw, bytes))
      return complain("bad_dataset", path, address, "its values lie outside the file or cannot be unpacked");
    convert(type, count, bytes, item);
    items_.push_back(std::move(item));
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

  // The values of a dataset in order, from the file or, when chunked, put together in `raw`.
  bool values(const Object& object, std::size_t count, std::string& raw, std::string_view& bytes) {
    const std::size_t size = count * object.type->size;
    const H5Layout& layout = *object.layout;
    if (layout.kind == H5Layout::Kind::compact) {
      bytes = layout.compact.substr(0, size);
      return bytes.size() == size;
    }
    if (layout.kind == H5Layout::Kind::contiguous && layout.address != nowhere) {
      bytes = at(layout.address, size);
      return bytes.size() == size;
    }
    raw.assign(size, '\0');  // what was never written is zero
    bytes = raw;
    return layout.kind == H5Layout::Kind::contiguous || layout.address == nowhere || chunks(object, raw);
  }

  bool chunks(const Object& object, std::string& raw) {
    const std::vector<std::uint64_t>& extents = object.space->extents;
    const H5Layout& layout = *object.layout;
    const std::size_t rank = extents.size(), element = object.type->size;
    if (layout.chunk.size() != rank + 1 || layout.chunk.back() != element) return false;
    std::size_t chunk_bytes = element;
    for (std::size_t i = 0; i < rank; ++i) {
      if (layout.chunk[i] == 0 || chunk_bytes > budget_ / layout.chunk[i]) return false;
      chunk_bytes *= layout.chunk[i];
    }
    std::vector<std::uint64_t> nodes = {layout.address};
    std::set<std::uint64_t> seen;
    while (!nodes.empty()) {
      const std::uint64_t address = nodes.back();
      nodes.pop_back();
      if (!seen.insert(address).second || node_budget_ == 0) return false;
      --node_budget_;
      H5Bytes node(content_.substr(std::min<std::uint64_t>(address, content_.size())));
      if (node.take_bytes(4) != "TREE" || node.take(1) != 1) return false;
      const std::uint64_t level = node.take(1), count = node.take(2);
      node.skip(16);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t stored = node.take(4), mask = node.take(4);
        std::array<std::uint64_t, 9> offset{};
        for (std::size_t k = 0; k <= rank; ++k) offset[k] = node.take(8);
        const std::uint64_t child = node.take(8);
        if (!node.good()) return false;
        if (level > 0) {
          nodes.push_back(child);
          continue;
        }
        std::string unpacked;
        std::string_view data = at(child, stored);
        if (data.size() != stored || !unfilter(object, mask, chunk_bytes, element, data, unpacked)) return false;
        place(extents, layout.chunk, offset, element, data, raw);
      }
    }
    return true;
  }

  // Undoes the filters of a chunk, last one first. Afterwards `data` has chunk_bytes bytes.
  bool unfilter(const Object& object, std::uint64_t mask, std::size_t chunk_bytes, std::size_t element,
                std::string_view& data, std::string& buffer) {
    if (chunk_bytes > unpack_budget_) return false;
    unpack_budget_ -= chunk_bytes;
    const std::size_t filters = object.filters ? object.filters->ids.size() : 0;
    for (std::size_t i = filters; i > 0; --i) {
      if ((mask >> (i - 1) & 1U) != 0) continue;
      const std::uint16_t id = object.filters->ids[i - 1];
      if (id == 3) {
        if (data.size() < 4) return false;
        data.remove_suffix(4);
      } else if (id == 1) {
        std::string out(chunk_bytes + 4, '\0');  // room for a checksum behind the values
        auto size = static_cast<uLongf>(out.size());
        if (uncompress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
                       static_cast<uLong>(data.size())) != Z_OK)
          return false;
        out.resize(size);
        buffer = std::move(out);
        data = buffer;
      } else {
        if (element < 2) continue;
        std::string out(data.size(), '\0');
        const std::size_t count = data.size() / element;
        for (std::size_t b = 0; b < element; ++b)
          for (std::size_t k = 0; k < count; ++k) out[k * element + b] = data[b * count + k];
        for (std::size_t k = count * element; k < data.size(); ++k) out[k] = data[k];
        buffer = std::move(out);
        data = buffer;
      }
    }
    return data.size() == chunk_bytes;
  }

  // Copies the rows of a chunk that lie within the dataset.
  static void place(const std::vector<std::uint64_t>& extents, const std::vector<std::uint64_t>& chunk,
                    const std::array<std::uint64_t, 9>& offset, std::size_t element, std::string_view data,
                    std::string& raw) {
    const std::size_t rank = extents.size();
    for (std::size_t k = 0; k < rank; ++k)
      if (offset[k] >= extents[k]) return;
    const std::uint64_t row = std::min(chunk[rank - 1], extents[rank - 1] - offset[rank - 1]);
    std::array<std::uint64_t, 9> index{};
    for (std::size_t from = 0; from < data.size(); from += chunk[rank - 1] * element) {
      bool inside = true;
      std::uint64_t to = 0;
      for (std::size_t k = 0; k < rank; ++k) {
        inside = inside && offset[k] + index[k] < extents[k];
        to = to * extents[k] + offset[k] + index[k];
      }
      if (inside) std::memcpy(raw.data() + to * element, data.data() + from, row * element);
      for (std::size_t k = rank - 1; k-- > 0;) {
        if (++index[k] < chunk[k]) break;
        index[k] = 0;
      }
    }
  }

  std::size_t start_;
  std::string_view content_;  // from the superblock on: addresses count from there
  const std::string& name_;
  std::vector<Finding>& findings_;
  std::size_t budget_, unpack_budget_, node_budget_, visited_ = 0;
  std::set<std::uint64_t> seen_;
  std::vector<H5Item> items_;
};

}  // namespace

bool looks_like_hdf5(std::string_view content) { return superblock_of(content) < content.size(); }

std::vector<H5Item> parse_hdf5(std::string_view content, const std::string& name, std::vector<Finding>& findings) {
  return Reader(content, name, findings).read();
}

}  // namespace kdyn::inline io::internal
