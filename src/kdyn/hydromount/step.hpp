// SPDX-License-Identifier: Apache-2.0
// One time step of the hydro mount: included by hydromount.hpp.
//
// The main rubber is advanced exactly [elastomer E4] [elastomer E22]. Chamber state, flow and fluid velocity follow by the Dormand-Prince
// pair of order 5(4) with as many inner steps as the tolerance asks for, the motion being the cubic of the step [element E2]. Inside an
// inner step chamber friction is its exact function of displacement; where the chamber turns round, the inner step ends at the turning
// point, which is then committed  [hydromount E11]. Step lengths depend on plain values only, so that Jets pass through unharmed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace kdyn {

template <class T>
class HydroStep {
 public:
  using Law = HydroMount<T>;
  using Memory = typename Law::Memory;
  static constexpr double tolerance = 1e-9;  // local error of an inner step over the size of the states
  static constexpr int most_inner_steps = 100000;

  HydroStep(const Law& law, Memory& memory, const Motion<T>& from, const Motion<T>& to, const T& h)
      : law_(law),
        memory_(memory),
        from_(from),
        velocity_(from, to, h),
        h_(h),
        length_(value_of(h)) {
    has_friction_ = value_of(law.chamber_rubber.rdl) > 0.0 && value_of(law.chamber_rubber.rho) > 0.0 && memory.coupling > 0.0;
  }

  // x: all states of the law; those of the chamber and the fluid are advanced.
  void run(T* x) {
    Values y = {x[Law::chamber_z], x[Law::flow], x[Law::fluid_velocity]};
    Values k1;
    T rate1 = rates(0.0, y, k1);
    double s = 0.0, step = 1.0;  // position and length in units of h
    for (int count = 0; s < 1.0 && count < most_inner_steps; ++count) {
      step = std::min(step, 1.0 - s);
      if (1.0 - s - step < 1e-9) step = 1.0 - s;
      Values y1, k7;
      T rate7;
      const double error = trial(s, step, y, k1, y1, k7, rate7);
      const bool last_chance = step < 1e-7 || count + 1 == most_inner_steps;
      if (!(error <= 1.0) && !last_chance) {
        step *= std::isfinite(error) ? std::max(0.1, 0.9 * std::pow(error, -0.2)) : 0.1;
        continue;
      }
      double taken = step;
      if (has_friction_) taken = cut_at_turning(s, step, y, k1, rate1, y1, k7, rate7);
      y = y1;
      k1 = k7;
      rate1 = rate7;
      s = taken >= 1.0 - s ? 1.0 : s + taken;
      if (has_friction_) law_.commit_chamber(memory_, chamber_u2(s, y));
      if (taken == step) step *= std::min(5.0, 0.9 * std::pow(std::max(error, 1e-6), -0.2));
    }
    x[Law::chamber_z] = y[0];
    x[Law::flow] = y[1];
    x[Law::fluid_velocity] = y[2];
  }

 private:
  using Values = std::array<T, 3>;  // chamber z, flow, fluid velocity

  Motion<T> motion(double s) const { return {from_.u + h_ * velocity_.travelled(s), velocity_.c0 + s * (velocity_.c1 + s * velocity_.c2)}; }
  T chamber_u2(double s, const Values& y) const { return motion(s).u - memory_.origin - y[1]; }

  // Rates per unit of s; returns the rate of u2.
  T rates(double s, const Values& y, Values& k) const {
    const std::array<T, 4> x = {T(0.0), y[0], y[1], y[2]};
    std::array<T, 4> rate;
    const auto now = law_.fluid_rates(motion(s), x.data(), memory_, rate.data());
    for (std::size_t i = 0; i < 3; ++i) k[i] = h_ * rate[i + 1];
    return now.u2_rate;
  }

