// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/shear_panel.hpp"

#include <array>
#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/quadrature.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

// From the corners to those of the unit square, as rows a, b, c; c.p is positive inside.
Matrix3d to_square(const std::array<Vector2d, 4>& q) {
  // From the square to the corners: columns by the four points, (0,0) (1,0) (1,1) (0,1).
  Matrix3d basis;
  for (int i = 0; i < 3; ++i) basis.col(i) << q[static_cast<std::size_t>(i)], 1.0;
  const Vector3d scale = basis.inverse() * Vector3d(q[3].x(), q[3].y(), 1.0);
  Matrix3d square;
  square << 0, 1, 1, 0, 0, 1, 1, 1, 1;
  const Vector3d own = square.inverse() * Vector3d(0.0, 1.0, 1.0);
  const Matrix3d map = basis * scale.cwiseQuotient(own).asDiagonal() * square.inverse();
  Matrix3d back = map.inverse();
  return back / back.row(2).dot(Vector3d(q[0].x(), q[0].y(), 1.0));
}

struct StressFunction {
  Vector2d slope;
  Matrix2d curvature;
};
StressFunction stress_function(const Matrix3d& rows, const Vector2d& at) {  // [fe E41]
  const Vector3d p(at.x(), at.y(), 1.0), value = rows * p;
  const Vector2d a = rows.row(0).head<2>(), b = rows.row(1).head<2>(), c = rows.row(2).head<2>();
  const double A = value[0], B = value[1], C = value[2];
  const Vector2d ab = a * B + A * b;
  StressFunction out;
  out.slope = ab / C - A * B / (C * C) * c;
  out.curvature = (a * b.transpose() + b * a.transpose()) / C - (ab * c.transpose() + c * ab.transpose()) / (C * C) +
                  2.0 * A * B / (C * C * C) * (c * c.transpose());
  return out;
}

}  // namespace

ShearPanel shear_panel(const Eigen::Matrix<double, 3, 4>& corners, double thickness, double young, double poisson,
                       double shear) {
  const Vector3d first = corners.col(2) - corners.col(0), second = corners.col(3) - corners.col(1);
  const Vector3d normal = first.cross(second).normalized(), x = (first - normal * normal.dot(first)).normalized(),
                 y = normal.cross(x), middle = corners.rowwise().mean();
  std::array<Vector2d, 4> q;
  for (int i = 0; i < 4; ++i)
    q[static_cast<std::size_t>(i)] = {x.dot(corners.col(i) - middle), y.dot(corners.col(i) - middle)};
  const auto corner = [&](int i) -> const Vector2d& { return q[static_cast<std::size_t>(i % 4)]; };
  ShearPanel out;
  out.area = 0.5 * first.cross(second).norm();
  for (int i = 0; i < 4; ++i) {
    const Vector2d side = corner(i + 1) - corner(i), next = corner(i + 2) - corner(i + 1);
    if (!(side.x() * next.y() - side.y() * next.x() > 1e-6 * out.area))
      throw_bad_input("shear panel", "its corners are no convex quadrilateral",
                      "give the corners in order around the panel");
  }
  const Matrix3d rows = to_square(q);
  // Twice the complementary energy, by Gauss points of the panel as a bilinear quadrilateral.
  const GaussRule& rule = gauss_rule();
  double energy = 0.0;
  for (std::size_t i = 0; i < rule.node.size(); ++i)
    for (std::size_t k = 0; k < rule.node.size(); ++k) {
      const double r = 2.0 * rule.node[i] - 1.0, s = 2.0 * rule.node[k] - 1.0;
      const double n[4] = {0.25 * (1 - r) * (1 - s), 0.25 * (1 + r) * (1 - s), 0.25 * (1 + r) * (1 + s),
                           0.25 * (1 - r) * (1 + s)};
      const double nr[4] = {-0.25 * (1 - s), 0.25 * (1 - s), 0.25 * (1 + s), -0.25 * (1 + s)};
      const double ns[4] = {-0.25 * (1 - r), -0.25 * (1 + r), 0.25 * (1 + r), 0.25 * (1 - r)};
      Vector2d at = Vector2d::Zero();
      Matrix2d jacobian = Matrix2d::Zero();
      for (int j = 0; j < 4; ++j) {
        at += n[j] * corner(j);
        jacobian.row(0) += nr[j] * corner(j).transpose();
        jacobian.row(1) += ns[j] * corner(j).transpose();
      }
      const Matrix2d f = stress_function(rows, at).curvature;
      const double xx = f(1, 1), yy = f(0, 0), xy = -f(0, 1);
      energy += 4.0 * rule.weight[i] * rule.weight[k] * jacobian.determinant() * thickness *
                ((xx * xx + yy * yy - 2.0 * poisson * xx * yy) / young + xy * xy / shear);
    }
  // [fe E42] Traction along an edge is the change of (d phi/dy, -d phi/dx) on the way round.
  Eigen::Matrix<double, 12, 1> v = Eigen::Matrix<double, 12, 1>::Zero();
  for (int i = 0; i < 4; ++i) {
    const Vector2d change = stress_function(rows, corner(i + 1)).slope - stress_function(rows, corner(i)).slope;
    const Vector3d force = thickness * (change.y() * x - change.x() * y);
    v.segment<3>(3 * i) += 0.5 * force;
    v.segment<3>(3 * ((i + 1) % 4)) += 0.5 * force;
  }
  Eigen::Matrix<double, 12, 6> rigid;
  for (int i = 0; i < 4; ++i) rigid.middleRows<3>(3 * i) = rigid_arm(corners.col(i) - middle).topRows<3>();
  v -= rigid * (rigid.transpose() * rigid).ldlt().solve(rigid.transpose() * v);
  out.stiffness = v * v.transpose() / energy;
  return out;
}

}  // namespace kdyn::fe
