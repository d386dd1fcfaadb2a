// SPDX-License-Identifier: Apache-2.0
// Chain rule for parts of the model that depend on a few of the unknowns: the part runs with narrow dual numbers over
// its own parameters, and its result is widened to all unknowns. With plain numbers nothing happens.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "kdyn/elastomer/elastomer.hpp"

namespace kdyn::inline identify {

template <class T, int Width>
class Narrow {
 public:
  using Scalar = Jet<Width>;
  // Registers a parameter and returns it as a narrow number; at most Width of them.
  Scalar take(const T& wide) {
    wide_[static_cast<std::size_t>(count_)] = wide;
    const Scalar narrow(wide.a, count_);
    ++count_;
    return narrow;
  }
  T widen(const Scalar& y) const {
    T out(y.a);
    for (int i = 0; i < count_; ++i) out.v += y.v[i] * wide_[static_cast<std::size_t>(i)].v;
    return out;
  }

 private:
  std::array<T, Width> wide_;
  int count_ = 0;
};

template <int Width>
class Narrow<double, Width> {
 public:
  using Scalar = double;
  double take(double wide) { return wide; }
  double widen(double y) const { return y; }
};

// Friction depends on rdl, rho and ymax; the fourth place keeps vectors of the machine full.
template <class T>
struct NarrowFriction : Narrow<T, 4> {
  using S = typename Narrow<T, 4>::Scalar;
  Friction<S> friction;

  explicit NarrowFriction(const Friction<T>& p) : friction{p.law, this->take(p.rdl), this->take(p.rho), std::nullopt} {
    if (p.ymax) friction.ymax = this->take(*p.ymax);
  }
};

// The dynamic parts of the law over the static stiffness, which is 1 here: seven parameters.
template <class T>
struct NarrowDynamics : Narrow<T, 8> {
  using S = typename Narrow<T, 8>::Scalar;
  Elastomer<S> law;

  explicit NarrowDynamics(const Elastomer<T>& p) : law(p.template cast<S>()) {
    law.curve = nullptr;
    law.static_stiffness = S(1.0);
    law.scale_static_stiffness = S(0.0);
    law.alpha = this->take(p.alpha);
    law.beta = this->take(p.beta);
    law.gamma = this->take(p.gamma);
    law.lambda = this->take(p.lambda);
    law.rdl = this->take(p.rdl);
    law.rho = this->take(p.rho);
    if (p.ymax) law.ymax = this->take(*p.ymax);
  }
};

}  // namespace kdyn::inline identify
