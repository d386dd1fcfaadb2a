// SPDX-License-Identifier: Apache-2.0
#include "kdyn/data/dof.hpp"

#include <array>
#include <charconv>
#include <cstdlib>

#include "kdyn/base/text.hpp"

namespace kdyn::inline data {
namespace {

constexpr std::array<std::string_view, 7> axis_names = {"", "X", "Y", "Z", "RX", "RY", "RZ"};

bool is_direction(int direction) { return direction != 0 && std::abs(direction) <= 6; }

}  // namespace

std::string label(const Dof& dof) {
  std::string text = dof.node != 0 || dof.name.empty() ? std::to_string(dof.node) : dof.name;
  if (is_direction(dof.direction)) {
    text += dof.direction > 0 ? '+' : '-';
    text += axis_names[static_cast<std::size_t>(std::abs(dof.direction))];
  }
  return text;
}

Dof parse_dof(std::string_view text) {
  Dof dof;
  std::string_view point = trim(text);
  if (const std::size_t sign = point.find_last_of("+-"); sign != std::string_view::npos)
    for (int axis = 1; axis <= 6; ++axis)
      if (point.substr(sign + 1) == axis_names[static_cast<std::size_t>(axis)]) {
        dof.direction = point[sign] == '+' ? axis : -axis;
        point = point.substr(0, sign);
        break;
      }
  const auto [end, problem] = std::from_chars(point.data(), point.data() + point.size(), dof.node);
  if (problem != std::errc() || end != point.data() + point.size()) dof.node = 0, dof.name = point;
  return dof;
}

}  // namespace kdyn::inline data
