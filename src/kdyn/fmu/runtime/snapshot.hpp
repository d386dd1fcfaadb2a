// SPDX-License-Identifier: Apache-2.0
// All that an FMU remembers: what is saved, restored and turned into bytes.
#pragma once

#include <cstring>
#include <vector>

#include "kdyn/fmu/runtime/core_base.hpp"
#include "kdyn/laws/unit.hpp"

namespace kdyn::fmi {

// One value for each axis.
struct PerAxis {
  double at[most_axes] = {};
  double& operator[](int i) { return at[i]; }
  double operator[](int i) const { return at[i]; }
};

struct Snapshot {
  MountUnit unit;    // at the present point
  MountUnit before;  // co-simulation: at the beginning of the last step, which is taken again when its end is known
  Mode mode = Mode::instantiated;
  double time = 0.0, last_time = 0.0;       // now, and at the last accepted point
  PerAxis u, v;                             // inputs as set
  PerAxis u1, u2, v1, v2;                   // their derivatives for the next step, as far as they are given
  unsigned given = 0;                       // which of them: bits of u1, u2, v1, v2
  PerAxis at_u, at_v;                       // motion at which the model is evaluated
  PerAxis last_u, last_v;                   // model exchange: motion at the last accepted point
  PerAxis step_force;                       // of the last step
  PerAxis first_v;                          // velocity at the beginning of the last step
  double step_length = 0.0;                 // of the last step; 0: there was none that can be taken again
  bool stepped = false;                     // step_force is the force
  bool moved = false;                       // displacement or velocity was set since the last step
  bool at_end = false;                      // inputs are those at the end of the step
  bool tuned = false;                       // some parameter was set
  std::vector<double> input, parameter, x;  // as set; states

  // The same walk writes and reads (element/archive.hpp); the lengths of the lists are the unit's.
  template <class Archive>
  void walk(Archive& archive) {
    archive.whole(mode);
    archive(time);
    archive(last_time);
    for (PerAxis* list : {&u, &v, &u1, &u2, &v1, &v2, &at_u, &at_v, &last_u, &last_v, &step_force, &first_v})
      for (double& value : list->at) archive(value);
    archive.whole(given);
    archive(step_length);
    for (bool* flag : {&stepped, &moved, &at_end, &tuned}) archive.whole(*flag);
    for (std::vector<double>* list : {&input, &parameter, &x})
      for (double& value : *list) archive(value);
  }

  // As numbers: sizes of the parts, then the parts.
  void save(std::vector<double>& out) const {
    const std::size_t head = out.size();
    out.resize(head + 2);
    Snapshot& self = const_cast<Snapshot&>(*this);  // writing changes nothing
    ImageWriter writer(out);
    self.walk(writer);
    std::size_t at = out.size();
    unit.save(out);
    out[head] = static_cast<double>(out.size() - at);
    at = out.size();
    before.save(out);
    out[head + 1] = static_cast<double>(out.size() - at);
  }
  // False when the numbers are no snapshot of this FMU; then this one is worth nothing.
  bool load(const double* in, std::size_t size) {
    if (size < 2 || !(in[0] >= 0.0 && in[1] >= 0.0 && in[0] + in[1] <= static_cast<double>(size - 2))) return false;
    const auto unit_size = static_cast<std::size_t>(in[0]), before_size = static_cast<std::size_t>(in[1]);
    const std::size_t own = size - 2 - unit_size - before_size;
    ImageReader reader(in + 2, own);
    walk(reader);
    const double* next = in + 2 + own;
    return reader.finished() && mode <= Mode::terminated && unit.load(next, unit_size) &&
           before.load(next + unit_size, before_size);
  }
};

}  // namespace kdyn::fmi
