// SPDX-License-Identifier: Apache-2.0
#include "kdyn/doctor/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "kdyn/doctor/tools.hpp"

namespace kdyn::inline doctor {
namespace {

// Relative. Small enough for fine linear sweeps, wide enough for frequencies printed with five digits.
constexpr double same_frequency = 2e-5;

std::vector<std::size_t> order_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

// When several levels ran together, every frequency occurs equally often: the smallest amplitude of each frequency is
// one level, and so on.
std::vector<std::vector<std::size_t>> split_by_rank(const StiffnessMap& map, const std::vector<std::size_t>& rows) {
  std::vector<std::vector<std::size_t>> at_frequency;  // rows are sorted by frequency
  for (const std::size_t r : rows) {
    if (at_frequency.empty() ||
        map.rows[r].frequency_hz > (1.0 + same_frequency) * map.rows[at_frequency.back().front()].frequency_hz)
      at_frequency.emplace_back();
    at_frequency.back().push_back(r);
  }
  const std::size_t levels = at_frequency.front().size();
  const bool regular = levels > 1 && at_frequency.size() > 1 &&
                       std::all_of(at_frequency.begin(), at_frequency.end(),
                                   [levels](const auto& group) { return group.size() == levels; });
  if (!regular) return {rows};
  std::vector<std::vector<std::size_t>> split(levels);
  for (auto& group : at_frequency) {
    std::stable_sort(group.begin(), group.end(),
                     [&map](std::size_t a, std::size_t b) { return map.rows[a].amplitude < map.rows[b].amplitude; });
    for (std::size_t i = 0; i < levels; ++i) split[i].push_back(group[i]);
  }
  // Repetitions of one level differ by noise only; levels differ everywhere.
  for (std::size_t i = 0; i + 1 < levels; ++i)
    for (std::size_t j = 0; j < at_frequency.size(); ++j)
      if (map.rows[split[i + 1][j]].amplitude < 1.02 * map.rows[split[i][j]].amplitude) return {rows};
  return split;
}

Sweep make_sweep(const StiffnessMap& map, std::vector<std::size_t> rows) {
  Sweep sweep;
  std::vector<double> amplitudes, preloads;
  for (const std::size_t r : rows) amplitudes.push_back(map.rows[r].amplitude), preloads.push_back(map.rows[r].preload);
  sweep.amplitude = median(std::move(amplitudes));
  sweep.preload = median(std::move(preloads));
  sweep.rows = std::move(rows);
  return sweep;
}

// One quantity along a sweep, over the logarithm of frequency.
struct Expectation {
  double value = 0.0;
  double gain = 1.0;   // standard deviation of (measured - expected) for unit noise
  double doubt = 0.0;  // how much two ways to interpolate differ: curvature that the grid does not resolve
  bool known = false;
};

struct Point {
  double x, y;
};

double interpolate(const std::vector<Point>& points, double x, double& noise) {
  double value = 0.0;
  noise = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double weight = 1.0;
    for (std::size_t j = 0; j < points.size(); ++j)
      if (j != i) weight *= (x - points[j].x) / (points[i].x - points[j].x);
    value += weight * points[i].y;
    noise += weight * weight;
  }
  return value;
}

// Least-squares line through the first `count` points.
double extrapolate(const std::vector<Point>& points, std::size_t count, double x, double& noise) {
  const auto n = static_cast<double>(count);
  double middle = 0.0, width = 0.0, value = 0.0;
  for (std::size_t i = 0; i < count; ++i) middle += points[i].x / n;
  for (std::size_t i = 0; i < count; ++i) width += (points[i].x - middle) * (points[i].x - middle);
  noise = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = 1.0 / n + (x - middle) * (points[i].x - middle) / width;
    value += weight * points[i].y;
    noise += weight * weight;
  }
  return value;
}

class Line {
 public:
  std::vector<double> x;
  std::vector<bool> kept;

