// SPDX-License-Identifier: Apache-2.0
// What the friction remembers: turning points of the path. No ODE state, no sign of velocity, no smoothing constant.
//
// peek(u) is pure, for Newton iterations and rejected steps; commit(u) only on accepted points, in the order of the
// path. masing: nested turning points with the backbone of the law  [elastomer E13] [elastomer E14],
// element/masing_memory.hpp
// g4:     only the last turning point matters; reversals up to `deadband` are reversible and leave no trace  [elastomer E7]
#pragma once

#include "kdyn/elastomer/friction.hpp"
#include "kdyn/element/masing_memory.hpp"

namespace kdyn::inline elastomer {

template <class T>
class FrictionMemory : public MasingMemory<T> {
  using Base = MasingMemory<T>;

 public:
  using typename Base::Point;

  FrictionMemory() = default;
  explicit FrictionMemory(const T& u) : Base(u) {}

  // Friction displacement y at u, as if u were reached without a further turning point.
  T peek(const Friction<T>& p, const T& u, StartUp start_up = StartUp::zero) const {
    return p.law == FrictionLaw::masing ? Base::peek(LogBackbone{p}, u) : g4_value(p, u, Base::move_to(u), start_up);
  }

  // Accepts the point u and returns y there.
  T commit(const Friction<T>& p, const T& u, StartUp start_up = StartUp::zero, double deadband = 0.0) {
    if (p.law == FrictionLaw::masing) return Base::commit(LogBackbone{p}, u);
    const typename Base::Move to = Base::move_to(u);
    const T y = g4_value(p, u, to, start_up);
    if (to.reversed && std::abs(value_of(u) - value_of(last_.u)) <= deadband) return y;
    if (to.reversed) turning_.assign(1, last_);
    if (to.direction != 0) direction_ = to.direction;
    last_ = {u, y};
    return y;
  }

  // [elastomer E17] Energy stored in the friction elements, over k_stat; masing only.
  T stored_energy(const Friction<T>& p) const { return Base::stored_energy(LogBackbone{p}); }

  template <class U>
  FrictionMemory<U> cast() const {
    FrictionMemory<U> other;
    Base::cast_to(other);
    return other;
  }

 private:
  // [elastomer E12] as MasingMemory wants it.
  struct LogBackbone {
    const Friction<T>& p;
    T value(const T& x) const { return backbone(p, x); }
    T area(const T& x) const { return backbone_area(p, x); }
  };

  T g4_value(const Friction<T>& p, const T& u, const typename Base::Move& to, StartUp start_up) const {
    const bool first_branch = turning_.empty() && !to.reversed;
    const Point from = to.reversed ? last_ : turning_.empty() ? Point{origin_, T(0.0)} : turning_.front();
    const double sign = to.direction < 0 ? -1.0 : 1.0;
    const T distance = sign * (u - from.u);
    if (first_branch && start_up == StartUp::backbone) return sign * backbone(p, distance);
    return sign * g4_branch(p, T(sign * from.y), distance);
  }

  using Base::direction_;
  using Base::last_;  // g4: the extreme of the current branch
  using Base::origin_;
  using Base::turning_;
};

}  // namespace kdyn::inline elastomer
