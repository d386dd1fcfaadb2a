// SPDX-License-Identifier: Apache-2.0
// Signals in MATLAB files: a vector of times (t, time, time_s ...) or a sampling rate (fs, dt), and arrays of as many
// samples.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/internal/column_names.hpp"
#include "kdyn/io/internal/whole_steps.hpp"
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

using Names = std::initializer_list<const char*>;
constexpr Names time_names = {"t", "time", "zeit", "timestamp", "times"};
constexpr Names rate_names = {"fs",         "fs_hz",         "sample_rate",      "sample_rate_hz",
                              "samplerate", "sampling_rate", "sampling_rate_hz", "sampling_frequency"};
constexpr Names step_names = {"dt", "dt_s", "sample_interval", "delta_t", "deltat"};

bool one_of(const std::string& name, Names known) {
  return std::any_of(known.begin(), known.end(), [&](const char* k) { return lower_case(name) == k; });
}

// Accelerations are given in g; grams of mass are no signal.
std::string gravity_of(const std::string& unit) { return unit == "g" ? "gn" : unit; }

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
    if (!one_of(parts.name, time_names)) continue;
    const std::string& written = array.unit.empty() ? parts.unit : array.unit;
    const auto unit = parse_unit(written.empty() ? "s" : written);
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
    if (written.empty()) {
      const bool counts = internal::whole_steps(t);
      findings.push_back(
          {counts ? Severity::warning : Severity::note, "unit_assumed", fmt::format("{}: {}", file.name, array.name),
           counts ? "it has no unit, s was assumed; its numbers are whole, as of milliseconds or of a counter"
                  : "it has no unit, s was assumed",
           "name it time_s, or time_ms if that is what it holds"});
    }
    return Sampling{place, &array, unit->to_si * t.front(), unit->to_si * step, t.size()};
  }
  for (const MatArray& array : file.arrays) {
    if (array.is_complex || array.real.size() != 1 || !(array.real[0] > 0.0) || !std::isfinite(array.real[0])) continue;
    const auto [place, name] = split_struct(array.name);
    if (one_of(name, rate_names)) return Sampling{place, &array, 0.0, 1.0 / array.real[0], 0};
    if (one_of(name, step_names)) return Sampling{place, &array, 0.0, array.real[0], 0};
  }
  return std::nullopt;
}

// Samples by shape, whether they were read or not.
std::size_t samples_of(const MatArray& array) {
  std::size_t count = 1;
  for (const std::size_t extent : array.shape) count *= extent;
  return array.matlab_class == "char" || array.matlab_class == "sparse" ? 0 : count;
}

}  // namespace

bool tells_sampling(const std::string& array_name) {
  const std::string name = split_struct(array_name).second;
  return one_of(internal::split_name_and_unit(name).name, time_names) || one_of(name, rate_names) ||
         one_of(name, step_names);
}

std::vector<ArraySignal> plan_signals(const MatFile& file, std::vector<Finding>& findings) {
  std::vector<ArraySignal> out;
  const std::optional<Sampling> sampling = sampling_of(file, findings);
  if (!sampling) return out;
  std::vector<std::string> unused;
  for (std::size_t a = 0; a < file.arrays.size(); ++a) {
    const MatArray& array = file.arrays[a];
    if (&array == sampling->array) continue;
    const auto [place, name] = split_struct(array.name);
    const std::size_t rows = array.shape.empty() ? 0 : array.shape[0],
                      columns = array.shape.size() == 2 ? array.shape[1] : 0;
    const bool vector = rows == 1 || columns == 1;
    std::size_t count = vector ? samples_of(array) : rows;
    // Times tell how many samples there are; beside a rate the longer side of a matrix is time.
    const bool by_rows =
        !vector && (sampling->count > 0 ? columns == sampling->count && rows != sampling->count : columns > rows);
    if (by_rows) count = columns;
    const std::size_t channels = vector ? 1 : by_rows ? rows : columns;
    constexpr std::size_t most_channels = 10'000;
    if (array.is_complex || samples_of(array) == 0 || columns == 0 || place != sampling->place || count < 3 ||
        channels > most_channels || (sampling->count > 0 && count != sampling->count)) {
      unused.push_back(array.name);
      continue;
    }
    auto parts = internal::split_name_and_unit(name);
    if (!array.unit.empty()) parts = {name, array.unit};
    if (si_unit_of(gravity_of(parts.unit)).empty()) parts = {name, ""};
    if (parts.unit == "g")
      findings.push_back({Severity::note, "unit_g", fmt::format("{}: {}", file.name, array.name),
                          "g was read as the acceleration of gravity, 9.80665 m/s^2", ""});
    if (parts.unit.empty())
      findings.push_back({Severity::warning, "unit_unknown", fmt::format("{}: {}", file.name, array.name),
                          array.unit.empty() ? "its name tells no unit; values were kept as they are"
                                             : fmt::format("the unit {} is not known; values were kept as they are",
                                                           in_quotes(array.unit)),
                          "name it with its unit, such as force_N or acc_m_per_s2"});
    for (std::size_t c = 0; c < channels; ++c)
      out.push_back({a, c, count, by_rows, channels > 1 ? fmt::format("{}_{}", parts.name, c + 1) : parts.name,
                     parts.unit, sampling->start, sampling->step});
  }
  if (!out.empty() && !unused.empty())
    findings.push_back({Severity::note, "arrays_not_used", file.name,
                        fmt::format("{} array{} not used as signals: {}", unused.size(),
                                    unused.size() == 1 ? " was" : "s were", in_quotes(join(unused, ", "))),
                        ""});
  return out;
}

std::optional<SignalSet> signals_of(const MatFile& file, std::vector<Finding>& findings) {
  SignalSet out;
  out.source.path = file.name;
  for (const ArraySignal& plan : plan_signals(file, findings)) {
    const MatArray& array = file.arrays[plan.array];
    if (array.real.size() != samples_of(array)) continue;
    Signal signal;
    signal.name = plan.name;
    signal.unit = plan.unit.empty() ? "" : si_unit_of(gravity_of(plan.unit));
    signal.dof = parse_dof(signal.name);
    signal.start_s = plan.start_s, signal.step_s = plan.step_s;
    const double factor = plan.unit.empty() ? 1.0 : parse_unit(gravity_of(plan.unit))->to_si;
    signal.values.resize(plan.count);
    for (std::size_t i = 0; i < plan.count; ++i)
      signal.values[i] =
          factor * array.real[plan.by_rows ? i * array.shape[0] + plan.channel : plan.channel * plan.count + i];
    if (!std::all_of(signal.values.begin(), signal.values.end(), [](double v) { return std::isfinite(v); })) {
      findings.push_back({Severity::warning, "not_finite", fmt::format("{}: {}", file.name, array.name),
                          "it holds NaN or infinite samples and was left out", "cut the record to its valid part"});
      continue;
    }
    out.signals.push_back(std::move(signal));
  }
  if (out.signals.empty()) return std::nullopt;
  return out;
}

}  // namespace kdyn::inline io
