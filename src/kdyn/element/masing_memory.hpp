// SPDX-License-Identifier: Apache-2.0
// What a network of springs and sliders remembers: the nested turning points of its path, for any odd backbone
// [element E6].
//
// The backbone is the virgin curve F(x), odd, rising and concave for x > 0. A branch from a turning point (u_t, y_t) is
// y = y_t + 2 F((u - u_t)/2); a loop that closes is forgotten, so the stack holds as many points as loops are open and
// has no largest depth. peek(u) is pure, for Newton iterations and rejected steps; commit(u) only on accepted points,
// in the order of the path. With T = Jet the turning points carry their parameter derivatives, so gradients through
// memory are exact.
//
// A backbone is anything with value(x), odd, and area(x), the integral of value from 0 to |x| (needed by stored_energy
// alone). Units are those of the backbone: u in m (or rad), y in N, or in m where the force is per unit of stiffness.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline element {

template <class T>
class MasingMemory {
 public:
  struct Point {
    T u, y;
  };

  MasingMemory() = default;
  explicit MasingMemory(const T& u) : origin_(u), last_{u, T(0.0)} {}

  // No heap allocation while at most this many turning points are open.
  void reserve(std::size_t depth) { turning_.reserve(depth); }

  // y at u, as if u were reached without a further turning point.
  template <class Backbone>
  T peek(const Backbone& backbone, const T& u) const {
    const Move to = move_to(u);
    return value(backbone, u, depth_after(u, to));
  }

  // Accepts the point u and returns y there.
  template <class Backbone>
  T commit(const Backbone& backbone, const T& u) {
    const Move to = move_to(u);
    const std::size_t depth = depth_after(u, to);
    const T y = value(backbone, u, depth);
    if (depth > turning_.size())
      turning_.push_back(last_);
    else
      turning_.erase(turning_.begin() + static_cast<std::ptrdiff_t>(depth), turning_.end());
    if (to.direction != 0) direction_ = to.direction;
    last_ = {u, y};
    return y;
  }

  // [element E7] Energy stored in the springs; no path gives back more.
  template <class Backbone>
  T stored_energy(const Backbone& backbone) const {
    T energy(0.0);
    Point from{origin_, T(0.0)};
    bool virgin = true;
    const auto add = [&](const Point& to) {
      const double sign = value_of(to.u) < value_of(from.u) ? -1.0 : 1.0;
      const T distance = sign * (to.u - from.u);
      if (virgin)
        energy = distance * backbone.value(distance) - backbone.area(distance);
      else
        energy += sign * from.y * distance + distance * backbone.value(T(0.5 * distance));
      virgin = false;
      from = to;
    };
    for (const Point& point : turning_) add(point);
    add(last_);
    return energy;
  }

  // Where a motion in this direction (1 or -1) leaves its branch because a loop closes: y has a kink there. None on the
  // virgin curve.
  std::optional<double> branch_end(int direction) const {
    const std::size_t depth = turning_.size() + (direction * direction_ < 0 ? 1 : 0);
    if (depth == 0) return std::nullopt;
    if (depth == 1) return value_of(origin_) + direction * std::abs(place(0) - value_of(origin_));
    return place(depth - 2);
  }

  // Every number the memory holds, in an order that depends on the depth alone: where derivatives with respect to
  // memory are seeded.
  template <class F>
  void visit(F&& f) {
    f(origin_);
    f(last_.u);
    f(last_.y);
    for (Point& point : turning_) {
      f(point.u);
      f(point.y);
    }
  }
  template <class U>
  MasingMemory<U> cast() const {
    MasingMemory<U> other;
    cast_to(other);
    return other;
  }

  // Everything it holds, as numbers and back (element/archive.hpp).
  template <class Archive>
  void archive(Archive& a) {
    int turned = direction_ + 1;
    a.whole(turned);
    direction_ = turned - 1;
    a.count(turning_);
    visit(a);
  }

  const T& origin() const { return origin_; }
  const Point& last() const { return last_; }
  const std::vector<Point>& turning_points() const { return turning_; }
  std::size_t depth() const { return turning_.size(); }
  int direction() const { return direction_; }

 protected:
  struct Move {
    int direction;  // of the motion that leads to u; 0 when nothing has moved yet
    bool reversed;  // the last point becomes a turning point
  };
  Move move_to(const T& u) const {
    const double du = value_of(u) - value_of(last_.u);
    const int direction = du > 0.0 ? 1 : du < 0.0 ? -1 : direction_;
    return {direction, direction * direction_ < 0};
  }

  template <class U>
  void cast_to(MasingMemory<U>& other) const {
    other.origin_ = U(value_of(origin_));
    other.last_ = {U(value_of(last_.u)), U(value_of(last_.y))};
    other.turning_.reserve(turning_.size());
    for (const Point& point : turning_) other.turning_.push_back({U(value_of(point.u)), U(value_of(point.y))});
    other.direction_ = direction_;
  }

  T origin_{0.0};
  Point last_{T(0.0), T(0.0)};
  std::vector<Point> turning_;
  int direction_ = 0;  // 0 until the first motion

 private:
  double place(std::size_t i) const { return value_of(i < turning_.size() ? turning_[i].u : last_.u); }

  // Turning points that stay, counting a new one: every loop that the motion to u closes goes in pairs.
  std::size_t depth_after(const T& u, const Move& to) const {
    const double x = value_of(u), origin = value_of(origin_);
    std::size_t depth = turning_.size() + (to.reversed ? 1 : 0);
    while (depth >= 2 && to.direction * (x - place(depth - 2)) >= 0.0) depth -= 2;
    // Past the mirror image of the first extreme the path is back on the virgin curve.
    if (depth == 1 && to.direction * (x - origin) >= std::abs(place(0) - origin)) depth = 0;
    return depth;
  }

  template <class Backbone>
  T value(const Backbone& backbone, const T& u, std::size_t depth) const {
    if (depth == 0) return backbone.value(T(u - origin_));
    const Point& from = depth <= turning_.size() ? turning_[depth - 1] : last_;
    return from.y + 2.0 * backbone.value(T(0.5 * (u - from.u)));
  }

  template <class U>
  friend class MasingMemory;
};

}  // namespace kdyn::inline element
