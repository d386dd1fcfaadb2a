// SPDX-License-Identifier: Apache-2.0
// A function of time by its value and its first three derivatives; sums, products and functions of such.
#pragma once

#include <cmath>

namespace kdyn::inline numerics {

struct Taylor {
  double a = 0.0;                       // value
  double d1 = 0.0, d2 = 0.0, d3 = 0.0;  // derivatives by time

  Taylor() = default;
  Taylor(double value) : a(value) {}  // NOLINT: a number does not change
  Taylor(double value, double rate, double second, double third) : a(value), d1(rate), d2(second), d3(third) {}
};

// f(x) by f and its derivatives at the value of x.
inline Taylor chained(const Taylor& x, double f, double f1, double f2, double f3) {
  return {f, f1 * x.d1, f1 * x.d2 + f2 * x.d1 * x.d1, f1 * x.d3 + 3.0 * f2 * x.d1 * x.d2 + f3 * x.d1 * x.d1 * x.d1};
}

inline Taylor operator+(const Taylor& x, const Taylor& y) { return {x.a + y.a, x.d1 + y.d1, x.d2 + y.d2, x.d3 + y.d3}; }
inline Taylor operator-(const Taylor& x) { return {-x.a, -x.d1, -x.d2, -x.d3}; }
inline Taylor operator-(const Taylor& x, const Taylor& y) { return x + -y; }
inline Taylor operator*(const Taylor& x, const Taylor& y) {
  return {x.a * y.a, x.d1 * y.a + x.a * y.d1, x.d2 * y.a + 2.0 * x.d1 * y.d1 + x.a * y.d2,
          x.d3 * y.a + 3.0 * (x.d2 * y.d1 + x.d1 * y.d2) + x.a * y.d3};
}
inline Taylor operator/(const Taylor& x, const Taylor& y) {
  const double r = 1.0 / y.a;
  Taylor out = x * chained(y, r, -r * r, 2.0 * r * r * r, -6.0 * r * r * r * r);
  out.a = x.a / y.a;
  return out;
}
inline Taylor sin(const Taylor& x) {
  const double s = std::sin(x.a), c = std::cos(x.a);
  return chained(x, s, c, -s, -c);
}
inline Taylor cos(const Taylor& x) {
  const double s = std::sin(x.a), c = std::cos(x.a);
  return chained(x, c, -s, -c, s);
}
inline Taylor tan(const Taylor& x) {
  const double y = std::tan(x.a), f1 = 1.0 + y * y;
  return chained(x, y, f1, 2.0 * y * f1, f1 * (2.0 * f1 + 4.0 * y * y));
}
inline Taylor tanh(const Taylor& x) {
  const double y = std::tanh(x.a), f1 = 1.0 - y * y;
  return chained(x, y, f1, -2.0 * y * f1, f1 * (4.0 * y * y - 2.0 * f1));
}
inline Taylor exp(const Taylor& x) {
  const double y = std::exp(x.a);
  return chained(x, y, y, y, y);
}
inline Taylor log(const Taylor& x) {
  const double r = 1.0 / x.a;
  return chained(x, std::log(x.a), r, -r * r, 2.0 * r * r * r);
}
inline Taylor sqrt(const Taylor& x) {
  const double y = std::sqrt(x.a), f1 = 0.5 / y, f2 = -0.5 * f1 / x.a;
  return chained(x, y, f1, f2, -1.5 * f2 / x.a);
}
inline Taylor atan(const Taylor& x) {
  const double f1 = 1.0 / (1.0 + x.a * x.a), f2 = -2.0 * x.a * f1 * f1;
  return chained(x, std::atan(x.a), f1, f2, -2.0 * f1 * f1 - 4.0 * x.a * f1 * f2);
}
inline double value_of(const Taylor& x) { return x.a; }
inline Taylor abs(const Taylor& x) { return x.a < 0.0 ? -x : x; }
inline Taylor pow(const Taylor& x, double n) {
  // Of whole numbers the derivatives end: no 0 times infinity at 0.
  const auto term = [&](double factor, double power) { return factor == 0.0 ? 0.0 : factor * std::pow(x.a, power); };
  return chained(x, std::pow(x.a, n), term(n, n - 1.0), term(n * (n - 1.0), n - 2.0),
                 term(n * (n - 1.0) * (n - 2.0), n - 3.0));
}
inline Taylor pow(const Taylor& x, const Taylor& y) { return exp(y * log(x)); }

}  // namespace kdyn::inline numerics
