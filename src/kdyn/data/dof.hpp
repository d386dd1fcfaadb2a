// SPDX-License-Identifier: Apache-2.0
// A degree of freedom of a measurement or a model: a point and a direction.
//
// Direction as in universal files: 0 scalar or unknown, +-1..3 translation along X Y Z, +-4..6 rotation about X Y Z.
// The label is "12+Z" (node 12), "12-RX" or "hub+Y" (a named point); a scalar is the bare point, "12" or "force".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kdyn::inline data {

struct Dof {
  std::int64_t node = 0;  // 0 when the point has a name only
  int direction = 0;
  std::string name;  // of the sensor or point, where it has one; labels prefer the node number

  bool operator==(const Dof&) const = default;
};

std::string label(const Dof& dof);
// The inverse of label: whatever is no number before the direction becomes the name.
Dof parse_dof(std::string_view text);

}  // namespace kdyn::inline data
