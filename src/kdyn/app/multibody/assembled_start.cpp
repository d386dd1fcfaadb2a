// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/multibody/assembled_start.hpp"

#include "kdyn/base/angle.hpp"

namespace kdyn::mbs {

const FieldTable& fields_of(const OpenJoint*) {
  using O = OpenJoint;
  static const FieldTable table = FieldTable::results<O>("open joint", [](FieldTable& t) {
    t.add(&O::joint, "joint", "-", "Joint");
    t.add(&O::gap, "gap", "m or -", "How far its markers are off as the model gives them: m, or sine of an angle");
    t.add(&O::drive, "drive", "-", "Whether it is driven: its body is put where the motion begins");
  });
  return table;
}

const FieldTable& fields_of(const MovedPart*) {
  using P = MovedPart;
  static const FieldTable table = FieldTable::results<P>("moved part", [](FieldTable& t) {
    t.add(&P::body, "body", "-", "Body");
    t.add(&P::shift, "shift", "m or m/s", "Of its origin, along the global axes");
    t.add(&P::turn, "turn", "rad or rad/s", "Of its axes: rotation vector along the global axes");
  });
  return table;
}

const FieldTable& fields_of(const AssembledStart*) {
  using S = AssembledStart;
  static const FieldTable table = FieldTable::results<S>("assembled start", [](FieldTable& t) {
    t.add(&S::open, "open_joints", "-", "Joints that do not close as the model gives them");
    t.add(&S::closing, "closing", "-", "Parts that were moved until all joints closed: shift in m, turn in rad");
    t.add(&S::equilibrium, "equilibrium", "-",
          "Parts that moved on to the static equilibrium: shift in m, turn in rad; empty without a static start");
    t.add(&S::velocity, "velocity", "-",
          "What was added to the given velocities so that joints and drives agree: m/s and rad/s");
  });
  return table;
}

}  // namespace kdyn::mbs

namespace kdyn::app {
namespace {

using namespace report;

Table parts_table(const std::string& title, const std::vector<mbs::MovedPart>& parts, bool rates) {
  Table table{.title = title, .columns = {{.title = "Part"}}};
  for (const bool turn : {false, true})
    for (const char axis : {'x', 'y', 'z'})
      table.columns.push_back({.title = std::string(turn ? "Turn " : "Shift ") + axis,
                               .unit = turn ? (rates ? "deg/s" : "deg") : (rates ? "mm/s" : "mm"),
                               .align = Align::right,
                               .digits = 4});
  for (const mbs::MovedPart& p : parts) {
    Row row;
    row.cells.emplace_back(p.body);
    for (const double x : p.shift) row.cells.emplace_back(1e3 * x);
    for (const double x : p.turn) row.cells.emplace_back(x / degree);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

void add_start_section(Document& document, const std::vector<NamedStart>& starts) {
  Section* section = nullptr;
  for (const auto& [name, start] : starts) {
    if (!start.moves()) continue;
    if (section == nullptr)
      section = &document
                     .section("Start",
                              "How the start was put together from the positions and velocities of the model. Along "
                              "the global axes; turns as rotation vectors.")
                     .named("start");
    const std::string of = name.empty() ? "" : name + ": ";
    if (!start.open.empty()) {
      Table joints{
          .title = of + "Joints that do not close as the model gives them",
          .columns = {{.title = "Joint"},
                      {.title = "Off by", .unit = "m, or sine of an angle", .align = Align::right, .digits = 4},
                      {.title = "Kind"}}};
      for (const mbs::OpenJoint& o : start.open)
        joints.rows.push_back({{o.joint, o.gap, o.drive ? "driven: put where the motion begins" : "closed"},
                               o.drive ? Quality::neutral : Quality::fair});
      section->add(std::move(joints));
    }
    if (!start.closing.empty()) section->add(parts_table(of + "Moved until all joints closed", start.closing, false));
    if (!start.equilibrium.empty())
      section->add(parts_table(of + "Moved on to the static equilibrium", start.equilibrium, false));
    if (!start.velocity.empty())
      section->add(
          parts_table(of + "Added to the given velocities, so that joints and drives agree", start.velocity, true));
  }
}

}  // namespace kdyn::app
