// SPDX-License-Identifier: Apache-2.0
// Every unit that people see in another form (units.hpp: display_unit), for front ends.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/field.hpp"

namespace kdyn::inline base {

struct ShownUnit {
  std::string unit, shown;
  double factor = 1.0;  // shown = factor * SI
};
const std::vector<ShownUnit>& shown_units();
const FieldTable& fields_of(const ShownUnit*);

}  // namespace kdyn::inline base
