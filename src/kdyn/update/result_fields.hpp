// SPDX-License-Identifier: Apache-2.0
// How a calibrated part and what it holds stand in archives and results: what ranks hand to each other, and the pieces
// of result.json. Of the identification only modes and misfit travel: diagram, responses and state space stay where
// they were made.
#pragma once

#include "kdyn/sysid/result_fields.hpp"
#include "kdyn/update/population.hpp"
#include "kdyn/update/update.hpp"

namespace kdyn {
const FieldTable& fields_of(const ModalResult*);
}
namespace kdyn::fe {
const FieldTable& fields_of(const ReducedTerm*);
const FieldTable& fields_of(const ReducedModel*);
}  // namespace kdyn::fe

namespace kdyn::update {

const FieldTable& fields_of(const Target*);
const FieldTable& fields_of(const Stage*);
const FieldTable& fields_of(const Direction*);
const FieldTable& fields_of(const Gate*);
const FieldTable& fields_of(const Suggestion*);
const FieldTable& fields_of(const Calibration*);
const FieldTable& fields_of(const MultiStart*);
const FieldTable& fields_of(const Metrics*);
const FieldTable& fields_of(const TargetNoise*);
const FieldTable& fields_of(const ModesAtSensors*);
const FieldTable& fields_of(const ModePair*);
const FieldTable& fields_of(const Pairing*);
const FieldTable& fields_of(const UncertaintyMethod*);
const FieldTable& fields_of(const ParameterSpread*);
const FieldTable& fields_of(const MeshCheck*);
const FieldTable& fields_of(const PartResult*);

}  // namespace kdyn::update
