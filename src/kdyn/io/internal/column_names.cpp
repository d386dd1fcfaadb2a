// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/column_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/internal/header_words.hpp"

namespace kdyn::inline io::internal {
namespace {

struct QuantityInfo {
  const char* name;
  const char* si_translation;
  const char* si_rotation;
};

constexpr std::array<QuantityInfo, quantity_count> infos = {{
    {"frequency", "Hz", "Hz"},
    {"amplitude", "m", "rad"},
    {"nominal_amplitude", "m", "rad"},
    {"preload", "N", "N*m"},
    {"k_dyn", "N/m", "N*m/rad"},
    {"loss_angle", "rad", "rad"},
    {"loss_factor", "-", "-"},
    {"displacement", "m", "rad"},
    {"force", "N", "N*m"},
    {"time", "s", "s"},
    {"temperature", "degC", "degC"},
    {"storage_stiffness", "N/m", "N*m/rad"},
    {"loss_stiffness", "N/m", "N*m/rad"},
    {"damping", "N*s/m", "N*m*s/rad"},
    {"force_amplitude", "N", "N*m"},
}};

struct Synonym {
  std::string_view name;
  Quantity quantity;
};

using enum Quantity;

// Words joined by _ after marks and qualifiers are taken off.
constexpr Synonym synonyms[] = {
    {"frequency", frequency},
    {"freq", frequency},
    {"f", frequency},
    {"excitation_frequency", frequency},
    {"frequenz", frequency},
    {"amplitude", amplitude},
    {"ampl", amplitude},
    {"amp", amplitude},
    {"displacement_amplitude", amplitude},
    {"dynamic_amplitude", amplitude},
    {"angle_amplitude", amplitude},
    {"amplitude_displacement", amplitude},
    {"nominal_amplitude", nominal_amplitude},
    {"amplitude_nominal", nominal_amplitude},
    {"target_amplitude", nominal_amplitude},
    {"amplitude_target", nominal_amplitude},
    {"commanded_amplitude", nominal_amplitude},
    {"command_amplitude", nominal_amplitude},
    {"amplitude_command", nominal_amplitude},
    {"set_amplitude", nominal_amplitude},
    {"nom_amplitude", nominal_amplitude},
    {"preload", preload},
    {"pre_load", preload},
    {"preload_force", preload},
    {"preload_moment", preload},
    {"static_load", preload},
    {"static_preload", preload},
    {"mean_load", preload},
    {"mean_force", preload},
    {"vorlast", preload},
    {"k_dyn", k_dyn},
    {"kdyn", k_dyn},
    {"k", k_dyn},
    {"stiffness", k_dyn},
    {"dynamic_stiffness", k_dyn},
    {"stiffness_dynamic", k_dyn},
    {"dyn_stiffness", k_dyn},
    {"stiffness_dyn", k_dyn},
    {"c_dyn", k_dyn},
    {"cdyn", k_dyn},
    {"k_star", k_dyn},
    {"kstar", k_dyn},
    {"complex_stiffness", k_dyn},
    {"steifigkeit", k_dyn},
    {"dynamische_steifigkeit", k_dyn},
    {"loss_angle", loss_angle},
    {"lossangle", loss_angle},
    {"delta", loss_angle},
    {"phase", loss_angle},
    {"phase_angle", loss_angle},
    {"phi", loss_angle},
    {"verlustwinkel", loss_angle},
    {"loss_factor", loss_factor},
    {"tan_delta", loss_factor},
    {"tandelta", loss_factor},
    {"tan_d", loss_factor},
    {"verlustfaktor", loss_factor},
    {"displacement", displacement},
    {"disp", displacement},
    {"s", displacement},
    {"x", displacement},
    {"u", displacement},
    {"travel", displacement},
    {"deflection", displacement},
    {"stroke", displacement},
    {"position", displacement},
    {"weg", displacement},
    {"angle", displacement},
    {"rotation", displacement},
    {"twist", displacement},
    {"theta", displacement},
    {"winkel", displacement},
    {"verdrehwinkel", displacement},
    {"temperature", temperature},
    {"temperature_c", temperature},
    {"temp", temperature},
    {"temp_c", temperature},
    {"temperatur", temperature},
    {"force", force},
    {"load", force},
    {"kraft", force},
    {"reaction_force", force},
    {"moment", force},
    {"torque", force},
    {"drehmoment", force},
    {"time", time},
    {"t", time},
    {"zeit", time},
    {"timestamp", time},
};

constexpr std::string_view peak_to_peak_words[] = {"pp", "p2p", "pkpk", "ptp", "peak_to_peak", "pk_pk", "double"};
// Say which channel or direction, not which quantity; 0-peak is what an amplitude is anyway.
constexpr std::string_view qualifiers[] = {
    "x",         "y",        "z",      "axial",    "radial", "vertical", "lateral",      "longitudinal",
    "torsional", "measured", "actual", "achieved", "mean",   "abs",      "zero_to_peak", "0p",
    "0_p",       "0_peak",   "peak",   "pk",       "ist",    "istwert"};

std::vector<std::string> title_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c == '_' || c == ' ' || c == '\t' || c == '-' || c == ',' || c == ':' || c == '|') {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

std::optional<Quantity> lookup(const std::string& name) {
  static const auto all = [] {
    std::unordered_map<std::string_view, Quantity> out;
    for (const Synonym& synonym : synonyms) out.emplace(synonym.name, synonym.quantity);
    return out;
  }();
  const auto known = all.find(name);
  return known == all.end() ? std::nullopt : std::optional(known->second);
}

ColumnName read_words(const std::vector<std::string>& words, std::size_t count) {
  std::string name = lower_case(join({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)}, "_"));
  ColumnName column;
  column.quantity = lookup(name);
  if (column.quantity || name.find('_') == std::string::npos) return column;  // one word has no qualifier
  for (const std::string_view phrase : peak_to_peak_words)
    column.peak_to_peak = take_phrase(name, phrase) || column.peak_to_peak;
  column.quantity = lookup(name);
  for (const std::string_view phrase : qualifiers) {
    if (column.quantity) break;
    if (take_phrase(name, phrase)) column.quantity = lookup(name);
  }
  return column;
}

// Names are written small; units are shown as they are known.
std::string proper_case(const std::string& symbol) {
  static constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"n", "N"}, {"kn", "kN"}, {"hz", "Hz"}, {"khz", "kHz"}, {"nmm", "Nmm"}, {"nm", "Nm"}, {"knm", "kNm"}, {"v", "V"}};
  for (const auto& [small, proper] : known)
    if (symbol == small) return std::string(proper);
  return symbol;
}

