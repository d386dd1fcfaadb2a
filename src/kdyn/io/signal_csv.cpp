// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/signal_csv.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/csv.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/io/internal/column_names.hpp"
#include "kdyn/io/internal/csv_cells.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"
#include "kdyn/io/internal/header_words.hpp"
#include "kdyn/io/internal/whole_steps.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/recording.hpp"
#include "kdyn/io/table.hpp"
#include "kdyn/io/uff.hpp"

namespace kdyn::inline io {
namespace {

bool listed(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& n) { return lower_case(n) == lower_case(name); });
}

bool is_time(const std::string& name) {
  static const std::vector<std::string> known = {"time", "t", "zeit", "timestamp"};
  if (listed(known, name)) return true;
  const auto word = internal::find_word(internal::plain_words(name), "s");  // "Running Time", "Messzeit"
  return word && !word->weak && word->quantity == internal::Quantity::time;
}

std::vector<std::string> read_texts(std::string_view content, const CsvLayout& layout, std::size_t column) {
  std::vector<std::string> out;
  internal::LineWalker walker(content, layout.name, layout.newline, layout.data_offset, layout.data_line);
  internal::CsvLine line;
  while (walker.next(line)) {
    const char first = internal::first_character(line.text);
    if (first == 0 || first == '#') continue;
    const auto cells = internal::split_cells(layout.delimiter == ' ' ? trim(line.text) : line.text, layout.delimiter);
    if (column >= cells.size())
      throw_bad_input(internal::line_place(layout.name, line.number), "there are fewer cells than columns",
                      "complete the row or delete it");
    out.emplace_back(cells[column].text);
  }
  return out;
}

// Signals of a universal, MATLAB or HDF5 file, sampled together, as columns over time.
SignalSet table_of_exchange(std::string&& content, const std::string& path, const SignalTableOptions& options) {
  Exchange file = parse_exchange(std::move(content), path);
  if (!file.signals) {
    for (const Finding& f : file.findings)
      if (f.severity == Severity::serious) throw Error(ErrorCode::bad_input, f.message, f.where, f.remedy);
    throw_bad_input(path, fmt::format("it holds {}, no signals over time", file.kind()),
                    "give signals with their sampling; kdyn inspect says what a file holds");
  }
  SignalSet out;
  out.name = path;
  out.findings = std::move(file.findings);
  std::vector<std::string> unused;
  for (Signal& signal : file.signals->signals) {
    if (options.wanted && !options.wanted(signal.name, signal.unit)) {
      unused.push_back(in_quotes(signal.name));
      continue;
    }
    if (!out.signals.empty()) {
      const Signal& first = out.signals.front();
      if (signal.values.size() != out.rows || signal.step_s != first.step_s || signal.start_s != first.start_s)
        throw_bad_input(path,
                        fmt::format("signals {} and {} differ in length or sampling and make no table",
                                    in_quotes(first.name), in_quotes(signal.name)),
                        "write those of one rate with kdyn convert FILE part.csv --channels NAME...");
    } else {
      out.rows = signal.values.size();
      for (std::size_t i = 0; i < out.rows; ++i)
        out.time.push_back(signal.start_s + static_cast<double>(i) * signal.step_s);
    }
    Signal column = std::move(signal);
    column.written_unit = column.unit;
    double factor = 1.0;
    for (const auto& [name, unit] : options.units) {
      if (lower_case(name) != lower_case(column.name)) continue;
      if (!column.unit.empty())
        throw_bad_input(path, fmt::format("signal {} is in {} already", in_quotes(name), column.unit),
                        "leave its unit out");
      const auto parsed = parse_unit(unit);
      if (!parsed)
        throw_bad_input("units", fmt::format("unknown unit {}", in_quotes(unit)), "use a unit such as m/s^2");
      column.written_unit = unit, column.unit = si_unit_of(unit);
      factor = parsed->to_si;
      for (double& v : column.values) v *= factor;
    }
    out.source.conversions.push_back({column.name, column.written_unit, column.unit, factor});
    out.signals.push_back(std::move(column));
  }
  if (!unused.empty())
    out.findings.push_back(
        {Severity::note, "columns_ignored", path, fmt::format("signals not used: {}", join(unused, ", ")), ""});
  return out;
}

}  // namespace

std::string si_unit_of(std::string_view text) {
  const auto unit = parse_unit(text);
  if (!unit) return "";
  for (const char* known : {"-",  "m",  "m/s", "m/s^2", "rad",   "rad/s", "rad/s^2", "N", "N*m", "N/m",
                            "Pa", "kg", "s",   "Hz",    "m/s^3", "V",     "A",       "W", "Ohm", "N/V"})
    if (parse_unit(known)->same_dimension(*unit)) return known;
  return "";
}

