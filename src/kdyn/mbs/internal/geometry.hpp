// SPDX-License-Identifier: Apache-2.0
// How the measures of a bushing change with the place and the orientation it is mounted in.
//
//   [mbs E24]  both markers move by `shift` (each besides by its own) and turn by exp(skew(turn)), global axes at the model's initial pose:
//              dx = A0^T e_i,  dR0 = A0^T skew(J_l(turn) e_i) A0 R0;  a frame varies by du = A dx, dR = (A + sum gamma_k skew(theta_k)) dR0,
//              with v or mu in place of q for rates and directions, since frames are linear in the coordinates
#pragma once

#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::mbs {

inline bool is_geometry(const Parameter& p) {
  return p.kind == Parameter::Kind::position || p.kind == Parameter::Kind::orientation;
}

// Left Jacobian of the rotation vector: d exp(skew t) = skew(J_l dt) exp(skew t).
Matrix3 left_jacobian(const Vector3& t);

// By one parameter of one bushing: of the measures, of their rates, and of x_q applied to a direction.
struct GeometryDerivative {
  Vector6 x, rate, along;
};

class Geometry {
 public:
  // Errors when a marker of the bushing is used by anything else: it would move along.
  Geometry(const System& system, const Parameter& parameter);

  // At the point of `e` with position q and velocity v.
  GeometryDerivative at(const Evaluation& e, const VectorX& q, const VectorX& v, const VectorX& direction) const;
  // Derivative of a marker's point (with v or v' in place of q: of its rate); zero for markers of others.
  Vector3 point(int marker, const VectorX& q, bool rate) const;
  int connection() const { return connection_; }

 private:
  Frame moved(int side, const VectorX& q, bool rate) const;

  const System& system_;
  int connection_;
  int marker_[2];
  Vector3 dx_[2];
  Matrix3 dR_[2];
};

}  // namespace kdyn::mbs
