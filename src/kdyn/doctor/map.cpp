// SPDX-License-Identifier: Apache-2.0
// The data doctor on dynamic-stiffness maps.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/doctor/delay.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/doctor/sweeps.hpp"
#include "kdyn/doctor/tools.hpp"

namespace kdyn::inline doctor {
namespace {

using doctor::Blemish;
using doctor::Sweep;

constexpr double right_angle = 0.5 * std::numbers::pi;

class MapExamination {
 public:
  MapExamination(const StiffnessMap& map, const DoctorOptions& options)
      : chart(map.source),
        suspicious(map.rows.size(), false),
        map_(map),
        options_(options) {}

  doctor::Chart chart;
  std::vector<bool> suspicious;

  void run() {
    if (map_.rows.empty()) return;
    sweeps_ = doctor::find_sweeps(map_);
    plausibility();
    clipping();
    slopes();
    loss_angle_unit();
    loss_angle_blocks();
    neighbours_ = doctor::examine_neighbours(map_, sweeps_, options_);
    odd_rows();
    rig_resonance();
    delay();
    achieved_amplitude();
    duplicates();
    enough();
  }

 private:
  const MapRow& row(std::size_t r) const { return map_.rows[r]; }

  template <class Get>
  std::vector<double> column(Get get) const {
    std::vector<double> values;
    values.reserve(map_.rows.size());
    for (const MapRow& r : map_.rows) values.push_back(get(r));
    return values;
  }

  // Several rows of exactly the highest value: the range of a channel ended there. Coarse digits repeat everywhere.
  void clipping() {
    const auto look = [&](const char* what, const std::vector<double>& values) {
      const double highest = *std::max_element(values.begin(), values.end());
      const auto at_top = static_cast<std::size_t>(std::count(values.begin(), values.end(), highest));
      std::vector<double> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      const auto distinct = static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
      const std::size_t others = values.size() - at_top;
      if (highest <= 0.0 || at_top < 4 || 20 * at_top < values.size() || distinct < 4 ||
          4 * (distinct - 1) < 3 * others)
        return;
      chart.add(
          Severity::serious, "clipped", 0,
          fmt::format("{} rows have exactly the highest {} of all: the range of a channel ended there", at_top, what),
          "leave these rows out, or measure again with a larger range");
    };
    look("dynamic stiffness", column([](const MapRow& r) { return r.k_dyn; }));
    look("loss angle", column([](const MapRow& r) { return r.loss_angle; }));
  }

  void plausibility() {
    const bool torsion = map_.axis == AxisKind::rotation;
    const auto check = [&](const char* code, const char* what, double value, double low, double high,
                           const std::string& shown, const char* remedy) {
      if (value >= low && value <= high) return;
      chart.add(Severity::serious, code, row(0).line,
                fmt::format("{} {} (median) is {:.3g} times {} than expected of a mount", what, shown,
                            value < low ? low / value : value / high, value < low ? "smaller" : "larger"),
                remedy);
    };
    const double k = median(column([](const MapRow& r) { return r.k_dyn; }));
    const double a = median(column([](const MapRow& r) { return r.amplitude; }));
    check("stiffness_implausible", "dynamic stiffness", k,
          torsion ? options_.torsional_stiffness_min : options_.stiffness_min,
          torsion ? options_.torsional_stiffness_max : options_.stiffness_max, doctor::show_stiffness(k, map_.axis),
          "check the unit of the stiffness column: N/m, N/mm and kN/mm differ by 1000");
    check("amplitude_implausible", "amplitude", a, torsion ? options_.torsional_amplitude_min : options_.amplitude_min,
          torsion ? options_.torsional_amplitude_max : options_.amplitude_max, doctor::show_length(a, map_.axis),
          "check the unit of the amplitude column: um, mm and m differ by 1000");
    const std::vector<double> f = column([](const MapRow& r) { return r.frequency_hz; });
    constexpr double slowest_map = 0.3, fastest_map = 20e3;  // Hz: a map ends between these
    const double fastest = f.empty() ? 1.0 : *std::max_element(f.begin(), f.end());
    if (fastest < slowest_map || fastest > fastest_map)
      chart.add(Severity::warning, "frequency_implausible", row(0).line,
                fmt::format("the highest frequency of the map is {:.3g} Hz", fastest),
                fastest < slowest_map ? "check the unit of the frequency column: kHz, periods in s?"
                                      : "check the unit of the frequency column: mHz, revolutions per minute?");
    // Within what is possible, but a thousand times what mounts of vehicles and machines have: N/m under a heading of
    // N/mm, or kN/mm.
    constexpr double unusually_stiff = 1e8, unusually_soft = 5e3;
    if (!torsion && k > unusually_stiff && k <= options_.stiffness_max)
      chart.add(Severity::warning, "unit_slip", 0,
                fmt::format("the dynamic stiffness is {} (median); {} would be that of a mount: are the numbers N/m?",
                            doctor::show_stiffness(k, map_.axis), doctor::show_stiffness(1e-3 * k, map_.axis)),
                "say --units k_dyn=N/m if they are");
    if (!torsion && k < unusually_soft && k >= options_.stiffness_min)
      chart.add(Severity::warning, "unit_slip", 0,
                fmt::format("the dynamic stiffness is {} (median); {} would be that of a mount: are the numbers kN/mm?",
                            doctor::show_stiffness(k, map_.axis), doctor::show_stiffness(1e3 * k, map_.axis)),
                "say --units k_dyn=kN/mm if they are");
    if (doctor::look_like_rad_per_s(column([](const MapRow& r) { return r.frequency_hz; })))
      chart.add(Severity::warning, "unit_slip", row(0).line,
                "the frequencies are round numbers when divided by 2 pi, and not as they are: are they rad/s?",
                "say --units frequency=rad/s if they are");
  }

