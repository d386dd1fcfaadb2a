// SPDX-License-Identifier: Apache-2.0
// The discrete adjoint, step by step backwards; how it ends at the start stands in adjoint_start.cpp.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "kdyn/mbs/checkpoints.hpp"
#include "kdyn/mbs/internal/direct_parameters.hpp"
#include "kdyn/mbs/internal/geometry.hpp"
#include "kdyn/mbs/internal/sensor_output.hpp"
#include "kdyn/mbs/internal/start_variation.hpp"

namespace kdyn::mbs {

// What one instant passes to the one before, beyond the multipliers of the scheme: the laws look back at the beginning
// of their step.
struct Carry {
  std::vector<Motion<double>> motion;
  VectorX w;
  std::vector<std::vector<double>> memory;
};

class Adjoint {
 public:
  Adjoint(const System& system, const RunOptions& options, Trajectory& states, const std::vector<Output>& outputs,
          const MatrixX& y_bar, const std::vector<Parameter>& parameters)
      : system_(system),
        options_(options),
        states_(states),
        outputs_(outputs),
        y_bar_(y_bar),
        parameters_(parameters),
        of_(parameters_of_axes(system, parameters)),
        step_(system, options),
        following_(step_.alpha) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (is_geometry(parameters[i]))
        geometry_.emplace_back(static_cast<Eigen::Index>(i), Geometry(system, parameters[i]));
  }

  GradientResult run() {
    const int nq = system_.coordinates(), nw = system_.states();
    GradientResult result;
    gradient_.setZero(static_cast<Eigen::Index>(parameters_.size()));
    p_.setZero(nq), r_.setZero(nq), s_.setZero(nq), pw_.setZero(nw), sw_.setZero(nw);
    carry_.motion.assign(system_.axes().size(), {0.0, 0.0});
    carry_.w.setZero(nw);
    carry_.memory.assign(system_.axes().size(), {});
    for (std::size_t n = states_.steps(); n >= 1; --n)
      if (!back(n)) return result;
    if (!start()) return result;
    result.complete = true;
    result.gradient = gradient_;
    return result;
  }

 private:
  using ConstVector = Eigen::Map<const VectorX>;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // Bars of the outputs at an instant: J_q, J_v, J_vd in natural coordinates, deflections and loads of the connections.
  void outputs_at(std::size_t n, const RunState& now) {
    J_q_.setZero(system_.coordinates());
    J_v_ = J_vd_ = J_q_;
    J_lambda_.setZero(system_.multipliers());
    J_tangent_.setZero(system_.tangents());
    formulas_.clear();
    for (std::size_t i = 0; i < system_.model().state_forces.size(); ++i)
      formulas_.push_back(system_.formula_row(i, now.q, step_.e));
    x_bar_.assign(system_.model().connections.size(), Vector6::Zero());
    v_bar_ = load_bar_ = x_bar_;
    for (std::size_t j = 0; j < outputs_.size(); ++j) {
      const double bar = y_bar_(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(n));
      if (bar == 0.0) continue;
      const Output& o = outputs_[j];
      if (is_sensor(o)) {
        pull_back_slope(system_, sensor_slope(system_, o, now, step_.e), bar, J_q_, J_v_, J_vd_, J_lambda_);
        continue;
      }
      FrameForce force;
      if (o.component < 3) force.F[o.component] = bar;
      if (o.kind == OutputKind::position) system_.add_frame_force(o.index, force, J_q_);
      if (o.kind == OutputKind::velocity) system_.add_frame_force(o.index, force, J_v_);
      if (o.kind == OutputKind::acceleration) system_.add_frame_force(o.index, force, J_vd_);
      if (o.kind == OutputKind::deflection) x_bar_[at(o.index)][o.component] += bar;
      if (o.kind == OutputKind::load) load_bar_[at(o.index)][o.component] += bar;
    }
    // [mbs E43] Measured loads that a formula has a share in.
    for (std::size_t i = 0; i < formulas_.size(); ++i) {
      const StateForce& force = system_.model().state_forces[i];
      if (force.of_load) continue;
      const double bar = load_bar_[at(force.index)][force.component];
      J_tangent_ += bar * formulas_[i].by_q;
      J_v_ += bar * formulas_[i].by_v;
    }
    for (std::size_t a = 0; a < system_.axes().size(); ++a) {
      const Axis& axis = system_.axes()[a];
      x_bar_[at(axis.connection)][axis.component] += carry_.motion[a].u;
      v_bar_[at(axis.connection)][axis.component] += carry_.motion[a].v;
    }
    w_bar_ = carry_.w;
  }

