// SPDX-License-Identifier: Apache-2.0
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/mbs/internal/axis_law_makers.hpp"
#include "kdyn/mbs/internal/axis_law_of.hpp"

namespace kdyn::mbs {

std::unique_ptr<AxisLaw> elastomer_axis(const Json& in, const std::string& where) {
  return std::make_unique<AxisLawOf<Elastomer<double>>>(elastomer_from_json(in, where), "elastomer", &model_json, &elastomer_from_json);
}

}  // namespace kdyn::mbs
