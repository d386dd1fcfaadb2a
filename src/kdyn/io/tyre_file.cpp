// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/tyre_file.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline io {
namespace {

constexpr std::size_t most_keys = 5000, most_rows = 100000;

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

// Exponents of length, force, time and angle of the keys that have a unit.
struct Dimension {
  int length = 0, force = 0, time = 0, angle = 0;
};
const std::map<std::string, Dimension>& dimensions() {
  static const std::map<std::string, Dimension> table = {{"UNLOADED_RADIUS", {1, 0, 0, 0}},
                                                         {"WIDTH", {1, 0, 0, 0}},
                                                         {"RIM_RADIUS", {1, 0, 0, 0}},
                                                         {"RIM_WIDTH", {1, 0, 0, 0}},
                                                         {"BOTTOMING_RADIUS", {1, 0, 0, 0}},
                                                         {"VERTICAL_STIFFNESS", {-1, 1, 0, 0}},
                                                         {"VERTICAL_DAMPING", {-1, 1, 1, 0}},
                                                         {"FNOMIN", {0, 1, 0, 0}},
                                                         {"FZMIN", {0, 1, 0, 0}},
                                                         {"FZMAX", {0, 1, 0, 0}},
                                                         {"ALPMIN", {0, 0, 0, 1}},
                                                         {"ALPMAX", {0, 0, 0, 1}},
                                                         {"CAMMIN", {0, 0, 0, 1}},
                                                         {"CAMMAX", {0, 0, 0, 1}},
                                                         {"LONGVL", {1, 0, -1, 0}},
                                                         {"VXLOW", {1, 0, -1, 0}}};
  return table;
}

const std::map<std::string, std::map<std::string, double>>& unit_words() {
  static const std::map<std::string, std::map<std::string, double>> table = {
      {"LENGTH",
       {{"METER", 1.0},
        {"METRE", 1.0},
        {"M", 1.0},
        {"MM", 1e-3},
        {"MILLIMETER", 1e-3},
        {"CM", 1e-2},
        {"CENTIMETER", 1e-2},
        {"KM", 1e3},
        {"INCH", 0.0254},
        {"FOOT", 0.3048},
        {"FT", 0.3048}}},
      {"FORCE",
       {{"NEWTON", 1.0},
        {"N", 1.0},
        {"KILONEWTON", 1e3},
        {"KN", 1e3},
        {"KILO_NEWTON", 1e3},
        {"KILOGRAM_FORCE", 9.80665},
        {"KGF", 9.80665},
        {"POUND_FORCE", 4.4482216152605},
        {"LBF", 4.4482216152605}}},
      {"TIME",
       {{"SECOND", 1.0},
        {"SEC", 1.0},
        {"S", 1.0},
        {"MILLISECOND", 1e-3},
        {"MS", 1e-3},
        {"MINUTE", 60.0},
        {"HOUR", 3600.0}}},
      {"ANGLE",
       {{"RADIAN", 1.0},
        {"RADIANS", 1.0},
        {"RAD", 1.0},
        {"DEGREE", 3.14159265358979323846 / 180.0},
        {"DEGREES", 3.14159265358979323846 / 180.0},
        {"DEG", 3.14159265358979323846 / 180.0}}}};
  return table;
}

struct Row {
  std::size_t line;
  double x, y;
};

}  // namespace

std::string TyreFile::place(const std::string& key) const {
  const auto found = lines.find(key);
  return found == lines.end() ? source.path : fmt::format("{}:{}", source.path, found->second);
}

bool looks_like_tyre_file(std::string_view content) {
  const std::string head = upper_case(content.substr(0, 1 << 16));
  return head.find("[UNITS]") != std::string::npos && head.find("[MODEL]") != std::string::npos &&
         head.find("UNLOADED_RADIUS") != std::string::npos;
}

