// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/start_variation.hpp"

#include <algorithm>

#include "kdyn/mbs/internal/direct_parameters.hpp"
#include "kdyn/mbs/internal/index.hpp"

namespace kdyn::mbs {
namespace {

VectorX project(const System& system, const VectorX& q, const VectorX& full) {
  VectorX reduced;
  system.project(q, full, reduced);
  return reduced;
}
VectorX expand(const System& system, const VectorX& q, const VectorX& reduced) {
  VectorX full;
  system.expand(q, reduced, full);
  return full;
}
VectorX vary(const System& system, const VectorX& q, const VectorX& along, const VectorX& reduced) {
  VectorX full;
  system.expand_variation(q, along, reduced, full);
  return full;
}
VectorX by_mass(const System& system, const VectorX& x) {
  VectorX y;
  system.multiply_mass(x, y);
  return y;
}

// Largest entry that a difference is scaled to: values of one size, so that nothing but rounding is lost.
double size_of(const VectorX& a, const VectorX& b) {
  return std::max({a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff(), 1e-300});
}

}  // namespace

StartVariation::StartVariation(LinearStep& step, const RunState& now, bool moves)
    : system_(step.system),
      now_(now),
      e_(step.e) {
  const int nt = system_.tangents(), nl = system_.multipliers();
  const VectorX given = system_.initial_velocity(now.q);
  system_.body_velocity(now.q, now.v, zeta_);
  const VectorX drift = vary(system_, now.q, zeta_, zeta_);
  system_.body_velocity(now.q, now.vd - drift, alpha_);
  system_.body_velocity(now.q, now.v - given, eta_);
  correction_ = expand(system_, now.q, eta_);
  projected_ = nl > 0 && eta_.cwiseAbs().maxCoeff() > 1e-13 * (1.0 + zeta_.cwiseAbs().maxCoeff());
  if (!projected_) eta_.setZero(nt), correction_.setZero(system_.coordinates());
  if (moves) {
    // Slopes of the laws act through their measures; here they are held.
    const auto load_x = step.e.load_x, load_v = step.e.load_v;
    const auto coupling_x = step.e.coupling_x;
    std::fill(step.e.load_x.begin(), step.e.load_x.end(), 0.0);
    std::fill(step.e.load_v.begin(), step.e.load_v.end(), 0.0);
    for (Matrix3& slopes : step.e.coupling_x) slopes.setZero();
    stiffness_ = step.start_stiffness(now);
    step.e.load_x = load_x, step.e.load_v = load_v, step.e.coupling_x = coupling_x;
    bend_ = MatrixX::Zero(nt, nt);
  }
  if (nl == 0) return;
  system_.prepare(mass_);
  system_.mass_and_joints(now.q, 0.0, e_, mass_);
  nu_.setZero(nl);
  if (projected_) {
    const MatrixX J = mass_.to_dense().bottomLeftCorner(nl, nt);
    const VectorX pull = by_mass(system_, correction_);
    nu_ = J.transpose().colPivHouseholderQr().solve(-project(system_, now.q, pull));
    if (!moves) {
      mass_.factorise();
      return;
    }
    // The residual is linear in the multipliers: Phi_q^T nu.
    Evaluation with = e_, without = e_;
    system_.residual(now.q, now.v, now.vd, nu_, 0.0, with);
    system_.residual(now.q, now.v, now.vd, VectorX::Zero(nl), 0.0, without);
    bend_ = step.start_curvature(now, nu_, pull + with.r - without.r);
  }
  mass_.factorise();
}

StartVariation::Change StartVariation::along(const VectorX& given_xi, const Parameter* parameter) const {
  const int nt = system_.tangents(), nl = system_.multipliers();
  const bool moves = given_xi.size() > 0;
  const VectorX xi = moves ? given_xi : VectorX(VectorX::Zero(nt));
  const Parameter* inertial = parameter != nullptr && is_inertial(*parameter) ? parameter : nullptr;
  const Parameter* drive = parameter != nullptr && is_drive(*parameter) ? parameter : nullptr;
  VectorX velocity = VectorX::Zero(nl), acceleration = velocity;
  if (drive != nullptr)
    system_.drive_rate_change(drive->index, signal_change(system_.model(), *drive, 0.0), now_.vd, 0.0, e_, velocity,
                              acceleration);
  Change out;
  out.q = expand(system_, now_.q, xi);
  // [mbs E27]
  VectorX dzeta = VectorX::Zero(nt);
  if (moves)
    for (std::size_t b = 0; b < system_.model().bodies.size(); ++b) {
      const Body& body = system_.model().bodies[b];
      const int t = system_.t_at(static_cast<int>(b));
      const Eigen::Map<const Matrix3> A(now_.q.data() + system_.q_at(static_cast<int>(b)) + 3);
      const Vector3 turn = xi.segment<3>(t + 3);
      dzeta.segment<3>(t) = skew(A.transpose() * body.velocity) * turn;
      dzeta.segment<3>(t + 3) = skew(A.transpose() * body.angular_velocity) * turn;
    }
  const VectorX turned = vary(system_, now_.q, xi, zeta_);
  if (nl > 0) {
    VectorX full = by_mass(system_, vary(system_, now_.q, xi, eta_));
    if (inertial != nullptr) {
      const Body& body = system_.model().bodies[at(inertial->index)];
      const int q = system_.q_at(inertial->index);
      Eigen::Map<Matrix3X>(full.data() + q, 3, body.G.rows()) +=
          Eigen::Map<const Matrix3X>(correction_.data() + q, 3, body.G.rows()) * mass_derivative(body, *inertial);
    }
    VectorX unused = VectorX::Zero(nl);
    if (drive != nullptr) add_direct(system_, *drive, 0.0, nu_, e_, full, unused);
    VectorX rhs(nt + nl);
    rhs.head(nt) = -project(system_, now_.q, full);
    if (moves) rhs.head(nt) -= bend_ * xi;
    rhs.tail(nl) = -(rows_along(out.q, now_.v, turned + expand(system_, now_.q, dzeta)) +
                     rates_along(out.q, VectorX::Zero(out.q.size()), true) + velocity);
    mass_.solve(rhs);
    dzeta += rhs.head(nt);
  }
  out.v = turned + expand(system_, now_.q, dzeta);
  // [mbs E28]
  out.vd = drift_along(out.q) + vary(system_, now_.q, dzeta, zeta_) + vary(system_, now_.q, zeta_, dzeta) +
           vary(system_, now_.q, xi, alpha_);
  VectorX full = by_mass(system_, out.vd);
  for (std::size_t b = 0; b < system_.model().bodies.size(); ++b) {
    const int modes = system_.modes(static_cast<int>(b)), delta = system_.q_at(static_cast<int>(b)) + 12 + 9 * modes;
    if (modes > 0) full.segment(delta, modes) += system_.model().bodies[b].damping * out.v.segment(delta, modes);
  }
  out.force = project(system_, now_.q, full);
  // [mbs E43] The velocity's share; that of the position stands in the stiffness.
  for (std::size_t i = 0; i < system_.model().state_forces.size(); ++i) {
    const FormulaRow row = system_.formula_row(i, now_.q, e_);
    out.force += row.by_v.dot(out.v) * row.on_r;
  }
  for (std::size_t i = 0; i < system_.model().tyres.size(); ++i) {
    VectorX pulled = VectorX::Zero(system_.coordinates());
    system_.add_tyre_wrench(i, Vector6(-e_.tyres[i].F_y * system_.tyre_change(i, {}, out.v, e_)), e_, pulled);
    out.force += project(system_, now_.q, pulled);
  }
  if (moves) out.force += stiffness_ * xi;
  if (nl > 0) out.joints = rows_along(out.q, now_.vd, out.vd) + rates_along(out.q, out.v, false) + acceleration;
  return out;
}

VectorX StartVariation::drift_along(const VectorX& dq) const {
  const double size = size_of(dq, dq), s = 1.0 / size;
  return (vary(system_, now_.q + s * dq, zeta_, zeta_) - vary(system_, now_.q - s * dq, zeta_, zeta_)) * (0.5 * size);
}

VectorX StartVariation::rows_along(const VectorX& dq, const VectorX& x, const VectorX& dx) const {
  // Rows are bilinear in frames and rates, but for the constant part of Phi_q, which does not change.
  Evaluation moved, none;
  for (std::size_t m = 0; m < system_.model().markers.size(); ++m) {
    moved.frame.push_back(system_.frame_of(static_cast<int>(m), dq, true));
    none.frame.push_back({Vector3::Zero(), Matrix3::Zero()});
  }
  VectorX with, without, changed;
  system_.joint_rates(dq, x, 0.0, moved, with);
  system_.joint_rates(dq, x, 0.0, none, without);
  system_.joint_rates(dq, dx, 0.0, e_, changed);
  return with - without + changed;
}

VectorX StartVariation::rates_along(const VectorX& dq, const VectorX& dv, bool by_time) const {
  const double size = size_of(dq, dv), s = 1.0 / size;
  const auto value = [&](double factor) {
    Evaluation e;
    const VectorX q = now_.q + factor * dq, v = now_.v + factor * dv;
    for (std::size_t m = 0; m < system_.model().markers.size(); ++m) {
      e.frame.push_back(system_.frame_of(static_cast<int>(m), q, false));
      e.rate.push_back(system_.frame_of(static_cast<int>(m), v, true));
    }
    VectorX time, curvature;
    system_.constraint_rates(0.0, e, time, curvature);
    return by_time ? time : curvature;
  };
  return (value(s) - value(-s)) * (0.5 * size);
}

}  // namespace kdyn::mbs
