// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/model_axis.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::inline rig {
namespace {

void check_axis(const std::string& axis, const std::string& where) {
  static const std::vector<std::string> known = {"fx", "fy", "fz", "tx", "ty", "tz", "translation", "rotation"};
  if (std::find(known.begin(), known.end(), axis) == known.end())
    throw_bad_input(where, fmt::format("unknown axis {}", in_quotes(axis)), suggest(axis, known));
}

}  // namespace

std::optional<std::string> axis_of_model(const Json& in, const std::string& where) {
  if (!in.is_object() || !in.contains("model")) return std::nullopt;
  if (in["model"].is_object())
    if (const auto inner = axis_of_model(in["model"], where + ".model")) return inner;
  if (!in.contains("axis") || in["axis"].is_null()) return std::nullopt;
  if (!in["axis"].is_string())
    throw_bad_input(where + ".axis", "the axis is no text", "write fx fy fz tx ty tz, translation or rotation");
  const std::string axis = lower_case(in["axis"].get<std::string>());
  check_axis(axis, where + ".axis");
  return axis;
}

AxisKind kind_of_axis(const std::string& axis) {
  return axis == "rotation" || (axis.size() == 2 && axis[0] == 't') ? AxisKind::rotation : AxisKind::translation;
}

AxisMount mount_on_axis(const Json& in, const std::string& where, const std::string& axis) {
  if (is_bushing_model(in)) return {mount_from_json(in, where, axis), kind_of_axis(axis), axis};
  AxisMount out{mount_from_json(in, where), AxisKind::translation, axis};
  const auto said = axis_of_model(in, where);
  if (!axis.empty()) check_axis(axis, "axis");
  if (said && !axis.empty() && kind_of_axis(*said) != kind_of_axis(axis))
    throw_bad_input("axis",
                    fmt::format("the model is of axis {}, which is no {}", *said,
                                kind_of_axis(axis) == AxisKind::rotation ? "rotation" : "translation"),
                    "leave axis out, or correct \"axis\" in the model file");
  if (axis.empty() && said) out.axis = *said;
  out.kind = kind_of_axis(out.axis);
  return out;
}

}  // namespace kdyn::inline rig
