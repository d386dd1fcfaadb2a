// SPDX-License-Identifier: Apache-2.0
#include "kdyn/study/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::study {
namespace {

std::vector<double> known_of(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double v : values)
    if (std::isfinite(v)) out.push_back(v);
  return out;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double std_of(const std::vector<double>& values, double mean) {
  double sum = 0.0;
  for (const double v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

// Between the two nearest of the sorted values.
double sample_quantile(const std::vector<double>& sorted, double probability) {
  const double at = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

double half_width(double std, std::size_t count) {
  return student_t_quantile(0.975, static_cast<double>(count - 1)) * std / std::sqrt(static_cast<double>(count));
}

// Ranks from 1, equal values share the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) out[order[k]] = 0.5 * static_cast<double>(i + end - 1) + 1.0;
    i = end;
  }
  return out;
}

double correlation_of(const std::vector<double>& x, const std::vector<double>& y) {
  const double mx = mean_of(x), my = mean_of(y);
  double xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xx > 0.0 && yy > 0.0 ? std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0) : not_known;
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  std::vector<double> known = known_of(values);
  Spread out;
  out.count = known.size();
  if (known.empty()) return out;
  out.mean = mean_of(known);
  if (known.size() > 1) {
    out.std = std_of(known, out.mean);
    const double half = half_width(out.std, known.size());
    out.mean_lower_95 = out.mean - half, out.mean_upper_95 = out.mean + half;
  }
  std::sort(known.begin(), known.end());
  out.minimum = known.front(), out.maximum = known.back();
  out.lower_5 = sample_quantile(known, 0.05), out.lower_25 = sample_quantile(known, 0.25);
  out.median = sample_quantile(known, 0.5);
  out.upper_75 = sample_quantile(known, 0.75), out.upper_95 = sample_quantile(known, 0.95);
  return out;
}

EffectFit::EffectFit(Points parameters) : parameters_(std::move(parameters)) {}

void EffectFit::prepare(const std::vector<char>& used) const {
  if (used == used_) return;
  used_ = used;
  count_ = static_cast<std::size_t>(std::count(used.begin(), used.end(), char{1}));
  const std::size_t columns = parameters_.columns;
  mean_.assign(columns, 0.0), std_.assign(columns, 0.0), ranks_.assign(columns, {});
  Eigen::MatrixXd X = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(count_), static_cast<Eigen::Index>(columns));
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<double> column;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i]) column.push_back(parameters_.at(i, j));
    if (column.size() < 2) continue;
    mean_[j] = mean_of(column), std_[j] = std_of(column, mean_[j]);
    // A column of one value differs from its mean by rounding only.
    if (!(std_[j] > 1e-12 * std::abs(mean_[j]))) std_[j] = 0.0;
    if (std_[j] == 0.0) continue;
    for (std::size_t i = 0; i < column.size(); ++i)
      X(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = (column[i] - mean_[j]) / std_[j];
    ranks_[j] = ranks_of(column);
  }
  covariance_.resize(0, 0);
  if (columns == 0 || count_ < columns + 2) return;
  const Covariance c = covariance_of(X);
  covariance_ = c.covariance, deviation_ = c.standard_deviation;
}

EffectsOfResponse EffectFit::of(const std::vector<double>& response) const {
  demand(response.size() == parameters_.rows, "a response for every run");
  std::vector<char> used(response.size());
  std::vector<double> y;
  for (std::size_t i = 0; i < response.size(); ++i) {
    used[i] = std::isfinite(response[i]);
    if (used[i]) y.push_back(response[i]);
  }
  prepare(used);
  EffectsOfResponse out;
  out.count = y.size();
  const std::size_t columns = parameters_.columns;
  out.effects.resize(columns);
  if (y.size() < 4) return out;
  const double mean = mean_of(y), std = std_of(y, mean);
  const std::vector<double> ranks = ranks_of(y);
  for (std::size_t j = 0; j < columns; ++j) {
    if (std_[j] == 0.0) continue;
    Effect& e = out.effects[j];
    e.rank_correlation = correlation_of(ranks_[j], ranks);
    if (!std::isfinite(e.rank_correlation)) continue;
    const double r = std::clamp(e.rank_correlation, -1.0 + 1e-12, 1.0 - 1e-12),
                 half = 1.96 * std::sqrt((1.0 + 0.5 * r * r) / (static_cast<double>(y.size()) - 3.0));
    e.rank_lower_95 = std::tanh(std::atanh(r) - half), e.rank_upper_95 = std::tanh(std::atanh(r) + half);
  }
  if (covariance_.size() == 0) return out;
  const auto p = static_cast<Eigen::Index>(columns);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(p);
  const auto each_run = [&](const auto& take) {
    std::size_t k = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      take(i, y[k++] - mean);
    }
  };
  const auto scaled_value = [&](std::size_t i, std::size_t j) {
    return std_[j] > 0.0 ? (parameters_.at(i, j) - mean_[j]) / std_[j] : 0.0;
  };
  each_run([&](std::size_t i, double difference) {
    for (std::size_t j = 0; j < columns; ++j) right[static_cast<Eigen::Index>(j)] += scaled_value(i, j) * difference;
  });
  const Eigen::VectorXd b = covariance_ * right;
  double rest = 0.0;
  each_run([&](std::size_t i, double difference) {
    for (std::size_t j = 0; j < columns; ++j) difference -= b[static_cast<Eigen::Index>(j)] * scaled_value(i, j);
    rest += difference * difference;
  });
  const double variance = std * std, freedom = static_cast<double>(y.size() - columns - 1);
  out.r_squared =
      variance > 0.0 ? std::clamp(1.0 - rest / (variance * static_cast<double>(y.size() - 1)), 0.0, 1.0) : not_known;
  const double sigma = std::sqrt(rest / freedom), t = student_t_quantile(0.975, freedom);
  for (std::size_t j = 0; j < columns; ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    Effect& e = out.effects[j];
    e.determined = std_[j] > 0.0 && std::isfinite(deviation_[at]);
    if (!e.determined) continue;
    e.per_std = b[at];
    e.slope = b[at] / std_[j];
    const double half = t * sigma * deviation_[at];
    e.lower_95 = b[at] - half, e.upper_95 = b[at] + half;
    e.share = variance > 0.0 ? b[at] * b[at] / variance : not_known;
  }
  return out;
}

