// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/beam.hpp"

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d cross_matrix(const Vector3d& r) {
  Matrix3d out;
  out << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return out;
}

// Bending in one plane on (deflection, rotation) of both ends; `sign` turns the rotation for the other plane.
struct Plane {
  int deflection, rotation;
  double sign;
};
void add_plane(Matrix12& k, const Plane& plane, const Eigen::Matrix4d& four) {
  const int place[4] = {plane.deflection, plane.rotation, 6 + plane.deflection, 6 + plane.rotation};
  const double sign[4] = {1.0, plane.sign, 1.0, plane.sign};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) k(place[i], place[j]) += sign[i] * sign[j] * four(i, j);
}
constexpr Plane planes[2] = {{1, 5, 1.0}, {2, 4, -1.0}};

Eigen::Matrix4d bending_stiffness(double ei, double shear_stiffness, double l) {
  const double phi = shear_stiffness > 0.0 ? 12.0 * ei / (shear_stiffness * l * l) : 0.0;
  Eigen::Matrix4d k;
  k << 12, 6 * l, -12, 6 * l, 6 * l, (4 + phi) * l * l, -6 * l, (2 - phi) * l * l, -12, -6 * l, 12, -6 * l, 6 * l,
      (2 - phi) * l * l, -6 * l, (4 + phi) * l * l;
  return k * (ei / (l * l * l * (1 + phi)));
}

Matrix12 bar_mass(double per_length, double polar_per_length, double l, bool consistent) {
  Matrix12 m = Matrix12::Zero();
  if (!consistent) {
    for (const int end : {0, 6})
      for (int c = 0; c < 4; ++c) m(end + c, end + c) = 0.5 * l * (c < 3 ? per_length : polar_per_length);
    return m;
  }
  const auto line = [&](int c, double density) {
    m(c, c) = m(6 + c, 6 + c) = density * l / 3.0;
    m(c, 6 + c) = m(6 + c, c) = density * l / 6.0;
  };
  line(0, per_length);
  line(3, polar_per_length);
  Eigen::Matrix4d four;
  four << 156, 22 * l, 54, -13 * l, 22 * l, 4 * l * l, 13 * l, -3 * l * l, 54, 13 * l, 156, -22 * l, -13 * l,
      -3 * l * l, -22 * l, 4 * l * l;
  for (const Plane& plane : planes) add_plane(m, plane, four * (per_length * l / 420.0));
  return m;
}

void turn(Matrix12& m, const Matrix3d& axes, const Matrix12& arms) {
  Matrix12 t = Matrix12::Zero();
  for (int i = 0; i < 4; ++i) t.block<3, 3>(3 * i, 3 * i) = axes.transpose();
  const Matrix12 both = t * arms;
  m = (both.transpose() * m * both).eval();
}

}  // namespace

Matrix6 rigid_arm(const Vector3d& arm) {
  Matrix6 out = Matrix6::Identity();
  out.topRightCorner<3, 3>() = -cross_matrix(arm);
  return out;
}

BeamMatrices beam_element(const Vector3d& a, const Vector3d& b, const Element& element, const Property& property,
                          const Material& material, bool consistent_mass) {
  const Vector3d start = a + element.arms[0], along = b + element.arms[1] - start;
  const double l = along.norm();
  const auto complain = [&](const char* what, const char* remedy) {
    throw_bad_input(fmt::format("element {}", element.label), what, remedy);
  };
  if (!(l > 0.0)) complain("the beam has no length", "give it two different end points");
  Matrix3d axes;
  axes.col(0) = along / l;
  Vector3d v = element.orientation;
  if (element.shape == Shape::rod) v = std::abs(axes(0, 0)) < 0.9 ? Vector3d::UnitX() : Vector3d::UnitY();
  axes.col(2) = axes.col(0).cross(v);
  if (!(axes.col(2).norm() > 1e-8 * v.norm()) || v.norm() == 0.0)
    complain("the orientation vector of the beam is zero or lies along it",
             "give a vector that spans plane 1 together with the axis");
  axes.col(2).normalize();
  axes.col(1) = axes.col(2).cross(axes.col(0));

  const double e = material.young, g = material.shear > 0.0 ? material.shear : 0.5 * e / (1.0 + material.poisson);
  BeamMatrices out;
  out.stiffness.setZero();
  const auto line = [&](int c, double k) {
    out.stiffness(c, c) += k, out.stiffness(6 + c, 6 + c) += k;
    out.stiffness(c, 6 + c) -= k, out.stiffness(6 + c, c) -= k;
  };
  line(0, e * property.area / l);
  line(3, g * property.torsion / l);
  if (element.shape == Shape::beam) {
    add_plane(out.stiffness, planes[0],
              bending_stiffness(e * property.inertia_1, property.shear_1 * property.area * g, l));
    add_plane(out.stiffness, planes[1],
              bending_stiffness(e * property.inertia_2, property.shear_2 * property.area * g, l));
  }
  const bool consistent = consistent_mass && element.shape == Shape::beam;
  const double polar = consistent || property.polar_inertia ? property.inertia_1 + property.inertia_2 : 0.0;
  out.mass = bar_mass(material.density * property.area, material.density * polar, l, consistent);
  if (consistent_mass &&
      element.shape == Shape::rod) {  // a rod has no rotation of its own: linear shape functions in all directions
    out.mass.setZero();
    for (int c = 0; c < 3; ++c) {
      const double m = material.density * property.area * l;
      out.mass(c, c) = out.mass(6 + c, 6 + c) = m / 3.0;
      out.mass(c, 6 + c) = out.mass(6 + c, c) = m / 6.0;
    }
  }
  out.added_mass = bar_mass(property.added_mass, 0.0, l, false);
  Matrix12 arms = Matrix12::Identity();
  arms.topLeftCorner<6, 6>() = rigid_arm(element.arms[0]);
  arms.bottomRightCorner<6, 6>() = rigid_arm(element.arms[1]);
  turn(out.stiffness, axes, arms);
  turn(out.mass, axes, arms);
  if (property.added_mass != 0.0) turn(out.added_mass, axes, arms);
  return out;
}

Eigen::Matrix<double, 12, 6> spring_directions(const Spring& spring, const Vector3d& a, const Vector3d& b) {
  Matrix6 axes = Matrix6::Zero();
  axes.topLeftCorner<3, 3>() = axes.bottomRightCorner<3, 3>() = spring.axes;
  Eigen::Matrix<double, 12, 6> out;
  out.topRows<6>() = -(axes.transpose() * rigid_arm(spring.point - a)).transpose();
  out.bottomRows<6>() = (axes.transpose() * rigid_arm(spring.point - b)).transpose();
  return out;
}

Matrix6 point_mass(const PointMass& mass) {
  Matrix6 centre = Matrix6::Zero();
  centre.topLeftCorner<3, 3>() = mass.mass * Matrix3d::Identity();
  centre.bottomRightCorner<3, 3>() = mass.inertia;
  const Matrix6 arm = rigid_arm(mass.offset);
  return arm.transpose() * centre * arm;
}

}  // namespace kdyn::fe
