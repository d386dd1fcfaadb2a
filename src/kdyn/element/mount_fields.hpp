// SPDX-License-Identifier: Apache-2.0
// How signals inside a mount stand in results.
#pragma once

#include "kdyn/element/mount.hpp"

namespace kdyn::inline element {

const FieldTable& fields_of(const MountRecord*);

}  // namespace kdyn::inline element
