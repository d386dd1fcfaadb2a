// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/closing.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {
namespace {

constexpr double nothing = 1e-9;  // m, rad: rounding of the solution

std::array<double, 3> three(const Vector3& v) { return {v[0], v[1], v[2]}; }
double size_of(const std::array<double, 3>& v) { return Vector3(v[0], v[1], v[2]).norm(); }

// Every body that stands elsewhere in `to` than in `from`.
std::vector<MovedPart> moved_parts(const System& system, const VectorX& from, const VectorX& to) {
  std::vector<MovedPart> out;
  for (std::size_t b = 0; b < system.model().bodies.size(); ++b) {
    const int at = system.q_at(static_cast<int>(b));
    const Eigen::Map<const Matrix3> before(from.data() + at + 3), after(to.data() + at + 3);
    const Vector3 shift = to.segment<3>(at) - from.segment<3>(at);
    const Eigen::AngleAxisd turn(Matrix3(after * before.transpose()));
    if (shift.norm() < nothing && turn.angle() < nothing) continue;
    out.push_back({system.model().bodies[b].name, three(shift), three(turn.angle() * turn.axis())});
  }
  return out;
}

std::string in_words(const std::vector<MovedPart>& parts) {
  std::string out;
  for (const MovedPart& p : parts)
    out += fmt::format("{}{} by {:.3g} m and {:.3g} rad", out.empty() ? "" : ", ", p.body, size_of(p.shift),
                       size_of(p.turn));
  return out.empty() ? "nothing" : out;
}

}  // namespace

AssembledStart assemble_start(const System& system, double limit, const std::string& where) {
  constexpr double closed = 1e-6;
  AssembledStart out;
  const VectorX q = system.initial_position();
  out.closed = q;
  if (system.multipliers() == 0) return out;
  Evaluation e;
  system.place(q, VectorX::Zero(system.coordinates()), e);
  system.constraints(0.0, e);
  std::map<std::string, double> open;
  for (int row = 0; row < system.multipliers(); ++row) {
    double& gap = open[system.joint_of_row(row)];
    gap = std::max(gap, std::abs(e.phi[row]));
  }
  const auto text = [](const OpenJoint& o) {
    return fmt::format(
        "joint {} does not close as the model gives it: its markers are off by {:.3g} (m, or sine of an angle)",
        o.joint, o.gap);
  };
  const std::string remedy = "check positions and rotations of its markers and bodies";
  for (const Joint& joint : system.model().joints) {
    const auto found = open.find(joint.name);
    if (found == open.end() || !(found->second > closed)) continue;
    const bool drive = joint.kind == JointKind::drive_translation || joint.kind == JointKind::drive_rotation;
    out.open.push_back({joint.name, found->second, drive});
    if (!drive && found->second > limit)
      throw_bad_input(
          where, text(out.open.back()),
          remedy + fmt::format("; to have it closed all the same set run.closing_limit above {:.3g}", found->second));
  }
  if (out.open.empty()) return out;
  const bool closes = Run(system, RunOptions{}).assemble(out.closed);
  if (closes)
    out.closing = moved_parts(system, q, out.closed);
  else
    out.closed.resize(0);
  const std::string moved = closes ? in_words(out.closing) : "they cannot be closed at all";
  for (const OpenJoint& o : out.open) {
    if (o.drive)
      out.findings.push_back(
          {Severity::note, "drive_starts", where,
           fmt::format("joint {}: its motion begins {:.3g} (m or rad) away from where the model puts "
                       "the body, which is moved there: {}",
                       o.joint, o.gap, moved),
           "give the position of the body at the start of the motion"});
    else
      out.findings.push_back({Severity::warning, "joint_closed", where,
                              fmt::format("{}; bodies were moved until it closes: {}", text(o), moved), remedy});
  }
  return out;
}

void add_run_start(const System& system, const VectorX& q, const VectorX& v, bool static_start, AssembledStart& start) {
  if (start.closed.size() != q.size()) return;
  if (static_start) start.equilibrium = moved_parts(system, start.closed, q);
  const VectorX given = system.initial_velocity(q);
  for (std::size_t b = 0; b < system.model().bodies.size(); ++b) {
    const int at = system.q_at(static_cast<int>(b));
    const Eigen::Map<const Matrix3> R(q.data() + at + 3), before(given.data() + at + 3), after(v.data() + at + 3);
    const Vector3 speed = v.segment<3>(at) - given.segment<3>(at), spin = vect((after - before) * R.transpose());
    if (speed.norm() < nothing && spin.norm() < nothing) continue;
    start.velocity.push_back({system.model().bodies[b].name, three(speed), three(spin)});
  }
}

}  // namespace kdyn::mbs
