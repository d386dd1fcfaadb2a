// SPDX-License-Identifier: Apache-2.0
// Whether a model file means a displacement or an angle. The laws do not care: a torsional axis holds rad, N*m and
// N*m/rad in the same members; files, tables and pictures do.
//
// "axis" beside "model" says it: fx fy fz (translations), tx ty tz (rotations), or translation / rotation where only
// the kind is known, as after a fit. A result.json says it beside its model. Nothing said is a translation. In a
// bushing the name of the axis says it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kdyn/base/field.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn::inline rig {

// What a model file (or a result.json around one) says; nothing when it says nothing. Throws Error(bad_input) for a
// word that is no axis.
std::optional<std::string> axis_of_model(const Json& in, const std::string& where);
AxisKind kind_of_axis(const std::string& axis);  // of one of the words above

// A mount and the kind of its axis. `axis` names one of a bushing's; for another model it may say what the file leaves
// open, not the contrary.
struct AxisMount {
  std::unique_ptr<Mount> mount;
  AxisKind kind = AxisKind::translation;
  std::string axis;  // as said; empty when nothing is
};
AxisMount mount_on_axis(const Json& in, const std::string& where, const std::string& axis);

}  // namespace kdyn::inline rig
