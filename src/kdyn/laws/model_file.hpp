// SPDX-License-Identifier: Apache-2.0
// Model files: every law of kdyn by the name in "model". A fit's result.json is accepted too; its model is taken.
#pragma once

#include <memory>
#include <string>

#include "kdyn/base/field.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn {

// A bushing gives the mount of one of its axes, named by `axis` ("fz"); other models take no axis.
std::unique_ptr<Mount> mount_from_json(const Json& in, const std::string& where, const std::string& axis = "");
std::unique_ptr<Mount> read_mount(const std::string& path);

// {"model": "bushing", "coupling": "none|cylindrical|spherical", "axes": {"fx": {model}, ..., "tz": {model}}}; absent axes carry no force.
Bushing bushing_from_json(const Json& in, const std::string& where);
void bushing_json(const Bushing& bushing, Json& out);

}  // namespace kdyn
