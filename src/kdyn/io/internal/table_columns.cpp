// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/table_columns.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/internal/complex_text.hpp"
#include "kdyn/io/internal/header_rows.hpp"

namespace kdyn::inline io::internal {
namespace {

// "Verlust-" above "winkel" is one word.
std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    const bool broken = out.size() > 1 && out.back() == '-' &&
                        std::isalpha(static_cast<unsigned char>(out[out.size() - 2])) &&
                        std::islower(static_cast<unsigned char>(part.front()));
    if (broken)
      out.pop_back();
    else if (!out.empty())
      out += ' ';
    out += part;
  }
  return out;
}

class ColumnReader {
 public:
  ColumnReader(const DataTable& table, const TableBlock& block, Decimal decimal, const BenchReadOptions& options)
      : table_(table),
        block_(block),
        decimal_(decimal),
        options_(options),
        header_(table, block, decimal) {}

  BlockColumns read() {
    std::size_t width = 0;
    for (const std::size_t r : block_.rows) width = std::max(width, table_.columns(r));
    for (const std::size_t r : block_.header) width = std::max(width, table_.columns(r));
    header_.read(width);
    for (std::size_t c = 0; c < width; ++c) out_.columns.push_back(column(c));
    take_hints();
    for (const Setting& setting : block_.settings) take_setting(setting);
    return std::move(out_);
  }

 private:
  TableColumn column(std::size_t c) const {
    TableColumn out;
    out.index = c;
    std::vector<std::string> pieces;
    std::string unit;
    std::optional<HeaderLevel> level;
    for (const std::size_t row : block_.header) {
      std::string text = header_.spread(row, c);
      if (text.empty()) continue;
      if (!shape_of(text).is_number && leads_numbers(row, c)) {
        // "Amplitude [mm]; 0.1; 0.2" names the numbers to its right, "f [Hz] \\ A [mm]" the column as well.
        const auto slash = text.find('\\');
        if (slash == std::string::npos) {
          if (block_.header.size() > 1) continue;
        } else {
          text = std::string(trim(std::string_view(text).substr(0, slash)));
        }
      }
      if (shape_of(text).is_number) {
        if (auto found = header_.level(row, c, text)) level = found;
        continue;
      }
      const UnitText as_unit = read_unit_text(text);
      // A name such as "s" or "F" above its unit, or in the only row.
      const bool is_name = pieces.empty() && (block_.header.back() == row || unit_below(row, c));
      if (!as_unit.unit.empty() && !is_name) {
        unit = text;
      } else if (const auto found = read_level(text, decimal_);
                 found && !pieces.empty() && plain_words(number_in(text, decimal_)->before).size() <= 2) {
        level = found;
      } else {
        pieces.push_back(text);
      }
    }
    out.title = joined(pieces);
    out.name = read_header_name(out.title, unit, decimal_);
    if (!out.name.quantity && pieces.size() > 1) {
      // Two rows of names: the lower one is often the quantity, the upper one the place.
      for (auto piece = pieces.rbegin(); piece != pieces.rend() && !out.name.quantity; ++piece) {
        HeaderName name = read_header_name(*piece, unit, decimal_);
        if (name.quantity || name.label != LabelKind::none) out.name = name;
      }
      if (out.name.direction.empty())
        for (const std::string& piece : pieces)
          if (const std::string direction = direction_of_word(piece); !direction.empty())
            out.name.direction = direction;
    }
    if (level) out.name.level = level;
    if (!out.name.quantity && out.name.level && !block_.titles.empty()) {
      // A matrix below "Kdyn [N/mm]": the title names what all its columns hold.
      for (auto title = block_.titles.rbegin(); title != block_.titles.rend() && !out.name.quantity; ++title) {
        HeaderName name = read_header_name(*title, "", decimal_);
        if (!name.quantity) continue;
        name.level = out.name.level;
        out.name = name;
      }
    }
    if (out.title.empty() && out.name.level) out.title = out.name.level->text;
    if (out.title.empty())
      out.title = fmt::format("column {}", table_.sheet.empty() ? fmt::format("{}", c + 1) : column_letters(c));
    return out;
  }