  // From up to two kept neighbours with other x on each side; beyond the ends from a line through the nearest four.
  Expectation expect(const std::vector<double>& y, std::size_t i) const {
    const std::vector<Point> left = neighbours(y, i, false), right = neighbours(y, i, true);
    Expectation expectation;
    if (left.size() + right.size() < 3) return expectation;
    double noise = 0.0, unused = 0.0, other = 0.0;
    if (left.empty() || right.empty()) {
      const std::vector<Point>& side = left.empty() ? right : left;
      expectation.value = extrapolate(side, side.size(), x[i], noise);
      other = extrapolate(side, side.size() - 1, x[i], unused);
    } else {
      std::vector<Point> around(left.begin(), left.begin() + std::min<std::ptrdiff_t>(2, std::ssize(left)));
      around.insert(around.end(), right.begin(), right.begin() + std::min<std::ptrdiff_t>(2, std::ssize(right)));
      expectation.value = interpolate(around, x[i], noise);
      other = interpolate({left[0], right[0]}, x[i], unused);
    }
    expectation.doubt = std::abs(expectation.value - other);
    expectation.gain = std::sqrt(1.0 + noise);
    expectation.known = true;
    return expectation;
  }

 private:
  // Up to four kept points on one side, each of another x, nearest first. x rises; runs of equal x are jumped over, for
  // they may be long.
  std::vector<Point> neighbours(const std::vector<double>& y, std::size_t i, bool upwards) const {
    constexpr double same = 1e-3;
    std::vector<Point> side;
    for (double from = x[i]; side.size() < 4;) {
      std::ptrdiff_t j = upwards ? std::lower_bound(x.begin(), x.end(), from + same) - x.begin()
                                 : std::upper_bound(x.begin(), x.end(), from - same) - x.begin() - 1;
      while (j >= 0 && j < std::ssize(x) && !kept[static_cast<std::size_t>(j)]) j += upwards ? 1 : -1;
      if (j < 0 || j >= std::ssize(x)) break;
      const auto at = static_cast<std::size_t>(j);
      side.push_back({x[at], y[at]});
      from = x[at];
    }
    return side;
  }
};

// The part of the deviations that all sweeps share: their median, or for two sweeps the smaller one when the signs
// agree.
double shared(const std::vector<double>& deviations) {
  if (deviations.size() >= 3) return median(deviations);
  if (deviations.size() < 2 || deviations[0] * deviations[1] <= 0.0) return 0.0;
  return std::abs(deviations[0]) < std::abs(deviations[1]) ? deviations[0] : deviations[1];
}

class NeighbourExamination {
 public:
  NeighbourExamination(const StiffnessMap& map, const std::vector<Sweep>& sweeps, const DoctorOptions& options)
      : map_(map),
        sweeps_(sweeps),
        options_(options) {
    const std::size_t n = map.rows.size();
    result.blemish.assign(n, Blemish::none);
    frequency_of_ = number_frequencies(map, result.frequencies_hz);
    result.common.resize(result.frequencies_hz.size());
    log_k_.resize(n), angle_.resize(n), sweep_of_.assign(n, 0);
    for (std::size_t r = 0; r < n; ++r)
      result.expected_log_k.push_back(std::log(map.rows[r].k_dyn)),
          result.expected_angle.push_back(map.rows[r].loss_angle);
  }

  Neighbourhood result;

  void run() {
    lines_.resize(sweeps_.size());
    for (std::size_t s = 0; s < sweeps_.size(); ++s) prepare(s);
    for (std::size_t s = 0; s < sweeps_.size(); ++s) update(s);
    find_common();
    std::vector<double> deviations_k, deviations_angle;
    for (std::size_t r = 0; r < map_.rows.size(); ++r) {
      if (!log_k_[r].known) continue;
      const Neighbourhood::Common& common = result.common[frequency_of_[r]];
      // The row that is the median of its frequency deviates from it by nothing: with three sweeps that is every third.
      if (const double k = raw_k(r) - common.log_k; k != 0.0) deviations_k.push_back(k / log_k_[r].gain);
      if (const double angle = raw_angle(r) - common.angle; angle != 0.0)
        deviations_angle.push_back(angle / angle_[r].gain);
    }
    if (deviations_k.size() < 8) return;  // too few for a spread that means something
    // Floors: a model without noise still bends between its grid points.
    result.sigma_log_k = std::max(spread(deviations_k), 0.002);
    result.sigma_angle = std::max(spread(deviations_angle), 0.0017);
    // The spread of few rows is itself uncertain.
    threshold_ = options_.outlier_sigma * (1.0 + 5.0 / static_cast<double>(deviations_k.size()));
    find_outliers();
  }