TyreFile parse_tyre_file(std::string_view content, const std::string& name) {
  TyreFile out;
  out.source.path = name;
  std::string section;
  bool in_table = false;
  std::set<std::string> other_tables;
  std::vector<Row> rows;
  std::size_t number = 0, begin = 0;
  while (begin < content.size()) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string_view line = content.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    const auto fail = [&](const std::string& message, const std::string& remedy) {
      throw_bad_input(fmt::format("{}:{}", name, number), message, remedy);
    };
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    // A $ inside quotes is no comment.
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\'') quoted = !quoted;
      if (line[i] == '$' && !quoted) {
        line = line.substr(0, i);
        break;
      }
    }
    line = trim(line);
    if (line.empty() || line.front() == '!') continue;
    if (line.front() == '[') {
      const std::size_t close = line.find(']');
      if (close == std::string_view::npos) fail("the name of a section has no end", "write [SECTION]");
      section = upper_case(trim(line.substr(1, close - 1)));
      in_table = false;
      continue;
    }
    if (line.front() == '{') {
      in_table = true;
      if (section != "DEFLECTION_LOAD_CURVE") {
        other_tables.insert(section.substr(0, 80));
      } else if (const std::string head = lower_case(line);
                 head.find("pen") == std::string::npos || head.find("pen") > head.find("fz")) {
        fail(fmt::format("the columns of the load curve are {}", in_quotes(line)), "write {pen fz}");
      }
      continue;
    }
    const std::size_t equal = line.find('=');
    if (in_table && equal == std::string_view::npos) {
      if (section != "DEFLECTION_LOAD_CURVE") continue;
      const std::size_t gap = line.find_first_of(" \t,");
      const auto x = parse_number(line.substr(0, gap));
      const auto y = gap == std::string_view::npos ? std::nullopt : parse_number(trim(line.substr(gap + 1)));
      if (!x || !y || !std::isfinite(*x) || !std::isfinite(*y))
        fail(fmt::format("{} is no row of a load curve", in_quotes(line)), "write deflection and load");
      if (rows.size() >= most_rows) fail("the load curve is too long", "thin it out");
      rows.push_back({number, *x, *y});
      continue;
    }
    if (equal == std::string_view::npos)
      fail(fmt::format("{} is no KEY = value", in_quotes(line)), "repair or remove the line");
    if (section.empty()) fail("a value stands before the first section", "is this a tyre property file?");
    const std::string key = upper_case(trim(line.substr(0, equal)));
    const std::string_view value = trim(line.substr(equal + 1));
    if (key.empty()) fail("the name of the value is missing", "write KEY = value");
    if (out.lines.size() >= most_keys) fail("the file holds too many values", "is this a tyre property file?");
    if (section == "MDI_HEADER") continue;
    if (!out.lines.emplace(key, number).second)
      fail(fmt::format("{} is given twice, in line {} too", in_quotes(key), out.lines[key]), "remove one of them");
    if (!value.empty() && (value.front() == '\'' || value.front() == '"')) {
      const std::size_t close = value.find(value.front(), 1);
      if (close == std::string_view::npos) fail("a quote has no end", "close it");
      out.words[key] = std::string(trim(value.substr(1, close - 1)));
      continue;
    }
    const auto parsed = parse_number(value);
    if (!parsed || !std::isfinite(*parsed))
      fail(fmt::format("the value of {} is no number: {}", key, in_quotes(value)), "text stands in quotes");
    out.numbers[key] = *parsed;
  }
  if (!looks_like_tyre_file(content) && out.numbers.find("UNLOADED_RADIUS") == out.numbers.end())
    throw_bad_input(name, "this is no tyre property file: [UNITS], [MODEL] or UNLOADED_RADIUS is missing",
                    "give a .tir file");

  std::map<std::string, double> factor;
  for (const auto& [quantity, known] : unit_words()) {
    const std::string word = upper_case(out.word(quantity));
    const auto found = known.find(word);
    if (word.empty() || found == known.end()) {
      std::vector<std::string> words;
      for (const auto& [one, value] : known) words.push_back(lower_case(one));
      throw_bad_input(out.place(quantity),
                      word.empty() ? fmt::format("[UNITS] does not give the unit of {}", quantity)
                                   : fmt::format("unknown unit {} of {}", in_quotes(word), quantity),
                      word.empty() ? fmt::format("add {} = 'unit'", quantity) : suggest(lower_case(word), words));
    }
    factor[quantity] = found->second;
  }
  const auto to_si = [&](const Dimension& d) {
    return std::pow(factor["LENGTH"], d.length) * std::pow(factor["FORCE"], d.force) *
           std::pow(factor["TIME"], d.time) * std::pow(factor["ANGLE"], d.angle);
  };
  for (const auto& [key, dimension] : dimensions()) {
    const auto found = out.numbers.find(key);
    if (found == out.numbers.end()) continue;
    const double by = to_si(dimension);
    if (by == 1.0) continue;
    found->second *= by;
    out.findings.push_back({Severity::note, "tyre_units", out.place(key),
                            fmt::format("{} is turned into SI by the factor {:g}", key, by), "nothing to do"});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (i > 0 && !(row.x > rows[i - 1].x))
      throw_bad_input(fmt::format("{}:{}", name, row.line), "the deflections of the load curve do not rise",
                      "sort the rows and give each deflection once");
    out.load_curve.emplace_back(row.x * factor["LENGTH"], row.y * factor["FORCE"]);
  }
  if (out.load_curve.size() == 1)
    throw_bad_input(fmt::format("{}:{}", name, rows[0].line), "the load curve has one row", "give two rows at least");
  for (const std::string& table : other_tables)
    out.findings.push_back({Severity::note, "tyre_table_ignored", name,
                            fmt::format("the table of section {} is not used", in_quotes(table)), "nothing to do"});
  return out;
}

TyreFile read_tyre_file(const std::string& path) { return parse_tyre_file(read_text(path), path); }

}  // namespace kdyn::inline io
