// SPDX-License-Identifier: Apache-2.0
// Curved quadrilateral shell of eight nodes. [fe E39]
#include <array>
#include <cmath>
#include <vector>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/shell.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::Vector3d;

struct CurvedPoint {
  Eigen::VectorXd n;
  Eigen::Matrix2Xd slope;
  double weight = 0.0;
};

CurvedPoint serendipity(double x, double y, double weight) {
  static const double cx[8] = {-1, 1, 1, -1, 0, 1, 0, -1}, cy[8] = {-1, -1, 1, 1, -1, 0, 1, 0};
  CurvedPoint p{Eigen::VectorXd(8), Eigen::Matrix2Xd(2, 8), weight};
  for (int i = 0; i < 8; ++i) {
    const double a = cx[i], b = cy[i], fx = 1 + a * x, fy = 1 + b * y;
    if (i < 4) {
      p.n[i] = 0.25 * fx * fy * (a * x + b * y - 1);
      p.slope(0, i) = 0.25 * a * fy * (2 * a * x + b * y);
      p.slope(1, i) = 0.25 * b * fx * (a * x + 2 * b * y);
    } else if (a == 0.0) {
      p.n[i] = 0.5 * (1 - x * x) * fy;
      p.slope(0, i) = -x * fy, p.slope(1, i) = 0.5 * b * (1 - x * x);
    } else {
      p.n[i] = 0.5 * (1 - y * y) * fx;
      p.slope(0, i) = 0.5 * a * (1 - y * y), p.slope(1, i) = -y * fx;
    }
  }
  return p;
}

// 2 x 2 points: the reduced rule under which the element bends without locking.
std::vector<CurvedPoint> stiffness_rule() {
  std::vector<CurvedPoint> out;
  const double g = 1.0 / std::sqrt(3.0);
  for (const double x : {-g, g})
    for (const double y : {-g, g}) out.push_back(serendipity(x, y, 1.0));
  return out;
}
std::vector<CurvedPoint> mass_rule() {
  std::vector<CurvedPoint> out;
  const double g = std::sqrt(0.6), w[2] = {8.0 / 9.0, 5.0 / 9.0};
  for (const double x : {-g, 0.0, g})
    for (const double y : {-g, 0.0, g}) out.push_back(serendipity(x, y, w[x != 0.0] * w[y != 0.0]));
  return out;
}

// Axes at a point: x along the first natural direction, the normal, and the area of a natural unit.
struct Surface {
  Matrix3d axes;
  double area = 0.0;
};
Surface surface_at(const CurvedPoint& p, const Eigen::Matrix3Xd& nodes) {
  const Eigen::Matrix<double, 3, 2> tangent = nodes * p.slope.transpose();
  const Vector3d normal = tangent.col(0).cross(tangent.col(1));
  Surface out;
  out.area = normal.norm();
  if (!(out.area > 1e-14 * tangent.squaredNorm()))
    throw_bad_input("shell element", "it has no area at a point", "check the order and the positions of its nodes");
  out.axes.col(0) = tangent.col(0).normalized();
  out.axes.col(2) = normal / out.area;
  out.axes.col(1) = out.axes.col(2).cross(out.axes.col(0));
  return out;
}

}  // namespace

