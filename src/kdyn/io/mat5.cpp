// SPDX-License-Identifier: Apache-2.0
// MAT version 5: tagged elements, nested by an explicit stack, unpacked within a budget.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>

#include <fmt/format.h>
#include <zlib.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/internal/mat_parts.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::size_t deepest = 16;
enum Type {
  mi_int8 = 1,
  mi_uint8,
  mi_int16,
  mi_uint16,
  mi_int32,
  mi_uint32,
  mi_single,
  mi_double = 9,
  mi_int64 = 12,
  mi_uint64,
  mi_matrix,
  mi_compressed,
  mi_utf8,
  mi_utf16,
  mi_utf32
};
enum Class { cell = 1, structure, object, character, sparse, first_numeric };

struct Element {
  std::uint32_t type = 0;
  std::string_view data;
};

std::size_t size_of(std::uint32_t type) {
  switch (type) {
    case mi_int8:
    case mi_uint8:
    case mi_utf8: return 1;
    case mi_int16:
    case mi_uint16:
    case mi_utf16: return 2;
    case mi_int32:
    case mi_uint32:
    case mi_single:
    case mi_utf32: return 4;
    case mi_double:
    case mi_int64:
    case mi_uint64: return 8;
    default: return 0;
  }
}

double number_at(const char* p, std::uint32_t type, bool big) {
  switch (type) {
    case mi_int8: return load<std::int8_t>(p, big);
    case mi_uint8:
    case mi_utf8: return load<std::uint8_t>(p, big);
    case mi_int16: return load<std::int16_t>(p, big);
    case mi_uint16:
    case mi_utf16: return load<std::uint16_t>(p, big);
    case mi_int32: return load<std::int32_t>(p, big);
    case mi_uint32:
    case mi_utf32: return load<std::uint32_t>(p, big);
    case mi_single: return static_cast<double>(load<float>(p, big));
    case mi_double: return load<double>(p, big);
    case mi_int64: return static_cast<double>(load<std::int64_t>(p, big));
    case mi_uint64: return static_cast<double>(load<std::uint64_t>(p, big));
    default: return 0.0;
  }
}

constexpr std::array<const char*, 16> class_names = {"",       "cell",   "struct", "object", "char",  "sparse",
                                                     "double", "single", "int8",   "uint8",  "int16", "uint16",
                                                     "int32",  "uint32", "int64",  "uint64"};

class Reader {
 public:
  Reader(std::string_view content, MatFile& file)
      : content_(content),
        file_(file),
        big_(content[126] == 'M'),
        budget_(mat_budget(content.size())) {}

  void read() {
    std::string_view rest = content_.substr(128);
    Element element;
    while (!rest.empty()) {
      const std::size_t offset = content_.size() - rest.size();
      if (!take(rest, element, false)) {
        complain("truncated", "", offset, "an element ends behind the end of the file; the rest was not read");
        return;
      }
      if (element.type == mi_compressed && !unpack(element, offset)) continue;
      if (element.type == mi_matrix) read_matrix(element.data, offset);
    }
  }

 private:
  struct Job {
    std::string_view data;
    std::string path;
    std::size_t depth = 0;
  };

  void complain(const char* code, const std::string& array, std::size_t offset, const std::string& message) {
    if (file_.findings.size() < 100)
      file_.findings.push_back({Severity::serious, code,
                                fmt::format("{}: array {}, byte {}", file_.name, in_quotes(array), offset), message,
                                "write the file again"});
  }

  // The element at the start of `rest`, which is moved behind it and its padding.
  bool take(std::string_view& rest, Element& element, bool padded) const {
    if (rest.size() < 8) return false;
    const auto head = load<std::uint32_t>(rest.data(), big_);
    if ((head >> 16) != 0) {
      const std::uint32_t size = head >> 16;
      element = {head & 0xffffU, rest.substr(4, size)};
      rest.remove_prefix(8);
      return size <= 4;
    }
    const auto size = load<std::uint32_t>(rest.data() + 4, big_);
    if (size > rest.size() - 8) return false;
    element = {head, rest.substr(8, size)};
    const std::size_t whole = 8 + size + (padded ? (8 - size % 8) % 8 : 0);
    rest.remove_prefix(std::min(whole, rest.size()));
    return true;
  }

