// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/steady.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kdyn/activemount/transfer.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::inline activemount {
namespace {

using Law = ActiveMount<double>;
using C = std::complex<double>;
constexpr double pi = std::numbers::pi;

C plain(const Complex<double>& z) { return {z.re, z.im}; }

// Linear response with the law's own parameters.
ActiveSteadyState linear_response(const Law& law, const ActiveDrive& drive) {
  const double omega = 2.0 * pi * drive.frequency_hz;
  const ActiveOperators<double> o(law, omega);
  const auto all = active_responses(law, drive.frequency_hz);
  ActiveSteadyState out;
  C p, xA;
  if (drive.voltage > 0.0) {
    const C force = drive.voltage * law.kM / plain(o.coil);
    p = force * law.AA / (plain(o.CA) * plain(o.sum));
    xA = (force - p * law.AA) / plain(o.CA);
    out.force_x = plain(all[2]);
    out.force_y = plain(all[3]);
  } else {
    p = -law.AT / plain(o.sum) * drive.displacement;
    xA = -p * law.AA / plain(o.CA);
    out.force_x = plain(all[0]);
    out.force_y = plain(all[1]);
  }
  out.pressure = std::abs(p);
  out.amplitude_A = std::abs(xA);
  out.amplitude_K = std::abs(p * law.AK / plain(o.CK));
  out.dK_equivalent = law.dK;
  out.cA = law.cA;
  out.dA = law.dA;
  return out;
}

// [activemount E14] for the fluid.
ActiveSteadyState with_fluid_damping(Law law, const ActiveDrive& drive) {
  if (law.dKq == 0.0) return linear_response(law, drive);
  const double factor = 8.0 / (3.0 * pi) * law.dKq * 2.0 * pi * drive.frequency_hz, dK = law.dK;
  law.dKq = 0.0;
  const auto excess = [&](double trial) {
    law.dK = trial;
    return dK + factor * linear_response(law, drive).amplitude_K - trial;
  };
  double lower = dK, upper = std::max(2.0 * dK, 1e-3);
  while (excess(upper) > 0.0 && upper < 1e12) lower = upper, upper *= 4.0;
  for (int i = 0; i < 200 && upper - lower > 1e-15 * upper; ++i) {
    const double middle = 0.5 * (lower + upper);
    (excess(middle) > 0.0 ? lower : upper) = middle;
  }
  law.dK = 0.5 * (lower + upper);
  return linear_response(law, drive);
}

struct Factors {
  double stiffness, damping;
};
Factors factors_at(const std::vector<ActuatorTableRow>& table, double amplitude) {
  const auto above = std::upper_bound(table.begin(), table.end(), amplitude,
                                      [](double a, const ActuatorTableRow& row) { return a < row.amplitude; });
  if (above == table.begin()) return {table.front().stiffness_factor, table.front().damping_factor};
  if (above == table.end()) return {table.back().stiffness_factor, table.back().damping_factor};
  const ActuatorTableRow &a = *(above - 1), &b = *above;
  const double s = std::log(amplitude / a.amplitude) / std::log(b.amplitude / a.amplitude);
  return {a.stiffness_factor + s * (b.stiffness_factor - a.stiffness_factor),
          a.damping_factor + s * (b.damping_factor - a.damping_factor)};
}

}  // namespace

