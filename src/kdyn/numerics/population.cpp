// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/population.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline numerics {
namespace {

// Straight line between the order statistics.
double quantile(const std::vector<double>& sorted, double probability) {
  const double at = probability * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

void moments(const Eigen::MatrixXd& samples, const std::vector<Eigen::Index>& members, Eigen::VectorXd& mean,
             Eigen::MatrixXd& covariance) {
  mean = Eigen::VectorXd::Zero(samples.cols());
  for (const Eigen::Index i : members) mean += samples.row(i).transpose() / static_cast<double>(members.size());
  covariance = Eigen::MatrixXd::Zero(samples.cols(), samples.cols());
  for (const Eigen::Index i : members) {
    const Eigen::VectorXd d = samples.row(i).transpose() - mean;
    covariance += d * d.transpose() / static_cast<double>(members.size() - 1);
  }
}

bool distances(const Eigen::MatrixXd& samples, const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance,
               Eigen::VectorXd& squared) {
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  if (factor.info() != Eigen::Success) return false;
  squared.resize(samples.rows());
  for (Eigen::Index i = 0; i < samples.rows(); ++i) {
    const Eigen::VectorXd d = samples.row(i).transpose() - mean;
    squared[i] = d.dot(factor.solve(d));
  }
  return squared.allFinite();
}

std::vector<Eigen::Index> closest(const Eigen::VectorXd& squared, Eigen::Index count) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(squared.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return squared[a] < squared[b]; });
  order.resize(static_cast<std::size_t>(count));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

SampleStatistics describe_sample(const std::vector<double>& values, const std::vector<double>& places) {
  SampleStatistics s;
  s.count = values.size();
  const auto n = static_cast<double>(values.size());
  s.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0.0, along = 0.0, order = 0.0, middle = 0.5 * (n - 1.0), reach = n - 1.0;
  if (!places.empty()) {
    const auto [first, last] = std::minmax_element(places.begin(), places.end());
    middle = std::accumulate(places.begin(), places.end(), 0.0) / n, reach = *last - *first;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double d = values[i] - s.mean, t = (places.empty() ? static_cast<double>(i) : places[i]) - middle;
    square += d * d, along += t * d, order += t * t;
  }
  s.std = std::sqrt(square / (n - 1.0));
  if (order > 0.0) {
    const double slope = along / order, rest = std::max(0.0, square - slope * along);
    s.trend = slope * reach;
    s.trend_std = values.size() > 2 ? std::sqrt(rest / (n - 2.0) / order) * reach : 0.0;
  }
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  s.minimum = sorted.front(), s.maximum = sorted.back();
  s.median = quantile(sorted, 0.5), s.lower_5 = quantile(sorted, 0.05), s.upper_95 = quantile(sorted, 0.95);
  // Width by Freedman and Diaconis, between 5 and 40 bins.
  const double width = 2.0 * (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / std::cbrt(n),
               range = s.maximum - s.minimum;
  const int bins = range > 0.0 && width > 0.0 ? static_cast<int>(std::clamp(std::ceil(range / width), 5.0, 40.0)) : 1;
  const double low = range > 0.0 ? s.minimum : s.minimum - 0.5 * std::abs(s.minimum),
               span = range > 0.0 ? range : std::max(std::abs(s.minimum), 1e-300);
  for (int i = 0; i <= bins; ++i) s.edges.push_back(low + span * i / bins);
  s.counts.assign(static_cast<std::size_t>(bins), 0);
  for (const double v : values)
    ++s.counts[static_cast<std::size_t>(std::clamp(static_cast<int>((v - low) / span * bins), 0, bins - 1))];
  return s;
}

double difference_of_groups(const std::vector<std::vector<double>>& groups) {
  double n = 0.0, count = 0.0, total = 0.0;
  for (const auto& group : groups) {
    if (group.empty()) continue;
    count += 1.0, n += static_cast<double>(group.size());
    total += std::accumulate(group.begin(), group.end(), 0.0);
  }
  if (count < 2.0 || n <= count) return 0.0;
  double between = 0.0, within = 0.0;
  for (const auto& group : groups) {
    if (group.empty()) continue;
    const auto size = static_cast<double>(group.size());
    const double mean = std::accumulate(group.begin(), group.end(), 0.0) / size;
    between += size * (mean - total / n) * (mean - total / n);
    for (const double v : group) within += (v - mean) * (v - mean);
  }
  if (!(within > 0.0)) return between > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
  const double d1 = count - 1.0, d2 = n - count, F = (between / d1) / (within / d2), root = std::cbrt(F);
  const double a = 2.0 / (9.0 * d1), b = 2.0 / (9.0 * d2);
  return ((1.0 - b) * root - (1.0 - a)) / std::sqrt(a + b * root * root);
}

Capability capability_of(const std::vector<double>& values, double lower, double upper) {
  const SampleStatistics s = describe_sample(values);
  Capability c{lower, upper, (upper - lower) / (6.0 * s.std), std::min(upper - s.mean, s.mean - lower) / (3.0 * s.std),
               0};
  for (const double v : values) c.outside += v < lower || v > upper;
  return c;
}

double chi_square_quantile(double probability, double dof) {
  const double z = student_t_quantile(probability, std::numeric_limits<double>::infinity()), part = 2.0 / (9.0 * dof);
  return dof * std::pow(1.0 - part + z * std::sqrt(part), 3);
}

GroupDistance group_distance(const Eigen::MatrixXd& given) {
  const Eigen::Index n = given.rows(), p = given.cols();
  if (p == 0 || n < 3 * p || n < 5) return {};
  // Start: distance from the medians in units of robust standard deviations.
  Eigen::VectorXd centre(p), scale(p);
  for (Eigen::Index j = 0; j < p; ++j) {
    std::vector<double> column(given.col(j).begin(), given.col(j).end());
    centre[j] = median(column);
    for (double& x : column) x -= centre[j];
    scale[j] = robust_scale(column);
    if (!(scale[j] > 0.0)) return {};
  }
  const Eigen::MatrixXd samples = (given.rowwise() - centre.transpose()) * scale.cwiseInverse().asDiagonal();
  Eigen::VectorXd squared = samples.rowwise().squaredNorm();
  const Eigen::Index core = std::max<Eigen::Index>((3 * n) / 4, (n + p + 1) / 2);
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
  std::vector<Eigen::Index> members = closest(squared, core);
  for (int pass = 0; pass < 50; ++pass) {
    moments(samples, members, mean, covariance);
    if (!distances(samples, mean, covariance, squared)) return {};
    std::vector<Eigen::Index> next = closest(squared, core);
    if (next == members) break;
    members = std::move(next);
  }
  const auto dof = static_cast<double>(p);
  const double factor = median(std::vector<double>(squared.begin(), squared.end())) / chi_square_quantile(0.5, dof);
  if (!(factor > 0.0)) return {};
  GroupDistance out;
  out.squared = squared / factor;
  out.limit = chi_square_quantile(0.999, dof);
  out.mean = centre + scale.cwiseProduct(mean);
  out.covariance = scale.asDiagonal() * (factor * covariance) * scale.asDiagonal();
  return out;
}

}  // namespace kdyn::inline numerics
