// SPDX-License-Identifier: Apache-2.0
// Dual numbers: a law written once as a template gives its value with double and its exact derivatives with Jet<N>.
//
//   f(a + v e) = f(a) + f'(a) v e,   e e = 0        v: derivatives in N directions
//
// Written here and not taken from a library because the laws leave kdyn with it, inside FMUs and as source: nothing but
// the C++17 standard library is needed. Eigen matrices of Jets and derivatives as Eigen vectors:
// kdyn/numerics/jet_eigen.hpp. Comparisons look at the values alone; at a kink the derivative is that of the side the
// value stands on.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace kdyn::inline numerics {

namespace constants {
inline constexpr double pi = 3.141592653589793238462643383279502884;
}

// The derivatives of a Jet: as much vector arithmetic as dual numbers need.
template <int N>
struct JetPart {
  double d[N > 0 ? N : 1] = {};

  double& operator[](std::ptrdiff_t i) { return d[i]; }
  const double& operator[](std::ptrdiff_t i) const { return d[i]; }
  double* data() { return d; }
  const double* data() const { return d; }
  static constexpr int size() { return N; }
  void setZero() {
    for (int i = 0; i < N; ++i) d[i] = 0.0;
  }

  JetPart& operator+=(const JetPart& other) {
    for (int i = 0; i < N; ++i) d[i] += other.d[i];
    return *this;
  }
  JetPart& operator-=(const JetPart& other) {
    for (int i = 0; i < N; ++i) d[i] -= other.d[i];
    return *this;
  }
  JetPart& operator*=(double s) {
    for (int i = 0; i < N; ++i) d[i] *= s;
    return *this;
  }
};
template <int N>
JetPart<N> operator*(double s, const JetPart<N>& x) {
  JetPart<N> y;
  for (int i = 0; i < N; ++i) y.d[i] = s * x.d[i];
  return y;
}

template <int N>
struct Jet {
  using Scalar = double;
  static constexpr int DIMENSION = N;
  double a = 0.0;
  JetPart<N> v;

  Jet() = default;
  Jet(double value) : a(value) {}  // NOLINT: a number is a Jet without derivatives
  Jet(double value, std::ptrdiff_t direction) : a(value) { v[direction] = 1.0; }
  Jet(double value, const JetPart<N>& derivatives) : a(value), v(derivatives) {}

  Jet& operator+=(const Jet& y) { return a += y.a, v += y.v, *this; }
  Jet& operator-=(const Jet& y) { return a -= y.a, v -= y.v, *this; }
  Jet& operator*=(const Jet& y) { return *this = *this * y; }
  Jet& operator/=(const Jet& y) { return *this = *this / y; }
  Jet& operator+=(double s) { return a += s, *this; }
  Jet& operator-=(double s) { return a -= s, *this; }
  Jet& operator*=(double s) { return a *= s, v *= s, *this; }
  Jet& operator/=(double s) { return *this *= 1.0 / s; }
};

// The plain number inside a scalar: decisions (which branch, which root) depend on it alone.
inline double value_of(double x) { return x; }
template <int N>
double value_of(const Jet<N>& x) {
  return x.a;
}

// f(x) for a function that is known by value and slope (from a table, say), as a scalar of x's type.
inline double chain(double, double value, double) { return value; }
template <int N>
Jet<N> chain(const Jet<N>& x, double value, double slope) {
  return Jet<N>(value, slope * x.v);
}
// f(x, y) by its value and its two slopes.
template <int N>
Jet<N> chain(const Jet<N>& x, const Jet<N>& y, double value, double by_x, double by_y) {
  Jet<N> z(value);
  for (int i = 0; i < N; ++i) z.v.d[i] = by_x * x.v.d[i] + by_y * y.v.d[i];
  return z;
}

