// SPDX-License-Identifier: Apache-2.0
// What the friction remembers: turning points of the path. No ODE state, no sign of velocity, no smoothing constant.
//
// peek(u) is pure, for Newton iterations and rejected steps; commit(u) only on accepted points, in the order of the path.
// With T = Jet the turning points carry their parameter derivatives, so gradients through memory are exact.
// masing: a stack of nested turning points, popped in pairs when a loop closes  [elastomer E14]
// g4:     only the last turning point matters; reversals up to `deadband` are reversible and leave no trace  [elastomer E7]
#pragma once

#include <vector>

#include "kdyn/elastomer/friction.hpp"

namespace kdyn {

template <class T>
class FrictionMemory {
 public:
  struct Point {
    T u, y;
  };

  FrictionMemory() = default;
  explicit FrictionMemory(const T& u) : origin_(u), last_{u, T(0.0)} {}

  // Friction displacement y at u, as if u were reached without a further turning point.
  T peek(const Friction<T>& p, const T& u, StartUp start_up = StartUp::zero) const { return locate(p, u, start_up).y; }

  // Accepts the point u and returns y there.
  T commit(const Friction<T>& p, const T& u, StartUp start_up = StartUp::zero, double deadband = 0.0) {
    const Located at = locate(p, u, start_up);
    if (p.law == FrictionLaw::masing)
      remember_masing(at);
    else if (at.reversed && std::abs(value_of(u) - value_of(last_.u)) <= deadband)
      return at.y;
    else if (at.reversed)
      turning_.assign(1, last_);
    if (at.direction != 0) direction_ = at.direction;
    last_ = {u, at.y};
    return at.y;
  }

  // [elastomer E17] Energy stored in the friction elements, over k_stat; masing only.
  T stored_energy(const Friction<T>& p) const {
    T energy(0.0);
    Point from{origin_, T(0.0)};
    bool virgin = true;
    const auto add = [&](const Point& to) {
      const double sign = value_of(to.u) < value_of(from.u) ? -1.0 : 1.0;
      const T distance = sign * (to.u - from.u);
      if (virgin)
        energy = distance * backbone(p, distance) - backbone_area(p, distance);
      else
        energy += sign * from.y * distance + distance * backbone(p, T(0.5 * distance));
      virgin = false;
      from = to;
    };
    for (const Point& point : turning_) add(point);
    add(last_);
    return energy;
  }

  // Every number the memory holds, in an order that depends on the depth alone: where derivatives with respect to memory are seeded.
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
  FrictionMemory<U> cast() const {
    FrictionMemory<U> other(U(value_of(origin_)));
    other.last_ = {U(value_of(last_.u)), U(value_of(last_.y))};
    for (const Point& point : turning_) other.turning_.push_back({U(value_of(point.u)), U(value_of(point.y))});
    other.direction_ = direction_;
    return other;
  }

  // Room for so many turning points without asking the heap while stepping.
  void reserve(std::size_t points) { turning_.reserve(points); }
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

 private:
  struct Located {
    T y;
    int direction;      // of the motion that leads to u; 0 when u is the last point
    bool reversed;      // the last point became a turning point
    std::size_t depth;  // masing: turning points that stay on the stack, counting a new one
  };

  Located locate(const Friction<T>& p, const T& u, StartUp start_up) const {
    const double du = value_of(u) - value_of(last_.u);
    const int direction = du > 0.0 ? 1 : du < 0.0 ? -1 : direction_;
    const bool reversed = direction * direction_ < 0;
    Located at{T(0.0), direction, reversed, 0};
    if (p.law == FrictionLaw::masing) {
      at.depth = depth_after(u, direction, reversed);
      at.y = masing_value(p, u, at.depth);
    } else {
      at.y = g4_value(p, u, direction, reversed, start_up);
    }
    return at;
  }

  // [elastomer E14] Pops every loop that the motion to u closes.
  std::size_t depth_after(const T& u, int direction, bool reversed) const {
    const double x = value_of(u), origin = value_of(origin_);
    std::size_t depth = turning_.size() + (reversed ? 1 : 0);
    const auto at = [&](std::size_t i) { return value_of(i < turning_.size() ? turning_[i].u : last_.u); };
    while (depth >= 2 && direction * (x - at(depth - 2)) >= 0.0) depth -= 2;
    // Past the mirror image of the first extreme the path is back on the virgin curve.
    if (depth == 1 && direction * (x - origin) >= std::abs(at(0) - origin)) depth = 0;
    return depth;
  }

  // [elastomer E13]
  T masing_value(const Friction<T>& p, const T& u, std::size_t depth) const {
    if (depth == 0) return backbone(p, T(u - origin_));
    const Point& from = depth <= turning_.size() ? turning_[depth - 1] : last_;
    return from.y + 2.0 * backbone(p, T(0.5 * (u - from.u)));
  }

  void remember_masing(const Located& at) {
    if (at.depth > turning_.size())
      turning_.push_back(last_);
    else
      turning_.resize(at.depth);
  }

  T g4_value(const Friction<T>& p, const T& u, int direction, bool reversed, StartUp start_up) const {
    const bool first_branch = turning_.empty() && !reversed;
    const Point from = reversed ? last_ : turning_.empty() ? Point{origin_, T(0.0)} : turning_.front();
    const double sign = direction < 0 ? -1.0 : 1.0;
    const T distance = sign * (u - from.u);
    if (first_branch && start_up == StartUp::backbone) return sign * backbone(p, distance);
    return sign * g4_branch(p, T(sign * from.y), distance);
  }

  template <class U>
  friend class FrictionMemory;

  T origin_{0.0};
  Point last_{T(0.0), T(0.0)};  // g4: the extreme of the current branch
  std::vector<Point> turning_;
  int direction_ = 0;  // 0 until the first motion
};

}  // namespace kdyn
