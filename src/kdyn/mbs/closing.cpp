// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/closing.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {
namespace {

// Every body that starts elsewhere than the model says, and by how much.
std::string moved_parts(const System& system, const VectorX& given) {
  VectorX q;
  if (!Run(system, RunOptions{}).assemble(q)) return "they cannot be closed at all";
  std::string out;
  for (std::size_t b = 0; b < system.model().bodies.size(); ++b) {
    const int at = system.q_at(static_cast<int>(b));
    const Eigen::Map<const Matrix3> before(given.data() + at + 3), after(q.data() + at + 3);
    const double shift = (q.segment<3>(at) - given.segment<3>(at)).norm(),
                 turn = Eigen::AngleAxisd(Matrix3(before.transpose() * after)).angle();
    if (shift < 1e-9 && turn < 1e-9) continue;
    out += fmt::format("{}{} by {:.3g} m and {:.3g} rad", out.empty() ? "" : ", ", system.model().bodies[b].name, shift,
                       turn);
  }
  return out.empty() ? "nothing" : out;
}

}  // namespace

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
  std::string moved;  // which parts closing the joints moves, in words
  bool assembled = false;
  const auto what_moved = [&]() -> const std::string& {
    if (!assembled) moved = moved_parts(system, q);
    assembled = true;
    return moved;
  };
  for (const Joint& joint : system.model().joints) {
    const auto found = open.find(joint.name);
    if (found == open.end() || !(found->second > closed)) continue;
    const double gap = found->second;
    if (joint.kind == JointKind::drive_translation || joint.kind == JointKind::drive_rotation) {
      out.push_back({Severity::note, "drive_starts", where,
                     fmt::format("joint {}: its motion begins {:.3g} (m or rad) away from where the model puts the "
                                 "body, which is moved there: {}",
                                 joint.name, gap, what_moved()),
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
    out.push_back({Severity::warning, "joint_closed", where,
                   fmt::format("{}; bodies were moved until it closes: {}", text, what_moved()), remedy});
  }
  return out;
}

}  // namespace kdyn::mbs