  // d ln k / d ln f (median of the sweeps) and d ln k / d ln a (all rows).
  void slopes() {
    std::vector<double> slopes;
    for (const Sweep& sweep : sweeps_) {
      std::vector<double> x, y;
      for (const std::size_t r : sweep.rows)
        x.push_back(std::log(row(r).frequency_hz)), y.push_back(std::log(row(r).k_dyn));
      sweep_slope_.push_back(doctor::trend(x, y).slope);
      if (sweep.rows.size() >= 3) slopes.push_back(sweep_slope_.back());
    }
    frequency_slope_ = median(slopes);
    amplitude_slope_ = doctor::trend(column([](const MapRow& r) { return std::log(r.amplitude); }),
                                     column([](const MapRow& r) { return std::log(r.k_dyn); }))
                           .slope;
  }

  // Stiffness that depends on frequency or amplitude costs energy: Kramers-Kronig gives pi/2 times the slope over
  // frequency, and friction with logarithmic amplitude dependence about 0.6 times the slope over amplitude. Far less
  // than that is a number in another unit.
  void loss_angle_unit() {
    const auto angles = column([](const MapRow& r) { return std::abs(r.loss_angle); });
    const double middle = median(angles),
                 expected = right_angle * std::max(frequency_slope_, 0.0) + 0.6 * std::max(-amplitude_slope_, 0.0);
    if (doctor::quantile(angles, 0.95) < 0.6 * degree && expected > 0.5 * degree && expected > 5.0 * middle)
      chart.add(
          Severity::serious, "loss_angle_unit", row(0).line,
          fmt::format("loss angles are all tiny (median {}), yet the stiffness changes as with about {}; as radians or "
                      "tan delta they would be {}",
                      doctor::show_angle(middle), doctor::show_angle(expected), doctor::show_angle(middle / degree)),
          "name the column loss_angle_rad or tan_delta if that is what it holds");
    if (middle > right_angle)
      chart.add(
          Severity::serious, "loss_angle_unit", row(0).line,
          fmt::format("loss angles beyond 90 deg (median {}) are not those of a mount", doctor::show_angle(middle)),
          "check the unit of the loss angle: degrees under the name of radians?");
  }

  double sweep_angle(const Sweep& sweep) const {
    std::vector<double> angles;
    for (const std::size_t r : sweep.rows) angles.push_back(row(r).loss_angle);
    return median(std::move(angles));
  }