SignalSet parse_signal_table(std::string_view content, const std::string& name, const SignalTableOptions& options) {
  const auto is_header = [&](const std::vector<std::string>& cells) {
    return std::any_of(cells.begin(), cells.end(), [&](const std::string& cell) {
      const internal::NameAndUnit split = internal::split_name_and_unit(cell);
      return options.wanted(split.name, split.unit);
    });
  };
  CsvLayout layout = detect_csv(content, name, options.wanted ? HeaderTest(is_header) : HeaderTest());
  layout.gaps = options.gaps;
  SignalSet out;
  out.name = name;
  out.header_line = layout.header_line;
  out.findings = layout.findings;
  const std::string header = internal::line_place(name, layout.header_line);
  std::vector<std::size_t> wanted;
  std::vector<double> factors;
  std::vector<bool> is_time_column;
  std::vector<std::string> unused;
  std::string time_assumed;  // to be in s, since it tells no unit
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    internal::NameAndUnit split = internal::split_name_and_unit(layout.columns[i]);
    if (listed(options.text_columns, split.name)) {
      out.texts[lower_case(split.name)] = read_texts(content, layout, i);
      continue;
    }
    const bool plain = listed(options.plain_columns, layout.columns[i]);
    if (plain) split = {layout.columns[i], "-"};
    if (split.unit.empty() && !layout.units.empty()) split.unit = layout.units[i];
    for (const auto& [column, unit] : options.units)
      if (lower_case(column) == lower_case(split.name) || lower_case(column) == lower_case(layout.columns[i]))
        split.unit = unit;
    if (options.wanted && !options.wanted(split.name, split.unit)) {
      unused.push_back(in_quotes(layout.columns[i]));
      continue;
    }
    if (split.name.empty())
      throw_bad_input(header, fmt::format("column {} has no name", i + 1), "name every column in the header");
    const bool time = is_time(split.name);
    if (split.unit == "g") {
      split.unit = "gn";
      out.findings.push_back(
          {Severity::note, "unit_g", header,
           fmt::format("column {}: g was read as the acceleration of gravity, 9.80665 m/s^2", in_quotes(split.name)),
           ""});
    }
    double factor = 1.0;
    std::string si;
    if (!split.unit.empty()) {
      const auto unit = parse_unit(split.unit);
      if (!unit)
        throw_bad_input(header,
                        fmt::format("column {} has the unknown unit {}", in_quotes(split.name), in_quotes(split.unit)),
                        "use units such as m/s^2, g, mm, N, rad/s; in a name write m_per_s2");
      factor = time ? factor_to_si(split.unit, "s", header) : unit->to_si;
      si = si_unit_of(split.unit);
      if (si.empty())
        throw_bad_input(header,
                        fmt::format("column {} has the unit {}, which measures nothing kdyn assesses",
                                    in_quotes(split.name), in_quotes(split.unit)),
                        "use a displacement, velocity, acceleration, angle, force, moment or pressure");
      if (!plain) out.source.conversions.push_back({split.name, split.unit, time ? "s" : si, factor});
    } else if (time) {
      time_assumed = split.name;
    }
    if (time && std::find(is_time_column.begin(), is_time_column.end(), true) != is_time_column.end())
      throw_bad_input(header, "there are two time columns", "rename one of them");
    const bool taken = std::any_of(out.signals.begin(), out.signals.end(), [&](const Signal& c) {
      return lower_case(c.name) == lower_case(split.name) && (!options.names_by_unit || c.unit == si);
    });
    if (!time && taken)
      throw_bad_input(header, fmt::format("two columns are called {}", in_quotes(split.name)),
                      "give every channel its own name");
    wanted.push_back(i);
    factors.push_back(factor);
    is_time_column.push_back(time);
    if (!time) {
      Signal& signal = out.signals.emplace_back();
      signal.name = split.name, signal.unit = si, signal.written_unit = split.unit;
    }
  }
  if (!unused.empty())
    out.findings.push_back(
        {Severity::note, "columns_ignored", header, fmt::format("not used: {}", join(unused, ", ")), ""});
  CsvTable table = read_csv_columns(content, layout, wanted);
  out.findings.insert(out.findings.end(), table.findings.begin(), table.findings.end());
  out.rows = table.rows;
  out.lines = std::move(table.lines);
  std::size_t channel = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::vector<double>& values = table.columns[i];
    for (std::size_t r = 0; r < values.size(); ++r) {
      values[r] *= factors[i];
      if (options.gaps && std::isnan(values[r])) {
        if (!is_time_column[i]) continue;
        throw_bad_input(out.place(r), "the time is empty", "fill in the time or delete the row");
      }
      if (!std::isfinite(values[r]))
        throw_bad_input(out.place(r),
                        fmt::format("column {} does not stay finite in SI units", in_quotes(layout.columns[wanted[i]])),
                        "repair the measurement");
    }
    (is_time_column[i] ? out.time : out.signals[channel++].values) = std::move(values);
  }
  if (!time_assumed.empty()) {
    const bool counts = internal::whole_steps(out.time);
    out.findings.push_back({counts ? Severity::warning : Severity::note, "unit_assumed", header,
                            fmt::format("column {} has no unit, s was assumed{}", in_quotes(time_assumed),
                                        counts ? "; its numbers are whole, as of milliseconds or of a counter" : ""),
                            "write time_s, or time_ms if that is what it holds"});
  }
  for (const auto& [column, text] : out.texts)
    demand(text.size() == out.rows, "text and numbers of a table have the same rows");
  return out;
}

