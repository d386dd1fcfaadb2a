// SPDX-License-Identifier: Apache-2.0
// Measures between two frames: their rows, those of their rates, the weights that pull loads back and the second
// variation, against differences of what they are derivatives of.
#include "kdyn/mbs/relative.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace kdyn::mbs {
namespace {

struct Pair {
  Frame one, two;
};

// Frames whose z axes stand a little askew, as flexible bodies have them: not quite orthonormal.
Pair frames(double angle) {
  Pair p;
  p.one.R = rotation_of({0.3, -0.2, 0.5}), p.one.u = {0.1, 0.2, -0.3};
  p.two.R = p.one.R * rotation_of({0.04, -0.03, 0.0}) * rotation_of({0.0, 0.0, angle});
  p.two.R(0, 1) += 0.003, p.two.u = {0.4, -0.1, 0.2};
  return p;
}
Pair rates() {
  Pair p;
  p.one.R << 0.2, -0.5, 0.3, 0.7, 0.1, -0.2, 0.4, 0.6, -0.3;
  p.two.R << -0.4, 0.2, 0.9, 0.1, -0.6, 0.5, 0.3, 0.2, 0.8;
  p.one.u = {0.5, -0.7, 0.2}, p.two.u = {-0.1, 0.3, 0.6};
  return p;
}
constexpr int n = 3;  // unknowns of each side
FrameVariation variation(int side) {
  FrameVariation Z(12, n);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < n; ++j) Z(i, j) = std::sin(1.0 + 3.7 * i + 1.3 * j + 2.1 * side);
  return Z;
}
Pair moved(const Pair& p, const FrameVariation& Z1, const FrameVariation& Z2, const VectorX& xi) {
  Pair out = p;
  const VectorX d1 = Z1 * xi.head(n), d2 = Z2 * xi.tail(n);
  out.one.u += d1.head<3>(), out.two.u += d2.head<3>();
  out.one.R += Eigen::Map<const Matrix3>(d1.data() + 3), out.two.R += Eigen::Map<const Matrix3>(d2.data() + 3);
  return out;
}

class Measures : public ::testing::TestWithParam<std::pair<RotationMeasure, double>> {};

TEST_P(Measures, HaveTheRowsOfDifferences) {
  const RotationMeasure kind = GetParam().first;
  const double angle = GetParam().second;
  const Pair at = frames(angle), rate = rates();
  const FrameVariation Z1 = variation(1), Z2 = variation(2);
  const auto measure = [&](const Pair& p) { return bushing_measure(p.one, p.two, rate.one, rate.two, kind); };
  const auto rows = [&](const Pair& p, Eigen::Matrix<double, 6, Eigen::Dynamic>& X,
                        Eigen::Matrix<double, 6, Eigen::Dynamic>& X_rate, TurnRows& turn) {
    bushing_rows(p.one, p.two, rate.one, rate.two, Z1, Z2, measure(p), X, X_rate, turn);
  };
  Eigen::Matrix<double, 6, Eigen::Dynamic> X, X_rate, before, after, unused;
  TurnRows turn, other;
  rows(at, X, X_rate, turn);
  Vector6 load;
  load << 3.0, -2.0, 5.0, 0.7, -1.1, 2.3;
  if (kind == RotationMeasure::angle) load[3] = load[4] = 0.0;
  MatrixX K = MatrixX::Zero(2 * n, 2 * n);
  const BushingMeasure m = measure(at);
  add_second_variation(Z1, Z2, bushing_multipliers(m, load), K);
  add_log_variation(turn, m, load, K);
  const double h = 1e-6;
  for (int j = 0; j < 2 * n; ++j) {
    const Pair plus = moved(at, Z1, Z2, h * VectorX::Unit(2 * n, j)),
               minus = moved(at, Z1, Z2, -h * VectorX::Unit(2 * n, j));
    const BushingMeasure a = measure(plus), b = measure(minus);
    Vector6 dx = (a.x - b.x) / (2.0 * h);
    // A spin has no angles: its rows say how loads work, and how rates follow velocities (below).
    if (kind == RotationMeasure::spin) dx.tail<3>() = X.col(j).tail<3>();
    EXPECT_LT((dx - X.col(j)).norm(), 1e-8 * (1.0 + X.norm())) << j;
    EXPECT_LT(((a.rate - b.rate) / (2.0 * h) - X_rate.col(j)).norm(), 1e-7 * (1.0 + X_rate.norm())) << j;
    rows(plus, after, unused, other);
    rows(minus, before, unused, other);
    EXPECT_LT(((after - before).transpose() * load / (2.0 * h) - K.col(j)).norm(), 1e-7 * (1.0 + K.norm())) << j;
    // Rates are linear in velocities, with the same rows.
    const Pair faster = moved(rate, Z1, Z2, VectorX::Unit(2 * n, j));
    const BushingMeasure c = bushing_measure(at.one, at.two, faster.one, faster.two, kind);
    EXPECT_LT((c.rate - m.rate - X.col(j)).norm(), 1e-12 * (1.0 + X.norm())) << j;
  }
  // Weights pull a load back along the rows.
  FrameForce one, two;
  pull_back(at.one, at.two, bushing_multipliers(m, load), one, two);
  VectorX pulled(2 * n);
  const auto work = [](const FrameForce& f, const FrameVariation& Z) {
    return VectorX(Z.topRows<3>().transpose() * f.F +
                   Z.bottomRows<9>().transpose() * Eigen::Map<const Eigen::Matrix<double, 9, 1>>(f.G.data()));
  };
  pulled << work(one, Z1), work(two, Z2);
  EXPECT_LT((pulled - X.transpose() * load).norm(), 1e-12 * pulled.norm());
}

INSTANTIATE_TEST_SUITE_P(Kinds, Measures,
                         ::testing::Values(std::pair(RotationMeasure::log, 0.4), std::pair(RotationMeasure::vect, 0.4),
                                           std::pair(RotationMeasure::angle, 0.4),
                                           std::pair(RotationMeasure::angle, 2.9),
                                           std::pair(RotationMeasure::angle, -3.14),
                                           std::pair(RotationMeasure::spin, 0.4),
                                           std::pair(RotationMeasure::spin, 3.1)));

// The angular velocity of one rotating frame against another, in the axes of the first.
TEST(SpinMeasure, IsTheAngularVelocityBetweenFrames) {
  const Vector3 w1(0.3, -2.0, 1.5), w2(4.0, 0.7, -3.0);
  Frame one, two, one_rate, two_rate;
  one.R = rotation_of({0.5, 1.0, -0.4}), two.R = rotation_of({-1.2, 0.3, 2.5});
  one_rate.R = skew(w1) * one.R, two_rate.R = skew(w2) * two.R;
  const BushingMeasure m = bushing_measure(one, two, one_rate, two_rate, RotationMeasure::spin);
  EXPECT_LT((m.rate.tail<3>() - one.R.transpose() * (w2 - w1)).norm(), 1e-14);
}

}  // namespace
}  // namespace kdyn::mbs
