// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/body_fields.hpp"

#include "kdyn/numerics/field_eigen.hpp"

namespace kdyn::inline modes {

const FieldTable& fields_of(const RigidBodyProperties*) {
  using R = RigidBodyProperties;
  static const FieldTable table = FieldTable::results<R>("rigid body", [](FieldTable& t) {
    t.add(&R::mass, "mass", "kg", "Mass");
    t.add(&R::centre, "centre", "m", "Centre of gravity").shown_in("m");
    t.add(&R::inertia, "inertia", "kg*m^2", "Inertia about the centre of gravity, by rows");
    t.add(&R::origin, "origin", "-", "Where the numbers come from");
  });
  return table;
}

}  // namespace kdyn::inline modes