  bool unpack(Element& element, std::size_t offset) {
    std::string out;
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) return false;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(element.data.data()));
    stream.avail_in = static_cast<uInt>(element.data.size());
    int state = Z_OK;
    while (state == Z_OK) {
      const std::size_t before = out.size(),
                        step = std::min(std::max<std::size_t>(out.size(), std::size_t{1} << 12), budget_);
      if (step == 0) break;
      out.resize(before + step);
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
      stream.avail_out = static_cast<uInt>(std::min<std::size_t>(step, 1U << 30));
      const uInt room = stream.avail_out;
      state = inflate(&stream, Z_NO_FLUSH);
      const std::size_t got = room - stream.avail_out;
      out.resize(before + got);
      budget_ -= got;
      if (got == 0 && state == Z_OK && stream.avail_in == 0) break;
    }
    inflateEnd(&stream);
    if (budget_ == 0) {
      complain("too_large", "", offset,
               "the file unpacks to more than 512 MB and 20 times its size; this array was not read");
      return false;
    }
    if (state != Z_STREAM_END)
      complain("bad_compression", "", offset, "the compressed data are damaged; what could be unpacked was used");
    unpacked_.push_back(std::move(out));
    std::string_view inner = unpacked_.back();
    if (!take(inner, element, true)) {
      complain("bad_array", "", offset, "the compressed element is shorter than it says");
      return false;
    }
    return true;
  }

  void read_matrix(std::string_view data, std::size_t offset) {
    std::vector<Job> jobs = {{data, {}, 0}};
    while (!jobs.empty()) {
      const Job job = std::move(jobs.back());
      jobs.pop_back();
      std::vector<Job> children;
      read_one(job, offset, children);
      for (auto child = children.rbegin(); child != children.rend(); ++child) jobs.push_back(std::move(*child));
    }
    // What was unpacked is not needed beyond its array.
    if (!unpacked_.empty()) {
      budget_ += unpacked_.back().size();
      unpacked_.clear();
    }
  }

  bool pay(std::size_t bytes) {
    if (bytes > budget_) return false;
    budget_ -= bytes;
    return true;
  }

  void read_one(const Job& job, std::size_t offset, std::vector<Job>& children) {
    std::string_view rest = job.data;
    Element flags, dimensions, name;
    if (rest.empty()) return;  // MATLAB writes nothing for an empty cell
    if (!take(rest, flags, true) || flags.data.size() < 8 || !take(rest, dimensions, true) || !take(rest, name, true))
      return complain("bad_array", job.path, offset, "its header is damaged; it was skipped");
    const auto bits = load<std::uint32_t>(flags.data.data(), big_);
    const std::uint32_t kind = bits & 0xffU;
    const bool is_complex = (bits & 0x800U) != 0;
    MatArray array;
    array.name = job.path.empty() ? to_utf8(name.data.substr(0, 200)) : job.path;
    std::size_t count = 1;
    const std::size_t rank = dimensions.data.size() / 4;
    if (rank < 2 || rank > 32)
      return complain("bad_array", array.name, offset, "it has no sensible number of dimensions; it was skipped");
    for (std::size_t i = 0; i < rank; ++i) {
      const auto extent = load<std::int32_t>(dimensions.data.data() + 4 * i, big_);
      if (extent < 0 || (extent > 0 && count > (std::uint64_t{1} << 40) / static_cast<std::size_t>(extent)))
        return complain("bad_array", array.name, offset, "its dimensions make no sense; it was skipped");
      array.shape.push_back(static_cast<std::size_t>(extent));
      count *= static_cast<std::size_t>(extent);
    }
    if (kind >= class_names.size() || kind == 0 || kind == object) {
      file_.findings.push_back({Severity::note, "class_skipped",
                                fmt::format("{}: array {}", file_.name, in_quotes(array.name)),
                                "objects and functions are not read", "save plain arrays and structs"});
      return;
    }
    array.matlab_class = class_names[kind];
    if (kind == cell || kind == structure) {
      if (job.depth + 1 >= deepest)
        return complain("too_deep", array.name, offset,
                        "structs and cells are nested more than 16 deep; the inner ones were not read");
      read_container(rest, array.name, kind == structure, count, job.depth, offset, children);
    } else if (kind == sparse) {
      read_sparse(rest, std::move(array), is_complex, offset);
    } else {
      read_numbers(rest, std::move(array), kind == character, is_complex, count, offset);
    }
  }

  void read_container(std::string_view rest, const std::string& path, bool is_struct, std::size_t count,
                      std::size_t depth, std::size_t offset, std::vector<Job>& children) {
    std::vector<std::string> fields = {""};
    if (is_struct) {
      Element length, names;
      if (!take(rest, length, true) || length.data.size() < 4 || !take(rest, names, true))
        return complain("bad_array", path, offset, "its field names are damaged; it was skipped");
      const auto width = load<std::int32_t>(length.data.data(), big_);
      if (width < 1 || width > 256)
        return complain("bad_array", path, offset, "its field names are damaged; it was skipped");
      fields.clear();
      for (std::size_t at = 0; at + static_cast<std::size_t>(width) <= names.data.size();
           at += static_cast<std::size_t>(width)) {
        const std::string_view field = names.data.substr(at, static_cast<std::size_t>(width));
        fields.push_back(to_utf8(field.substr(0, field.find('\0'))));
      }
      if (fields.empty()) return;  // a struct without fields holds nothing, however many elements it claims
    }
    Element element;
    for (std::size_t i = 0; i < count; ++i)
      for (const std::string& field : fields) {
        if (rest.size() < 8) return;
        if (!take(rest, element, true))
          return complain("truncated", path, offset, "its elements end early; the ones before were kept");
        if (element.type != mi_matrix) continue;
        std::string child = is_struct ? (count > 1 ? fmt::format("{}({}).{}", path, i + 1, field) : path + "." + field)
                                      : fmt::format("{}{{{}}}", path, i + 1);
        if (!pay(child.size() + sizeof(Job)))
          return complain("too_large", path, offset, "it holds more elements than the file can describe");
        children.push_back({element.data, std::move(child), depth + 1});
      }
  }

  bool numbers_of(std::string_view& rest, std::vector<double>& values) {
    Element element;
    if (!take(rest, element, true)) return false;
    const std::size_t width = size_of(element.type);
    if (width == 0) return element.data.empty();
    const std::size_t count = element.data.size() / width;
    if (!pay(8 * count)) return false;
    values.resize(count);
    if (element.type == mi_double && !big_ && count > 0)
      std::memcpy(values.data(), element.data.data(), 8 * count);
    else
      for (std::size_t i = 0; i < count; ++i)
        values[i] = number_at(element.data.data() + width * i, element.type, big_);
    return true;
  }

  void read_numbers(std::string_view rest, MatArray&& array, bool is_text, bool is_complex, std::size_t count,
                    std::size_t offset) {
    std::vector<double> imaginary;
    const bool good = numbers_of(rest, array.real) && array.real.size() == count &&
                      (!is_complex || (numbers_of(rest, imaginary) && imaginary.size() == count));
    if (!good && !(count == 0 && array.real.empty()))
      return complain("bad_array", array.name, offset,
                      fmt::format("{} values are expected, {} are there, or it is too large; it was skipped", count,
                                  array.real.size()));
    if (is_text && array.shape[0] <= 1) {
      array.text = text_of(array.real);
      array.real.clear();
    } else if (is_complex) {
      if (!pay(16 * count))
        return complain("too_large", array.name, offset,
                        "it needs more memory than a file of this size is granted; it was skipped");
      array.is_complex = true;
      array.complex.resize(count);
      for (std::size_t i = 0; i < count; ++i) array.complex[i] = {array.real[i], imaginary[i]};
      array.real = {};
    }
    file_.arrays.push_back(std::move(array));
  }

  void read_sparse(std::string_view rest, MatArray&& array, bool is_complex, std::size_t offset) {
    std::vector<double> rows, starts, real, imaginary;
    const bool good = numbers_of(rest, rows) && numbers_of(rest, starts) && numbers_of(rest, real) &&
                      (!is_complex || numbers_of(rest, imaginary));
    if (!good || array.shape.size() != 2 || !make_sparse(array, rows, starts, real, imaginary))
      return complain("bad_array", array.name, offset, "the sparse matrix makes no sense; it was skipped");
    file_.arrays.push_back(std::move(array));
  }

  std::string_view content_;
  MatFile& file_;
  bool big_;
  std::size_t budget_;
  std::deque<std::string> unpacked_;
};

