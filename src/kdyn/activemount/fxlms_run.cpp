// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/fxlms_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::inline activemount {
namespace {

using C = std::complex<double>;
using Law = ActiveMount<double>;
constexpr int substeps = 4;  // the engine's motion is a sine also between samples
constexpr double diverged_factor = 1e3;
constexpr std::size_t max_samples = 20'000'000;

// The mount between two samples: engine motion with a frequency that changes linearly, voltage held.
struct Plant {
  const Law& law;
  Law::Memory memory;
  std::array<double, 7> x{};

  Motion<double> motion(double amplitude, double theta, double omega) const {
    return {amplitude * std::sin(theta), amplitude * omega * std::cos(theta)};
  }
  ActiveForces<double> step(double amplitude, double theta, double omega, double omega_next, double voltage, double T) {
    ActiveForces<double> f{};
    for (int i = 0; i < substeps; ++i) {
      const auto at = [&](double s) {
        // Mean frequency of the step is that of the phase accumulator; inside, the phase runs on evenly.
        return motion(amplitude, theta + omega * T * s, omega + (omega_next - omega) * s);
      };
      f = law.integrate(x.data(), memory, at(static_cast<double>(i) / substeps), at((i + 1.0) / substeps), voltage,
                        T / substeps);
    }
    return f;
  }
};

double rms(const std::vector<double>& x, std::size_t from) {
  double sum = 0.0;
  for (std::size_t i = from; i < x.size(); ++i) sum += x[i] * x[i];
  return from < x.size() ? std::sqrt(sum / static_cast<double>(x.size() - from)) : 0.0;
}

}  // namespace

const FieldTable& fields_of(const FxlmsOptions*) {
  using O = FxlmsOptions;
  static const FieldTable table = FieldTable::of<O>("fxlms", [](FieldTable& t) {
    t.add(&O::engine_speed_start_rpm, "engine_speed_start_rpm", "1/min", "Control run: engine speed at the start")
        .above(0.0);
    t.add(&O::engine_speed_end_rpm, "engine_speed_end_rpm", "1/min", "Control run: engine speed at the end").above(0.0);
    t.add(&O::engine_order, "engine_order", "-", "Control run: engine order that is cancelled").range(0.1, 100.0);
    t.add(&O::duration_s, "duration_s", "s", "Control run: length").above(0.0);
    t.add(&O::control_from_s, "control_from_s", "s", "Control run: time at which the controller is switched on")
        .at_least(0.0);
    t.add(&O::displacement_amplitude_m, "displacement_amplitude_m", "m", "Control run: amplitude of the engine side")
        .above(0.0);
    t.add(&O::sample_rate_hz, "sample_rate_hz", "Hz", "Sampling rate of the controller").range(10.0, 1e6);
    t.add(&O::step, "step", "-", "Control run: normalised step mu |S|^2").range(0.0, 10.0);
    t.add(&O::phase_error_deg, "phase_error_deg", "deg", "Control run: phase error of the secondary path's estimate")
        .range(-180.0, 180.0);
  });
  return table;
}

FxlmsResult run_fxlms(const Law& plant, const Law& nominal, ActivePath path, const FxlmsOptions& o,
                      Progress& progress) {
  demand(!is_passive(path), "the controlled path is S_x or S_y");
  const double T = 1.0 / o.sample_rate_hz, samples = std::floor(o.duration_s * o.sample_rate_hz);
  if (samples > static_cast<double>(max_samples))
    throw_bad_input("duration_s", fmt::format("the run has {:.3g} samples, the limit is {}", samples, max_samples),
                    "shorten it or lower sample_rate_hz");
  if (samples < 2.0)
    throw_bad_input(
        "duration_s",
        fmt::format("a run of {:g} s has fewer than two samples at {:g} Hz", o.duration_s, o.sample_rate_hz),
        "make it longer or raise sample_rate_hz");
  const double f_start = o.engine_order * o.engine_speed_start_rpm / 60.0,
               f_end = o.engine_order * o.engine_speed_end_rpm / 60.0;
  if (std::max(f_start, f_end) >= 0.5 * o.sample_rate_hz)
    throw_bad_input("sample_rate_hz",
                    fmt::format("the engine order reaches {:g} Hz, half the sampling rate is {:g} Hz",
                                std::max(f_start, f_end), 0.5 * o.sample_rate_hz),
                    "raise sample_rate_hz or lower the engine speed");
  const SampledPath estimate_path = sample_path(nominal, path, o.sample_rate_hz);
  const C turn = std::polar(1.0, o.phase_error_deg * std::numbers::pi / 180.0);
  Plant controlled{plant, plant.start(0.0)}, passive{plant, plant.start(0.0)};
  FxlmsResult result;
  result.status = "done";
  const auto n = static_cast<std::size_t>(samples);
  const auto frequency_at = [&](std::size_t i) {
    return n > 1 ? f_start + (f_end - f_start) * static_cast<double>(i) / static_cast<double>(n - 1) : f_start;
  };
  double theta = 0.0, e = 0.0, e_passive = 0.0, largest_passive = 0.0;
  C w = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) * T, f = frequency_at(i), omega = two_pi * f;
    const C reference = std::polar(1.0, theta);
    const bool on = t >= o.control_from_s;
    const double u = on ? (w * reference).real() : 0.0;
    result.time.push_back(t);
    result.frequency_hz.push_back(f);
    result.error.push_back(e);
    result.error_without.push_back(e_passive);
    result.voltage.push_back(u);
    result.largest_voltage = std::max(result.largest_voltage, std::abs(u));
    largest_passive = std::max(largest_passive, std::abs(e_passive));
    if (!(std::abs(e) <= diverged_factor * std::max(largest_passive, 1e-12))) {
      result.status = "diverged";
      result.reason = fmt::format("the error passed {:g} times the force without control at {:.3g} s and {:.4g} Hz",
                                  diverged_factor, t, f);
      break;
    }
    if (i % 1024 == 0) {
      progress.report(t / o.duration_s, "control run");
      if (progress.stop_requested()) {
        result.status = "stopped";
        result.reason = fmt::format("stopped at {:.3g} s", t);
        break;
      }
    }
    if (on) {
      // [activemount E18]
      const C S = estimate_path.response(f) * turn;
      w -= o.step / std::norm(S) * std::conj(S * reference) * e;
    }
    const double omega_next = two_pi * frequency_at(std::min(i + 1, n - 1));
    const ActiveForces<double> with = controlled.step(o.displacement_amplitude_m, theta, omega, omega_next, u, T);
    const ActiveForces<double> without = passive.step(o.displacement_amplitude_m, theta, omega, omega_next, 0.0, T);
    e = path == ActivePath::S_y ? with.y : with.x;
    e_passive = path == ActivePath::S_y ? without.y : without.x;
    theta = std::fmod(theta + omega * T, two_pi);  // [activemount E20]
  }
  const std::size_t tail = result.time.size() * 2 / 3;
  const double level = rms(result.error_without, tail);
  if (level > 0.0) result.attenuation_db = 20.0 * std::log10(std::max(rms(result.error, tail) / level, 1e-15));
  return result;
}

}  // namespace kdyn::inline activemount
