// SPDX-License-Identifier: Apache-2.0
#include "kdyn/study/design.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/study/internal/sobol_numbers.hpp"

namespace kdyn::study {
namespace {

static_assert(most_sobol_columns == std::size(sobol_polynomials) + 1);

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }
double normal_quantile(double p) { return student_t_quantile(p, std::numeric_limits<double>::infinity()); }

// Mean and standard deviation of the logarithm.
std::pair<double, double> of_logarithm(const Distribution& d) {
  const double variance = std::log1p((d.std / d.mean) * (d.std / d.mean));
  return {std::log(d.mean) - 0.5 * variance, std::sqrt(variance)};
}

// Probability below x, of a normal or lognormal one that is not cut.
double below(const Distribution& d, double x) {
  if (d.kind == DistributionKind::normal) return normal_probability((x - d.mean) / d.std);
  if (x <= 0.0) return 0.0;
  const auto [mean, std] = of_logarithm(d);
  return normal_probability((std::log(x) - mean) / std);
}

bool unbounded(DistributionKind kind) {
  return kind == DistributionKind::normal || kind == DistributionKind::lognormal;
}

constexpr double smallest = 0x1p-33;  // half of what 32 digits tell apart

using Directions = std::array<std::uint32_t, 32>;

Directions directions_of(std::size_t column) {
  Directions v{};
  if (column == 0) {
    for (unsigned k = 0; k < 32; ++k) v[k] = std::uint32_t{1} << (31 - k);
    return v;
  }
  const SobolPolynomial& p = sobol_polynomials[column - 1];
  for (unsigned k = 0; k < 32; ++k) {
    if (k < p.degree) {
      v[k] = std::uint32_t{p.m[k]} << (31 - k);
      continue;
    }
    v[k] = v[k - p.degree] ^ (v[k - p.degree] >> p.degree);
    for (unsigned i = 1; i < p.degree; ++i)
      if ((p.inner >> (p.degree - 1 - i)) & 1U) v[k] ^= v[k - i];
  }
  return v;
}

}  // namespace

void check(const Distribution& d, const std::string& where) {
  const auto fail = [&](const char* message, const char* remedy) { throw_bad_input(where, message, remedy); };
  if (unbounded(d.kind)) {
    if (!std::isfinite(d.mean) || !std::isfinite(d.std) || !(d.std > 0.0))
      fail("a normal or lognormal distribution needs a mean and a standard deviation above 0", "give mean and std");
    if (d.kind == DistributionKind::lognormal && !(d.mean > 0.0))
      fail("the mean of a lognormal distribution is above 0",
           "give the mean of the quantity itself, not of its logarithm");
    if (!(d.lower < d.upper)) fail("lower is not below upper", "exchange them, or leave them out");
    if (!(below(d, d.upper) - below(d, d.lower) > 1e-9))
      fail("nothing of the distribution lies between lower and upper", "widen the limits, or give another mean or std");
    return;
  }
  if (!std::isfinite(d.lower) || !std::isfinite(d.upper) || !(d.lower < d.upper))
    fail("lower and upper are needed, lower below upper", "give both");
  if (d.kind == DistributionKind::triangular && !(d.mode >= d.lower && d.mode <= d.upper))
    fail("the mode of a triangular distribution lies between lower and upper", "give mode, the most likely value");
}

double quantile(const Distribution& d, double u) {
  u = std::clamp(u, smallest, 1.0 - smallest);
  if (d.kind == DistributionKind::uniform) return d.lower + u * (d.upper - d.lower);
  if (d.kind == DistributionKind::triangular) {
    const double width = d.upper - d.lower, left = d.mode - d.lower, right = d.upper - d.mode;
    return u * width < left ? d.lower + std::sqrt(u * width * left) : d.upper - std::sqrt((1.0 - u) * width * right);
  }
  const double from = std::isfinite(d.lower) ? below(d, d.lower) : 0.0,
               to = std::isfinite(d.upper) ? below(d, d.upper) : 1.0;
  const double z = normal_quantile(std::clamp(from + u * (to - from), 1e-15, 1.0 - 1e-15));
  double x;
  if (d.kind == DistributionKind::normal) {
    x = d.mean + d.std * z;
  } else {
    const auto [mean, std] = of_logarithm(d);
    x = std::exp(mean + std * z);
  }
  return std::clamp(x, d.lower, d.upper);
}

