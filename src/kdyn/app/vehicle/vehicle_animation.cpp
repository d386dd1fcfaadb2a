// SPDX-License-Identifier: Apache-2.0
// The modes of an identified vehicle as moving wire frames: the body with its axles where the parameters put them, and
// its wheels. Heights are for the eye alone; they are no parameters of the model.
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/vehicle/vehicle_jobs.hpp"

namespace kdyn::app {
namespace {

constexpr double floor_height = 0.55, bonnet_height = 0.95, roof_height = 1.45, wheel_radius = 0.32;
constexpr int spokes = 10;

struct Part {
  std::array<double, 3> at;
  int wheel;  // -1: on the body
};

class Frame {
 public:
  int add(double x, double y, double z, int wheel = -1) {
    parts.push_back({{x, y, z}, wheel});
    return static_cast<int>(parts.size()) - 1;
  }
  void connect(std::initializer_list<int> chain) {
    for (auto it = chain.begin(); it + 1 != chain.end(); ++it) lines.push_back({*it, *(it + 1)});
  }
  // A face through these points, in order around it.
  void cover(report::AnimatedSurface& surface, const std::vector<int>& corners) {
    for (std::size_t i = 2; i < corners.size(); ++i)
      surface.triangles.push_back({corners[0], corners[i - 1], corners[i]});
  }
  std::vector<Part> parts;
  std::vector<std::array<int, 2>> lines;
  report::AnimatedSurface body{"Body", {}}, wheels{"Wheels", {}};
};

// x forward, y to the left, z up; the origin is the centre of gravity's place between the axles.
Frame car(const Vehicle<double>& v) {
  Frame frame;
  const double last = v.layout.axles > 2 ? v.b3 : v.b, first_support = v.layout.hitch ? v.hitch : v.a;
  const double front = first_support + 0.6, rear = -last - 0.6, screen = 0.45 * first_support, back = -0.85 * last;
  const std::array<std::array<double, 2>, max_wheels> corner = {
      {{v.a, v.tf}, {v.a, -v.tf}, {-v.b, v.tr}, {-v.b, -v.tr}, {-v.b3, v.t3}, {-v.b3, -v.t3}}};
  std::array<std::vector<int>, 2> side;
  for (const std::size_t s : {0u, 1u}) {
    const double y = (s == 0 ? 0.82 : -0.82) * std::max(v.tf, v.tr);
    for (const auto& [x, z] : std::initializer_list<std::pair<double, double>>{{front, floor_height},
                                                                               {front, bonnet_height - 0.15},
                                                                               {screen + 0.7, bonnet_height},
                                                                               {screen, roof_height},
                                                                               {back, roof_height},
                                                                               {rear, bonnet_height},
                                                                               {rear, floor_height}})
      side[s].push_back(frame.add(x, y, z));
    for (std::size_t i = 0; i < side[s].size(); ++i) frame.connect({side[s][i], side[s][(i + 1) % side[s].size()]});
  }
  for (std::size_t i = 0; i < side[0].size(); ++i) {
    const std::size_t next = (i + 1) % side[0].size();
    frame.connect({side[0][i], side[1][i]});
    frame.cover(frame.body, {side[0][i], side[0][next], side[1][next], side[1][i]});
  }
  for (const auto& corners : side) frame.cover(frame.body, corners);
  for (int wheel = 0; wheel < v.layout.wheels(); ++wheel) {
    const auto [x, y] = corner[static_cast<std::size_t>(wheel)];
    const int strut = frame.add(x, y, bonnet_height - 0.1), hub = frame.add(x, y, wheel_radius, wheel);
    frame.connect({strut, hub});
    int first = -1, before = -1;
    for (int k = 0; k < spokes; ++k) {
      const double angle = 2.0 * std::acos(-1.0) * k / spokes;
      const int rim =
          frame.add(x + wheel_radius * std::cos(angle), y, wheel_radius + wheel_radius * std::sin(angle), wheel);
      if (before >= 0) {
        frame.connect({before, rim});
        frame.cover(frame.wheels, {hub, before, rim});
      }
      if (first < 0) first = rim;
      before = rim;
    }
    frame.connect({before, first});
    frame.cover(frame.wheels, {hub, before, first});
  }
  return frame;
}

}  // namespace

report::Animation vehicle_animation(const Vehicle<double>& vehicle, const VehicleModes& modes,
                                    const std::vector<std::string>& names) {
  const Frame frame = car(vehicle);
  report::Animation out{.title = "Modes of the vehicle", .lines = frame.lines, .surfaces = {frame.body, frame.wheels}};
  for (std::size_t i = 0; i < frame.parts.size(); ++i) {
    out.points.push_back(frame.parts[i].at);
    if (frame.parts[i].wheel >= 0 && i > 0 && frame.parts[i - 1].wheel < 0) out.marked.push_back(static_cast<int>(i));
  }
  for (Eigen::Index m = 0; m < modes.shapes.cols(); ++m) {
    report::AnimatedShape shape{.name =
                                    fmt::format("{}: {:.2f} Hz, damping {:.1f} %", names[static_cast<std::size_t>(m)],
                                                modes.frequency_hz[static_cast<std::size_t>(m)],
                                                100.0 * modes.damping_ratio[static_cast<std::size_t>(m)])};
    const auto u = modes.shapes.col(m);
    for (const Part& part : frame.parts) {
      const auto [x, y, z] = part.at;
      // Small rotations of a rigid body; theta > 0 lowers the nose, phi > 0 lifts the left side [vehicle E2].
      const double above = z - floor_height;
      const std::array<std::complex<double>, 3> moved =
          part.wheel >= 0
              ? std::array<std::complex<double>, 3>{0.0, 0.0, u[3 + part.wheel]}
              : std::array<std::complex<double>, 3>{above * u[1], -above * u[2], u[0] - x * u[1] + y * u[2]};
      shape.real.push_back({moved[0].real(), moved[1].real(), moved[2].real()});
      shape.imaginary.push_back({moved[0].imag(), moved[1].imag(), moved[2].imag()});
    }
    out.shapes.push_back(std::move(shape));
  }
  out.caption =
      "Drag to turn, Ctrl and wheel to zoom. Colour: how much a part moves. Axles are where the parameters put them; "
      "the body is a sketch.";
  return out;
}

}  // namespace kdyn::app
