// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/scatter.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline numerics {

void Scatter::add(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  // Repeated points tell the noise by themselves; their mean goes on.
  std::vector<double> place, value;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    double mean = 0.0;
    while (end < order.size() && x[order[end]] - x[order[i]] <= 1e-9 * std::abs(x[order[i]])) mean += y[order[end++]];
    const auto n = static_cast<double>(end - i);
    mean /= n;
    if (end - i > 1)
      for (; i < end; ++i) each_.push_back((y[order[i]] - mean) * std::sqrt(n / (n - 1.0)));
    place.push_back(x[order[end - 1]]);
    value.push_back(mean);
    i = end;
  }
  const std::size_t reach = place.size() >= 5 ? 2 : 1;
  if (place.size() < 3) return;
  for (std::size_t i = reach; i + reach < place.size(); ++i) {
    // Lagrange's weights of the neighbours at this point.
    double guess = 0.0, variance = 1.0;
    for (std::size_t j = i - reach; j <= i + reach; ++j) {
      if (j == i) continue;
      double weight = 1.0;
      for (std::size_t k = i - reach; k <= i + reach; ++k)
        if (k != i && k != j) weight *= (place[i] - place[k]) / (place[j] - place[k]);
      guess += weight * value[j];
      variance += weight * weight;
    }
    each_.push_back((value[i] - guess) / std::sqrt(variance));
  }
}

double Scatter::noise() const { return robust_scale(each_); }

}  // namespace kdyn::inline numerics
