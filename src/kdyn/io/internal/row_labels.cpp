// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/row_labels.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/directions.hpp"
#include "kdyn/io/internal/header_words.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::string_view repeat_words[] = {
    "run",    "runs",  "cycle",   "cycles", "zyklus", "zyklen", "repeat", "repetition", "rep",         "wiederholung",
    "nr",     "no",    "number",  "index",  "point",  "punkt",  "step",   "schritt",    "count",       "messung",
    "lauf",   "essai", "segment", "line",   "zeile",  "row",    "sweep",  "loop",       "measurement", "durchgang",
    "nummer", "lfd",   "#",       "pass",   "mesure", "cyc",    "block",  "test",       "versuch",     "pos"};

bool counts_repeats(const std::string& title) {
  std::string words = "_" + plain_words(title) + "_";
  return std::any_of(std::begin(repeat_words), std::end(repeat_words), [&](std::string_view word) {
    return words.find("_" + std::string(word) + "_") != std::string::npos;
  });
}

// The settings of each row, coarsely: achieved ones scatter. Frequencies and amplitudes in two digits; preloads, which
// may be near zero, in twentieths of the largest; temperatures in steps of 5. Nothing without frequencies.
std::vector<std::string> points_of(const DataBlock& block) {
  std::vector<std::string> out(block.rows);
  bool frequencies = false;
  for (const DataColumn& column : block.columns) {
    const auto q = column.name.quantity;
    frequencies = frequencies || q == Quantity::frequency;
    double step = 0.0;
    if (q == Quantity::preload)
      for (const double v : column.values) step = std::max(step, 0.05 * std::abs(v));
    else if (q == Quantity::temperature)
      step = 5.0;
    else if (q != Quantity::frequency && q != Quantity::amplitude)
      continue;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] += step > 0.0 ? fmt::format("{:.0f};", std::round(column.values[i] / step) + 0.0)
                           : fmt::format("{:.2g};", column.values[i]);
  }
  return frequencies ? out : std::vector<std::string>();
}

// Parts of one curve are no parts of a car.
bool names_part_of_curve(const std::string& title) {
  static constexpr std::string_view words[] = {"loading",  "unloading", "belastung", "entlastung",  "tension",
                                               "zug",      "druck",     "up",        "down",        "compression",
                                               "traction", "load",      "unload",    "compressive", "tensile"};
  const std::string plain = "_" + plain_words(title) + "_";
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
    return plain.find("_" + std::string(word) + "_") != std::string::npos;
  });
}

// A curve of force over displacement, without times.
bool is_curve(const DataBlock& block) {
  const auto has = [&](Quantity q) {
    return std::any_of(block.columns.begin(), block.columns.end(),
                       [&](const DataColumn& column) { return column.name.quantity == q; });
  };
  return has(Quantity::displacement) && has(Quantity::force) && !has(Quantity::time) && !has(Quantity::frequency) &&
         !(block.step_s > 0.0);
}

// Whether the same points come up under several of these labels; of numbers each must cover half of the points.
bool tell_parts_apart(const std::vector<std::string>& points, const std::vector<std::string>& texts) {
  constexpr std::size_t most = 200;
  const std::set<std::string> labels(texts.begin(), texts.end());
  if (points.empty() || labels.size() < 2 || labels.size() > most || labels.contains("")) return false;
  std::map<std::string, std::set<std::string>> by_point;
  for (std::size_t i = 0; i < texts.size(); ++i) by_point[points[i]].insert(texts[i]);
  const auto shared =
      std::count_if(by_point.begin(), by_point.end(), [](const auto& p) { return p.second.size() > 1; });
  if (2 * static_cast<std::size_t>(shared) < by_point.size()) return false;
  const bool words = std::any_of(labels.begin(), labels.end(), [](const std::string& one) {
    return std::any_of(one.begin(), one.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  });
  if (words) return true;
  return std::all_of(labels.begin(), labels.end(), [&](const std::string& label) {
    const auto covered =
        std::count_if(by_point.begin(), by_point.end(), [&](const auto& p) { return p.second.contains(label); });
    return 2 * static_cast<std::size_t>(covered) >= by_point.size();
  });
}

// Seconds of a day in "14.03.2026 10:22:01,250"; nothing when there are none.
std::optional<double> seconds_of_day(std::string_view text) {
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !digit(colon - 1)) return std::nullopt;
  const std::size_t start = colon > 1 && digit(colon - 2) ? colon - 2 : colon - 1;
  if (start > 0 && std::string_view(" T\t").find(text[start - 1]) == std::string_view::npos) return std::nullopt;
  if (!digit(colon + 1) || !digit(colon + 2) || !digit(colon + 4) || !digit(colon + 5) || text[colon + 3] != ':')
    return std::nullopt;
  const auto number = [&](std::size_t from, std::size_t to) {
    double value = 0.0;
    for (std::size_t i = from; i < to; ++i) value = 10.0 * value + (text[i] - '0');
    return value;
  };
  double hours = number(start, colon);
  double seconds = number(colon + 4, colon + 6);
  std::size_t end = colon + 6;
  if (end < text.size() && (text[end] == '.' || text[end] == ',' || text[end] == ':')) {
    const std::size_t first = ++end;
    while (digit(end) && end < first + 12) ++end;
    if (end == first) return std::nullopt;
    seconds += number(first, end) / std::pow(10.0, static_cast<double>(end - first));
  }
  const std::string rest = lower_case(trim(text.substr(end)));
  if (rest == "am" || rest == "pm")
    hours = std::fmod(hours, 12.0) + (rest == "pm" ? 12.0 : 0.0);
  else if (!rest.empty() && rest != "z" && rest != "utc")
    return std::nullopt;
  const double minutes = number(colon + 1, colon + 3);
  if (hours > 24.0 || minutes > 59.0 || seconds >= 61.0) return std::nullopt;
  return 3600.0 * hours + 60.0 * minutes + seconds;
}

}  // namespace

