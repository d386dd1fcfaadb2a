// SPDX-License-Identifier: Apache-2.0
// Every signal of a run by name: bodies, named markers, connections, joints and energies (docs/multibody.md has the
// table).
#pragma once

#include <string>
#include <vector>

#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {

int component_count(const Connection& connection);  // 6 of a bushing, 1 of a spring
bool is_shown(const Marker& marker);                // named, and on a body
// "left.fz" of a bushing, "coil" of a spring.
std::string axis_name(const Connection& connection, int component);
const char* axis_unit(int component, bool load);                         // m, rad, N, N*m
Vector3 spin_of(const System& system, int body, const RunState& state);  // global axes, rad/s

// Of each connection: preload and what its laws add, positive in tension, in the axes of its first marker; the first of
// a spring is along it.
std::vector<Vector6> connection_loads(const System& system, const Evaluation& e);

struct SignalInfo {
  std::string name, unit, group;
};

class Signals {
 public:
  explicit Signals(const System& system);
  const std::vector<SignalInfo>& list() const { return list_; }
  // In the order of the list.
  void values(const RunState& state, const Evaluation& e, std::vector<double>& out) const;

 private:
  void add_vector(const std::string& name, const char* unit, const char* group);

  const System& system_;
  bool knows_energy_;  // of the connections
  std::vector<SignalInfo> list_;
};

}  // namespace kdyn::mbs
