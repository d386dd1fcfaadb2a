// SPDX-License-Identifier: Apache-2.0
// The file of a flexible body, as JSON or in the HDF5 store (docs/modal_testing.md has the layout). Both hold the same
// numbers to the last bit.
//
// In the store: modes and geometry as any mode set, the name of each mode its kind; matrices modal_mass,
// modal_stiffness, modal_damping; rigid_mass, 6 x 6 about the origin [modes E15]; interface, whose rows name the
// degrees of freedom where other parts connect.
#pragma once

#include <string>

#include "kdyn/io/store.hpp"
#include "kdyn/modes/flexible_body.hpp"

namespace kdyn::inline modes {

Store body_store(const FlexibleBody& body);
// Throws Error(bad_input) naming what is missing or does not fit.
FlexibleBody body_from_store(const Store& store, const std::string& where);

// Either format, told by content.
FlexibleBody read_body(const std::string& path);

}  // namespace kdyn::inline modes