std::size_t whole_base_points(const std::vector<double>& response, std::size_t columns) {
  std::size_t count = 0;
  const std::size_t width = columns + 2;
  for (std::size_t i = 0; i + width <= response.size(); i += width)
    count += std::all_of(response.begin() + static_cast<std::ptrdiff_t>(i),
                         response.begin() + static_cast<std::ptrdiff_t>(i + width),
                         [](double v) { return std::isfinite(v); });
  return count;
}

std::vector<SensitivityIndex> sensitivity_indices(const std::vector<double>& response, std::size_t columns,
                                                  std::uint64_t seed, int draws) {
  const std::size_t width = columns + 2;
  // Whole base points, one behind the other, counted from the mean.
  std::vector<double> f;
  for (std::size_t i = 0; i + width <= response.size(); i += width) {
    const auto from = response.begin() + static_cast<std::ptrdiff_t>(i), to = from + static_cast<std::ptrdiff_t>(width);
    if (std::all_of(from, to, [](double v) { return std::isfinite(v); })) f.insert(f.end(), from, to);
  }
  const std::size_t count = f.size() / width;
  std::vector<SensitivityIndex> out(columns);
  if (count < 8) return out;
  double mean = 0.0;
  for (std::size_t i = 0; i < count; ++i) mean += 0.5 * (f[i * width] + f[i * width + 1]) / static_cast<double>(count);
  double largest = 0.0;
  for (double& value : f) largest = std::max(largest, std::abs(value)), value -= mean;
  // Indices of base points drawn; sums of all parameters at once.
  struct Sums {
    double square = 0.0, plain = 0.0;
    std::vector<double> first, total;
  };
  const auto indices = [&](const auto& pick, std::vector<double>& first, std::vector<double>& total) {
    Sums s;
    s.first.assign(columns, 0.0), s.total.assign(columns, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      const double* row = &f[pick(i) * width];
      s.square += row[0] * row[0] + row[1] * row[1];
      s.plain += row[0] + row[1];
      for (std::size_t j = 0; j < columns; ++j) {
        const double moved = row[j + 2] - row[0];
        s.first[j] += row[1] * moved;
        s.total[j] += 0.5 * moved * moved;
      }
    }
    const double n = static_cast<double>(count), average = s.plain / (2.0 * n),
                 variance = s.square / (2.0 * n) - average * average;
    for (std::size_t j = 0; j < columns; ++j)
      first[j] = s.first[j] / n / variance, total[j] = s.total[j] / n / variance;
    return variance;
  };
  std::vector<double> first(columns), total(columns);
  const double variance = indices([](std::size_t i) { return i; }, first, total);
  if (!(variance > 1e-24 * largest * largest)) return out;  // it does not vary
  std::vector<std::vector<double>> firsts(columns), totals(columns);
  std::vector<double> one(columns), other(columns);
  for (int d = 0; d < draws; ++d) {
    RandomStream random(seed, static_cast<std::uint64_t>(d));
    indices([&](std::size_t) { return random.below(count); }, one, other);
    for (std::size_t j = 0; j < columns; ++j) firsts[j].push_back(one[j]), totals[j].push_back(other[j]);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    SensitivityIndex& s = out[j];
    s.first = first[j], s.total = total[j];
    if (draws < 40) continue;
    std::sort(firsts[j].begin(), firsts[j].end()), std::sort(totals[j].begin(), totals[j].end());
    s.first_lower_95 = sample_quantile(firsts[j], 0.025), s.first_upper_95 = sample_quantile(firsts[j], 0.975);
    s.total_lower_95 = sample_quantile(totals[j], 0.025), s.total_upper_95 = sample_quantile(totals[j], 0.975);
  }
  return out;
}

PairedDifference paired_difference(const std::vector<double>& first, const std::vector<double>& second) {
  demand(first.size() == second.size(), "pairs of runs");
  std::vector<double> differences;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (std::isfinite(first[i]) && std::isfinite(second[i])) differences.push_back(second[i] - first[i]);
  PairedDifference out;
  out.pairs = differences.size();
  if (differences.empty()) return out;
  out.mean = mean_of(differences);
  if (differences.size() < 2) return out;
  out.std = std_of(differences, out.mean);
  const double half = half_width(out.std, differences.size());
  out.lower_95 = out.mean - half, out.upper_95 = out.mean + half;
  return out;
}

}  // namespace kdyn::study
