// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/axis_law_makers.hpp"
#include "kdyn/mbs/internal/axis_law_of.hpp"
#include "kdyn/rivals/rivals_model.hpp"

namespace kdyn::mbs {
namespace {

template <class Law>
std::unique_ptr<AxisLaw> make(Law (*read)(const Json&, const std::string&), const Json& in, const std::string& where, const std::string& model) {
  typename AxisLawOf<Law>::Write write = &model_json;
  return std::make_unique<AxisLawOf<Law>>(read(in, where), model, write, read);
}

}  // namespace

std::unique_ptr<AxisLaw> rival_axis(const std::string& model, const Json& in, const std::string& where) {
  if (model == "kelvin_voigt") return make(&kelvin_voigt_from_json, in, where, model);
  if (model == "maxwell") return make(&maxwell_from_json, in, where, model);
  if (model == "berg") return make(&berg_from_json, in, where, model);
  if (model == "bouc_wen") return make(&bouc_wen_from_json, in, where, model);
  if (model == "fractional_zener") return make(&fractional_zener_from_json, in, where, model);
  if (model == "payne") return make(&payne_from_json, in, where, model);
  return nullptr;
}

}  // namespace kdyn::mbs