  bool unit_below(std::size_t row, std::size_t c) const {
    return std::any_of(block_.header.begin(), block_.header.end(), [&](std::size_t other) {
      return other > row && !read_unit_text(header_.text(other, c)).unit.empty();
    });
  }

  // True for text left of the numbers of a header row.
  bool leads_numbers(std::size_t row, std::size_t c) const {
    const DataCell right = table_.at(row, c + 1);
    return right.kind == CellKind::number || (right.kind == CellKind::text && shape_of(right.text).is_number);
  }

  [[noreturn]] void refuse_hint(const std::string& meaning, const std::string& wanted) const {
    std::vector<std::string> titles;
    for (const TableColumn& one : out_.columns) titles.push_back(one.title);
    throw_bad_input(block_.header.empty() ? table_.name() : table_.place(block_.header.back()),
                    fmt::format("columns names {} for {}, which the table does not have", in_quotes(wanted), meaning),
                    suggest(wanted, titles));
  }

  std::optional<std::size_t> column_named(const std::string& wanted) const {
    for (const TableColumn& one : out_.columns)
      if (one.title == wanted) return one.index;  // f and F are two names
    for (const TableColumn& one : out_.columns)
      if (lower_case(one.title) == lower_case(wanted)) return one.index;
    for (const std::size_t row : block_.header)
      for (std::size_t c = 0; c < table_.columns(row); ++c)
        if (table_.at(row, c).kind != CellKind::empty && lower_case(table_.at(row, c).text) == lower_case(wanted))
          return c;
    for (const TableColumn& one : out_.columns)
      if (lower_case(read_title(one)) == lower_case(wanted)) return one.index;
    std::optional<std::size_t> prefix;
    for (const TableColumn& one : out_.columns)
      if (options_.columns_from.empty() &&
          lower_case(one.title).starts_with(lower_case(wanted))) {  // a saved layout is taken at its word
        if (prefix)
          prefix = out_.columns.size();
        else
          prefix = one.index;
      }
    if (prefix && *prefix < out_.columns.size()) return *prefix;
    if (const auto number = parse_number(wanted);
        number && *number >= 1 && *number <= static_cast<double>(out_.columns.size()))
      return static_cast<std::size_t>(*number) - 1;
    for (std::size_t c = 0; c < out_.columns.size(); ++c)
      if (!table_.sheet.empty() && lower_case(wanted) == lower_case(column_letters(c))) return c;
    return std::nullopt;
  }

