// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/display_units.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline base {
namespace {

struct Symbol {
  std::string_view name;
  Unit unit;
};

using Dimension = std::array<int, 5>;
constexpr Dimension none{0, 0, 0, 0, 0}, length{1, 0, 0, 0, 0}, mass{0, 1, 0, 0, 0}, time_{0, 0, 1, 0, 0},
    angle{0, 0, 0, 1, 0}, force{1, 1, -2, 0, 0}, moment{2, 1, -2, 0, 0}, rate{0, 0, -1, 0, 0},
    pressure{-1, 1, -2, 0, 0}, acceleration{1, 0, -2, 0, 0}, turning{0, 0, -1, 1, 0}, speed{1, 0, -1, 0, 0},
    volume{3, 0, 0, 0, 0}, watts{2, 1, -3, 0, 0}, current{0, 0, 0, 0, 1}, voltage{2, 1, -3, 0, -1},
    resistance{2, 1, -3, 0, -2};

// Exact by definition: inch 0.0254 m, pound 0.45359237 kg, standard gravity 9.80665 m/s^2.
constexpr double pound_force = 0.45359237 * 9.80665;
constexpr double turn = two_pi;

// clang-format off
constexpr Symbol symbols[] = {
    {"m", {1.0, length}},        {"mm", {1e-3, length}},        {"cm", {1e-2, length}},     {"um", {1e-6, length}},
    {"in", {0.0254, length}},    {"inch", {0.0254, length}},    {"inches", {0.0254, length}}, {"ft", {0.3048, length}},
    {"kg", {1.0, mass}},         {"g", {1e-3, mass}},           {"t", {1e3, mass}},         {"lbm", {0.45359237, mass}},
    {"s", {1.0, time_}},         {"sec", {1.0, time_}},         {"second", {1.0, time_}},   {"ms", {1e-3, time_}},
    {"min", {60.0, time_}},      {"rad", {1.0, angle}}, {"mrad", {1e-3, angle}},        {"deg", {degree, angle}},   {"degree", {degree, angle}},
    {"degrees", {degree, angle}}, {"N", {1.0, force}},          {"kN", {1e3, force}},       {"mN", {1e-3, force}},
    {"newton", {1.0, force}},    {"lbf", {pound_force, force}}, {"lb", {pound_force, force}}, {"kip", {1e3 * pound_force, force}},
    {"kgf", {9.80665, force}}, {"kp", {9.80665, force}},   {"Nm", {1.0, moment}},         {"Nmm", {1e-3, moment}},    {"kNm", {1e3, moment}},
    {"Hz", {1.0, rate}},         {"kHz", {1e3, rate}},          {"Pa", {1.0, pressure}},    {"kPa", {1e3, pressure}},
    {"MPa", {1e6, pressure}},    {"bar", {1e5, pressure}},      {"gn", {9.80665, acceleration}}, {"%", {0.01, none}},
    {"degC", {1.0, none}},       {"-", {1.0, none}},            {"1", {1.0, none}},         {"J", {1.0, moment}},
    {"km", {1e3, length}},       {"us", {1e-6, time_}},      {"h", {3600.0, time_}},
    {"rpm", {turn / 60.0, turning}}, {"rev", {turn, angle}},    {"kph", {1.0 / 3.6, speed}}, {"mph", {1609.344 / 3600.0, speed}},
    {"hPa", {1e2, pressure}},    {"mbar", {1e2, pressure}},     {"psi", {pound_force / (0.0254 * 0.0254), pressure}}, {"GPa", {1e9, pressure}},
    {"mil", {25.4e-6, length}},  {"mils", {25.4e-6, length}},   {"thou", {25.4e-6, length}},
    {"daN", {10.0, force}},      {"l", {1e-3, volume}},         {"Ohm", {1.0, resistance}},
};

// Capital and small letters tell these apart (mV and MV, A and the are).
constexpr Symbol exact_symbols[] = {
    {"V", {1.0, voltage}},  {"mV", {1e-3, voltage}}, {"uV", {1e-6, voltage}}, {"kV", {1e3, voltage}}, {"A", {1.0, current}},
    {"mA", {1e-3, current}}, {"W", {1.0, watts}},    {"mW", {1e-3, watts}},   {"kW", {1e3, watts}},
    {"U", {turn, angle}},   {"mHz", {1e-3, rate}},   {"MHz", {1e6, rate}},
    {"L", {1e-3, volume}},   {"mNm", {1e-3, moment}}, {"MN", {1e6, force}},
};

// Whole texts that stand for a unit, in small letters.
constexpr std::pair<std::string_view, std::string_view> words[] = {
    {"micro strain", "um/m"}, {"microstrain", "um/m"}, {"ustrain", "um/m"}, {"ue", "um/m"},       {"strain", "-"},       {"digit", "-"},
    {"digits", "-"},          {"count", "-"},          {"counts", "-"},     {"percent", "%"},     {"volt", "V"},         {"volts", "V"},
    {"ampere", "A"},          {"amps", "A"},           {"watt", "W"},       {"newtons", "N"},     {"meter", "m"},        {"meters", "m"},
    {"metre", "m"},           {"metres", "m"},         {"millimeter", "mm"}, {"millimeters", "mm"}, {"seconds", "s"},    {"hour", "h"},
    {"hours", "h"},           {"hr", "h"},             {"minutes", "min"},  {"hertz", "Hz"},      {"radians", "rad"},    {"celsius", "degC"},
    {"deg c", "degC"},        {"deg celsius", "degC"}, {"u/min", "rpm"},    {"rev/min", "rpm"},   {"r/min", "rpm"},      {"umdr./min", "rpm"},
    {"grad", "deg"},          {"degka", "deg"},        {"degkw", "deg"},    {"degca", "deg"},     {"newton-meters", "N*m"}, {"m/s/s", "m/s^2"},
    {"mm/s/s", "mm/s^2"},     {"none", "-"},
};
// clang-format on

using UnitsByName = std::unordered_map<std::string_view, const Unit*>;

const Unit* in_list(const UnitsByName& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? nullptr : found->second;
}

const Unit* find_symbol(std::string_view name) {
  static const UnitsByName as_written = [] {
    UnitsByName out;
    for (const Symbol& symbol : exact_symbols) out.emplace(symbol.name, &symbol.unit);
    for (const Symbol& symbol : symbols) out.emplace(symbol.name, &symbol.unit);
    return out;
  }();
  // Names that headers write in another case; only where that cannot be confused (mN is not MN, mPa is not MPa).
  static const std::unordered_map<std::string, const Unit*> any_case = [] {
    std::unordered_map<std::string, const Unit*> out;
    for (const Symbol& symbol : symbols)
      if (symbol.name != "mN" && symbol.name != "t" && symbol.name != "h" && symbol.name != "l")
        out.emplace(lower_case(symbol.name), &symbol.unit);
    return out;
  }();
  if (const Unit* known = in_list(as_written, name)) return known;
  if (name == "mPa" || name == "Mbar" || name == "Gpa") return nullptr;
  const auto found = any_case.find(lower_case(name));
  return found == any_case.end() ? nullptr : found->second;
}

// Signs that headers write outside ASCII, in UTF-8 and, where they have one, as a Latin-1 byte.
constexpr std::pair<std::string_view, std::string_view> spellings[] = {
    {"\xc2\xb0", "deg"},
    {"\xb0", "deg"},  // degree sign
    {"\xc2\xb5", "u"},
    {"\xce\xbc", "u"},
    {"\xb5", "u"},  // micro sign, Greek mu
    {"\xc2\xb7", "*"},
    {"\xe2\x8b\x85", "*"},
    {"\xb7", "*"},  // middle dot, dot operator
    {"\xc2\xb2", "^2"},
    {"\xb2", "^2"},  // superscript two
    {"\xc2\xb3", "^3"},
    {"\xb3", "^3"},  // superscript three
    {"\xe2\x81\xbb\xc2\xb9", "^-1"},
    {"\xe2\x81\xbb\xc2\xb2", "^-2"},  // superscript minus one, minus two
};

std::string in_ascii(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return std::string(text);
  std::string out;
  while (!text.empty()) {
    const auto* spelling = std::find_if(std::begin(spellings), std::end(spellings),
                                        [&](const auto& s) { return text.starts_with(s.first); });
    if (spelling != std::end(spellings)) {
      out += spelling->second;
      text.remove_prefix(spelling->first.size());
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

// "N / mm" is "N/mm": a blank multiplies only where it stands between two symbols.
std::string without_idle_blanks(std::string_view text) {
  constexpr std::string_view operators = "*/. ";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool idle = text[i] == ' ' && (operators.find(text[i + 1]) != std::string_view::npos ||
                                         operators.find(out.back()) != std::string_view::npos);
    if (!idle) out += text[i];
  }
  return out;
}

// Products and quotients of symbols with whole exponents; parentheses group.
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  std::optional<Unit> whole() {
    const auto unit = product(0);
    return at_ == text_.size() ? unit : std::nullopt;
  }

 private:
  std::optional<Unit> product(int depth) {
    Unit total;
    for (int sign = 1;;) {
      if (!multiply(total, sign, depth)) return std::nullopt;
      if (at_ == text_.size() || text_[at_] == ')') return total;
      const char op = text_[at_++];
      if (op == '(') return std::nullopt;  // "N(m)": nobody says whether that multiplies
      if (op == '/') {
        if (sign < 0) return std::nullopt;  // a/b/c is ambiguous; a/b*c is a/(b*c)
        sign = -1;
      }
    }
  }

  bool multiply(Unit& total, int sign, int depth) {
    std::optional<Unit> factor;
    int exponent = 1;
    if (at_ < text_.size() && text_[at_] == '(') {
      constexpr int deepest = 4;
      if (depth == deepest) return false;
      ++at_;
      factor = product(depth + 1);
      if (!factor || at_ == text_.size()) return false;
      ++at_;
      const auto power = word();
      if (!power.empty() && !read_exponent(power, exponent)) return false;
    } else {
      std::string_view name = word();
      if (const auto caret = name.find('^'); caret != std::string_view::npos) {
        if (!read_exponent(name.substr(caret), exponent)) return false;
        name = name.substr(0, caret);
      } else if (name.size() > 1 && name.back() >= '2' && name.back() <= '4') {
        exponent = name.back() - '0';
        name.remove_suffix(1);
      }
      if (const Unit* known = find_symbol(name)) factor = *known;
    }
    if (!factor) return false;
    exponent *= sign;
    total.to_si *= std::pow(factor->to_si, exponent);
    for (std::size_t d = 0; d < total.dimension.size(); ++d) total.dimension[d] += exponent * factor->dimension[d];
    return true;
  }

  static bool read_exponent(std::string_view text, int& exponent) {
    const auto power = text.front() == '^' ? parse_number(text.substr(1)) : std::nullopt;
    if (!power || *power != std::floor(*power) || std::abs(*power) > 9) return false;
    exponent = static_cast<int>(*power);
    return true;
  }

  std::string_view word() {
    const auto end = std::min(text_.find_first_of("*/. ()", at_), text_.size());
    const auto out = text_.substr(at_, end - at_);
    at_ = end;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Unit> parse_unit(std::string_view raw) {
  if (raw.size() > 64) return std::nullopt;
  std::string text = without_idle_blanks(trim(in_ascii(raw)));
  static const std::unordered_map<std::string_view, std::string_view> by_word(std::begin(words), std::end(words));
  if (const auto known = by_word.find(lower_case(text)); known != by_word.end()) text = known->second;
  const auto unit = UnitParser(text).whole();
  if (!unit || !std::isnormal(unit->to_si)) return std::nullopt;  // a pile of exponents is no unit of measurement
  return unit;
}

double factor_to_si(std::string_view text, std::string_view si_unit, const std::string& where) {
  const auto unit = parse_unit(text);
  const auto wanted = parse_unit(si_unit);
  demand(wanted.has_value(), "a unit named by kdyn itself is known");
  if (!unit)
    throw_bad_input(where, fmt::format("unknown unit {}", in_quotes(text)),
                    fmt::format("use a unit that converts to {}", si_unit));
  if (!unit->same_dimension(*wanted))
    throw_bad_input(where, fmt::format("unit {} does not convert to {}", in_quotes(text), si_unit),
                    "check the column and its unit");
  return unit->to_si;
}

double convert(double value, std::string_view from, std::string_view to) {
  const auto a = parse_unit(from), b = parse_unit(to);
  demand(a && b && a->same_dimension(*b), "units named by kdyn itself convert");
  return value * a->to_si / b->to_si;
}

const std::vector<ShownUnit>& shown_units() {
  static const std::vector<ShownUnit> all = {{"N/m", "N/mm", 1e-3},
                                             {"m", "mm", 1e3},
                                             {"1/m", "1/mm", 1e-3},
                                             {"s", "ms", 1e3},
                                             {"N*m/rad", "N m/deg", degree},
                                             {"rad", "deg", 1.0 / degree},
                                             {"1/rad", "1/deg", degree},
                                             {"N*m", "N m", 1.0},
                                             {"Pa", "kPa", 1e-3},
                                             {"m^2", "mm^2", 1e6},
                                             {"m^3/s", "cm^3/s", 1e6}};
  return all;
}

DisplayUnit display_unit(const std::string& si) {
  for (const ShownUnit& one : shown_units())
    if (one.unit == si) return {one.shown, one.factor};
  return {si == "-" ? "" : si, 1.0};
}

const FieldTable& fields_of(const ShownUnit*) {
  static const FieldTable table = FieldTable::results<ShownUnit>("shown unit", [](FieldTable& t) {
    t.add(&ShownUnit::unit, "unit", "-", "Unit of results");
    t.add(&ShownUnit::shown, "shown", "-", "Unit that people see");
    t.add(&ShownUnit::factor, "factor", "-", "What values are multiplied by");
  });
  return table;
}

}  // namespace kdyn::inline base
