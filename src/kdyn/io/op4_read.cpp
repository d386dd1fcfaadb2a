// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/internal/op4_reader.hpp"
#include "kdyn/io/op4.hpp"

namespace kdyn::inline io {
namespace internal {

std::optional<MatrixPlan> plan_of(const Op4Header& header) {
  constexpr std::int64_t most = std::numeric_limits<int>::max() - 1;
  if (header.rows < -most || header.rows > most) return std::nullopt;
  const std::int64_t rows = header.rows < 0 ? -header.rows : header.rows;
  if (header.columns < 0 || header.columns > most || header.type < 1 || header.type > 4 || header.form < 0 ||
      header.form > 20)
    return std::nullopt;
  const std::string name(trim(header.name));
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) return std::nullopt;
  MatrixPlan plan;
  plan.name = name;
  plan.rows = static_cast<int>(rows), plan.columns = static_cast<int>(header.columns);
  plan.is_complex = header.type >= 3, plan.symmetric = header.form == 6, plan.single_precision = header.type % 2 == 1;
  return plan;
}

bool add_run(MatrixPlan& plan, std::int64_t column, std::int64_t row, std::uint64_t count, std::size_t place) {
  if (column < 1 || column > plan.columns || row < 1 || row > plan.rows ||
      count > static_cast<std::uint64_t>(plan.rows - row + 1))
    return false;
  if (count > 0)
    plan.runs.push_back({static_cast<int>(column - 1), static_cast<int>(row - 1), static_cast<int>(count), place});
  return true;
}

std::optional<Op4Binary> op4_binary_of(std::string_view content) {
  if (content.size() < 32) return std::nullopt;
  for (const bool big : {false, true})
    for (const std::uint32_t length : {24U, 48U}) {
      if (load<std::uint32_t>(content.data(), big) != length || content.size() < length + 8) continue;
      if (load<std::uint32_t>(content.data() + 4 + length, big) == length) return Op4Binary{big, length == 48};
    }
  return std::nullopt;
}

namespace {

class BinaryReader {
 public:
  BinaryReader(std::string_view content, const std::string& name, Op4Binary kind, MatrixSet& out)
      : content_(content),
        name_(name),
        kind_(kind),
        out_(out),
        word_(kind.wide ? 8 : 4) {}

  void read() {
    while (position_ < content_.size())
      if (!read_matrix()) return;
  }

 private:
  std::int64_t integer(std::size_t at) const {
    return kind_.wide ? load<std::int64_t>(content_.data() + at, kind_.big)
                      : load<std::int32_t>(content_.data() + at, kind_.big);
  }

  // The next record as [begin, begin + length); false at the end or where the markers disagree.
  bool record(std::size_t& begin, std::size_t& length) {
    if (content_.size() - position_ < 8) return false;
    length = load<std::uint32_t>(content_.data() + position_, kind_.big);
    begin = position_ + 4;
    if (length > content_.size() - position_ - 8) return false;
    if (load<std::uint32_t>(content_.data() + begin + length, kind_.big) != length) return false;
    position_ = begin + length + 4;
    return true;
  }

  void complain(const char* code, const std::string& matrix, std::int64_t column, std::size_t byte,
                const std::string& message, const std::string& remedy) {
    if (out_.findings.size() < 200)
      out_.findings.push_back({Severity::serious, code,
                               fmt::format("{}: matrix {}, column {}, byte {}", name_, in_quotes(matrix), column, byte),
                               message, remedy});
  }

  bool read_matrix() {
    std::size_t begin = 0, length = 0;
    const std::size_t start = position_;
    if (!record(begin, length) || length != 6 * word_) {
      complain("bad_record", "", 0, start, "no matrix header where one is expected; the rest of the file was not read",
               "check that the file was transferred completely, in binary mode");
      return false;
    }
    Op4Header header{integer(begin), integer(begin + word_), integer(begin + 2 * word_), integer(begin + 3 * word_),
                     content_.substr(begin + 4 * word_, 2 * word_)};
    auto plan = plan_of(header);
    if (!plan) {
      complain("bad_header", "", 0, start, "the header of a matrix makes no sense; the rest of the file was not read",
               "write the file again");
      return false;
    }
    // Words of 8 bytes hold a number of either precision.
    value_bytes_ = kind_.wide ? 8 : plan->single_precision ? 4 : 8;
    bool whole = true;
    for (;;) {
      const std::size_t at = position_;
      if (!record(begin, length) || length < 3 * word_) {
        complain("truncated", plan->name, 0, at,
                 "the file ends, or its record marks break, within this matrix; the columns before are kept",
                 "check that the file was transferred completely, in binary mode");
        whole = false;
        break;
      }
      const std::int64_t column = integer(begin);
      if (column > plan->columns) break;  // the closing record
      read_column(*plan, header.rows < 0, column, begin, length);
    }
    const std::string where = fmt::format("{}: matrix {}, byte {}", name_, in_quotes(plan->name), start);
    out_.matrices.push_back(lay_out(
        std::move(*plan),
        [this, single = value_bytes_ == 4, complex = plan->is_complex](std::size_t place, std::size_t count,
                                                                       double* target) {
          copy(place, complex ? 2 * count : count, single, target);
        },
        allowed_bytes(content_.size()), where, out_.findings));
    return whole;
  }

