// SPDX-License-Identifier: Apache-2.0
// A tyre of a model file: its numbers or its property file, and the road under it (docs/multibody.md).
#pragma once

#include "kdyn/mbs/internal/model_item.hpp"
#include "kdyn/mbs/internal/signal_reader.hpp"

namespace kdyn::mbs {

inline const std::vector<std::string> tyre_keys = {"name", "marker",     "body",      "axis",      "position",   "file",
                                                   "side", "radius",     "damping",   "stiffness", "load_curve", "slip",
                                                   "road", "relaxation", "low_speed", "mirrored",  "comment"};

// Everything but name and marker.
Tyre read_tyre(const Item& item, SignalReader& signals, const std::string& folder, std::vector<std::string>& files,
               std::vector<Finding>& findings);

// Of a whole model: wheels are rigid bodies, their axes lie, gravity points down.
void check_tyres(const Model& model, const std::string& where);

}  // namespace kdyn::mbs
