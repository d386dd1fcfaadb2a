// SPDX-License-Identifier: Apache-2.0
// The laws of kdyn inside a multibody model: those of the room `laws`, under the names of this module.
#pragma once

#include "kdyn/laws/axis_law.hpp"

namespace kdyn::mbs {

using kdyn::axis_law_from_json;
using kdyn::AxisLaw;

}  // namespace kdyn::mbs