 private:
  void prepare(std::size_t s) {
    Line& line = lines_[s];
    const auto& rows = sweeps_[s].rows;
    line.kept.assign(rows.size(), rows.size() >= 5);
    for (const std::size_t r : rows) {
      line.x.push_back(std::log(map_.rows[r].frequency_hz));
      sweep_of_[r] = s;
    }
  }

  void update(std::size_t s) {
    const auto& rows = sweeps_[s].rows;
    if (rows.size() < 5) return;
    std::vector<double> k, angle;
    for (const std::size_t r : rows)
      k.push_back(std::log(map_.rows[r].k_dyn)), angle.push_back(map_.rows[r].loss_angle);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      log_k_[rows[i]] = lines_[s].expect(k, i);
      angle_[rows[i]] = lines_[s].expect(angle, i);
      if (log_k_[rows[i]].known) {
        result.expected_log_k[rows[i]] = log_k_[rows[i]].value;
        result.expected_angle[rows[i]] = angle_[rows[i]].value;
      }
    }
  }

  double raw_k(std::size_t r) const { return std::log(map_.rows[r].k_dyn) - log_k_[r].value; }
  double raw_angle(std::size_t r) const { return map_.rows[r].loss_angle - angle_[r].value; }
  double deviation_k(std::size_t r) const { return own(raw_k(r), result.common[frequency_of_[r]].log_k); }
  double deviation_angle(std::size_t r) const { return own(raw_angle(r), result.common[frequency_of_[r]].angle); }

  // An outlier stands out against its neighbours and against what the other sweeps do there: the smaller of the two
  // counts.
  static double own(double raw, double common) {
    const double rest = raw - common;
    if (raw * rest <= 0.0) return 0.0;
    return std::abs(raw) < std::abs(rest) ? raw : rest;
  }

  void find_common() {
    std::vector<std::vector<std::size_t>> rows_at(result.frequencies_hz.size());
    for (std::size_t r = 0; r < map_.rows.size(); ++r)
      if (log_k_[r].known) rows_at[frequency_of_[r]].push_back(r);
    for (std::size_t f = 0; f < rows_at.size(); ++f) {
      std::vector<double> k, angle, sweeps;
      for (const std::size_t r : rows_at[f])
        k.push_back(raw_k(r)), angle.push_back(raw_angle(r)), sweeps.push_back(static_cast<double>(sweep_of_[r]));
      std::sort(sweeps.begin(), sweeps.end());
      const auto distinct = static_cast<std::size_t>(std::unique(sweeps.begin(), sweeps.end()) - sweeps.begin());
      if (distinct >= 2) result.common[f] = {shared(k), shared(angle), distinct};
    }
  }

  // How far a deviation is beyond what is tolerated, as a ratio.
  double excess(double deviation, const Expectation& expectation, double sigma, double common, double least) const {
    const double tolerated = threshold_ * sigma * expectation.gain + expectation.doubt + 0.5 * std::abs(common);
    return std::abs(deviation) / std::max(tolerated, least);
  }

  double excess_of(std::size_t r) const {
    if (!log_k_[r].known || result.blemish[r] != Blemish::none) return 0.0;
    const auto& common = result.common[frequency_of_[r]];
    return std::max(excess(deviation_k(r), log_k_[r], result.sigma_log_k, common.log_k, options_.outlier_k_rel),
                    excess(deviation_angle(r), angle_[r], result.sigma_angle, common.angle, options_.outlier_angle));
  }

  // An outlier spoils what is expected of its neighbours: take the worst one out, look again. Taking rows out of a
  // steep flank makes the rest of it look odd in turn, so only rows that were odd from the start are candidates.
  void find_outliers() {
    std::vector<std::size_t> candidates;
    for (std::size_t r = 0; r < map_.rows.size(); ++r)
      if (excess_of(r) > 0.8) candidates.push_back(r);
    const std::size_t most = std::min<std::size_t>(map_.rows.size() / 5 + 1, 200);
    for (std::size_t count = 0; count < most; ++count) {
      std::size_t worst = 0;
      double worst_excess = 1.0;
      for (const std::size_t r : candidates)
        if (const double e = excess_of(r); e > worst_excess) worst = r, worst_excess = e;
      if (worst_excess <= 1.0) return;
      result.blemish[worst] = classify(worst);
      const std::size_t s = sweep_of_[worst];
      const auto& rows = sweeps_[s].rows;
      lines_[s].kept[static_cast<std::size_t>(std::find(rows.begin(), rows.end(), worst) - rows.begin())] = false;
      update(s);
    }
  }

  Blemish classify(std::size_t r) const {
    const double measured = map_.rows[r].loss_angle, expected = angle_[r].value + result.common[frequency_of_[r]].angle;
    const double miss = std::abs(measured - expected);
    if (excess(deviation_k(r), log_k_[r], result.sigma_log_k, result.common[frequency_of_[r]].log_k,
               options_.outlier_k_rel) > 1.0)
      return Blemish::outlier;
    const double good = std::max(0.1 * miss, 3.0 * result.sigma_angle * angle_[r].gain);
    constexpr double right_angle = 0.5 * std::numbers::pi;
    if (miss > 2.0 * good && std::abs(right_angle - measured - expected) < good) return Blemish::complement;
    if (measured * expected < 0.0 && std::abs(-measured - expected) < good) return Blemish::sign;
    return Blemish::outlier;
  }

  const StiffnessMap& map_;
  const std::vector<Sweep>& sweeps_;
  const DoctorOptions& options_;
  std::vector<Line> lines_;
  std::vector<Expectation> log_k_, angle_;
  std::vector<std::size_t> frequency_of_, sweep_of_;
  double threshold_ = 0.0;
};

}  // namespace

