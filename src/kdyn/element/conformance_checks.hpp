// SPDX-License-Identifier: Apache-2.0
// What every law of kdyn must satisfy, as functions that return complaints (none: the law conforms). No test framework in here, so that the
// checks themselves can be tested on laws with known flaws; element/conformance.hpp makes a test suite of them.
//
// Each check compares the law with something that is not the law's own formula: differences against Jets, a simulated sine against the
// linearisation and the closed form, work against stored energy, a fine step against a coarse one, JSON against the members.
// Tolerances follow from the size of a step, a rounding error or an amplitude; the reason stands beside each.
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

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/element/element.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/signal/reduction.hpp"

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

  Run(const L& l, const Motion<double>& from) : law(l), memory(l.start(T(from.u))), now{T(from.u), T(from.v)} { x.fill(T(0.0)); }

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

// ------------------------------------------------------------------------------------------------------------------------------------

// Every bounded parameter refuses a value past its bound, and text, and NaN, in a message that names it.
template <class L>
Complaints check_bounds_by_name(const Example<L>& example, const Access<L>& access) {
  Complaints complaints;
  Json good;
  access.make_mount(example.law)->to_json(good);
  int bounded = 0;
  for (const Field& field : access.parameters.fields()) {
    if (field.kind != FieldKind::number && field.kind != FieldKind::optional_number && field.kind != FieldKind::integer) continue;
    if (field.unit.empty() || field.meaning.empty()) complaints.push_back(field.name + ": has no unit or no meaning");
    std::vector<Json> bad = {Json("text"), Json(std::numeric_limits<double>::quiet_NaN()), Json(std::numeric_limits<double>::infinity())};
    if (std::isfinite(field.lower)) bad.push_back(field.lower_open ? field.lower : field.lower - 1e-9 * std::max(1.0, std::abs(field.lower)));
    if (std::isfinite(field.upper)) bad.push_back(field.upper + 1e-9 * std::max(1.0, std::abs(field.upper)));
    bounded += bad.size() > 3 ? 1 : 0;
    for (const Json& value : bad) {
      Json model = good;
      model["parameters"][field.name] = value;
      try {
        access.from_json(model);
        complaints.push_back(fmt::format("{} = {} was accepted", field.name, value.dump()));
      } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input || error.where().find(field.name) == std::string::npos || error.remedy().empty())
          complaints.push_back(
              fmt::format("{} = {}: the error does not name the field or lacks a remedy: {}", field.name, value.dump(), error.what()));
      }
    }
  }
  if (bounded == 0) complaints.push_back("no parameter has a bound");
  return complaints;
}

// Writing and reading a model gives the same text and the same parameters, bit by bit.
template <class L>
Complaints check_json_round_trip(const Example<L>& example, const Access<L>& access) {
  Complaints complaints;
  Json written, again;
  access.make_mount(example.law)->to_json(written);
  L before = example.law, after = access.from_json(parse_json(dump_json(written), "model"));
  access.make_mount(after)->to_json(again);
  if (written != again) complaints.push_back("the model reads back as " + again.dump());
  std::vector<std::pair<std::string, double>> values;
  before.visit_parameters([&](const char* name, double& value) { values.emplace_back(name, value); });
  std::size_t i = 0;
  after.visit_parameters([&](const char* name, double& value) {
    if (i >= values.size() || values[i].first != name || values[i].second != value)
      complaints.push_back(fmt::format("{} reads back as {:.17g}", name, value));
    ++i;
  });
  if (i != values.size()) complaints.push_back(fmt::format("{} parameters read back as {}", values.size(), i));
  return complaints;
}

