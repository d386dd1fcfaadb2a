// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/shell.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

[[noreturn]] void throw_bad_shape(const char* what) {
  throw_bad_input("shell element", what, "check the order and the positions of its nodes");
}

// Node values at the mid surface from those at the nodes, then from local to global axes: [fe E4].
template <int Nodes>
void to_global(Eigen::Matrix<double, 6 * Nodes, 6 * Nodes>& matrix, const Matrix3d& axes, const double* height) {
  for (int n = 0; n < Nodes; ++n) {
    if (height[n] == 0.0) continue;
    const double h = height[n];  // of the mid surface above the node: u += ry h, v -= rx h
    matrix.col(6 * n + 4) += h * matrix.col(6 * n);
    matrix.col(6 * n + 3) -= h * matrix.col(6 * n + 1);
    matrix.row(6 * n + 4) += h * matrix.row(6 * n);
    matrix.row(6 * n + 3) -= h * matrix.row(6 * n + 1);
  }
  for (int c = 0; c < 2 * Nodes; ++c)
    for (int r = 0; r < 2 * Nodes; ++r) {
      const Matrix3d block = matrix.template block<3, 3>(3 * r, 3 * c);
      matrix.template block<3, 3>(3 * r, 3 * c).noalias() = axes * (block * axes.transpose()).eval();
    }
}

// Thickness at a point over that of the property.
template <int Nodes>
double thickness_ratio(const Eigen::Matrix<double, Nodes, 1>& n, const ShellInput& in) {
  if (in.corners[0] == 0.0) return 1.0;
  double out = 0.0;
  for (int i = 0; i < Nodes; ++i) out += n[i] * in.corners[static_cast<std::size_t>(i)];
  return out;
}

// Of a direction in the plane, from the x axis of the element.
double angle_in(const Matrix3d& axes, const Vector3d& direction) {
  return std::atan2(axes.col(1).dot(direction), axes.col(0).dot(direction));
}

// Mass by the in-plane shape functions `n` with weight dA: consistent, or lumped on the translations.
template <int Nodes>
void add_mass(ShellMatrices<6 * Nodes>& out, const Eigen::Matrix<double, Nodes, 1>& n, double area,
              const ShellInput& in) {
  const double t = in.thickness * thickness_ratio(n, in);
  const double linear = (in.law ? in.law->mass : in.density * t) * area,
               cubic = (in.law ? in.law->turning : in.density * std::pow(t, 3) / 12.0) * area;
  const double added = in.added_mass * area;
  for (int j = 0; j < Nodes; ++j)
    for (int i = 0; i < Nodes; ++i) {
      const int row = in.consistent_mass ? i : j;  // lumped: the row sum goes to the diagonal
      for (int c = 0; c < 3; ++c) {
        out.m_linear(6 * row + c, 6 * j + c) += linear * n[i] * n[j];
        out.m_added(6 * row + c, 6 * j + c) += added * n[i] * n[j];
      }
      if (in.consistent_mass)
        for (int c = 3; c < 5; ++c) out.m_cubic(6 * i + c, 6 * j + c) += cubic * n[i] * n[j];
    }
}

// [fe E5] gamma G t (rz - (v,x - u,y) / 2)^2 with weight dA.
template <int Nodes>
void add_drilling(Eigen::Matrix<double, 6 * Nodes, 6 * Nodes>& k, const Eigen::Matrix<double, Nodes, 1>& n,
                  const Eigen::Matrix<double, 2, Nodes>& gradient, double stiffness) {
  Eigen::Matrix<double, 6 * Nodes, 1> b = Eigen::Matrix<double, 6 * Nodes, 1>::Zero();
  for (int i = 0; i < Nodes; ++i) {
    b[6 * i] = 0.5 * gradient(1, i);
    b[6 * i + 1] = -0.5 * gradient(0, i);
    b[6 * i + 5] = n[i];
  }
  k.noalias() += stiffness * b * b.transpose();
}

struct QuadPoint {
  Eigen::Vector4d n;
  Eigen::Matrix<double, 2, 4> slope;  // d/dxi, d/deta
};
QuadPoint quad_point(double xi, double eta) {
  static const double x[4] = {-1, 1, 1, -1}, y[4] = {-1, -1, 1, 1};
  QuadPoint out;
  for (int i = 0; i < 4; ++i) {
    out.n[i] = 0.25 * (1 + x[i] * xi) * (1 + y[i] * eta);
    out.slope(0, i) = 0.25 * x[i] * (1 + y[i] * eta);
    out.slope(1, i) = 0.25 * y[i] * (1 + x[i] * xi);
  }
  return out;
}

