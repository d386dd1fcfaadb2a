// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/units.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn {
namespace {

struct Symbol {
  std::string_view name;
  Unit unit;
};

constexpr std::array<int, 4> none{0, 0, 0, 0}, length{1, 0, 0, 0}, mass{0, 1, 0, 0}, time_{0, 0, 1, 0}, angle{0, 0, 0, 1},
    force{1, 1, -2, 0}, moment{2, 1, -2, 0}, rate{0, 0, -1, 0}, pressure{-1, 1, -2, 0}, acceleration{1, 0, -2, 0};

// Exact by definition: inch 0.0254 m, pound 0.45359237 kg, standard gravity 9.80665 m/s^2.
constexpr double pound_force = 0.45359237 * 9.80665;
constexpr double degree = std::numbers::pi / 180.0;

constexpr Symbol symbols[] = {
    {"m", {1.0, length}},        {"mm", {1e-3, length}},        {"cm", {1e-2, length}},     {"um", {1e-6, length}},
    {"in", {0.0254, length}},    {"inch", {0.0254, length}},    {"inches", {0.0254, length}}, {"ft", {0.3048, length}},
    {"kg", {1.0, mass}},         {"g", {1e-3, mass}},           {"t", {1e3, mass}},         {"lbm", {0.45359237, mass}},
    {"s", {1.0, time_}},         {"sec", {1.0, time_}},         {"second", {1.0, time_}},   {"ms", {1e-3, time_}},
    {"min", {60.0, time_}},      {"rad", {1.0, angle}},         {"deg", {degree, angle}},   {"degree", {degree, angle}},
    {"degrees", {degree, angle}}, {"N", {1.0, force}},          {"kN", {1e3, force}},       {"mN", {1e-3, force}},
    {"newton", {1.0, force}},    {"lbf", {pound_force, force}}, {"lb", {pound_force, force}}, {"kip", {1e3 * pound_force, force}},
    {"kgf", {9.80665, force}},   {"Nm", {1.0, moment}},         {"Nmm", {1e-3, moment}},    {"kNm", {1e3, moment}},
    {"Hz", {1.0, rate}},         {"kHz", {1e3, rate}},          {"Pa", {1.0, pressure}},    {"kPa", {1e3, pressure}},
    {"MPa", {1e6, pressure}},    {"bar", {1e5, pressure}},      {"gn", {9.80665, acceleration}}, {"%", {0.01, none}},
    {"-", {1.0, none}},          {"1", {1.0, none}},
};

const Unit* find_symbol(std::string_view name) {
  for (const Symbol& symbol : symbols)
    if (symbol.name == name) return &symbol.unit;
  // Names that headers write in another case; only where that cannot be confused (mN is not MN).
  static const auto same = [](std::string_view a, std::string_view b) { return lower_case(a) == lower_case(b); };
  for (const Symbol& symbol : symbols)
    if (symbol.name != "mN" && symbol.name != "t" && same(symbol.name, name)) return &symbol.unit;
  return nullptr;
}

// "°" in UTF-8 and Latin-1, "µ" in UTF-8 and Latin-1, middle dot.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (c == 0xc2 && (next == 0xb0 || next == 0xb5 || next == 0xb7)) {
      out += next == 0xb0 ? "deg" : next == 0xb5 ? "u" : "*";
      ++i;
    } else if (c == 0xb0) {
      out += "deg";
    } else if (c == 0xb5) {
      out += "u";
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

}  // namespace

std::optional<Unit> parse_unit(std::string_view raw) {
  const std::string text = plain(trim(raw));
  if (text.empty() || text.size() > 64) return std::nullopt;
  Unit total;
  int sign = 1;
  std::size_t i = 0;
  while (i < text.size()) {
    const auto end = text.find_first_of("*/. ", i);
    std::string_view part = std::string_view(text).substr(i, end == std::string::npos ? std::string::npos : end - i);
    int exponent = 1;
    if (const auto caret = part.find('^'); caret != std::string_view::npos) {
      const auto power = parse_number(part.substr(caret + 1));
      if (!power || *power != std::floor(*power) || std::abs(*power) > 9) return std::nullopt;
      exponent = static_cast<int>(*power);
      part = part.substr(0, caret);
    } else if (part.size() > 1 && part.back() >= '2' && part.back() <= '4') {
      exponent = part.back() - '0';
      part.remove_suffix(1);
    }
    const Unit* unit = find_symbol(part);
    if (unit == nullptr) return std::nullopt;
    exponent *= sign;
    total.to_si *= std::pow(unit->to_si, exponent);
    for (std::size_t d = 0; d < 4; ++d) total.dimension[d] += exponent * unit->dimension[d];
    if (end == std::string::npos) break;
    if (text[end] == '/') {
      if (sign < 0) return std::nullopt;  // a/b/c is ambiguous; write a/(b*c) as a/b*c
      sign = -1;
    }
    i = end + 1;
    if (i >= text.size()) return std::nullopt;
  }
  return total;
}

double factor_to_si(std::string_view text, std::string_view si_unit, const std::string& where) {
  const auto unit = parse_unit(text);
  const auto wanted = parse_unit(si_unit);
  demand(wanted.has_value(), "a unit named by kdyn itself is known");
  if (!unit) throw_bad_input(where, fmt::format("unknown unit {}", in_quotes(text)), fmt::format("use a unit that converts to {}", si_unit));
  if (!unit->same_dimension(*wanted))
    throw_bad_input(where, fmt::format("unit {} does not convert to {}", in_quotes(text), si_unit), "check the column and its unit");
  return unit->to_si;
}

double convert(double value, std::string_view from, std::string_view to) {
  const auto a = parse_unit(from), b = parse_unit(to);
  demand(a && b && a->same_dimension(*b), "units named by kdyn itself convert");
  return value * a->to_si / b->to_si;
}

}  // namespace kdyn
