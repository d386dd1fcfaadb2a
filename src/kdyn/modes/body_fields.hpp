// SPDX-License-Identifier: Apache-2.0
// How rigid-body properties stand in results and in body.json.
#pragma once

#include "kdyn/base/field.hpp"
#include "kdyn/modes/flexible_body.hpp"

namespace kdyn::inline modes {

const FieldTable& fields_of(const RigidBodyProperties*);

}  // namespace kdyn::inline modes
