// SPDX-License-Identifier: Apache-2.0
#include "kdyn/door/reduce_sines.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/signal/reversals.hpp"
#include "kdyn/signal/sine_fit.hpp"

namespace kdyn::inline door {
namespace {

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Noise of a signal from its second differences, which a slow motion hardly has: standard deviation by the median of
// their size.
double noise_of(const std::vector<double>& x) {
  std::vector<double> differences;
  for (std::size_t i = 2; i < x.size(); ++i) differences.push_back(std::abs(x[i] - 2.0 * x[i - 1] + x[i - 2]));
  return differences.empty() ? 0.0 : middle_of(std::move(differences)) / 0.6745 / std::sqrt(6.0);
}

// Strokes from turning point to turning point are of one size but for a twentieth at either end: a motion that swells
// is no steady sine, however slowly it does.
bool of_one_size(const std::vector<double>& x, const std::vector<std::size_t>& turns, std::size_t begin,
                 std::size_t end) {
  std::vector<double> strokes;
  for (std::size_t i = begin; i < end; ++i) strokes.push_back(std::abs(x[turns[i + 1]] - x[turns[i]]));
  std::sort(strokes.begin(), strokes.end());
  const std::size_t cut = strokes.size() / 20;
  return strokes[strokes.size() - 1 - cut] < 1.2 * strokes[cut];
}

}  // namespace

std::vector<SineSegment> sine_segments(const BenchSeries& series) {
  const std::vector<double>& x = series.displacement;
  std::vector<SineSegment> out;
  if (x.size() < 20) return out;
  const auto [lowest, highest] = std::minmax_element(x.begin(), x.end());
  // Turning points of motions a hundred times smaller than the largest still count, where noise allows.
  const std::vector<std::size_t> turns =
      find_reversals(x, std::max(6.0 * noise_of(x), 0.004 * (*highest - *lowest))).at;
  constexpr double spread = 0.25;
  constexpr std::size_t fewest_halves = 6;
  for (std::size_t begin = 0; begin + 1 < turns.size();) {
    std::vector<double> lengths, ranges;
    std::size_t end = begin;
    while (end + 1 < turns.size()) {
      const double length = series.time[turns[end + 1]] - series.time[turns[end]],
                   range = std::abs(x[turns[end + 1]] - x[turns[end]]);
      if (!lengths.empty()) {
        const double usual_length = middle_of(lengths), usual_range = middle_of(ranges);
        if (std::abs(length - usual_length) > spread * usual_length ||
            std::abs(range - usual_range) > spread * usual_range)
          break;
      }
      constexpr std::size_t remembered = 16;
      if (lengths.size() == remembered) lengths.erase(lengths.begin()), ranges.erase(ranges.begin());
      lengths.push_back(length), ranges.push_back(range);
      ++end;
    }
    const std::size_t halves = end - begin;
    if (halves >= fewest_halves) {
      // A sweep: its cycles at the end are shorter or longer than those at the start.
      const std::size_t third = std::max<std::size_t>(2, halves / 3);
      const double first_length =
          (series.time[turns[begin + third]] - series.time[turns[begin]]) / static_cast<double>(third);
      const double last_length =
          (series.time[turns[end]] - series.time[turns[end - third]]) / static_cast<double>(third);
      if (std::abs(first_length - last_length) < 0.05 * first_length && of_one_size(x, turns, begin, end))
        out.push_back({turns[begin], turns[end] - turns[begin] + 1});
    }
    begin = std::max(end, begin + 1);
  }
  return out;
}

std::optional<StiffnessMap> reduce_sines(const BenchSeries& series, std::vector<Finding>& findings) {
  if (series.force.size() != series.displacement.size() || series.time.size() != series.displacement.size())
    return std::nullopt;
  const std::vector<SineSegment> segments = sine_segments(series);
  if (segments.empty()) return std::nullopt;
  StiffnessMap map;
  map.axis = series.axis;
  map.source = series.source;
  double travel = 0.0, covered = 0.0;
  for (std::size_t i = 1; i < series.displacement.size(); ++i)
    travel += std::abs(series.displacement[i] - series.displacement[i - 1]);
  std::size_t refused = 0;
  for (const SineSegment& segment : segments) {
    const auto part = [&](const std::vector<double>& all) {
      return std::span<const double>(all).subspan(segment.first, segment.count);
    };
    const auto reduced = reduce_sine_record(part(series.time), part(series.displacement), part(series.force));
    if (!reduced || !(reduced->k_dyn > 0.0) || !(reduced->amplitude > 0.0) || !(reduced->frequency_hz > 0.0)) {
      ++refused;
      continue;
    }
    MapRow row;
    row.frequency_hz = reduced->frequency_hz;
    row.amplitude = reduced->amplitude;
    row.preload = reduced->mean_force;
    row.k_dyn = reduced->k_dyn;
    row.loss_angle = reduced->loss_angle;
    row.line = series.lines.of(segment.first);
    map.rows.push_back(row);
    for (std::size_t i = segment.first + 1; i < segment.first + segment.count; ++i)
      covered += std::abs(series.displacement[i] - series.displacement[i - 1]);
  }
  constexpr double share_of_sines = 0.7;
  if (map.rows.empty() || covered < share_of_sines * travel) return std::nullopt;
  findings.push_back(
      {Severity::note, "record_reduced", series.source.path,
       fmt::format(
           "the time record holds {} steady sine{} ({:.0f} % of its travel) and was reduced to points of a map; "
           "the first: {:.4g} Hz, amplitude {:.4g} {}, mean {:.4g} {}",
           map.rows.size(), map.rows.size() == 1 ? "" : "s", 100.0 * covered / travel, map.rows.front().frequency_hz,
           map.rows.front().amplitude * 1e3, series.axis == AxisKind::rotation ? "mrad" : "mm",
           map.rows.front().preload, series.axis == AxisKind::rotation ? "N*m" : "N"),
       ""});
  if (refused > 0)
    findings.push_back(
        {Severity::warning, "segments_not_used", series.source.path,
         fmt::format("{} parts of the record look like sines but are too impure or too short and were not used",
                     refused),
         "check the record for these parts"});
  return map;
}

}  // namespace kdyn::inline door
