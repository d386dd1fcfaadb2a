// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/header_names.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::inline io::internal {
namespace {

using enum Quantity;

struct Brackets {
  std::string outside;
  std::vector<std::string> inside;
  std::string square;  // what stands in the last square brackets: nothing but a unit should
};
// "Dynamic Stiffness (K*) [N/mm]" -> "Dynamic Stiffness", {"K*", "N/mm"}; brackets of functions such as Re(K) stay.
Brackets split_all_brackets(std::string_view text) {
  Brackets out;
  for (std::size_t i = 0; i < text.size();) {
    const char close = text[i] == '[' ? ']' : text[i] == '(' ? ')' : text[i] == '{' ? '}' : text[i] == '<' ? '>' : '\0';
    const auto end = close == '\0' ? std::string_view::npos : text.find(close, i + 1);
    const bool function =
        text[i] == '(' && i > 0 && std::isalpha(static_cast<unsigned char>(text[i - 1])) != 0 &&
        (lower_case(text.substr(0, i)).ends_with("re") || lower_case(text.substr(0, i)).ends_with("im") ||
         lower_case(text.substr(0, i)).ends_with("tan"));
    if (end == std::string_view::npos || function) {
      out.outside += text[i++];
      continue;
    }
    out.inside.emplace_back(trim(text.substr(i + 1, end - i - 1)));
    if (close == ']') out.square = out.inside.back();
    out.outside += ' ';
    i = end + 1;
  }
  return out;
}

}  // namespace

std::optional<HeaderLevel> read_level(std::string_view text, Decimal decimal) {
  const auto number = number_in(text, decimal);
  if (!number) return std::nullopt;
  const auto end = number->behind.find_first_of(",;");
  const UnitText unit = read_unit_text(std::string_view(number->behind).substr(0, end));
  if (unit.unit.empty() || unit.unit == "-" || unit.unit == "1" || unit.unit == "%") return std::nullopt;
  HeaderLevel level;
  std::string before = plain_words(number->before);
  AmplitudeKind kind = unit.kind.value_or(AmplitudeKind::peak);
  if (const auto told = take_kind(before)) kind = *told;
  bool found = false;
  for (const Quantity q : {amplitude, frequency, preload, temperature})
    if (!found && unit_fits_any(unit.unit, q) && (q != temperature || unit.unit == "degC"))
      level.quantity = q, found = true;
  if (!found) return std::nullopt;
  const auto parsed = parse_unit(unit.unit);
  level.value =
      number->value * parsed->to_si * unit.factor * (level.quantity == amplitude ? amplitude_factor(kind) : 1.0);
  if (number->before.ends_with("\xc2\xb1") || number->before.ends_with("+/-")) level.value = std::abs(level.value);
  level.text = std::string(trim(text));
  return level;
}

