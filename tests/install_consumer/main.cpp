// SPDX-License-Identifier: Apache-2.0
// A stranger's program: succeeds when installed headers, library and dependencies fit together.
#include <kdyn/base/units.hpp>

int main() {
  const auto unit = kdyn::parse_unit("N/mm");
  return unit && unit->to_si == 1000.0 ? 0 : 1;
}
