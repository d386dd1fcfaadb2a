// SPDX-License-Identifier: Apache-2.0
// Model files: every law of kdyn by the name in "model". A fit's result.json is accepted too; its model is taken.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn::inline laws {

const Json& inner_model(const Json& in);  // the model itself, out of a result around it
bool is_bushing_model(const Json& in);    // of a bushing, or a result around one
// Temperature tables of a mount's model: its own and those of its rubbers.
std::vector<const Json*> temperature_tables(const Json& model);

// A bushing gives the mount of one of its axes, named by `axis` ("fz"); other models take no axis.
std::unique_ptr<Mount> mount_from_json(const Json& in, const std::string& where, const std::string& axis = "");
std::unique_ptr<Mount> read_mount(const std::string& path);

// {"model": "bushing", "coupling": "none|cylindrical|spherical", "position": [x, y, z], "orientation": [x, y, z],
//  "axes": {"fx": {model}, ..., "tz": {model}}}; absent axes carry no force. Every model, of an axis too, may have a "scale" of its force
//  (laws/scaled.hpp).
inline constexpr std::array<const char*, 7> bushing_keys = {"model", "coupling", "position", "orientation",
                                                            "axes",  "name",     "comment"};
BushingPlace place_from_json(const Json& in, const std::string& where);  // of a bushing model
void place_json(const BushingPlace& place, Json& out);                   // nothing when it sits in the origin
Bushing bushing_from_json(const Json& in, const std::string& where);
void bushing_json(const Bushing& bushing, Json& out);

}  // namespace kdyn::inline laws