namespace {

// "[p-p]", "[0.1 mm]", "[K*]": no units, but known.
bool says_kind(const std::string& text) {
  std::string words = plain_words(text);
  return take_kind(words).has_value() || read_level(text, Decimal::unknown).has_value() ||
         find_word(words, "").has_value();
}

bool same_unit(const UnitText& a, const UnitText& b) {
  const auto first = parse_unit(a.unit), second = parse_unit(b.unit);
  return first && second && first->same_dimension(*second) &&
         std::abs(first->to_si * a.factor - second->to_si * b.factor) <= 1e-9 * std::abs(first->to_si * a.factor);
}

constexpr std::size_t longest_name = 120;

// "tan delta x 1000" -> "tan delta"; nothing where no power of ten stands behind a sign of multiplication.
std::optional<std::string> without_factor(std::string_view raw) {
  if (raw.size() > longest_name) return std::nullopt;
  for (std::size_t at = 1; at + 1 < raw.size(); ++at) {
    if (raw[at] == '[' || raw[at] == '(') {  // brackets hold units, which know factors
      at = std::min(raw.find(raw[at] == '[' ? ']' : ')', at), raw.size());
      continue;
    }
    const bool cross = raw.substr(at).starts_with("\xc3\x97");
    if (!cross && raw[at] != 'x' && raw[at] != '*') continue;
    if (raw[at - 1] != ' ' && !cross) continue;  // K* is a symbol
    const std::size_t begin = raw.find_first_not_of(' ', at + (cross ? 2 : 1));
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(raw.find_first_of(" [(", begin), raw.size());
    const auto factor = read_factor(raw.substr(begin, end - begin));
    const std::string_view behind = trim(raw.substr(end));
    if (!factor || *factor == 1.0 || (!behind.empty() && behind.front() != '[' && behind.front() != '('))
      continue;  // "Kdyn x 10 Hz" is a direction and a level
    std::string out(trim(raw.substr(0, at)));
    out += raw.substr(end);
    if (out.empty()) return std::nullopt;
    return out;
  }
  return std::nullopt;
}

HeaderName read_name(std::string_view raw, std::string_view unit_row, Decimal decimal) {
  HeaderName out;
  raw = trim(raw);
  if (raw.size() > longest_name) return out;  // a sentence, not a name
  const Brackets parts = split_all_brackets(raw);
  std::string name(trim(parts.outside));
  if (name.size() > 1 && name.back() == '/')
    name = std::string(trim(std::string_view(name).substr(0, name.size() - 1)));  // Kdyn/(N/mm)
  for (const std::string_view sign : {"\xc2\xb1", "+/-"})                         // "Weg ± [mm]"
    if (name.size() > sign.size() && name.ends_with(sign)) {
      name = std::string(trim(std::string_view(name).substr(0, name.size() - sign.size())));
      out.kind_told = true;
    }
  std::vector<std::string> symbols;
  const auto take_unit = [&out](const UnitText& unit) {
    out.unit = unit.unit;
    out.factor = unit.factor;
    if (unit.kind) out.kind = *unit.kind, out.kind_told = true;
  };
  for (const std::string& inside : parts.inside) {
    std::string small = plain_words(inside);
    if (const UnitText unit = read_unit_text(inside); !unit.unit.empty()) {
      if (!out.unit.empty() && !same_unit(unit, {out.unit, out.factor, {}})) out.other_unit = inside;
      take_unit(unit);
    } else if (const auto level = read_level(inside, decimal)) {
      out.level = level;
    } else if (const auto kind = take_kind(small)) {
      out.kind = *kind, out.kind_told = true;
    } else {
      symbols.push_back(inside);
    }
  }
  if (out.unit.empty() && !trim(unit_row).empty()) {
    const UnitText unit = read_unit_text(unit_row);
    if (!unit.unit.empty())
      take_unit(unit);
    else if (trim(unit_row) != "-")
      out.unknown_unit = std::string(trim(unit_row));
  }
  // "Kdyn 0.05mm", "delta @ 10 Hz", "A=0.1 mm"
  if (!out.level) {
    if (const auto number = number_in(name, decimal)) {
      std::size_t length = 0;  // of the unit: letters, signs and slashes up to the next blank
      std::string_view behind = number->behind;
      while (length < behind.size() && behind[length] != ' ' && behind[length] != ',' && behind[length] != ';' &&
             behind[length] != '_')
        ++length;
      const std::string level_text = fmt::format("{} {}", number->value, behind.substr(0, length));
      std::string before = number->before;
      if (auto level = read_level(level_text, Decimal::point)) {
        for (const std::string_view sign : {"\xc2\xb1", "+/-", "@", "=", "bei", "at"})
          if (before.ends_with(sign))
            before = std::string(trim(std::string_view(before).substr(0, before.size() - sign.size())));
        level->text = std::string(trim(name));
        const std::string rest = before + " " + std::string(behind.substr(length));
        if (!plain_words(rest).empty() || !parts.inside.empty() || !trim(unit_row).empty()) name = rest;
        std::string words_left = plain_words(rest);
        if (level->quantity == amplitude)
          if (const auto kind = take_kind(words_left)) level->value *= amplitude_factor(*kind);
        if (words_left != plain_words(rest)) name = words_left;
        out.level = level;
      }
    }
  }
  // "Kdyn - N/mm", "Kdyn:N/mm", "C* in N/mm", "Frequency, Hz" and "f / Hz": a unit behind a mark.
  if (out.unit.empty())
    for (const std::string_view mark : {" - ", ":", " in ", "/", ","}) {
      const auto at = name.rfind(mark);
      if (at == std::string::npos || at == 0) continue;
      if (const UnitText unit = read_unit_text(std::string_view(name).substr(at + mark.size()));
          !unit.unit.empty() && unit.unit != "degC") {
        take_unit(unit);
        name = std::string(trim(std::string_view(name).substr(0, at)));
        break;
      }
    }
  std::string small = plain_words(name);
  if (small.empty() && !symbols.empty()) small = plain_words(symbols.front());
  const auto settle = [&](const std::string& candidate) {
    if (const auto word = find_word(candidate, out.unit)) {
      if (word->weak && out.unit.empty()) return false;
      out.quantity = word->quantity;
      out.weak = word->weak || candidate.size() == 1;
      return true;
    }
    return false;
  };
  std::string stripped = small;
  if (const auto kind = take_kind(stripped)) out.kind = *kind, out.kind_told = true;
  if (is_part_word(small)) return out.label = LabelKind::part, out;
  if (is_direction_word(small)) return out.label = LabelKind::direction, out;
  if (is_date_word(small)) return out.label = LabelKind::date, out;
  if (is_batch_word(small)) return out.label = LabelKind::batch, out;
  if (name == "T" && (out.unit.empty() || unit_fits(out.unit, temperature, false)))  // t is time
    return out.quantity = temperature, out.weak = true, out;
  // "Stiffness K'": a symbol that means one thing only decides, whatever stands before it.
  if (const auto at = small.rfind('_'); at != std::string::npos &&
                                        small.find_first_of("'\"*", at) != std::string::npos &&
                                        at + 4 >= small.size() - 1 && settle(small.substr(at + 1)))
    return out;
  if (settle(small)) return out;
  // The names of column_names.hpp, with units as it knows them.
  const auto ask = [&](const std::string& text) {
    const ColumnName known = read_column_name(text);
    if (!known.quantity) return false;
    if (!out.unit.empty() && known.weak && !unit_fits_any(out.unit, *known.quantity)) return false;
    if (out.unit.empty() && known.unit.empty() && known.weak && *known.quantity != Quantity::frequency &&
        *known.quantity != Quantity::time)
      return false;
    out.quantity = known.quantity;
    out.weak = known.weak;
    if (known.peak_to_peak) out.kind = AmplitudeKind::peak_to_peak, out.kind_told = true;
    if (out.unit.empty() && !known.unit.empty()) {
      const UnitText unit = read_unit_text(known.unit);
      if (unit.unit.empty())
        out.unknown_unit = known.unit;
      else
        take_unit(unit);
    }
    return true;
  };
  // A direction in the name is kept: columns of x and y are not one.
  // Extremes and means are no samples of a signal, and a static stiffness is no dynamic one.
  const auto statistic = [&] {
    if (out.quantity != force && out.quantity != displacement && out.quantity != k_dyn && out.quantity != loss_angle)
      return false;
    std::string rest = stripped;
    for (const std::string_view word :
         {"min",       "max",  "mean",    "avg",     "average", "mittel", "mittelwert", "std",     "static", "statisch",
          "statische", "stat", "minimum", "maximum", "valley",  "set",    "setpoint",   "command", "soll",   "error"})
      if (take_phrase(rest, word)) return true;
    return stripped.starts_with("peak_");
  };
  const auto ask_both = [&](const std::string& text) {
    if (!settle(text) && !ask(out.unit.empty() ? text : fmt::format("{} [{}]", text, out.unit))) return false;
    if (!statistic()) return true;
    out.quantity.reset();
    return false;
  };
  if (stripped != small && ask_both(stripped)) return out;
  for (const NameOfDirection& one : without_direction(stripped))
    if (ask_both(one.rest)) {
      if (!one.direction.empty()) out.direction = one.direction;
      return out;
    }
  if (ask_both(stripped)) return out;
  // "Dynamic stiffness (K*)": the symbol says it when the words do not; "Channel 3 Load Cell": its last words do.
  for (const std::string& symbol : symbols)
    if (settle(plain_words(symbol))) return out;
  for (auto at = stripped.find('_'); at != std::string::npos; at = stripped.find('_', at + 1)) {
    const std::string tail = stripped.substr(at + 1);
    if (tail.size() > 3 && ask_both(tail)) {
      out.left_over = stripped.substr(0, at);
      if (out.unit.empty() || unit_fits_any(out.unit, *out.quantity)) return out.weak = true, out;
      out.quantity.reset();
    }
  }
  for (auto at = stripped.rfind('_'); at != std::string::npos && at > 0; at = stripped.rfind('_', at - 1)) {
    const std::string head = stripped.substr(0, at);
    if (head.size() > 3 && ask_both(head)) {
      out.left_over = stripped.substr(at + 1);
      if (out.unit.empty() || unit_fits_any(out.unit, *out.quantity)) return out.weak = true, out;
      out.quantity.reset();
    }
  }
  if (!symbols.empty() && out.unit.empty()) out.unknown_unit = symbols.back();
  return out;
}

}  // namespace

