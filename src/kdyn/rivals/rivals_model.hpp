// SPDX-License-Identifier: Apache-2.0
// The rival laws as model files and run-time Mounts:
//   {"model": "kelvin_voigt" | "berg" | "bouc_wen", "parameters": {...}}
//   {"model": "fractional_zener", "parameters": {..., "band_lower_hz": 0.01, "band_upper_hz": 1000}}
//   {"model": "maxwell", "parameters": {"static_stiffness": ..., "stiffness": [...], "relaxation_time": [...]}}
// SI units; every parameter must be given (the band may be left out).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/rivals/berg.hpp"
#include "kdyn/rivals/bouc_wen.hpp"
#include "kdyn/rivals/fractional_zener.hpp"
#include "kdyn/rivals/kelvin_voigt_mount.hpp"
#include "kdyn/rivals/maxwell.hpp"

namespace kdyn {

// What a Maxwell mount's file says, as the field table wants it.
struct MaxwellParameters {
  double static_stiffness = 338e3;
  std::vector<double> stiffness, relaxation_time;
};

template <>
const FieldTable& field_table<KelvinVoigtMount<double>>();
template <>
const FieldTable& field_table<Berg<double>>();
template <>
const FieldTable& field_table<BoucWen<double>>();
template <>
const FieldTable& field_table<FractionalZener<double>>();
template <>
const FieldTable& field_table<MaxwellParameters>();

// The plain form of a model file, {"model": ..., "parameters": {all of Law::parameters}}: unknown keys, missing parameters and broken bounds
// are errors that name `where`.field.
const Json& plain_parameters(const Json& in, const ParameterInfo* wanted, std::size_t count, const std::string& where);
template <class Law>
Law plain_law_from_json(const Json& in, const std::string& where) {
  Law law;
  from_json_fields(law, plain_parameters(in, Law::parameters.data(), Law::parameters.size(), where), where + ".parameters");
  return law;
}
Maxwell<double> maxwell_from_json(const Json& in, const std::string& where);
FractionalZener<double> fractional_zener_from_json(const Json& in, const std::string& where);

#define KDYN_RIVAL(Law)                                                                                     \
  std::string model_name(const Law<double>& law);                                                           \
  void model_json(const Law<double>& law, Json& out);                                                       \
  double static_displacement(const Law<double>& law, double force);                                         \
  SteadyResponse steady_response(const Law<double>& law, double frequency_hz, double amplitude, double u0); \
  std::unique_ptr<Mount> make_mount(const Law<double>& law);
KDYN_RIVAL(KelvinVoigtMount)
KDYN_RIVAL(Maxwell)
KDYN_RIVAL(Berg)
KDYN_RIVAL(BoucWen)
KDYN_RIVAL(FractionalZener)
#undef KDYN_RIVAL

}  // namespace kdyn
