// SPDX-License-Identifier: Apache-2.0
// How the start of a run changes when the position it begins in moves, or a mass changes: velocity, acceleration and
// joint equations.
//
//   [mbs E27]  v0 = N zeta, zeta = zeta_g + eta: the given velocity zeta_g = (A^T velocity, A^T angular velocity, delta'), and the least change eta
//   in the
//              mass norm that keeps the joints, N^T (M N eta + Phi_q^T nu) = 0, Phi_q v0 + Phi_t = 0. Along dq = N xi:
//              dzeta_g = (skew(A^T velocity) th, skew(A^T angular velocity) th, 0), and deta from both equations made linear;
//              dv0 = dN[xi] zeta + N (dzeta_g + deta)
//   [mbs E28]  v'0 = drift + N alpha, drift = dN[zeta] zeta: with alpha held, dv'0 = d(drift) + dN[xi] alpha; what is left of equilibrium and of
//              the second derivative of the joints gives dalpha
//   [mbs E40]  the motion of a drive changes Phi_t and, where it turns, Phi_q in both
// Joint rows are quadratic in the coordinates, and so is drift by the position: central differences of them are exact.
#pragma once

#include "kdyn/mbs/internal/linear_step.hpp"

namespace kdyn::mbs {

class StartVariation {
 public:
  // `step` stands at the start (LinearStep::at_start); `moves`: the position can move (static start).
  StartVariation(LinearStep& step, const RunState& now, bool moves);

  struct Change {
    VectorX q, v, vd;  // vd with the reduced acceleration held
    VectorX force;     // of the reduced equilibrium with acceleration and multipliers held, the laws' loads held too
    VectorX joints;    // of the second derivative of the joint equations
  };
  // Position along the tangents xi (size 0: it stays), and a parameter of a body's mass matrix or of a drive (null:
  // none).
  Change along(const VectorX& xi, const Parameter* parameter = nullptr) const;
  // Whether a mass changes the velocity: the given one does not keep the joints.
  bool projected() const { return projected_; }

 private:
  VectorX drift_along(const VectorX& dq) const;
  // Phi_qq[dq] x + Phi_q dx
  VectorX rows_along(const VectorX& dq, const VectorX& x, const VectorX& dx) const;
  // Phi_t, or Phi_tt + 2 Phi_qt v + v^T Phi_qq v, along a change of position and velocity.
  VectorX rates_along(const VectorX& dq, const VectorX& dv, bool by_time) const;

  const System& system_;
  const RunState& now_;
  const Evaluation& e_;
  BlockLu mass_;
  MatrixX stiffness_, bend_;                      // of the acceleration, and of the equation of eta, by xi
  VectorX zeta_, alpha_, eta_, correction_, nu_;  // nu_: multipliers of the velocity
  bool projected_ = false;
};

}  // namespace kdyn::mbs
