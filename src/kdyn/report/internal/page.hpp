// SPDX-License-Identifier: Apache-2.0
// The one HTML page around a document in JSON.
#pragma once

#include <string>

#include "kdyn/base/json.hpp"

namespace kdyn::report::internal {

// `document` as to_json makes it; a cover may stand in it beside.
std::string page_of(const Json& document);

}  // namespace kdyn::report::internal
