// SPDX-License-Identifier: Apache-2.0
// How identified vehicles and planned tests stand in results.
#pragma once

#include "kdyn/numerics/field_eigen.hpp"
#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/plan.hpp"

namespace kdyn::inline vehicle {

const FieldTable& fields_of(const ChannelCheck*);
const FieldTable& fields_of(const AddedMassCheck*);
const FieldTable& fields_of(const PlannedTest*);

}  // namespace kdyn::inline vehicle