SignalSet read_signal_table(const std::string& path, const SignalTableOptions& options) {
  if (is_recording(path)) {
    Recording recording = open_recording(path);
    for (std::size_t i = 0; i < recording.channels.size(); ++i)
      for (const auto& [name, unit] : options.units)
        if (lower_case(name) == lower_case(recording.full_name(i))) recording.channels[i].unit = unit;
    SignalSet table = signal_table_of(recording);
    table.source.sha256 = sha256(*ByteSource::open(path));
    return table;
  }
  const std::string content = read_text(path);
  return signal_table_of_bytes(content, path, options);
}

SignalSet signal_table_of_bytes(std::string_view content, const std::string& path, const SignalTableOptions& options) {
  SignalSet table;
  if (looks_like_spreadsheet(content)) {
    std::vector<DataTable> shown = read_spreadsheet(content, path);
    std::erase_if(shown, [](const DataTable& one) { return one.hidden || one.rows() == 0; });
    if (shown.size() != 1) {
      std::vector<std::string> names;
      for (const DataTable& one : shown) names.push_back(in_quotes(one.sheet));
      throw_bad_input(path,
                      fmt::format("the workbook shows {} sheets with cells ({}), one table of signals is needed",
                                  shown.size(), join(names, ", ")),
                      "keep one sheet, or save it as CSV");
    }
    table = parse_signal_table(table_csv(shown.front()), shown.front().name(), options);
  } else if (looks_like_uff(content) || looks_like_mat(content) || internal::looks_like_hdf5(content)) {
    table = table_of_exchange(std::string(content), path, options);
  } else {
    const DecodedText decoded = decode_text(content);
    table = parse_signal_table(decoded.converted ? std::string_view(decoded.text) : content, path, options);
  }
  table.source.path = path;
  table.source.sha256 = sha256(content);
  return table;
}

bool looks_like_signal_csv(std::string_view content) {
  constexpr int searched_lines = 50;
  std::size_t at = 0;
  for (int line = 0; line < searched_lines && at < content.size(); ++line) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    const std::string_view text = trim(content.substr(at, end - at));
    at = end + 1;
    if (text.empty() || text.front() == '#') continue;
    const auto comma = text.find_first_of(",;\t");
    if (comma == std::string_view::npos) return false;
    const auto first = internal::split_name_and_unit(std::string(text.substr(0, comma)));
    const auto unit = parse_unit(first.unit);
    if (!is_time(first.name) || !(first.unit.empty() || (unit && unit->same_dimension(*parse_unit("s"))))) return false;
    if (text.find('[', comma) != std::string_view::npos) return true;
    // Units in the row below: "s;N;m/s^2".
    const std::string_view below = trim(content.substr(std::min(at, content.size()), content.find('\n', at) - at));
    std::string_view cell = trim(below.substr(0, below.find_first_of(",;\t")));
    if (cell.size() > 2 && (cell.front() == '[' || cell.front() == '(')) cell = cell.substr(1, cell.size() - 2);
    const auto below_time = parse_unit(cell);
    return below_time && below_time->same_dimension(*parse_unit("s"));
  }
  return false;
}

SignalSet parse_signal_csv(std::string_view content, const std::string& name) {
  SignalTableOptions options;
  options.names_by_unit = true;
  SignalSet table = parse_signal_table(content, name, options);
  table.source.path = name;
  table.source.sha256 = sha256(content);
  return evenly_sampled(table);
}

}  // namespace kdyn::inline io
