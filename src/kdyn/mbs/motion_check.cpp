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

}  // namespace

std::vector<Finding> check_motions(const Model& model, double step_s, double duration_s, const std::string& where) {
  std::vector<Finding> out;
  for (const Joint& joint : model.joints) {
    const Curve motion = joint.drive.acting_motion();
    if (motion.empty()) continue;
    const std::string name = "drive of joint " + joint.name;
    for (const std::string& doubt : doubts_about_motion(motion, duration_s))
      out.push_back({Severity::warning, "motion", where, name + ": " + doubt,
                     "sample it faster or record it longer; give \"smooth_hz\", the highest frequency of the motion, "
                     "where it is noise; "
                     "or give a formula"});
    if (roughness(motion) <= 1.0 && roughness(at_steps(joint.drive, motion, step_s, duration_s)) > 1.0)
      out.push_back(
          {Severity::warning, "coarse_steps", where,
           fmt::format("{}: steps of {:.3g} s are too long to follow the motion; its accelerations come out wrong",
                       name, step_s),
           "choose step_s smaller, a twelfth of the shortest period or less"});
  }
  return out;
}

}  // namespace kdyn::mbs