  void take_hints() {
    for (const auto& [meaning, wanted] : options_.columns) {
      const bool part = meaning == "part", direction = meaning == "direction", ignore = meaning == "ignore";
      const auto quantity = quantity_named(meaning);
      if (!quantity && !part && !direction && !ignore) {
        std::vector<std::string> known = {"part", "direction"};
        for (int i = 0; i < quantity_count; ++i) known.emplace_back(quantity_name(static_cast<Quantity>(i)));
        throw_bad_input("columns", fmt::format("unknown meaning {}", in_quotes(meaning)), suggest(meaning, known));
      }
      if ((part || direction) && wanted.starts_with('=')) {  // of the whole table, whatever its columns and lines say
        const std::string word(trim(std::string_view(wanted).substr(1)));
        if (word.empty())
          throw_bad_input("columns", fmt::format("{} names no {}", in_quotes(wanted), meaning),
                          part ? "write for example \"=4711\"" : "write for example \"=z\"");
        for (TableColumn& one : out_.columns)
          if (one.name.label == (part ? LabelKind::part : LabelKind::direction)) one.name.label = LabelKind::none;
        if (part) {
          out_.part = word, out_.part_from = "columns";
        } else {
          const std::string known = direction_of_word(word);
          out_.direction = known.empty() ? word : known, out_.direction_from = "columns";
        }
        continue;
      }
      if (quantity && wanted.starts_with('=')) {
        const auto number = number_in(wanted.substr(1), decimal_);
        const UnitText unit = number ? read_unit_text(number->behind) : UnitText{};
        if (!number || unit.unit.empty() ||
            !(unit_fits(unit.unit, *quantity, false) || unit_fits(unit.unit, *quantity, true)))
          throw_bad_input("columns", fmt::format("{} is no value with a unit of {}", in_quotes(wanted), meaning),
                          "write for example \"=0.1 mm\"");
        const double kind =
            *quantity == Quantity::amplitude ? amplitude_factor(unit.kind.value_or(AmplitudeKind::peak)) : 1.0;
        out_.constants[*quantity] = {number->value * parse_unit(unit.unit)->to_si * unit.factor * kind, wanted,
                                     "columns"};
        continue;
      }
      const auto found = column_named(wanted);
      if (!found && !options_.columns_from.empty()) continue;  // a layout for another table of this bench
      if (!found) refuse_hint(meaning, wanted);
      const std::size_t index = *found;
      for (TableColumn& one : out_.columns) {
        // What the hint names is no longer open to others.
        if (quantity && one.name.quantity == quantity && !one.by_hint) one.name.quantity.reset();
        if ((part && one.name.label == LabelKind::part) || (direction && one.name.label == LabelKind::direction))
          one.name.label = LabelKind::none;
      }
      TableColumn& chosen = out_.columns[index];
      chosen.by_hint = true;
      chosen.name.weak = false;
      chosen.name.label = part ? LabelKind::part : direction ? LabelKind::direction : LabelKind::none;
      chosen.name.quantity = quantity;
      if (chosen.name.unit.empty() && !chosen.name.unknown_unit.empty()) chosen.name.unknown_unit.clear();
    }
    for (const auto& [wanted, unit_text] : options_.units) {
      const auto quantity = quantity_named(wanted);
      bool found = false;
      for (TableColumn& one : out_.columns) {
        if (!(quantity && one.name.quantity == quantity) && lower_case(one.title) != lower_case(wanted) &&
            lower_case(read_title(one)) != lower_case(wanted))
          continue;
        const UnitText unit = read_unit_text(unit_text);
        if (unit.unit.empty())
          throw_bad_input("units", fmt::format("unknown unit {} for {}", in_quotes(unit_text), in_quotes(wanted)),
                          "use a unit such as mm, N, N/mm, deg");
        one.name.unit = unit.unit;
        one.unit_by_hint = true;
        one.name.unknown_unit.clear();
        one.name.multiplied = false;
        one.name.factor = unit.factor;
        if (unit.kind) one.name.kind = *unit.kind;
        found = true;
      }
      if (!found && !quantity && options_.columns_from.empty()) refuse_hint("a unit", wanted);
    }
  }

  // The title without its unit.
  static std::string read_title(const TableColumn& column) { return split_name_and_unit(column.title).name; }

  // "Sampling frequency [Hz]; 500" is a rate, and no frequency of the test.
  bool take_rate(const Setting& setting) {
    static constexpr std::string_view rates[] = {
        "sample_rate", "sampling_rate", "sampling_frequency",   "sample_frequency", "samplerate",
        "scan_rate",   "data_rate",     "acquisition_rate",     "abtastrate",       "abtastfrequenz",
        "messrate",    "sampling_freq", "data_acquisition_rate"};
    static constexpr std::string_view steps[] = {"sample_interval", "sampling_interval", "abtastintervall",
                                                 "abtastzeit",      "time_increment",    "zeitschritt"};
    const NameAndUnit split = split_name_and_unit(setting.key);
    const std::string words = plain_words(split.name);
    const bool rate = std::find(std::begin(rates), std::end(rates), words) != std::end(rates);
    if (!rate && std::find(std::begin(steps), std::end(steps), words) == std::end(steps)) return false;
    const std::string written = setting.unit.empty() ? split.unit : setting.unit;
    const UnitText unit = read_unit_text(written);
    const auto parsed = parse_unit(unit.unit);
    const auto wanted = parse_unit(rate ? "Hz" : "s");
    const double value = parsed && parsed->same_dimension(*wanted) && setting.is_number
                             ? setting.number * parsed->to_si * unit.factor
                             : 0.0;
    if (!(value > 0.0) || !std::isfinite(1.0 / value)) {
      out_.findings.push_back({Severity::warning, "setting_not_used", setting.place,
                               fmt::format("{} has no unit that kdyn knows for it and was not used",
                                           in_quotes(fmt::format("{} {}", setting.key, setting.value))),
                               fmt::format("write the unit behind the number, such as {}", rate ? "500 Hz" : "2 ms")});
      return true;
    }
    out_.step_s = rate ? 1.0 / value : value;
    out_.step_from = fmt::format("{} {}", setting.key, setting.value);
    return true;
  }

