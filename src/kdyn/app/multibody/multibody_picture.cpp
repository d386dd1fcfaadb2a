// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/multibody/multibody_picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/mbs/signals.hpp"

namespace kdyn::app {

using namespace mbs;

namespace {

constexpr std::size_t most_nodes = 500;         // of a body without lines of its own
constexpr std::size_t most_surface = 1500;      // points of shapes, over all bodies
constexpr std::size_t most_placements = 60000;  // points times frames: about 1 MB in the report

// 1, 2, 5, 10, ... at or below x.
double round_down(double x) {
  const double decade = std::pow(10.0, std::floor(std::log10(x)));
  return decade * (x >= 5.0 * decade ? 5.0 : x >= 2.0 * decade ? 2.0 : 1.0);
}

// Shortest tree through the points (Prim), and pairs no farther apart than neighbours in it: a beam becomes a line, a
// ring closes, a grid is a grid.
std::vector<std::array<int, 2>> neighbours(const std::vector<Vector3>& points) {
  std::vector<std::array<int, 2>> lines;
  std::vector<double> distance(points.size(), std::numeric_limits<double>::infinity());
  std::vector<int> nearest(points.size(), 0);
  std::vector<bool> inside(points.size(), false);
  std::size_t last = 0;
  for (std::size_t n = 1; n < points.size(); ++n) {
    inside[last] = true;
    std::size_t next = last;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (inside[i]) continue;
      if (const double d = (points[i] - points[last]).squaredNorm(); d < distance[i])
        distance[i] = d, nearest[i] = static_cast<int>(last);
      if (distance[i] < best) best = distance[i], next = i;
    }
    if (next == last) break;
    lines.push_back({nearest[next], static_cast<int>(next)});
    last = next;
  }
  std::vector<double> reach(points.size(), 0.0);
  for (const auto& [a, b] : lines)
    for (const int i : {a, b}) {
      double& r = reach[static_cast<std::size_t>(i)];
      r = std::max(r, (points[static_cast<std::size_t>(a)] - points[static_cast<std::size_t>(b)]).norm());
    }
  const std::size_t tree = lines.size();
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      if ((points[i] - points[j]).norm() > 1.05 * std::min(reach[i], reach[j])) continue;
      const std::array<int, 2> line = {static_cast<int>(i), static_cast<int>(j)}, back = {line[1], line[0]};
      const auto end = lines.begin() + static_cast<std::ptrdiff_t>(tree);
      if (std::find(lines.begin(), end, line) == end && std::find(lines.begin(), end, back) == end)
        lines.push_back(line);
    }
  return lines;
}

}  // namespace

Picture::Picture(const System& system, long steps) : system_(system) {
  const Model& model = system.model();
  std::vector<int> centre(model.bodies.size(), -1), at(model.markers.size(), -1);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.modes() > 0) {
      add_nodes(static_cast<int>(b));
    } else if (!body.surface.points.empty()) {
      add_surface(static_cast<int>(b));
    } else {
      centre[b] = add(static_cast<int>(b), body.G.block<3, 1>(1, 0) / body.G(0, 0));
      add_box(static_cast<int>(b));
    }
  }
  const auto marker = [&](int m) {
    const Marker& k = model.markers[static_cast<std::size_t>(m)];
    int& place = at[static_cast<std::size_t>(m)];
    if (place < 0) {
      place = add(k.body, k.x, k.psi);
      marked_.push_back(place);
      if (k.body >= 0 && centre[static_cast<std::size_t>(k.body)] >= 0)
        lines_.push_back({centre[static_cast<std::size_t>(k.body)], place});
    }
    return place;
  };
  for (const Joint& joint : model.joints) marker(joint.marker1), marker(joint.marker2);
  for (const Connection& c : model.connections) {
    const std::array<int, 2> ends = {marker(c.marker1),
                                     marker(c.marker2)};  // draws arms of their bodies where they are new
    dashed_.push_back(static_cast<int>(lines_.size()));
    lines_.push_back(ends);
    forces_.push_back({.name = c.name, .point = lines_.back()[1]});
  }
  for (const PointLoad& load : model.loads) marker(load.marker);
  for (std::size_t m = 0; m < model.markers.size(); ++m)
    if (!model.markers[m].name.empty()) marker(static_cast<int>(m));
  const auto frames =
      static_cast<long>(std::clamp<std::size_t>(most_placements / std::max<std::size_t>(points_.size(), 1), 20, 200));
  every_ = std::max(1L, (steps + frames - 1) / frames);
}