// Covariant transverse shear of [fe E2] at a point: row of (w, rx, ry) per node, along direction 0 (xi) or 1 (eta).
Eigen::Matrix<double, 1, 12> covariant_shear(const Eigen::Matrix<double, 2, 4>& flat, double xi, double eta,
                                             int direction) {
  const QuadPoint p = quad_point(xi, eta);
  const Vector2d tangent = flat * p.slope.row(direction).transpose();
  Eigen::Matrix<double, 1, 12> b;
  for (int i = 0; i < 4; ++i) {
    b[3 * i] = p.slope(direction, i);
    b[3 * i + 1] = -p.n[i] * tangent.y();  // gamma_y = w,y - rx
    b[3 * i + 2] = p.n[i] * tangent.x();   // gamma_x = w,x + ry
  }
  return b;
}

// Rows of a small stiffness (components `part` of each node) go to their places among six per node.
template <int Nodes, int Per, class Small>
void scatter(Eigen::Matrix<double, 6 * Nodes, 6 * Nodes>& k, const Small& small, const int (&part)[Per]) {
  for (int j = 0; j < Nodes; ++j)
    for (int d = 0; d < Per; ++d)
      for (int i = 0; i < Nodes; ++i)
        for (int c = 0; c < Per; ++c) k(6 * i + part[c], 6 * j + part[d]) += small(Per * i + c, Per * j + d);
}

template <int Size>
void clear(ShellMatrices<Size>& out) {
  out.k_linear.setZero(), out.k_cubic.setZero(), out.m_linear.setZero(), out.m_cubic.setZero(), out.m_added.setZero();
}

template <int Nodes>
void finish(ShellMatrices<6 * Nodes>& out, const Matrix3d& axes, const double* height, const ShellInput& in) {
  to_global<Nodes>(out.k_linear, axes, height);
  to_global<Nodes>(out.k_cubic, axes, height);
  bool plain = true;  // translations weigh the same in all axes, so only rotations and arms need the turn
  for (int i = 0; i < Nodes; ++i) plain = plain && height[i] == 0.0;
  if (!plain) {
    to_global<Nodes>(out.m_linear, axes, height);
    if (in.added_mass != 0.0) to_global<Nodes>(out.m_added, axes, height);
  }
  if (in.consistent_mass) to_global<Nodes>(out.m_cubic, axes, height);
}

}  // namespace

Matrix3d plane_stress(double young, double poisson) {
  Matrix3d c;
  c << 1.0, poisson, 0.0, poisson, 1.0, 0.0, 0.0, 0.0, 0.5 * (1.0 - poisson);
  return c * (young / (1.0 - poisson * poisson));
}

TurnedLaw turned(const ShellLaw& law, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Matrix3d t;  // strains in the axes of the material from those of the element
  t << c * c, s * s, c * s, s * s, c * c, -c * s, -2.0 * c * s, 2.0 * c * s, c * c - s * s;
  Eigen::Matrix2d r;
  r << c, s, -s, c;
  return {t.transpose() * law.membrane * t, t.transpose() * law.coupling * t, t.transpose() * law.bending * t,
          r.transpose() * law.shear * r};
}

double drilling_stiffness(const ShellLaw& law) {
  // Shear stiffness over the angle is a mean and a wave of four periods: four samples give its least value.
  double at[4];
  for (int i = 0; i < 4; ++i) at[i] = turned(law, std::numbers::pi / 8.0 * i).membrane(2, 2);
  return std::max(0.0, 0.5 * (at[0] + at[2]) - 0.5 * std::hypot(at[0] - at[2], at[1] - at[3]));
}

