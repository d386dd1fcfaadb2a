// SPDX-License-Identifier: Apache-2.0
// The data doctor on time series.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/doctor/conditioning.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/doctor/paths.hpp"
#include "kdyn/doctor/tools.hpp"

namespace kdyn::inline doctor {
namespace {

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v / static_cast<double>(values.size());
  return sum;
}

class SeriesExamination {
 public:
  SeriesExamination(const BenchSeries& series, const DoctorOptions& options)
      : chart(series.source),
        series_(series),
        t_(series.time),
        x_(series.displacement),
        f_(series.force),
        options_(options) {}

  doctor::Chart chart;

  void run() {
    if (t_.size() < 5) {
      chart.add(Severity::serious, "too_few_points", 0, fmt::format("{} samples are no record", t_.size()),
                "check the export");
      return;
    }
    x_range_ = doctor::range_of(x_), f_range_ = doctor::range_of(f_);
    sampling();
    if (!(x_range_.width() > 0.0) || (!f_.empty() && !(f_range_.width() > 0.0))) {
      chart.add(Severity::serious, "constant_channel", line(0),
                x_range_.width() > 0.0 ? "the force does not change" : "the displacement does not change",
                "check which channels were exported");
      return;
    }
    turning_ = branch_ends(x_, 0.1 * x_range_.width());
    cycles();
    spikes(x_, x_range_, "displacement");
    if (f_.empty()) return;
    spikes(f_, f_range_, "force");
    clipping();
    stiffness();
    energy();
    offsets();
  }

 private:
  std::size_t line(std::size_t i) const { return series_.lines.of(i); }

