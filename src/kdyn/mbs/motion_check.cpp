// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/motion_check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/numerics/interpolating_spline.hpp"

namespace kdyn::mbs {

namespace {

// The motion as the steps of the run see it; long runs are looked at in part.
Curve at_steps(const TimeSignal& drive, const Curve& motion, double step_s, double duration_s) {
  constexpr double most = 100000.0;
  const double count = std::min(std::floor(std::min(duration_s, motion.back().first) / step_s), most);
  Curve out;
  for (double n = 0.0; n <= count; n += 1.0)
    if (const double t = n * step_s; t >= motion.front().first) out.emplace_back(t, drive(t));
  return out;
}

// Share of a load's impulse that the ends of the steps do not tell; 0 for one that is always 0. A sine of n steps per
// period: (2 pi/n)^2/12.
double unseen(const TimeSignal& load, double step_s, double duration_s) {
  constexpr int between = 16;
  constexpr double most = 50000.0;
  const auto count = static_cast<long>(std::min(std::floor(duration_s / step_s + 1e-9), most));
  double all = 0.0, missed = 0.0, left = load(0.0);
  for (long n = 0; n < count; ++n) {
    const double begin = static_cast<double>(n) * step_s, right = load(begin + step_s);
    double inside = 0.0, size = 0.0;
    for (int k = 0; k < between; ++k) {
      const double value = load(begin + (k + 0.5) / between * step_s);
      inside += value / between, size += std::abs(value) / between;
    }
    if (std::isfinite(inside) && std::isfinite(left + right))
      all += size, missed += std::abs(inside - 0.5 * (left + right));
    left = right;
  }
  return all > 0.0 ? missed / all : 0.0;
}

}  // namespace

std::vector<Finding> check_loads(const Model& model, double step_s, double duration_s, const std::string& where) {
  constexpr double told = 0.03;  // a sine of ten steps per period: its response is some per cent off
  std::vector<Finding> out;
  for (const PointLoad& load : model.loads) {
    double most = 0.0;
    for (const auto* signals : {&load.force, &load.torque})
      for (const TimeSignal& signal : *signals) most = std::max(most, unseen(signal, step_s, duration_s));
    if (most > told)
      out.push_back(
          {most > 0.3 ? Severity::serious : Severity::warning, "coarse_steps", where,
           fmt::format("load {}: steps of {:.3g} s pass over {:.2g} % of its impulse; what it does comes out wrong",
                       load.name, step_s, 100.0 * most),
           "choose step_s smaller, a twelfth of its shortest period or less, or give step_tolerance"});
  }
  return out;
}

std::vector<Finding> check_motions(const Model& model, double step_s, double duration_s, const std::string& where) {
  std::vector<Finding> out;
  const auto look = [&](const TimeSignal& drive, const std::string& name) {
    const Curve motion = drive.acting_motion();
    if (motion.empty()) return;
    for (const std::string& doubt : doubts_about_motion(motion, duration_s))
      out.push_back({Severity::warning, "motion", where, name + ": " + doubt,
                     "sample it faster or record it longer; give \"smooth_hz\", the highest frequency of the motion, "
                     "where it is noise; "
                     "or give a formula"});
    if (roughness(motion) <= 1.0 && roughness(at_steps(drive, motion, step_s, duration_s)) > 1.0)
      out.push_back(
          {Severity::warning, "coarse_steps", where,
           fmt::format("{}: steps of {:.3g} s are too long to follow the motion; its accelerations come out wrong",
                       name, step_s),
           "choose step_s smaller, a twelfth of the shortest period or less"});
  };
  for (const Joint& joint : model.joints) look(joint.drive, "drive of joint " + joint.name);
  for (const Tyre& tyre : model.tyres) look(tyre.road.height, "road under tyre " + tyre.name);
  return out;
}

}  // namespace kdyn::mbs