int Picture::add(int body, const Vector3& x, const Matrix3X& psi) {
  points_.push_back({body, x, psi});
  return static_cast<int>(points_.size()) - 1;
}

// The cuboid with the body's mass and principal inertias: side^2 = 6 (J2 + J3 - J1)/m.
void Picture::add_box(int b) {
  has_boxes_ = true;
  const MatrixX& G = system_.model().bodies[static_cast<std::size_t>(b)].G;
  const double m = G(0, 0);
  const Vector3 c = G.block<3, 1>(1, 0) / m;
  // Second moments about the centre: sum m x x^T.
  const Eigen::SelfAdjointEigenSolver<Matrix3> second(Matrix3(G.block<3, 3>(1, 1)) - m * c * c.transpose());
  const int first = static_cast<int>(points_.size());
  for (int corner = 0; corner < 8; ++corner) {
    Vector3 x = c;
    for (int axis = 0; axis < 3; ++axis) {
      const double half = std::sqrt(std::max(0.0, 3.0 * second.eigenvalues()[axis] / m));
      x += ((corner >> axis) & 1 ? half : -half) * second.eigenvectors().col(axis);
    }
    add(b, x);
  }
  for (int corner = 0; corner < 8; ++corner)
    for (int axis = 0; axis < 3; ++axis)
      if (!((corner >> axis) & 1)) lines_.push_back({first + corner, first + corner + (1 << axis)});
  report::AnimatedSurface& surface =
      surfaces_.emplace_back(report::AnimatedSurface{system_.model().bodies[static_cast<std::size_t>(b)].name, {}});
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {0, 1 << axis}) {
      const int one = 1 << ((axis + 1) % 3), two = 1 << ((axis + 2) % 3), corner = first + side;
      surface.triangles.push_back({corner, corner + one, corner + one + two});
      surface.triangles.push_back({corner, corner + one + two, corner + two});
    }
}

void Picture::add_surface(int b) {
  const Body& body = system_.model().bodies[static_cast<std::size_t>(b)];
  const SurfaceMesh mesh = thinned(body.surface, most_surface / system_.model().bodies.size() + 50);
  const int first = static_cast<int>(points_.size());
  for (const auto& p : mesh.points) add(b, Vector3(p.data()));
  report::AnimatedSurface& surface = surfaces_.emplace_back(report::AnimatedSurface{body.name, {}});
  for (const auto& t : mesh.triangles) surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

void Picture::add_nodes(int b) {
  const Body& body = system_.model().bodies[static_cast<std::size_t>(b)];
  const int first = static_cast<int>(points_.size());
  const bool wired = !body.lines.empty();
  const std::size_t skip = wired ? 1 : std::max<std::size_t>(1, (body.nodes.size() + most_nodes - 1) / most_nodes);
  std::vector<Vector3> places;
  for (std::size_t i = 0; i < body.nodes.size(); i += skip) {
    add(b, body.nodes[i].x, body.nodes[i].psi);
    places.push_back(body.nodes[i].x);
  }
  for (const auto& line : wired ? body.lines : neighbours(places)) lines_.push_back({first + line[0], first + line[1]});
}

Vector3 Picture::place(const Point& p, const VectorX& q) const {
  if (p.body < 0) return p.x;
  const double* x = q.data() + system_.q_at(p.body);
  Vector3 u = Eigen::Map<const Vector3>(x) + Eigen::Map<const Matrix3>(x + 3) * p.x;
  for (int k = 0; k < p.psi.cols(); ++k) u += Eigen::Map<const Matrix3>(x + 12 + 9 * k) * p.psi.col(k);
  return u;
}

// Loads are positive in tension, in the axes of the first marker: they pull the second body back.
void Picture::record_forces(const Evaluation& e) {
  const std::vector<Connection>& connections = system_.model().connections;
  const std::vector<Vector6> loads = connection_loads(system_, e);
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const Frame& one = e.frame[static_cast<std::size_t>(connections[i].marker1)];
    const Frame& two = e.frame[static_cast<std::size_t>(connections[i].marker2)];
    const Vector3 force = component_count(connections[i]) == 1 ? Vector3(-loads[i][0] * (two.u - one.u).normalized())
                                                               : Vector3(-(one.R * loads[i].head<3>()));
    forces_[i].force.push_back({force.x(), force.y(), force.z()});
  }
}

