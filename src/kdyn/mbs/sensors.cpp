// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/sensors.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/mbs/internal/index.hpp"

namespace kdyn::mbs {
namespace {

template <class T>
std::vector<std::string> names_in(const std::vector<T>& parts) {
  std::vector<std::string> names;
  for (const T& part : parts)
    if (!part.name.empty()) names.push_back(part.name);
  return names;
}
template <class T>
int index_of(const std::vector<T>& parts, const std::string& name) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].name == name) return static_cast<int>(i);
  return -1;
}
template <class T>
int need(const std::vector<T>& parts, const std::string& name, const char* what, const std::string& where) {
  const int found = index_of(parts, name);
  if (found < 0)
    throw_bad_input(where, fmt::format("there is no {} {}", what, in_quotes(name)), suggest(name, names_in(parts)));
  return found;
}

// A copy of a marker: the original may belong to a bushing whose place is searched.
int own_marker(Model& model, const std::string& name, const std::string& where) {
  Marker m = model.markers[at(need(model.markers, name, "marker", where))];
  m.name.clear();
  model.markers.push_back(std::move(m));
  return static_cast<int>(model.markers.size()) - 1;
}

int place(Model& model, const Sensor& s, const std::string& where) {
  int marker = 0;
  if (!s.markers.empty()) {
    marker = own_marker(model, s.markers[0], where + ".markers[0]");
  } else {
    const int body = need(model.bodies, s.body, "body", where + ".body");
    if (model.bodies[at(body)].modes() > 0)
      throw_bad_input(where + ".body", "a sensor on a flexible body sits on one of its nodes",
                      R"(add a marker with "node" and name it: "markers": ["name"])");
    marker = model.add_marker(body, Vector3(s.position.data()));
  }
  Marker& m = model.markers[at(marker)];
  m.R0 = m.R0 * rotation_of(Vector3(s.rotation.data())) * rotation_of(Vector3(s.turn.data()));
  return marker;
}

// Load of a bushing or spring, or reaction of a joint.
Output load_of(const Model& model, const Sensor& s, int component, const std::string& where) {
  const bool force = s.kind == SensorKind::force;
  if (const int c = index_of(model.connections, s.of); c >= 0) {
    const bool spring = model.connections[at(c)].kind == ConnectionKind::spring;
    if (spring && (!force || s.axes.size() != 1))
      throw_bad_input(where + ".axes", fmt::format("{} is a spring: it has one force, along itself", in_quotes(s.of)),
                      R"(write "kind": "force", "axes": "x")");
    return {.kind = OutputKind::load, .index = c, .component = spring ? 0 : force ? component : component + 3};
  }
  std::vector<std::string> names = names_in(model.connections);
  for (const std::string& name : names_in(model.joints)) names.push_back(name);
  const int joint = index_of(model.joints, s.of);
  if (joint < 0)
    throw_bad_input(where + ".of", fmt::format("there is no bushing, spring or joint {}", in_quotes(s.of)),
                    suggest(s.of, names));
  return {
      .kind = force ? OutputKind::reaction_force : OutputKind::reaction_moment, .index = joint, .component = component};
}

}  // namespace

void add_sensor(Model& model, const Sensor& s, const std::string& where) {
  check(s, where);
  Output output;
  switch (s.kind) {
    case SensorKind::accelerometer:
      output = {.kind = OutputKind::accelerometer, .index = place(model, s, where), .gravity = s.gravity};
      break;
    case SensorKind::gyro: output = {.kind = OutputKind::spin, .index = place(model, s, where)}; break;
    case SensorKind::angle:
    case SensorKind::displacement:
    case SensorKind::string_pot:
      output.kind = s.kind == SensorKind::angle          ? OutputKind::angle
                    : s.kind == SensorKind::displacement ? OutputKind::between
                                                         : OutputKind::distance;
      output.index = place(model, s, where);
      output.second = own_marker(model, s.markers[1], where + ".markers[1]");
      break;
    case SensorKind::strain: {
      const int body = need(model.bodies, s.body, "body", where + ".body");
      if (static_cast<int>(s.modes.size()) != model.bodies[at(body)].modes())
        throw_bad_input(
            where + ".modes",
            fmt::format("{} numbers for a body with {} modes", s.modes.size(), model.bodies[at(body)].modes()),
            "give one number for each mode of the body");
      output = {.kind = OutputKind::modal, .index = body, .factors = s.modes};
      break;
    }
    case SensorKind::force:
    case SensorKind::moment: break;
  }
  for (int i = 0; i < s.channels(); ++i) {
    SensorChannel channel;
    channel.name = s.channel(i);
    channel.unit = s.unit();
    if (index_of(model.channels, channel.name) >= 0)
      throw_bad_input(where + ".name", fmt::format("two channels are called {}", in_quotes(channel.name)),
                      "give every sensor its own name");
    channel.output =
        s.kind == SensorKind::force || s.kind == SensorKind::moment ? load_of(model, s, s.axis(i), where) : output;
    if (is_sensor(channel.output)) channel.output.component = s.axis(i);
    channel.gain = s.gain, channel.offset = s.offset, channel.delay_s = s.delay_s;
    channel.sensor = static_cast<int>(model.sensors.size());
    model.channels.push_back(std::move(channel));
  }
  model.sensors.push_back(s);
}

void set_sensor(Model& model, const Sensor& s, const std::string& where) {
  const int old = index_of(model.sensors, s.name);
  if (old >= 0) {
    model.sensors.erase(model.sensors.begin() + old);
    std::erase_if(model.channels, [&](const SensorChannel& c) { return c.sensor == old; });
    for (SensorChannel& c : model.channels)
      if (c.sensor > old) --c.sensor;
  }
  add_sensor(model, s, where);
}

}  // namespace kdyn::mbs
