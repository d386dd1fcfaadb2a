// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/adjoint.hpp"

namespace kdyn::mbs {

// [mbs E18]
bool Adjoint::start() {
  const Alpha& s = following_;
  const RunState& now = states_.start();
  const int nt = system_.tangents(), nl = system_.multipliers();
  step_.at_start(now);
  outputs_at(0, now);
  const bool steps = states_.steps() > 0;
  VectorX g0 = J_vd_;
  VectorX eta0 = VectorX::Zero(system_.states());
  if (steps) {
    g0 += -s.af * s_ - s.h * s.h * (0.5 - s.b) * p_ - s.h * (1.0 - s.g) * r_ + s.am * s_;
    eta0 = s.af1 * sw_ + s.h * (1.0 - s.g1) * pw_ - s.am1 * sw_;
  }
  if (!step_.factorise_start(now)) return false;
  VectorX reduced, rhs = VectorX::Zero(nt + nl);
  system_.project(now.q, g0, reduced);
  rhs.head(nt) = -reduced;
  rhs.tail(nl) = -J_lambda_;
  step_.lu.solve_transposed(rhs);
  const VectorX m0 = rhs.head(nt), nu0 = rhs.tail(nl);
  VectorX mu0;
  system_.expand(now.q, m0, mu0);
  masses(mu0, now.v, now.vd);
  for (std::size_t a = 0; a < system_.axes().size(); ++a) {
    const Axis& axis = system_.axes()[a];
    AxisLaw::Outputs bar;
    bar.f = step_.along(step_.e.X[at(axis.connection)], axis.connection, axis.component, m0) +
            load_bar_[at(axis.connection)][axis.component];
    for (int i = 0; i < axis.states; ++i) bar.rate.push_back(-eta0[axis.w_at + i]);
    bar.memory = carry_.memory[a];
    AxisLaw::Inputs g;
    axis.law->pull_back_start(now.laws.motion[a], bar, of_[a].law_parameters, g);
    take_parameters(a, g);
    x_bar_[at(axis.connection)][axis.component] += g.to.u;
    v_bar_[at(axis.connection)][axis.component] += g.to.v;
  }
  for (std::size_t k = 0; k < system_.coupled().size(); ++k) {
    const int c = system_.coupled()[k].connection;
    pull_back_coupling(k, pull_along(c, m0) + load_bar_[at(c)].head<3>());
  }
  places(0, now, mu0);
  direct(0, now, mu0, {});
  // [mbs E27] [mbs E28] What a moved position and a changed mass do to velocity and acceleration.
  VectorX on_q = J_q_, on_v = J_v_;
  if (steps) on_q -= p_, on_v -= r_ + s.h * p_;
  for (std::size_t c = 0; c < v_bar_.size(); ++c)
    if (!v_bar_[c].isZero(0.0)) system_.pull_back_load(static_cast<int>(c), v_bar_[c], step_.e, on_v);
  for (std::size_t i = 0; i < system_.model().tyres.size(); ++i) {
    if (system_.model().tyres[i].states() == 0) continue;
    const TyreMotion by = -step_.e.tyres[i].h_y.transpose() * eta0.segment<2>(system_.tyre_w_at(i));
    system_.pull_back_tyre(i, by, step_.e, on_q, on_v);
  }
  const bool driven = std::any_of(parameters_.begin(), parameters_.end(), is_drive);
  const StartVariation variation(step_, now, options_.static_start || driven);
  const auto pulled = [&](const StartVariation::Change& change) {
    double sum = on_q.dot(change.q) + on_v.dot(change.v) + g0.dot(change.vd) + m0.dot(change.force);
    if (nl > 0) sum += nu0.dot(change.joints);
    return sum;
  };
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (is_drive(parameters_[i]) || (variation.projected() && is_inertial(parameters_[i])))
      gradient_[static_cast<Eigen::Index>(i)] += pulled(variation.along({}, &parameters_[i]));
  if (!options_.static_start && !driven) return true;

  // Everything that pulls on the position at rest, in reduced coordinates.
  VectorX pull = VectorX::Zero(nt);
  for (int j = 0; j < nt; ++j) pull[j] = pulled(variation.along(VectorX::Unit(nt, j)));
  pull += J_tangent_;
  for (std::size_t c = 0; c < x_bar_.size(); ++c)
    for (int k = 0; k < 6; ++k) {
      step_.add(step_.e.X[c], static_cast<int>(c), k, x_bar_[c][k], pull);
      step_.add(step_.e.X_rate[c], static_cast<int>(c), k, v_bar_[c][k], pull);
    }
  if (!options_.static_start) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!is_drive(parameters_[i])) continue;
      const VectorX xi = closing_change(system_, options_, parameters_[i].index);
      if (xi.size() == 0) return false;
      gradient_[static_cast<Eigen::Index>(i)] +=
          pull.dot(xi) * signal_change(system_.model(), parameters_[i], 0.0).value;
    }
    return true;
  }
  const MatrixX K = step_.static_matrix(now);
  rhs.setZero(nt + nl);
  rhs.head(nt) = -pull;
  const VectorX solved = K.transpose().fullPivLu().solve(rhs), ms = solved.head(nt);
  VectorX mus;
  system_.expand(now.q, ms, mus);
  masses(mus, VectorX::Zero(system_.coordinates()), VectorX::Zero(system_.coordinates()));
  Evaluation at_rest;
  const VectorX rest_lambda = step_.rest(now, at_rest);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!is_signal(parameters_[i])) continue;
    VectorX full = VectorX::Zero(system_.coordinates()), joints = VectorX::Zero(nl);
    add_direct(system_, parameters_[i], 0.0, rest_lambda, at_rest, full, joints);
    gradient_[static_cast<Eigen::Index>(i)] += mus.dot(full) + solved.tail(nl).dot(joints);
  }
  for (std::size_t a = 0; a < system_.axes().size(); ++a) {
    const Axis& axis = system_.axes()[a];
    const double bar = step_.along(step_.e.X[at(axis.connection)], axis.connection, axis.component, ms);
    for (std::size_t i = 0; i < of_[a].positions.size(); ++i)
      gradient_[of_[a].positions[i]] +=
          bar * axis.law->static_force_by_parameter(now.laws.motion[a].u, of_[a].law_parameters[i]);
  }
  for (const CoupledBushing& b : system_.coupled()) coupled_parameters(b, pull_along(b.connection, ms));
  if (!geometry_.empty()) {
    Evaluation still = step_.e;
    system_.apply_static_laws(still);
    for (const auto& [i, geometry] : geometry_) {
      const GeometryDerivative d = geometry.at(still, now.q, now.v, mus);
      gradient_[i] += d.along.dot(load_of(geometry.connection(), still.load));
      for (std::size_t a = 0; a < system_.axes().size(); ++a) {
        const Axis& axis = system_.axes()[a];
        if (axis.connection != geometry.connection()) continue;
        gradient_[i] += step_.along(step_.e.X[at(axis.connection)], axis.connection, axis.component, ms) *
                        still.load_x[a] * d.x[axis.component];
      }
      for (std::size_t k = 0; k < system_.coupled().size(); ++k)
        if (system_.coupled()[k].connection == geometry.connection())
          gradient_[i] += pull_along(geometry.connection(), ms).dot(still.coupling_x[k] * d.x.head<3>());
    }
  }
  return solved.allFinite();
}

}  // namespace kdyn::mbs