// At rest the force is the static force and nothing moves, for as long as one waits; the static force can be inverted.
template <class L>
Complaints check_rest(const Example<L>& example, const Access<L>& access) {
  Complaints complaints;
  const std::unique_ptr<Mount> mount = access.make_mount(example.law);
  for (const double u : {example.u0, example.u0 + example.amplitude, example.u0 - example.amplitude}) {
    Run<L> run(example.law, {u, 0.0});
    const double expected = example.law.static_force(u),
                 scale = std::max(std::abs(expected), std::abs(example.law.static_force(example.u0 + example.amplitude)));
    const double force = run.evaluate({u, 0.0});
    if (std::abs(force - expected) > 4.0 * rounding * scale)
      complaints.push_back(fmt::format("at rest at {:g} the force is {:.17g}, not {:.17g}", u, force, expected));
    for (const double rate : run.rate)
      if (rate != 0.0) complaints.push_back(fmt::format("at rest at {:g} a state moves with {:g}", u, rate));
    for (int i = 0; i < 10; ++i) {
      const double later = run.advance({u, 0.0}, 0.1);
      if (std::abs(later - expected) > 4.0 * rounding * scale)
        complaints.push_back(fmt::format("after {} s of rest at {:g} the force is {:.17g}, not {:.17g}", 0.1 * (i + 1), u, later, expected));
    }
    // The inverse is iterated to rounding: a few units in the last place of travel.
    const double back = mount->static_displacement(mount->static_force(u));
    if (std::abs(back - u) > 1e-12 * (std::abs(u) + example.amplitude))
      complaints.push_back(fmt::format("the static displacement of the force at {:.17g} is {:.17g}", u, back));
  }
  return complaints;
}

// evaluate and peek leave no trace; a step that is tried on a copy and thrown away neither. What advance returns is what evaluate says at its
// end; commit and advance remember the same.
template <class L>
Complaints check_purity(const Example<L>& example, const Access<L>& access) {
  Complaints complaints;
  const Drive drive = drive_of(example);
  const double h = path_step(example);
  Run<L> run(example.law, drive(0.0)), plain(example.law, drive(0.0));
  const std::unique_ptr<Mount> mount = access.make_mount(example.law);
  mount->start(drive(0.0));
  double scale = 0.0;
  for (int i = 1; i <= path_steps && complaints.empty(); ++i) {
    const Motion<double> to = drive(i * h);
    const double before = run.evaluate(to);
    for (const double s : {-1.0, 0.3, 2.0}) {
      run.evaluate({example.u0 + s * example.amplitude, s});
      mount->peek({example.u0 + s * example.amplitude, s});
    }
    Run<L> rejected = run;
    rejected.advance({example.u0 - 0.7 * example.amplitude, -1.0}, 3.0 * h);
    mount->clone()->advance({example.u0 - 0.7 * example.amplitude, -1.0}, 3.0 * h);
    if (run.evaluate(to) != before) complaints.push_back(fmt::format("step {}: evaluate depends on evaluations in between", i));

    auto remembered = run.memory;
    example.law.commit(remembered, run.now, to, h);
    const double force = run.advance(to, h), plain_force = plain.advance(to, h), mount_force = mount->advance(to, h);
    scale = std::max(scale, std::abs(force));
    if (force != plain_force) complaints.push_back(fmt::format("step {}: the force depends on evaluations or rejected steps before it", i));
    if (std::abs(force - mount_force) > 4.0 * rounding * scale)
      complaints.push_back(fmt::format("step {}: the mount gives {:.17g}, the law {:.17g}", i, mount_force, force));
    // Two ways to the same number: the step's own end and a fresh evaluation there, apart by rounding.
    const double here = run.evaluate(run.now);
    if (std::abs(force - here) > 64.0 * rounding * scale)
      complaints.push_back(fmt::format("step {}: advance returned {:.17g}, evaluate says {:.17g}", i, force, here));
    std::swap(remembered, run.memory);
    if (run.evaluate(run.now) != here) complaints.push_back(fmt::format("step {}: commit and advance remember different things", i));
    std::swap(remembered, run.memory);
  }
  return complaints;
}

