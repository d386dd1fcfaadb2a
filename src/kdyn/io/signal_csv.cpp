// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/signal_csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/csv.hpp"

namespace kdyn {
namespace {

struct ColumnName {
  std::string label, unit;
};

bool split_name(std::string_view text, ColumnName& out) {
  const auto open = text.rfind('['), close = text.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return false;
  out.label = std::string(trim(text.substr(0, open)));
  out.unit = std::string(trim(text.substr(open + 1, close - open - 1)));
  return !out.label.empty();
}

bool is_time(const std::string& name) {
  const std::string lower = lower_case(trim(name));
  return lower == "time_s" || lower == "time" || lower == "t" || lower == "t_s" || lower == "time [s]" || lower == "t [s]";
}

bool is_header(const std::vector<std::string>& cells) {
  ColumnName name;
  return cells.size() >= 2 && is_time(cells[0]) && std::all_of(cells.begin() + 1, cells.end(), [&](const std::string& cell) { return split_name(cell, name); });
}

// The SI unit of the same dimension, of those a modal test knows.
double to_si(const std::string& unit, std::string& si, const std::string& where) {
  // Accelerometers are calibrated in multiples of gravity; nobody measures grams over time.
  if (unit == "g" || unit == "gn") {
    si = "m/s^2";
    return 9.80665;
  }
  const auto given = parse_unit(unit);
  if (!given) throw_bad_input(where, fmt::format("unknown unit {}", in_quotes(unit)), "write for example [N], [m/s^2] or [mm]");
  for (const char* candidate : {"m/s^2", "N", "m", "m/s", "N*m", "rad", "rad/s", "rad/s^2"})
    if (const auto known = parse_unit(candidate); known && known->same_dimension(*given)) {
      si = candidate;
      return given->to_si;
    }
  si = unit;
  return 1.0;
}

}  // namespace

bool looks_like_signal_csv(std::string_view content) {
  std::size_t at = 0;
  for (int line = 0; line < 50 && at < content.size(); ++line) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    const std::string_view text = trim(content.substr(at, end - at));
    at = end + 1;
    if (text.empty() || text.front() == '#') continue;
    const auto comma = text.find_first_of(",;\t");
    return comma != std::string_view::npos && is_time(std::string(text.substr(0, comma))) && text.find('[') != std::string_view::npos;
  }
  return false;
}

SignalSet parse_signal_csv(std::string_view content, const std::string& name) {
  const CsvLayout layout = detect_csv(content, name, is_header);
  if (!is_header(layout.columns))
    throw_bad_input(fmt::format("{}:{}", name, layout.header_line), "the columns must be time_s and signals with their unit in brackets", "write a header such as time_s,1+Z [N],7+Y [m/s^2]");
  std::vector<std::size_t> wanted(layout.columns.size());
  std::iota(wanted.begin(), wanted.end(), 0);
  CsvTable table = read_csv_columns(content, layout, wanted);
  SignalSet out;
  out.source.path = name;
  out.source.sha256 = sha256(content);
  out.findings = layout.findings;
  out.findings.insert(out.findings.end(), table.findings.begin(), table.findings.end());
  const std::vector<double>& time = table.columns[0];
  if (time.size() < 2) throw_bad_input(name, "a signal needs at least two samples", "check the file");
  const double step = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  for (std::size_t i = 1; i < time.size(); ++i)
    if (!(std::abs(time[i] - time[i - 1] - step) <= 1e-3 * step))
      throw_bad_input(fmt::format("{}:{}", name, table.lines.of(i)), fmt::format("time is not evenly spaced: a step of {:.6g} s among steps of {:.6g} s", time[i] - time[i - 1], step), "resample the signals");
  for (std::size_t c = 1; c < layout.columns.size(); ++c) {
    ColumnName column;
    split_name(layout.columns[c], column);
    Signal signal;
    signal.name = column.label;
    signal.dof = parse_dof(column.label);
    signal.start_s = time.front();
    signal.step_s = step;
    const double factor = to_si(column.unit, signal.unit, fmt::format("{}: column {}", name, in_quotes(layout.columns[c])));
    signal.values = std::move(table.columns[c]);
    if (factor != 1.0)
      for (double& value : signal.values) value *= factor;
    if (column.unit != signal.unit) out.source.conversions.push_back({layout.columns[c], column.unit, signal.unit, factor});
    out.signals.push_back(std::move(signal));
  }
  return out;
}

}  // namespace kdyn