std::vector<std::string> label_texts(const DataTable& table, const TableBlock& block, std::size_t column,
                                     bool direction) {
  std::vector<std::string> out;
  std::string last;
  for (const std::size_t r : block.rows) {
    const DataCell cell = table.at(r, column);
    if (cell.kind == CellKind::number)
      last = fmt::format("{}", cell.number);
    else if (cell.kind != CellKind::empty)
      last = std::string(cell.text);
    const std::string word = direction ? direction_of_word(last) : "";
    out.push_back(word.empty() ? last : word);
  }
  return out;
}

void label_parts(const DataTable& table, const TableBlock& block, const std::vector<TableColumn>& columns,
                 DataBlock& data, std::vector<Finding>& findings) {
  if (!data.row_parts.empty()) return;
  const std::vector<std::string> points = points_of(data);
  if (points.empty()) return;
  for (const TableColumn& column : columns) {
    if (column.by_hint || column.name.quantity || column.name.label != LabelKind::none) continue;
    std::vector<std::string> texts = label_texts(table, block, column.index, false);
    if (!tell_parts_apart(points, texts)) continue;
    const bool numbers =
        std::all_of(texts.begin(), texts.end(), [](const std::string& one) { return shape_of(one).is_number; });
    if (numbers && counts_repeats(column.title)) continue;
    findings.push_back(
        {Severity::note, "parts_by_column", data.where,
         fmt::format("the same points come up several times in column {}: its {}", in_quotes(column.title),
                     numbers ? "numbers were taken to tell parts apart" : "texts were taken as names of parts"),
         fmt::format("say --columns \"ignore={}\" if all rows belong to one part", column.title)});
    if (numbers)
      for (std::string& one : texts) one = fmt::format("{} {}", split_name_and_unit(column.title).name, one);
    data.row_parts = std::move(texts);
    std::erase(data.unused, column.title);
    return;
  }
}

void drop_counter(const std::string& title, DataBlock& data, std::vector<Finding>& findings) {
  const std::vector<std::string>& parts = data.row_parts;
  if (parts.size() < 3) return;
  double last = 0.0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = parse_number(parts[i]);
    if (!number || (i > 0 && *number != last + 1.0)) return;
    last = *number;
  }
  const std::vector<std::string> points = points_of(data);
  if (std::set<std::string>(points.begin(), points.end()).size() != points.size()) return;
  data.row_parts.clear();
  data.needs_all_rows = true;
  data.unused.push_back(title);
  findings.push_back({Severity::note, "rows_counted", data.where,
                      fmt::format("column {} counts the rows; they were taken for one part", in_quotes(title)),
                      fmt::format("say --columns \"part={}\" if each row is a part of its own", title)});
}

void label_by_titles(const std::vector<std::string>& titles, std::vector<DataBlock>& blocks,
                     std::vector<Finding>& findings) {
  if (blocks.size() < 2) return;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (titles[b].empty() || counts_repeats(titles[b]) || !blocks[b].labels.part.empty() ||
        !blocks[b].row_parts.empty())
      return;
  std::map<std::string, std::set<std::string>> by_point;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::string& title = titles[b];
    std::string settings = blocks[b].labels.direction + ";";
    for (const auto& [quantity, constant] : blocks[b].constants)
      settings += fmt::format("{}={:.3g};", static_cast<int>(quantity), constant.value);
    for (const std::string& point : points_of(blocks[b])) by_point[settings + point].insert(title);
    if (is_curve(blocks[b]) && !names_part_of_curve(title)) by_point[settings + "curve"].insert(title);
  }
  if (std::none_of(by_point.begin(), by_point.end(), [](const auto& p) { return p.second.size() > 1; })) return;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    BenchLabels& labels = blocks[b].labels;
    const std::string direction = direction_in_name(titles[b]);
    if (!direction.empty() && labels.direction.empty())
      labels.direction = direction, labels.direction_from = "the line " + in_quotes(titles[b]) + " above it";
    else
      labels.part = titles[b], labels.part_from = "the line above it";
  }
  findings.push_back({Severity::note, "parts_by_title", blocks.front().where,
                      "the same points come up in several tables: the lines above them were taken as names of parts or "
                      "directions",
                      "give repeated measurements of one part in one table"});
}

std::optional<std::vector<double>> clock_seconds(const DataTable& table, const TableBlock& block, std::size_t column) {
  constexpr double day = 86400.0;
  std::vector<double> out;
  double first = 0.0, last = 0.0, days = 0.0;
  for (const std::size_t r : block.rows) {
    const DataCell cell = table.at(r, column);
    std::optional<double> seconds;
    if (cell.kind == CellKind::date && cell.number != 0.0)
      seconds = cell.number * day;
    else if (cell.kind == CellKind::text || cell.kind == CellKind::date)
      seconds = seconds_of_day(cell.text);
    if (!seconds) return std::nullopt;
    if (!out.empty() && *seconds < last - 0.5 * day && cell.kind == CellKind::text) days += day;  // midnight
    last = *seconds;
    if (out.empty()) first = last;
    out.push_back(last + days - first);
  }
  // Days alone are dates, not times.
  const bool whole_days =
      std::all_of(out.begin(), out.end(), [](double t) { return std::abs(std::remainder(t, day)) < 1e-3; });
  if (out.size() < 2 || whole_days) return std::nullopt;
  return out;
}

}  // namespace kdyn::inline io::internal