// ------------------------------------------------------------------------------------------------------------------------------------
// A central difference over a relative step e errs by about e^2 (curvature) and rounding/e; a hundred of that covers curvatures of order ten.
inline constexpr double difference_step = 1e-5;
inline constexpr double difference_tolerance = 100.0 * (difference_step * difference_step + rounding / difference_step);

// Derivatives by Jet with respect to every parameter, through states and memory along a path with many turning points.
// A parameter that is zero in the example has no scale and is passed over: another example has to carry it.
template <class L>
Complaints check_parameter_derivatives(const Example<L>& example) {
  using J = Jet<1>;
  Complaints complaints;
  const Drive drive = drive_of(example);
  const double h = path_step(example);
  std::vector<std::pair<std::string, double>> parameters;
  L copy = example.law;
  copy.visit_parameters([&](const char* name, double& value) { parameters.emplace_back(name, value); });
  for (const auto& [name, value] : parameters) {
    if (value == 0.0) continue;
    const auto shifted = [&, &shifted_name = name](double relative) {
      L law = example.law;
      law.visit_parameters([&](const char* other, double& member) { member *= shifted_name == other ? 1.0 + relative : 1.0; });
      return forces(law, drive, h, path_steps);
    };
    const std::vector<double> up = shifted(difference_step), down = shifted(-difference_step), centre = shifted(0.0);
    auto dual = example.law.template cast<J>();
    dual.visit_parameters([&, &seeded_name = name](const char* other, J& member) {
      if (seeded_name == other) member.v[0] = 1.0;
    });
    Run<decltype(dual)> run(dual, drive(0.0));
    const double tolerance = difference_tolerance * largest(centre) / std::abs(value);
    for (int i = 1; i <= path_steps; ++i) {
      const auto at = static_cast<std::size_t>(i - 1);
      const J force = run.advance(drive(i * h), h);
      const double difference = (up[at] - down[at]) / (2.0 * difference_step * value);
      if (!(std::abs(force.v[0] - difference) <= tolerance)) {
        complaints.push_back(
            fmt::format("step {}: dF/d{} is {:.10g} by Jet, {:.10g} by differences (tolerance {:.2g})", i, name, force.v[0], difference, tolerance));
        break;
      }
      if (!(std::abs(force.a - centre[at]) <= 1e4 * rounding * largest(centre))) {
        complaints.push_back(fmt::format("step {}: the force is {:.17g} with Jets, {:.17g} without", i, force.a, centre[at]));
        break;
      }
    }
  }
  return complaints;
}

