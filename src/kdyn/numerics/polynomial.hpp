// SPDX-License-Identifier: Apache-2.0
// Polynomials with real coefficients: sum, product, value and all roots. Coefficients ascend: p[0] + p[1] s + p[2] s^2
// + ...
//
// Meant for the transfer functions of small mechanisms (degree up to about 20), whose roots spread over several
// decades: before the eigenvalues of the companion matrix are taken, s is scaled so that first and last coefficient are
// of one size.
#pragma once

#include <complex>
#include <vector>

namespace kdyn::inline numerics {

using Polynomial = std::vector<double>;

Polynomial operator+(const Polynomial& a, const Polynomial& b);
Polynomial operator*(const Polynomial& a, const Polynomial& b);
Polynomial operator*(double factor, const Polynomial& a);

std::complex<double> value_at(const Polynomial& p, std::complex<double> s);

// All roots, complex ones in conjugate pairs; roots at zero are exact. Zero leading coefficients are ignored. Constants
// have none. Each root is polished by Newton's iteration on the polynomial itself.
std::vector<std::complex<double>> roots_of(const Polynomial& p);

}  // namespace kdyn::inline numerics
