// SPDX-License-Identifier: Apache-2.0
// What is read of a run: motion of points, deflections and loads of connections, and what sensors on bodies show.
//
//   [mbs E36]  a sensor is a function of the frames of one or two markers, of their rates, of the acceleration of the first and of the
//              reactions: axes of a marker turn with its body
#pragma once

#include <vector>

#include "kdyn/mbs/relative.hpp"

namespace kdyn::mbs {

enum class OutputKind {
  position,
  velocity,
  acceleration,
  deflection,
  load,
  controller,  // one of its outputs
  // Sensors  [mbs E36]
  accelerometer,  // of the marker in its own axes
  spin,           // angular velocity of the marker's body
  angle,          // of marker `second` against marker `index`: rotation vector in the axes of the latter
  between,        // displacement of marker `second` against `index`, in the axes of the latter
  distance,       // between both markers
  reaction_force,
  reaction_moment,  // of a joint on the body of its second marker, about that marker
  modal             // sum of factors times mode coordinates of a body: strain
};

struct Output {
  OutputKind kind = OutputKind::position;
  int index = 0;         // marker; connection for deflection and load; joint for reactions; body for modal; controller
  int component = 0;     // axis: global, of the bushing, or of the marker; output of a controller
  int second = -1;       // angle, between, distance: the other marker
  bool gravity = false;  // accelerometer: shows gravity as well
  bool own_axes = true;  // spin: axes of the marker; reactions: of the joint's first marker; else global
  std::vector<double> factors{};  // modal
};

// First derivative of a sensor: by frames of its markers, by rate and acceleration of the first, and by the multipliers.
struct OutputSlope {
  int one = -1, two = -1;  // markers
  FrameForce by_one, by_two, by_rate;
  Vector3 by_acceleration = Vector3::Zero();
  VectorX by_lambda;  // empty: none
  int body = -1;      // modal
  std::vector<double> by_modes;
};

inline bool is_sensor(const Output& output) { return output.kind >= OutputKind::accelerometer; }

}  // namespace kdyn::mbs
