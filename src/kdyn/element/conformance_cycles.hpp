// SPDX-License-Identifier: Apache-2.0
// Conformance checks that run a law as a mount over many steps: small and large steady sines, random paths, refined
// time steps. See element/conformance_checks.hpp for the others and for what they have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/random.hpp"
#include "kdyn/element/conformance_run.hpp"
#include "kdyn/signal/reduction.hpp"

namespace kdyn::conformance {

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
    return Motion<double>{example.u0 + a * std::sin(phase),
                          2.0 * std::numbers::pi * frequency_hz * a * std::cos(phase)};
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
    const std::complex<double> simulated = std::polar(reduced.k_dyn, reduced.loss_angle),
                               linear = mount->linear_stiffness(f, example.u0);
    if (!(std::abs(simulated - linear) <= example.small_tolerance * std::abs(linear)))
      complaints.push_back(fmt::format("{:g} Hz: simulated {:.8g} + {:.8g}i, linearised {:.8g} + {:.8g}i", f,
                                       simulated.real(), simulated.imag(), linear.real(), linear.imag()));
  }
  return complaints;
}

// Energy of a steady cycle [element E5]: the work is pi a^2 Im K of the first harmonic, it is not negative, and stored
// energy comes back. Where the law has closed forms, both reductions agree with the simulation.
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
      if (!(std::abs(cycle.work - loss) <= 0.2 * corner * corner * std::abs(loss) + 1e-11 * energy))
        complain("work per cycle", cycle.work, loss);
      if (!(cycle.work >= -1e-11 * energy)) complain("work per cycle", cycle.work, 0.0);
      if (!(std::abs(cycle.energy_gain) <= 1e-6 * energy))
        complain("stored energy gained in a steady cycle", cycle.energy_gain, 0.0);
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

// Where the law knows its stored energy: work minus stored energy, what has been dissipated, never falls on any path
// [element E4]. Paths are ramps of half a cosine between random places, from a thousandth of the amplitude to all of
// it. The work of each step is Simpson's rule on the power; what it misses is below 1e-6 of the work done so far and,
// in the very first steps, 1e-9 of a full stroke's energy.
template <class L>
Complaints check_passivity(const Example<L>& example, const Access<L>& access, std::uint64_t paths = 40) {
  Complaints complaints;
  const std::unique_ptr<Mount> mount = access.make_mount(example.law);
  mount->start({example.u0, 0.0});
  if (!mount->stored_energy()) return complaints;
  const double stroke = example.amplitude *
                        std::abs(mount->static_force(example.u0 + example.amplitude) - mount->static_force(example.u0));
  for (std::uint64_t path = 0; path < paths && complaints.empty(); ++path) {
    RandomStream random(2018, path);
    mount->start({example.u0, 0.0});
    const double energy_at_start = *mount->stored_energy();
    double place = example.u0, work = 0.0, turnover = 0.0, most = 0.0;
    for (int ramp = 0; ramp < 30; ++ramp) {
      const double size = example.amplitude * std::pow(10.0, -3.0 * random.uniform());
      const double from = place, to = ramp % 3 == 2 ? example.u0 + example.amplitude * random.uniform(-1.0, 1.0)
                                                    : place + size * random.uniform(-1.0, 1.0);
      const double duration = std::pow(10.0, random.uniform(-1.0, 1.0)) / example.frequency_hz;
      constexpr int steps = 64;
      const auto motion = [&](double s) {
        const double phase = std::numbers::pi * s;
        return Motion<double>{from + 0.5 * (to - from) * (1.0 - std::cos(phase)),
                              0.5 * (to - from) * std::numbers::pi / duration * std::sin(phase)};
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
          complaints.push_back(
              fmt::format("path {}, ramp {}: dissipation falls from {:.10g} to {:.10g} J, all work being {:.4g} J",
                          path, ramp, most, dissipated, turnover));
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
      most = std::max(most, std::abs(force[static_cast<std::size_t>(i * refine - 1)] -
                                     reference[static_cast<std::size_t>(i * finest - 1)]));
    return most;
  };
  const double first = error(1), last = error(4), scale = largest(reference);
  if (last <= 1e-11 * scale) return {};  // exact: nothing left to converge
  // Two halvings average out where the coarse error happens to change sign.
  const double order = 0.5 * std::log2(first / last);
  if (order >= example.order - 0.5) return {};
  return {fmt::format("the error falls from {:.3g} to {:.3g} N over two halvings of the step: order {:.2f}, not {:g}",
                      first, last, order, example.order)};
}

}  // namespace kdyn::conformance
