// SPDX-License-Identifier: Apache-2.0
// Synthetic bench data for the tests of the data doctor: simple formulas that owe nothing to kdyn's laws.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "kdyn/base/random.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::test {

constexpr double degree = std::numbers::pi / 180.0;

inline std::vector<double> amplitudes() { return {5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3}; }

// 6 amplitudes x 25 frequencies: stiffness falls with the logarithm of amplitude, rises with that of frequency.
inline StiffnessMap make_map(double noise = 0.0, std::uint64_t seed = 1) {
  RandomStream random(seed);
  StiffnessMap map;
  map.source.path = "map.csv";
  std::size_t line = 2;
  for (const double a : amplitudes())
    for (int i = 0; i < 25; ++i) {
      MapRow row;
      row.frequency_hz = std::pow(10.0, 2.0 * i / 24.0);
      row.amplitude = a;
      row.k_dyn = 3.4e5 * (1.2 - 0.06 * std::log(a / 1e-3) + 0.02 * std::log(row.frequency_hz)) *
                  (1.0 + noise * random.normal());
      row.loss_angle =
          (4.0 + 1.5 * std::exp(-0.5 * std::pow(std::log(a / 4e-4), 2)) + 0.3 * std::log(row.frequency_hz)) * degree;
      row.loss_angle += noise * 30.0 * degree * random.normal();  // 1 % noise in amplitude goes with 0.3 deg in phase
      row.line = line++;
      map.rows.push_back(row);
    }
  return map;
}

// One cycle 0 -> +a -> -a -> 0 with a friction loop on a slightly stiffening spring.
inline StaticLoop make_loop(double noise = 0.0, std::uint64_t seed = 1) {
  RandomStream random(seed);
  StaticLoop loop;
  loop.source.path = "static.csv";
  constexpr double reach = 4e-3, stiffness = 3.38e5, friction = 60.0, slide = 2e-4;
  double force = 0.0, last = 0.0;
  for (int i = 0; i <= 800; ++i) {
    const double phase = i / 200.0;  // 0..4
    const double x = reach * (phase < 1.0 ? phase : phase < 3.0 ? 2.0 - phase : phase - 4.0);
    // Friction as a spring that slides: an increment towards the limit, in closed form for each step.
    const double direction = x >= last ? 1.0 : -1.0;
    force = direction * friction + (force - direction * friction) * std::exp(-std::abs(x - last) / slide);
    last = x;
    loop.displacement.push_back(x);
    loop.force.push_back(stiffness * x * (1.0 + 2e3 * x * x * 10.0) + force + noise * 2800.0 * random.normal());
    loop.lines.add(loop.force.size() - 1, loop.force.size() + 1);
  }
  return loop;
}

// 10 s at 1 kHz: two tones through a spring and damper.
inline BenchSeries make_series(double noise = 0.0, std::uint64_t seed = 1) {
  RandomStream random(seed);
  BenchSeries series;
  series.source.path = "series.csv";
  for (int i = 0; i < 10000; ++i) {
    const double t = i * 1e-3, w1 = 2.0 * std::numbers::pi * 3.0, w2 = 2.0 * std::numbers::pi * 7.3;
    const double x = 1e-3 * std::sin(w1 * t) + 4e-4 * std::sin(w2 * t),
                 v = 1e-3 * w1 * std::cos(w1 * t) + 4e-4 * w2 * std::cos(w2 * t);
    series.time.push_back(t);
    series.displacement.push_back(x + noise * 1e-3 * random.normal());
    series.force.push_back(4e5 * x + 800.0 * v + noise * 400.0 * random.normal());
    series.lines.add(static_cast<std::size_t>(i), static_cast<std::size_t>(i) + 2);
  }
  return series;
}

// Codes of all findings, or of those that are more than a note.
inline std::set<std::string> codes(const std::vector<Finding>& findings, bool notes = true) {
  std::set<std::string> set;
  for (const Finding& finding : findings)
    if (notes || finding.severity != Severity::note) set.insert(finding.code);
  return set;
}

inline const Finding* find(const std::vector<Finding>& findings, const std::string& code) {
  const auto at =
      std::find_if(findings.begin(), findings.end(), [&code](const Finding& finding) { return finding.code == code; });
  return at == findings.end() ? nullptr : &*at;
}

using Codes = std::set<std::string>;

}  // namespace kdyn::test