void Picture::record(const RunState& state, const Evaluation& e) {
  record_forces(e);
  times_.push_back(state.t);
  auto& frame = frames_.emplace_back();
  frame.reserve(points_.size());
  for (const Point& p : points_) {
    const Vector3 u = place(p, state.q);
    frame.push_back({u.x(), u.y(), u.z()});
  }
}

report::Animation Picture::animation() const {
  report::Animation out{.title = "Bodies, mounts and joints",
                        .lines = lines_,
                        .surfaces = surfaces_,
                        .dashed = dashed_,
                        .marked = marked_};
  if (frames_.size() < 2) return {};
  out.points = frames_.front();
  out.times = times_;
  out.frames = frames_;
  out.forces = forces_;
  Vector3 low = Vector3(out.points[0].data()), high = low;
  double largest = 0.0;
  for (std::size_t i = 0; i < out.points.size(); ++i) {
    low = low.cwiseMin(Vector3(out.points[i].data()));
    high = high.cwiseMax(Vector3(out.points[i].data()));
    for (const auto& frame : frames_)
      largest = std::max(largest, (Vector3(frame[i].data()) - Vector3(out.points[i].data())).norm());
  }
  // Motion below a twentieth of the size is hardly seen.
  const double size = (high - low).norm();
  if (largest > 0.0 && largest < 0.05 * size) out.magnification = std::max(1.0, round_down(0.1 * size / largest));
  out.caption = out.magnification > 1.0
                    ? fmt::format("Departures from the first instant are drawn {:g} times larger.", out.magnification)
                    : "True to scale.";
  if (has_boxes_) out.caption += " Boxes have the inertia of the rigid bodies.";
  out.caption += " Dots are mounts, joints and named markers.";
  if (!forces_.empty()) out.caption += " Arrows are the forces of mounts and springs on their second body.";
  return out;
}

report::Animation Picture::shapes(const VectorX& q, const std::vector<LinearMode>& modes,
                                  const std::vector<std::string>& names) const {
  report::Animation out{.title = "Modes", .lines = lines_, .surfaces = surfaces_, .dashed = dashed_, .marked = marked_};
  for (const Point& p : points_) {
    const Vector3 u = place(p, q);
    out.points.push_back({u.x(), u.y(), u.z()});
  }
  for (std::size_t m = 0; m < modes.size(); ++m) {
    report::AnimatedShape shape{.name = names[m]};
    for (const bool imaginary : {false, true}) {
      // A point moves by the tangents of its body: N xi is a velocity of coordinates, and points are linear in them.
      VectorX change;
      system_.expand(q, imaginary ? VectorX(modes[m].shape.imag()) : VectorX(modes[m].shape.real()), change);
      for (const Point& p : points_) {
        Vector3 du = Vector3::Zero();
        if (p.body >= 0) du = place(p, change);
        (imaginary ? shape.imaginary : shape.real).push_back({du.x(), du.y(), du.z()});
      }
    }
    out.shapes.push_back(std::move(shape));
  }
  return out;
}

}  // namespace kdyn::app
