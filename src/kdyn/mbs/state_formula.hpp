// SPDX-License-Identifier: Apache-2.0
// A formula in the time and the motion of a model, as loads, springs, bushings and controllers have them  [mbs E43].
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kdyn/mbs/output.hpp"
#include "kdyn/mbs/time_signal.hpp"

namespace kdyn::mbs {

// What a formula reads of the state: a point's global position or velocity, deflection or its rate of a connection, a
// channel of a sensor that needs positions and velocities alone, or an output of a controller.
enum class StateVariableKind { position, velocity, deflection, rate, sensor, controller };
struct StateVariable {
  StateVariableKind kind = StateVariableKind::position;
  int index = 0, component = 0;  // marker, connection or controller; axis or output
  Output output{};               // sensor
};

struct StateFormula {
  std::string name;  // in words, for messages
  std::shared_ptr<const Formula> formula;
  std::vector<StateVariable> inputs;
  // For the file: names of inputs, tables of the formula.
  std::vector<std::string> input_names;
  std::vector<std::pair<std::string, Curve>> tables;
};

}  // namespace kdyn::mbs
