// SPDX-License-Identifier: Apache-2.0
// Reference numbers of the published mount: reference/active_mount.json, computed by an independent program (all keys
// of that file).
#pragma once

#include <complex>
#include <string>

#include "kdyn/activemount/active_mount_model.hpp"
#include "kdyn/activemount/variation.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::inline activemount {

inline const Json& reference() {
  static const Json json =
      read_json(std::string(KDYN_SOURCE_DIR) + "/src/kdyn/activemount/test/reference/active_mount.json");
  return json;
}

inline ActiveMount<double> nominal_mount() {
  return active_mount_from_json({{"model", "activemount"}, {"parameters", reference()["parameters_SI"]}}, "reference")
      .law;
}

// The mount behind a key of "transfer" and "poles_zeros".
inline ActiveMount<double> mount_named(const std::string& key) {
  const VariationSets& sets = published_variations();
  if (key == "0C") return varied(nominal_mount(), sets.temperature[1]);
  if (key == "65C") return varied(nominal_mount(), sets.temperature[2]);
  if (key == "preload_-700N") return varied(nominal_mount(), sets.preload[1]);
  if (key == "preload_0N") return varied(nominal_mount(), sets.preload[2]);
  return nominal_mount();
}

inline std::complex<double> complex_of(const Json& pair) { return {pair[0].get<double>(), pair[1].get<double>()}; }

}  // namespace kdyn::inline activemount