// Derivatives of force and rates with respect to u, v and every state, on both sides of the last motion (going on and turning back).
template <class L>
Complaints check_motion_derivatives(const Example<L>& example) {
  constexpr int n = L::state_count;
  using J = Jet<n + 2>;
  Complaints complaints;
  const Drive drive = drive_of(example);
  const double h = path_step(example), speed = 2.0 * std::numbers::pi * example.frequency_hz * example.amplitude;
  const auto dual_law = example.law.template cast<J>();
  Run<L> run(example.law, drive(0.0));
  Run<std::remove_cv_t<decltype(dual_law)>> dual(dual_law, drive(0.0));
  double scale = 0.0;
  std::array<double, static_cast<std::size_t>(n)> x_scale{}, rate_scale{};
  for (int i = 1; i <= path_steps && complaints.empty(); ++i) {
    const Motion<double> to = drive(i * h);
    scale = std::max(scale, std::abs(run.advance(to, h)));
    dual.advance(to, h);
    run.evaluate(to);
    for (std::size_t j = 0; j < x_scale.size(); ++j) {
      x_scale[j] = std::max(x_scale[j], std::abs(run.x[j]));
      rate_scale[j] = std::max(rate_scale[j], std::abs(run.rate[j]));
    }
    if (i % 10 != 0) continue;
    for (const double side : {0.05, -0.05}) {
      Motion<J> at{J(to.u + side * example.amplitude, n), J(to.v, n + 1)};
      std::array<J, static_cast<std::size_t>(n)> x, rate;
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = J(run.x[j], static_cast<int>(j));
      const J force = dual_law.evaluate(at, x.data(), dual.memory, rate.data());
      for (int d = 0; d < n + 2; ++d) {
        const double step = difference_step * (d == n ? example.amplitude : d == n + 1 ? speed : x_scale[static_cast<std::size_t>(d)]);
        if (step == 0.0) continue;
        double f[2] = {};
        std::array<double, static_cast<std::size_t>(n)> r[2] = {};
        for (const int sign : {0, 1}) {
          const double shift = (sign == 0 ? -1.0 : 1.0) * step;
          Motion<double> m{at.u.a, at.v.a};
          auto state = run.x;
          if (d == n)
            m.u += shift;
          else if (d == n + 1)
            m.v += shift;
          else
            state[static_cast<std::size_t>(d)] += shift;
          f[sign] = example.law.evaluate(m, state.data(), run.memory, r[sign].data());
        }
        const auto compare = [&](const std::string& what, double jet, double plus, double minus, double size) {
          const double difference = (plus - minus) / (2.0 * step), tolerance = difference_tolerance * size * difference_step / step;
          if (!(std::abs(jet - difference) <= tolerance))
            complaints.push_back(fmt::format("step {}: d{}/d({}) is {:.10g} by Jet, {:.10g} by differences (tolerance {:.2g})", i, what,
                                             d == n       ? std::string("u")
                                             : d == n + 1 ? std::string("v")
                                                          : fmt::format("x{}", d),
                                             jet, difference, tolerance));
        };
        compare("F", force.v[d], f[1], f[0], scale);
        for (std::size_t j = 0; j < x_scale.size(); ++j) compare(fmt::format("x{}_rate", j), rate[j].v[d], r[1][j], r[0][j], rate_scale[j]);
      }
    }
  }
  return complaints;
}

// ------------------------------------------------------------------------------------------------------------------------------------

struct SteadyCycle {
  std::vector<double> displacement, force;
  double work = 0.0;         // integral of F du over the cycle as a polygon
  double energy_gain = 0.0;  // change of stored energy over the cycle, where known
};

// The last cycle of a sine of amplitude a about u0 that has run for the example's settling time.
template <class L>
SteadyCycle run_sine(Mount& mount, const Example<L>& example, double frequency_hz, double a, std::size_t n) {
  const double h = 1.0 / (frequency_hz * static_cast<double>(n));
  const auto motion = [&](std::size_t i) {
    const double phase = 2.0 * std::numbers::pi * static_cast<double>(i % n) / static_cast<double>(n);
    return Motion<double>{example.u0 + a * std::sin(phase), 2.0 * std::numbers::pi * frequency_hz * a * std::cos(phase)};
  };
  mount.start(motion(0));
  double force = mount.peek(motion(0)), energy = 0.0;
  const auto settle = n * static_cast<std::size_t>(std::ceil(example.settle_time * frequency_hz) + 2.0);
  for (std::size_t i = 1; i <= settle; ++i) force = mount.advance(motion(i), h);
  energy = mount.stored_energy().value_or(0.0);
  SteadyCycle cycle;
  for (std::size_t i = 1; i <= n; ++i) {
    cycle.displacement.push_back(motion(i - 1).u);
    cycle.force.push_back(force);
    const double next = mount.advance(motion(i), h);
    cycle.work += 0.5 * (force + next) * (motion(i).u - motion(i - 1).u);
    force = next;
  }
  cycle.energy_gain = mount.stored_energy().value_or(0.0) - energy;
  return cycle;
}

