// SPDX-License-Identifier: Apache-2.0
// What the rival laws share: their list of scalar parameters, with no settings beside it.
#pragma once

#include <array>
#include <cstddef>

#include "kdyn/element/parameter.hpp"

namespace kdyn {

using RivalParameter = ParameterInfo;

}  // namespace kdyn
