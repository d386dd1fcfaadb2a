// SPDX-License-Identifier: Apache-2.0
// What a file is that holds no measurement of a bench: models, multibody systems, jobs, results of kdyn, layouts, data
// of single operations (decays of vehicles, frequency responses of active mounts), FMUs, reports, sources. For `kdyn
// inspect`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/exchange/exchange_outputs.hpp"

namespace kdyn::app {

// JSON by its keys. Errors of its content are serious findings of the kind it was meant to be.
InspectedFile recognise_json(const std::string& path, const std::string& content);

// Other files that the readers of measurements do not know; nothing when this does not either.
std::optional<InspectedFile> recognise_other(const std::string& path, const std::string& content);

}  // namespace kdyn::app