  void take_setting(const Setting& setting) {
    if (take_rate(setting)) return;
    const std::string key = setting.key;
    const HeaderName name = read_header_name(key, "", decimal_);
    const bool said = (name.label == LabelKind::part ? out_.part_from : out_.direction_from) == "columns";
    if (said && (name.label == LabelKind::part || name.label == LabelKind::direction)) return;  // by a hint
    if (name.label == LabelKind::part && !setting.value.empty() && !means_missing(setting.value)) {
      out_.part = setting.value;
      out_.part_from = setting.place;
    } else if (name.label == LabelKind::date || name.label == LabelKind::batch) {
      if (!setting.value.empty() && !means_missing(setting.value))
        (name.label == LabelKind::date ? out_.date : out_.batch) = setting.value;
    } else if (name.label == LabelKind::direction) {
      const std::string direction = direction_of_word(setting.value);
      out_.direction = direction.empty() ? setting.value : direction;
      out_.direction_from = setting.place;
    } else if (setting.is_number && name.quantity &&
               (*name.quantity == Quantity::amplitude || *name.quantity == Quantity::preload ||
                *name.quantity == Quantity::temperature || *name.quantity == Quantity::frequency)) {
      UnitText unit = read_unit_text(setting.unit);
      if (unit.unit.empty() && !name.unit.empty())
        unit = {name.unit, name.factor, name.kind_told ? std::optional(name.kind) : std::nullopt};
      if (unit.unit.empty() && trim(setting.unit).empty() && name.unknown_unit.empty() &&
          *name.quantity == Quantity::temperature)
        unit.unit = "degC";
      const auto parsed = parse_unit(unit.unit);
      const std::string shown = fmt::format("{} {}", setting.key, setting.value);
      if (!parsed || !(unit_fits(unit.unit, *name.quantity, false) || unit_fits(unit.unit, *name.quantity, true))) {
        out_.findings.push_back(
            {Severity::warning, "setting_not_used", setting.place,
             fmt::format("{} has no unit that kdyn knows for it and was not used", in_quotes(shown)),
             "write the unit behind the number, or give --columns with a value such as \"=0.1 mm\""});
        return;
      }
      const AmplitudeKind kind = unit.kind.value_or(name.kind);
      const double factor = *name.quantity == Quantity::amplitude ? amplitude_factor(kind) : 1.0;
      out_.constants[*name.quantity] = {
          setting.number * parsed->to_si * unit.factor * factor,
          shown + (setting.value.find(setting.unit) == std::string::npos ? " " + setting.unit : ""), setting.place};
    }
  }

  const DataTable& table_;
  const TableBlock& block_;
  Decimal decimal_;
  const BenchReadOptions& options_;
  HeaderRows header_;
  BlockColumns out_;
};

}  // namespace

BlockColumns read_columns(const DataTable& table, const TableBlock& block, Decimal decimal,
                          const BenchReadOptions& options) {
  return ColumnReader(table, block, decimal, options).read();
}

