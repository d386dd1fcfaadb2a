// SPDX-License-Identifier: Apache-2.0
// Forces by formula: values, and what their slopes add to the Newton matrix.
//
//   [mbs E43]  F = F(t, y(q, v));  r of [mbs E3] takes it as that of a load or of a connection;  dF = sum F_y (y_q xi + y_v dv), with
//              dv = c_v dq in the Newton matrix: K += N^T r_F (F_y y_q + c_v F_y y_v)
#include <algorithm>
#include <set>

#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/internal/sensor_output.hpp"
#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {

double System::formula_input(const StateVariable& y, const Evaluation& e) const {
  switch (y.kind) {
    case StateVariableKind::position: return e.frame[at(y.index)].u[y.component];
    case StateVariableKind::velocity: return e.rate[at(y.index)].u[y.component];
    case StateVariableKind::deflection: return e.measure[at(y.index)].x[y.component];
    case StateVariableKind::rate: return e.measure[at(y.index)].rate[y.component];
    case StateVariableKind::controller: return e.control.y[control_at_[at(y.index)].y + y.component];
    default: return sensor_value(*this, y.output, RunState{}, e);
  }
}

void System::apply_formulas(double t, Evaluation& e) const {
  const auto& forces = model_.state_forces;
  e.formula.resize(forces.size());
  e.formula_slopes.resize(forces.size());
  e.formula_load.assign(model_.connections.size(), Vector6::Zero());
  e.formula_point.assign(model_.loads.size(), Vector6::Zero());
  if (has_controllers()) solve_controllers(t, e);
  std::vector<double> inputs;
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const StateForce& force = forces[i];
    inputs.clear();
    for (const StateVariable& y : force.inputs) inputs.push_back(formula_input(y, e));
    e.formula_slopes[i].resize(inputs.size());
    e.formula[i] = force.formula->value(t, inputs.data(), inputs.size(), e.formula_slopes[i].data());
    (force.of_load ? e.formula_point : e.formula_load)[at(force.index)][force.component] += e.formula[i];
  }
}

void System::load_values(std::size_t load, double t, const Evaluation& e, Vector3& force, Vector3& torque) const {
  const PointLoad& l = model_.loads[load];
  force = Vector3(l.force[0](t), l.force[1](t), l.force[2](t));
  torque = Vector3(l.torque[0](t), l.torque[1](t), l.torque[2](t));
  if (e.formula_point.empty()) return;
  force += e.formula_point[load].head<3>();
  torque += e.formula_point[load].tail<3>();
}

void System::add_formula_slopes(const StateFormula& formula, const std::vector<double>& slopes, double factor,
                                const VectorX& q, const Evaluation& e, VectorX& by_q, VectorX& by_tangent,
                                VectorX& by_v) const {
  VectorX unused_q, unused_l;
  for (std::size_t k = 0; k < formula.inputs.size(); ++k) {
    const double slope = factor * slopes[k];
    if (slope == 0.0) continue;
    const StateVariable& y = formula.inputs[k];
    FrameForce unit;
    if (y.component < 3) unit.F[y.component] = slope;
    switch (y.kind) {
      case StateVariableKind::position: add_frame_force(y.index, unit, by_q); break;
      case StateVariableKind::velocity: add_frame_force(y.index, unit, by_v); break;
      case StateVariableKind::deflection: pull_back_load(y.index, slope * Vector6::Unit(y.component), e, by_q); break;
      case StateVariableKind::rate: {
        pull_back_load(y.index, slope * Vector6::Unit(y.component), e, by_v);
        Rows6 X, X_rate;
        connection_rows(y.index, q, e, X, X_rate);
        const int b1 = connection_body(y.index, 1), b2 = connection_body(y.index, 2);
        if (b1 >= 0)
          by_tangent.segment(t_at(b1), columns(b1)) += slope * X_rate.row(y.component).head(columns(b1)).transpose();
        if (b2 >= 0)
          by_tangent.segment(t_at(b2), columns(b2)) += slope * X_rate.row(y.component).tail(columns(b2)).transpose();
        break;
      }
      case StateVariableKind::controller: break;
      default:
        unused_q.setZero(n_q_);
        pull_back_slope(*this, sensor_slope(*this, y.output, RunState{}, e), slope, by_q, by_v, unused_q, unused_l);
    }
  }
}

