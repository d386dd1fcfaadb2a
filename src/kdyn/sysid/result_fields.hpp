// SPDX-License-Identifier: Apache-2.0
// How identified modes and state-space models stand in results.
#pragma once

#include "kdyn/numerics/field_eigen.hpp"
#include "kdyn/sysid/identify.hpp"

namespace kdyn::inline sysid {

const FieldTable& fields_of(const IdentifiedMode*);
const FieldTable& fields_of(const DroppedCandidate*);
const FieldTable& fields_of(const StateSpace*);

}  // namespace kdyn::inline sysid