  // A damper's stiffness rises with frequency, a friction damper's falls with amplitude; large angles without either
  // are 90 deg - delta.
  bool looks_complementary(std::size_t s) const {
    const double angle = sweep_angle(sweeps_[s]);
    return angle > 65.0 * degree && angle <= right_angle && sweep_slope_[s] < 0.4 && amplitude_slope_ > -0.4;
  }

  bool looks_negative(std::size_t s) const {
    const auto& rows = sweeps_[s].rows;
    const auto negative =
        std::count_if(rows.begin(), rows.end(), [this](std::size_t r) { return row(r).loss_angle < 0.0; });
    return sweep_angle(sweeps_[s]) < -0.2 * degree && 10 * static_cast<std::size_t>(negative) >= 8 * rows.size();
  }

  template <class Looks>
  void block(Looks looks, const char* code, const char* what, const char* remedy) {
    std::vector<std::size_t> found, rows;
    for (std::size_t s = 0; s < sweeps_.size(); ++s)
      if (looks(s)) {
        found.push_back(s);
        rows.insert(rows.end(), sweeps_[s].rows.begin(), sweeps_[s].rows.end());
      }
    if (found.empty()) return;
    if (10 * rows.size() >= 8 * map_.rows.size()) {
      const double middle = median(column([](const MapRow& r) { return r.loss_angle; }));
      chart.add(Severity::serious, code, row(0).line,
                fmt::format("all over the file {} (median {})", what, doctor::show_angle(middle)), remedy);
      return;
    }
    for (const std::size_t s : found) {
      for (const std::size_t r : sweeps_[s].rows) suspicious[r] = true;
      chart.add(Severity::serious, code, row(sweeps_[s].rows.front()).line,
                fmt::format("at amplitude {} and preload {} {} (median {}), unlike the rest of the file",
                            doctor::show_length(sweeps_[s].amplitude, map_.axis),
                            doctor::show_force(sweeps_[s].preload, map_.axis), what,
                            doctor::show_angle(sweep_angle(sweeps_[s]))),
                remedy);
    }
  }

  void loss_angle_blocks() {
    block([this](std::size_t s) { return looks_complementary(s); }, "phase_complement",
          "the loss angle looks like 90 deg - delta", "replace the loss angle by 90 deg minus its value");
    block([this](std::size_t s) { return looks_negative(s); }, "loss_angle_negative",
          "the loss angle is negative: the mount would generate energy",
          "change the sign of the loss angle, or check the delay between the channels");
  }

  void odd_rows() {
    std::vector<std::size_t> outliers;
    for (std::size_t r = 0; r < map_.rows.size(); ++r) {
      if (neighbours_.blemish[r] == Blemish::none) continue;
      suspicious[r] = true;
      const std::string angles =
          fmt::format("loss angle {} where {} is expected from its neighbours", doctor::show_angle(row(r).loss_angle),
                      doctor::show_angle(neighbours_.expected_angle[r]));
      if (neighbours_.blemish[r] == Blemish::complement)
        chart.add(Severity::warning, "phase_complement", row(r).line, angles + ": 90 deg - delta",
                  "replace the loss angle by 90 deg minus its value");
      else if (neighbours_.blemish[r] == Blemish::sign)
        chart.add(Severity::warning, "loss_angle_negative", row(r).line, angles + ": sign flipped",
                  "change the sign of the loss angle");
      else
        outliers.push_back(r);
    }
    constexpr std::size_t shown_alone = 8;
    if (outliers.size() > shown_alone) {
      std::vector<std::size_t> lines;
      lines.reserve(outliers.size());
      for (const std::size_t r : outliers) lines.push_back(row(r).line);
      chart.add(
          Severity::warning, "outlier", lines.front(),
          fmt::format("{} rows do not fit between their neighbours: {}", outliers.size(), doctor::list_lines(lines)),
          "measure these points again or leave them out of the fit");
      return;
    }
    // In a hundred sound maps a few rows stick out by this much; the fit leaves them out all the same.
    constexpr double may_be_chance = 11.0;
    const auto by_chance = [&](std::size_t r) {
      return std::abs(std::log(row(r).k_dyn) - neighbours_.expected_log_k[r]) <
                 may_be_chance * neighbours_.sigma_log_k &&
             std::abs(row(r).loss_angle - neighbours_.expected_angle[r]) < may_be_chance * neighbours_.sigma_angle;
    };
    for (const std::size_t r : outliers)
      chart.add(
          by_chance(r) ? Severity::note : Severity::warning, "outlier", row(r).line,
          fmt::format("{:.4g} Hz, {}: stiffness {} (expected {} from its neighbours), loss angle {} (expected {})",
                      row(r).frequency_hz, doctor::show_length(row(r).amplitude, map_.axis),
                      doctor::show_stiffness(row(r).k_dyn, map_.axis),
                      doctor::show_stiffness(std::exp(neighbours_.expected_log_k[r]), map_.axis),
                      doctor::show_angle(row(r).loss_angle), doctor::show_angle(neighbours_.expected_angle[r])),
          "measure this point again or leave it out of the fit");
  }