ShellMatrices<24> shell_quad(const Eigen::Matrix<double, 3, 4>& corners, const ShellInput& in) {
  // Mean plane: normal of the diagonals, x along the bisector of the mid lines.
  const Vector3d d1 = corners.col(2) - corners.col(0), d2 = corners.col(3) - corners.col(1);
  Vector3d normal = d1.cross(d2);
  const double twice_area = normal.norm();
  if (!(twice_area > 1e-14 * (d1.squaredNorm() + d2.squaredNorm()))) throw_bad_shape("the quadrilateral has no area");
  normal /= twice_area;
  const Vector3d centre = 0.25 * (corners.col(0) + corners.col(1) + corners.col(2) + corners.col(3));
  Matrix3d axes;
  axes.col(0) = (d1 - d2).normalized();
  axes.col(0) = (axes.col(0) - normal * normal.dot(axes.col(0))).normalized();
  axes.col(1) = normal.cross(axes.col(0));
  axes.col(2) = normal;
  Eigen::Matrix<double, 2, 4> flat;
  double height[4];
  const double size = std::sqrt(twice_area);
  for (int i = 0; i < 4; ++i) {
    const Vector3d local = axes.transpose() * (corners.col(i) - centre);
    flat.col(i) = local.head<2>();
    const double warp = std::abs(local.z()) < 1e-12 * size ? 0.0 : local.z();
    height[i] = in.offset - warp;
  }

  ShellMatrices<24> out;
  clear(out);
  const Matrix3d c = in.law ? Matrix3d::Zero() : plane_stress(in.young, in.poisson);
  TurnedLaw law;
  if (in.law) law = turned(*in.law, angle_in(axes, corners.col(1) - corners.col(0)) + in.angle);
  const double drilling = in.drilling_factor * (in.law ? drilling_stiffness(*in.law) : in.shear * in.thickness);
  const double shear_ratio = in.shear_ratio > 0.0 ? in.shear_ratio : rigid_shear;
  const QuadPoint middle = quad_point(0.0, 0.0);
  const Eigen::Matrix2d j0 = middle.slope * flat.transpose();
  const double det0 = j0.determinant();
  if (!(det0 > 0.0)) throw_bad_shape("the quadrilateral is folded");
  const Eigen::Matrix2d j0_inverse = j0.inverse();

  Eigen::Matrix<double, 8, 8> kuu = Eigen::Matrix<double, 8, 8>::Zero();
  Eigen::Matrix<double, 8, 4> kua = Eigen::Matrix<double, 8, 4>::Zero();
  Eigen::Matrix4d kaa = Eigen::Matrix4d::Zero();
  Eigen::Matrix<double, 12, 12> bending = Eigen::Matrix<double, 12, 12>::Zero(), shear = bending;
  Eigen::Matrix<double, 8, 12> kuw = Eigen::Matrix<double, 8, 12>::Zero();  // membrane and bending, of laws only
  Eigen::Matrix<double, 12, 4> kwa = Eigen::Matrix<double, 12, 4>::Zero();
  const Eigen::Matrix<double, 1, 12> shear_low = covariant_shear(flat, 0, -1, 0),
                                     shear_high = covariant_shear(flat, 0, 1, 0);
  const Eigen::Matrix<double, 1, 12> shear_left = covariant_shear(flat, -1, 0, 1),
                                     shear_right = covariant_shear(flat, 1, 0, 1);
  const double g = 1.0 / std::sqrt(3.0);
  for (int point = 0; point < 4; ++point) {
    const double xi = point % 2 ? g : -g, eta = point / 2 ? g : -g;
    const QuadPoint p = quad_point(xi, eta);
    const Eigen::Matrix2d j = p.slope * flat.transpose();
    const double det = j.determinant();
    if (!(det > 0.0)) throw_bad_shape("the quadrilateral is folded at a corner");
    const Eigen::Matrix2d inverse = j.inverse();
    const Eigen::Matrix<double, 2, 4> d = inverse * p.slope;

    Eigen::Matrix<double, 3, 8> b;  // membrane and, with other signs, curvature
    for (int i = 0; i < 4; ++i) {
      b.col(2 * i) << d(0, i), 0.0, d(1, i);
      b.col(2 * i + 1) << 0.0, d(1, i), d(0, i);
    }
    // [fe E1] slopes of 1 - xi^2 and 1 - eta^2 with the Jacobian of the centre, scaled so that constant stress does no
    // work on them.
    Eigen::Matrix2d extra;
    extra.col(0) = j0_inverse.col(0) * (-2.0 * xi * det0 / det);
    extra.col(1) = j0_inverse.col(1) * (-2.0 * eta * det0 / det);
    Eigen::Matrix<double, 3, 4> g_extra;
    for (int i = 0; i < 2; ++i) {
      g_extra.col(2 * i) << extra(0, i), 0.0, extra(1, i);
      g_extra.col(2 * i + 1) << 0.0, extra(1, i), extra(0, i);
    }
    const double ratio = thickness_ratio<4>(p.n, in), t = in.thickness * ratio;
    const Matrix3d membrane = in.law ? Matrix3d(det * law.membrane) : Matrix3d((t * det) * c);
    const Eigen::Matrix<double, 3, 8> cb = membrane * b;
    kuu.noalias() += b.transpose() * cb;
    kua.noalias() += cb.transpose() * g_extra;
    kaa.noalias() += g_extra.transpose() * (membrane * g_extra);

    Eigen::Matrix<double, 3, 12> curvature;
    for (int i = 0; i < 4; ++i) {
      curvature.col(3 * i).setZero();
      curvature.col(3 * i + 1) << 0.0, -d(1, i), -d(0, i);  // beta_y = -rx
      curvature.col(3 * i + 2) << d(0, i), 0.0, d(1, i);    // beta_x = ry
    }
    const Matrix3d plate =
        in.law ? Matrix3d(det * law.bending) : Matrix3d((in.bending_ratio * t * t * t / 12.0 * det) * c);
    bending.noalias() += curvature.transpose() * (plate * curvature);
    if (in.law) {
      const Eigen::Matrix<double, 3, 12> bc = det * (law.coupling * curvature);
      kuw.noalias() += b.transpose() * bc;
      kwa.noalias() += bc.transpose() * g_extra;
    }
    // [fe E2]
    Eigen::Matrix<double, 2, 12> covariant;
    covariant.row(0) = 0.5 * (1 - eta) * shear_low + 0.5 * (1 + eta) * shear_high;
    covariant.row(1) = 0.5 * (1 - xi) * shear_left + 0.5 * (1 + xi) * shear_right;
    const Eigen::Matrix<double, 2, 12> gamma = inverse * covariant;
    Eigen::Matrix2d stiff = (shear_ratio * in.shear * t * det) * Eigen::Matrix2d::Identity();
    if (in.law) stiff = det * law.shear;
    shear.noalias() += gamma.transpose() * (stiff * gamma);

    add_drilling<4>(out.k_linear, p.n, d, drilling * ratio * det);
    add_mass<4>(out, p.n, det, in);
  }
  if (in.law) {
    const bool membrane = law.membrane.trace() > 0.0;  // a plate without membrane has no amplitudes to condense
    const Eigen::LDLT<Eigen::Matrix4d> inner(membrane ? kaa : Eigen::Matrix4d(Eigen::Matrix4d::Identity()));
    const Eigen::Matrix<double, 4, 12> of_bending = inner.solve(kwa.transpose());
    kuw.noalias() -= kua * of_bending;
    bending.noalias() -= kwa * of_bending;
    kuu.noalias() -= kua * inner.solve(kua.transpose());
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        for (int a = 0; a < 2; ++a)
          for (int d = 0; d < 3; ++d) {
            out.k_linear(6 * i + a, 6 * j + 2 + d) += kuw(2 * i + a, 3 * j + d);
            out.k_linear(6 * j + 2 + d, 6 * i + a) += kuw(2 * i + a, 3 * j + d);
          }
  } else {
    kuu.noalias() -= kua * kaa.ldlt().solve(kua.transpose());
  }
  scatter<4, 2>(out.k_linear, kuu, {0, 1});
  scatter<4, 3>(out.k_linear, shear, {2, 3, 4});
  scatter<4, 3>(in.law ? out.k_linear : out.k_cubic, bending, {2, 3, 4});
  finish<4>(out, axes, height, in);
  return out;
}

