// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/exchange/property_models.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/app/exchange/mount_files.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::app {
namespace {

void set_law(Json& model, const std::string& law) {
  for (const char* part : {"main_rubber", "chamber_rubber"})
    if (model.contains(part)) model[part]["law"] = law;
  if (model["model"] == "elastomer") model["law"] = law;
}

std::string coupling_of(const Exchange& exchange, std::vector<Finding>& findings) {
  const std::string said = exchange.mount ? exchange.mount->shape : exchange.bushing->coupling;
  if (said.empty() || said == "none" || said == "rectangular") return "none";
  if (said == "cylindrical" || said == "spherical") return said;
  findings.push_back({Severity::warning, "coupling_unknown", exchange.path,
                      fmt::format("the coupling {} is not known; each direction acts by itself", in_quotes(said)),
                      "known are rectangular, cylindrical and spherical"});
  return "none";
}

}  // namespace

bool PropertyModels::empty() const {
  return std::none_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.has_value(); });
}

PropertyModels property_models(const Exchange& exchange, const std::string& law, std::vector<Finding>& findings) {
  PropertyModels out;
  out.coupling = coupling_of(exchange, findings);
  out.place = exchange.mount ? exchange.mount->place : exchange.bushing->place;
  for (std::size_t d = 0; d < 6; ++d) {
    const std::string where = fmt::format("{}: {}", exchange.path, bushing_directions[d]);
    std::optional<Json> model =
        exchange.mount ? model_of(exchange.mount->directions[d], exchange.mount->model_type == "G4D", where, findings)
                       : model_of(exchange.bushing->directions[d], where, findings);
    if (!model) continue;
    if (!law.empty()) set_law(*model, law);
    try {
      mount_from_json(*model, where);
      out.axes[d] = std::move(model);
    } catch (const Error& error) {
      findings.push_back({Severity::serious, "refused", error.where(), error.message(), error.remedy()});
    }
  }
  return out;
}

Json bushing_model(const PropertyModels& models) {
  Json out = {{"model", "bushing"}, {"coupling", models.coupling}};
  place_json(BushingPlace(models.place.data(), models.place.data() + 3), out);
  for (std::size_t d = 0; d < 6; ++d)
    if (models.axes[d]) out["axes"][axis_names[d]] = *models.axes[d];
  return out;
}

}  // namespace kdyn::app
