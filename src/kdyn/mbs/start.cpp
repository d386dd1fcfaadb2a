// SPDX-License-Identifier: Apache-2.0
// Where a run begins: joints closed, static equilibrium, consistent velocity and acceleration.
//
//   [mbs E13]  position: least change in the mass norm that closes the joints; velocity: M-projection on Phi_q v = -Phi_t;
//              acceleration: [N^T M N, J^T; J, 0] [alpha; lambda] = [N^T (f - M N' xi); -curvature]
//   [mbs E14]  equilibrium: N^T (-f(q, 0, w at rest) + Phi_q^T lambda) = 0, Phi = 0
#include <cmath>

#include <fmt/format.h>

#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {
namespace {

// Solves with the reduced mass and the joints; e must be placed. The right-hand side is replaced by the solution.
bool solve_with_mass(const System& system, const VectorX& q, double t, const Evaluation& e, BlockLu& lu, VectorX& rhs) {
  system.mass_and_joints(q, t, e, lu);
  if (!lu.factorise()) return false;
  lu.solve(rhs);
  return rhs.allFinite();
}

}  // namespace

bool Run::assemble_position(std::string& reason) {
  const int n = system_.tangents(), m = system_.multipliers();
  now_.q = system_.initial_position();
  const VectorX zero = VectorX::Zero(system_.coordinates());
  system_.place(now_.q, zero, e_);
  if (m == 0) return true;
  double before = 0.0;
  int worst = 0;
  for (int i = 0; i < 50; ++i) {
    system_.place(now_.q, zero, e_);
    system_.constraints(0.0, e_);
    const double size = e_.phi.cwiseAbs().maxCoeff();
    if (i == 0) before = e_.phi.cwiseAbs().maxCoeff(&worst);
    if (size < 1e-13 * (1.0 + now_.q.cwiseAbs().maxCoeff())) return true;
    rhs_.setZero(n + m);
    rhs_.tail(m) = -e_.phi;
    if (!solve_with_mass(system_, now_.q, 0.0, e_, lu_, rhs_)) break;
    system_.retract(now_.q, rhs_.head(n));
    // Rounding stops further progress.
    if (i > 5 && size < 1e-11) return true;
  }
  reason = fmt::format(
      "the joints cannot be closed from the given position: there joint {} is off most, by {:.3g}; check positions and "
      "rotations of its markers",
      system_.joint_of_row(worst), before);
  return false;
}

bool Run::assemble(VectorX& q) {
  std::string reason;
  const bool closed = assemble_position(reason);
  q = now_.q;
  return closed;
}

void Run::project_velocity() {
  const int n = system_.tangents(), m = system_.multipliers();
  now_.v = system_.initial_velocity(now_.q);
  if (m == 0) return;
  system_.place(now_.q, now_.v, e_);
  VectorX by_time, curvature;
  system_.constraint_rates(0.0, e_, by_time, curvature);
  // Joint rates J xi + Phi_t at the given velocity, from the rows themselves.
  VectorX rate;
  system_.joint_rates(now_.q, now_.v, 0.0, e_, rate);
  rhs_.setZero(n + m);
  rhs_.tail(m) = -(rate + by_time);
  if (rhs_.tail(m).cwiseAbs().maxCoeff() < 1e-14) return;
  solve_with_mass(system_, now_.q, 0.0, e_, lu_, rhs_);
  VectorX change;
  system_.expand(now_.q, rhs_.head(n), change);
  now_.v += change;
}

// [mbs E14] Newton from the assembled position; where that fails (a tangent without stiffness, a far start) the model is
// let down first.
bool Run::static_equilibrium(std::string& reason) {
  const VectorX assembled = now_.q;
  if (newton_equilibrium(reason)) return true;
  const std::string first = reason;
  now_.q = assembled;
  if (relax() && newton_equilibrium(reason)) return true;
  reason = first;
  return false;
}

