// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/hydromount_start.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/hydromount/first_harmonic.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

using C = std::complex<double>;
using Rows = std::vector<const HydroRow*>;

struct Level {
  double amplitude = 0.0;
  Rows rows;           // by ascending frequency
  double k_low = 0.0;  // Re K extrapolated to zero frequency
  C plateau;           // of H at the highest frequencies
};

C measured(const HydroRow& row) { return std::polar(row.k_dyn, row.loss_angle); }

// Re K over w^2 is a straight line well below resonance: its value at zero.
double extrapolate(const Rows& rows, double below_hz) {
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i >= 3 && rows[i]->frequency_hz > below_hz) break;
    const double x = rows[i]->omega * rows[i]->omega, y = measured(*rows[i]).real();
    n += 1.0, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double det = n * sxx - sx * sx;
  const double value = det > 1e-12 * n * sxx ? (sy * sxx - sx * sxy) / det : sy / n;
  const double lowest = measured(*rows.front()).real();
  return lowest > 0.0 ? std::clamp(value, 0.7 * lowest, 1.4 * lowest) : lowest;
}

// Real part of the friction stiffness for h = 1: 1 at vanishing amplitude, falling.
double softening(double rho, double a) {
  const auto K = friction_stiffness(Friction<double>{FrictionLaw::masing, 1.0 / rho, rho, std::nullopt}, a);
  return K.re;
}

// Main rubber: k (1 + h softening(rho a)) through the low-frequency values, rho on a grid, k and k h linear.
void main_rubber(const std::vector<Level>& levels, std::optional<double> k_static, double& k, double& h, double& rho) {
  double best = std::numeric_limits<double>::infinity();
  const double a0 = std::sqrt(levels.front().amplitude * levels.back().amplitude);
  double mean = 0.0;
  for (const Level& level : levels) mean += level.k_low / static_cast<double>(levels.size());
  k = mean / 1.1;
  h = 0.1;
  rho = 1.0 / a0;
  if (levels.size() < 3) return;
  for (int i = -8; i <= 12; ++i) {
    const double trial = std::exp(0.5 * i) / a0;
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (const Level& level : levels) {
      const double x = softening(trial, level.amplitude), y = level.k_low, w = 1.0 / (y * y);
      n += w, sx += w * x, sy += w * y, sxx += w * x * x, sxy += w * x * y;
    }
    const double det = n * sxx - sx * sx;
    if (!(det > 1e-9 * n * sxx)) continue;
    double base = (sy * sxx - sx * sxy) / det, part = (n * sxy - sx * sy) / det;
    if (k_static) base = std::clamp(base, 0.7 * *k_static, 1.2 * *k_static);
    base = std::clamp(base, mean / 2.2, mean / 0.85);
    part = std::max(0.0, (sxy - base * sx) / sxx);
    double misfit = 0.0;
    for (const Level& level : levels) {
      const double e = (base + part * softening(trial, level.amplitude)) / level.k_low - 1.0;
      misfit += e * e;
    }
    if (misfit < best) {
      best = misfit;
      k = base;
      h = part / base;
      rho = trial;
    }
  }
  h = std::clamp(h, 0.02, 2.0);
}

// Clearance and membrane slope from the plateau over amplitude: the chamber follows the describing function.
void decoupler(const std::vector<Level>& levels, double& chamber, double& clearance, double& slope) {
  double best = std::numeric_limits<double>::infinity();
  const double low = levels.front().amplitude, high = levels.back().amplitude;
  for (const double s0 : {0.02, 0.15, 0.4, 0.65})
    for (int i = 0; i <= 48; ++i) {
      const double D = 0.1 * low * std::pow(20.0 * high / low, i / 48.0);
      const Decoupler<double> valve{D, 1.0, s0};
      double mean = 0.0, square = 0.0;
      for (const Level& level : levels) {
        const double e = std::log(std::abs(level.plateau) / valve.describing_function(level.amplitude));
        mean += e / static_cast<double>(levels.size());
        square += e * e / static_cast<double>(levels.size());
      }
      if (square - mean * mean < best) {
        best = square - mean * mean;
        chamber = std::exp(mean);
        clearance = D;
        slope = s0;
      }
    }
}

}  // namespace

