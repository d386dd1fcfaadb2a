// SPDX-License-Identifier: Apache-2.0
// What a file is that holds no measurement of a bench: models, multibody systems, jobs, results of kdyn, layouts, data
// of single operations (decays of vehicles, frequency responses of active mounts), FMUs, reports, sources. For `kdyn
// inspect`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::app {

struct Recognised {
  std::string kind;
  std::vector<std::string> words;
  Json more = Json::object();  // joins the file's entry in the result
  std::vector<Finding> findings;
};

// JSON by its keys. Errors of its content are serious findings of the kind it was meant to be.
Recognised recognise_json(const std::string& path, const std::string& content);

// Other files that the readers of measurements do not know; nothing when this does not either.
std::optional<Recognised> recognise_other(const std::string& path, const std::string& content);

}  // namespace kdyn::app
