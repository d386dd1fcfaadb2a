// SPDX-License-Identifier: Apache-2.0
// What results of several operations have in common, described once.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/numerics/field_eigen.hpp"

namespace kdyn::app {

struct Correlation {
  std::vector<std::string> names;
  Eigen::MatrixXd matrix;
};
const FieldTable& fields_of(const Correlation*);

// x' = A x + B u, y = C x + D u.
struct NamedStateSpace {
  std::vector<std::string> states, inputs, outputs;
  Eigen::MatrixXd A, B, C, D;
};
const FieldTable& fields_of(const NamedStateSpace*);

// Keys of what has another unit on a rotation: an angle for a displacement, a moment for a force. One of the two is
// there.
struct AxisField {
  const char *translation, *unit, *rotation, *rotation_unit;
};
inline constexpr AxisField amplitude_field = {"amplitude_m", "m", "amplitude_rad", "rad"},
                           preload_field = {"preload_n", "N", "preload_nm", "N*m"},
                           displacement_field = {"displacement_m", "m", "angle_rad", "rad"},
                           force_field = {"force_n", "N", "moment_nm", "N*m"};

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

// The findings of an output that keeps them in a member of that name.
template <class Output>
void add_findings(FieldTable& t) {
  t.add([](const Output& o) -> const std::vector<Finding>& { return o.findings; }, "findings", "-",
        "What was noticed, and what to do");
}

std::vector<std::string> names_of(const std::vector<OutputFile>& files);

}  // namespace kdyn::app
