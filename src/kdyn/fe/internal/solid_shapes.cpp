// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/solid_shapes.hpp"

#include <array>
#include <cmath>

#include "kdyn/base/error.hpp"

namespace kdyn::fe::internal {
namespace {

using Eigen::Vector3d;

// Value and derivatives by three natural coordinates: forward differentiation of the few products that shape functions
// are.
struct Dual {
  double v = 0.0;
  Vector3d d = Vector3d::Zero();
};
Dual operator+(const Dual& a, const Dual& b) { return {a.v + b.v, a.d + b.d}; }
Dual operator-(const Dual& a, const Dual& b) { return {a.v - b.v, a.d - b.d}; }
Dual operator*(const Dual& a, const Dual& b) { return {a.v * b.v, a.v * b.d + b.v * a.d}; }
Dual constant(double v) { return {v, Vector3d::Zero()}; }
Dual operator*(double a, const Dual& b) { return {a * b.v, a * b.d}; }

// Corners of the cube, then the mid sides in Nastran's order: bottom, uprights, top.
constexpr std::array<std::array<int, 3>, 20> cube = {{{-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1},
                                                      {1, -1, 1},   {1, 1, 1},   {-1, 1, 1},  {0, -1, -1}, {1, 0, -1},
                                                      {0, 1, -1},   {-1, 0, -1}, {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},
                                                      {-1, 1, 0},   {0, -1, 1},  {1, 0, 1},   {0, 1, 1},   {-1, 0, 1}}};

std::vector<Dual> functions(Shape shape, const Vector3d& place) {
  const Dual x{place.x(), Vector3d::UnitX()}, y{place.y(), Vector3d::UnitY()}, z{place.z(), Vector3d::UnitZ()},
      one = constant(1.0);
  std::vector<Dual> n;
  if (shape == Shape::hex8 || shape == Shape::hex20) {
    const bool quadratic = shape == Shape::hex20;
    for (int i = 0; i < (quadratic ? 20 : 8); ++i) {
      const auto& c = cube[static_cast<std::size_t>(i)];
      const Dual fx = one + c[0] * x, fy = one + c[1] * y, fz = one + c[2] * z;
      if (i < 8 && !quadratic)
        n.push_back(0.125 * fx * fy * fz);
      else if (i < 8)
        n.push_back(0.125 * fx * fy * fz * (c[0] * x + c[1] * y + c[2] * z - constant(2.0)));
      else
        n.push_back(0.25 * (c[0] ? fx : one - x * x) * (c[1] ? fy : one - y * y) * (c[2] ? fz : one - z * z));
    }
    return n;
  }
  if (shape == Shape::tet4 || shape == Shape::tet10) {
    const std::array<Dual, 4> l = {one - x - y - z, x, y, z};
    if (shape == Shape::tet4) return {l.begin(), l.end()};
    for (const Dual& a : l) n.push_back(a * (2.0 * a - one));
    for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}})
      n.push_back(4.0 * l[static_cast<std::size_t>(a)] * l[static_cast<std::size_t>(b)]);
    return n;
  }
  // Wedges: triangle coordinates and z in -1..1; mid sides bottom, uprights, top.
  const std::array<Dual, 3> l = {one - x - y, x, y};
  const Dual low = 0.5 * (one - z), high = 0.5 * (one + z);
  if (shape == Shape::wedge6) {
    for (const Dual& h : {low, high})
      for (const Dual& a : l) n.push_back(a * h);
    return n;
  }
  demand(shape == Shape::wedge15, "only solid shapes have these functions");
  for (const double sign : {-1.0, 1.0})
    for (const Dual& a : l) n.push_back(0.5 * a * (one + sign * z) * (2.0 * a + sign * z - constant(2.0)));
  const auto sides = [&](const Dual& h) {
    for (std::size_t i = 0; i < 3; ++i) n.push_back(4.0 * l[i] * l[(i + 1) % 3] * h);
  };
  sides(low);
  for (const Dual& a : l) n.push_back(a * (one - z * z));
  sides(high);
  return n;
}

struct Weighted {
  Vector3d place;
  double weight;
};

std::vector<std::pair<double, double>> gauss(int count) {
  if (count == 2) return {{-1 / std::sqrt(3.0), 1.0}, {1 / std::sqrt(3.0), 1.0}};
  const double r = std::sqrt(0.6);
  return {{-r, 5.0 / 9.0}, {0.0, 8.0 / 9.0}, {r, 5.0 / 9.0}};
}

