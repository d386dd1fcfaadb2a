// SPDX-License-Identifier: Apache-2.0
// The chain that multibody speed figures speak of: N bars of 1 kg in a row (bricks 0.2 x 0.02 x 0.02 m), tied end to
// end and to ground by six-axis linear bushings (1e5 N/m, 100 N m/rad, damping 2e-3 s times stiffness), let go
// horizontally under gravity, 10 s.
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "chain_sizes.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs::chain {

inline Matrix3 brick_inertia(double mass) {
  const double x = half * half, y = thickness * thickness;
  return Vector3(mass / 3.0 * (y + y), mass / 3.0 * (x + y), mass / 3.0 * (x + y)).asDiagonal();
}

inline std::shared_ptr<AxisLaw> spring(double k) {
  return axis_law_from_json(
      {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", damping_time * k}}}}, "law");
}

inline void tie(Model& model, int marker1, int marker2) {
  Connection c;
  c.marker1 = marker1;
  c.marker2 = marker2;
  for (std::size_t k = 0; k < 6; ++k) c.laws[k] = spring(k < 3 ? stiffness : turning_stiffness);
  model.connections.push_back(c);
}

// The last marker is the tip.
inline Model rigid(int bodies) {
  Model model;
  model.gravity = {0.0, -gravity, 0.0};
  for (int i = 0; i < bodies; ++i) {
    Body body;
    body.G = rigid_mass(1.0, Vector3::Zero(), brick_inertia(1.0));
    body.position = {half + pitch * i, 0.0, 0.0};
    model.bodies.push_back(body);
    const int one = i == 0 ? model.add_marker(-1, Vector3::Zero()) : model.add_marker(i - 1, {half, 0.0, 0.0});
    tie(model, one, model.add_marker(i, {-half, 0.0, 0.0}));
  }
  model.add_marker(bodies - 1, {half, 0.0, 0.0});
  return model;
}

// The same with four bending modes in each bar (two in each plane, shapes of a free beam), 1 % damped.
inline Model flexible(int bodies) {
  const int nodes = 9, modes = 4;
  // Free-free beam: lambda L, and the shape cosh + cos - sigma (sinh + sin); rotations are its slope.
  const double lambda[2] = {4.730040744862704, 7.853204624095838}, sigma[2] = {0.982502214576238, 1.000777311907269};
  const double bending_hz[2] = {180.0, 496.2};
  std::vector<ModalNode> cloud;
  for (int i = 0; i < nodes; ++i) {
    const double x = pitch * i / (nodes - 1.0);
    Matrix3X p = Matrix3X::Zero(3, modes), t = Matrix3X::Zero(3, modes);
    for (int m = 0; m < 2; ++m) {
      const double b = lambda[m] / pitch, z = b * x;
      const double w = 0.5 * (std::cosh(z) + std::cos(z) - sigma[m] * (std::sinh(z) + std::sin(z)));
      const double slope = 0.5 * b * (std::sinh(z) - std::sin(z) - sigma[m] * (std::cosh(z) + std::cos(z)));
      p(1, m) = w, t(2, m) = slope;
      p(2, 2 + m) = w, t(1, 2 + m) = -slope;
    }
    const double share = (i == 0 || i == nodes - 1 ? 0.5 : 1.0) / (nodes - 1.0);
    cloud.push_back({share, Matrix3(share * Vector3(6.7e-5, 4e-5, 4e-5).asDiagonal()), {x - half, 0.0, 0.0}, p, t});
  }
  // Rigid content that the lumping leaves in the shapes is taken out: displacement and rotation of the cloud as a
  // whole.
  for (int m = 0; m < modes; ++m) {
    Vector3 shift = Vector3::Zero(), turn = Vector3::Zero();
    double mass = 0.0, second = 0.0;
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      mass += cloud[i].mass;
      second += cloud[i].mass * cloud[i].x.squaredNorm();
      shift += cloud[i].mass * cloud[i].psi.col(m);
      turn += cloud[i].mass * cloud[i].x.cross(Vector3(cloud[i].psi.col(m)));
    }
    shift /= mass;
    turn /= second;
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      cloud[i].psi.col(m) -= shift + turn.cross(cloud[i].x);
      cloud[i].theta.col(m) -= turn;
    }
  }
  const MatrixX G = modal_mass(cloud, modes);
  Model model = rigid(bodies);
  for (Body& body : model.bodies) {
    body.G = G;
    body.stiffness = MatrixX::Zero(modes, modes);
    body.damping = body.stiffness;
    for (int m = 0; m < modes; ++m) {
      const double modal = G(4 + 3 * m + (m < 2 ? 1 : 2), 4 + 3 * m + (m < 2 ? 1 : 2)),
                   omega = 2.0 * std::numbers::pi * bending_hz[m % 2];
      body.stiffness(m, m) = modal * omega * omega;
      body.damping(m, m) = 0.02 * modal * omega;
    }
  }
  for (Marker& marker : model.markers) {
    if (marker.body < 0) continue;
    const ModalNode& node = marker.x.x() < 0.0 ? cloud.front() : cloud.back();
    marker.psi = node.psi;
    marker.theta = node.theta;
  }
  return model;
}

}  // namespace kdyn::mbs::chain