// [mbs E39] Pseudo-time: steps of implicit Euler from rest, velocities taken off after each, so that potential energy
// falls. The step grows as the residual does the opposite.
bool Run::relax() {
  const int n = system_.tangents(), m = system_.multipliers();
  const VectorX zero = VectorX::Zero(system_.coordinates());
  now_.lambda.setZero(m);
  double time = 0.0, last = 0.0;
  for (int i = 0; i < 400; ++i) {
    system_.place(now_.q, zero, e_);
    system_.apply_static_laws(e_);
    system_.residual(now_.q, zero, zero, now_.lambda, 0.0, e_);
    system_.constraints(0.0, e_);
    system_.project(now_.q, e_.r, reduced_);
    if (!reduced_.allFinite()) return false;
    rhs_.resize(n + m);
    rhs_.head(n) = -reduced_;
    rhs_.tail(m) = -e_.phi;
    if (i == 0) {
      // The first step moves by a centimetre, or a hundredth of a radian.
      VectorX x = rhs_;
      solve_with_mass(system_, now_.q, 0.0, e_, lu_, x);
      const double acceleration = x.head(n).cwiseAbs().maxCoeff();
      if (!(acceleration > 0.0) || !std::isfinite(acceleration)) return acceleration == 0.0;
      time = std::sqrt(0.01 / acceleration);
    }
    system_.tangent(now_.q, zero, 1.0 / (time * time), 0.0, now_.lambda, 0.0, e_, lu_);
    const VectorX x = lu_.to_dense().fullPivLu().solve(rhs_);
    const double size = x.head(n).cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) return false;
    // Steps that are too far, or uphill where the tangent is not positive, are shortened in time.
    if (size > 0.2) {
      time *= 0.5;
      if (time < 1e-9) return false;
      continue;
    }
    system_.retract(now_.q, VectorX(x.head(n)));
    now_.lambda += x.tail(m);
    if (size < 1e-7) return true;
    time *= last > 0.0 ? std::clamp(1.5 * last / size, 0.7, 1.5) : 1.0;
    last = size;
  }
  return false;
}

bool Run::newton_equilibrium(std::string& reason) {
  const int n = system_.tangents(), m = system_.multipliers();
  const VectorX zero = VectorX::Zero(system_.coordinates());
  now_.lambda.setZero(m);
  double last = 0.0;
  for (int i = 0; i < 100; ++i) {
    system_.place(now_.q, zero, e_);
    system_.apply_static_laws(e_);
    system_.residual(now_.q, zero, zero, now_.lambda, 0.0, e_);
    system_.constraints(0.0, e_);
    system_.project(now_.q, e_.r, reduced_);
    system_.tangent(now_.q, zero, 0.0, 0.0, now_.lambda, 0.0, e_, lu_);
    rhs_.resize(n + m);
    rhs_.head(n) = -reduced_;
    rhs_.tail(m) = -e_.phi;
    // Newtons by metres and joint rows of size one, each measured by its own: else stiff bushings make joints look
    // dependent.
    VectorX unit;
    Eigen::FullPivLU<MatrixX> dense;
    const auto factorise = [&] {
      MatrixX K = lu_.to_dense();
      unit.setOnes(n + m);
      // What is nothing but rounding of other forces is no stiffness to measure by.
      const double rounding = 1e-13 * K.topLeftCorner(n, n).cwiseAbs().maxCoeff();
      for (int k = 0; k < n; ++k)
        if (const double stiffness = K.row(k).head(n).cwiseAbs().maxCoeff(); stiffness > rounding)
          unit[k] = 1.0 / std::sqrt(stiffness);
      for (int k = n; k < n + m; ++k)
        if (const double row = K.row(k).head(n).cwiseAbs().transpose().cwiseProduct(unit.head(n)).maxCoeff(); row > 0.0)
          unit[k] = 1.0 / row;
      K = unit.asDiagonal() * K * unit.asDiagonal();
      dense.setThreshold(1e-13);
      dense.compute(K);
    };
    factorise();
    // What stands on tyres alone is held where it stands: in the matrix, so that the equilibrium is without such a force.
    if (dense.rank() < n + m && !system_.model().tyres.empty()) {
      system_.hold_on_tyres(now_.q, e_, lu_);
      factorise();
    }
    if (dense.rank() < n + m) {
      reason = fmt::format("the model has {} free motions without stiffness: it has no static equilibrium",
                           n + m - dense.rank());
      return false;
    }
    VectorX x = unit.cwiseProduct(dense.solve(VectorX(unit.cwiseProduct(rhs_))));
    // Far steps are cut: the measures are only locally convex.
    const double size = x.head(n).cwiseAbs().maxCoeff(), cut = size > 0.2 ? 0.2 / size : 1.0;
    system_.retract(now_.q, VectorX(cut * x.head(n)));
    now_.lambda += cut * x.tail(m);
    const double tiny = 4e-16 * (1.0 + now_.q.cwiseAbs().maxCoeff());
    // Newton converges quadratically: once the change stops falling at rounding level, no more is to be had.
    if (cut == 1.0 && (size < tiny || (i > 2 && size < 1e-11 && size >= 0.5 * last))) return true;
    last = size;
  }
  reason = "the static equilibrium was not found in 100 iterations";
  return false;
}