ShellMatricesOfAnySize shell_quadratic(const Eigen::Matrix3Xd& nodes, const ShellInput& in) {
  const int count = static_cast<int>(nodes.cols()), size = 6 * count;
  demand(count == 8, "shells with midside nodes have eight");
  ShellMatricesOfAnySize out;
  for (MatrixXd* m : {&out.k_linear, &out.k_cubic, &out.m_linear, &out.m_cubic, &out.m_added}) m->setZero(size, size);
  // Normals at the nodes: the director moves with them.
  Eigen::Matrix3Xd normals(3, count);
  static const double qx[8] = {-1, 1, 1, -1, 0, 1, 0, -1}, qy[8] = {-1, -1, 1, 1, -1, 0, 1, 0};
  for (int i = 0; i < count; ++i) normals.col(i) = surface_at(serendipity(qx[i], qy[i], 0), nodes).axes.col(2);
  const Eigen::Matrix3Xd middle = nodes + in.offset * normals;  // of the mid surface
  const Matrix3d c = in.law ? Matrix3d::Zero() : plane_stress(in.young, in.poisson);
  const double t = in.thickness;
  const double drilling = in.drilling_factor * (in.law ? drilling_stiffness(*in.law) : in.shear * t);
  const Vector3d side = nodes.col(1) - nodes.col(0);

  for (const CurvedPoint& p : stiffness_rule()) {
    const Surface at = surface_at(p, middle);
    const Matrix3d& e = at.axes;
    const Eigen::Matrix<double, 3, 2> tangent = middle * p.slope.transpose();
    const Eigen::Matrix2d to_local = e.leftCols<2>().transpose() * tangent;  // local by natural
    const Eigen::Matrix2Xd d = to_local.transpose().inverse() * p.slope;     // slopes by the local axes
    const Vector3d director = normals * p.n;
    const Eigen::Matrix<double, 3, 2> bend = normals * d.transpose();  // slopes of the director
    // Rows by the motion of the mid surface: membrane xx yy xy, curvature xx yy xy, shear x y, drilling.
    Eigen::Matrix<double, 9, Eigen::Dynamic> b = Eigen::Matrix<double, 9, Eigen::Dynamic>::Zero(9, size);
    for (int i = 0; i < count; ++i) {
      Matrix3d spin;  // the director's motion by the rotation of the node: theta x n
      const Vector3d n = normals.col(i);
      spin << 0, n.z(), -n.y(), -n.z(), 0, n.x(), n.y(), -n.x(), 0;
      const auto move = [&](int row, const Vector3d& direction, double factor) {
        b.block<1, 3>(row, 6 * i) += factor * direction.transpose();
      };
      const auto turn = [&](int row, const Vector3d& direction, double factor) {
        b.block<1, 3>(row, 6 * i + 3) += factor * (direction.transpose() * spin);
      };
      for (int a = 0; a < 2; ++a) {
        const int other = 1 - a;
        move(a, e.col(a), d(a, i)), move(2, e.col(a), d(other, i));
        turn(3 + a, e.col(a), d(a, i)), turn(5, e.col(a), d(other, i));
        move(3 + a, bend.col(a), d(a, i)), move(5, bend.col(other), d(a, i));
        move(6 + a, director, d(a, i)), turn(6 + a, e.col(a), p.n[i]);
      }
      b.block<1, 3>(8, 6 * i + 3) += p.n[i] * e.col(2).transpose();
      move(8, e.col(1), -0.5 * d(0, i)), move(8, e.col(0), 0.5 * d(1, i));
      // The nodes carry the mid surface: u_mid = u + theta x (offset n).
      if (in.offset != 0.0) b.middleCols<3>(6 * i + 3) += in.offset * (b.middleCols<3>(6 * i) * spin).eval();
    }
    const double area = p.weight * at.area;
    Matrix3d membrane = t * c, plate = in.bending_ratio * t * t * t / 12.0 * c, coupling = Matrix3d::Zero();
    Eigen::Matrix2d shear =
        (in.shear_ratio > 0.0 ? in.shear_ratio : rigid_shear) * in.shear * t * Eigen::Matrix2d::Identity();
    if (in.law) {
      const TurnedLaw law = turned(*in.law, std::atan2(e.col(1).dot(side), e.col(0).dot(side)) + in.angle);
      membrane = law.membrane, plate = law.bending, coupling = law.coupling, shear = law.shear;
    }
    const auto rows = [&](int first, int how_many) { return b.middleRows(first, how_many); };
    out.k_linear.noalias() += area * (rows(0, 3).transpose() * membrane * rows(0, 3));
    out.k_linear.noalias() += area * (rows(6, 2).transpose() * shear * rows(6, 2));
    out.k_linear.noalias() += (area * drilling) * (rows(8, 1).transpose() * rows(8, 1));
    (in.law ? out.k_linear : out.k_cubic).noalias() += area * (rows(3, 3).transpose() * plate * rows(3, 3));
    if (in.law) {
      const MatrixXd mixed = area * (rows(0, 3).transpose() * coupling * rows(3, 3));
      out.k_linear += mixed + mixed.transpose();
    }
  }

  // Mass on the translations of the mid surface; rotary inertia of consistent mass.
  const double linear = in.law ? in.law->mass : in.density * t,
               cubic = in.law ? in.law->turning : in.density * t * t * t / 12.0;
  MatrixXd scalar = MatrixXd::Zero(count, count);
  for (const CurvedPoint& p : mass_rule())
    scalar.noalias() += (p.weight * surface_at(p, middle).area) * (p.n * p.n.transpose());
  if (!in.consistent_mass) {
    // Row sums are negative at corners: the scaled diagonal, as of quadratic solids.
    Eigen::VectorXd diagonal = scalar.diagonal() * (scalar.sum() / scalar.trace());
    scalar = diagonal.asDiagonal();
  }
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j)
      for (int k = 0; k < 3; ++k) {
        out.m_linear(6 * i + k, 6 * j + k) = linear * scalar(i, j);
        out.m_added(6 * i + k, 6 * j + k) = in.added_mass * scalar(i, j);
        if (in.consistent_mass) out.m_cubic(6 * i + 3 + k, 6 * j + 3 + k) = cubic * scalar(i, j);
      }
  if (in.offset != 0.0)
    for (MatrixXd* m : {&out.m_linear, &out.m_added}) {
      MatrixXd arm = MatrixXd::Identity(size, size);
      for (int i = 0; i < count; ++i) {
        const Vector3d n = in.offset * normals.col(i);
        arm.block<3, 3>(6 * i, 6 * i + 3) << 0, n.z(), -n.y(), -n.z(), 0, n.x(), n.y(), -n.x(), 0;
      }
      *m = (arm.transpose() * *m * arm).eval();
    }
  return out;
}

}  // namespace kdyn::fe