  void read_column(MatrixPlan& plan, bool bigmat, std::int64_t column, std::size_t begin, std::size_t length) {
    const std::int64_t row = integer(begin + word_);
    const std::size_t data = begin + 3 * word_, end = begin + length,
                      value = value_bytes_ * (plan.is_complex ? 2U : 1U);
    if (row > 0) {
      // The announced number of words bounds the values; a record may be padded.
      const std::int64_t words = integer(begin + 2 * word_);
      const std::size_t claimed = words < 0 || static_cast<std::uint64_t>(words) > (end - data) / word_
                                      ? end - data
                                      : static_cast<std::size_t>(words) * word_;
      if (!add_run(plan, column, row, claimed / value, data))
        complain("bad_column", plan.name, column, begin,
                 fmt::format("row {} and {} values do not fit into {} rows; the column was dropped", row,
                             claimed / value, plan.rows),
                 "write the matrix again");
      return;
    }
    const std::size_t head = bigmat ? 2 * word_ : word_;
    std::size_t at = data;
    while (end - at >= head) {
      std::int64_t words = 0, first = 0;
      if (bigmat) {
        words = integer(at) - 1, first = integer(at + word_);
      } else {
        const std::int64_t packed = integer(at);
        words = packed / 65536 - 1, first = packed % 65536;
      }
      const std::size_t begin_values = at + head;
      if (words < 1 || static_cast<std::uint64_t>(words) > (end - begin_values) / word_ ||
          !add_run(plan, column, first, static_cast<std::size_t>(words) * word_ / value, begin_values)) {
        complain("bad_string", plan.name, column, at,
                 fmt::format("a string of {} words at row {} does not fit; the rest of the column was dropped", words,
                             first),
                 "write the matrix again");
        return;
      }
      at = begin_values + static_cast<std::size_t>(words) * word_;
    }
  }

  void copy(std::size_t place, std::size_t count, bool single, double* target) const {
    const char* p = content_.data() + place;
    if (single) {
      for (std::size_t i = 0; i < count; ++i) target[i] = static_cast<double>(load<float>(p + 4 * i, kind_.big));
    } else if (kind_.big) {
      for (std::size_t i = 0; i < count; ++i) target[i] = load<double>(p + 8 * i, true);
    } else if (count > 0) {
      std::memcpy(target, p, 8 * count);
    }
  }

  std::string_view content_;
  const std::string& name_;
  Op4Binary kind_;
  MatrixSet& out_;
  std::size_t word_, value_bytes_ = 8, position_ = 0;
};

}  // namespace

void parse_op4_binary(std::string_view content, const std::string& name, MatrixSet& out) {
  BinaryReader(content, name, *op4_binary_of(content), out).read();
}

}  // namespace internal

bool looks_like_op4(std::string_view content) {
  if (internal::op4_binary_of(content)) return true;
  internal::TextLines lines(content.substr(0, 4096));
  internal::TextLine line;
  return lines.next(line) && internal::op4_text_header(line.text).has_value();
}

MatrixSet parse_op4(std::string_view content, const std::string& name) {
  if (!looks_like_op4(content))
    throw_bad_input(name, "this is no OP4 file: neither a binary record of 24 or 48 bytes nor a text header starts it",
                    "check the file, or convert VAX and IBM numbers to IEEE");
  MatrixSet out;
  out.source.path = name;
  if (internal::op4_binary_of(content))
    internal::parse_op4_binary(content, name, out);
  else
    internal::parse_op4_text(content, name, out);
  return out;
}

MatrixSet read_op4(const std::string& path) { return parse_op4(read_text(path), path); }

}  // namespace kdyn::inline io
