// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/excitation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/numerics/formula.hpp"

namespace kdyn::inline rig {
namespace {

constexpr double most_samples = 50e6;
constexpr std::size_t components = 400;

Excitation empty_path(double duration_s, double sample_rate_hz) {
  const double samples = std::floor(duration_s * sample_rate_hz + 1e-9) + 1.0;
  if (samples > most_samples)
    throw_bad_input("duration_s",
                    fmt::format("the record has {:.3g} samples, the limit is {:.3g}", samples, most_samples),
                    "shorten it or lower sample_rate_hz");
  Excitation path;
  const auto n = static_cast<std::size_t>(samples);
  for (std::size_t i = 0; i < n; ++i) path.time.push_back(static_cast<double>(i) / sample_rate_hz);
  path.displacement.assign(n, 0.0);
  path.velocity.assign(n, 0.0);
  path.acceleration.assign(n, 0.0);
  return path;
}

// Smooth start from rest: the quintic step, whose first and second derivative vanish at both ends.
struct Ramp {
  double value, rate, bend;
};
Ramp ramp(double t, double length) {
  if (t >= length) return {1.0, 0.0, 0.0};
  const double s = t / length;
  return {s * s * s * (10.0 + s * (-15.0 + 6.0 * s)), 30.0 * s * s * (1.0 - s) * (1.0 - s) / length,
          60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (length * length)};
}

void add_product(const Ramp& r, double u, double v, double a, std::size_t i, Excitation& path) {
  path.displacement[i] += r.value * u;
  path.velocity[i] += r.value * v + r.rate * u;
  path.acceleration[i] += r.value * a + 2.0 * r.rate * v + r.bend * u;
}

void check_band(double lower_hz, double upper_hz, double sample_rate_hz) {
  if (!(lower_hz < upper_hz))
    throw_bad_input("random_upper_hz",
                    fmt::format("{:g} Hz is not above random_lower_hz = {:g} Hz", upper_hz, lower_hz),
                    "give lower < upper");
  if (sample_rate_hz < 4.0 * upper_hz)
    throw_bad_input("sample_rate_hz",
                    fmt::format("{:g} Hz is below four times the highest frequency {:g} Hz", sample_rate_hz, upper_hz),
                    "raise sample_rate_hz");
}

}  // namespace

// [rig E10]
Excitation random_excitation(double rms, double lower_hz, double upper_hz, double slope, double duration_s,
                             double sample_rate_hz, std::uint64_t seed) {
  check_band(lower_hz, upper_hz, sample_rate_hz);
  Excitation path = empty_path(duration_s, sample_rate_hz);
  RandomStream random(seed, 1);
  // Frequencies are jittered inside their cells: the signal does not repeat within the record.
  const double cell = (upper_hz - lower_hz) / static_cast<double>(components);
  std::vector<double> frequency, amplitude, phase;
  double power = 0.0;
  for (std::size_t c = 0; c < components; ++c) {
    frequency.push_back(lower_hz + (static_cast<double>(c) + random.uniform()) * cell);
    amplitude.push_back(std::pow(frequency.back(), -0.5 * slope));
    phase.push_back(two_pi * random.uniform());
    power += 0.5 * amplitude.back() * amplitude.back();
  }
  const double scale = rms / std::sqrt(power), start = std::min(0.5, 0.1 * duration_s);
  std::vector<double> u(path.time.size(), 0.0), v = u, a = u;
  for (std::size_t c = 0; c < components; ++c) {
    // One complex multiplication per sample instead of a sine and a cosine; round-off after 1e6 samples is about 1e-10.
    const double w = two_pi * frequency[c];
    const std::complex<double> turn = std::polar(1.0, w / sample_rate_hz);
    std::complex<double> now = std::polar(scale * amplitude[c], phase[c]);
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] += now.imag();
      v[i] += w * now.real();
      a[i] -= w * w * now.imag();
      now = {now.real() * turn.real() - now.imag() * turn.imag(), now.real() * turn.imag() + now.imag() * turn.real()};
    }
  }
  for (std::size_t i = 0; i < u.size(); ++i) add_product(ramp(path.time[i], start), u[i], v[i], a[i], i, path);
  return path;
}

