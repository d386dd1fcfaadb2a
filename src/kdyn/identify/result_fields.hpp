// SPDX-License-Identifier: Apache-2.0
// How parts of identifications stand in results.
#pragma once

#include "kdyn/base/field.hpp"
#include "kdyn/identify/compare.hpp"
#include "kdyn/identify/hydromount_fit.hpp"
#include "kdyn/identify/temperature_fit.hpp"

namespace kdyn::inline identify {

const FieldTable& fields_of(const FitGroup*);
const FieldTable& fields_of(const LoopHistory*);
const FieldTable& fields_of(const Advice*);
const FieldTable& fields_of(const TemperatureLevel*);
const FieldTable& fields_of(const ElastomerFitResult*);  // misfits, effort and noise: the "fit" of a result
const FieldTable& fields_of(const HydroLevel*);
const FieldTable& fields_of(const HydroMountFitResult*);  // likewise
const FieldTable& fields_of(const Misfit*);
const FieldTable& fields_of(const LawFit*);

// Misfits of a map, whatever holds them.
template <class S>
void add_map_misfit(FieldTable& t, double S::*k_dyn_rel, double S::*loss_angle) {
  t.add(k_dyn_rel, "rms_kdyn_rel", "-", "Relative misfit of the dynamic stiffness, rms");
  t.add(loss_angle, "rms_loss_deg", "deg", "Misfit of the loss angle, rms").in_degrees();
}

}  // namespace kdyn::inline identify