ShellMatrices<18> shell_triangle(const Matrix3d& corners, const ShellInput& in) {
  const Vector3d e1 = corners.col(1) - corners.col(0), e2 = corners.col(2) - corners.col(0);
  const Vector3d cross = e1.cross(e2);
  const double area = 0.5 * cross.norm();
  if (!(area > 1e-14 * (e1.squaredNorm() + e2.squaredNorm()))) throw_bad_shape("the triangle has no area");
  Matrix3d axes;
  axes.col(0) = e1.normalized();
  axes.col(2) = cross / (2.0 * area);
  axes.col(1) = axes.col(2).cross(axes.col(0));
  Eigen::Matrix<double, 2, 3> flat;
  for (int i = 0; i < 3; ++i) flat.col(i) = (axes.transpose() * (corners.col(i) - corners.col(0))).head<2>();
  const double height[3] = {in.offset, in.offset, in.offset};

  ShellMatrices<18> out;
  clear(out);
  const Matrix3d c = in.law ? Matrix3d::Zero() : plane_stress(in.young, in.poisson);
  TurnedLaw law;
  if (in.law) law = turned(*in.law, in.angle);
  const double drilling = in.drilling_factor * (in.law ? drilling_stiffness(*in.law) : in.shear * in.thickness);
  Eigen::Matrix<double, 2, 3> d;  // slopes of the area coordinates
  for (int i = 0; i < 3; ++i) {
    const Vector2d side = flat.col((i + 2) % 3) - flat.col((i + 1) % 3);
    d.col(i) = Vector2d(-side.y(), side.x()) / (2.0 * area);
  }
  Eigen::Matrix<double, 3, 6> b;
  for (int i = 0; i < 3; ++i) {
    b.col(2 * i) << d(0, i), 0.0, d(1, i);
    b.col(2 * i + 1) << 0.0, d(1, i), d(0, i);
  }
  const double mean = in.thickness * thickness_ratio<3>(Vector3d::Constant(1.0 / 3.0), in);
  const Eigen::Matrix<double, 6, 6> membrane =
      b.transpose() * (in.law ? Matrix3d(area * law.membrane) : Matrix3d((mean * area) * c)) * b;
  scatter<3, 2>(out.k_linear, membrane, {0, 1});

  // [fe E3] rotations beta = (ry, -rx) at corners and mid sides from (w, rx, ry) of the corners.
  Eigen::Matrix<double, 12, 9> beta = Eigen::Matrix<double, 12, 9>::Zero();
  for (int i = 0; i < 3; ++i) beta(2 * i, 3 * i + 2) = 1.0, beta(2 * i + 1, 3 * i + 1) = -1.0;
  for (int side = 0; side < 3; ++side) {
    const int i = side, j = (side + 1) % 3, mid = 3 + side;
    const Vector2d along = flat.col(j) - flat.col(i);
    const double length = along.norm();
    const Vector2d s = along / length, n(-s.y(), s.x());
    Eigen::Matrix<double, 1, 9> tangential = Eigen::Matrix<double, 1, 9>::Zero(), across = tangential;
    for (const int k : {i, j}) {
      tangential -= 0.25 * (s.x() * beta.row(2 * k) + s.y() * beta.row(2 * k + 1));
      across += 0.5 * (n.x() * beta.row(2 * k) + n.y() * beta.row(2 * k + 1));
    }
    tangential[3 * i] += 1.5 / length;
    tangential[3 * j] -= 1.5 / length;
    beta.row(2 * mid) = s.x() * tangential + n.x() * across;
    beta.row(2 * mid + 1) = s.y() * tangential + n.y() * across;
  }
  Eigen::Matrix<double, 9, 9> bending = Eigen::Matrix<double, 9, 9>::Zero();
  Eigen::Matrix<double, 6, 9> coupling = Eigen::Matrix<double, 6, 9>::Zero();
  for (int point = 0; point < 3; ++point) {
    Vector3d l = Vector3d::Constant(1.0 / 6.0);
    l[point] = 2.0 / 3.0;
    Eigen::Matrix<double, 2, 6> slope;  // of the quadratic shape functions
    for (int i = 0; i < 3; ++i) {
      slope.col(i) = (4.0 * l[i] - 1.0) * d.col(i);
      const int j = (i + 1) % 3;
      slope.col(3 + i) = 4.0 * (l[j] * d.col(i) + l[i] * d.col(j));
    }
    Eigen::Matrix<double, 3, 12> curvature;
    for (int i = 0; i < 6; ++i) {
      curvature.col(2 * i) << slope(0, i), 0.0, slope(1, i);
      curvature.col(2 * i + 1) << 0.0, slope(1, i), slope(0, i);
    }
    const Eigen::Matrix<double, 3, 9> full = curvature * beta;
    const double ratio = thickness_ratio<3>(l, in), t = in.thickness * ratio;
    const Matrix3d plate =
        in.law ? Matrix3d(area / 3.0 * law.bending) : Matrix3d((in.bending_ratio * t * t * t / 12.0 * area / 3.0) * c);
    bending.noalias() += full.transpose() * (plate * full);
    if (in.law) coupling.noalias() += b.transpose() * (area / 3.0 * law.coupling * full);
    add_drilling<3>(out.k_linear, l, d, drilling * ratio * area / 3.0);
    add_mass<3>(out, l, area / 3.0, in);
  }
  scatter<3, 3>(in.law ? out.k_linear : out.k_cubic, bending, {2, 3, 4});
  if (in.law)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int a = 0; a < 2; ++a)
          for (int e = 0; e < 3; ++e) {
            out.k_linear(6 * i + a, 6 * j + 2 + e) += coupling(2 * i + a, 3 * j + e);
            out.k_linear(6 * j + 2 + e, 6 * i + a) += coupling(2 * i + a, 3 * j + e);
          }
  finish<3>(out, axes, height, in);
  return out;
}

}  // namespace kdyn::fe