std::vector<double> find_levels(const std::vector<double>& values, double gap, std::vector<std::size_t>& level) {
  level.assign(values.size(), 0);
  std::vector<double> levels, group;
  double last = 0.0;
  for (const std::size_t i : order_of(values)) {
    if (!group.empty() && values[i] - last > gap) levels.push_back(median(std::exchange(group, {})));
    group.push_back(values[i]);
    last = values[i];
    level[i] = levels.size();
  }
  if (!group.empty()) levels.push_back(median(std::move(group)));
  return levels;
}

std::vector<std::size_t> number_frequencies(const StiffnessMap& map, std::vector<double>& frequencies_hz) {
  std::vector<double> logs;
  for (const MapRow& row : map.rows) logs.push_back(std::log(row.frequency_hz));
  std::vector<std::size_t> number;
  frequencies_hz = find_levels(logs, same_frequency, number);
  for (double& f : frequencies_hz) f = std::exp(f);
  return number;
}

std::vector<Sweep> find_sweeps(const StiffnessMap& map) {
  std::vector<double> preloads;
  double largest = 0.0;
  for (const MapRow& row : map.rows)
    preloads.push_back(row.preload), largest = std::max(largest, std::abs(row.preload));
  std::vector<std::size_t> preload_level;
  const std::size_t preload_count = find_levels(preloads, 0.05 * largest, preload_level).size();

  const bool nominal = !map.rows.empty() && std::all_of(map.rows.begin(), map.rows.end(),
                                                        [](const MapRow& row) { return row.nominal_amplitude > 0.0; });
  std::vector<Sweep> sweeps;
  for (std::size_t p = 0; p < preload_count; ++p) {
    std::vector<std::size_t> rows;
    std::vector<double> logs;
    for (std::size_t r = 0; r < map.rows.size(); ++r)
      if (preload_level[r] == p)
        rows.push_back(r), logs.push_back(std::log(nominal ? map.rows[r].nominal_amplitude : map.rows[r].amplitude));
    std::vector<std::size_t> level;
    const std::size_t level_count = find_levels(logs, nominal ? 1e-3 : 0.06, level).size();
    std::vector<std::vector<std::size_t>> groups(level_count);
    for (std::size_t i = 0; i < rows.size(); ++i) groups[level[i]].push_back(rows[i]);
    for (auto& group : groups) {
      std::stable_sort(group.begin(), group.end(), [&map](std::size_t a, std::size_t b) {
        return map.rows[a].frequency_hz < map.rows[b].frequency_hz;
      });
      for (auto& part : split_by_rank(map, group)) sweeps.push_back(make_sweep(map, std::move(part)));
    }
  }
  return sweeps;
}

Neighbourhood examine_neighbours(const StiffnessMap& map, const std::vector<Sweep>& sweeps,
                                 const DoctorOptions& options) {
  NeighbourExamination examination(map, sweeps, options);
  examination.run();
  return std::move(examination.result);
}

}  // namespace kdyn::inline doctor
