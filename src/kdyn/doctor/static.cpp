// SPDX-License-Identifier: Apache-2.0
// The data doctor on quasi-static loops.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/doctor/conditioning.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/doctor/paths.hpp"
#include "kdyn/doctor/tools.hpp"

namespace kdyn::inline doctor {
namespace {

class StaticExamination {
 public:
  StaticExamination(const StaticLoop& loop, const DoctorOptions& options)
      : chart(loop.source),
        loop_(loop),
        x_(loop.displacement),
        f_(loop.force),
        options_(options) {}

  doctor::Chart chart;

  void run() {
    if (x_.size() < 5) {
      chart.add(Severity::serious, "too_few_points", 0, fmt::format("{} points are no loop", x_.size()),
                "record at least some 50 points on each branch");
      return;
    }
    x_range_ = doctor::range_of(x_), f_range_ = doctor::range_of(f_);
    if (!(x_range_.width() > 0.0) || !(f_range_.width() > 0.0)) {
      chart.add(Severity::serious, "constant_channel", line(0),
                x_range_.width() > 0.0 ? "the force does not change" : "the displacement does not change",
                "check which channels were exported");
      return;
    }
    turning_ = branch_ends(x_, 0.05 * x_range_.width());
    width_ = doctor::loop_width(x_, f_, turning_);
    if (signs_and_columns()) return;
    clipping();
    gaps();
    branches();
    monotone();
  }

 private:
  std::size_t line(std::size_t i) const { return loop_.lines.of(i); }

  static std::vector<double> magnitudes(const std::vector<double>& values) {
    std::vector<double> out;
    out.reserve(values.size());
    for (const double v : values) out.push_back(std::abs(v));
    return out;
  }

  // Which column is which, and which way is up. True when the rest would only repeat what is wrong here.
  bool signs_and_columns() {
    const bool torsion = loop_.axis == AxisKind::rotation;
    const double low = torsion ? options_.torsional_stiffness_min : options_.stiffness_min,
                 high = torsion ? options_.torsional_stiffness_max : options_.stiffness_max;
    const double secant = f_range_.width() / x_range_.width();
    const double correlation = doctor::trend(x_, f_).correlation;
    const bool clockwise = width_.known && width_.mean < -0.01 * f_range_.width();
    if (secant < low || secant > high) {
      const double swapped = 1e6 / secant;  // N in the place of mm and mm in the place of N
      if (!torsion && clockwise && correlation > 0.5 && swapped > low && swapped < high) {
        chart.add(Severity::serious, "columns_swapped", line(0),
                  fmt::format("{} over {} is {}, and the loop runs clockwise: displacement and force changed places? "
                              "Swapped they give {}",
                              doctor::show_force(f_range_.width(), loop_.axis),
                              doctor::show_length(x_range_.width(), loop_.axis),
                              doctor::show_stiffness(secant, loop_.axis), doctor::show_stiffness(swapped, loop_.axis)),
                  "swap the names of the two columns");
        return true;
      }
      chart.add(
          Severity::serious, "stiffness_implausible", line(0),
          fmt::format("{} over {} is {}, outside {} to {}", doctor::show_force(f_range_.width(), loop_.axis),
                      doctor::show_length(x_range_.width(), loop_.axis), doctor::show_stiffness(secant, loop_.axis),
                      doctor::show_stiffness(low, loop_.axis), doctor::show_stiffness(high, loop_.axis)),
          "check the units of both columns, and that they are not swapped");
      return false;
    }
    if (folded(x_, x_range_, f_, correlation)) {
      report_fold("displacement");
      return true;
    }
    if (folded(f_, f_range_, x_, correlation)) {
      report_fold("force");
      return true;
    }
    if (correlation < -0.5) {
      chart.add(Severity::serious, "force_sign", line(0),
                fmt::format("the force falls when the displacement rises (correlation {:.2f})", correlation),
                "change the sign of one channel: positive displacement gives positive force");
      return true;
    }
    if (clockwise)
      chart.add(Severity::serious, "negative_work", line(0),
                fmt::format("the loop runs clockwise, {} wide on average: the mount would generate energy",
                            doctor::show_force(-width_.mean, loop_.axis)),
                "check the order of the rows and the delay between the channels");
    return false;
  }

  // One side of zero only, while its magnitude follows the other channel's magnitude but not the other channel.
  static bool folded(const std::vector<double>& channel, const doctor::Range& range, const std::vector<double>& other,
                     double correlation) {
    const double reach = std::max(std::abs(range.low), std::abs(range.high));
    const bool one_sided = range.low > -0.02 * reach || range.high < 0.02 * reach;
    return one_sided && std::abs(correlation) < 0.5 &&
           doctor::trend(magnitudes(channel), magnitudes(other)).correlation > 0.8;
  }

  void report_fold(const char* channel) {
    chart.add(Severity::serious, "folded_column", line(0),
              fmt::format("the {} has one sign only while the other channel has both: its sign was lost", channel),
              "export the signed signal");
  }

