// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/power_product.hpp"

#include <cmath>

namespace kdyn::fe {

double power_product(const std::vector<int>& exponents, const Eigen::VectorXd& ratio) {
  double out = 1.0;
  for (std::size_t s = 0; s < exponents.size(); ++s)
    if (exponents[s] != 0) out *= std::pow(ratio[static_cast<Eigen::Index>(s)], exponents[s]);
  return out;
}

double power_product_derivative(const std::vector<int>& exponents, const Eigen::VectorXd& ratio, int index) {
  const int power = exponents[static_cast<std::size_t>(index)];
  if (power == 0) return 0.0;
  std::vector<int> lowered = exponents;
  --lowered[static_cast<std::size_t>(index)];
  return power * power_product(lowered, ratio);
}

}  // namespace kdyn::fe
