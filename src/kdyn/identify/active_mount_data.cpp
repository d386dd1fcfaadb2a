// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/identify/active_mount_fit.hpp"
#include "kdyn/io/csv.hpp"

namespace kdyn::inline identify {
namespace {

enum class Part { re, im, abs, phase };

struct ColumnMeaning {
  ActivePath path;
  Part part;
  double factor;  // to SI
  std::string unit, si_unit;
};

std::optional<ColumnMeaning> meaning_of(const std::string& name) {
  const std::string text = lower_case(trim(name));
  for (const ActivePath path : active_paths) {
    const std::string start = lower_case(to_string(path)) + "_";
    if (!text.starts_with(start)) continue;
    const std::string rest = text.substr(start.size());
    if (rest == "phase_deg") return ColumnMeaning{path, Part::phase, std::numbers::pi / 180.0, "deg", "rad"};
    if (rest == "phase_rad") return ColumnMeaning{path, Part::phase, 1.0, "rad", "rad"};
    constexpr std::array<std::pair<const char*, Part>, 3> parts = {
        {{"re", Part::re}, {"im", Part::im}, {"abs", Part::abs}}};
    for (const auto& [word, part] : parts) {
      if (!rest.starts_with(word)) continue;
      const std::string unit = rest.substr(std::string_view(word).size());
      if (is_passive(path) && unit == "_n_per_m") return ColumnMeaning{path, part, 1.0, "N/m", "N/m"};
      if (is_passive(path) && unit == "_n_per_mm") return ColumnMeaning{path, part, 1e3, "N/mm", "N/m"};
      if (!is_passive(path) && (unit.empty() || unit == "_n_per_v"))
        return ColumnMeaning{path, part, 1.0, "N/V", "N/V"};
    }
  }
  return std::nullopt;
}

bool is_frequency(const std::string& name) {
  const std::string text = lower_case(trim(name));
  return text == "frequency_hz" || text == "f_hz" || text == "freq_hz";
}

}  // namespace

ActiveFrf parse_active_frf(std::string_view content, const std::string& name) {
  const CsvLayout layout = detect_csv(content, name, [](const std::vector<std::string>& cells) {
    return std::any_of(cells.begin(), cells.end(), is_frequency);
  });
  const auto frequency = std::find_if(layout.columns.begin(), layout.columns.end(), is_frequency);
  if (frequency == layout.columns.end())
    throw_bad_input(fmt::format("{}:{}", name, layout.header_line), "there is no column frequency_hz",
                    "name the columns frequency_hz, s_x_re_n_per_v, s_x_im_n_per_v, ...");
  std::vector<std::size_t> wanted = {static_cast<std::size_t>(frequency - layout.columns.begin())};
  std::vector<ColumnMeaning> meanings;
  for (std::size_t i = 0; i < layout.columns.size(); ++i)
    if (const auto meaning = meaning_of(layout.columns[i])) {
      wanted.push_back(i);
      meanings.push_back(*meaning);
    }
  ActiveFrf frf;
  for (std::size_t i = 0; i < meanings.size(); ++i)
    frf.source.conversions.push_back(
        {layout.columns[wanted[i + 1]], meanings[i].unit, meanings[i].si_unit, meanings[i].factor});
  struct Pair {
    ActivePath path;
    std::size_t first, second;
    bool polar;
  };
  std::vector<Pair> pairs;
  for (const ActivePath path : active_paths) {
    const auto column = [&](Part part) {
      for (std::size_t i = 0; i < meanings.size(); ++i)
        if (meanings[i].path == path && meanings[i].part == part) return i + 1;
      return std::size_t{0};
    };
    const std::size_t re = column(Part::re), im = column(Part::im), abs = column(Part::abs),
                      phase = column(Part::phase);
    if (re > 0 && im > 0)
      pairs.push_back({path, re, im, false});
    else if (abs > 0 && phase > 0)
      pairs.push_back({path, abs, phase, true});
    else if (re + im + abs + phase > 0)
      throw_bad_input(fmt::format("{}:{}", name, layout.header_line),
                      fmt::format("{} is given by half only", to_string(path)),
                      "give _re and _im, or _abs and _phase_deg");
  }
  if (pairs.empty())
    throw_bad_input(fmt::format("{}:{}", name, layout.header_line), "no column holds P_xx, P_yx, S_x or S_y",
                    "name them s_x_re_n_per_v, s_x_im_n_per_v, p_yx_abs_n_per_mm, p_yx_phase_deg or the like");
  const CsvTable table = read_csv_columns(content, layout, wanted);
  frf.findings = layout.findings;
  frf.findings.insert(frf.findings.end(), table.findings.begin(), table.findings.end());
  for (std::size_t row = 0; row < table.rows; ++row) {
    const std::size_t line = table.lines.of(row);
    const double f = table.columns[0][row];
    if (!(f > 0.0))
      throw_bad_input(fmt::format("{}:{}", name, line), fmt::format("frequency {:g} Hz is not above 0", f),
                      "remove the row");
    for (const Pair& pair : pairs) {
      const double a = table.columns[pair.first][row] * meanings[pair.first - 1].factor,
                   b = table.columns[pair.second][row] * meanings[pair.second - 1].factor;
      const std::complex<double> value =
          pair.polar ? std::complex<double>(a * std::cos(b), a * std::sin(b)) : std::complex<double>(a, b);
      if (!(std::abs(value) > 0.0))
        throw_bad_input(fmt::format("{}:{}", name, line), fmt::format("{} is zero", to_string(pair.path)),
                        "remove the row");
      frf.points.push_back({f, pair.path, value, line});
    }
  }
  frf.source.path = name;
  return frf;
}

ActiveFrf read_active_frf(const std::string& path) {
  const std::string content = read_text(path);
  ActiveFrf frf = parse_active_frf(content, path);
  frf.source.sha256 = sha256(content);
  return frf;
}

std::string active_frf_csv(const std::vector<ActiveFrfPoint>& points, ActivePath path) {
  const std::string name = lower_case(to_string(path)), unit = is_passive(path) ? "n_per_m" : "n_per_v";
  std::string out = fmt::format("frequency_hz,{0}_re_{1},{0}_im_{1}\n", name, unit);
  for (const ActiveFrfPoint& p : points)
    if (p.path == path) out += fmt::format("{},{},{}\n", p.frequency_hz, p.value.real(), p.value.imag());
  return out;
}

}  // namespace kdyn::inline identify