HeaderName read_header_name(std::string_view raw, std::string_view unit_row, Decimal decimal) {
  if (const auto plain = without_factor(raw)) {
    HeaderName out = read_header_name(*plain, unit_row, decimal);
    out.multiplied = true;
    return out;
  }
  HeaderName out = read_name(raw, unit_row, decimal);
  if (!out.quantity) return out;
  // "Weg Spitze-Spitze", "Force p-p": an amplitude, no samples.
  if (out.kind_told && out.quantity == displacement) out.quantity = amplitude;
  if (out.kind_told && out.quantity == force) out.quantity = force_amplitude;
  if (out.unit.empty() && out.unknown_unit.empty()) {
    const std::string square = split_all_brackets(trim(raw)).square;
    if (!square.empty() && square != "-" && read_unit_text(square).unit.empty() && !says_kind(square))
      out.unknown_unit = square;
  }
  // A unit in the name and another one below it.
  const UnitText below = read_unit_text(unit_row);
  if (!below.unit.empty() && below.unit != "-") {
    const HeaderName alone = read_name(raw, "", decimal);
    if (!alone.unit.empty() && unit_fits_any(alone.unit, *out.quantity) &&
        !same_unit({alone.unit, alone.factor, {}}, below)) {
      out.unit = alone.unit, out.factor = alone.factor;
      out.other_unit = std::string(trim(unit_row));
    }
  }
  return out;
}

}  // namespace kdyn::inline io::internal