  // Dormand and Prince 1980; returns the error over the tolerance.
  double trial(double s, double step, const Values& y, const Values& k1, Values& y1, Values& k7, T& rate7) const {
    Values k2, k3, k4, k5, k6, at;
    const auto mix = [&](std::initializer_list<std::pair<double, const Values*>> terms) {
      for (std::size_t i = 0; i < 3; ++i) {
        T sum(0.0);
        for (const auto& [c, k] : terms) sum += c * (*k)[i];
        at[i] = y[i] + step * sum;
      }
    };
    mix({{1.0 / 5.0, &k1}});
    rates(s + step / 5.0, at, k2);
    mix({{3.0 / 40.0, &k1}, {9.0 / 40.0, &k2}});
    rates(s + 0.3 * step, at, k3);
    mix({{44.0 / 45.0, &k1}, {-56.0 / 15.0, &k2}, {32.0 / 9.0, &k3}});
    rates(s + 0.8 * step, at, k4);
    mix({{19372.0 / 6561.0, &k1}, {-25360.0 / 2187.0, &k2}, {64448.0 / 6561.0, &k3}, {-212.0 / 729.0, &k4}});
    rates(s + 8.0 / 9.0 * step, at, k5);
    mix({{9017.0 / 3168.0, &k1}, {-355.0 / 33.0, &k2}, {46732.0 / 5247.0, &k3}, {49.0 / 176.0, &k4}, {-5103.0 / 18656.0, &k5}});
    rates(s + step, at, k6);
    mix({{35.0 / 384.0, &k1}, {500.0 / 1113.0, &k3}, {125.0 / 192.0, &k4}, {-2187.0 / 6784.0, &k5}, {11.0 / 84.0, &k6}});
    y1 = at;
    rate7 = rates(s + step, y1, k7);
    double worst = 0.0;
    // The flow is measured against the stroke, chamber state and fluid velocity against what they are and what drives them.
    const double stroke = std::abs(value_of(motion(s + step).u) - value_of(memory_.origin));
    const std::array<double, 3> floor = {1e-12, std::max(stroke, 1e-9), 1e-7};
    for (std::size_t i = 0; i < 3; ++i) {
      const double e = step * (71.0 / 57600.0 * value_of(k1[i]) - 71.0 / 16695.0 * value_of(k3[i]) + 71.0 / 1920.0 * value_of(k4[i]) -
                               17253.0 / 339200.0 * value_of(k5[i]) + 22.0 / 525.0 * value_of(k6[i]) - 1.0 / 40.0 * value_of(k7[i]));
      const double size = std::max({std::abs(value_of(y[i])), std::abs(value_of(y1[i])), floor[i]});
      worst = std::max(worst, std::abs(e) / (tolerance * size));
    }
    return std::isfinite(worst) ? worst : std::numeric_limits<double>::infinity();
  }

  // The inner step up to the first turning point of u2, if there is one; y1, k7, rate7 then belong to its end. Returns its length.
  double cut_at_turning(double s, double step, const Values& y, const Values& k1, const T& rate1, Values& y1, Values& k7, T& rate7) const {
    const double begin = value_of(chamber_u2(s, y)), end = value_of(chamber_u2(s + step, y1));
    const StepVelocity<double> path({begin, value_of(rate1)}, {end, value_of(rate7)}, step * length_);
    int count = 0;
    const auto roots = path.turning(count);
    // A root at the very beginning is the turning point the last inner step ended at.
    constexpr double nothing = 1e-6;
    double at = 0.0;
    for (int i = 0; i < count && at == 0.0; ++i)
      if (roots[static_cast<std::size_t>(i)] > nothing && roots[static_cast<std::size_t>(i)] < 1.0 - nothing) at = roots[static_cast<std::size_t>(i)];
    if (at == 0.0) return step;
    // The cubic's root is third-order accurate; one secant correction makes the leftover velocity harmless.
    double cut = at * step;
    trial(s, cut, y, k1, y1, k7, rate7);
    const double slope = (path.c1 + 2.0 * at * path.c2) / step;
    if (slope != 0.0) {
      const double corrected = cut - value_of(rate7) / slope;
      if (corrected > nothing * step && corrected < step) {
        cut = corrected;
        trial(s, cut, y, k1, y1, k7, rate7);
      }
    }
    return cut;
  }

  const Law& law_;
  Memory& memory_;
  Motion<T> from_;
  StepVelocity<T> velocity_;
  T h_;
  double length_;
  bool has_friction_ = false;
};

template <class T>
T HydroMount<T>::advance(T* x, Memory& memory, const Motion<T>& from, const Motion<T>& to, const Step& step) const {
  const T main = main_rubber.advance(x + main_z, memory.main, from, to, step.main);
  HydroStep<T>(*this, memory, from, to, step.h).run(x);
  T unused;
  const T pressure = inside(to, x, memory, &unused).pressure;
  finish_step(memory, to, x, step.h);
  return main + chamber_area * pressure;
}

}  // namespace kdyn
