// SPDX-License-Identifier: Apache-2.0
// The registry of laws: one entry for each law in laws/law_list.hpp. Whoever needs "all laws" or "the law of this name"
// asks here: model files, rig, multibody models, fits, exported models, the workbench and the documentation's table.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/laws/axis_law.hpp"

namespace kdyn::inline laws {

struct LawEntry {
  std::string model, title;  // the word in "model", and a name for people
  std::string type;          // the class template: Elastomer
  const FieldTable* table;   // of the "parameters" in its model file
  std::vector<std::string>
      parameters;  // scalar parameters of the law as it is by default, as derivatives and exported models name them
  // From the model file's object; errors name `where`.
  std::unique_ptr<Mount> (*mount)(const Json& in, const std::string& where);
  std::unique_ptr<AxisLaw> (*axis_law)(const Json& in, const std::string& where);
  // laws/unit.hpp; a model that knows temperatures takes its table along, and starts at the one given here or at that of
  // its parameters.
  std::vector<double> (*image)(const Json& in, const std::string& where, std::optional<double> temperature_c);
};

const std::vector<LawEntry>& law_registry();
const LawEntry* find_law(const std::string& model);  // null when there is none of this name
std::vector<std::string> law_names();

// The law that an object of a model file names; throws Error(bad_input) with the nearest name.
const LawEntry& law_of(const Json& in, const std::string& where);

// A model file (mount, bushing, or a result that holds one) as the image of a MountUnit: what exported models are made
// of.
std::vector<double> image_of_model(const Json& model, const std::string& where);
// Whether temperature is a parameter of the exported mount.
bool exports_temperature(const Json& model, const std::string& where);

}  // namespace kdyn::inline laws