  // A narrow feature of stiffness and phase that all amplitudes share, at the upper end: fixture, load cell or rig
  // frame.
  void rig_resonance() {
    const auto& common = neighbours_.common;
    const double highest = neighbours_.frequencies_hz.back();
    const auto limit = [](double sigma, std::size_t sweeps, double least) {
      return std::max(least, 5.0 * sigma / std::sqrt(static_cast<double>(std::max<std::size_t>(sweeps, 1))));
    };
    std::size_t first = common.size(), last = 0;
    double largest = 0.0, jump = 0.0;
    for (std::size_t f = 0; f < common.size(); ++f) {
      if (common[f].sweeps < 2 || neighbours_.frequencies_hz[f] < 0.4 * highest) continue;
      double angle = 0.0;
      for (std::size_t g = f > 0 ? f - 1 : 0; g < std::min(f + 2, common.size()); ++g)
        angle = std::max(angle, std::abs(common[g].angle));
      if (std::abs(common[f].log_k) < limit(neighbours_.sigma_log_k, common[f].sweeps, 0.03)) continue;
      if (angle < limit(neighbours_.sigma_angle, common[f].sweeps, 1.0 * degree)) continue;
      first = std::min(first, f), last = f;
      largest = std::max(largest, std::abs(common[f].log_k)), jump = std::max(jump, angle);
    }
    if (first == common.size()) return;
    std::size_t line = 0;
    for (std::size_t r = 0; r < map_.rows.size() && line == 0; ++r)
      if (std::abs(row(r).frequency_hz / neighbours_.frequencies_hz[first] - 1.0) < 1e-4) line = row(r).line;
    chart.add(Severity::warning, "rig_resonance", line,
              fmt::format("stiffness departs by {:.2g} % and the loss angle by {} at {:.4g} to {:.4g} Hz for all "
                          "amplitudes alike: a resonance of the rig?",
                          100.0 * largest, doctor::show_angle(jump), neighbours_.frequencies_hz[first],
                          neighbours_.frequencies_hz[last]),
              fmt::format("leave out the rows above {:.4g} Hz, or correct for the moving mass of the fixture",
                          neighbours_.frequencies_hz[first > 0 ? first - 1 : 0]));
  }

  void delay() {
    const auto late = doctor::find_delay(map_, sweeps_, neighbours_);
    if (!late) return;
    chart.add(
        Severity::warning, "channel_delay", 0,
        fmt::format("the loss angle falls in proportion to frequency, by {} up to {:.4g} Hz, for all amplitudes: the "
                    "displacement comes {:.2g} ms behind the force (standard deviation {:.1g} ms)",
                    doctor::show_angle(late->angle), late->frequency_hz, 1e3 * late->seconds, 1e3 * late->deviation),
        "both channels need the same filter and the same clock; correct the loss angle by this delay");
  }