  // Kept from axis to axis: its memory is asked for once.
  AxisLaw::Inputs& cleared_inputs() {
    inputs_.from = inputs_.to = {0.0, 0.0};
    for (auto* values : {&inputs_.w_from, &inputs_.w_to, &inputs_.memory, &inputs_.parameters}) values->clear();
    return inputs_;
  }

  void take_parameters(std::size_t axis, const AxisLaw::Inputs& g) {
    for (std::size_t i = 0; i < of_[axis].positions.size(); ++i) gradient_[of_[axis].positions[i]] += g.parameters[i];
  }

  // Bars of the first three loads of a coupled bushing, through [mbs E33]: what they pull on the parameters of its
  // laws.
  void coupled_parameters(const CoupledBushing& b, const Vector3& bar) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (b.axes[k] < 0) continue;
      const AxisParameters& of = of_[at(b.axes[k])];
      for (std::size_t i = 0; i < of.positions.size(); ++i)
        gradient_[of.positions[i]] +=
            bar[static_cast<Eigen::Index>(k)] *
            system_.coupling_by_parameter(b, k, step_.e.measure[at(b.connection)].x, of.law_parameters[i]);
    }
  }
  // The same with what they pull on the measures.
  void pull_back_coupling(std::size_t index, const Vector3& bar) {
    const CoupledBushing& b = system_.coupled()[index];
    x_bar_[at(b.connection)].head<3>() += step_.e.coupling_x[index].transpose() * bar;
    coupled_parameters(b, bar);
  }
  // Pull of a reduced vector along the first three measures of a bushing.
  Vector3 pull_along(int connection, const VectorX& m) const {
    Vector3 bar;
    for (int k = 0; k < 3; ++k) bar[k] = step_.along(step_.e.X[at(connection)], connection, k, m);
    return bar;
  }

  bool back(std::size_t n) {
    const auto [from, to] = states_.step(n);
    const RunState &before = *from, &now = *to;
    if (!step_.at_step(before, now)) return false;
    const Alpha& s = step_.alpha;
    outputs_at(n, now);
    // [mbs E17] Memory of the end and measured loads, through the law, to both ends of the step.
    Carry& next = spare_;
    next.motion.assign(system_.axes().size(), {0.0, 0.0});
    next.w.setZero(system_.states());
    next.memory.resize(system_.axes().size());
    for (auto& memory : next.memory) memory.clear();
    for (std::size_t a = 0; a < system_.axes().size(); ++a) {
      const Axis& axis = system_.axes()[a];
      AxisLaw::Outputs bar;
      bar.f = load_bar_[at(axis.connection)][axis.component];
      bar.memory = std::move(carry_.memory[a]);
      if (bar.f == 0.0 && bar.memory.empty()) continue;
      AxisLaw::Inputs g;
      axis.law->pull_back(step_.law_step(a, before, now), bar, of_[a].law_parameters, g);
      x_bar_[at(axis.connection)][axis.component] += g.to.u;
      v_bar_[at(axis.connection)][axis.component] += g.to.v;
      keep(a, g, next);
      for (int i = 0; i < axis.states; ++i) w_bar_[axis.w_at + i] += g.w_to[at(i)];
    }
    for (std::size_t k = 0; k < system_.coupled().size(); ++k)
      pull_back_coupling(k, load_bar_[at(system_.coupled()[k].connection)].head<3>());
    for (std::size_t c = 0; c < v_bar_.size(); ++c)
      if (!v_bar_[c].isZero(0.0)) system_.pull_back_load(static_cast<int>(c), v_bar_[c], step_.e, J_v_);

    // [mbs E15] what is known before the solve
    const double h_next = following_.h;
    const VectorX A1 = -h_next * h_next * (0.5 - s.b) * p_ - h_next * (1.0 - s.g) * r_ + s.am * s_;
    const VectorX r0 = r_ + h_next * p_ - J_v_;
    const VectorX s0 = (J_vd_ - s.af * s_) / (1.0 - s.af);
    const VectorX p0 = ((1.0 - s.am) * s0 - s.g * s.h * r0 + A1) / (s.b * s.h * s.h);
    const VectorX A2 = -h_next * (1.0 - s.g1) * pw_ + s.am1 * sw_;
    const VectorX sw0 = -s.af1 * sw_ / (1.0 - s.af1);
    const VectorX pw0 = ((1.0 - s.am1) * sw0 + A2) / (s.h * s.g1);
    const VectorX rw = pw_ - w_bar_ - pw0;

    // [mbs E16]
    VectorX reduced;
    system_.project(now.q, p_ - J_q_ - p0, reduced);
    reduced -= J_tangent_;
    for (std::size_t c = 0; c < x_bar_.size(); ++c)
      for (int k = 0; k < 6; ++k) {
        step_.add(step_.e.X[c], static_cast<int>(c), k, -x_bar_[c][k], reduced);
        step_.add(step_.e.X_rate[c], static_cast<int>(c), k, -v_bar_[c][k], reduced);
      }
    for (std::size_t a = 0; a < system_.axes().size(); ++a) {
      const Axis& axis = system_.axes()[a];
      if (axis.states == 0) continue;
      const VectorX zeta = step_.D[a].transpose().partialPivLu().solve(rw.segment(axis.w_at, axis.states));
      const AxisLaw::Tangent& law = step_.e.laws[a];
      const double by_u = zeta.dot(ConstVector(law.rate_u.data(), axis.states)),
                   by_v = zeta.dot(ConstVector(law.rate_v.data(), axis.states));
      step_.add(step_.e.X[at(axis.connection)], axis.connection, axis.component, by_u + s.c_v * by_v, reduced);
      step_.add(step_.e.X_rate[at(axis.connection)], axis.connection, axis.component, by_v, reduced);
    }
    // [mbs E77] The same of the tyres.
    const std::size_t tyres = system_.model().tyres.size();
    for (std::size_t i = 0; i < tyres; ++i) {
      if (system_.model().tyres[i].states() == 0) continue;
      const TyreEvaluation& tyre = step_.e.tyres[i];
      const TyreMotion by = tyre.h_y.transpose() * (tyre.D.transpose().inverse() * rw.segment<2>(system_.tyre_w_at(i)));
      VectorX on_q = VectorX::Zero(system_.coordinates()), on_v = on_q, pulled;
      system_.pull_back_tyre(i, by, step_.e, on_q, on_v);
      system_.project(now.q, on_q + s.c_v * on_v, pulled);
      reduced += pulled;
    }
    VectorX rhs = VectorX::Zero(system_.tangents() + system_.multipliers());
    rhs.head(system_.tangents()) = reduced;
    rhs.tail(system_.multipliers()) = -J_lambda_;
    step_.lu.solve_transposed(rhs);
    if (!rhs.allFinite()) return false;
    const VectorX m = rhs.head(system_.tangents());
    VectorX mu, Mmu;
    system_.expand(now.q, m, mu);
    system_.multiply_mass(mu, Mmu);
    VectorX eta = VectorX::Zero(system_.states());
    VectorX r = r0;
    for (std::size_t b = 0; b < system_.model().bodies.size(); ++b) {
      const int modes = system_.modes(static_cast<int>(b)), d = system_.q_at(static_cast<int>(b)) + 12 + 9 * modes;
      if (modes > 0) r.segment(d, modes) -= system_.model().bodies[b].damping.transpose() * mu.segment(d, modes);
    }
    std::vector<Vector6> rate_load(x_bar_.size(), Vector6::Zero());
    for (std::size_t a = 0; a < system_.axes().size(); ++a) {
      const Axis& axis = system_.axes()[a];
      const AxisLaw::Tangent& law = step_.e.laws[a];
      AxisLaw::Outputs bar;
      bar.f = step_.along(step_.e.X[at(axis.connection)], axis.connection, axis.component, m);
      double by_u = -law.f_u * bar.f, by_v = -law.f_v * bar.f;
      if (axis.states > 0) {
        const VectorX local = step_.D[a].transpose().partialPivLu().solve(
            rw.segment(axis.w_at, axis.states) - bar.f * ConstVector(law.f_w.data(), axis.states));
        eta.segment(axis.w_at, axis.states) = local;
        by_u += local.dot(ConstVector(law.rate_u.data(), axis.states));
        by_v += local.dot(ConstVector(law.rate_v.data(), axis.states));
        bar.rate.resize(at(axis.states));
        for (int i = 0; i < axis.states; ++i) bar.rate[at(i)] = -local[i];
      }
      rate_load[at(axis.connection)][axis.component] += by_v;
      // What the place of the bushing changes: everything that pulls on its measures.
      x_bar_[at(axis.connection)][axis.component] -= by_u;
      v_bar_[at(axis.connection)][axis.component] -= by_v;
      if (of_[a].positions.empty() && !axis.law->has_memory()) continue;
      AxisLaw::Inputs& g = cleared_inputs();
      axis.law->pull_back(step_.law_step(a, before, now), bar, of_[a].law_parameters, g);
      keep(a, g, next);
    }
    for (std::size_t k = 0; k < system_.coupled().size(); ++k)
      pull_back_coupling(k, pull_along(system_.coupled()[k].connection, m));
    for (std::size_t c = 0; c < rate_load.size(); ++c)
      if (!rate_load[c].isZero(0.0)) system_.pull_back_load(static_cast<int>(c), rate_load[c], step_.e, r);
    for (const FormulaRow& row : formulas_) r -= row.on_r.dot(m) * row.by_v;  // [mbs E43]
    for (std::size_t i = 0; i < tyres; ++i) {
      const TyreEvaluation& tyre = step_.e.tyres[i];
      const Vector6 bar = -system_.tyre_wrench_along(i, mu, step_.e);
      TyreMotion by = -tyre.F_y.transpose() * bar;
      if (system_.model().tyres[i].states() > 0) {
        const int first = system_.tyre_w_at(i);
        const Eigen::Vector2d local =
            tyre.D.transpose().inverse() * (rw.segment<2>(first) - tyre.F_w.transpose() * bar);
        eta.segment<2>(first) = local;
        by += tyre.h_y.transpose() * local;
      }
      VectorX unused = VectorX::Zero(system_.coordinates());
      system_.pull_back_tyre(i, by, step_.e, unused, r);
    }
    masses(mu, now.v, now.vd);
    places(n, now, mu);
    direct(n, now, mu, rhs.tail(system_.multipliers()));

    s_ = Mmu / (1.0 - s.af) + s0;
    r_ = r;
    p_ = ((1.0 - s.am) * s_ - s.g * s.h * r_ + A1) / (s.b * s.h * s.h);
    sw_ = eta / (1.0 - s.af1) + sw0;
    pw_ = ((1.0 - s.am1) * sw_ + A2) / (s.h * s.g1);
    std::swap(carry_, spare_);
    following_ = s;
    return true;
  }

  // Parameters and what points to the beginning of the step; memory bars add up over both passes through the law.
  void keep(std::size_t a, const AxisLaw::Inputs& g, Carry& next) {
    const Axis& axis = system_.axes()[a];
    take_parameters(a, g);
    next.motion[a].u += g.from.u;
    next.motion[a].v += g.from.v;
    for (int i = 0; i < axis.states; ++i) next.w[axis.w_at + i] += g.w_from[at(i)];
    if (next.memory[a].size() < g.memory.size()) next.memory[a].resize(g.memory.size(), 0.0);
    for (std::size_t i = 0; i < g.memory.size(); ++i) next.memory[a][i] += g.memory[i];
  }

  // mu^T (v' - g) by G: derivative of the inertia terms by mass, centre and inertia of a body; of the modal damping.
  void masses(const VectorX& mu, const VectorX& v, const VectorX& vd) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].kind == Parameter::Kind::modal_damping) {
        const int b = parameters_[i].index, n = system_.modes(b), delta = system_.q_at(b) + 12 + 9 * n;
        const Body& damped = system_.model().bodies[at(b)];
        gradient_[static_cast<Eigen::Index>(i)] +=
            mu.segment(delta, n).dot(damped.damping * v.segment(delta, n)) / damped.damping_factor;
      }
      if (!is_inertial(parameters_[i])) continue;
      const int body = parameters_[i].index;
      const Body& b = system_.model().bodies[at(body)];
      Matrix3X Q = Eigen::Map<const Matrix3X>(vd.data() + system_.q_at(body), 3, b.G.rows());
      Q.col(0) -= system_.model().gravity;
      gradient_[static_cast<Eigen::Index>(i)] +=
          (Eigen::Map<const Matrix3X>(mu.data() + system_.q_at(body), 3, b.G.rows()).array() *
           (Q * mass_derivative(b, parameters_[i])).array())
              .sum();
    }
  }

  // [mbs E40] [mbs E41] Signals of loads and drives, and outputs that show the same motion otherwise; nu: multipliers of
  // the joint equations (size 0: they are not met here).
  void direct(std::size_t n, const RunState& now, const VectorX& mu, const VectorX& nu) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!is_direct(parameters_[i])) continue;
      double& sum = gradient_[static_cast<Eigen::Index>(i)];
      VectorX full = VectorX::Zero(system_.coordinates()), joints = VectorX::Zero(system_.multipliers());
      add_direct(system_, parameters_[i], now.t, now.lambda, step_.e, full, joints);
      sum += mu.dot(full);
      if (nu.size() > 0) sum += nu.dot(joints);
      for (std::size_t j = 0; j < outputs_.size(); ++j)
        if (const double bar = y_bar_(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(n)); bar != 0.0)
          sum += bar * output_by_parameter(system_, parameters_[i], outputs_[j], now, step_.e);
    }
  }

  // [mbs E24] Derivative by the place of a bushing: through the pull of its load along mu, and through all bars on its
  // measures.
  void places(std::size_t n, const RunState& now, const VectorX& mu) {
    for (const auto& [i, geometry] : geometry_) {
      const GeometryDerivative d = geometry.at(step_.e, now.q, now.v, mu);
      const auto c = at(geometry.connection());
      gradient_[i] +=
          d.along.dot(load_of(geometry.connection(), step_.e.load)) + d.x.dot(x_bar_[c]) + d.rate.dot(v_bar_[c]);
      for (std::size_t j = 0; j < outputs_.size(); ++j) {
        const Output& o = outputs_[j];
        const double bar = y_bar_(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(n));
        if (o.kind == OutputKind::position) gradient_[i] += bar * geometry.point(o.index, now.q, false)[o.component];
        if (o.kind == OutputKind::velocity) gradient_[i] += bar * geometry.point(o.index, now.v, true)[o.component];
        if (o.kind == OutputKind::acceleration)
          gradient_[i] += bar * geometry.point(o.index, now.vd, true)[o.component];
      }
    }
  }
  Vector6 load_of(int connection, const std::vector<double>& loads) const {
    Vector6 load = system_.given_load(at(connection), step_.e);
    for (std::size_t a = 0; a < loads.size(); ++a)
      if (system_.axes()[a].connection == connection) load[system_.axes()[a].component] += loads[a];
    return load;
  }

  // [mbs E18] The start: acceleration and rates at t = 0 depend on the parameters, and with a static start the position
  // does too.
  bool start();

  const System& system_;
  const RunOptions& options_;
  Trajectory& states_;
  const std::vector<Output>& outputs_;
  const MatrixX& y_bar_;
  const std::vector<Parameter>& parameters_;
  std::vector<AxisParameters> of_;
  std::vector<std::pair<Eigen::Index, Geometry>> geometry_;
  LinearStep step_;
  Alpha following_;  // of the step after
  VectorX gradient_, p_, r_, s_, pw_, sw_, J_q_, J_v_, J_vd_, J_lambda_, w_bar_;
  VectorX J_tangent_;  // by the position, in tangents
  std::vector<FormulaRow> formulas_;
  std::vector<Vector6> x_bar_, v_bar_, load_bar_;
  Carry carry_, spare_;  // spare_: of the step being taken
  AxisLaw::Inputs inputs_;
};

}  // namespace kdyn::mbs