Decimal column_decimal(const DataTable& table, const std::vector<std::size_t>& rows, std::size_t column,
                       Decimal of_table, bool told) {
  if (told) return of_table;
  Decimal seen = Decimal::unknown;
  std::size_t undecided = table.rows();
  const auto look = [&](std::size_t r, std::string_view text) {
    const NumberShape shape = shape_of(text);
    if (shape.undecided_comma && undecided == table.rows()) undecided = r;
    if (shape.decimal == Decimal::unknown) return;
    if (seen != Decimal::unknown && seen != shape.decimal)
      throw_bad_input(table.place(r, column),
                      fmt::format("{}: decimal commas and decimal points are mixed in one column", in_quotes(text)),
                      "write all numbers with one decimal mark, or say --decimal comma or --decimal point");
    seen = shape.decimal;
  };
  for (const std::size_t r : rows) {
    const DataCell cell = table.at(r, column);
    if (cell.kind != CellKind::text) continue;
    if (const auto both = split_complex(cell.text))
      look(r, both->real), look(r, both->imaginary);
    else
      look(r, cell.text);
  }
  if (seen != Decimal::unknown) return seen;
  if (undecided < table.rows() && of_table == Decimal::unknown)
    throw_bad_input(table.place(undecided, column),
                    fmt::format("{} may be a decimal comma or one thousand and more; nothing in the table decides",
                                in_quotes(table.at(undecided, column).text)),
                    "say --decimal comma or --decimal point");
  return of_table;
}

std::vector<double> column_numbers(const DataTable& table, const std::vector<std::size_t>& rows,
                                   const TableColumn& column) {
  std::vector<double> out;
  out.reserve(rows.size());
  for (const std::size_t r : rows) {
    const DataCell cell = table.at(r, column.index);
    if (table.sheet.empty() &&
        column.index >= table.columns(r))  // an empty cell has its delimiter; this row is cut off
      throw_bad_input(table.place(r),
                      fmt::format("row has {} cells, column {} is number {}", table.columns(r), in_quotes(column.title),
                                  column.index + 1),
                      "give every row as many cells as the header; was the file cut off?");
    if (const auto number = cell_number(cell, column.decimal)) {
      out.push_back(*number);
    } else if (is_gap(cell)) {
      out.push_back(std::nan(""));
    } else {
      throw_bad_input(
          table.place(r, column.index),
          fmt::format("column {} holds {}, which is not a number", in_quotes(column.title), in_quotes(cell.text)),
          "write a plain number, leave the cell empty when nothing was measured, or delete the row");
    }
  }
  return out;
}

std::optional<ComplexColumn> column_complex(const DataTable& table, const std::vector<std::size_t>& rows,
                                            const TableColumn& column) {
  const auto text_at = [&](std::size_t r) {
    const DataCell cell = table.at(r, column.index);
    return cell.kind == CellKind::text ? cell.text : std::string_view();
  };
  if (std::none_of(rows.begin(), rows.end(), [&](std::size_t r) { return split_complex(text_at(r)).has_value(); }))
    return std::nullopt;
  ComplexColumn out;
  for (const std::size_t r : rows) {
    const auto both = split_complex(text_at(r));
    const auto real = both ? number_of(both->real, column.decimal) : std::nullopt,
               imaginary = both ? number_of(both->imaginary, column.decimal) : std::nullopt;
    const DataCell cell = table.at(r, column.index);
    if (!(real && imaginary) && !is_gap(cell))
      throw_bad_input(table.place(r, column.index),
                      fmt::format("column {} holds complex numbers, and {} is none", in_quotes(column.title),
                                  in_quotes(cell.kind == CellKind::number ? fmt::format("{}", cell.number)
                                                                          : std::string(cell.text))),
                      "write both parts, such as 612.3+45.1i, in every row");
    out.real.push_back(real && imaginary ? *real : std::nan(""));
    out.imaginary.push_back(real && imaginary ? *imaginary : std::nan(""));
  }
  return out;
}

}  // namespace kdyn::inline io::internal
