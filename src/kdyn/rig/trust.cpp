// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/trust.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/data/bench_fields.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/rig/excitation.hpp"

namespace kdyn::inline rig {
namespace {

// One period of a motion of unit size: samples 0 to n, of which the last is the first again.
struct Period {
  double step = 0.0;
  std::vector<double> u, v;
};

// [rig E14] The same ten seconds of random motion again and again: a mount with a memory that fades or returns answers
// alike from the second time on, one that drifts moves on by as much every time.
constexpr double period_s = 10.0;
Period random_period(std::uint64_t seed) {
  const Excitation path = random_excitation(1.0, 0.2, 60.0, 1.0, period_s, 500.0, seed);
  const std::size_t n = path.time.size() - 1;  // the last sample is the first of the next time
  Period period;
  period.step = path.time[1] - path.time[0];
  const double slope = (path.displacement[n] - path.displacement[0]) / (static_cast<double>(n) * period.step);
  std::vector<double> t;
  for (std::size_t i = 0; i <= n + 1; ++i) {
    t.push_back(static_cast<double>(i) * period.step);
    period.u.push_back(path.displacement[i % n] - slope * static_cast<double>(i % n) * period.step);
  }
  period.v = velocity_of(t, period.u);
  period.u.pop_back(), period.v.pop_back();
  return period;
}

// [rig E15] Five random harmonics.
Period harmonic_period(std::uint64_t seed, std::uint64_t task) {
  constexpr std::size_t samples = 400;
  RandomStream random(seed, task);
  const double frequency = random.uniform(0.5, 10.0);
  std::vector<double> amplitude, phase;
  for (int h = 1; h <= 5; ++h) {
    amplitude.push_back(random.uniform(-1.0, 1.0));
    phase.push_back(two_pi * random.uniform());
  }
  Period period;
  period.step = 1.0 / (static_cast<double>(samples) * frequency);
  for (std::size_t i = 0; i < samples; ++i) {
    double x = 0.0, rate = 0.0;
    for (std::size_t h = 0; h < 5; ++h) {
      const double w = two_pi * frequency * static_cast<double>(h + 1);
      const double angle = w * static_cast<double>(i) * period.step + phase[h];
      x += amplitude[h] * std::sin(angle);
      rate += amplitude[h] * w * std::cos(angle);
    }
    period.u.push_back(x);
    period.v.push_back(rate);
  }
  period.u.push_back(period.u.front()), period.v.push_back(period.v.front());
  return period;
}

// Kept for the next mount: a batch examines thousands of them on the same motions, and making these costs as much as
// the simulation.
struct Motions {
  std::uint64_t seed = 0;
  Period random;
  std::vector<Period> harmonic;
};
const Motions& motions_of(const TrustOptions& options) {
  thread_local Motions kept;
  if (kept.random.u.empty() || kept.seed != options.seed) kept = {options.seed, random_period(options.seed), {}};
  for (auto i = kept.harmonic.size(); i < static_cast<std::size_t>(std::max(0, options.paths)); ++i)
    kept.harmonic.push_back(harmonic_period(options.seed, 100 + i));
  return kept;
}

// Runs a period at most so many times and makes a number of the forces of each. A period whose number repeats the one
// before it to rounding ends the run: a memory that fades or returns has done so, and later periods are the same.
template <class NumberOf>
std::vector<double> run_periods(Mount& mount, const Period& period, double size, double u0, std::size_t times,
                                double rounding, NumberOf&& number_of) {
  const std::size_t n = period.u.size() - 1;
  std::vector<double> u, v, force(n + 1), numbers;
  for (std::size_t i = 0; i <= n; ++i) {
    u.push_back(u0 + size * period.u[i]);
    v.push_back(size * period.v[i]);
  }
  mount.start({u[0], v[0]});
  force[n] = mount.peek({u[0], v[0]});
  while (numbers.size() < times) {
    force[0] = force[n];
    for (std::size_t i = 1; i <= n; ++i) force[i] = mount.advance({u[i], v[i]}, period.step);
    numbers.push_back(number_of(u, force));
    const std::size_t k = numbers.size() - 1;
    if (k >= 2 && std::abs(numbers[k] - numbers[k - 1]) <= rounding) break;
  }
  return numbers;
}

constexpr double rounding_rel = 1e-12;

double growth_of_mean(Mount& mount, const TrustOptions& options, double u0, double stiffness) {
  const auto times = static_cast<std::size_t>(std::max(4.0, std::round(options.duration_s / period_s)));
  const double rounding = rounding_rel * stiffness * options.amplitude;
  const auto mean_beyond_static = [&](const std::vector<double>& u, const std::vector<double>& force) {
    double mean = 0.0;
    const std::size_t n = u.size() - 1;
    for (std::size_t i = 0; i < n; ++i) mean += (force[i] - mount.static_force(u[i])) / static_cast<double>(n);
    return mean;
  };
  const std::vector<double> mean =
      run_periods(mount, motions_of(options).random, options.amplitude, u0, times, rounding, mean_beyond_static);
  return std::abs(mean.back() - mean[1]);
}

double work_of(const std::vector<double>& u, const std::vector<double>& force, std::size_t from) {
  double work = 0.0;
  for (std::size_t i = from + 1; i < u.size(); ++i) work += 0.5 * (force[i] + force[i - 1]) * (u[i] - u[i - 1]);
  return work;
}

// Steady periodic motion: work of the last of several periods.
double periodic_work(Mount& mount, const TrustOptions& options, double u0, const Period& period, double rounding) {
  return run_periods(
             mount, period, options.amplitude, u0, 6, rounding,
             [](const std::vector<double>& u, const std::vector<double>& force) { return work_of(u, force, 0); })
      .back();
}

// [rig E15] Loading in small steps forward and back, unloading in one go: the cycle with which friction laws that
// forget their past give more than they take. Slow, and repeated until it is steady.
double ratchet_work(Mount& mount, const TrustOptions& options, double u0) {
  std::vector<double> t, u;
  const auto go = [&](double to) {
    t.push_back(t.empty() ? 0.0 : t.back() + 0.05);
    u.push_back(to);
  };
  constexpr int steps = 200;
  std::size_t last_cycle = 0;
  for (int cycle = 0; cycle < 4; ++cycle) {
    last_cycle = u.empty() ? 0 : u.size() - 1;
    if (cycle == 0) go(u0);
    for (int i = 1; i <= steps; ++i) {
      go(u0 + options.amplitude * i / steps);
      if (i < steps) go(u0 + options.amplitude * (i - 0.5) / steps);
    }
    for (int i = steps - 1; i >= 0; --i) go(u0 + options.amplitude * i / steps);
  }
  // Straight pieces: each with its own velocity, so that turning points are the samples themselves.
  mount.start({u.front(), 0.0});
  std::vector<double> force{mount.peek({u.front(), 0.0})};
  for (std::size_t i = 1; i < u.size(); ++i) {
    const double h = t[i] - t[i - 1], v = (u[i] - u[i - 1]) / h;
    mount.change_velocity(v);
    force.push_back(mount.advance({u[i], v}, h));
  }
  return work_of(u, force, last_cycle);
}

}  // namespace

TrustResult examine_trust(const Mount& mount, const TrustOptions& options) {
  const std::unique_ptr<Mount> specimen = mount.clone();
  const double u0 = specimen->static_displacement(options.preload);
  const double stiffness = std::abs(specimen->linear_stiffness(0.01, u0));
  TrustResult result;
  result.axis = options.axis;
  result.drift_force = growth_of_mean(*specimen, options, u0, stiffness);
  result.drift = result.drift_force / (stiffness * options.amplitude);
  const double scale = stiffness * options.amplitude * options.amplitude;
  result.lowest_work = ratchet_work(*specimen, options, u0) / scale;
  for (const Period& period : motions_of(options).harmonic)
    result.lowest_work =
        std::min(result.lowest_work, periodic_work(*specimen, options, u0, period, rounding_rel * scale) / scale);
  result.drifts = result.drift > 0.02;
  // Round-off of the trapezoidal work is about 1e-5 of the scale at this sampling.
  result.generates_energy = result.lowest_work < -1e-4;
  result.words = fmt::format(
      "{}; {}",
      result.drifts ? fmt::format("drifts: its mean force grows by {:.3g} N while the same random motion is repeated",
                                  result.drift_force)
                    : "does not drift",
      result.generates_energy ? "gives out energy on a closed path with micro-reversals"
                              : "takes energy on every path tried");
  return result;
}

const FieldTable& fields_of(const TrustResult*) {
  using T = TrustResult;
  static const FieldTable table = FieldTable::results<T>("trust", [](FieldTable& t) {
    t.add(&T::drift, "drift_rel", "-", "Growth of the mean force under random motion, over stiffness times rms");
    add_on_axis<T>(
        t, [](const T& r) { return r.axis; }, [](const T& r) { return r.drift_force; },
        {"drift_n", "N", "drift_nm", "N*m"}, "The same as a force or moment");
    t.add(&T::drifts, "drifts", "-", "Whether it is more than 2 %");
    t.add(&T::lowest_work, "lowest_work_rel", "-",
          "Smallest work over a closed path, over stiffness times amplitude^2");
    t.add(&T::generates_energy, "generates_energy", "-", "Whether it is negative: energy from nothing");
    t.add(&T::words, "words", "-", "The verdict in one sentence");
  });
  return table;
}

}  // namespace kdyn::inline rig
