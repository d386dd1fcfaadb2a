// SPDX-License-Identifier: Apache-2.0
// The five cases of the reference file, built as models.
#pragma once

#include <string>

#include "kdyn/base/json.hpp"
#include "kdyn/mbs/run.hpp"
#include "reference_law.hpp"

namespace kdyn::mbs::cases {

inline const Json& reference() {
  static const Json all = read_json(std::string(KDYN_SOURCE_DIR) + "/src/kdyn/mbs/test/reference/multibody.json");
  return all["cases"];
}

struct Case {
  Model model;
  RunOptions options;
  std::vector<std::pair<int, int>> outputs;  // marker, component of its position
};

inline Vector3 vector3(const Json& j) { return {j[0].get<double>(), j[1].get<double>(), j[2].get<double>()}; }

inline RunOptions options_of(const Json& c) {
  RunOptions o;
  o.step_s = c["h"].get<double>();
  o.duration_s = o.step_s * c["N"].get<double>();
  o.rho_infinity = c["rho_inf"].get<double>();
  o.static_start = c["static_init"].get<bool>();
  o.tolerance = 1e-13;
  return o;
}

inline Body rigid(double mass, const Matrix3& J, const Vector3& com = Vector3::Zero(),
                  const Vector3& position = Vector3::Zero()) {
  Body b;
  b.G = rigid_mass(mass, com, J);
  b.position = position;
  return b;
}

inline Case pendulum() {
  const Json& c = reference()["pendulum"];
  Case out;
  out.options = options_of(c);
  const Json& in = c["inputs"];
  Matrix3 J = Matrix3::Zero();
  for (int i = 0; i < 3; ++i)
    J(i, i) = in["Jc"][static_cast<std::size_t>(i)][static_cast<std::size_t>(i)].get<double>();
  out.model.bodies.push_back(rigid(in["m"].get<double>(), J, vector3(in["com"])));
  out.model.gravity = vector3(in["gravity"]);
  const int ground = out.model.add_marker(-1, Vector3::Zero()), pivot = out.model.add_marker(0, Vector3::Zero()),
            tip = out.model.add_marker(0, {1.0, 0.0, 0.0});
  Joint joint;
  joint.kind = JointKind::revolute;
  joint.marker1 = ground;
  joint.marker2 = pivot;
  out.model.joints.push_back(joint);
  out.outputs = {{tip, 0}};
  return out;
}

inline Case double_mass(const std::string& name, const std::vector<double>& rho) {
  const Json& c = reference()[name];
  Case out;
  out.options = options_of(c);
  const double m[2] = {2.0, 1.0}, J[2] = {0.02, 0.01}, x[2] = {0.5, 1.0};
  // Translational joints slide along z of marker 1: turned so that z is the x axis.
  Matrix3 along_x;
  along_x.col(0) = Vector3::UnitY(), along_x.col(1) = Vector3::UnitZ(), along_x.col(2) = Vector3::UnitX();
  int centre[2];
  for (int i = 0; i < 2; ++i) {
    out.model.bodies.push_back(rigid(m[i], J[i] * Matrix3::Identity(), Vector3::Zero(), {x[i], 0.0, 0.0}));
    Joint joint;
    joint.kind = JointKind::translational;
    joint.marker1 = out.model.add_marker(-1, Vector3::Zero(), along_x);
    joint.marker2 = out.model.add_marker(i, Vector3::Zero(), along_x);
    out.model.joints.push_back(joint);
    centre[i] = out.model.add_marker(i, Vector3::Zero());
  }
  const bool kv = rho.size() == 4;
  const std::size_t per = kv ? 2 : 7;
  for (int i = 0; i < 2; ++i) {
    Connection b;
    b.measure = RotationMeasure::vect;
    b.marker1 = i == 0 ? out.model.add_marker(-1, {0.5, 0.0, 0.0}) : out.model.add_marker(0, {0.5, 0.0, 0.0});
    b.marker2 = centre[i];
    const std::size_t first = static_cast<std::size_t>(i) * per;
    b.laws[0] = kv ? kelvin_voigt_law(rho[first], rho[first + 1]) : reference_law(rho, first);
    out.model.connections.push_back(b);
  }
  PointLoad load;
  load.marker = centre[0];
  Curve table;
  const int steps = static_cast<int>(std::lround(0.05 / out.options.step_s));
  for (int i = 0; i <= steps; ++i) {
    const double t = i * out.options.step_s;
    table.emplace_back(t, t < 0.05 - 1e-12 ? 100.0 * std::sin(3.14159265358979323846 * t / 0.05) : 0.0);
  }
  load.force[0] = TimeSignal(table);
  out.model.loads.push_back(load);
  out.outputs = {{centre[1], 0}};
  return out;
}

inline Case beam(const std::string& name, const std::vector<double>& rho) {
  const Json& c = reference()[name];
  const Json& in = reference()["beam_two_bushings_kv"]["inputs"];
  Case out;
  out.options = options_of(c);
  out.model.gravity = vector3(in["gravity"]);
  const int n = 2;
  Body body;
  body.G.resize(4 + 3 * n, 4 + 3 * n);
  for (int i = 0; i < body.G.rows(); ++i)
    for (int j = 0; j < body.G.cols(); ++j)
      body.G(i, j) = in["G_matrix"][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>();
  body.stiffness.resize(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      body.stiffness(i, j) = in["Kd"][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>();
  body.damping = 1e-5 * body.stiffness;
  out.model.bodies.push_back(body);
  const auto node = [&](int i) {
    const int m = out.model.add_marker(0, {0.1 * i, 0.0, 0.0});
    Marker& marker = out.model.markers[static_cast<std::size_t>(m)];
    marker.psi.resize(3, n);
    marker.theta.resize(3, n);
    for (int k = 0; k < n; ++k) {
      marker.psi.col(k) = vector3(in["psi"][static_cast<std::size_t>(k)][static_cast<std::size_t>(i)]);
      marker.theta.col(k) = vector3(in["theta"][static_cast<std::size_t>(k)][static_cast<std::size_t>(i)]);
    }
    return m;
  };
  const bool kv = rho.size() == 24;
  const std::size_t per = kv ? 2 : 7;
  for (int i = 0; i < 2; ++i) {
    Connection b;
    b.measure = RotationMeasure::vect;
    b.marker1 = out.model.add_marker(-1, vector3(in["ground_points"][static_cast<std::size_t>(i)]));
    b.marker2 = node(in["bushing_nodes"][static_cast<std::size_t>(i)].get<int>());
    for (std::size_t k = 0; k < 6; ++k) {
      const std::size_t first = (static_cast<std::size_t>(i) * 6 + k) * per;
      b.laws[k] = kv ? kelvin_voigt_law(rho[first], rho[first + 1]) : reference_law(rho, first);
    }
    out.model.connections.push_back(b);
  }
  const int tip = node(10), middle = node(5);
  PointLoad load;
  load.marker = tip;
  const auto jump = [](double value) { return TimeSignal(Curve{{2e-3, 0.0}, {2e-3, value}}); };
  load.force[1] = jump(60.0);
  load.force[2] = jump(80.0);
  out.model.loads.push_back(load);
  out.outputs = {{tip, 2}, {tip, 1}, {middle, 2}};
  return out;
}

inline Case build(const std::string& name, const char* parameters = "rho_exact") {
  if (name == "pendulum") return pendulum();
  const auto rho = reference()[name][parameters].get<std::vector<double>>();
  return name.rfind("double", 0) == 0 ? double_mass(name, rho) : beam(name, rho);
}

}  // namespace kdyn::mbs::cases
