// SPDX-License-Identifier: Apache-2.0
// Every signal of a run by name: bodies, named markers, connections, joints, sensors, controllers and energies (docs/multibody.md has the
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
const char* axis_unit(int component, bool load);                                    // m, rad, N, N*m
Vector3 rotation_vector_of(const System& system, int body, const RunState& state);  // of at most 180 degrees
Vector3 spin_of(const System& system, int body, const RunState& state);             // global axes, rad/s

// Of each connection: preload and what its laws add, positive in tension, in the axes of its first marker; the first of
// a spring is along it.
std::vector<Vector6> connection_loads(const System& system, const Evaluation& e);

struct SignalInfo {
  std::string name, unit, group;
};

class Signals {
 public:
  explicit Signals(const System& system);
  // All of them, or those that were chosen last, in the order of the model.
  const std::vector<SignalInfo>& list() const { return list_; }
  // From here on only these (one flag for each of the list): what nobody asks for is not computed.
  void choose(const std::vector<bool>& wanted);
  // In the order of the list.
  void values(const RunState& state, const Evaluation& e, std::vector<double>& out) const;
  // The same at the accepted point of a run, which is evaluated only where a signal needs more than a few numbers of it.
  void values(const Run& run, std::vector<double>& out) const;

 private:
  enum class Kind {
    position,
    rotation,
    velocity,
    spin,
    acceleration,
    modes,
    marker_position,
    marker_velocity,
    marker_acceleration,
    connection,
    reaction_force,
    reaction_moment,
    sensor,
    tyre,
    controller,
    energy
  };
  // What is computed together: the three components of a vector, the modes of a body, deflection and load of one axis of
  // a connection, all energies.
  struct Part {
    Kind kind;
    int index;                // body, marker, connection, joint, channel, controller
    int component = 0;        // connection: axis
    std::vector<int> wanted;  // which of its values
  };
  void read(const RunState& state, const Evaluation* e, std::vector<double>& out) const;
  void look_at_needs();
  void add(const Part& part, std::vector<SignalInfo> about);
  void add_vector(Kind kind, int index, const std::string& name, const char* unit, const char* group);

  const System& system_;
  bool knows_energy_;              // of the connections
  bool needs_evaluation_ = false;  // more than a few numbers of a point
  std::vector<Part> parts_;
  std::vector<std::vector<int>> laws_;  // axes of the system: of each connection by component, -1 for none
  std::vector<SignalInfo> list_;
};

}  // namespace kdyn::mbs
