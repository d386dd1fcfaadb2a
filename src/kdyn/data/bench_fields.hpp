// SPDX-License-Identifier: Apache-2.0
// How points of a bench stand in results. A torsional axis has an angle and a moment where others have a displacement
// and a force: their keys differ ("amplitude_rad", "preload_nm"), and one of the two is there.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "kdyn/base/field.hpp"
#include "kdyn/data/bench.hpp"

namespace kdyn::inline data {

struct AxisField {
  const char *translation, *unit, *rotation, *rotation_unit;
};
inline constexpr AxisField amplitude_field = {"amplitude_m", "m", "amplitude_rad", "rad"},
                           preload_field = {"preload_n", "N", "preload_nm", "N*m"},
                           displacement_field = {"displacement_m", "m", "angle_rad", "rad"},
                           force_field = {"force_n", "N", "moment_nm", "N*m"};
inline constexpr const char* stiffness_unit = "N/m or N*m/rad";

// `axis` and `get` take the object; `get` gives the value.
template <class S, class Axis, class Get>
void add_on_axis(FieldTable& t, Axis axis, Get get, const AxisField& field, const char* meaning) {
  using R = std::remove_cvref_t<decltype(get(std::declval<const S&>()))>;
  const auto on = [axis, get](AxisKind kind) {
    return [axis, get, kind](const S& s) { return axis(s) == kind ? std::optional<R>(get(s)) : std::optional<R>(); };
  };
  t.add(on(AxisKind::translation), field.translation, field.unit, meaning).unless_null();
  t.add(on(AxisKind::rotation), field.rotation, field.rotation_unit, meaning).unless_null();
}

// Which kind of axis it is.
template <class S, class Axis>
void add_axis(FieldTable& t, Axis axis) {
  t.add([axis](const S& s) { return axis(s); }, "axis", "-", "Kind of axis: m and N, or rad and N*m")
      .one_of({"translation", "rotation"});
}

// Where a sine was run: frequency, amplitude and preload of what `point` gives.
template <class S, class Axis, class Point>
void add_sine(FieldTable& t, Axis axis, Point point) {
  t.add([point](const S& s) { return point(s).frequency_hz; }, "frequency_hz", "Hz", "Frequency");
  add_on_axis<S>(
      t, axis, [point](const S& s) { return point(s).amplitude; }, amplitude_field, "Amplitude, zero to peak");
  add_on_axis<S>(
      t, axis, [point](const S& s) { return point(s).preload; }, preload_field, "Preload");
}

// The same with what was measured there.
template <class S, class Axis, class Row>
void add_map_row(FieldTable& t, Axis axis, Row row) {
  add_sine<S>(t, axis, row);
  t.add([row](const S& s) { return row(s).k_dyn; }, "k_dyn", stiffness_unit, "Dynamic stiffness");
  t.add([row](const S& s) { return row(s).loss_angle; }, "loss_angle_deg", "deg", "Loss angle").in_degrees();
}

}  // namespace kdyn::inline data
