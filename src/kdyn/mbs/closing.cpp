// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/closing.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::mbs {

std::vector<Finding> check_closing(const System& system, double limit, const std::string& where) {
  constexpr double closed = 1e-6;
  std::vector<Finding> out;
  if (system.multipliers() == 0) return out;
  Evaluation e;
  const VectorX q = system.initial_position();
  system.place(q, VectorX::Zero(system.coordinates()), e);
  system.constraints(0.0, e);
  std::map<std::string, double> open;
  for (int row = 0; row < system.multipliers(); ++row) {
    double& gap = open[system.joint_of_row(row)];
    gap = std::max(gap, std::abs(e.phi[row]));
  }
  for (const Joint& joint : system.model().joints) {
    const auto found = open.find(joint.name);
    if (found == open.end() || !(found->second > closed)) continue;
    const double gap = found->second;
    if (joint.kind == JointKind::drive_translation || joint.kind == JointKind::drive_rotation) {
      out.push_back({Severity::note, "drive_starts", where,
                     fmt::format("joint {}: its motion begins {:.3g} (m or rad) away from where the model puts the "
                                 "body, which is moved there",
                                 joint.name, gap),
                     "give the position of the body at the start of the motion"});
      continue;
    }
    const std::string text = fmt::format(
        "joint {} does not close as the model gives it: its markers are off by {:.3g} (m, or sine of an angle)",
        joint.name, gap);
    const std::string remedy = "check positions and rotations of its markers and bodies";
    if (gap > limit)
      throw_bad_input(where, text,
                      remedy + fmt::format("; to have it closed all the same set run.closing_limit above {:.3g}", gap));
    out.push_back({Severity::warning, "joint_closed", where, text + "; its bodies were moved until it closes", remedy});
  }
  return out;
}

}  // namespace kdyn::mbs