FormulaRow System::formula_row(std::size_t i, const VectorX& q, const Evaluation& e) const {
  const StateForce& force = model_.state_forces[i];
  FormulaRow out;
  out.by_q.setZero(n_t_);
  out.by_v.setZero(n_q_);
  VectorX full = VectorX::Zero(n_q_), reduced;
  VectorX by_q = VectorX::Zero(n_q_);  // natural coordinates
  add_formula_slopes(force, e.formula_slopes[i], 1.0, q, e, by_q, out.by_q, out.by_v);
  if (has_controllers()) {
    // [mbs E92] What the motion does to the inputs of controllers, through the outputs that are read here.
    VectorX by_input = VectorX::Zero(n_u_);
    for (std::size_t k = 0; k < force.inputs.size(); ++k)
      if (const StateVariable& y = force.inputs[k]; y.kind == StateVariableKind::controller)
        by_input += e.formula_slopes[i][k] * e.control.follow.row(control_at_[at(y.index)].y + y.component).transpose();
    Eigen::Index u = 0;
    for (const Controller& c : model_.controllers)
      for (const StateFormula& input : c.inputs) {
        if (by_input[u] != 0.0)
          add_formula_slopes(input, e.control.slopes[at(static_cast<int>(u))], by_input[u], q, e, by_q, out.by_q,
                             out.by_v);
        ++u;
      }
  }
  project(q, by_q, reduced);
  out.by_q += reduced;
  if (force.of_load) {
    Vector3 unit = Vector3::Zero(), none = Vector3::Zero();
    unit[force.component % 3] = -1.0;
    add_load(model_.loads[at(force.index)], force.component < 3 ? unit : none, force.component < 3 ? none : unit, e,
             full);
  } else {
    pull_back_load(force.index, Vector6::Unit(force.component), e, full);
  }
  project(q, full, out.on_r);
  return out;
}

void System::add_formulas(const VectorX& q, double c_v, const Evaluation& e, BlockLu& lu) const {
  VectorX by_v;
  for (std::size_t i = 0; i < model_.state_forces.size(); ++i) {
    const FormulaRow row = formula_row(i, q, e);
    project(q, row.by_v, by_v);
    const VectorX along = row.by_q + c_v * by_v;
    for (int one = 0; one < static_cast<int>(model_.bodies.size()); ++one) {
      const auto on = row.on_r.segment(t_at(one), columns(one));
      if (on.isZero(0.0)) continue;
      for (int two = 0; two < static_cast<int>(model_.bodies.size()); ++two) {
        const auto by = along.segment(t_at(two), columns(two));
        if (!by.isZero(0.0)) lu.block(one, two) += on * by.transpose();
      }
    }
  }
}

void System::bodies_read(const StateFormula& formula, std::vector<int>& bodies) const {
  const auto body_of = [&](int marker) { return marker < 0 ? -1 : model_.markers[at(marker)].body; };
  for (const StateVariable& y : formula.inputs) switch (y.kind) {
      case StateVariableKind::deflection:
      case StateVariableKind::rate:
        bodies.push_back(connection_body(y.index, 1));
        bodies.push_back(connection_body(y.index, 2));
        break;
      case StateVariableKind::sensor:
        bodies.push_back(body_of(y.output.index));
        bodies.push_back(body_of(y.output.second));
        break;
      case StateVariableKind::controller: break;
      default: bodies.push_back(body_of(y.index));
    }
}

std::vector<std::pair<int, int>> System::formula_couplings() const {
  std::set<std::pair<int, int>> out;
  const auto body_of = [&](int marker) { return marker < 0 ? -1 : model_.markers[at(marker)].body; };
  for (const StateForce& force : model_.state_forces) {
    std::vector<int> bodies;
    const auto connection = [&](int c) {
      bodies.push_back(connection_body(c, 1));
      bodies.push_back(connection_body(c, 2));
    };
    if (force.of_load)
      bodies.push_back(body_of(model_.loads[at(force.index)].marker));
    else
      connection(force.index);
    bodies_read(force, bodies);
    // One that reads a controller may follow all that controllers read.
    if (std::any_of(force.inputs.begin(), force.inputs.end(),
                    [](const StateVariable& y) { return y.kind == StateVariableKind::controller; }))
      for (const Controller& c : model_.controllers)
        for (const StateFormula& input : c.inputs) bodies_read(input, bodies);
    for (const int a : bodies)
      for (const int b : bodies)
        if (a >= 0 && b >= 0 && a < b) out.insert({a, b});
  }
  return {out.begin(), out.end()};
}

}  // namespace kdyn::mbs