  void achieved_amplitude() {
    std::vector<double> ratios;
    std::size_t worst = 0, off = 0;
    double worst_miss = 0.0;
    for (std::size_t r = 0; r < map_.rows.size(); ++r) {
      if (row(r).nominal_amplitude <= 0.0) continue;
      ratios.push_back(row(r).amplitude / row(r).nominal_amplitude);
      const double miss = std::abs(ratios.back() - 1.0);
      off += miss > options_.amplitude_tolerance ? 1 : 0;
      if (miss > worst_miss) worst = r, worst_miss = miss;
    }
    if (off > 0) {
      const double middle = median(ratios);
      const bool peak_to_peak = std::abs(middle - 0.5) < 0.03 || std::abs(middle - 2.0) < 0.1;
      chart.add(20 * off >= ratios.size() ? Severity::warning : Severity::note, "amplitude_not_achieved",
                row(worst).line,
                fmt::format("{} of {} rows miss the nominal amplitude by more than {:.3g} %, the worst at {:.4g} Hz: "
                            "{} achieved for {}{}",
                            off, ratios.size(), 100.0 * options_.amplitude_tolerance, row(worst).frequency_hz,
                            doctor::show_length(row(worst).amplitude, map_.axis),
                            doctor::show_length(row(worst).nominal_amplitude, map_.axis),
                            peak_to_peak ? "; a factor of 2: peak-to-peak mixed with zero-to-peak?" : ""),
                peak_to_peak ? "name a peak-to-peak column amplitude_pp_mm"
                             : "the achieved amplitude is used; compare curves at achieved amplitudes only");
    }
    if (!ratios.empty()) return;
    const Sweep* drifting = nullptr;
    doctor::Range drift{1.0, 1.0};
    for (const Sweep& sweep : sweeps_) {
      if (sweep.rows.size() < 5) continue;
      std::vector<double> f, a;
      for (const std::size_t r : sweep.rows)
        f.push_back(std::log(row(r).frequency_hz)), a.push_back(std::log(row(r).amplitude));
      const doctor::Range span = doctor::range_of(a);
      if (std::abs(doctor::trend(f, a).correlation) < 0.7 ||
          std::exp(span.width()) < 1.0 + options_.amplitude_drift_tolerance)
        continue;
      if (drifting == nullptr || span.width() > std::log(drift.high / drift.low))
        drifting = &sweep, drift = {std::exp(span.low), std::exp(span.high)};
    }
    if (drifting != nullptr)
      chart.add(Severity::warning, "amplitude_drift", row(drifting->rows.front()).line,
                fmt::format("the amplitude of one sweep changes with frequency from {} to {}",
                            doctor::show_length(drift.low, map_.axis), doctor::show_length(drift.high, map_.axis)),
                "the achieved amplitude of each row is used; check the amplitude control of the rig");
  }

