// SPDX-License-Identifier: Apache-2.0
// One mass on one elastomer mount by the same time scheme, written down once more in plain scalars: with Jets every
// derivative of its run is exact to rounding. Turning points can be taken in three ways, to show why the library takes
// the third.
#pragma once

#include <cmath>
#include <vector>

#include "kdyn/elastomer/elastomer.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs::oscillator {

enum class Turning { step_end, after_acceptance, inside_newton };

struct Problem {
  double mass = 20.0, step = 2e-3, duration = 1.0, rho_infinity = 0.8;
  Turning turning = Turning::inside_newton;
  double force(double t) const { return 120.0 * (std::sin(37.0 * t) + 0.7 * std::sin(83.0 * t + 0.4)); }
};

template <class T>
struct History {
  std::vector<T> position;
  int turning_points = 0, wiped_out = 0;
};

template <class T>
History<T> run(const Elastomer<T>& law, const Problem& p) {
  using L = Elastomer<T>;
  const Alpha s(p.rho_infinity, p.step);
  const T h(p.step);
  T q(0.0), v(0.0), w(0.0), w_rate(0.0);
  typename L::Memory memory = law.start(q);
  const T start = law.evaluate({q, v}, &w, memory, &w_rate);
  T vd = (p.force(0.0) - start) / p.mass, a = vd, wd = w_rate, b = w_rate;
  History<T> out;
  out.position.push_back(q);
  const long steps = std::lround(p.duration / p.step);
  for (long n = 1; n <= steps; ++n) {
    const Motion<T> from{q, v};
    const double force = p.force(static_cast<double>(n) * p.step);
    // Memory of the step's end, by the way turning points are taken.
    const auto committed = [&](const Motion<T>& to) {
      typename L::Memory end = memory;
      if (p.turning == Turning::step_end)
        end.friction.commit(law.friction(), to.u, law.start_up, law.deadband);
      else
        law.commit(end, from, to, h);
      return end;
    };
    struct Trial {
      Motion<T> to;
      T vd, w, wd, residual;
    };
    const auto trial = [&](const T& a1) {
      Trial x;
      x.to.u = q + h * v + h * h * ((0.5 - s.b) * a + s.b * a1);
      x.to.v = v + h * ((1.0 - s.g) * a + s.g * a1);
      x.vd = ((1.0 - s.am) * a1 + s.am * a - s.af * vd) / (1.0 - s.af);
      // The state obeys a linear equation: z' = (v - d z)/(1 + beta) and z' = c z + offset.
      const T d = law.alpha / law.gamma, stretch = 1.0 + law.beta;
      const T offset = (1.0 - s.am1) / (1.0 - s.af1) * (-(w + s.h * (1.0 - s.g1) * b) / (s.g1 * s.h)) +
                       (s.am1 * b - s.af1 * wd) / (1.0 - s.af1);
      x.w = (x.to.v / stretch - offset) / (s.c_w + d / stretch);
      const auto end = p.turning == Turning::inside_newton ? committed(x.to) : memory;
      const T load = law.evaluate(x.to, &x.w, end, &x.wd);
      x.residual = p.mass * x.vd + load - force;
      return x;
    };
    T a1 = a;
    Trial x = trial(a1);
    // Secant slope from values; at the end two more rounds carry the derivatives, which are exact once the value is.
    for (int i = 0; i < 60; ++i) {
      const double probe = 1e-6 * (1.0 + std::abs(value_of(a1)));
      const double slope = (value_of(trial(a1 + probe).residual) - value_of(x.residual)) / probe;
      const double before = std::abs(value_of(x.residual));
      a1 -= x.residual / slope;
      x = trial(a1);
      if (i > 3 && std::abs(value_of(x.residual)) >= 0.5 * before) {
        for (int k = 0; k < 8; ++k) {
          a1 -= x.residual / slope;
          x = trial(a1);
        }
        break;
      }
    }
    const std::size_t depth = memory.friction.depth();
    memory = committed(x.to);
    if (memory.friction.depth() > depth) ++out.turning_points;
    if (memory.friction.depth() < depth) ++out.wiped_out;
    const T b1 = (x.w - w - s.h * (1.0 - s.g1) * b) / (s.g1 * s.h);
    q = x.to.u, v = x.to.v, vd = x.vd, a = a1, w = x.w, wd = x.wd, b = b1;
    out.position.push_back(q);
  }
  return out;
}

}  // namespace kdyn::mbs::oscillator