  void sampling() {
    std::vector<double> steps;
    for (std::size_t i = 1; i < t_.size(); ++i) steps.push_back(t_[i] - t_[i - 1]);
    step_ = median(steps);
    std::size_t gaps = 0, first = 0;
    std::vector<double> jitter;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i] > 1.5 * step_) {
        if (gaps++ == 0) first = i + 1;
      } else {
        jitter.push_back(std::abs(steps[i] / step_ - 1.0));
      }
    }
    if (const double typical = doctor::quantile(jitter, 0.9); typical > 0.05 || 5 * gaps > steps.size())
      chart.add(
          Severity::warning, "sampling_non_uniform", line(0),
          fmt::format("the time step is not uniform: {:.3g} s in the middle, one in ten is off by more than {:.2g} %",
                      step_, 100.0 * typical),
          "write time with more digits, or resample at a fixed rate");
    else if (gaps > 0)
      chart.add(Severity::warning, "missing_samples", line(first),
                fmt::format("{} gaps in time, the first of {:.3g} s where the step is {:.3g} s", gaps, steps[first - 1],
                            step_),
                "export the record without gaps, or cut it at the gap");
  }

  void cycles() {
    reversals_ = turning_.size() > 2 ? turning_.size() - 2 : 0;
    if (reversals_ < 4) return;
    const double per_cycle =
        2.0 * static_cast<double>(turning_[reversals_] - turning_[1]) / static_cast<double>(reversals_ - 1);
    frequency_hz_ = 1.0 / (per_cycle * step_);
    if (per_cycle < options_.min_samples_per_cycle)
      chart.add(Severity::warning, "sampling_low", line(0),
                fmt::format("{:.3g} samples on a cycle of about {:.3g} Hz, at least {:.3g} are needed to see peaks and "
                            "turning points",
                            per_cycle, frequency_hz_, options_.min_samples_per_cycle),
                "sample faster");
    // No bench moves a mount so: the times are in another unit.
    constexpr double slowest = 0.02, hardest = 2000.0;  // Hz; m/s^2 of the displacement
    const double omega = 2.0 * std::numbers::pi * frequency_hz_, acceleration = 0.5 * x_range_.width() * omega * omega;
    const bool hard = series_.axis == AxisKind::translation && acceleration > hardest;
    if (frequency_hz_ < slowest || hard)
      chart.add(
          Severity::warning, "time_implausible", line(0),
          hard ? fmt::format("cycles of about {:.3g} Hz and {} are {:.2g} m/s^2: no bench moves a mount so",
                             frequency_hz_, doctor::show_length(0.5 * x_range_.width(), series_.axis), acceleration)
               : fmt::format("a cycle takes about {:.3g} s: slower than a static test", 1.0 / frequency_hz_),
          hard ? "check the unit of the times: are they minutes?" : "check the unit of the times: are they ms?");
  }

  // One sample that jumps out and back, by far more than the signal otherwise moves in one step.
  void spikes(const std::vector<double>& signal, const doctor::Range& range, const char* channel) {
    std::vector<double> moves;
    for (std::size_t i = 1; i < signal.size(); ++i) moves.push_back(std::abs(signal[i] - signal[i - 1]));
    const double usual = std::max(4.0 * doctor::quantile(moves, 0.98), 0.03 * range.width());
    std::vector<std::size_t> lines;
    std::size_t first = 0;
    double height = 0.0;
    for (std::size_t i = 1; i + 1 < signal.size(); ++i) {
      const double out = signal[i] - signal[i - 1], back = signal[i + 1] - signal[i];
      if (out * back >= 0.0 || std::min(std::abs(out), std::abs(back)) <= usual) continue;
      if (lines.empty()) first = i, height = std::abs(out);
      lines.push_back(line(i));
    }
    if (!lines.empty())
      chart.add(
          Severity::warning, "spikes", lines.front(),
          fmt::format(
              "{} single samples of the {} jump out and back, the first at {:.6g} s by {:.2g} % of the range ({})",
              lines.size(), channel, t_[first], 100.0 * height / range.width(), doctor::list_lines(lines)),
          "remove them or interpolate across");
  }

  void clipping() {
    const auto report = [&](const doctor::Plateau& plateau, const char* channel, const std::string& level) {
      if (plateau.runs > 0)
        chart.add(Severity::serious, "clipped", line(plateau.begin),
                  fmt::format(
                      "the {} stands still at its {} of {} for {} samples in {} places while the other channel moves",
                      channel, plateau.at_top ? "highest value" : "lowest value", level, plateau.length, plateau.runs),
                  "use a larger range of the sensor and measure again");
    };
    const doctor::Plateau force = doctor::find_plateau(f_, x_, 0.01 * x_range_.width());
    report(force, "force", doctor::show_force(f_[force.begin], series_.axis));
    const doctor::Plateau travel = doctor::find_plateau(x_, f_, 0.1 * f_range_.width());
    report(travel, "displacement", doctor::show_length(x_[travel.begin], series_.axis));
  }

  void stiffness() {
    const bool torsion = series_.axis == AxisKind::rotation;
    const double low = torsion ? options_.torsional_stiffness_min : options_.stiffness_min,
                 high = torsion ? options_.torsional_stiffness_max : options_.stiffness_max;
    const double secant = f_range_.width() / x_range_.width();
    // N in the place of mm and mm in the place of N: the other way round it is a mount, and one that does not generate
    // energy.
    const double swapped = 1e6 / secant;
    if ((secant < low || secant > high) && !torsion && swapped > low && swapped < high && work_ratio() < -0.01)
      chart.add(
          Severity::serious, "columns_swapped", line(0),
          fmt::format("{} over {} is {}: displacement and force look swapped, {} the other way round",
                      doctor::show_force(f_range_.width(), series_.axis),
                      doctor::show_length(x_range_.width(), series_.axis), doctor::show_stiffness(secant, series_.axis),
                      doctor::show_stiffness(swapped, series_.axis)),
          "swap the names of the two columns, or say which is which with --columns");
    else if (secant < low || secant > high)
      chart.add(
          Severity::serious, "stiffness_implausible", line(0),
          fmt::format("{} over {} is {}, outside {} to {}", doctor::show_force(f_range_.width(), series_.axis),
                      doctor::show_length(x_range_.width(), series_.axis), doctor::show_stiffness(secant, series_.axis),
                      doctor::show_stiffness(low, series_.axis), doctor::show_stiffness(high, series_.axis)),
          "check the units of both columns, and that they are not swapped");
  }

  // Work done on the mount over the record, less what a spring still stores at its end, against the work moved back and
  // forth. A sine gives pi/2 sin(delta).
  double work_ratio() const {
    const double x0 = mean(x_), f0 = mean(f_);
    double work = 0.0, moved = 0.0;
    for (std::size_t i = 1; i < x_.size(); ++i) {
      const double dw = (0.5 * (f_[i] + f_[i - 1]) - f0) * (x_[i] - x_[i - 1]);
      work += dw, moved += std::abs(dw);
    }
    const double end = x_.back() - x0, start = x_.front() - x0;
    work -= 0.5 * doctor::trend(x_, f_).slope * (end * end - start * start);
    return moved > 0.0 ? work / moved : 0.0;
  }

  void energy() {
    const doctor::Trend elastic = doctor::trend(x_, f_);
    if (elastic.correlation < -0.7) {
      chart.add(Severity::serious, "force_sign", line(0),
                fmt::format("the force falls when the displacement rises (correlation {:.2f})", elastic.correlation),
                "change the sign of one channel: positive displacement gives positive force");
      return;
    }
    if (reversals_ < 4) return;
    const double ratio = work_ratio();
    if (ratio > -0.03) return;
    const double angle = std::asin(std::min(1.0, -ratio * 2.0 / std::numbers::pi));
    chart.add(
        Severity::serious, "force_delay", line(0),
        fmt::format(
            "the force lags the displacement by about {} at {:.3g} Hz, {:.2g} ms: the mount would generate energy",
            doctor::show_angle(angle), frequency_hz_, 1e3 * angle / (2.0 * std::numbers::pi * frequency_hz_)),
        "both channels need the same filter and the same clock; shift the force by at least this time");
  }

  void offsets() {
    const double x_offset = mean(x_) / (0.5 * x_range_.width()), f_offset = mean(f_) / (0.5 * f_range_.width());
    if (std::abs(x_offset) > 0.1)
      chart.add(Severity::note, "displacement_offset", line(0),
                fmt::format("the mean displacement is {}", doctor::show_length(mean(x_), series_.axis)),
                "set the sensor to zero at the operating point if this is no intended offset");
    else if (std::abs(f_offset) > 0.1)
      chart.add(Severity::note, "force_offset", line(0),
                fmt::format("the mean force is {} while the mean displacement is near zero",
                            doctor::show_force(mean(f_), series_.axis)),
                "a preload, or a load cell that was not set to zero: say which in the fit");
  }

  const BenchSeries& series_;
  const std::vector<double>&t_, &x_, &f_;
  const DoctorOptions& options_;
  doctor::Range x_range_, f_range_;
  std::vector<std::size_t> turning_;
  std::size_t reversals_ = 0;
  double step_ = 0.0, frequency_hz_ = 0.0;
};

}  // namespace

std::vector<Finding> examine(const BenchSeries& series, const DoctorOptions& options) {
  SeriesExamination examination(series, options);
  examination.run();
  std::vector<Finding> findings = examination.chart.take();
  if (const Conditioning found = examine_conditioning(series.displacement, series.force); found.softened)
    findings.push_back(conditioning_finding(found, series.source.path.c_str(),
                                            series.lines.of(found.cycles[found.conditioned_from].first)));
  return findings;
}

}  // namespace kdyn::inline doctor
