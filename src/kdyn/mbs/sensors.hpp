// SPDX-License-Identifier: Apache-2.0
// Sensors of a multibody model: descriptions (kdyn/data/sensor.hpp) turned into outputs [mbs E36].
#pragma once

#include <string>

#include "kdyn/mbs/model.hpp"

namespace kdyn::mbs {

// Adds a sensor and its channels; it gets markers of its own. Throws, naming `where`.field, when the model has no such
// body, marker, bushing, spring or joint, or a channel of that name.
void add_sensor(Model& model, const Sensor& sensor, const std::string& where);
// Replaces a sensor of that name, or adds it.
void set_sensor(Model& model, const Sensor& sensor, const std::string& where);

}  // namespace kdyn::mbs
