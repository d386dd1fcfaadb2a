// SPDX-License-Identifier: Apache-2.0
// The published car and the numbers of an independent program about it: test/reference/vehicle.json and
// vehicle_noisy_30dB.* (our own, made by a NumPy prototype of the same equations; Monte Carlo of the methods without a
// model left out).
#pragma once

#include <string>

#include "kdyn/base/json.hpp"
#include "kdyn/vehicle/decay_file.hpp"
#include "kdyn/vehicle/decay_test.hpp"

namespace kdyn::inline vehicle {

inline std::string reference_path(const std::string& name) {
  return std::string(KDYN_SOURCE_DIR) + "/src/kdyn/vehicle/test/reference/" + name;
}
inline const Json& reference() {
  static const Json json = read_json(reference_path("vehicle.json"));
  return json;
}
inline constexpr AddedMass published_mass = {130.0, 250.0, 40.0, 4.0, 4.0, 5.0, 5.0};

inline DecaySet noisy_case() {
  DecayFileOptions options;
  options.sample_interval_s = 0.005;
  DecaySet set = read_decay_files({reference_path("vehicle_noisy_30dB.csv")}, {}, options).set;
  set.added = {published_mass};
  return set;
}

}  // namespace kdyn::inline vehicle