std::vector<double> amplitude_levels(const std::vector<HydroRow>& rows, std::vector<std::size_t>& level_of_row) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rows[a].amplitude < rows[b].amplitude; });
  std::vector<double> levels;
  std::vector<double> members;
  level_of_row.assign(rows.size(), 0);
  for (std::size_t n = 0; n < order.size(); ++n) {
    const double a = rows[order[n]].amplitude;
    if (n == 0 || a > 1.1 * rows[order[n - 1]].amplitude) {
      if (!members.empty()) levels.back() = median(members);
      levels.push_back(a);
      members.clear();
    }
    members.push_back(a);
    level_of_row[order[n]] = levels.size() - 1;
  }
  if (!members.empty()) levels.back() = median(members);
  return levels;
}

void fit_damping(const std::vector<double>& speeds, const std::vector<double>& resistances, double exponent,
                 double& linear, double& power) {
  double s11 = 0.0, s12 = 0.0, s22 = 0.0, b1 = 0.0, b2 = 0.0;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const double w = 1.0 / resistances[i], x = power_damping_factor(exponent) * std::pow(speeds[i], exponent - 1.0) * w;
    s11 += w * w, s12 += w * x, s22 += x * x, b1 += w, b2 += x;
  }
  const double det = s11 * s22 - s12 * s12;
  if (!(det > 1e-12 * s11 * s22)) return;
  linear = (b1 * s22 - s12 * b2) / det;
  power = (s11 * b2 - s12 * b1) / det;
  if (linear <= 0.0) {
    power = b2 / s22;
    linear = 0.02 * power * std::sqrt(s22 / s11);
  } else if (power <= 0.0) {
    linear = b1 / s11;
    power = 0.02 * linear * std::sqrt(s11 / s22);
  }
}