// Rules on the triangle exact to degree 2 (3 points) and 4 (6 points); weights add to 1/2.
std::vector<Weighted> triangle(int count) {
  std::vector<Weighted> out;
  const auto orbit = [&](double a, double weight) {
    out.push_back({{a, a, 0}, 0.5 * weight});
    out.push_back({{1 - 2 * a, a, 0}, 0.5 * weight});
    out.push_back({{a, 1 - 2 * a, 0}, 0.5 * weight});
  };
  if (count == 3) {
    orbit(1.0 / 6.0, 1.0 / 3.0);
  } else {
    orbit(0.445948490915964886, 0.223381589678011466);
    orbit(0.091576213509770743, 0.109951743655321867);
  }
  return out;
}

// Tetrahedron: 1, 4 (degree 2) and 15 points (degree 5, Keast); weights add to 1/6.
std::vector<Weighted> tetrahedron(int count) {
  if (count == 1) return {{Vector3d::Constant(0.25), 1.0 / 6.0}};
  std::vector<Weighted> out;
  const auto corner_orbit = [&](double a, double weight) {
    const double b = 1.0 - 3.0 * a;
    for (const Vector3d& p : {Vector3d(a, a, a), Vector3d(b, a, a), Vector3d(a, b, a), Vector3d(a, a, b)})
      out.push_back({p, weight / 6.0});
  };
  if (count == 4) {
    corner_orbit((5.0 - std::sqrt(5.0)) / 20.0, 0.25);
    return out;
  }
  out.push_back({Vector3d::Constant(0.25), 16.0 / 135.0 / 6.0});
  for (const double sign : {-1.0, 1.0}) {
    const double root = std::sqrt(15.0);
    corner_orbit((7.0 + sign * root) / 34.0, (2665.0 - sign * 14.0 * root) / 37800.0);
  }
  const double a = (5.0 - std::sqrt(15.0)) / 20.0, b = 0.5 - a;
  for (const Vector3d& p : {Vector3d(a, a, b), Vector3d(a, b, a), Vector3d(b, a, a), Vector3d(a, b, b),
                            Vector3d(b, a, b), Vector3d(b, b, a)})
    out.push_back({p, 20.0 / 378.0 / 6.0});
  return out;
}

std::vector<SolidPoint> make(Shape shape, bool mass) {
  std::vector<Weighted> rule;
  switch (shape) {
    case Shape::hex8:
    case Shape::hex20:
      for (const auto& [x, wx] : gauss(shape == Shape::hex8 ? 2 : 3))
        for (const auto& [y, wy] : gauss(shape == Shape::hex8 ? 2 : 3))
          for (const auto& [z, wz] : gauss(shape == Shape::hex8 ? 2 : 3)) rule.push_back({{x, y, z}, wx * wy * wz});
      break;
    case Shape::wedge6:
    case Shape::wedge15:
      for (const Weighted& in_plane : triangle(shape == Shape::wedge6 ? 3 : 6))
        for (const auto& [z, wz] : gauss(shape == Shape::wedge6 ? 2 : 3))
          rule.push_back({{in_plane.place.x(), in_plane.place.y(), z}, in_plane.weight * wz});
      break;
    case Shape::tet4: rule = tetrahedron(mass ? 4 : 1); break;
    default: rule = tetrahedron(mass ? 15 : 4); break;
  }
  std::vector<SolidPoint> out;
  for (const Weighted& point : rule) {
    SolidPoint p;
    p.place = point.place;
    p.weight = point.weight;
    const std::vector<Dual> n = functions(shape, point.place);
    p.n.resize(static_cast<int>(n.size()));
    p.slope.resize(3, static_cast<int>(n.size()));
    for (std::size_t i = 0; i < n.size(); ++i)
      p.n[static_cast<int>(i)] = n[i].v, p.slope.col(static_cast<int>(i)) = n[i].d;
    out.push_back(std::move(p));
  }
  return out;
}

const std::vector<SolidPoint>& table(Shape shape, bool mass) {
  static const auto all = [] {
    std::array<std::array<std::vector<SolidPoint>, 2>, static_cast<std::size_t>(Shape::tet10) + 1> out;
    for (const Shape solid : {Shape::hex8, Shape::hex20, Shape::wedge6, Shape::wedge15, Shape::tet4, Shape::tet10})
      for (const bool for_mass : {false, true}) out[static_cast<std::size_t>(solid)][for_mass] = make(solid, for_mass);
    return out;
  }();
  demand(is_solid(shape), "only solid elements are integrated in the volume");
  return all[static_cast<std::size_t>(shape)][mass];
}

}  // namespace

const std::vector<SolidPoint>& stiffness_points(Shape shape) { return table(shape, false); }
const std::vector<SolidPoint>& mass_points(Shape shape) { return table(shape, true); }

}  // namespace kdyn::fe::internal
