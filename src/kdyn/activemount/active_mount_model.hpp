// SPDX-License-Identifier: Apache-2.0
// The active mount as a model file and as a run-time Mount (voltage zero, force on the chassis).
//
// {"model": "activemount", "parameters": {"cT1": 418.1e3, ..., "kM": 14.0, "dKq": 0},
//  "actuator_table": [[amplitude_m, cA_factor, dA_factor], ...],
//  "variations": {"temperature": [{"name": "0 C", "ratios": {"cB1": 2.05, ...}}, ...], "preload": [...]}}
// SI units. All parameters but dKq must be given. actuator_table and variations may be left out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/activemount/active_mount.hpp"
#include "kdyn/activemount/variation.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn::inline activemount {

// One row of the user's table: what the diaphragm does at this amplitude of xA, relative to the parameters cA and dA.
// Between rows the factors run linearly over the logarithm of amplitude, outside they stay at the end rows.
struct ActuatorTableRow {
  double amplitude = 0.0, stiffness_factor = 1.0, damping_factor = 1.0;
};

struct ActiveMountModel {
  ActiveMount<double> law;
  std::vector<ActuatorTableRow> actuator_table;  // ascending amplitudes; empty: no amplitude dependence
  std::optional<VariationSets> variations;       // of this mount; none: not known
};

const FieldTable& fields_of(const ActiveMount<double>*);  // the "parameters" object

// Unknown keys, missing parameters and broken bounds are errors that name `where`.field.
ActiveMountModel active_mount_from_json(const Json& in, const std::string& where);
void active_mount_to_json(const ActiveMountModel& model, Json& out);

void model_json(const ActiveMount<double>& law, Json& out);
double static_displacement(const ActiveMount<double>& law, double force);
// Closed form of the linear mount; nothing with quadratic damping, whose describing function (steady.hpp) is an
// approximation.
std::optional<SteadyResponse> steady_response(const ActiveMount<double>& law, double frequency_hz, double amplitude,
                                              double u0);

std::unique_ptr<Mount> make_mount(const ActiveMount<double>& law);

}  // namespace kdyn::inline activemount
