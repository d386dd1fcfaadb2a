// SPDX-License-Identifier: Apache-2.0
// Dual numbers (Ceres): a law written once as a template gives its value with double and its exact derivatives with Jet<N>.
#pragma once

#include <ceres/jet.h>

namespace kdyn {

template <int N>
using Jet = ceres::Jet<double, N>;

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

}  // namespace kdyn
