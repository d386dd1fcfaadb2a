// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/identify/active_mount_fit.hpp"
#include "kdyn/io/signal_csv.hpp"

namespace kdyn::inline identify {
namespace {

enum class Part { re, im, abs, phase };

struct ColumnMeaning {
  ActivePath path;
  Part part;
};

// "S_x abs", "p_yx_phase", "Sx Betrag": a path and a part of its response.
std::optional<ColumnMeaning> meaning_of(const std::string& name) {
  std::string text;
  for (const char c : lower_case(trim(name)))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) text += c;
  static constexpr std::pair<std::string_view, Part> parts[] = {
      {"re", Part::re},         {"real", Part::re},      {"realteil", Part::re}, {"im", Part::im},
      {"imag", Part::im},       {"imaginary", Part::im}, {"abs", Part::abs},     {"mag", Part::abs},
      {"magnitude", Part::abs}, {"betrag", Part::abs},   {"phase", Part::phase}, {"angle", Part::phase}};
  for (const ActivePath path : active_paths) {
    std::string start;
    for (const char c : lower_case(to_string(path)))
      if (c != '_') start += c;
    if (!text.starts_with(start)) continue;
    for (const auto& [word, part] : parts)
      if (text.substr(start.size()) == word) return ColumnMeaning{path, part};
  }
  return std::nullopt;
}

bool is_frequency(const std::string& name) {
  static constexpr std::array<std::string_view, 5> known = {"frequency", "freq", "f", "frequenz", "frequence"};
  return std::find(known.begin(), known.end(), lower_case(trim(name))) != known.end();
}

// Values of a column in SI; one without a unit is N/V of an active path, and nothing else.
const Signal& checked(const Signal& column, const ColumnMeaning& meaning, const std::string& header) {
  const char* wanted = meaning.part == Part::phase ? "rad" : is_passive(meaning.path) ? "N/m" : "N/V";
  const bool silent = column.written_unit.empty() && meaning.part != Part::phase && !is_passive(meaning.path);
  if (column.unit != wanted && !silent)
    throw_bad_input(header,
                    column.written_unit.empty()
                        ? fmt::format("column {} has no unit, and kdyn does not guess one", in_quotes(column.name))
                        : fmt::format("column {} is in {}, which does not convert to {}", in_quotes(column.name),
                                      in_quotes(column.written_unit), wanted),
                    fmt::format("write it in the header, such as {} [{}]", column.name,
                                meaning.part == Part::phase ? "deg"
                                : is_passive(meaning.path)  ? "N/mm"
                                                            : "N/V"));
  return column;
}

}  // namespace

ActiveFrf parse_active_frf(std::string_view content, const std::string& name) {
  SignalTableOptions options;
  options.wanted = [](const std::string& column, const std::string&) {
    return is_frequency(column) || meaning_of(column).has_value();
  };
  const SignalSet table = signal_table_of_bytes(content, name, options);
  const std::string header = fmt::format("{}:{}", table.name, table.header_line);
  const Signal* frequency = nullptr;
  std::vector<std::pair<ColumnMeaning, const Signal*>> columns;
  for (const Signal& column : table.signals) {
    if (is_frequency(column.name)) {
      frequency = &column;
    } else {
      const ColumnMeaning meaning = *meaning_of(column.name);
      columns.emplace_back(meaning, &checked(column, meaning, header));
    }
  }
  if (frequency == nullptr || (frequency->unit != "Hz" && !frequency->written_unit.empty()))
    throw_bad_input(header, "there is no column frequency_hz",
                    "name the columns frequency_hz, s_x_re_n_per_v, s_x_im_n_per_v, ...");
  ActiveFrf frf;
  frf.source = table.source;
  frf.findings = table.findings;
  struct Pair {
    ActivePath path;
    const Signal *first, *second;
    bool polar;
  };
  std::vector<Pair> pairs;
  for (const ActivePath path : active_paths) {
    const auto column = [&](Part part) -> const Signal* {
      for (const auto& [meaning, one] : columns)
        if (meaning.path == path && meaning.part == part) return one;
      return nullptr;
    };
    const Signal *re = column(Part::re), *im = column(Part::im), *abs = column(Part::abs), *phase = column(Part::phase);
    if (re != nullptr && im != nullptr)
      pairs.push_back({path, re, im, false});
    else if (abs != nullptr && phase != nullptr)
      pairs.push_back({path, abs, phase, true});
    else if (re != nullptr || im != nullptr || abs != nullptr || phase != nullptr)
      throw_bad_input(header, fmt::format("{} is given by half only", to_string(path)),
                      "give _re and _im, or _abs and _phase_deg");
  }
  if (pairs.empty())
    throw_bad_input(header, "no column holds P_xx, P_yx, S_x or S_y",
                    "name them s_x_re_n_per_v, s_x_im_n_per_v, p_yx_abs_n_per_mm, p_yx_phase_deg or the like");
  for (std::size_t row = 0; row < table.rows; ++row) {
    const double f = frequency->values[row];
    if (!(f > 0.0))
      throw_bad_input(table.place(row), fmt::format("frequency {:g} Hz is not above 0", f), "remove the row");
    for (const Pair& pair : pairs) {
      const double a = pair.first->values[row], b = pair.second->values[row];
      const std::complex<double> value =
          pair.polar ? std::complex<double>(a * std::cos(b), a * std::sin(b)) : std::complex<double>(a, b);
      if (!(std::abs(value) > 0.0))
        throw_bad_input(table.place(row), fmt::format("{} is zero", to_string(pair.path)), "remove the row");
      frf.points.push_back({f, pair.path, value, table.lines.of(row)});
    }
  }
  return frf;
}

ActiveFrf read_active_frf(const std::string& path) { return parse_active_frf(read_text(path), path); }

std::string active_frf_csv(const std::vector<ActiveFrfPoint>& points, ActivePath path) {
  const std::string name = lower_case(to_string(path)), unit = is_passive(path) ? "n_per_m" : "n_per_v";
  std::string out = fmt::format("frequency_hz,{0}_re_{1},{0}_im_{1}\n", name, unit);
  for (const ActiveFrfPoint& p : points)
    if (p.path == path) out += fmt::format("{},{},{}\n", p.frequency_hz, p.value.real(), p.value.imag());
  return out;
}

}  // namespace kdyn::inline identify