ActiveSteadyState steady_state_of(const Law& law, const std::vector<ActuatorTableRow>& table,
                                  const ActiveDrive& drive) {
  demand((drive.voltage > 0.0) != (drive.displacement > 0.0) && drive.frequency_hz > 0.0,
         "a steady state has one drive and a frequency");
  if (table.empty()) return with_fluid_damping(law, drive);
  // [activemount E14] for the diaphragm: the amplitude that the table is read at is the one that comes out.
  const auto at_amplitude = [&](double amplitude) {
    Law changed = law;
    const Factors f = factors_at(table, amplitude);
    changed.cA *= f.stiffness;
    changed.dA *= f.damping;
    return with_fluid_damping(changed, drive);
  };
  const auto excess = [&](double log_amplitude) {
    return std::log(at_amplitude(std::exp(log_amplitude)).amplitude_A) - log_amplitude;
  };
  // Outside the table the response does not depend on the amplitude it is read at: no solution lies far beyond these
  // ends.
  const double at_small = std::log(at_amplitude(table.front().amplitude).amplitude_A),
               at_large = std::log(at_amplitude(table.back().amplitude).amplitude_A);
  const double lower = std::min({std::log(table.front().amplitude), at_small, at_large}) - 1.0;
  const double upper = std::max({std::log(table.back().amplitude), at_small, at_large}) + 1.0;
  constexpr int scan = 200;
  double root = lower, before = excess(lower);
  int solutions = 0;
  for (int i = 1; i <= scan; ++i) {
    double right = lower + (upper - lower) * i / scan, left = right - (upper - lower) / scan;
    const double after = excess(right);
    if ((before > 0.0) != (after > 0.0) && ++solutions == 1) {
      const bool falling = before > 0.0;
      for (int k = 0; k < 80; ++k) {
        const double middle = 0.5 * (left + right);
        ((excess(middle) > 0.0) == falling ? left : right) = middle;
      }
      root = 0.5 * (left + right);
    }
    before = after;
  }
  ActiveSteadyState out = at_amplitude(std::exp(root));
  out.solutions = solutions;
  return out;
}

ActiveTimeResponse integrate_steady(const Law& law, const ActiveDrive& drive, int cycles, int samples_per_cycle) {
  demand((drive.voltage > 0.0) != (drive.displacement > 0.0) && cycles > 0 && samples_per_cycle >= 16,
         "a time response has one drive and enough samples");
  const double omega = 2.0 * pi * drive.frequency_hz, h = 2.0 * pi / (omega * samples_per_cycle);
  const Law::Memory memory = law.start(0.0);
  std::array<double, 7> x{}, rate;
  std::array<C, 3> harmonic{};  // fx, fy, third of fx
  // Runge-Kutta with the voltage at its stages: a sine held over each step would not be the same drive.
  const auto motion = [&](double t) {
    return Motion<double>{drive.displacement * std::sin(omega * t), drive.displacement * omega * std::cos(omega * t)};
  };
  const auto rates = [&](double t, const std::array<double, 7>& y) {
    std::array<double, 7> r;
    law.respond(motion(t), drive.voltage * std::sin(omega * t), y.data(), memory, r.data());
    return r;
  };
  const auto along = [](std::array<double, 7> y, double step, const std::array<double, 7>& r) {
    for (std::size_t j = 0; j < 7; ++j) y[j] += step * r[j];
    return y;
  };
  const int parts = std::max(1, static_cast<int>(std::ceil(law.fastest_rate() * h / 0.1)));
  const double dt = h / parts;
  for (int cycle = 0; cycle < cycles; ++cycle)
    for (int sample = 0; sample < samples_per_cycle; ++sample) {
      const double start = (cycle * samples_per_cycle + sample) * h;
      if (cycle + 1 == cycles) {
        const ActiveForces<double> f =
            law.respond(motion(start), drive.voltage * std::sin(omega * start), x.data(), memory, rate.data());
        const double phase = 2.0 * pi * sample / samples_per_cycle;
        const C e = std::polar(2.0 / samples_per_cycle, -phase);
        harmonic[0] += f.x * e;
        harmonic[1] += f.y * e;
        harmonic[2] += f.x * std::polar(2.0 / samples_per_cycle, -3.0 * phase);
      }
      for (int part = 0; part < parts; ++part) {
        const double t = start + part * dt;
        const auto k1 = rates(t, x), k2 = rates(t + 0.5 * dt, along(x, 0.5 * dt, k1)),
                   k3 = rates(t + 0.5 * dt, along(x, 0.5 * dt, k2)), k4 = rates(t + dt, along(x, dt, k3));
        for (std::size_t j = 0; j < 7; ++j) x[j] += dt / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j]);
      }
    }
  const C amplitude =
      C(0.0, -1.0) * (drive.voltage > 0.0 ? drive.voltage : drive.displacement);  // of a sine against the cosine base
  return {harmonic[0] / amplitude, harmonic[1] / amplitude, std::abs(harmonic[2] / harmonic[0])};
}

}  // namespace kdyn::inline activemount
