// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/teimorbit.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io {
namespace {

using internal::TextLine;
using internal::TextLines;

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

bool is_key_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

// KEY = 'text' or KEY = number, as many as the line has. False when the line is something else.
bool take_assignments(std::string_view line, TeimOrbitBlock& block) {
  std::size_t i = 0;
  bool any = false;
  while (i < line.size()) {
    while (i < line.size() && internal::is_space(line[i])) ++i;
    const std::size_t key = i;
    while (i < line.size() && is_key_character(line[i])) ++i;
    const std::string_view name = line.substr(key, i - key);
    while (i < line.size() && internal::is_space(line[i])) ++i;
    if (name.empty() || i >= line.size() || line[i] != '=') return any && key >= line.size();
    ++i;
    while (i < line.size() && internal::is_space(line[i])) ++i;
    std::string_view value;
    if (i < line.size() && (line[i] == '\'' || line[i] == '"')) {
      const std::size_t close = std::min(line.find(line[i], i + 1), line.size());
      value = line.substr(i + 1, close - i - 1);
      i = std::min(close + 1, line.size());
    } else {
      const std::size_t first = i;
      while (i < line.size() && !internal::is_space(line[i])) ++i;
      value = line.substr(first, i - first);
    }
    block.values.emplace_back(upper(name), internal::to_utf8(trim(value)));
    any = true;
  }
  return any;
}

// What follows the text on a line of its own: a comment after $.
std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\'') quoted = !quoted;
    if (!quoted && line[i] == '$') return line.substr(0, i);
  }
  return line;
}

struct UnitName {
  std::string_view name;
  double factor;
};
constexpr double pound_force = 0.45359237 * 9.80665;
constexpr UnitName lengths[] = {{"mm", 1e-3},     {"millimeter", 1e-3}, {"cm", 1e-2},    {"centimeter", 1e-2},
                                {"m", 1.0},       {"meter", 1.0},       {"km", 1e3},     {"in", 0.0254},
                                {"inch", 0.0254}, {"ft", 0.3048},       {"foot", 0.3048}};
constexpr UnitName angles[] = {{"deg", degree}, {"degree", degree}, {"degrees", degree},
                               {"rad", 1.0},    {"radian", 1.0},    {"radians", 1.0}};
constexpr UnitName forces[] = {{"newton", 1.0},
                               {"n", 1.0},
                               {"kn", 1e3},
                               {"knewton", 1e3},
                               {"kilonewton", 1e3},
                               {"lbf", pound_force},
                               {"pound_force", pound_force},
                               {"kg_force", 9.80665},
                               {"kgf", 9.80665},
                               {"dyne", 1e-5}};
constexpr UnitName masses[] = {{"kg", 1.0},
                               {"kilogram", 1.0},
                               {"g", 1e-3},
                               {"gram", 1e-3},
                               {"tonne", 1e3},
                               {"megagram", 1e3},
                               {"pound_mass", 0.45359237},
                               {"slug", 14.593902937206365}};
constexpr UnitName times[] = {{"second", 1.0},       {"seconds", 1.0}, {"sec", 1.0},     {"s", 1.0},
                              {"millisecond", 1e-3}, {"ms", 1e-3},     {"minute", 60.0}, {"hour", 3600.0}};

}  // namespace

std::optional<std::string> TeimOrbitBlock::text(std::string_view key) const {
  for (const auto& [name, value] : values)
    if (name == key) return value;
  return std::nullopt;
}

const TeimOrbitBlock* TeimOrbitFile::find(std::string_view title) const {
  const auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](const TeimOrbitBlock& block) { return block.title == title; });
  return found == blocks.end() ? nullptr : &*found;
}

bool looks_like_teimorbit(std::string_view content) {
  TextLines lines(content.substr(0, std::size_t{1} << 14));
  TextLine line;
  while (lines.next(line)) {
    const std::string_view text = trim(line.text);
    if (text.empty() || text.front() == '$') continue;
    return text.front() == '[' && text.find(']') != std::string_view::npos && text.find(',') == std::string_view::npos;
  }
  return false;
}

