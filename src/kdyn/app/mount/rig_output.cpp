// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/rig_output.hpp"

#include "kdyn/element/angular_unit.hpp"
#include "kdyn/element/mount_fields.hpp"

namespace kdyn::app {
namespace {

struct AxisUnits {
  AxisKind axis;
};
const FieldTable& fields_of(const AxisUnits*) {
  using U = AxisUnits;
  static const FieldTable table = FieldTable::results<U>("units of an axis", [](FieldTable& t) {
    const auto unit = [](const char* translation) {
      return [=](const U& u) { return u.axis == AxisKind::rotation ? angular_unit(translation) : translation; };
    };
    t.add(unit("m"), "displacement", "-", "Of displacements and amplitudes");
    t.add(unit("N"), "force", "-", "Of forces and preloads");
    t.add(unit("N/m"), "stiffness", "-", "Of stiffness");
  });
  return table;
}

// How k_dyn was taken from the signals.
struct RigReduction {
  RigProgram program;
};
const FieldTable& fields_of(const RigReduction*) {
  using R = RigReduction;
  static const FieldTable table = FieldTable::results<R>("data reduction", [](FieldTable& t) {
    t.add(
        [](const R& r) {
          return r.program == RigProgram::map ? "first harmonic of force over displacement"
                 : r.program == RigProgram::sweep
                     ? "least squares on the phase of the sweep, windows of six cycles"
                     : "least squares on the phase of the sine, whole cycles of the second "
                       "half";
        },
        "k_dyn", "-", "How k_dyn and loss_angle_deg were found");
    t.add(
         [](const R& r) {
           return std::string(r.program == RigProgram::map
                                  ? "force range over displacement range, loss angle from the loop area"
                                  : "");
         },
         "k_dyn_loop", "-", "How k_dyn_loop and loss_angle_loop_deg were found")
        .unless_empty();
  });
  return table;
}

struct RigRow {
  AxisKind axis;
  const RigMapRow& row;
};
const FieldTable& fields_of(const RigRow*) {
  using R = RigRow;
  static const FieldTable table = FieldTable::results<R>("row of the rig", [](FieldTable& t) {
    add_sine<R>(
        t, [](const R& r) { return r.axis; }, [](const R& r) -> const RigMapRow& { return r.row; });
    t.add([](const R& r) { return r.row.response.k_dyn; }, "k_dyn", stiffness_unit, "Dynamic stiffness");
    t.add([](const R& r) { return r.row.response.loss_angle; }, "loss_angle_deg", "deg", "Loss angle").in_degrees();
    t.add([](const R& r) { return r.row.response.k_dyn_loop; }, "k_dyn_loop", stiffness_unit,
          "Force range over displacement range");
    t.add([](const R& r) { return r.row.response.loss_angle_loop; }, "loss_angle_loop_deg", "deg",
          "Loss angle from the loop area")
        .in_degrees();
    t.add([](const R& r) { return r.row.cycles; }, "cycles", "-", "Cycles run before the response repeated");
    t.add([](const R& r) { return r.row.settled; }, "settled", "-", "Whether it repeated");
  });
  return table;
}

// A static loop, or a series with its time.
struct RigSeries {
  AxisKind axis;
  const std::vector<double>&time, &displacement, &force;
  const std::vector<MountRecord>& inside;
};
const FieldTable& fields_of(const RigSeries*) {
  using S = RigSeries;
  static const FieldTable table = FieldTable::results<S>("series of the rig", [](FieldTable& t) {
    const auto axis = [](const S& s) { return s.axis; };
    t.add([](const S& s) { return s.time; }, "time_s", "s", "Time").unless_empty();
    add_on_axis<S>(
        t, axis, [](const S& s) { return s.displacement; }, displacement_field, "Motion");
    add_on_axis<S>(
        t, axis, [](const S& s) { return s.force; }, force_field, "Force or moment");
    t.add([](const S& s) { return s.inside; }, "signals", "-", "Signals inside the mount")
        .keyed_by("name")
        .unless_empty();
  });
  return table;
}

std::optional<RigSeries> series_of(const RigAxis& a) {
  static const std::vector<double> no_time;
  static const std::vector<MountRecord> no_records;
  const RigResult& r = a.result;
  if (!r.series.force.empty()) return RigSeries{a.axis, r.series.time, r.series.displacement, r.series.force, r.inside};
  if (!r.static_loop.force.empty())
    return RigSeries{a.axis, no_time, r.static_loop.displacement, r.static_loop.force, no_records};
  return std::nullopt;
}

std::vector<RigRow> rows_of(const RigAxis& a) {
  std::vector<RigRow> out;
  for (const RigMapRow& row : a.result.map) out.push_back({a.axis, row});
  return out;
}

}  // namespace

const FieldTable& fields_of(const RigAxis*) {
  using A = RigAxis;
  static const FieldTable table = FieldTable::results<A>("axis of the rig", [](FieldTable& t) {
    add_axis<A>(t, [](const A& a) { return a.axis; });
    t.add([](const A& a) { return AxisUnits{a.axis}; }, "units", "-", "Units of this axis");
    t.add([](const A& a) { return a.result.map.empty() ? std::nullopt : std::optional(RigReduction{a.program}); },
          "reduction", "-", "How the map was found")
        .unless_null();
    t.add([](const A& a) { return rows_of(a); }, "map", "-", "Points of the map").unless_empty();
    t.add([](const A& a) { return series_of(a); }, "series", "-", "Static loop or time series").unless_null();
    t.add(&A::centre, "centre", "m or rad", "Displacement about which the axis moves").unless_null();
  });
  return table;
}

const FieldTable& fields_of(const RigComparison*) {
  using C = RigComparison;
  static const FieldTable table = FieldTable::results<C>("comparison with the measured force", [](FieldTable& t) {
    t.add(&C::rms, "rms_n", "N or N*m", "rms of the difference");
    t.add(&C::relative, "rms_rel", "-", "The same over the rms of the measured force about its mean");
    t.add(&C::offset, "offset_n", "N or N*m", "Constant that was taken off");
  });
  return table;
}

const FieldTable& fields_of(const RigOutput*) {
  using O = RigOutput;
  static const FieldTable table = FieldTable::results<O>("rig result", [](FieldTable& t) {
    t.add([](const O& o) { return o.axis.result.status; }, "status", "-", "done, not_settled or stopped");
    t.add([](const O& o) { return o.axis.result.reason; }, "reason", "-", "Why");
    t.include(&O::axis, field_table<RigAxis>());
    t.add(&O::model, "model", "-", "The mount, as a model file");
    t.add(&O::comparison, "comparison", "-", "Against the force of the input file").unless_null();
    t.add([](const O& o) { return o.axis.result.findings; }, "findings", "-", "What was noticed, and what to do");
    t.add([](const O& o) { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

const FieldTable& fields_of(const BushingRigOutput*) {
  using O = BushingRigOutput;
  static const FieldTable table = FieldTable::results<O>("rig result of a bushing", [](FieldTable& t) {
    t.add(&O::status, "status", "-", "done, not_settled or stopped");
    t.add(&O::reason, "reason", "-", "Why");
    t.add(&O::model, "model", "-", "The bushing, as a model file");
    t.add([](const O& o) { return o.axes; }, "axes", "-", "Axes that move or carry a force").unless_empty();
    add_findings<O>(t);
    t.add([](const O& o) { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

}  // namespace kdyn::app
