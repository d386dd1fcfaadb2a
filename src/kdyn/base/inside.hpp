// SPDX-License-Identifier: Apache-2.0
// Names that somebody else chose must not lead out of the folder they are meant for.
#pragma once

#include <string>
#include <string_view>

namespace kdyn::inline base {

// The path of `name` below `folder`, for a name that somebody else chose: content of a file, a request, a model. It may
// have folders of its own ("z/model.json"); a name that leads elsewhere (absolute, "..", over a link, empty, control
// characters) throws Error(bad_input). What is there already under that name does not matter: writing replaces it and
// follows no link.
std::string inside(const std::string& folder, std::string_view name);

}  // namespace kdyn::inline base
