// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/axis_law.hpp"

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/mbs/internal/axis_law_makers.hpp"

namespace kdyn::mbs {

std::unique_ptr<AxisLaw> axis_law_from_json(const Json& in, const std::string& where) {
  static const std::vector<std::string> known = {"elastomer", "hydromount", "kelvin_voigt",     "maxwell",
                                                 "berg",      "bouc_wen",   "fractional_zener", "payne"};
  if (!in.is_object() || !in.contains("model") || !in["model"].is_string())
    throw_bad_input(where, "this is no mount law: the key \"model\" is missing or no text",
                    R"(write {"model": "kelvin_voigt", "parameters": {"stiffness": ..., "damping": ...}})");
  const auto model = in["model"].get<std::string>();
  if (model == "elastomer") return elastomer_axis(in, where);
  if (model == "hydromount") return hydromount_axis(in, where);
  if (auto law = rival_axis(model, in, where)) return law;
  throw_bad_input(where + ".model", fmt::format("a bushing cannot carry the model {}", in_quotes(model)), suggest(model, known));
}

}  // namespace kdyn::mbs