  void duplicates() {
    const auto key = [this](std::size_t r) {
      return std::tuple(row(r).frequency_hz, row(r).amplitude, row(r).preload, row(r).k_dyn, row(r).loss_angle);
    };
    std::vector<std::size_t> order(map_.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<bool> copy(map_.rows.size(), false);
    std::vector<std::size_t> lines;
    for (std::size_t i = 1; i < order.size(); ++i)
      if (key(order[i]) == key(order[i - 1])) copy[order[i]] = true;
    for (std::size_t r = 0; r < copy.size(); ++r)
      if (copy[r]) suspicious[r] = true, lines.push_back(row(r).line);
    if (!lines.empty())
      chart.add(Severity::warning, "duplicate_rows", lines.front(),
                fmt::format("exact copies of earlier rows: {}", doctor::list_lines(lines)),
                "delete the copies; they would count twice in a fit");

    std::size_t repeated = 0, line = 0;
    double k_sum = 0.0, angle_sum = 0.0, drift_sum = 0.0;
    for (const Sweep& sweep : sweeps_)
      for (std::size_t i = 0, j = 1; j < sweep.rows.size(); ++j) {
        const MapRow &a = row(sweep.rows[i]), &b = row(sweep.rows[j]);
        if (copy[sweep.rows[j]]) continue;
        if (b.frequency_hz == a.frequency_hz && std::abs(b.amplitude / a.amplitude - 1.0) < 0.02 &&
            !copy[sweep.rows[i]]) {
          // Two readings: each is off their mean by half the difference, the variance has one degree of freedom.
          k_sum += 0.5 * std::pow(std::log(b.k_dyn / a.k_dyn), 2),
              angle_sum += 0.5 * std::pow(b.loss_angle - a.loss_angle, 2);
          drift_sum += (sweep.rows[j] > sweep.rows[i] ? 1.0 : -1.0) * std::log(b.k_dyn / a.k_dyn);
          if (repeated++ == 0) line = b.line;
        }
        i = j;
      }
    if (repeated == 0) return;
    const double k_scatter = std::sqrt(k_sum / static_cast<double>(repeated)),
                 angle_scatter = std::sqrt(angle_sum / static_cast<double>(repeated));
    chart.add(k_scatter > 0.05 || angle_scatter > 3.0 * degree ? Severity::warning : Severity::note, "repeated_points",
              line,
              fmt::format("{} points were measured more than once; they scatter by {:.2g} % in stiffness and {} in "
                          "loss angle (standard deviation)",
                          repeated, 100.0 * k_scatter, doctor::show_angle(angle_scatter)),
              "take this as the noise of the measurement, or keep one reading of each point");
    // Later readings all to one side: the part warmed up or settled. The mean of n differences has a deviation of
    // sqrt(2 k_sum)/n if there is none.
    const double drift = drift_sum / static_cast<double>(repeated),
                 by_chance = std::sqrt(2.0 * k_sum) / static_cast<double>(repeated);
    constexpr double noticeable = 0.015;
    if (repeated >= 3 && std::abs(drift) > noticeable &&
        std::abs(drift) > 0.7 * std::sqrt(2.0 * k_sum / static_cast<double>(repeated)) &&
        std::abs(drift) > 1.5 * by_chance)
      chart.add(Severity::warning, "warm_up_drift", line,
                fmt::format("points that were measured again are {:.2g} % {} later on, nearly all of them: the part "
                            "warmed up or had not settled",
                            100.0 * std::abs(drift), drift < 0.0 ? "softer" : "stiffer"),
                "condition the part before the test, and leave out the first readings");
  }

  void enough() {
    std::vector<double> logs;
    for (const Sweep& sweep : sweeps_) logs.push_back(std::log(sweep.amplitude));
    std::vector<std::size_t> level;
    const std::size_t amplitudes = doctor::find_levels(logs, 0.06, level).size();
    if (amplitudes < options_.min_amplitudes)
      chart.add(Severity::warning, "too_few_amplitudes", 0,
                fmt::format("{} amplitude, at least {} are needed to see amplitude dependence", amplitudes,
                            options_.min_amplitudes),
                "measure a second amplitude, best ten times smaller or larger");
    const auto& f = neighbours_.frequencies_hz;
    const double span = f.back() / f.front();
    if (f.size() < options_.min_frequencies || span < options_.min_frequency_span)
      chart.add(Severity::warning, "too_few_frequencies", 0,
                fmt::format("{} frequencies from {:.4g} to {:.4g} Hz; at least {} over a factor of {:.3g} are needed "
                            "to see frequency dependence",
                            f.size(), f.front(), f.back(), options_.min_frequencies, options_.min_frequency_span),
                "measure more frequencies, or fix the parameters of the frequency-dependent part");
  }

  const StiffnessMap& map_;
  const DoctorOptions& options_;
  std::vector<Sweep> sweeps_;
  std::vector<double> sweep_slope_;
  double frequency_slope_ = 0.0, amplitude_slope_ = 0.0;
  doctor::Neighbourhood neighbours_;
};

}  // namespace

// No bench delivers more; comparing neighbours needs several times the memory of the rows.
constexpr std::size_t most_rows = 200'000;

std::vector<Finding> examine(const StiffnessMap& map, const DoctorOptions& options) {
  if (map.rows.size() > most_rows) {
    const StiffnessMap part{map.axis, {map.rows.begin(), map.rows.begin() + most_rows}, map.source};
    std::vector<Finding> findings = examine(part, options);
    findings.push_back({Severity::warning, "map_too_long", map.source.path,
                        fmt::format("the map has {} rows; only the first {} were examined", map.rows.size(), most_rows),
                        "thin the map out; a thousand rows tell as much"});
    return findings;
  }
  MapExamination examination(map, options);
  examination.run();
  return examination.chart.take();
}

std::vector<bool> suspicious_rows(const StiffnessMap& map, const DoctorOptions& options) {
  if (map.rows.size() > most_rows) return std::vector<bool>(map.rows.size(), false);
  MapExamination examination(map, options);
  examination.run();
  return examination.suspicious;
}

}  // namespace kdyn::inline doctor
