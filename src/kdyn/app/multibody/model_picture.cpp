// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/multibody/model_picture.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/multibody/multibody_picture.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/data/sensor.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::app {
namespace {

// A body stands undeformed at the start: its first coordinates are place and axes.
std::array<double, 3> global(const mbs::System& system, const mbs::VectorX& q, int body, const mbs::Vector3& x) {
  mbs::Vector3 u = x;
  if (body >= 0) {
    const double* at = q.data() + system.q_at(body);
    u = Eigen::Map<const mbs::Vector3>(at) + Eigen::Map<const mbs::Matrix3>(at + 3) * x;
  }
  return {u.x(), u.y(), u.z()};
}

// Sensors between two markers or of a mount sit where the first marker or the mount is.
std::vector<ModelPlace> places_of(const mbs::System& system, const mbs::VectorX& q) {
  const mbs::Model& model = system.model();
  std::vector<ModelPlace> out;
  const auto at_marker = [&](int m) {
    const mbs::Marker& marker = model.markers[static_cast<std::size_t>(m)];
    return global(system, q, marker.body, marker.x);
  };
  const auto named = [](const auto& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
  };
  for (const mbs::Connection& c : model.connections)
    out.push_back({c.name, c.kind == mbs::ConnectionKind::spring ? "spring" : "bushing", at_marker(c.marker1)});
  for (const Sensor& s : model.sensors) {
    ModelPlace place{s.name, "sensor"};
    const auto body = named(model.bodies, s.body);
    const auto marker = s.markers.empty() ? model.markers.end() : named(model.markers, s.markers.front());
    const auto mount = named(model.connections, s.of);
    const auto joint = named(model.joints, s.of);
    if (body != model.bodies.end())
      place.at = global(system, q, static_cast<int>(body - model.bodies.begin()), mbs::Vector3(s.position.data()));
    else if (marker != model.markers.end())
      place.at = global(system, q, marker->body, marker->x);
    else if (mount != model.connections.end())
      place.at = at_marker(mount->marker1);
    else if (joint != model.joints.end())
      place.at = at_marker(joint->marker1);
    else
      continue;
    out.push_back(std::move(place));
  }
  return out;
}

}  // namespace

std::optional<report::Animation> model_picture(const std::string& path, std::vector<Finding>& findings,
                                               std::vector<ModelPlace>& places) {
  try {
    const mbs::ModelFile file =
        mbs::model_from_json(read_json(path), path, std::filesystem::path(path).parent_path().string());
    const mbs::System system(file.model);
    const mbs::VectorX start = system.initial_position();
    report::Animation out = Picture(system, 1).shapes(start, {}, {});
    places = places_of(system, start);
    out.title = "Model";
    const auto counted = [](std::size_t count, const char* one, const char* many) {
      return fmt::format("{} {}", count, count == 1 ? one : many);
    };
    out.caption = fmt::format("{}, {}. Drag to turn, Ctrl and wheel to zoom.",
                              counted(file.model.bodies.size(), "body", "bodies"),
                              counted(file.model.connections.size(), "bushing or spring", "bushings and springs"));
    return out;
  } catch (const Error& error) {
    findings.push_back({Severity::warning, "incomplete_model", error.where(), error.message(),
                        error.remedy().empty() ? "give the files that the model names beside it" : error.remedy()});
    return std::nullopt;
  }
}

}  // namespace kdyn::app
