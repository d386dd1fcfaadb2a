// SPDX-License-Identifier: Apache-2.0
// The hydro mount as a model file and as a run-time Mount.
//
// {"model": "hydromount", "main_rubber": {elastomer}, "chamber_rubber": {elastomer},
//  "parameters": {"chamber_area": 8.586e-3, "channel_area": 8.191e-5, "channel_length": 0.2484, "fluid_density": 950, "fluid_damping_linear": 0.333,
//                 "fluid_damping_nonlinear": 1.393, "fluid_damping_exponent": 2, "decoupler_clearance": null, "decoupler_gradient": 1,
//                 "pressure_limit": null, "bypass_area": null, "bypass_threshold": null, "coupled_damping": false}}
// SI units, null switches a part off. Further optional parameters: decoupler_residual_slope, pressure_limit_smoothing,
// chamber_preload_curve [[N, -], ...], switch_signal [[s, -], ...]. Beside the parameters, "temperature":
// [[temperature_c, fluid_damping_linear, fluid_damping_nonlinear], ...] are factors  [hydromount E19]; the rubbers have
// tables of their own.
#pragma once

#include <memory>
#include <string>

#include "kdyn/element/mount.hpp"
#include "kdyn/hydromount/hydromount.hpp"

namespace kdyn::inline hydromount {

const FieldTable& fields_of(const HydroMount<double>*);  // the "parameters" object

HydroMount<double> hydromount_from_json(const Json& in, const std::string& where);

// Checks that the parameters form a valid law. Call after changing members by hand.
void prepare(HydroMount<double>& law, const std::string& where);

// [hydromount E19] The law with the factors of a temperature, without tables; throws when neither it nor its rubbers
// have one.
HydroMount<double> law_at_temperature(const HydroMount<double>& law, double temperature_c);

void model_json(const HydroMount<double>& law, Json& out);
double static_displacement(const HydroMount<double>& law, double force);
// By harmonic balance; nothing when it does not converge. Where several steady states exist, the stable one a rig
// reaches from rest (the smallest chamber motion) is meant.
std::optional<SteadyResponse> steady_response(const HydroMount<double>& law, double frequency_hz, double amplitude,
                                              double u0);

std::unique_ptr<Mount> make_mount(const HydroMount<double>& law);

}  // namespace kdyn::inline hydromount
