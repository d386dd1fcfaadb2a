// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/beam.hpp"

#include <array>
#include <cmath>

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

// Gauss points and weights on 0..1 of one interval between stations, with the section there.
struct SectionPoint {
  double at = 0.0, weight = 0.0;
  BeamStation section;
};
std::vector<SectionPoint> points_along(const BeamLaw& law) {
  // Ten points: 1/I of a section that tapers to a quarter is exact to 1e-9.
  static const std::array<double, 5> place = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                              0.8650633666889845, 0.9739065285171717};
  static const std::array<double, 5> weight = {0.2955242247147529, 0.2692667193099963, 0.2190863625159820,
                                               0.1494513491505806, 0.0666713443086881};
  std::vector<SectionPoint> out;
  for (std::size_t i = 1; i < law.stations.size(); ++i) {
    const BeamStation &a = law.stations[i - 1], &b = law.stations[i];
    const double span = b.at - a.at;
    for (std::size_t g = 0; g < 10; ++g) {
      const double s = 0.5 * (1.0 + (g < 5 ? -place[g] : place[g - 5]));
      const auto mix = [&](double BeamStation::*of) { return (1.0 - s) * a.*of + s * b.*of; };
      BeamStation here;
      for (double BeamStation::*of :
           {&BeamStation::at, &BeamStation::area, &BeamStation::inertia_1, &BeamStation::inertia_2,
            &BeamStation::inertia_12, &BeamStation::torsion, &BeamStation::added_mass, &BeamStation::added_turning})
        here.*of = mix(of);
      out.push_back({here.at, 0.5 * span * weight[g < 5 ? g : g - 5], here});
    }
  }
  return out;
}

// [fe E36] Flexibility of the second end with the first one held, turned into the stiffness of both.
Matrix12 stiffness_by_flexibility(const BeamLaw& law, double e, double g, double shear_1, double shear_2, double l) {
  Matrix6 flexibility = Matrix6::Zero();
  bool axial = true, torsion = true, bends = true;
  for (const SectionPoint& p : points_along(law)) {
    const BeamStation& s = p.section;
    const double arm = (1.0 - p.at) * l, dx = p.weight * l;
    axial = axial && s.area > 0.0, torsion = torsion && s.torsion > 0.0;
    const double det = s.inertia_1 * s.inertia_2 - s.inertia_12 * s.inertia_12;
    bends = bends && det > 0.0;
    if (s.area > 0.0) flexibility(0, 0) += dx / (e * s.area);
    if (s.torsion > 0.0) flexibility(3, 3) += dx / (g * s.torsion);
    if (shear_1 > 0.0 && s.area > 0.0) flexibility(1, 1) += dx / (g * s.area * shear_1);
    if (shear_2 > 0.0 && s.area > 0.0) flexibility(2, 2) += dx / (g * s.area * shear_2);
    if (!(det > 0.0)) continue;
    Eigen::Matrix2d bend;  // curvatures about z and y by the moments there
    bend << s.inertia_2, s.inertia_12, s.inertia_12, s.inertia_1;
    bend *= dx / (e * det);
    Eigen::Matrix<double, 2, 6> moment = Eigen::Matrix<double, 2, 6>::Zero();
    moment(0, 5) = 1.0, moment(0, 1) = arm, moment(1, 4) = 1.0, moment(1, 2) = -arm;
    flexibility += moment.transpose() * bend * moment;
  }
  // A section without area, torsion or bending stiffness carries nothing there.
  const auto carries = [&](int c) { return c == 0 ? axial : c == 3 ? torsion : bends; };
  for (int c = 0; c < 6; ++c)
    if (!carries(c)) flexibility.col(c).setZero(), flexibility.row(c).setZero(), flexibility(c, c) = 1.0;
  Matrix6 end = flexibility.inverse();
  for (int c = 0; c < 6; ++c)
    if (!carries(c)) end(c, c) = 0.0;
  Eigen::Matrix<double, 6, 12> relative;
  relative.leftCols<6>() = -rigid_arm(Vector3d(l, 0.0, 0.0));
  relative.rightCols<6>().setIdentity();
  return relative.transpose() * end * relative;
}

