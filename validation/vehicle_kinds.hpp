// SPDX-License-Identifier: Apache-2.0
// Random two-axle vehicles from kart to bus, and random sensors on them, for the vehicle cases.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/vehicle/decay_test.hpp"

namespace kdyn::validation {

struct Kind {
  const char* name;
  double ms, wheel_share, bounce_hz, hop_hz, damping, length, half_track;  // middle of each range
};
inline constexpr Kind kinds[] = {{"kart", 150.0, 0.04, 3.0, 18.0, 0.3, 0.55, 0.55},
                                 {"race car", 600.0, 0.035, 3.5, 20.0, 0.5, 1.4, 0.75},
                                 {"passenger car", 1400.0, 0.03, 1.2, 11.0, 0.3, 1.35, 0.74},
                                 {"truck", 7000.0, 0.05, 1.8, 10.0, 0.2, 2.0, 1.0},
                                 {"bus", 11000.0, 0.04, 0.9, 9.0, 0.2, 3.0, 1.05}};

inline Vehicle<double> random_vehicle(const Kind& kind, RandomStream& random) {
  const auto around = [&](double middle, double factor) {
    return middle * std::pow(factor, 2.0 * random.uniform() - 1.0);
  };
  Vehicle<double> v;
  v.ms = around(kind.ms, 1.4);
  v.a = around(kind.length, 1.25), v.b = around(kind.length, 1.25), v.tf = around(kind.half_track, 1.1),
  v.tr = around(kind.half_track, 1.1);
  v.Iyy = around(0.95 * v.ms * v.a * v.b, 1.25);
  v.Ixx = around(0.45 * v.ms * v.tf * v.tr, 1.3);
  for (int axle = 0; axle < 2; ++axle) {
    const double mu = around(kind.wheel_share * v.ms, 1.3), bounce = two_pi * around(kind.bounce_hz, 1.25),
                 hop = two_pi * around(kind.hop_hz, 1.2);
    const double share = (axle == 0 ? v.b : v.a) / (v.a + v.b), corner = 0.5 * share * v.ms;
    const double ks = corner * bounce * bounce, kt = std::max(mu * hop * hop - ks, 2.0 * ks),
                 cs = 2.0 * around(kind.damping, 1.5) * corner * bounce;
    for (int side = 0; side < 2; ++side) {
      const auto at = static_cast<std::size_t>(2 * axle + side);
      v.mu[at] = mu, v.ks[at] = ks, v.kt[at] = kt, v.cs[at] = cs;
    }
  }
  return v;
}

// Sensors as a crew might place them: four to six accelerometers anywhere on the body, a gyro for pitch and roll in two of
// three tests, and something at the wheels: hub accelerometers, of which up to two are missing (one of each axle is there),
// or string pots between body and wheel. Nothing sits at the centre of gravity.
inline std::vector<DecayChannel> random_sensors(const Vehicle<double>& v, RandomStream& random) {
  std::vector<DecayChannel> out;
  const double length = v.a + v.b;
  const int body = 4 + static_cast<int>(3.0 * random.uniform());
  for (int i = 0; i < body; ++i) {
    DecayChannel c;
    c.name = "body" + std::to_string(i + 1) + ".z";
    c.body = 1.0;
    // Each in its own quarter first, so that not all sit in one corner.
    c.x = length * ((i % 2 == 0 ? -0.35 : -1.1) + 0.45 * random.uniform());
    c.y = (i % 4 < 2 ? 1.0 : -1.0) * v.tf * (0.1 + 0.85 * random.uniform());
    out.push_back(c);
  }
  if (random.uniform() < 0.67)
    for (const bool pitch : {true, false}) {
      DecayChannel c;
      c.name = pitch ? "gyro.y" : "gyro.x";
      c.kind = MotionKind::velocity, c.angle = true;
      (pitch ? c.pitch : c.roll) = 1.0;
      out.push_back(c);
    }
  const bool pots = random.uniform() < 0.3;
  const int left_out = static_cast<int>(4.0 * random.uniform()), also = static_cast<int>(3.0 * random.uniform());
  for (int w = 0; w < 4; ++w) {
    if (!pots && (w == left_out || (also == 1 && w == (left_out + 2) % 4))) continue;
    DecayChannel c;
    c.name = std::string(pots ? "pot" : "hub") + static_cast<char>('A' + w) + (pots ? "" : ".z");
    c.wheel[static_cast<std::size_t>(w)] = pots ? -1.0 : 1.0;
    if (pots) {
      c.kind = MotionKind::displacement, c.body = 1.0;
      c.x = w < 2 ? 0.0 : -length, c.y = 0.8 * (w % 2 == 0 ? 1.0 : -1.0) * (w < 2 ? v.tf : v.tr);
    }
    out.push_back(c);
  }
  return out;
}

// What a fit complained about, in short.
inline std::string said(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& f : findings)
    if (f.severity != Severity::note) out += "; " + f.code + " (" + f.where + ")";
  return out;
}

// Processor time of many fits.
class Durations {
 public:
  void add(double seconds) { seconds_.push_back(seconds); }
  std::string text() {
    if (seconds_.empty()) return "no fits";
    std::sort(seconds_.begin(), seconds_.end());
    double sum = 0.0;
    for (const double s : seconds_) sum += s;
    const auto at = [&](double share) { return seconds_[static_cast<std::size_t>(share * (seconds_.size() - 1))]; };
    return fmt::format(
        "processor time of a vehicle: {:.3f} s mean, {:.3f} s median, {:.3f} s in 95 of 100, {:.3f} s at most",
        sum / static_cast<double>(seconds_.size()), at(0.5), at(0.95), at(1.0));
  }

 private:
  std::vector<double> seconds_;
};

// Two or three loads on the floor, 6 to 20 % of the sprung mass together, not all in one place; none on the wheels.
inline std::vector<PointMass> random_loads(const Vehicle<double>& v, RandomStream& random) {
  const int count = 2 + static_cast<int>(2.0 * random.uniform());
  const double all = (0.06 + 0.14 * random.uniform()) * v.ms;
  std::vector<PointMass> out;
  for (int i = 0; i < count; ++i) {
    PointMass p;
    p.name = "load " + std::to_string(i + 1);
    p.mass = all / count;
    p.x = -(v.a + v.b) * (i % 2 == 0 ? 0.3 * random.uniform() : 0.7 + 0.4 * random.uniform());
    p.y = (i % 2 == 0 ? 1.0 : -1.0) * v.tf * (0.2 + 0.6 * random.uniform());
    out.push_back(p);
  }
  return out;
}

}  // namespace kdyn::validation
