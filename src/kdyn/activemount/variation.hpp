// SPDX-License-Identifier: Apache-2.0
// What changes a mount in service: temperature, preload and amplitude, as ratios of its parameters to nominal; and the
// phase error of the secondary path that follows, under a named rule of combination.
//
//   [activemount E15]  envelope(f) = max - min of arg(S/S_nominal) over all variants,  deviation(f) = max |arg(S/S_nominal)|
//
// Angles of quotients are taken, never differences of wrapped phases. Ratios of the published mount are Tables 2 and 3
// of the paper; its amplitude dependence is not published, the factors here are assumptions and named so.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kdyn/activemount/active_mount.hpp"
#include "kdyn/activemount/transfer.hpp"

namespace kdyn::inline activemount {

// One state of service; parameters that are not named keep their nominal value.
struct Variation {
  std::string name;
  std::map<std::string, double> ratios;
};

// The first entry of each list is nominal (no ratios).
struct VariationSets {
  std::vector<Variation> temperature, preload;
};

// Tables 2 and 3 of Hausberg et al. 2015 as ratios to 20 C and -1400 N.
const VariationSets& published_variations();

// How single influences are combined into variants.
enum class CombinationRule {
  temperature,                        // each temperature set alone
  preload,                            // each preload set alone
  temperature_x_preload,              // products of ratios, jointly
  temperature_x_preload_x_amplitude,  // and the diaphragm as it is or softer (cA 0.8 with dA 1 or 1.3)
  groups_x_preload,                   // bulge, fluid and actuator each at its own temperature
  parameters_x_preload,               // every parameter at its own extreme temperature: worst case, not physical
  parameters_x_preload_x_amplitude,   // and the diaphragm softer or stiffer (cA 0.8/1.2, dA 1.3/0.7)
};
inline constexpr std::array<const char*, 7> combination_rule_names = {"temperature",
                                                                      "preload",
                                                                      "temperature_x_preload",
                                                                      "temperature_x_preload_x_amplitude",
                                                                      "groups_x_preload",
                                                                      "parameters_x_preload",
                                                                      "parameters_x_preload_x_amplitude"};
inline const char* to_string(CombinationRule rule) { return combination_rule_names[static_cast<std::size_t>(rule)]; }
const char* meaning_of(CombinationRule rule);  // one line for people

// Calls `visit` with every variant of the nominal mount under the rule and returns how many there were. Nominal itself
// is among them for every rule but the two of independent parameters, whose extremes stand for the whole range between.
std::size_t for_each_variant(const ActiveMount<double>& nominal, const VariationSets& sets, CombinationRule rule,
                             const std::function<void(const ActiveMount<double>&)>& visit);

ActiveMount<double> varied(const ActiveMount<double>& nominal, const Variation& variation);

struct PhaseEnvelope {
  CombinationRule rule = CombinationRule::temperature;
  ActivePath path = ActivePath::S_x;
  std::size_t variants = 0;
  std::vector<double> frequency_hz;
  std::vector<double> lower_deg, upper_deg;  // smallest and largest arg(S/S_nominal)
  double max_deg = 0.0, at_hz = 0.0;         // widest place of the envelope
  double max_deviation_deg = 0.0;            // largest distance from nominal
  double width(std::size_t i) const { return upper_deg[i] - lower_deg[i]; }
};

// S_x and S_y together, since the work is the same.
std::array<PhaseEnvelope, 2> phase_envelopes(const ActiveMount<double>& nominal, const VariationSets& sets,
                                             CombinationRule rule, const std::vector<double>& frequency_hz);

}  // namespace kdyn::inline activemount