TeimOrbitFile parse_teimorbit(std::string_view content, const std::string& name) {
  TeimOrbitFile file;
  file.name = name;
  TextLines lines(content);
  TextLine line;
  std::string sub_block;
  TeimOrbitTable* table = nullptr;
  std::vector<double> numbers;
  const auto complain = [&](Severity severity, const char* code, const std::string& message) {
    if (file.findings.size() < 100)
      file.findings.push_back({severity, code,
                               fmt::format("{}:{}: block {}, byte {}", name, line.number,
                                           file.blocks.empty() ? "none" : file.blocks.back().title, line.offset),
                               message, "repair the line"});
  };
  const std::size_t limit = internal::allowed_bytes(content.size()) / 6;
  std::size_t held = 0;
  while (lines.next(line)) {
    const std::string_view text = trim(without_comment(line.text.substr(0, 4096)));
    if (text.empty()) continue;
    held += 160;
    if (held > limit) {
      complain(Severity::serious, "too_many_lines",
               "the lines are shorter than lines of this format can be; the rest was not read");
      break;
    }
    if (text.front() == '[') {
      file.blocks.push_back(
          {upper(trim(text.substr(1, std::min(text.find(']'), text.size()) - 1))), {}, {}, line.number});
      sub_block.clear();
      table = nullptr;
    } else if (file.blocks.empty()) {
      complain(Severity::warning, "stray_line", fmt::format("{} stands before the first block", in_quotes(text)));
    } else if (text.front() == '(') {
      sub_block = upper(trim(text.substr(1, std::min(text.find(')'), text.size()) - 1)));
      table = nullptr;
    } else if (text.front() == '{') {
      std::string names(text.substr(1, std::min(text.find('}'), text.size()) - 1));
      std::replace(names.begin(), names.end(), ',', ' ');
      TeimOrbitTable fresh;
      fresh.name = sub_block, fresh.line = line.number;
      for (const std::string_view word : internal::words_of(names)) fresh.columns.emplace_back(lower_case(word));
      file.blocks.back().tables.push_back(std::move(fresh));
      table = &file.blocks.back().tables.back();
    } else if (numbers.clear(), table != nullptr && internal::append_numbers(text, numbers)) {
      const bool finite =
          std::all_of(numbers.begin(), numbers.end(), [](double value) { return std::isfinite(value); });
      if (numbers.size() != table->columns.size() || !finite)
        complain(Severity::serious, "bad_row",
                 fmt::format("a row of {} finite numbers is expected, not {}; it was skipped", table->columns.size(),
                             in_quotes(text)));
      else
        table->rows.push_back(numbers);
    } else if (!take_assignments(text, file.blocks.back())) {
      complain(Severity::warning, "not_understood",
               fmt::format("{} is neither KEY = value nor a row of a table", in_quotes(text)));
    }
  }
  if (file.blocks.empty()) throw_bad_input(name, "there is no [BLOCK] in it", "check that this is a property file");
  return file;
}

TeimOrbitFile without_own_blocks(TeimOrbitFile file) {
  std::erase_if(file.blocks,
                [](const TeimOrbitBlock& block) { return block.title == "KDYN" || block.title.ends_with("_KDYN"); });
  return file;
}

namespace {
constexpr std::array<const char*, 6> place_keys = {"POSITION_X_M",   "POSITION_Y_M",   "POSITION_Z_M",
                                                   "ROTATION_X_RAD", "ROTATION_Y_RAD", "ROTATION_Z_RAD"};
}

std::array<double, 6> installed_place(TeimOrbitFile& file) {
  std::array<double, 6> place{};
  const TeimOrbitBlock* block = file.find("KDYN");
  if (block == nullptr) return place;
  for (std::size_t i = 0; i < place.size(); ++i)
    if (const auto text = block->text(place_keys[i])) {
      const auto value = internal::field_number(*text);
      if (value && std::abs(*value) <= 1e6)
        place[i] = *value;
      else
        file.findings.push_back({Severity::serious, "place_unreadable", fmt::format("{}:{}", file.name, block->line),
                                 fmt::format("{} is no number up to 1e6 and counts as 0", place_keys[i]),
                                 "correct it: m and rad"});
    }
  return place;
}

std::string place_block(const std::array<double, 6>& place) {
  if (std::all_of(place.begin(), place.end(), [](double value) { return value == 0.0; })) return "";
  std::string out = "[KDYN]\n";
  for (std::size_t i = 0; i < place.size(); ++i)
    out += fmt::format(" {} =  {}\n", place_keys[i], place[i] == 0.0 ? 0.0 : place[i]);
  return out;
}

TeimOrbitUnits teimorbit_units(TeimOrbitFile& file) {
  TeimOrbitUnits units;
  const TeimOrbitBlock* block = file.find("UNITS");
  units.given = block != nullptr;
  if (block == nullptr) {
    file.findings.push_back({Severity::warning, "no_units", file.name,
                             "there is no [UNITS] block: mm, degrees, newton, kg and second were taken",
                             "add the block"});
    return units;
  }
  const auto look_up = [&](const char* key, const auto& names, double& factor) {
    const auto text = block->text(key);
    if (!text) return;
    for (const UnitName& unit : names)
      if (unit.name == lower_case(*text)) {
        factor = unit.factor;
        return;
      }
    file.findings.push_back({Severity::serious, "unit_unknown", fmt::format("{}:{}", file.name, block->line),
                             fmt::format("{} = {} is not known; the default was taken", key, in_quotes(*text)),
                             "use mm, degrees, newton, kg, second or SI"});
  };
  look_up("LENGTH", lengths, units.length);
  look_up("ANGLE", angles, units.angle);
  look_up("FORCE", forces, units.force);
  look_up("MASS", masses, units.mass);
  look_up("TIME", times, units.time);
  return units;
}

}  // namespace kdyn::inline io