bool Run::initial_acceleration(std::string& reason) {
  now_.laws.w.setZero(system_.states());
  now_.laws.motion.resize(system_.axes().size());
  now_.laws.memory.resize(system_.axes().size());
  system_.place(now_.q, now_.v, e_);
  for (std::size_t a = 0; a < system_.axes().size(); ++a) {
    const Axis& axis = system_.axes()[a];
    const BushingMeasure& measure = e_.measure[static_cast<std::size_t>(axis.connection)];
    now_.laws.motion[a] = {measure.x[axis.component], measure.rate[axis.component]};
    now_.laws.memory[a] = axis.law->start(measure.x[axis.component]);
  }
  e_.w = now_.laws.w;
  e_.wd.setZero(system_.states());
  if (system_.has_controllers() && !begin_controllers(reason)) return false;
  accelerate(lu_);
  now_.laws.wd = e_.wd;
  now_.laws.b = e_.wd;
  return true;
}

// Acceleration and multipliers at the position, velocity and states that are there.
void Run::accelerate(BlockLu& lu) {
  const int n = system_.tangents(), m = system_.multipliers();
  StateScheme given;
  given.t = now_.t;
  system_.apply_laws(now_.laws, given, e_);
  // N' xi: acceleration that the velocity alone brings. Velocity in body axes first.
  VectorX xi, drift;
  system_.body_velocity(now_.q, now_.v, xi);
  system_.expand_variation(now_.q, xi, xi, drift);
  now_.lambda.setZero(m);
  system_.residual(now_.q, now_.v, drift, now_.lambda, now_.t, e_);
  system_.project(now_.q, e_.r, reduced_);
  rhs_.resize(n + m);
  rhs_.head(n) = -reduced_;
  if (m > 0) {
    VectorX by_time, curvature, rate;
    system_.constraint_rates(now_.t, e_, by_time, curvature);
    system_.joint_rates(now_.q, drift, now_.t, e_, rate);
    rhs_.tail(m) = -(curvature + rate);
  }
  solve_with_mass(system_, now_.q, now_.t, e_, lu, rhs_);
  VectorX full;
  system_.expand(now_.q, rhs_.head(n), full);
  now_.vd = drift + full;
  now_.lambda = rhs_.tail(m);
  now_.a = now_.vd;
  system_.residual(now_.q, now_.v, now_.vd, now_.lambda, now_.t, e_);
}

RunResult Run::start() {
  RunResult result;
  now_.t = 0.0;
  now_.h = 0.0;
  now_.on_grid = true;
  grid_ = 0;
  ticks_ = ticks_per_stretch;  // the next step opens a stretch
  stops_.clear();
  stop_ = 0;
  largest_load_.clear();
  wanted_ = options_.step_s;
  factored_ = false;
  past_ = 0;
  complete_ = true;
  look_at_bushings();
  const auto fail = [&](RunStatus status) {
    result.status = status;
    return result;
  };
  if (!assemble_position(result.reason)) return fail(RunStatus::inconsistent_start);
  // Joint equations that were left out as dependent must hold too, or the joints contradict each other.
  std::string joint;
  if (const double gap = system_.dropped_gap(0.0, e_, &joint); !(gap < 1e-6)) {
    result.reason = fmt::format(
        "the joints cannot be closed: joint {} contradicts the others by {:.3g}; check positions and rotations of its "
        "markers",
        joint, gap);
    return fail(RunStatus::inconsistent_start);
  }
  if (has_units_) begin_units();
  if (options_.static_start && !static_equilibrium(result.reason)) return fail(RunStatus::no_static_equilibrium);
  if (options_.static_start && has_units_ && !settle_units(result.reason))
    return fail(RunStatus::no_static_equilibrium);
  project_velocity();
  if (!initial_acceleration(result.reason)) return fail(RunStatus::inconsistent_start);
  if (!now_.vd.allFinite() || !now_.lambda.allFinite()) {
    result.reason = "the initial acceleration is not finite: a load, a table or a mass is not a number";
    return fail(RunStatus::inconsistent_start);
  }
  acceleration_scale_ = std::max(now_.vd.cwiseAbs().maxCoeff(), system_.model().gravity.norm());
  return result;
}

}  // namespace kdyn::mbs
