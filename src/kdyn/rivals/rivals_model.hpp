// SPDX-License-Identifier: Apache-2.0
// Model files of the rival laws that have more in them than plain parameters (element/plain_law.hpp does the others):
//   {"model": "fractional_zener", "parameters": {..., "band_lower_hz": 0.01, "band_upper_hz": 1000}}
//   {"model": "maxwell", "parameters": {"static_stiffness": ..., "stiffness": [...], "relaxation_time": [...]}}
// SI units; every parameter must be given (the band may be left out).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/element/plain_law.hpp"
#include "kdyn/rivals/fractional_zener.hpp"
#include "kdyn/rivals/maxwell.hpp"

namespace kdyn::inline rivals {

// What a Maxwell mount's file says, as the field table wants it.
struct MaxwellParameters {
  double static_stiffness = 338e3;
  std::vector<double> stiffness, relaxation_time;
};

const FieldTable& fields_of(const FractionalZener<double>*);
const FieldTable& fields_of(const MaxwellParameters*);

// Unknown keys, missing parameters and broken bounds are errors that name `where`.field.
Maxwell<double> maxwell_from_json(const Json& in, const std::string& where);
FractionalZener<double> fractional_zener_from_json(const Json& in, const std::string& where);
void model_json(const Maxwell<double>& law, Json& out);
void model_json(const FractionalZener<double>& law, Json& out);

}  // namespace kdyn::inline rivals
