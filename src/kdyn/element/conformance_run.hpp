// SPDX-License-Identifier: Apache-2.0
// What the conformance checks share: an example of a law with the motion that exercises it, and how a check runs it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/element/element.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn::conformance {

using Complaints = std::vector<std::string>;

// A law with the motion that exercises it. The defaults suit a mount in SI units with millimetres of travel.
template <Element L>
struct Example {
  std::string name;
  L law;
  double u0 = 0.0;                // operating point
  double amplitude = 1e-3;        // of a motion that reaches all of the law's behaviour
  double frequency_hz = 10.0;     // main frequency of that motion
  double settle_time = 4.0;       // s; after it a sine repeats
  double small_amplitude = 1e-8;  // where the law is linear ...
  double small_tolerance = 1e-4;  // ... to this relative error of the complex stiffness
  double order = 4.0;             // of the force error in the time step
  double sharpness = 1.0;         // knees make differences err more: factor on their tolerance
  double step_noise =
      0.0;  // inner step control: the force may jump by this share of its size when a parameter changes a little
  double commit_tolerance =
      0.0;  // states steer the memory inside a step: what commit, which sees its ends only, may miss of the force
};

// How the suite reaches a law beyond the Element concept. A law provides it once, in its test folder.
template <Element L>
struct Access {
  const FieldTable& parameters;                   // of the "parameters" object in a model file
  std::function<L(const Json& model)> from_json;  // throws Error where a rule is broken
  std::function<std::unique_ptr<Mount>(const L& law)> make_mount;
};

// Three tones about the operating point, starting there: reversals of many sizes, and exact velocities.
struct Drive {
  double u0 = 0.0, amplitude = 0.0, frequency_hz = 0.0;

  Motion<double> operator()(double t) const {
    constexpr double share[] = {0.6, 0.3, 0.15}, ratio[] = {1.0, 3.9, 7.77}, phase[] = {0.0, 0.7, 2.1};
    Motion<double> m{u0, 0.0};
    for (int i = 0; i < 3; ++i) {
      const double w = 2.0 * std::numbers::pi * frequency_hz * ratio[i], a = amplitude * share[i];
      m.u += a * (std::sin(w * t + phase[i]) - std::sin(phase[i]));
      m.v += a * w * std::cos(w * t + phase[i]);
    }
    return m;
  }
};

template <class L>
Drive drive_of(const Example<L>& example) {
  return {example.u0, example.amplitude, example.frequency_hz};
}

// A law of any scalar on its way along a prescribed motion.
template <Element L>
struct Run {
  using T = typename L::Scalar;
  L law;
  typename L::Memory memory;
  std::array<T, static_cast<std::size_t>(L::state_count)> x{}, rate{};
  Motion<T> now;

  Run(const L& l, const Motion<double>& from) : law(l), memory(l.start(T(from.u))), now{T(from.u), T(from.v)} {
    x.fill(T(0.0));
  }

  T advance(const Motion<double>& to, double h) {
    const Motion<T> target{T(to.u), T(to.v)};
    const T force = law.advance(x.data(), memory, now, target, law.prepare_step(T(h)));
    now = target;
    return force;
  }
  T evaluate(const Motion<T>& at) { return law.evaluate(at, x.data(), memory, rate.data()); }
};

// Force along the drive of an example, `steps` steps of length h from its start.
template <class L>
std::vector<double> forces(const L& law, const Drive& drive, double h, int steps) {
  Run<L> run(law, drive(0.0));
  std::vector<double> force;
  for (int i = 1; i <= steps; ++i) force.push_back(run.advance(drive(i * h), h));
  return force;
}

inline double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

inline constexpr double rounding = std::numeric_limits<double>::epsilon();
inline constexpr int path_steps = 240;  // some forty reversals
template <class L>
double path_step(const Example<L>& example) {
  return 1.0 / (40.0 * example.frequency_hz);
}

}  // namespace kdyn::conformance
