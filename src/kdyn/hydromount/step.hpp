// SPDX-License-Identifier: Apache-2.0
// One time step of the hydro mount: included by hydromount.hpp.
//
// The main rubber is advanced exactly [elastomer E4] [elastomer E22]. Chamber state, flow and fluid velocity follow by
// the Dormand-Prince pair of order 5(4) with as many inner steps as the tolerance asks for, the motion being the cubic
// of the step [element E2]. Inside an inner step chamber friction is its exact function of displacement; where the
// chamber turns round, the inner step ends at the turning point, which is then committed  [hydromount E11]. Step
// lengths depend on plain values only, so that Jets pass through unharmed. A switch signal is followed in time: the
// step is divided where the signal has a corner or jumps, and venting begins and ends there [hydromount E17].
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace kdyn::inline hydromount {

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
        length_(value_of(h)) {}

  // x: all states of the law; those of the chamber and the fluid are advanced.
  void run(T* x) {
    Values y = {x[Law::chamber_z], x[Law::flow], x[Law::fluid_velocity]};
    if (law_.switch_signal.empty())
      stretch(0.0, 1.0, y);
    else
      follow_switch(y);
    x[Law::chamber_z] = y[0];
    x[Law::flow] = y[1];
    x[Law::fluid_velocity] = y[2];
  }

 private:
  using Values = std::array<T, 3>;  // chamber z, flow, fluid velocity

  // [hydromount E17] From corner to corner of the switch signal, which is a straight line between them.
  void follow_switch(Values& y) {
    const double near = Law::switch_resolution * length_, end_time = memory_.time + length_;
    double begin_time = memory_.time, s = 0.0;
    while (s < 1.0) {
      double time = end_time;
      for (const auto& [corner, value] : law_.switch_signal)
        if (corner > begin_time + near && corner < end_time - near) {
          time = corner;
          break;
        }
      const double end = time < end_time ? (time - memory_.time) / length_ : 1.0;
      const double first = table_value(law_.switch_signal, begin_time + near);
      const double last = 2.0 * table_value(law_.switch_signal, 0.5 * (begin_time + time)) - first;
      switching_ = first != last;
      coupling_at_zero_ = (first * end - last * s) / (end - s);
      coupling_slope_ = (last - first) / (end - s);
      memory_.coupling = first;
      if (std::max(first, last) <= nothing_coupled) {
        switching_ = false;
        memory_.coupling = 0.0;
        memory_.chamber = law_.chamber_rubber.start(T(0.0));
        stretch(s, end, y);
        memory_.origin = motion(end).u - y[1];
      } else {
        stretch(s, end, y);
      }
      s = end;
      begin_time = time;
    }
  }

  // From s to `end` of the step, in inner steps.
  void stretch(double s, double end, Values& y) {
    has_friction_ = value_of(law_.chamber_rubber.rdl) > 0.0 && value_of(law_.chamber_rubber.rho) > 0.0 &&
                    (switching_ || memory_.coupling > 0.0);
    Values k1;
    T rate1 = rates(s, y, k1);
    double step = end - s;  // in units of h
    for (int count = 0; s < end && count < most_inner_steps; ++count) {
      step = std::min(step, end - s);
      if (end - s - step < 1e-9) step = end - s;
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
      s = taken >= end - s ? end : s + taken;
      if (has_friction_) {
        switch_at(s);
        law_.commit_chamber(memory_, chamber_u2(s, y));
      }
      if (taken == step) step *= std::min(5.0, 0.9 * std::pow(std::max(error, 1e-6), -0.2));
    }
  }

  // While the signal moves, the memory's coupling is that of the instant. It stays above nothing: at the very end of a
  // switch-off the chamber still has its friction.
  static constexpr double nothing_coupled = 1e-9;
  double coupling(double s) const { return std::max(nothing_coupled, coupling_at_zero_ + coupling_slope_ * s); }
  void switch_at(double s) const {
    if (switching_) memory_.coupling = coupling(s);
  }

  Motion<T> motion(double s) const {
    return {from_.u + h_ * velocity_.travelled(s), velocity_.c0 + s * (velocity_.c1 + s * velocity_.c2)};
  }
  T chamber_u2(double s, const Values& y) const { return motion(s).u - memory_.origin - y[1]; }

  // Rates per unit of s; returns the rate of u2.
  T rates(double s, const Values& y, Values& k) const {
    switch_at(s);
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
    mix({{9017.0 / 3168.0, &k1},
         {-355.0 / 33.0, &k2},
         {46732.0 / 5247.0, &k3},
         {49.0 / 176.0, &k4},
         {-5103.0 / 18656.0, &k5}});
    rates(s + step, at, k6);
    mix({{35.0 / 384.0, &k1},
         {500.0 / 1113.0, &k3},
         {125.0 / 192.0, &k4},
         {-2187.0 / 6784.0, &k5},
         {11.0 / 84.0, &k6}});
    y1 = at;
    rate7 = rates(s + step, y1, k7);
    double worst = 0.0;
    // The flow is measured against the stroke, chamber state and fluid velocity against what they are and what drives
    // them.
    const double stroke = std::abs(value_of(motion(s + step).u) - value_of(memory_.origin));
    const std::array<double, 3> floor = {1e-12, std::max(stroke, 1e-9), 1e-7};
    for (std::size_t i = 0; i < 3; ++i) {
      const double e = step * (71.0 / 57600.0 * value_of(k1[i]) - 71.0 / 16695.0 * value_of(k3[i]) +
                               71.0 / 1920.0 * value_of(k4[i]) - 17253.0 / 339200.0 * value_of(k5[i]) +
                               22.0 / 525.0 * value_of(k6[i]) - 1.0 / 40.0 * value_of(k7[i]));
      const double size = std::max({std::abs(value_of(y[i])), std::abs(value_of(y1[i])), floor[i]});
      worst = std::max(worst, std::abs(e) / (tolerance * size));
    }
    return std::isfinite(worst) ? worst : std::numeric_limits<double>::infinity();
  }

  // What the chamber rubber's displacement is a rising function of: u2, and coupling times u2 while the signal moves.
  Motion<double> chamber_path(double s, const Values& y, const T& u2_rate) const {
    const double u2 = value_of(chamber_u2(s, y)), rate = value_of(u2_rate);
    if (!switching_) return {u2, rate};
    return {coupling(s) * u2, coupling(s) * rate + coupling_slope_ / length_ * u2};
  }

  // The inner step up to the first turning point of the chamber, if there is one; y1, k7, rate7 then belong to its end.
  // Returns its length.
  double cut_at_turning(double s, double step, const Values& y, const Values& k1, const T& rate1, Values& y1,
                        Values& k7, T& rate7) const {
    const Motion<double> begin = chamber_path(s, y, rate1), end = chamber_path(s + step, y1, rate7);
    const StepVelocity<double> path(begin, end, step * length_);
    int count = 0;
    const auto roots = path.turning(count);
    // A root at the very beginning is the turning point the last inner step ended at.
    constexpr double nothing = 1e-6;
    double at = 0.0;
    for (int i = 0; i < count && at == 0.0; ++i)
      if (roots[static_cast<std::size_t>(i)] > nothing && roots[static_cast<std::size_t>(i)] < 1.0 - nothing)
        at = roots[static_cast<std::size_t>(i)];
    if (at == 0.0) return step;
    // The cubic's root is third-order accurate; one secant correction makes the leftover velocity harmless.
    double cut = at * step;
    trial(s, cut, y, k1, y1, k7, rate7);
    const double slope = (path.c1 + 2.0 * at * path.c2) / step;
    if (slope != 0.0) {
      const double corrected = cut - chamber_path(s + cut, y1, rate7).v / slope;
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
  bool switching_ = false;                                // the coupling changes within the stretch ...
  double coupling_at_zero_ = 1.0, coupling_slope_ = 0.0;  // ... as this line over s
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

}  // namespace kdyn::inline hydromount
