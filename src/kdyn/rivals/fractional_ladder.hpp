// SPDX-License-Identifier: Apache-2.0
// The ladder of the fractional Zener mount [rivals E10]: included by fractional_zener.hpp.
//
// Weights by non-negative least squares over the band, with their derivatives by the shape parameters: weights at zero
// stay there, the others solve A^T A h = A^T b, so that dh = A^+ (db - dA h) + (A^T A)^-1 dA^T (b - A h).
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "kdyn/numerics/small_least_squares.hpp"

namespace kdyn::inline rivals {

class FractionalLadder {
 public:
  static constexpr int n = FractionalZener<double>::ladder_states, points = 120;
  static constexpr int shapes = 3;  // hardening, relaxation time, order
  using J = Jet<shapes>;

  // The least-squares problem of the ladder with its derivatives by the shape parameters.
  explicit FractionalLadder(const FractionalZener<double>& law) {
    FractionalZener<J> shape = law.cast<J>();
    shape.hardening.v[0] = shape.relaxation_time.v[1] = shape.order.v[2] = 1.0;
    const double slow = 1.0 / (2.0 * constants::pi * law.band_lower_hz);
    fast_ = 1.0 / (2.0 * constants::pi * law.band_upper_hz);
    // Evenly spaced over the band and somewhat beyond; the last one is so slow that inside the band it is a spring, for
    // the slow end of the spectrum. The nearest node is moved onto tau: towards order 1 the spectrum narrows to that
    // one time and must not fall between two.
    constexpr double margin = 1.5, slowest = 5.0;  // in ln of time beyond the band
    const double spacing = (std::log(slow / fast_) + 2.0 * margin) / (n - 2.0);
    const J free = (log(shape.relaxation_time / fast_) + margin) / spacing;
    const J place = free.a < 0.0 ? J(0.0) : free.a > n - 2.0 ? J(n - 2.0) : free;
    const J shift = place - std::round(place.a);
    for (int i = 0; i + 1 < n; ++i) time_[at(i)] = fast_ * exp(spacing * (static_cast<double>(i) + shift) - margin);
    time_[n - 1] = J(slow * std::exp(slowest));

    A_ = SmallMatrix(2 * points, n + 1);
    b_.resize(2 * points);
    for (int k = 0; k < shapes; ++k) dA_[at(k)] = A_, db_[at(k)] = b_;
    const auto put = [&](int row, int column, const J& value) {
      A_(at(row), at(column)) = value.a;
      for (int k = 0; k < shapes; ++k) dA_[at(k)](at(row), at(column)) = value.v[k];
    };
    // Real and imaginary part at frequencies evenly spaced in the logarithm, relative to the stiffness there.
    for (int i = 0; i < points; ++i) {
      const double omega = 1.0 / (fast_ * std::pow(slow / fast_, i / (points - 1.0)));
      const Complex<J> K = shape.harmonic(omega, J(0.0));
      const J weight = law.static_stiffness / abs(K);
      const J part[2] = {weight * (K.re / law.static_stiffness - 1.0), weight * K.im / law.static_stiffness};
      for (int p = 0; p < 2; ++p) {
        b_[at(2 * i + p)] = part[p].a;
        for (int k = 0; k < shapes; ++k) db_[at(k)][at(2 * i + p)] = part[p].v[k];
      }
      for (int c = 0; c < n; ++c) {
        const J x = omega * time_[at(c)];
        put(2 * i, c, weight * x * x / (1.0 + x * x));
        put(2 * i + 1, c, weight * x / (1.0 + x * x));
      }
      put(2 * i + 1, n, weight * omega * fast_);  // the damper, in units that keep the column of size one
    }
  }

  void solve(FractionalZener<double>& law) const {
    const std::vector<double> h = small_nonnegative_least_squares(A_, b_);
    law.ladder.branches = n;
    for (int i = 0; i < n; ++i)
      law.ladder.stiffness[at(i)] = h[at(i)], law.ladder.relaxation_time[at(i)] = time_[at(i)].a;
    law.ladder_damping = h[n] * fast_;

    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < h.size(); ++i)
      if (h[i] > 0.0) used.push_back(i);
    const SmallMatrix A = A_.chosen(used);
    const SmallQr qr(A);
    std::vector<double> own, rest = b_;
    for (const std::size_t i : used) own.push_back(h[i]);
    const std::vector<double> met = A.times(own);
    for (std::size_t r = 0; r < rest.size(); ++r) rest[r] -= met[r];
    for (std::size_t k = 0; k < shapes; ++k) {
      const SmallMatrix dA = dA_[k].chosen(used);
      const std::vector<double> pulled = qr.solve_normal(dA.transposed_times(rest)), moved = dA.times(own);
      std::vector<double> right = db_[k];
      for (std::size_t r = 0; r < right.size(); ++r) right[r] -= moved[r];
      const std::vector<double> direct = qr.solve(right);
      std::vector<double> slope(h.size(), 0.0);
      for (std::size_t i = 0; i < used.size(); ++i) slope[used[i]] = direct[i] + pulled[i];
      auto& out = law.ladder_slope[k];
      for (int i = 0; i < n; ++i)
        out.stiffness[at(i)] = slope[at(i)],
        out.relaxation_time[at(i)] = time_[at(i)].v[static_cast<std::ptrdiff_t>(k)];
      out.damping = slope[n] * fast_;
    }
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::array<J, n> time_;
  SmallMatrix A_;
  std::array<SmallMatrix, shapes> dA_;
  std::vector<double> b_;
  std::array<std::vector<double>, shapes> db_;
  double fast_ = 0.0;
};

// [rivals E10] Builds the ladder for the law's parameters and band.
template <class T>
void FractionalZener<T>::complete() {
  const std::array<double, 5> wanted = {value_of(hardening), value_of(relaxation_time), value_of(order), band_lower_hz,
                                        band_upper_hz};
  if (wanted == ladder_made_for) return;
  FractionalZener<double> plain = cast<double>();
  FractionalLadder(plain).solve(plain);
  plain.ladder_made_for = wanted;
  for (std::size_t i = 0; i < ladder_states; ++i) {
    ladder.stiffness[i] = T(plain.ladder.stiffness[i]);
    ladder.relaxation_time[i] = T(plain.ladder.relaxation_time[i]);
  }
  ladder.branches = plain.ladder.branches;
  ladder_damping = T(plain.ladder_damping);
  for (std::size_t p = 0; p < ladder_slope.size(); ++p) {
    ladder_slope[p].stiffness = plain.ladder_slope[p].stiffness;
    ladder_slope[p].relaxation_time = plain.ladder_slope[p].relaxation_time;
    ladder_slope[p].damping = plain.ladder_slope[p].damping;
  }
  ladder_made_for = wanted;
}

}  // namespace kdyn::inline rivals