// Mass of a section that changes: by the cubic and linear shape functions, or shared by the lever rule.
Matrix12 mass_along(const std::vector<SectionPoint>& points, double l, bool consistent, auto&& per_length,
                    auto&& turning) {
  Matrix12 m = Matrix12::Zero();
  for (const SectionPoint& p : points) {
    const double x = p.at, dx = p.weight * l;
    if (!consistent) {
      for (int end = 0; end < 2; ++end)
        for (int c = 0; c < 4; ++c)
          m(6 * end + c, 6 * end + c) +=
              (end == 0 ? 1.0 - x : x) * dx * (c < 3 ? per_length(p.section) : turning(p.section));
      continue;
    }
    Eigen::Matrix<double, 4, 12> n = Eigen::Matrix<double, 4, 12>::Zero();
    n(0, 0) = n(3, 3) = 1.0 - x, n(0, 6) = n(3, 9) = x;
    const double cubic[4] = {1 - 3 * x * x + 2 * x * x * x, l * x * (1 - x) * (1 - x), 3 * x * x - 2 * x * x * x,
                             l * x * x * (x - 1)};
    for (int row = 0; row < 2; ++row)
      for (int i = 0; i < 4; ++i) {
        const Plane& plane = planes[row];
        n(1 + row, 6 * (i / 2) + (i % 2 ? plane.rotation : plane.deflection)) = (i % 2 ? plane.sign : 1.0) * cubic[i];
      }
    m += dx * per_length(p.section) * (n.topRows<3>().transpose() * n.topRows<3>());
    m += dx * turning(p.section) * (n.row(3).transpose() * n.row(3));
  }
  return m;
}

// Motion of points beside the axis at both ends: `at` along y and z. `whole`: as rigid arms; else only along the beam.
Matrix12 beside(const std::array<Eigen::Vector2d, 2>& at, bool whole) {
  Matrix12 out = Matrix12::Identity();
  for (int end = 0; end < 2; ++end) {
    const Matrix6 arm = rigid_arm({0.0, at[static_cast<std::size_t>(end)].x(), at[static_cast<std::size_t>(end)].y()});
    if (whole)
      out.block<6, 6>(6 * end, 6 * end) = arm;
    else
      out.row(6 * end).segment<6>(6 * end) = arm.row(0);
  }
  return out;
}

// A released component carries no force: it is condensed out.
void release(Matrix12& k, const std::array<unsigned, 2>& released) {
  const Matrix12 before = k;
  for (int c = 0; c < 12; ++c) {
    if (!(released[static_cast<std::size_t>(c / 6)] >> (c % 6) & 1u)) continue;
    const double pivot = k(c, c);
    if (pivot > 1e-12 * before(c, c)) k -= (k.col(c) * k.row(c) / pivot).eval();
    k.col(c).setZero(), k.row(c).setZero();
  }
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
                          const Material& material, bool consistent_mass, const BeamLaw* law,
                          const ElementDetail& detail) {
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
  if (law) {
    const Matrix12 neutral = beside(law->neutral, false);
    out.stiffness =
        neutral.transpose() * stiffness_by_flexibility(*law, e, g, property.shear_1, property.shear_2, l) * neutral;
  } else {
    line(0, e * property.area / l);
    line(3, g * property.torsion / l);
  }
  if (element.shape == Shape::beam && !law) {
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
  out.added_mass = bar_mass(property.added_mass + detail.added_mass, 0.0, l, false);
  if (law) {
    const std::vector<SectionPoint> points = points_along(*law);
    const bool turns = consistent || property.polar_inertia;
    out.mass = mass_along(
        points, l, consistent, [&](const BeamStation& s) { return material.density * s.area; },
        [&](const BeamStation& s) { return turns ? material.density * (s.inertia_1 + s.inertia_2) : 0.0; });
    const Matrix12 neutral = beside(law->neutral, true), added = beside(law->added_at, true);
    out.mass = (neutral.transpose() * out.mass * neutral).eval();
    out.added_mass = mass_along(
        points, l, false, [&](const BeamStation& s) { return s.added_mass + detail.added_mass; },
        [](const BeamStation& s) { return s.added_turning; });
    out.added_mass = (added.transpose() * out.added_mass * added).eval();
  }
  release(out.stiffness, detail.released);
  Matrix12 arms = Matrix12::Identity();
  arms.topLeftCorner<6, 6>() = rigid_arm(element.arms[0]);
  arms.bottomRightCorner<6, 6>() = rigid_arm(element.arms[1]);
  turn(out.stiffness, axes, arms);
  turn(out.mass, axes, arms);
  turn(out.added_mass, axes, arms);
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
