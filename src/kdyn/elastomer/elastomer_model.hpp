// SPDX-License-Identifier: Apache-2.0
// The elastomer as a model file and as a run-time Mount.
//
// {"model": "elastomer", "law": "masing", "parameters": {"static_stiffness": 338e3, "alpha": ..., "ymax": null,
// "curve": null, ...},
//  "options": {"start_up": "zero", "deadband": 1e-9},
//  "temperature": [[temperature_c, stiffness, freq, ampl], ...]}
// SI units; curve is [[m, N], ...]; options and temperature may be left out. Temperature rows are factors  [elastomer
// E23].
#pragma once

#include <memory>
#include <string>

#include "kdyn/elastomer/elastomer.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn::inline elastomer {

const FieldTable& fields_of(const Elastomer<double>*);  // the "parameters" object

// Reads the model object; unknown keys, missing parameters and broken bounds are errors that name `where`.field.
Elastomer<double> elastomer_from_json(const Json& in, const std::string& where);

// Checks that the parameters form a valid law and builds the interpolation of the curve. Call after changing members by
// hand.
void prepare(Elastomer<double>& law, const std::string& where);

void model_json(const Elastomer<double>& law, Json& out);
double static_displacement(const Elastomer<double>& law, double force);
SteadyResponse steady_response(const Elastomer<double>& law, double frequency_hz, double amplitude, double u0);

// [elastomer E23] The law with the factors of a temperature, without its table; throws when it has none.
Elastomer<double> law_at_temperature(const Elastomer<double>& law, double temperature_c);

std::unique_ptr<Mount> make_mount(const Elastomer<double>& law);

}  // namespace kdyn::inline elastomer
