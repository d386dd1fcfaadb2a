// SPDX-License-Identifier: Apache-2.0
// Least squares of a few dozen unknowns, also with unknowns that must not be negative: min |A x - b| with x >= 0 by the
// active-set method of Lawson and Hanson (1974). Plain C++17 without libraries, because laws need it inside exported
// models; Eigen users call numerics/nnls.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace kdyn::inline numerics {

// Column after column.
struct SmallMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> entries;

  SmallMatrix() = default;
  SmallMatrix(std::size_t r, std::size_t c) : rows(r), columns(c), entries(r * c, 0.0) {}
  double& operator()(std::size_t r, std::size_t c) { return entries[c * rows + r]; }
  double operator()(std::size_t r, std::size_t c) const { return entries[c * rows + r]; }
  const double* column(std::size_t c) const { return entries.data() + c * rows; }

  // A x and A^T y
  std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> y(rows, 0.0);
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < rows; ++r) y[r] += (*this)(r, c) * x[c];
    return y;
  }
  std::vector<double> transposed_times(const std::vector<double>& y) const {
    std::vector<double> x(columns, 0.0);
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < rows; ++r) x[c] += (*this)(r, c) * y[r];
    return x;
  }
  SmallMatrix chosen(const std::vector<std::size_t>& which) const {
    SmallMatrix part(rows, which.size());
    for (std::size_t c = 0; c < which.size(); ++c)
      std::copy(column(which[c]), column(which[c]) + rows,
                part.entries.begin() + static_cast<std::ptrdiff_t>(c * rows));
    return part;
  }
};

// A = Q R by Householder reflections; at least as many rows as columns, which must be independent.
class SmallQr {
 public:
  explicit SmallQr(SmallMatrix a) : a_(std::move(a)), scale_(a_.columns, 0.0), diagonal_(a_.columns, 0.0) {
    for (std::size_t c = 0; c < a_.columns; ++c) {
      double norm = 0.0;
      for (std::size_t r = c; r < a_.rows; ++r) norm += a_(r, c) * a_(r, c);
      norm = std::sqrt(norm);
      if (!(norm > 0.0)) continue;  // dependent: its unknown stays zero
      diagonal_[c] = a_(c, c) > 0.0 ? -norm : norm;
      a_(c, c) -= diagonal_[c];
      double square = 0.0;
      for (std::size_t r = c; r < a_.rows; ++r) square += a_(r, c) * a_(r, c);
      scale_[c] = 2.0 / square;
      for (std::size_t other = c + 1; other < a_.columns; ++other) reflect(c, &a_.entries[other * a_.rows]);
    }
  }

  // min |A x - b|
  std::vector<double> solve(std::vector<double> b) const {
    for (std::size_t c = 0; c < a_.columns; ++c) reflect(c, b.data());
    b.resize(a_.columns);
    return back(std::move(b));
  }
  // (A^T A)^-1 y
  std::vector<double> solve_normal(std::vector<double> y) const {
    for (std::size_t c = 0; c < a_.columns; ++c) {
      for (std::size_t r = 0; r < c; ++r) y[c] -= a_(r, c) * y[r];
      y[c] = diagonal_[c] != 0.0 ? y[c] / diagonal_[c] : 0.0;
    }
    return back(std::move(y));
  }

 private:
  void reflect(std::size_t c, double* x) const {
    double dot = 0.0;
    for (std::size_t r = c; r < a_.rows; ++r) dot += a_(r, c) * x[r];
    dot *= scale_[c];
    for (std::size_t r = c; r < a_.rows; ++r) x[r] -= dot * a_(r, c);
  }
  std::vector<double> back(std::vector<double> x) const {
    for (std::size_t c = a_.columns; c-- > 0;) {
      for (std::size_t other = c + 1; other < a_.columns; ++other) x[c] -= a_(c, other) * x[other];
      x[c] = diagonal_[c] != 0.0 ? x[c] / diagonal_[c] : 0.0;
    }
    return x;
  }

  SmallMatrix a_;  // R above the diagonal, reflections from it down
  std::vector<double> scale_, diagonal_;
};

inline std::vector<double> small_nonnegative_least_squares(const SmallMatrix& A, const std::vector<double>& b) {
  const std::size_t n = A.columns;
  std::vector<double> x(n, 0.0);
  std::vector<char> passive(n, 0);
  double tolerance = 0.0;
  for (const double g : A.transposed_times(b)) tolerance = std::max(tolerance, 1e-12 * std::abs(g));
  const auto solve_passive = [&] {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < n; ++i)
      if (passive[i]) columns.push_back(i);
    const std::vector<double> s = SmallQr(A.chosen(columns)).solve(b);
    std::vector<double> full(n, 0.0);
    for (std::size_t i = 0; i < columns.size(); ++i) full[columns[i]] = s[i];
    return full;
  };
  // Each round frees one column; 5 n rounds are more than the method needs on these sizes.
  for (std::size_t round = 0; round < 5 * n; ++round) {
    std::vector<double> rest = A.times(x);
    for (std::size_t r = 0; r < rest.size(); ++r) rest[r] = b[r] - rest[r];
    const std::vector<double> gradient = A.transposed_times(rest);
    std::size_t enter = n;
    for (std::size_t i = 0; i < n; ++i)
      if (!passive[i] && gradient[i] > tolerance && (enter == n || gradient[i] > gradient[enter])) enter = i;
    if (enter == n) break;
    passive[enter] = 1;
    std::vector<double> s = solve_passive();
    for (std::size_t inner = 0; inner < 3 * n; ++inner) {
      // As far towards the trial as all stay non-negative; those that reach zero leave.
      double step = 1.0;
      for (std::size_t i = 0; i < n; ++i)
        if (passive[i] && s[i] <= 0.0) step = std::min(step, x[i] / (x[i] - s[i] + 1e-300));
      if (step >= 1.0) break;
      for (std::size_t i = 0; i < n; ++i) x[i] += step * (s[i] - x[i]);
      const double largest = *std::max_element(x.begin(), x.end());
      for (std::size_t i = 0; i < n; ++i)
        if (passive[i] && x[i] <= 1e-14 * largest) passive[i] = 0, x[i] = 0.0;
      s = solve_passive();
    }
    for (double& value : s) value = std::max(value, 0.0);
    x = s;
  }
  return x;
}

}  // namespace kdyn::inline numerics
