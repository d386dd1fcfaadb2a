// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/table_blocks.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/complex_text.hpp"
#include "kdyn/io/internal/header_names.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::size_t widest_looked_at = 2000;  // columns beyond these are not needed to tell rows apart

struct RowShape {
  std::size_t filled = 0, numbers = 0, gaps = 0, texts = 0, first_filled = 0;
  bool first_is_text = false;
};

class BlockFinder {
 public:
  BlockFinder(const DataTable& table, Decimal told) : table_(table) {
    out_.decimal = told != Decimal::unknown ? told : decimal_of_table();
  }

  TableBlocks find() {
    std::vector<std::size_t> text_rows;  // candidates for header and titles since the last block
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      const RowShape shape = shape_of_row(r);
      if (shape.filled == 0) continue;
      if (table_.is_comment(r)) {
        if (!in_block_ && shape.texts >= 2 && shape.numbers == 0) comment_header_ = r;
        take_settings(r);
        continue;
      }
      if (in_statistics(r, shape)) {
        footers_.push_back(r);
        in_block_ = false;
        continue;
      }
      if (in_block_ && is_data(r, shape)) {
        out_.blocks.back().rows.push_back(r);
        continue;
      }
      if (in_block_) {
        if (is_footer(r, shape)) {
          footers_.push_back(r);
          continue;
        }
        refuse_broken_row(r, shape);
        in_block_ = false;
        text_rows.clear();
      }
      if (starts_data(r, shape)) {
        begin_block(r, text_rows);
        text_rows.clear();
        continue;
      }
      text_rows.push_back(r);
      if (text_rows.size() > 200) text_rows.erase(text_rows.begin());
    }
    for (const std::size_t r : text_rows)
      if (!out_.blocks.empty()) footers_.push_back(r);
    tell_footers();
    return std::move(out_);
  }

 private:
  // Rows below "Statistik:" up to the next empty row are no measurements.
  bool in_statistics(std::size_t r, const RowShape& shape) {
    if (out_.blocks.empty()) return false;
    const bool title = shape.first_is_text && shape.numbers == 0 && shape.filled <= 2 &&
                       plain_words(table_.at(r, shape.first_filled).text).starts_with("statisti");
    if (title)
      statistics_ = true, statistics_numbers_ = false;
    else if (statistics_ && statistics_numbers_ && table_.line(r) > table_.line(r - 1) + 1)
      statistics_ = false;
    statistics_numbers_ = statistics_numbers_ || (statistics_ && shape.numbers > 0);
    return statistics_;
  }

  // Evidence from rows of numbers only: versions and dates of a preamble prove nothing.
  Decimal decimal_of_table() const {
    std::size_t points = 0, commas = 0;
    constexpr std::size_t enough = 20000;
    for (std::size_t r = 0; r < table_.rows() && points + commas < enough; ++r) {
      if (table_.is_comment(r)) continue;
      std::size_t numbers = 0, p = 0, c = 0;
      for (std::size_t k = 0; k < std::min(table_.columns(r), widest_looked_at); ++k) {
        const DataCell cell = table_.at(r, k);
        if (cell.kind != CellKind::text) continue;
        const NumberShape shape = internal::shape_of(cell.text);
        numbers += shape.is_number ? 1 : 0;
        p += shape.decimal == Decimal::point ? 1 : 0;
        c += shape.decimal == Decimal::comma ? 1 : 0;
      }
      if (numbers >= 2) points += p, commas += c;
    }
    if (points == 0 && commas == 0) return Decimal::unknown;
    return commas > points ? Decimal::comma : Decimal::point;
  }

  RowShape shape_of_row(std::size_t r) const {
    RowShape shape;
    for (std::size_t c = 0; c < std::min(table_.columns(r), widest_looked_at); ++c) {
      const DataCell cell = table_.at(r, c);
      if (cell.kind == CellKind::empty) continue;
      const bool number = is_number_like(cell);
      const bool gap = !number && is_gap(cell);
      if (shape.filled++ == 0) shape.first_filled = c, shape.first_is_text = !number && !gap;
      shape.numbers += number ? 1 : 0;
      shape.gaps += gap ? 1 : 0;
      shape.texts += !number && !gap ? 1 : 0;
    }
    return shape;
  }

  static bool is_number_like(const DataCell& cell) {
    return cell.kind == CellKind::number || cell.kind == CellKind::boolean ||
           (cell.kind == CellKind::text &&
            (internal::shape_of(cell.text).is_number || split_complex(cell.text).has_value()));
  }

  // Two numbers at least, no more text than numbers, and where it holds text the next such row does too (else it is a
  // row of the header).
  bool starts_data(std::size_t r, const RowShape& shape) const {
    if (shape.numbers < 2 || shape.texts > shape.numbers) return false;
    const std::size_t next = next_number_row(r);
    if (next == table_.rows()) return true;
    for (std::size_t c = 0; c < std::min(table_.columns(r), widest_looked_at); ++c) {
      const DataCell here = table_.at(r, c), below = table_.at(next, c);
      if (is_number_like(below) && !is_number_like(here) && !(here.kind == CellKind::text && is_gap(here)) &&
          here.kind != CellKind::error)
        return false;
    }
    return true;
  }

  std::size_t next_number_row(std::size_t r) const {
    for (std::size_t next = r + 1; next < std::min(table_.rows(), r + 4); ++next) {
      if (table_.is_comment(next)) continue;
      const RowShape shape = shape_of_row(next);
      if (shape.numbers >= 2 && shape.texts <= shape.numbers) return next;
    }
    return table_.rows();
  }

  // A row of the running block: text only where the block's first row has text.
  bool is_data(std::size_t r, const RowShape& shape) const {
    if (shape.numbers == 0) return false;
    const std::size_t first = out_.blocks.back().rows.front();
    for (std::size_t c = 0; c < std::min(table_.columns(r), widest_looked_at); ++c) {
      const DataCell here = table_.at(r, c);
      if (here.kind == CellKind::empty || is_number_like(here) || is_gap(here)) continue;
      if (is_number_like(table_.at(first, c)) || c >= table_.columns(first)) return false;
    }
    return shape.numbers + shape.gaps >= 2 || table_.columns(first) < 3;
  }

  bool is_footer(std::size_t r, const RowShape& shape) const {
    static constexpr std::string_view words =
        " mean mittelwert mittel average avg max min maximum minimum std stdev stabw moyenne summe "
        "sum total median range spannweite cv standard_deviation standardabweichung n count anzahl "
        "variance s x_quer end ende eof coefficient variationskoeffizient result results ";
    const auto listed = [](const std::string& word) { return words.find(" " + word + " ") != std::string_view::npos; };
    if (!shape.first_is_text) return false;
    const std::string first = plain_words(table_.at(r, shape.first_filled).text);
    return !first.empty() && (listed(first) || listed(first.substr(0, first.find('_'))));
  }

  // Text where numbers belong is an error of the file, unless the row starts something new.
  void refuse_broken_row(std::size_t r, const RowShape& shape) const {
    const std::size_t first = out_.blocks.back().rows.front();
    if (shape.first_is_text || shape.numbers == 0 || 2 * shape.numbers < shape.filled) return;
    for (std::size_t c = 0; c < std::min(table_.columns(r), widest_looked_at); ++c) {
      const DataCell here = table_.at(r, c);
      if (here.kind == CellKind::empty || is_number_like(here) || is_gap(here) || !is_number_like(table_.at(first, c)))
        continue;
      throw_bad_input(table_.place(r, c),
                      fmt::format("column {} holds {}, which is not a number", title_of(c), in_quotes(here.text)),
                      "write a plain number, leave the cell empty when nothing was measured, or delete the row");
    }
  }

  // A column by its name, or by its number where it has none.
  std::string title_of(std::size_t c) const {
    for (const std::size_t row : out_.blocks.back().header)
      if (const DataCell cell = table_.at(row, c); cell.kind == CellKind::text) return in_quotes(cell.text);
    return fmt::format("{}", c + 1);
  }

  void begin_block(std::size_t r, const std::vector<std::size_t>& text_rows) {
    constexpr std::size_t most_blocks = 2000;
    if (out_.blocks.size() == most_blocks)
      throw_bad_input(table_.place(r), fmt::format("more than {} tables in one file or sheet, the limit", most_blocks),
                      "split the file");
    TableBlock block;
    // Upwards from the numbers: rows with at least two cells, or as many as the data have when that is one less.
    std::size_t at = text_rows.size();
    const std::size_t width = shape_of_row(r).filled;
    while (at > 0 && block.header.size() < 4 && is_header_row(text_rows[at - 1], width) &&
           !is_label_above(text_rows[at - 1], width, block.header))
      block.header.insert(block.header.begin(), text_rows[--at]);
    for (std::size_t i = 0; i < at; ++i) {
      if (take_settings(text_rows[i])) continue;
      const RowShape shape = shape_of_row(text_rows[i]);
      if (shape.filled == 1 && shape.texts == 1)
        block.titles.emplace_back(table_.at(text_rows[i], shape.first_filled).text);
    }
    if (block.header.empty() && comment_header_ && r > *comment_header_ &&
        shape_of_row(*comment_header_).filled + 1 >= width)
      block.header = {*comment_header_};
    if (block.header.empty() && !out_.blocks.empty()) block.header = out_.blocks.back().header;
    block.settings = settings_;
    block.rows.push_back(r);
    out_.blocks.push_back(std::move(block));
    comment_header_.reset();
    in_block_ = true;
  }

  // At least two cells; a key with its value is a setting and no header.
  bool is_header_row(std::size_t r, std::size_t width) const {
    const RowShape shape = shape_of_row(r);
    if (shape.filled < 2) return false;
    if (shape.filled <= 3 && width > 3 && shape.numbers == 1) return false;  // Temperature; 23; deg C
    if (is_value_with_unit(r, shape)) return false;
    if (shape.filled == 2 && width > 2 && shape.numbers <= 1 && !names_columns(r)) return false;  // Operator; n/a
    if (shape.filled == 2 && width == 2 && shape.numbers == 1) return false;
    if (all_settings(r)) return false;  // Amplitude = 0.1 mm, F0 = 850 N
    const std::string_view first = trim(table_.at(r, shape.first_filled).text);
    return !(first.ends_with(':') && shape.filled <= 6);
  }

  // "Temperature; 23; deg C", whatever the width of the table below.
  bool is_value_with_unit(std::size_t r, const RowShape& shape) const {
    if (shape.filled != 3 || shape.numbers != 1 || !shape.first_is_text) return false;
    const DataCell value = table_.at(r, shape.first_filled + 1), unit = table_.at(r, shape.first_filled + 2);
    return is_number_like(value) && unit.kind == CellKind::text && !read_unit_text(unit.text).unit.empty();
  }

  // "Direction; y" above a table of two columns whose names are known already: a label, though it is as wide as the table.
  bool is_label_above(std::size_t r, std::size_t width, const std::vector<std::size_t>& header) const {
    const auto known_names = [&](std::size_t row) {
      std::size_t known = 0;
      for (std::size_t c = 0; c < std::min<std::size_t>(table_.columns(row), 2); ++c)
        if (const DataCell cell = table_.at(row, c); cell.kind == CellKind::text)
          known += read_header_name(cell.text, "", out_.decimal).quantity ? 1 : 0;
      return known;
    };
    if (width != 2 || shape_of_row(r).texts != 2) return false;
    return std::any_of(header.begin(), header.end(), [&](std::size_t row) { return known_names(row) == 2; }) &&
           known_names(r) == 0;
  }

  // Every cell is a key with a sign and a value.
  bool all_settings(std::size_t r) const {
    for (std::size_t c = 0; c < std::min(table_.columns(r), widest_looked_at); ++c) {
      const DataCell cell = table_.at(r, c);
      if (cell.kind == CellKind::empty) continue;
      const auto sign = cell.text.find_first_of("=:");
      if (cell.kind != CellKind::text || sign == std::string_view::npos || sign == 0 ||
          trim(cell.text.substr(sign + 1)).empty() || !number_in(cell.text.substr(sign + 1), out_.decimal))
        return false;
    }
    return true;
  }

  // Two cells above a wider table are a header only when they are spread out (merged names) or both mean something.
  bool names_columns(std::size_t r) const {
    std::size_t known = 0, units = 0;
    for (std::size_t c = 0; c < std::min(table_.columns(r), widest_looked_at); ++c) {
      const DataCell cell = table_.at(r, c);
      if (cell.kind != CellKind::text) continue;
      units += read_unit_text(cell.text).unit.empty() ? 0 : 1;
      known += read_header_name(cell.text, "", out_.decimal).quantity ? 1 : 0;
    }
    if (known >= 2 || units >= 2) return true;
    return std::any_of(table_.merged.begin(), table_.merged.end(),
                       [&](const MergedCells& one) { return one.first_row == table_.line(r); });
  }

  // Settings in a row: key and value in cells of their own, or "key = value unit" in one cell. False when there is
  // none.
  bool take_settings(std::size_t r) {
    const std::size_t before = taken_;
    const RowShape shape = shape_of_row(r);
    const std::size_t width = std::min<std::size_t>(table_.columns(r), 40);
    for (std::size_t c = 0; c < width; ++c) {
      const DataCell cell = table_.at(r, c);
      if (cell.kind != CellKind::text || is_number_like(cell)) continue;
      const std::string_view text = cell.text;
      const auto sign = text.find_first_of(":=");
      const bool key_only = sign == std::string_view::npos || trim(text.substr(sign + 1)).empty();
      if (key_only && c + 1 < width && table_.at(r, c + 1).kind != CellKind::empty &&
          (shape.filled <= 3 || sign != std::string_view::npos)) {
        const DataCell value = table_.at(r, c + 1);
        const std::string unit = c + 2 < width ? std::string(table_.at(r, c + 2).text) : "";
        add_setting(text.substr(0, sign), value, unit, r, c);
        ++c;
      } else if (key_only) {
        // "Amplitude 0,050 mm" without a sign
        if (const auto number = number_in(text, out_.decimal);
            number && !number->before.empty() && !number->behind.empty())
          add_text_setting(number->before, text.substr(number->before.size()), r, c);
      } else {
        add_parts(text, r, c);
      }
    }
    return taken_ > before;
  }

  // "Amplitude = 0.1 mm, F0 = 850 N": pieces that hold a sign each.
  void add_parts(std::string_view text, std::size_t r, std::size_t c) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const bool mark =
          i == text.size() || text[i] == ';' || (text[i] == ',' && i + 1 < text.size() && text[i + 1] == ' ');
      if (!mark) continue;
      const std::string_view piece = trim(text.substr(begin, i - begin));
      const auto sign = piece.find_first_of(":=");
      if (sign != std::string_view::npos) add_text_setting(piece.substr(0, sign), piece.substr(sign + 1), r, c);
      begin = i + 1;
    }
  }

  void add_text_setting(std::string_view key, std::string_view value, std::size_t r, std::size_t c) {
    Setting setting;
    setting.key = std::string(trim(key));
    setting.value = std::string(trim(value));
    setting.place = table_.place(r, c);
    if (const auto number = number_in(value, out_.decimal);
        number &&
        (number->before.empty() || number->before == "\xc2\xb1" || number->before == "+/-" || number->before == "+-")) {
      setting.is_number = true;
      setting.number = number->value;
      setting.unit = number->before + number->behind;
    }
    keep(std::move(setting));
  }

  void add_setting(std::string_view key, const DataCell& value, const std::string& unit, std::size_t r, std::size_t c) {
    if (value.kind == CellKind::text && !is_number_like(value)) return add_text_setting(key, value.text, r, c);
    if (value.kind == CellKind::date) {
      return keep({std::string(trim(key)), std::string(trim(value.text)), false, 0.0, "", table_.place(r, c)});
    }
    const auto number = cell_number(value, out_.decimal);
    if (!number) return;
    keep({std::string(trim(key)), fmt::format("{}", *number), true, *number, unit, table_.place(r, c)});
  }

  // The last word on a key counts; each block has a copy of them all.
  void keep(Setting&& setting) {
    constexpr std::size_t most = 200;
    if (setting.key.empty()) return;
    std::erase_if(settings_, [&](const Setting& one) { return one.key == setting.key; });
    if (settings_.size() == most) settings_.erase(settings_.begin());
    settings_.push_back(std::move(setting));
    ++taken_;
  }

  void tell_footers() {
    if (footers_.empty()) return;
    std::vector<std::string> shown;
    for (const std::size_t r : footers_)
      if (shown.size() < 4) shown.push_back(in_quotes(table_.at(r, shape_of_row(r).first_filled).text));
    out_.findings.push_back({Severity::note, "rows_not_used", table_.place(footers_.front()),
                             fmt::format("{} rows below the numbers are no measurements and were not used: {}",
                                         footers_.size(), join(shown, ", ")),
                             ""});
  }

  const DataTable& table_;
  TableBlocks out_;
  bool in_block_ = false, statistics_ = false, statistics_numbers_ = false;
  std::vector<Setting> settings_;
  std::size_t taken_ = 0;  // settings so far
  std::vector<std::size_t> footers_;
  std::optional<std::size_t> comment_header_;
};

}  // namespace

std::optional<double> cell_number(const DataCell& cell, Decimal decimal) {
  if (cell.kind == CellKind::number) return cell.number;
  if (cell.kind == CellKind::text) return number_of(cell.text, decimal);
  return std::nullopt;
}

bool is_gap(const DataCell& cell) {
  return cell.kind == CellKind::empty || cell.kind == CellKind::error ||
         (cell.kind == CellKind::text && means_missing(cell.text));
}

TableBlocks find_blocks(const DataTable& table, Decimal told) { return BlockFinder(table, told).find(); }

}  // namespace kdyn::inline io::internal