// A tiny sine in the time domain has the stiffness that linearise derives from the law's derivatives.
template <class L>
Complaints check_small_amplitude(const Example<L>& example, const Access<L>& access) {
  Complaints complaints;
  const std::unique_ptr<Mount> mount = access.make_mount(example.law);
  for (const double f : {0.3 * example.frequency_hz, example.frequency_hz, 5.0 * example.frequency_hz}) {
    const SteadyCycle cycle = run_sine(*mount, example, f, example.small_amplitude, 128);
    const Reduction reduced = reduce_sine(cycle.displacement, cycle.force, 1);
    const std::complex<double> simulated = std::polar(reduced.k_dyn, reduced.loss_angle), linear = mount->linear_stiffness(f, example.u0);
    if (!(std::abs(simulated - linear) <= example.small_tolerance * std::abs(linear)))
      complaints.push_back(fmt::format("{:g} Hz: simulated {:.8g} + {:.8g}i, linearised {:.8g} + {:.8g}i", f, simulated.real(), simulated.imag(),
                                       linear.real(), linear.imag()));
  }
  return complaints;
}

// Energy of a steady cycle [element E5]: the work is pi a^2 Im K of the first harmonic, it is not negative, and stored energy comes back. Where the
// law has closed forms, both reductions agree with the simulation.
template <class L>
Complaints check_steady_cycle(const Example<L>& example, const Access<L>& access) {
  Complaints complaints;
  constexpr std::size_t n = 512;
  const double corner = 2.0 * std::numbers::pi / n;
  const std::unique_ptr<Mount> mount = access.make_mount(example.law);
  for (const double f : {0.3 * example.frequency_hz, example.frequency_hz}) {
    for (const double a : {0.1 * example.amplitude, example.amplitude}) {
      const SteadyCycle cycle = run_sine(*mount, example, f, a, n);
      const Reduction reduced = reduce_sine(cycle.displacement, cycle.force, 1);
      const double energy = std::numbers::pi * a * a * reduced.k_dyn, loss = energy * std::sin(reduced.loss_angle);
      const auto complain = [&](const std::string& what, double got, double expected) {
        complaints.push_back(fmt::format("{:g} Hz, {:g} m: {} is {:.10g}, not {:.10g}", f, a, what, got, expected));
      };
      // The polygon through n samples misses corner^2/6 of an ellipse; the rest is rounding of the force.
      if (!(std::abs(cycle.work - loss) <= 0.2 * corner * corner * std::abs(loss) + 1e-11 * energy)) complain("work per cycle", cycle.work, loss);
      if (!(cycle.work >= -1e-11 * energy)) complain("work per cycle", cycle.work, 0.0);
      if (!(std::abs(cycle.energy_gain) <= 1e-6 * energy)) complain("stored energy gained in a steady cycle", cycle.energy_gain, 0.0);
      const std::optional<SteadyResponse> closed = mount->closed_form(f, a, example.u0);
      if (!closed) continue;
      // What the rig promises: 1e-4, of which sampling at n points takes corner^2.
      const auto compare = [&](const std::string& what, double k, double angle, double k_closed, double angle_closed) {
        if (!(std::abs(std::polar(k, angle) - std::polar(k_closed, angle_closed)) <= 1e-4 * k_closed)) {
          complain(what + " stiffness", k, k_closed);
          complain(what + " loss angle", angle, angle_closed);
        }
      };
      compare("first harmonic", reduced.k_dyn, reduced.loss_angle, closed->k_dyn, closed->loss_angle);
      compare("loop", reduced.k_dyn_loop, reduced.loss_angle_loop, closed->k_dyn_loop, closed->loss_angle_loop);
    }
  }
  return complaints;
}

