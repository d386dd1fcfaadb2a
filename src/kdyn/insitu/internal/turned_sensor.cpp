// SPDX-License-Identifier: Apache-2.0
#include "kdyn/insitu/internal/turned_sensor.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/signal/channel_fault.hpp"

namespace kdyn::inline insitu::internal {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

namespace {

constexpr double smallest_turn = 3.0 * degree;  // less is a matter of mounting, and of intervals
constexpr double visible = 0.01;                // power left over below which an axis counts as well explained
constexpr double no_rotation = 0.3;             // entries of a regression that is none

}  // namespace

double TurnedSensor::angle() const { return Eigen::AngleAxisd(turn).angle(); }

bool TurnedSensor::told() const { return as_named > visible && distance < no_rotation && angle() > smallest_turn; }

TurnedSensor turn_of(const MatrixXd& shown, const MatrixXd& expected, const std::array<Index, 3>& rows) {
  TurnedSensor out;
  Vector3d mean_m = Vector3d::Zero(), mean_c = Vector3d::Zero();
  double count = 0.0;
  const auto at = [&](const MatrixXd& of, Index n) { return Vector3d(of(rows[0], n), of(rows[1], n), of(rows[2], n)); };
  for (Index n = 0; n < shown.cols(); ++n)
    if (const Vector3d m = at(shown, n); m.allFinite()) mean_m += m, mean_c += at(expected, n), count += 1.0;
  if (count < 10.0) return out;
  mean_m /= count, mean_c /= count;
  Matrix3d mc = Matrix3d::Zero(), cc = Matrix3d::Zero(), mm = Matrix3d::Zero();
  for (Index n = 0; n < shown.cols(); ++n)
    if (const Vector3d m = at(shown, n); m.allFinite()) {
      const Vector3d a = m - mean_m, b = at(expected, n) - mean_c;
      mc += a * b.transpose(), cc += b * b.transpose(), mm += a * a.transpose();
    }
  // A direction in which the body hardly moves says nothing about the axis that should show it.
  const Eigen::LDLT<MatrixXd> solver{MatrixXd(cc)};
  if (!(solver.rcond() > 1e-6)) return out;
  const Matrix3d B = solver.solve(MatrixXd(mc.transpose())).transpose();
  Matrix3d rotation = B;
  for (int k = 0; k < 3; ++k) {
    if (!(mm(k, k) > 0.0) || !(B.row(k).norm() > 0.0)) return out;
    out.as_named += (1.0 - mc(k, k) * std::abs(mc(k, k)) / (mm(k, k) * cc(k, k))) / 3.0;
    out.left += (1.0 - B.row(k).dot(mc.row(k)) / mm(k, k)) / 3.0;
    rotation.row(k) /= B.row(k).norm();
  }
  const Eigen::JacobiSVD<MatrixXd> svd(MatrixXd(rotation), Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Matrix3d nearest = svd.matrixU() * svd.matrixV().transpose();
  out.distance = nearest.determinant() > 0.0 ? (rotation - nearest).cwiseAbs().maxCoeff() : 1.0;
  out.turn = nearest.transpose();
  return out;
}

bool can_turn(const mbs::Output& output) {
  using mbs::OutputKind;
  return output.own_axes && (output.kind == OutputKind::accelerometer || output.kind == OutputKind::spin ||
                             output.kind == OutputKind::between);
}

Finding describe_turn(const std::string& sensor, const Matrix3d& turn) {
  constexpr const char* names[] = {"x", "y", "z"};
  const Eigen::AngleAxisd about(turn);
  const Vector3d vector = about.angle() * about.axis();
  // Axes that are exchanged are told as such: x of the sensor shows what belongs to another one.
  std::string exchanged;
  bool plain = true;
  for (int k = 0; k < 3; ++k) {
    Index axis = 0;
    const double most = turn.col(k).cwiseAbs().maxCoeff(&axis);
    plain = plain && most > std::cos(8.0 * degree);
    if (axis != k || turn(axis, k) < 0.0)
      exchanged += fmt::format("{}its {} shows {}{}", exchanged.empty() ? "" : ", ", names[k],
                               turn(axis, k) < 0.0 ? "-" : "", names[axis]);
  }
  const std::string how = plain && !exchanged.empty()
                              ? exchanged
                              : fmt::format("by {:.1f} degrees about ({:.2f}, {:.2f}, {:.2f})", about.angle() / degree,
                                            about.axis()[0], about.axis()[1], about.axis()[2]);
  return describe_turned(
      sensor, how,
      fmt::format(
          "give its rotation, or \"turn\": [{:.4f}, {:.4f}, {:.4f}] beyond it; turns of up to half a radian are "
          "found by the fit: \"unknown\": [\"orientation\"]",
          vector[0], vector[1], vector[2]));
}

}  // namespace kdyn::inline insitu::internal