// "n", "per", "mm" -> "N/mm"; "in", "mm" -> "mm"; "/", "N" -> "N".
std::string unit_from_words(std::vector<std::string> words) {
  if (words.size() > 1 && (lower_case(words.front()) == "in" || words.front() == "/")) words.erase(words.begin());
  std::string unit;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (lower_case(words[i]) == "per" && i > 0 && i + 1 < words.size()) {
      unit += '/';
      unit += proper_case(words[++i]);
    } else {
      if (!unit.empty()) unit += '_';
      unit += proper_case(words[i]);
    }
  }
  return unit;
}

bool each_is_unit(const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "per" || parse_unit(word).has_value(); });
}

// Brackets at the end hold the unit.
std::optional<std::pair<std::string_view, std::string_view>> split_brackets(std::string_view raw) {
  if (raw.size() < 3) return std::nullopt;
  const char close = raw.back();
  const char open = close == ']' ? '[' : close == ')' ? '(' : '\0';
  const auto at = open != '\0' ? raw.rfind(open) : std::string_view::npos;
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  return std::pair{trim(raw.substr(0, at)), trim(raw.substr(at + 1, raw.size() - at - 2))};
}

// One letter is a weak hint: it counts only when the unit agrees, and f with a unit of force is a force.
void settle_single_letter(ColumnName& column, std::string_view name) {
  if (trim(name).size() != 1 || !column.quantity) return;
  const char letter = trim(name).front();
  column.weak = true;
  if ((letter == 'f' && unit_fits_any(column.unit, force)) || (letter == 'F' && !unit_fits_any(column.unit, frequency)))
    column.quantity = force;
  const bool temperature = letter == 'T' && column.unit.empty();
  if (temperature || (!column.unit.empty() && !unit_fits_any(column.unit, *column.quantity))) column.quantity.reset();
}

