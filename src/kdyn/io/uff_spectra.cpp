// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/uff_spectra.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::inline io {
namespace {

constexpr std::pair<int, SpectrumKind> spectrum_types[] = {{2, SpectrumKind::auto_spectrum},
                                                           {3, SpectrumKind::cross_spectrum},
                                                           {6, SpectrumKind::coherence},
                                                           {9, SpectrumKind::power_spectral_density},
                                                           {12, SpectrumKind::spectrum}};

Dof point_of(std::int64_t node, int direction, const std::string& name) {
  Dof dof{node, std::abs(direction) <= 6 ? direction : 0, {}};
  if (name != "NONE") dof.name = name;
  return dof;
}

auto point_pair(const UffFunction& f) {
  return std::tuple(f.response_node, f.response_direction, f.response_name, f.reference_node, f.reference_direction,
                    f.reference_name);
}

}  // namespace

const char* to_string(SpectrumKind kind) {
  switch (kind) {
    case SpectrumKind::auto_spectrum: return "auto_spectrum";
    case SpectrumKind::cross_spectrum: return "cross_spectrum";
    case SpectrumKind::coherence: return "coherence";
    case SpectrumKind::power_spectral_density: return "psd";
    case SpectrumKind::spectrum: break;
  }
  return "spectrum";
}

std::string name_of(const Spectrum& s) {
  const bool two = s.kind == SpectrumKind::cross_spectrum || s.kind == SpectrumKind::coherence;
  return fmt::format("{} {}{}", to_string(s.kind), label(s.output), two ? " / " + label(s.input) : "");
}

SpectrumSet spectra_of(const UffFile& file, std::vector<Finding>& findings) {
  SpectrumSet out;
  out.source.path = file.name;
  std::set<decltype(point_pair(UffFunction{}))> responses;
  for (const UffFunction& f : file.functions)
    if (f.type == 4) responses.insert(point_pair(f));
  std::map<int, std::size_t> unused;
  for (const UffFunction& f : file.functions) {
    if (f.type == 1 || f.type == 4 || f.size() == 0 || (f.type == 6 && responses.contains(point_pair(f)))) continue;
    const auto* type = std::find_if(std::begin(spectrum_types), std::end(spectrum_types),
                                    [&](const auto& t) { return t.first == f.type; });
    if (type == std::end(spectrum_types)) {
      ++unused[f.type];
      continue;
    }
    Spectrum s;
    s.kind = type->second;
    s.output = point_of(f.response_node, f.response_direction, f.response_name);
    s.input = point_of(f.reference_node, f.reference_direction, f.reference_name);
    const std::string above = f.axes[1].unit == "NONE" ? "" : f.axes[1].unit,
                      below = f.axes[2].unit == "NONE" ? "" : f.axes[2].unit;
    s.unit = below.empty() ? above : fmt::format("({})/({})", above, below);
    const auto axis = parse_unit(f.axes[0].unit);
    const double factor = axis && axis->same_dimension(*parse_unit("Hz")) ? axis->to_si : 1.0;
    s.frequency_hz.resize(f.size());
    for (std::size_t i = 0; i < f.size(); ++i)
      s.frequency_hz[i] = factor * (f.even ? f.start + static_cast<double>(i) * f.step : f.abscissa[i]);
    s.is_complex = f.is_complex;
    s.values.assign(f.size(), 0.0);
    for (std::size_t i = 0; i < f.size(); ++i) s.values[i] = f.is_complex ? f.complex[i] : f.real[i];
    out.spectra.push_back(std::move(s));
  }
  for (const auto& [type, count] : unused)
    findings.push_back({Severity::warning, "function_skipped", file.name,
                        fmt::format("{} function{} of type {} {} not used", count, count == 1 ? "" : "s", type,
                                    count == 1 ? "was" : "were"),
                        "types 1 (time), 2, 3, 9, 12 (spectra), 4 (frequency response) and 6 (coherence) are read"});
  return out;
}

UffFile to_uff(const SpectrumSet& spectra) {
  UffFile out;
  out.header = UffHeader{{"kdyn", "NONE", "kdyn", "NONE", "NONE", "kdyn", "NONE"}};
  for (const Spectrum& s : spectra.spectra) {
    UffFunction f;
    f.type = std::find_if(std::begin(spectrum_types), std::end(spectrum_types), [&](const auto& t) {
               return t.second == s.kind;
             })->first;
    f.response_node = s.output.node, f.response_direction = s.output.direction, f.reference_node = s.input.node,
    f.reference_direction = s.input.direction;
    if (!s.output.name.empty()) f.response_name = s.output.name;
    if (!s.input.name.empty()) f.reference_name = s.input.name;
    f.even = false;
    f.abscissa = s.frequency_hz;
    f.axes[0].type = 18, f.axes[0].label = "Frequency", f.axes[0].unit = "Hz";
    if (!s.unit.empty()) f.axes[1].unit = s.unit;
    f.is_complex = s.is_complex;
    if (s.is_complex)
      f.complex = s.values;
    else
      for (const auto& value : s.values) f.real.push_back(value.real());
    out.functions.push_back(std::move(f));
  }
  return out;
}

std::string spectra_csv(const SpectrumSet& set, const std::string& path) {
  const std::vector<double>& axis = set.spectra.front().frequency_hz;
  std::string out = "frequency_hz";
  const auto column = [&](const Spectrum& s, const char* part) {
    std::string name = name_of(s) + part;
    std::replace_if(
        name.begin(), name.end(),
        [](unsigned char c) { return c <= ' ' || c == ',' || c == ';' || c == '"' || c == '['; }, '_');
    out += fmt::format(",{} [{}]", name, s.unit.empty() ? "-" : s.unit);
  };
  for (const Spectrum& s : set.spectra) {
    if (s.frequency_hz != axis)
      throw_bad_input(path, "the spectra have different frequency axes and do not fit into one table",
                      "convert to .uff");
    column(s, s.is_complex ? "_re" : "");
    if (s.is_complex) column(s, "_im");
  }
  out += '\n';
  for (std::size_t i = 0; i < axis.size(); ++i) {
    out += fmt::format("{}", axis[i]);
    for (const Spectrum& s : set.spectra) {
      out += fmt::format(",{}", s.values[i].real());
      if (s.is_complex) out += fmt::format(",{}", s.values[i].imag());
    }
    out += '\n';
  }
  return out;
}

}  // namespace kdyn::inline io
