// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/mount_fields.hpp"

namespace kdyn::inline element {

const FieldTable& fields_of(const MountRecord*) {
  using R = MountRecord;
  static const FieldTable table = FieldTable::results<R>("signal inside a mount", [](FieldTable& t) {
    t.add([](const R& r) { return r.signal.name; }, "name", "-", "Name").unless_empty();
    t.add([](const R& r) { return r.signal.unit; }, "unit", "-", "Unit");
    t.add(&R::values, "values", "as unit says", "Over the time of the series");
  });
  return table;
}

}  // namespace kdyn::inline element