Points unit_points(Sampling sampling, std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Points out{rows, columns, std::vector<double>(rows * columns)};
  if (sampling == Sampling::sobol && columns > most_sobol_columns)
    throw_bad_input(
        "design",
        fmt::format("a Sobol sequence has at most {} parameters here, {} are asked for", most_sobol_columns, columns),
        "use latin_hypercube");
  for (std::size_t j = 0; j < columns; ++j) {
    RandomStream random(seed, j);
    if (sampling == Sampling::sobol) {
      const Directions v = directions_of(j);
      auto x = static_cast<std::uint32_t>(random.next() >> 32);  // the digital shift
      for (std::size_t i = 0; i < rows; ++i) {
        out.at(i, j) = (static_cast<double>(x) + 0.5) * 0x1p-32;
        // Gray code: the next point differs by the direction of the lowest zero digit.
        unsigned digit = 0;
        for (std::size_t n = i; (n & 1U) != 0; n >>= 1) ++digit;
        demand(digit < 32, "a design has fewer than 2^32 runs");
        x ^= v[digit];
      }
    } else if (sampling == Sampling::latin_hypercube) {
      std::vector<std::size_t> order(rows);
      std::iota(order.begin(), order.end(), std::size_t{0});
      for (std::size_t i = rows; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      for (std::size_t i = 0; i < rows; ++i)
        out.at(i, j) = (static_cast<double>(order[i]) + random.uniform()) / static_cast<double>(rows);
    } else {
      for (std::size_t i = 0; i < rows; ++i) out.at(i, j) = random.uniform();
    }
  }
  for (double& u : out.values) u = std::clamp(u, smallest, 1.0 - smallest);
  return out;
}

Points sensitivity_points(std::size_t base, std::size_t columns, std::uint64_t seed) {
  const Sampling sampling = 2 * columns <= most_sobol_columns ? Sampling::sobol : Sampling::latin_hypercube;
  const Points both = unit_points(sampling, base, 2 * columns, seed);
  Points out{base * (columns + 2), columns, std::vector<double>(base * (columns + 2) * columns)};
  for (std::size_t i = 0; i < base; ++i)
    for (std::size_t r = 0; r < columns + 2; ++r)
      for (std::size_t j = 0; j < columns; ++j)
        out.at(i * (columns + 2) + r, j) = both.at(i, r == 1 || r == j + 2 ? columns + j : j);
  return out;
}

void correlate(Points& points, const Eigen::MatrixXd& correlation, const std::string& where) {
  const auto n = static_cast<Eigen::Index>(points.columns);
  demand(correlation.rows() == n && correlation.cols() == n, "a correlation for every pair of parameters");
  const Eigen::LLT<Eigen::MatrixXd> cholesky(correlation);
  if (cholesky.info() != Eigen::Success)
    throw_bad_input(where, "these correlations contradict each other: no quantities have them all",
                    "bring them nearer to 0, or give those between the others too");
  const Eigen::MatrixXd L = cholesky.matrixL();
  Eigen::VectorXd z(n);
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) z[j] = normal_quantile(points.at(i, static_cast<std::size_t>(j)));
    for (Eigen::Index j = n - 1; j >= 0; --j) {
      // A parameter without correlation keeps its points to the last bit.
      if (L(j, j) == 1.0) continue;
      double sum = 0.0;
      for (Eigen::Index k = 0; k <= j; ++k) sum += L(j, k) * z[k];
      points.at(i, static_cast<std::size_t>(j)) = std::clamp(normal_probability(sum), smallest, 1.0 - smallest);
    }
  }
}

}  // namespace kdyn::study