// Where the law knows its stored energy: work minus stored energy, what has been dissipated, never falls on any path  [element E4].
// Paths are ramps of half a cosine between random places, from a thousandth of the amplitude to all of it. The work of each step is Simpson's
// rule on the power; what it misses is below 1e-6 of the work done so far and, in the very first steps, 1e-9 of a full stroke's energy.
template <class L>
Complaints check_passivity(const Example<L>& example, const Access<L>& access, std::uint64_t paths = 40) {
  Complaints complaints;
  const std::unique_ptr<Mount> mount = access.make_mount(example.law);
  mount->start({example.u0, 0.0});
  if (!mount->stored_energy()) return complaints;
  const double stroke = example.amplitude * std::abs(mount->static_force(example.u0 + example.amplitude) - mount->static_force(example.u0));
  for (std::uint64_t path = 0; path < paths && complaints.empty(); ++path) {
    RandomStream random(2018, path);
    mount->start({example.u0, 0.0});
    const double energy_at_start = *mount->stored_energy();
    double place = example.u0, work = 0.0, turnover = 0.0, most = 0.0;
    for (int ramp = 0; ramp < 30; ++ramp) {
      const double size = example.amplitude * std::pow(10.0, -3.0 * random.uniform());
      const double from = place,
                   to = ramp % 3 == 2 ? example.u0 + example.amplitude * random.uniform(-1.0, 1.0) : place + size * random.uniform(-1.0, 1.0);
      const double duration = std::pow(10.0, random.uniform(-1.0, 1.0)) / example.frequency_hz;
      constexpr int steps = 64;
      const auto motion = [&](double s) {
        const double phase = std::numbers::pi * s;
        return Motion<double>{from + 0.5 * (to - from) * (1.0 - std::cos(phase)), 0.5 * (to - from) * std::numbers::pi / duration * std::sin(phase)};
      };
      const double h = duration / steps;
      double power = mount->peek(motion(0.0)) * motion(0.0).v;
      for (int i = 0; i < steps; ++i) {
        const Motion<double> middle = motion((i + 0.5) / steps), end = motion((i + 1.0) / steps);
        const double at_middle = mount->advance(middle, 0.5 * h) * middle.v;
        const double at_end = mount->advance(end, 0.5 * h) * end.v;
        const double gain = h / 6.0 * (power + 4.0 * at_middle + at_end);
        work += gain;
        turnover += std::abs(gain);
        power = at_end;
        const double dissipated = work - (*mount->stored_energy() - energy_at_start);
        most = std::max(most, dissipated);
        if (!(dissipated >= most - 1e-6 * turnover - 1e-9 * stroke)) {
          complaints.push_back(fmt::format("path {}, ramp {}: dissipation falls from {:.10g} to {:.10g} J, all work being {:.4g} J", path, ramp, most,
                                           dissipated, turnover));
          return complaints;
        }
      }
      place = to;
    }
  }
  return complaints;
}

// The force error against a fine step falls with the order the law claims.
template <class L>
Complaints check_refinement(const Example<L>& example) {
  const Drive drive = drive_of(example);
  constexpr int coarse = 96, finest = 32;
  const double h = 1.0 / (48.0 * example.frequency_hz);
  const std::vector<double> reference = forces(example.law, drive, h / finest, coarse * finest);
  const auto error = [&](int refine) {
    const std::vector<double> force = forces(example.law, drive, h / refine, coarse * refine);
    double most = 0.0;
    for (int i = 1; i <= coarse; ++i)
      most = std::max(most, std::abs(force[static_cast<std::size_t>(i * refine - 1)] - reference[static_cast<std::size_t>(i * finest - 1)]));
    return most;
  };
  const double first = error(1), last = error(4), scale = largest(reference);
  if (last <= 1e-11 * scale) return {};  // exact: nothing left to converge
  // Two halvings average out where the coarse error happens to change sign.
  const double order = 0.5 * std::log2(first / last);
  if (order >= example.order - 0.5) return {};
  return {fmt::format("the error falls from {:.3g} to {:.3g} N over two halvings of the step: order {:.2f}, not {:g}", first, last, order,
                      example.order)};
}

}  // namespace kdyn::conformance