class Writer {
 public:
  explicit Writer(const ByteSink& sink) : sink_(sink) {}

  void array(const MatArray& a, const std::string& name) {
    const bool is_sparse = a.matlab_class == "sparse", is_text = a.matlab_class == "char";
    const std::uint32_t kind = is_text ? character : is_sparse ? sparse : first_numeric;
    const bool is_complex = is_sparse ? a.sparse.is_complex : a.is_complex;
    std::string flags;
    store(flags, kind | (is_complex ? 0x800U : 0U));
    store(flags, static_cast<std::uint32_t>(is_sparse ? std::max<std::size_t>(a.sparse.row.size(), 1) : 0));
    std::string head;
    element(head, mi_uint32, flags);
    std::string dimensions;
    for (const std::size_t extent : a.shape) store(dimensions, static_cast<std::int32_t>(extent));
    element(head, mi_int32, dimensions);
    element(head, mi_int8, name);
    if (is_sparse) {
      std::string rows, starts;
      for (const int row : a.sparse.row) store(rows, static_cast<std::int32_t>(row));
      for (const int start : a.sparse.column_start) store(starts, static_cast<std::int32_t>(start));
      element(head, mi_int32, rows);
      element(head, mi_int32, starts);
    } else if (is_text) {
      std::string characters;
      for (const std::uint16_t unit : utf16_of(a.text)) store(characters, unit);
      element(head, mi_uint16, characters);
    }
    // The size of the whole stands before it; the values follow straight from where they are.
    const std::vector<double>& real = is_sparse ? a.sparse.real : a.real;
    const std::vector<std::complex<double>>& complex = is_sparse ? a.sparse.complex : a.complex;
    const std::size_t values = is_text ? 0 : is_complex ? 2 * (8 + 8 * complex.size()) : 8 + 8 * real.size();
    sink_(tag(mi_matrix, head.size() + values));
    sink_(head);
    if (is_text) return;
    if (!is_complex) return numbers(real);
    std::vector<double> part(complex.size());
    std::transform(complex.begin(), complex.end(), part.begin(), [](const auto& value) { return value.real(); });
    numbers(part);
    std::transform(complex.begin(), complex.end(), part.begin(), [](const auto& value) { return value.imag(); });
    numbers(part);
  }

 private:
  static std::string tag(std::uint32_t type, std::size_t bytes) {
    if (bytes > 0x7fffffffU) throw_bad_input("", "an array is larger than version 5 holds (2 GB)", "write version 7.3");
    std::string out;
    store(out, type);
    store(out, static_cast<std::uint32_t>(bytes));
    return out;
  }
  static void element(std::string& to, std::uint32_t type, std::string_view data) {
    to += tag(type, data.size());
    to += data;
    to.append((8 - data.size() % 8) % 8, '\0');
  }
  void numbers(const std::vector<double>& values) {
    sink_(tag(mi_double, 8 * values.size()));
    sink_({reinterpret_cast<const char*>(values.data()), 8 * values.size()});
  }

  const ByteSink& sink_;
};

}  // namespace

void parse_mat5(std::string_view content, MatFile& file) { Reader(content, file).read(); }

void write_mat5(const MatFile& file, const ByteSink& sink) {
  std::string head = "MATLAB 5.0 MAT-file, written by kdyn";
  head.resize(124, ' ');
  head += std::string("\x00\x01IM", 4);
  sink(head);
  Writer writer(sink);
  for (const MatArray& array : file.arrays) writer.array(array, plain_name(array.name));
}

}  // namespace kdyn::inline io::internal