template <int N>
Jet<N> operator+(const Jet<N>& x) {
  return x;
}
template <int N>
Jet<N> operator-(const Jet<N>& x) {
  return chain(x, -x.a, -1.0);
}
template <int N>
Jet<N> operator+(const Jet<N>& x, const Jet<N>& y) {
  Jet<N> z(x.a + y.a);
  for (int i = 0; i < N; ++i) z.v.d[i] = x.v.d[i] + y.v.d[i];
  return z;
}
template <int N>
Jet<N> operator-(const Jet<N>& x, const Jet<N>& y) {
  Jet<N> z(x.a - y.a);
  for (int i = 0; i < N; ++i) z.v.d[i] = x.v.d[i] - y.v.d[i];
  return z;
}
template <int N>
Jet<N> operator*(const Jet<N>& x, const Jet<N>& y) {
  return chain(x, y, x.a * y.a, y.a, x.a);
}
template <int N>
Jet<N> operator/(const Jet<N>& x, const Jet<N>& y) {
  const double inverse = 1.0 / y.a, quotient = x.a * inverse;
  Jet<N> z(quotient);
  for (int i = 0; i < N; ++i) z.v.d[i] = (x.v.d[i] - quotient * y.v.d[i]) * inverse;
  return z;
}
template <int N>
Jet<N> operator+(const Jet<N>& x, double s) {
  return Jet<N>(x.a + s, x.v);
}
template <int N>
Jet<N> operator+(double s, const Jet<N>& x) {
  return Jet<N>(x.a + s, x.v);
}
template <int N>
Jet<N> operator-(const Jet<N>& x, double s) {
  return Jet<N>(x.a - s, x.v);
}
template <int N>
Jet<N> operator-(double s, const Jet<N>& x) {
  return chain(x, s - x.a, -1.0);
}
template <int N>
Jet<N> operator*(const Jet<N>& x, double s) {
  return chain(x, x.a * s, s);
}
template <int N>
Jet<N> operator*(double s, const Jet<N>& x) {
  return chain(x, x.a * s, s);
}
template <int N>
Jet<N> operator/(const Jet<N>& x, double s) {
  const double inverse = 1.0 / s;
  return chain(x, x.a * inverse, inverse);
}
template <int N>
Jet<N> operator/(double s, const Jet<N>& x) {
  return chain(x, s / x.a, -s / (x.a * x.a));
}

#define KDYN_JET_COMPARISON(op)                        \
  template <int N>                                     \
  bool operator op(const Jet<N>& x, const Jet<N>& y) { \
    return x.a op y.a;                                 \
  }                                                    \
  template <int N>                                     \
  bool operator op(const Jet<N>& x, double s) {        \
    return x.a op s;                                   \
  }                                                    \
  template <int N>                                     \
  bool operator op(double s, const Jet<N>& x) {        \
    return s op x.a;                                   \
  }
KDYN_JET_COMPARISON(<)
KDYN_JET_COMPARISON(<=)
KDYN_JET_COMPARISON(>)
KDYN_JET_COMPARISON(>=)
KDYN_JET_COMPARISON(==)
KDYN_JET_COMPARISON(!=)
#undef KDYN_JET_COMPARISON