  void clipping() {
    const doctor::Plateau plateau = doctor::find_plateau(f_, x_, 0.02 * x_range_.width());
    if (plateau.runs > 0)
      chart.add(Severity::serious, "clipped", line(plateau.begin),
                fmt::format("the force stands still at its {} of {} for {} samples while the displacement moves",
                            plateau.at_top ? "highest value" : "lowest value",
                            doctor::show_force(f_[plateau.begin], loop_.axis), plateau.length),
                "use a larger force range of the load cell and measure again");
  }

  // Rows that are missing: the displacement jumps, far beyond its usual step.
  void gaps() {
    constexpr double times = 10.0, share = 0.03;  // of nine steps in ten; of the range
    std::vector<double> steps;
    for (std::size_t i = 1; i < x_.size(); ++i) steps.push_back(std::abs(x_[i] - x_[i - 1]));
    const auto largest = std::max_element(steps.begin(), steps.end());
    const auto at = static_cast<std::size_t>(largest - steps.begin());
    const double jump = *largest;
    const auto ninth = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() * 9 / 10);
    std::nth_element(steps.begin(), ninth, steps.end());
    if (jump > share * x_range_.width() && jump > times * *ninth)
      chart.add(Severity::warning, "rows_missing", line(at + 1),
                fmt::format("the displacement jumps by {} from one row to the next, {:.2g} times its usual step",
                            doctor::show_length(jump, loop_.axis), *ninth > 0.0 ? jump / *ninth : 999.0),
                "a part of the loop is missing: export all of it");
  }

  void branches() {
    const std::size_t count = turning_.size() - 1;
    const double gap_x = std::abs(x_.back() - x_.front());
    if (count < 2) {
      chart.add(Severity::warning, "one_branch", line(0),
                "only loading or only unloading was recorded: there is no hysteresis to see", "record a full cycle");
      return;
    }
    // From the fourth branch on a full cycle lies inside, wherever the record ends.
    if (gap_x > 0.1 * x_range_.width()) {
      if (count < 4)
        chart.add(Severity::warning, "loop_open", line(x_.size() - 1),
                  fmt::format("the loop starts at {} and ends at {}", doctor::show_length(x_.front(), loop_.axis),
                              doctor::show_length(x_.back(), loop_.axis)),
                  "record a full cycle");
      return;
    }
    const double slope = doctor::trend(x_, f_).slope;
    const double gap = std::abs(f_.back() - f_.front() - slope * (x_.back() - x_.front()));
    const double to_end = std::min(std::abs(x_.front() - x_range_.low), std::abs(x_.front() - x_range_.high));
    // Starting from rest the first rise runs inside the loop: up to half the width from either branch is no gap.
    const double rest = to_end > 0.05 * x_range_.width() ? 0.75 * width_.largest : 0.0;
    if (gap > options_.closing_tolerance * f_range_.width() + rest)
      chart.add(Severity::warning, "loop_open", line(x_.size() - 1),
                fmt::format("the loop does not close: at {} the force starts at {} and ends at {}",
                            doctor::show_length(x_.back(), loop_.axis), doctor::show_force(f_.front(), loop_.axis),
                            doctor::show_force(f_.back(), loop_.axis)),
                "check the drift of the load cell, or record one more cycle and keep the last");
  }

  // On a rising branch the force may fall, on a falling one rise, by noise only.
  void monotone() {
    if (chart.has("clipped")) return;
    const double tolerated = std::max(options_.monotone_tolerance * f_range_.width(), 10.0 * doctor::noise_of(f_));
    std::size_t worst = 0;
    double worst_fall = 0.0;
    for (std::size_t b = 0; b + 1 < turning_.size(); ++b) {
      const double sign = x_[turning_[b + 1]] > x_[turning_[b]] ? 1.0 : -1.0;
      std::size_t peak = turning_[b];
      for (std::size_t i = turning_[b]; i <= turning_[b + 1]; ++i) {
        if (sign * f_[i] > sign * f_[peak]) peak = i;
        const double fall = sign * (f_[peak] - f_[i]);
        // Relaxation during a hold is not meant: the displacement must have moved on.
        if (fall > worst_fall && sign * (x_[i] - x_[peak]) > 0.005 * x_range_.width()) worst = i, worst_fall = fall;
      }
    }
    if (worst_fall > tolerated)
      chart.add(Severity::warning, "non_monotone", line(worst),
                fmt::format("the force runs back by {} ({:.2g} % of its range) on one branch, near displacement {}",
                            doctor::show_force(worst_fall, loop_.axis), 100.0 * worst_fall / f_range_.width(),
                            doctor::show_length(x_[worst], loop_.axis)),
                "check for a slipping clamp or a spike; a static curve for a fit must rise");
  }

  const StaticLoop& loop_;
  const std::vector<double>&x_, &f_;
  const DoctorOptions& options_;
  doctor::Range x_range_, f_range_;
  std::vector<std::size_t> turning_;
  doctor::LoopWidth width_;
};

}  // namespace

std::vector<Finding> examine(const StaticLoop& loop, const DoctorOptions& options) {
  StaticExamination examination(loop, options);
  examination.run();
  std::vector<Finding> findings = examination.chart.take();
  if (const Conditioning found = examine_conditioning(loop.displacement, loop.force); found.softened)
    findings.push_back(conditioning_finding(found, loop.source.path.c_str(),
                                            loop.lines.of(found.cycles[found.conditioned_from].first)));
  return findings;
}

}  // namespace kdyn::inline doctor
