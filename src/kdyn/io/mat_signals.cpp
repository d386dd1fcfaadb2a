// SPDX-License-Identifier: Apache-2.0
// Signals in MATLAB files: a vector of times (t, time, time_s ...) or a sampling rate (fs, dt), and arrays of as many
// samples.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/internal/column_names.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/signal_csv.hpp"

namespace kdyn::inline io {
namespace {

// "bench.force_N" -> "bench" and "force_N".
std::pair<std::string, std::string> split_struct(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? std::pair{std::string(), path}
                                  : std::pair{path.substr(0, dot), path.substr(dot + 1)};
}

bool one_of(const std::string& name, std::initializer_list<const char*> known) {
  return std::any_of(known.begin(), known.end(), [&](const char* k) { return lower_case(name) == k; });
}

struct Sampling {
  std::string place;  // struct it stands in
  const MatArray* array = nullptr;
  double start = 0.0, step = 0.0;
  std::size_t count = 0;  // 0: any
};

std::optional<Sampling> sampling_of(const MatFile& file, std::vector<Finding>& findings) {
  for (const MatArray& array : file.arrays) {
    if (array.is_complex || array.real.size() < 3 ||
        array.real.size() != *std::max_element(array.shape.begin(), array.shape.end()))
      continue;
    const auto [place, name] = split_struct(array.name);
    const auto parts = internal::split_name_and_unit(name);
    if (!one_of(parts.name, {"t", "time", "zeit", "timestamp", "times"})) continue;
    const auto unit = parse_unit(parts.unit.empty() ? "s" : parts.unit);
    if (!unit || !unit->same_dimension(*parse_unit("s"))) continue;
    const std::vector<double>& t = array.real;
    const double step = (t.back() - t.front()) / static_cast<double>(t.size() - 1);
    bool even = step > 0.0 && std::isfinite(step);
    for (std::size_t i = 1; i < t.size() && even; ++i) even = std::abs(t[i] - t[i - 1] - step) <= 0.01 * step;
    if (!even) {
      findings.push_back({Severity::warning, "uneven_time", fmt::format("{}: {}", file.name, array.name),
                          "these times do not rise in even steps; no signals were made of them",
                          "resample to one rate"});
      continue;
    }
    return Sampling{place, &array, unit->to_si * t.front(), unit->to_si * step, t.size()};
  }
  for (const MatArray& array : file.arrays) {
    if (array.is_complex || array.real.size() != 1 || !(array.real[0] > 0.0) || !std::isfinite(array.real[0])) continue;
    const auto [place, name] = split_struct(array.name);
    const auto parts = internal::split_name_and_unit(name);
    if (one_of(name,
               {"fs", "fs_hz", "sample_rate", "sample_rate_hz", "samplerate", "sampling_rate", "sampling_frequency"}))
      return Sampling{place, &array, 0.0, 1.0 / array.real[0], 0};
    if (one_of(name, {"dt", "dt_s", "sample_interval", "delta_t", "deltat"}))
      return Sampling{place, &array, 0.0, array.real[0], 0};
  }
  return std::nullopt;
}

}  // namespace

std::optional<SignalSet> signals_of(const MatFile& file, std::vector<Finding>& findings) {
  const std::optional<Sampling> sampling = sampling_of(file, findings);
  if (!sampling) return std::nullopt;
  SignalSet out;
  out.source.path = file.name;
  std::vector<std::string> unused;
  for (const MatArray& array : file.arrays) {
    if (&array == sampling->array) continue;
    const auto [place, name] = split_struct(array.name);
    const std::size_t rows = array.shape.empty() ? 0 : array.shape[0],
                      columns = array.shape.size() == 2 ? array.shape[1] : 0;
    const bool vector = rows == 1 || columns == 1;
    std::size_t count = vector ? array.real.size() : rows;
    const bool by_rows = !vector && sampling->count > 0 && columns == sampling->count && rows != sampling->count;
    if (by_rows) count = columns;
    const std::size_t channels = vector ? 1 : by_rows ? rows : columns;
    constexpr std::size_t most_channels = 10'000;
    if (array.is_complex || array.real.empty() || columns == 0 || place != sampling->place || count < 3 ||
        channels > most_channels || (sampling->count > 0 && count != sampling->count)) {
      unused.push_back(array.name);
      continue;
    }
    const auto parts = internal::split_name_and_unit(name);
    const auto unit = parts.unit.empty() ? std::nullopt : parse_unit(parts.unit);
    const std::string si = unit ? si_unit_of(parts.unit) : "";
    if (si.empty())
      findings.push_back({Severity::warning, "unit_unknown", fmt::format("{}: {}", file.name, array.name),
                          "its name tells no unit; values were kept as they are",
                          "name it with its unit, such as force_N or acc_m_per_s2"});
    for (std::size_t c = 0; c < channels; ++c) {
      Signal signal;
      signal.name = si.empty() ? name : parts.name;
      if (channels > 1) signal.name += fmt::format("_{}", c + 1);
      signal.unit = si;
      signal.dof = parse_dof(signal.name);
      signal.start_s = sampling->start, signal.step_s = sampling->step;
      signal.values.resize(count);
      for (std::size_t i = 0; i < count; ++i)
        signal.values[i] = (si.empty() ? 1.0 : unit->to_si) * array.real[by_rows ? i * rows + c : c * count + i];
      if (!std::all_of(signal.values.begin(), signal.values.end(), [](double v) { return std::isfinite(v); })) {
        findings.push_back({Severity::warning, "not_finite", fmt::format("{}: {}", file.name, array.name),
                            "it holds NaN or infinite samples and was left out", "cut the record to its valid part"});
        continue;
      }
      out.signals.push_back(std::move(signal));
    }
  }
  if (out.signals.empty()) return std::nullopt;
  if (!unused.empty())
    findings.push_back({Severity::note, "arrays_not_used", file.name,
                        fmt::format("{} array{} not used as signals: {}", unused.size(),
                                    unused.size() == 1 ? " was" : "s were", in_quotes(join(unused, ", "))),
                        ""});
  return out;
}

}  // namespace kdyn::inline io
