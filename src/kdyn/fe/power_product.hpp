// SPDX-License-Identifier: Apache-2.0
// theta(p) = prod_s r_s^e_s with whole exponents, and its derivative: how affine terms follow the parameters. [fe E6]
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe {

double power_product(const std::vector<int>& exponents, const Eigen::VectorXd& ratio);
double power_product_derivative(const std::vector<int>& exponents, const Eigen::VectorXd& ratio, int index);

}  // namespace kdyn::fe