// Functions of one scalar, found by argument-dependent lookup beside `using std::exp;`.
template <int N>
Jet<N> exp(const Jet<N>& x) {
  const double e = std::exp(x.a);
  return chain(x, e, e);
}
template <int N>
Jet<N> expm1(const Jet<N>& x) {
  return chain(x, std::expm1(x.a), std::exp(x.a));
}
template <int N>
Jet<N> log(const Jet<N>& x) {
  return chain(x, std::log(x.a), 1.0 / x.a);
}
template <int N>
Jet<N> log1p(const Jet<N>& x) {
  return chain(x, std::log1p(x.a), 1.0 / (1.0 + x.a));
}
template <int N>
Jet<N> sqrt(const Jet<N>& x) {
  const double root = std::sqrt(x.a);
  return chain(x, root, 1.0 / (2.0 * root));
}
template <int N>
Jet<N> sin(const Jet<N>& x) {
  return chain(x, std::sin(x.a), std::cos(x.a));
}
template <int N>
Jet<N> cos(const Jet<N>& x) {
  return chain(x, std::cos(x.a), -std::sin(x.a));
}
template <int N>
Jet<N> tan(const Jet<N>& x) {
  const double t = std::tan(x.a);
  return chain(x, t, 1.0 + t * t);
}
template <int N>
Jet<N> asin(const Jet<N>& x) {
  return chain(x, std::asin(x.a), 1.0 / std::sqrt(1.0 - x.a * x.a));
}
template <int N>
Jet<N> acos(const Jet<N>& x) {
  return chain(x, std::acos(x.a), -1.0 / std::sqrt(1.0 - x.a * x.a));
}
template <int N>
Jet<N> atan(const Jet<N>& x) {
  return chain(x, std::atan(x.a), 1.0 / (1.0 + x.a * x.a));
}
template <int N>
Jet<N> sinh(const Jet<N>& x) {
  return chain(x, std::sinh(x.a), std::cosh(x.a));
}
template <int N>
Jet<N> cosh(const Jet<N>& x) {
  return chain(x, std::cosh(x.a), std::sinh(x.a));
}
template <int N>
Jet<N> tanh(const Jet<N>& x) {
  const double t = std::tanh(x.a);
  return chain(x, t, 1.0 - t * t);
}
template <int N>
Jet<N> abs(const Jet<N>& x) {
  return chain(x, std::abs(x.a), std::copysign(1.0, x.a));
}
template <int N>
Jet<N> atan2(const Jet<N>& y, const Jet<N>& x) {
  const double square = x.a * x.a + y.a * y.a;
  return chain(y, x, std::atan2(y.a, x.a), x.a / square, -y.a / square);
}
template <int N>
Jet<N> hypot(const Jet<N>& x, const Jet<N>& y) {
  const double r = std::hypot(x.a, y.a);
  return chain(x, y, r, x.a / r, y.a / r);
}
template <int N>
Jet<N> pow(const Jet<N>& x, double exponent) {
  return chain(x, std::pow(x.a, exponent), exponent * std::pow(x.a, exponent - 1.0));
}
template <int N>
Jet<N> pow(double x, const Jet<N>& exponent) {
  const double value = std::pow(x, exponent.a);
  return chain(exponent, value, std::log(x) * value);
}
template <int N>
Jet<N> pow(const Jet<N>& x, const Jet<N>& exponent) {
  const double value = std::pow(x.a, exponent.a);
  return chain(x, exponent, value, exponent.a * std::pow(x.a, exponent.a - 1.0),
               value == 0.0 ? 0.0 : std::log(x.a) * value);
}
template <int N>
bool isfinite(const Jet<N>& x) {
  if (!std::isfinite(x.a)) return false;
  for (int i = 0; i < N; ++i)
    if (!std::isfinite(x.v[i])) return false;
  return true;
}

// A complex number of any scalar; std::complex is only specified for floating-point types.
template <class T>
struct Complex {
  T re{0.0}, im{0.0};
};

template <class T>
Complex<T> operator+(const Complex<T>& a, const Complex<T>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
Complex<T> operator-(const Complex<T>& a, const Complex<T>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
Complex<T> operator*(const Complex<T>& a, const Complex<T>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
Complex<T> operator/(const Complex<T>& a, const Complex<T>& b) {
  const T norm = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
}
template <class T>
Complex<T> operator*(const T& s, const Complex<T>& a) {
  return {s * a.re, s * a.im};
}
template <class T>
T abs(const Complex<T>& a) {
  using std::sqrt;
  return sqrt(a.re * a.re + a.im * a.im);
}
template <class T>
T arg(const Complex<T>& a) {
  using std::atan2;
  return atan2(a.im, a.re);
}

}  // namespace kdyn::inline numerics
