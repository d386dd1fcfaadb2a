// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/geometry.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::mbs {
namespace {

std::size_t idx(int i) { return static_cast<std::size_t>(i); }

FrameVariation column(const Frame& f) {
  FrameVariation z(12, 1);
  z.col(0).head<3>() = f.u;
  z.col(0).tail<9>() = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(f.R.data());
  return z;
}

}  // namespace

Matrix3 left_jacobian(const Vector3& t) {
  const double angle = t.norm();
  const Matrix3 s = skew(t);
  // Series where the quotients lose digits.
  const double a = angle < 1e-3 ? 0.5 - angle * angle / 24.0 : (1.0 - std::cos(angle)) / (angle * angle);
  const double b =
      angle < 1e-2 ? 1.0 / 6.0 - angle * angle / 120.0 : (angle - std::sin(angle)) / (angle * angle * angle);
  return Matrix3::Identity() + a * s + b * s * s;
}

Geometry::Geometry(const System& system, const Parameter& parameter) : system_(system), connection_(parameter.index) {
  const Model& model = system.model();
  const Connection& c = model.connections[idx(connection_)];
  const std::string where = c.name.empty() ? fmt::format("connection[{}]", connection_) : "connection " + c.name;
  if (c.kind != ConnectionKind::bushing)
    throw_bad_input(where, "only a bushing has a place that can be identified", "choose a bushing");
  const Vector3 unit = Vector3::Unit(parameter.law_parameter);
  for (int side = 0; side < 2; ++side) {
    marker_[side] = side == 0 ? c.marker1 : c.marker2;
    const auto shared = [&](int marker) { return marker == marker_[side]; };
    bool used = false;
    for (std::size_t k = 0; k < model.connections.size(); ++k)
      if (static_cast<int>(k) != connection_)
        used = used || shared(model.connections[k].marker1) || shared(model.connections[k].marker2);
    for (const Joint& joint : model.joints) used = used || shared(joint.marker1) || shared(joint.marker2);
    for (const PointLoad& load : model.loads) used = used || shared(load.marker);
    const auto reads = [&](const StateFormula& formula) {
      return std::any_of(formula.inputs.begin(), formula.inputs.end(), [&](const StateVariable& y) {
        switch (y.kind) {
          case StateVariableKind::deflection:
          case StateVariableKind::rate: return y.index == connection_;
          case StateVariableKind::sensor: return shared(y.output.index) || shared(y.output.second);
          case StateVariableKind::controller: return false;
          default: return shared(y.index);
        }
      });
    };
    for (const StateForce& force : model.state_forces)
      used = used || (!force.of_load && force.index == connection_) || reads(force);
    for (const Controller& controller : model.controllers)
      for (const StateFormula& input : controller.inputs) used = used || reads(input);
    if (used)
      throw_bad_input(
          where,
          fmt::format("marker {} of the bushing carries a joint, a load, a formula or another connection too",
                      marker_[side]),
          "give the bushing markers of its own: they move with the parameter");
    const Marker& marker = model.markers[idx(marker_[side])];
    const Matrix3 A = marker.body < 0 ? Matrix3::Identity() : model.bodies[idx(marker.body)].rotation;
    dx_[side].setZero();
    dR_[side].setZero();
    // [mbs E24]
    if (parameter.kind == Parameter::Kind::position) {
      if (parameter.side == 0 || parameter.side == side + 1) dx_[side] = A.transpose() * unit;
    } else {
      dR_[side] = A.transpose() * skew(left_jacobian(c.turn) * unit) * A * marker.R0;
    }
  }
}

Frame Geometry::moved(int side, const VectorX& q, bool rate) const {
  const Marker& m = system_.model().markers[idx(marker_[side])];
  Frame f;
  if (m.body < 0) {
    f.u = rate ? Vector3(Vector3::Zero()) : dx_[side];
    f.R = rate ? Matrix3(Matrix3::Zero()) : dR_[side];
    return f;
  }
  const double* x = q.data() + system_.q_at(m.body);
  const Eigen::Map<const Matrix3> A(x + 3);
  f.u = A * dx_[side];
  f.R = A * dR_[side];
  for (int k = 0; k < m.psi.cols(); ++k)
    f.R += Eigen::Map<const Matrix3>(x + 12 + 9 * k) * skew(m.theta.col(k)) * dR_[side];
  return f;
}

GeometryDerivative Geometry::at(const Evaluation& e, const VectorX& q, const VectorX& v,
                                const VectorX& direction) const {
  const Connection& c = system_.model().connections[idx(connection_)];
  const Frame &one = e.frame[idx(c.marker1)], &two = e.frame[idx(c.marker2)];
  const FrameVariation Z1 = column(moved(0, q, false)), Z2 = column(moved(1, q, false));
  // Rate of the measures along a full-space vector, by the parameter: frames vary, and so do the frames of the vector.
  const auto rate_along = [&](const VectorX& along, Vector6* x) {
    const Frame d1 = system_.frame_of(c.marker1, along, true), d2 = system_.frame_of(c.marker2, along, true);
    const BushingMeasure m = bushing_measure(one, two, d1, d2, c.measure);
    Rows6 X, X_rate;
    TurnRows turn;
    bushing_rows(one, two, d1, d2, Z1, Z2, m, X, X_rate, turn);
    if (x) *x = X.rowwise().sum();
    const Vector6 frames = X_rate.rowwise().sum();
    return Vector6(frames + bushing_measure(one, two, moved(0, along, true), moved(1, along, true), c.measure).rate);
  };
  GeometryDerivative out;
  out.rate = rate_along(v, &out.x);
  out.along = rate_along(direction, nullptr);
  return out;
}

Vector3 Geometry::point(int marker, const VectorX& q, bool rate) const {
  for (int side = 0; side < 2; ++side)
    if (marker == marker_[side]) return moved(side, q, rate).u;
  return Vector3::Zero();
}

}  // namespace kdyn::mbs