Excitation road_excitation(double rms, double lower_hz, double upper_hz, double duration_s, double sample_rate_hz,
                           std::uint64_t seed) {
  Excitation path = random_excitation(rms, lower_hz, upper_hz, 2.0, duration_s, sample_rate_hz, seed);
  RandomStream random(seed, 2);
  const auto bumps = static_cast<std::size_t>(std::max(1.0, duration_s / 5.0));
  for (std::size_t b = 0; b < bumps; ++b) {
    const double length = random.uniform(0.05, 0.2), at = random.uniform(0.1, 0.9) * duration_s,
                 height = rms * random.uniform(2.0, 5.0) * (random.uniform() < 0.5 ? -1.0 : 1.0);
    const double w = two_pi / length;
    for (std::size_t i = 0; i < path.time.size(); ++i) {
      const double t = path.time[i] - at;
      if (t <= 0.0 || t >= length) continue;
      path.displacement[i] += 0.5 * height * (1.0 - std::cos(w * t));
      path.velocity[i] += 0.5 * height * w * std::sin(w * t);
      path.acceleration[i] += 0.5 * height * w * w * std::cos(w * t);
    }
  }
  return path;
}

// [rig E11]
Excitation sweep_excitation(double amplitude, double from_hz, double to_hz, double duration_s, double sample_rate_hz) {
  if (sample_rate_hz < 8.0 * std::max(from_hz, to_hz))
    throw_bad_input("sample_rate_hz",
                    fmt::format("{:g} Hz is below eight times the highest frequency of the sweep, {:g} Hz",
                                sample_rate_hz, std::max(from_hz, to_hz)),
                    "raise sample_rate_hz");
  Excitation path = empty_path(duration_s, sample_rate_hz);
  const double growth = std::log(to_hz / from_hz) / duration_s;
  for (std::size_t i = 0; i < path.time.size(); ++i) {
    const double t = path.time[i];
    const double f = from_hz * std::exp(growth * t), w = two_pi * f, w_rate = growth * w;
    const double phi = std::abs(growth) > 1e-12 ? two_pi * from_hz * std::expm1(growth * t) / growth : w * t;
    path.displacement[i] = amplitude * std::sin(phi);
    path.velocity[i] = amplitude * w * std::cos(phi);
    path.acceleration[i] = amplitude * (w_rate * std::cos(phi) - w * w * std::sin(phi));
  }
  return path;
}

namespace {

// Between samples a path is the cubic of their displacements and velocities. Where the formula goes another way,
// samples are too far apart, and the mount would be driven by another motion than the one that is written. A single
// jump is no such case: all steps together count.
void check_sampling(const Formula& formula, const Excitation& path) {
  double missed = 0.0, mean = 0.0, size = 0.0;
  const std::size_t n = path.time.size();
  for (const double u : path.displacement) mean += u / static_cast<double>(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double h = path.time[i + 1] - path.time[i];
    const double cubic =
        0.5 * (path.displacement[i] + path.displacement[i + 1]) + 0.125 * h * (path.velocity[i] - path.velocity[i + 1]);
    const double middle = formula(path.time[i] + 0.5 * h).value;
    if (!std::isfinite(middle)) continue;
    missed += (middle - cubic) * (middle - cubic);
    size += std::max((middle - mean) * (middle - mean), std::pow(path.displacement[i] - mean, 2));
  }
  constexpr double allowed = 0.05;
  if (missed > allowed * allowed * size)
    throw_bad_input("sample_rate_hz",
                    fmt::format("samples {:g} s apart do not follow the formula: between them it differs by {:.0f} %",
                                path.time[1] - path.time[0], 100.0 * std::sqrt(missed / size)),
                    "raise sample_rate_hz to ten times the highest frequency of the formula");
}

}  // namespace

Excitation formula_excitation(const std::string& text, double duration_s, double sample_rate_hz) {
  const Formula formula(text, "formula");
  Excitation path = empty_path(duration_s, sample_rate_hz);
  const double h = 1e-4 / sample_rate_hz;
  for (std::size_t i = 0; i < path.time.size(); ++i) {
    const double t = path.time[i];
    const auto [u, v] = formula(t);
    if (!std::isfinite(u) || !std::isfinite(v))
      throw_bad_input("formula", fmt::format("displacement or velocity is not finite at t = {:g} s", t),
                      "change the formula");
    path.displacement[i] = u;
    path.velocity[i] = v;
    // Only the inertia of a fixture needs it, so a difference of exact velocities is good enough.
    path.acceleration[i] = (formula(t + h).rate - v) / h;
  }
  check_sampling(formula, path);
  return path;
}

}  // namespace kdyn::inline rig