ColumnName read_unsettled(std::string_view raw, std::string& name) {
  if (const auto parts = split_brackets(raw)) {
    const auto words = title_words(parts->first);
    if (!words.empty())
      if (ColumnName column = read_words(words, words.size()); column.quantity) {
        name = parts->first;
        column.unit = parts->second;
        return column;
      }
  }
  const auto words = title_words(raw);
  for (std::size_t count = words.size(); count > 0; --count) {
    ColumnName column = read_words(words, count);
    if (!column.quantity) continue;
    const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(count), words.end());
    column.unit = unit_from_words(rest);
    if (!rest.empty() && !parse_unit(column.unit) && !each_is_unit(rest)) continue;
    name = join({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)}, "_");
    return column;
  }
  // DIN style: "Kraft/N"
  if (const auto slash = raw.find('/'); slash != std::string_view::npos) {
    const auto before = title_words(raw.substr(0, slash));
    if (!before.empty() && parse_unit(raw.substr(slash + 1)))
      if (ColumnName column = read_words(before, before.size()); column.quantity) {
        name = raw.substr(0, slash);
        column.unit = trim(raw.substr(slash + 1));
        return column;
      }
  }
  return {};
}

}  // namespace

bool take_phrase(std::string& name, std::string_view phrase) {
  if (phrase.size() >= name.size()) return false;  // a phrase is never the whole name
  for (auto at = name.find(phrase); at != std::string::npos; at = name.find(phrase, at + 1)) {
    const auto end = at + phrase.size();
    const bool first = at == 0, last = end == name.size();
    if ((!first && name[at - 1] != '_') || (!last && name[end] != '_') || (first && last)) continue;
    name.erase(first ? 0 : at - 1, phrase.size() + 1);
    return true;
  }
  return false;
}

ColumnName read_column_name(std::string_view raw) {
  raw = trim(raw);
  if (raw.size() > 80) return {};  // a sentence, not a name
  std::string name;
  ColumnName column = read_unsettled(raw, name);
  if (column.quantity) settle_single_letter(column, name);
  return column;
}

// Units that end names as often as they are units ("seat_l", "cycle_count"): they count in brackets only.
static bool ends_names(std::string_view unit) {
  static const std::vector<std::string> words = {"l",     "h",      "u",     "v",      "a",    "w",
                                                 "count", "counts", "digit", "digits", "none", "strain",
                                                 "grad",  "ue",     "hr",    "us",     "rev",  "kp"};
  return std::find(words.begin(), words.end(), lower_case(unit)) != words.end();
}

NameAndUnit split_name_and_unit(std::string_view raw) {
  raw = trim(raw);
  if (raw.size() > 200) return {std::string(raw), ""};
  if (const auto parts = split_brackets(raw)) return {std::string(parts->first), std::string(parts->second)};
  // The longest tail of words that is a unit; a single word is a name, even if it could be one (t, s, N).
  const auto words = title_words(raw);
  for (std::size_t count = 1; count < words.size(); ++count) {
    const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(count), words.end());
    const std::string unit = unit_from_words(rest);
    if (parse_unit(unit) && !ends_names(unit))
      return {join({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)}, "_"), unit};
  }
  return {std::string(raw), ""};
}

const char* quantity_name(Quantity quantity) { return infos[static_cast<std::size_t>(quantity)].name; }

std::optional<Quantity> quantity_named(std::string_view name) {
  for (std::size_t i = 0; i < infos.size(); ++i)
    if (name == infos[i].name) return static_cast<Quantity>(i);
  return std::nullopt;
}

const char* si_unit(Quantity quantity, bool rotation) {
  const QuantityInfo& info = infos[static_cast<std::size_t>(quantity)];
  return rotation ? info.si_rotation : info.si_translation;
}

static bool fits(std::string_view unit, Quantity quantity, bool translation, bool rotation) {
  struct Known {
    Unit translation, rotation;
  };
  static const auto known = [] {
    std::array<Known, quantity_count> out;
    for (std::size_t i = 0; i < infos.size(); ++i)
      out[i] = {parse_unit(infos[i].si_translation).value(), parse_unit(infos[i].si_rotation).value()};
    return out;
  }();
  static const Unit turning = parse_unit("rad/s").value();
  if (quantity == Quantity::temperature && unit == "degF") return true;
  const auto given = parse_unit(unit);
  if (!given) return false;
  if (quantity == Quantity::frequency && given->same_dimension(turning)) return true;
  const Known& wanted = known[static_cast<std::size_t>(quantity)];
  return (translation && given->same_dimension(wanted.translation)) ||
         (rotation && given->same_dimension(wanted.rotation));
}

bool unit_fits(std::string_view unit, Quantity quantity, bool rotation) {
  return fits(unit, quantity, !rotation, rotation);
}

bool unit_fits_any(std::string_view unit, Quantity quantity) { return fits(unit, quantity, true, true); }

}  // namespace kdyn::inline io::internal