HydroFeatures hydro_features(const std::vector<HydroRow>& rows, double exponent,
                             std::optional<double> static_stiffness) {
  HydroFeatures out;
  std::vector<std::size_t> level_of_row;
  const std::vector<double> amplitudes = amplitude_levels(rows, level_of_row);
  std::vector<Level> levels(amplitudes.size());
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i].amplitude = amplitudes[i];
  for (std::size_t i = 0; i < rows.size(); ++i) levels[level_of_row[i]].rows.push_back(&rows[i]);
  std::vector<double> peaks;
  for (Level& level : levels) {
    std::sort(level.rows.begin(), level.rows.end(),
              [](const HydroRow* a, const HydroRow* b) { return a->omega < b->omega; });
    const auto top = std::max_element(level.rows.begin(), level.rows.end(), [](const HydroRow* a, const HydroRow* b) {
      return measured(*a).imag() < measured(*b).imag();
    });
    peaks.push_back((*top)->frequency_hz);
  }
  const double first_peak = median(peaks);
  for (Level& level : levels) level.k_low = extrapolate(level.rows, std::min(5.0, 0.35 * first_peak));

  HydroValues& v = out.values;
  main_rubber(levels, static_stiffness, v[hydro_main_k], v[hydro_main_h], v[hydro_main_rho]);

  // Hydraulic part H = K - K_T and its plateau above resonance.
  const auto hydraulic = [&](const HydroRow& row) {
    return measured(row) - v[hydro_main_k] * (1.0 + v[hydro_main_h] * softening(v[hydro_main_rho], row.amplitude));
  };
  std::vector<double> plateaus;
  for (Level& level : levels) {
    const std::size_t count = std::min<std::size_t>(6, level.rows.size());
    for (std::size_t i = level.rows.size() - count; i < level.rows.size(); ++i)
      level.plateau += hydraulic(*level.rows[i]) / static_cast<double>(count);
    if (!(std::abs(level.plateau) > 1e-3 * level.k_low)) level.plateau = 1e-3 * level.k_low;
    plateaus.push_back(std::abs(level.plateau));
  }
  out.decoupler_shows = levels.size() >= 2 && plateaus.front() < 0.85 * plateaus.back();
  v[hydro_chamber_k] = plateaus.back() / 1.1;
  v[hydro_clearance] = 0.5 * amplitudes.front();
  v[hydro_residual] = 0.2;
  if (levels.size() >= 2) {
    double chamber = 0.0;
    decoupler(levels, chamber, v[hydro_clearance], v[hydro_residual]);
    if (out.decoupler_shows) v[hydro_chamber_k] = chamber / 1.1;
  }

  // Fluid: H = C Z/(C + Z), hence Z = 1/(1/H - 1/C) around the peak of Im H.
  std::vector<double> masses, speed, resistance, resonances;
  for (const Level& level : levels) {
    const auto top = std::max_element(level.rows.begin(), level.rows.end(), [&](const HydroRow* a, const HydroRow* b) {
      return hydraulic(*a).imag() < hydraulic(*b).imag();
    });
    resonances.push_back((*top)->frequency_hz);
    for (const HydroRow* row : level.rows) {
      if (row->frequency_hz < 0.3 * (*top)->frequency_hz || row->frequency_hz > 1.6 * (*top)->frequency_hz) continue;
      const C H = hydraulic(*row), Z = 1.0 / (1.0 / H - 1.0 / level.plateau);
      if (!std::isfinite(std::abs(Z))) continue;
      if (Z.real() < 0.0) masses.push_back(-Z.real() / (row->omega * row->omega));
      if (Z.imag() > 0.0) {
        resistance.push_back(Z.imag() / row->omega);
        speed.push_back(row->omega * row->amplitude * std::abs(H / Z));
      }
    }
  }
  out.resonance_hz = std::max(0.5 * rows.front().frequency_hz, median(resonances));
  const double w0 = 2.0 * std::numbers::pi * out.resonance_hz;
  const double guess = v[hydro_chamber_k] / (w0 * w0);
  v[hydro_mass] = masses.size() >= 3 ? std::clamp(median(masses), 0.1 * guess, 10.0 * guess) : guess;
  const double critical = 2.0 * std::sqrt(v[hydro_mass] * v[hydro_chamber_k]);
  const double typical_speed = speed.empty() ? w0 * amplitudes.back() : median(speed);
  double linear = 0.05 * critical, power = 0.0;
  fit_damping(speed, resistance, exponent, linear, power);
  const double power_unit = critical / std::pow(std::max(typical_speed, 1e-9), exponent - 1.0);
  v[hydro_linear] = std::clamp(linear, 0.004 * critical, 1.0 * critical);
  v[hydro_power] = std::clamp(power, 0.01 * power_unit, 3.0 * power_unit);

  v[hydro_main_c] = v[hydro_chamber_c] = 1.3e-3;
  v[hydro_t2] = 0.03;
  v[hydro_t_ratio] = 0.09;
  v[hydro_chamber_h] = 0.2;
  v[hydro_chamber_rho] = 4000.0;
  // The bypass opens somewhere below the largest chamber force that was reached.
  double force = 0.0;
  for (const HydroRow& row : rows) force = std::max(force, std::abs(hydraulic(row)) * row.amplitude);
  v[hydro_threshold] = 0.4 * force;
  v[hydro_bypass] = 0.1 * w0 * amplitudes.back() / std::sqrt(force);
  // The first harmonic of a limited force stays below twice the limit.
  v[hydro_limit] = 0.5 * force;
  v[hydro_limit_width] = 0.05;

  const double a_min = amplitudes.front(), a_max = amplitudes.back();
  const auto bound = [&](int slot, double lower, double upper) {
    const auto s = static_cast<std::size_t>(slot);
    out.lower[s] = lower;
    out.upper[s] = upper;
    v[s] = std::clamp(v[s], lower, upper);
  };
  const auto around = [&](int slot, double factor) {
    bound(slot, v[static_cast<std::size_t>(slot)] / factor, v[static_cast<std::size_t>(slot)] * factor);
  };
  around(hydro_main_k, 3.0);
  around(hydro_chamber_k, 20.0);
  around(hydro_mass, 30.0);
  bound(hydro_linear, 1e-4 * critical, 10.0 * critical);
  bound(hydro_power, 1e-4 * power_unit, 300.0 * power_unit);
  for (const int slot : {hydro_main_c, hydro_chamber_c}) bound(slot, 1e-6, 0.3);
  bound(hydro_t2, 1e-4, 3.0);
  bound(hydro_t_ratio, 5e-3, 0.9);
  for (const int slot : {hydro_main_h, hydro_chamber_h}) bound(slot, 1e-4, 5.0);
  for (const int slot : {hydro_main_rho, hydro_chamber_rho}) bound(slot, 0.02 / a_max, 20.0 / a_min);
  bound(hydro_clearance, 0.02 * a_min, 10.0 * a_max);
  bound(hydro_residual, 1e-3, 0.97);
  around(hydro_threshold, 30.0);
  around(hydro_bypass, 300.0);
  around(hydro_limit, 30.0);
  bound(hydro_limit_width, 2e-3, 1.0);
  return out;
}

}  // namespace kdyn::inline identify
