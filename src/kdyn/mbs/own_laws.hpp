// SPDX-License-Identifier: Apache-2.0
// Laws that only multibody models know, beside those of the room `laws`: force tables and stops.
//
//   {"model": "force_table", "velocity": [..], "force": [..], "parameters": {"force_factor": 1}}
//   {"model": "force_table", "displacement": [..], "velocity": [..], "force": [[..], ..]}     a row for each displacement
//   {"model": "stop", "parameters": {"stiffness": 1e6, "exponent": 1.5, "damping": 0, "lower_gap": 0.03}}
#pragma once

#include <memory>
#include <string>

#include "kdyn/base/json.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/mbs/axis_law.hpp"
#include "kdyn/mbs/force_table.hpp"
#include "kdyn/mbs/stop_law.hpp"

namespace kdyn::mbs {

const FieldTable& fields_of(const ForceTable<double>*);
const FieldTable& fields_of(const StopLaw<double>*);
ForceTable<double> force_table_from_json(const Json& in, const std::string& where);
StopLaw<double> stop_from_json(const Json& in, const std::string& where);
void model_json(const ForceTable<double>& law, Json& out);
void model_json(const StopLaw<double>& law, Json& out);

// Any law of a model file: those here, and every mount law of kdyn. Doubts about a table go into `findings`.
std::unique_ptr<AxisLaw> model_law(const Json& in, const std::string& where, std::vector<Finding>* findings = nullptr);

}  // namespace kdyn::mbs
