// SPDX-License-Identifier: Apache-2.0
// Model files: every law of kdyn by the name in "model". A fit's result.json is accepted too; its model is taken.
#pragma once

#include <memory>
#include <string>

#include "kdyn/base/field.hpp"
#include "kdyn/element/mount.hpp"

namespace kdyn {

std::unique_ptr<Mount> mount_from_json(const Json& in, const std::string& where);
std::unique_ptr<Mount> read_mount(const std::string& path);

}  // namespace kdyn
