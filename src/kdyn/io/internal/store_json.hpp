// SPDX-License-Identifier: Apache-2.0
// Names, units and geometry of the store as JSON. Reading never throws: what does not fit is left at its default.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/data/dof.hpp"
#include "kdyn/data/geometry.hpp"
#include "kdyn/data/signal.hpp"

namespace kdyn::inline io::internal {

Json to_json(const Dof& dof);  // [node, direction, name]
Json to_json(const std::vector<Dof>& dofs);
Dof dof_at(const Json& object, const char* key);
std::vector<Dof> dofs_at(const Json& object, const char* key);
std::string text_at(const Json& object, const char* key);
double number_at(const Json& object, const char* key);
bool flag_at(const Json& object, const char* key);

inline constexpr const char* store_format = "kdyn store 1";
// What /signals/meta holds: all but the samples.
Json signals_meta(const std::vector<Signal>& signals);

// Positions of the nodes are stored apart, as numbers.
Json geometry_json(const Geometry& geometry);
void geometry_from_json(const Json& in, Geometry& geometry);

}  // namespace kdyn::inline io::internal
