// SPDX-License-Identifier: Apache-2.0
// Sensors that sit turned: told with their turn, and never confused with reversed, exchanged or weak axes. Oracle: the
// rotation the samples were made with.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kdyn/base/random.hpp"
#include "kdyn/insitu/internal/turned_sensor.hpp"

namespace kdyn::inline insitu::internal {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

struct Samples {
  MatrixXd felt, shown;
};

// Three motions of unlike size and frequency, and what a sensor with `axes` (rows) shows of them.
Samples samples(const Matrix3d& axes, const Vector3d& gain, double noise) {
  Samples out{MatrixXd(3, 600), MatrixXd(3, 600)};
  RandomStream random(11);
  for (Index n = 0; n < 600; ++n) {
    const double t = 1e-3 * static_cast<double>(n);
    out.felt.col(n) = Vector3d(std::sin(60.0 * t), 0.6 * std::sin(83.0 * t + 1.0), 0.8 * std::cos(47.0 * t)) +
                      Vector3d(0.0, 0.0, 9.81);
    out.shown.col(n) = gain.asDiagonal() * (axes * out.felt.col(n));
    for (Index k = 0; k < 3; ++k) out.shown(k, n) += noise * random.normal();
  }
  return out;
}

TEST(InsituTurnedSensor, TheTurnIsFound) {
  const Vector3d gain(1.08, 0.93, 1.0);
  for (const Vector3d& vector :
       {Vector3d(0.0, 0.0, 1.5708), Vector3d(0.15, -0.1, 0.1), Vector3d(0.0, 3.1416, 0.0), Vector3d(0.0, 0.0, 0.09)}) {
    const Matrix3d turn = Eigen::AngleAxisd(vector.norm(), vector.normalized()).toRotationMatrix();
    const Samples s = samples(turn.transpose(), gain, 0.03);
    const TurnedSensor found = turn_of(s.shown, s.felt, {0, 1, 2});
    EXPECT_TRUE(found.told()) << vector.transpose();
    // Noise of 5 % of 600 samples: 0.2 % on each entry; unlike gains are taken out by the length of the rows.
    EXPECT_LT((found.turn - turn).cwiseAbs().maxCoeff(), 0.01) << vector.transpose();
    EXPECT_LT(found.left, 0.3 * found.as_named);
  }
}

TEST(InsituTurnedSensor, OtherFaultsAreNoTurns) {
  const Matrix3d straight = Matrix3d::Identity();
  Matrix3d reversed = straight, exchanged = straight;
  reversed(2, 2) = -1.0;
  exchanged.row(0).swap(exchanged.row(1));
  for (const Matrix3d& axes : {straight, reversed, exchanged}) {
    const Samples s = samples(axes, {1.0, 1.0, 1.0}, 0.03);
    EXPECT_FALSE(turn_of(s.shown, s.felt, {0, 1, 2}).told());
  }
  const Samples weak = samples(straight, {1.0, 1.0 / 9.80665, 1.0}, 0.001);
  EXPECT_FALSE(turn_of(weak.shown, weak.felt, {0, 1, 2}).told());
}

TEST(InsituTurnedSensor, ExchangedAxesAreNamed) {
  const Matrix3d turn = Eigen::AngleAxisd(1.5707963267948966, Vector3d::UnitZ()).toRotationMatrix();
  const Finding f = describe_turn("a3", turn);
  EXPECT_EQ(f.code, "sensor_turned");
  EXPECT_EQ(f.where, "a3");
  // Turned by +90 degrees about z, the sensor's x points along y, its y against x.
  EXPECT_NE(f.message.find("its x shows y, its y shows -x"), std::string::npos) << f.message;
}

}  // namespace
}  // namespace kdyn::inline insitu::internal
