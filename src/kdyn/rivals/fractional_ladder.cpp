// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kdyn/numerics/nonnegative.hpp"
#include "kdyn/rivals/fractional_zener.hpp"

namespace kdyn {
namespace {

constexpr int n = FractionalZener<double>::ladder_states, points = 120;
constexpr int shapes = 3;  // hardening, relaxation time, order
using J = Jet<shapes>;

// The least-squares problem of the ladder with its derivatives by the shape parameters.
struct Problem {
  std::array<J, n> relaxation_time;
  Eigen::MatrixXd A, dA[shapes];
  Eigen::VectorXd b, db[shapes];
};

Problem problem_of(const FractionalZener<double>& law) {
  FractionalZener<J> shape = law.cast<J>();
  shape.hardening.v[0] = shape.relaxation_time.v[1] = shape.order.v[2] = 1.0;
  Problem p;
  const double fast = 1.0 / (2.0 * std::numbers::pi * law.band_upper_hz), slow = 1.0 / (2.0 * std::numbers::pi * law.band_lower_hz);
  // Evenly spaced over the band and somewhat beyond; the last one is so slow that inside the band it is a spring, for the slow end of the
  // spectrum. The nearest node is moved onto tau: towards order 1 the spectrum narrows to that one time and must not fall between two.
  constexpr double margin = 1.5, slowest = 5.0;  // in ln of time beyond the band
  const double spacing = (std::log(slow / fast) + 2.0 * margin) / (n - 2.0);
  const J free = (log(shape.relaxation_time / fast) + margin) / spacing;
  const J place = free.a < 0.0 ? J(0.0) : free.a > n - 2.0 ? J(n - 2.0) : free;
  const J shift = place - std::round(place.a);
  for (int i = 0; i + 1 < n; ++i) p.relaxation_time[static_cast<std::size_t>(i)] = fast * exp(spacing * (static_cast<double>(i) + shift) - margin);
  p.relaxation_time[n - 1] = J(slow * std::exp(slowest));

  p.A.resize(2 * points, n + 1);
  p.b.resize(2 * points);
  for (int k = 0; k < shapes; ++k) p.dA[k].resize(2 * points, n + 1), p.db[k].resize(2 * points);
  const auto put = [&](int row, int column, const J& value) {
    p.A(row, column) = value.a;
    for (int k = 0; k < shapes; ++k) p.dA[k](row, column) = value.v[k];
  };
  // Real and imaginary part at frequencies evenly spaced in the logarithm, relative to the stiffness there.
  for (int i = 0; i < points; ++i) {
    const double omega = 1.0 / (fast * std::pow(slow / fast, i / (points - 1.0)));
    const Complex<J> K = shape.harmonic(omega, J(0.0));
    const J weight = law.static_stiffness / abs(K);
    const J re = weight * (K.re / law.static_stiffness - 1.0), im = weight * K.im / law.static_stiffness;
    p.b[2 * i] = re.a, p.b[2 * i + 1] = im.a;
    for (int k = 0; k < shapes; ++k) p.db[k][2 * i] = re.v[k], p.db[k][2 * i + 1] = im.v[k];
    for (int c = 0; c < n; ++c) {
      const J x = omega * p.relaxation_time[static_cast<std::size_t>(c)];
      put(2 * i, c, weight * x * x / (1.0 + x * x));
      put(2 * i + 1, c, weight * x / (1.0 + x * x));
    }
    put(2 * i, n, J(0.0));
    put(2 * i + 1, n, weight * omega * fast);  // the damper, in units that keep the column of size one
  }
  return p;
}

// Derivative of the non-negative solution: weights at zero stay there, the others solve A^T A h = A^T b, so that
// dh = A^+ (db - dA h) + (A^T A)^-1 dA^T (b - A h).
Eigen::VectorXd slope_of(const Problem& p, const Eigen::VectorXd& h, int shape) {
  std::vector<int> used;
  for (int i = 0; i <= n; ++i)
    if (h[i] > 0.0) used.push_back(i);
  const Eigen::MatrixXd A = p.A(Eigen::all, used), dA = p.dA[shape](Eigen::all, used);
  const Eigen::VectorXd own = h(used), rest = p.b - A * own;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(A);
  const Eigen::MatrixXd R = qr.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
  const Eigen::VectorXd pulled = R.transpose().triangularView<Eigen::Lower>().solve(Eigen::VectorXd(dA.transpose() * rest));
  const Eigen::VectorXd change = qr.solve(Eigen::VectorXd(p.db[shape] - dA * own)) + R.triangularView<Eigen::Upper>().solve(pulled);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(n + 1);
  for (std::size_t i = 0; i < used.size(); ++i) out[used[i]] = change[static_cast<Eigen::Index>(i)];
  return out;
}

}  // namespace

void prepare(FractionalZener<double>& law) {
  const Problem p = problem_of(law);
  const Eigen::VectorXd h = nonnegative_least_squares(p.A, p.b);
  const double fast = 1.0 / (2.0 * std::numbers::pi * law.band_upper_hz);
  law.ladder.branches = n;
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    law.ladder.stiffness[at] = h[i];
    law.ladder.relaxation_time[at] = p.relaxation_time[at].a;
  }
  law.ladder_damping = h[n] * fast;
  for (int k = 0; k < shapes; ++k) {
    const Eigen::VectorXd slope = slope_of(p, h, k);
    auto& out = law.ladder_slope[static_cast<std::size_t>(k)];
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out.stiffness[at] = slope[i];
      out.relaxation_time[at] = p.relaxation_time[at].v[k];
    }
    out.damping = slope[n] * fast;
  }
}

}  // namespace kdyn
