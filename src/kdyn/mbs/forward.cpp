// SPDX-License-Identifier: Apache-2.0
// Direct sensitivity: the linearised scheme run beside the stored one, all parameters against one factorisation per
// step.
//
//   [mbs E19]  T [N^T dq; dlambda] = -N^T (M k_m + C k_v) - x_q^T (load by parameters, states, memory and what the step began with),
//              dv = c_v dq + k_v, dv' = c_m dq + k_m
#include <algorithm>
#include <optional>

#include "kdyn/mbs/internal/direct_parameters.hpp"
#include "kdyn/mbs/internal/geometry.hpp"
#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/internal/sensor_output.hpp"
#include "kdyn/mbs/internal/start_variation.hpp"

namespace kdyn::mbs {
namespace {

using ConstVector = Eigen::Map<const VectorX>;

// Derivative of a RunState by one parameter.
struct Direction {
  VectorX q, v, a, vd, w, wd, b, lambda;
  std::vector<Motion<double>> motion;
  std::vector<std::vector<double>> memory;
  std::vector<double> load;
  Vector6 measure = Vector6::Zero();  // of the bushing whose place is the parameter, by that place alone
};

class Forward {
 public:
  Forward(const System& system, const RunOptions& options, const History& history, const std::vector<Output>& outputs,
          const std::vector<Parameter>& parameters)
      : system_(system),
        options_(options),
        history_(history),
        outputs_(outputs),
        parameters_(parameters),
        of_(parameters_of_axes(system, parameters)),
        step_(system, options),
        geometry_(parameters.size()) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (is_geometry(parameters[i])) geometry_[i].emplace(system, parameters[i]);
  }

  JacobianResult run(std::size_t states) {
    JacobianResult result;
    std::vector<Direction> directions(parameters_.size());
    if (!start(directions)) return result;
    result.jacobian.push_back(measured(directions, history_.states.front()));
    for (std::size_t n = 1; n < std::min(states, history_.states.size()); ++n) {
      if (!step_.at_step(history_.states[n - 1], history_.states[n])) return result;
      factorise_states();
      find_formulas(history_.states[n].q);
      for (std::size_t i = 0; i < parameters_.size(); ++i)
        if (parameters_[i].kind != Parameter::Kind::turn && !advance(n, i, directions[i])) return result;
      result.jacobian.push_back(measured(directions, history_.states[n]));
    }
    result.complete = true;
    return result;
  }

 private:
  // Seeds the parameter i in an axis's direction.
  std::vector<double> seed(std::size_t axis, std::size_t i) const {
    std::vector<double> d(of_[axis].positions.size(), 0.0);
    for (std::size_t k = 0; k < d.size(); ++k)
      if (at(of_[axis].positions[k]) == i) d[k] = 1.0;
    return d;
  }

  // An axis without states and memory that does not own the parameter answers by its slopes alone.
  bool plain(std::size_t axis, std::size_t i) const {
    const auto& positions = of_[axis].positions;
    if (geometry_[i] && geometry_[i]->connection() == system_.axes()[axis].connection) return false;
    return system_.axes()[axis].states == 0 && !system_.axes()[axis].law->has_memory() &&
           std::find(positions.begin(), positions.end(), static_cast<int>(i)) == positions.end();
  }

  // [mbs E24] The place of a bushing: measures and their rates, and the pull of a load on every tangent.
  GeometryDerivative place(std::size_t i, const Evaluation& e, const RunState& now, const Vector6& load,
                           VectorX& pull) const {
    GeometryDerivative d{Vector6::Zero(), Vector6::Zero(), Vector6::Zero()};
    if (!geometry_[i]) return d;
    VectorX along = VectorX::Zero(system_.coordinates());
    d = geometry_[i]->at(e, now.q, now.v, along);
    for (const int side : {1, 2}) {
      const int body = system_.connection_body(geometry_[i]->connection(), side);
      for (int k = 0; k < system_.columns(body); ++k) {
        const int t = system_.t_at(body) + k;
        system_.expand(now.q, VectorX::Unit(system_.tangents(), t), along);
        pull[t] += geometry_[i]->at(e, now.q, now.v, along).along.dot(load);
      }
    }
    return d;
  }
  Vector6 load_of(std::size_t i, const std::vector<double>& loads) const {
    if (!geometry_[i]) return Vector6::Zero();
    Vector6 load = system_.given_load(at(geometry_[i]->connection()), step_.e);
    for (std::size_t a = 0; a < loads.size(); ++a)
      if (system_.axes()[a].connection == geometry_[i]->connection()) load[system_.axes()[a].component] += loads[a];
    return load;
  }
  // Share of one axis in a derivative of its bushing's measures.
  double own(std::size_t i, const Axis& axis, const Vector6& measures) const {
    return geometry_[i] && geometry_[i]->connection() == axis.connection ? measures[axis.component] : 0.0;
  }

  // [mbs E33] Loads that coupling adds along a direction: change of the bushing's measures, and the parameter i.
  Vector3 coupled_load(std::size_t k, const Evaluation& e, const Vector3& dx, std::size_t i) const {
    const CoupledBushing& b = system_.coupled()[k];
    Vector3 load = e.coupling_x[k] * dx;
    for (std::size_t component = 0; component < 3; ++component) {
      if (b.axes[component] < 0) continue;
      const AxisParameters& of = of_[at(b.axes[component])];
      for (std::size_t p = 0; p < of.positions.size(); ++p)
        if (at(of.positions[p]) == i)
          load[static_cast<Eigen::Index>(component)] +=
              system_.coupling_by_parameter(b, component, e.measure[at(b.connection)].x, of.law_parameters[p]);
    }
    return load;
  }
  // Change of the first three measures of a coupled bushing by its place, and along tangents (size 0: none).
  Vector3 coupled_motion(std::size_t k, const Vector6& place, std::size_t i, const VectorX& xi) const {
    const int c = system_.coupled()[k].connection;
    Vector3 dx = Vector3::Zero();
    if (geometry_[i] && geometry_[i]->connection() == c) dx = place.head<3>();
    for (int j = 0; j < 3 && xi.size() > 0; ++j) dx[j] += step_.along(step_.e.X[at(c)], c, j, xi);
    return dx;
  }
  void add_coupled(std::size_t k, const Vector3& load, VectorX& pull) const {
    const int c = system_.coupled()[k].connection;
    for (int j = 0; j < 3; ++j) step_.add(step_.e.X[at(c)], c, j, load[j], pull);
  }
  void add_to_loads(std::size_t k, const Vector3& load, Direction& d) const {
    const CoupledBushing& b = system_.coupled()[k];
    for (std::size_t j = 0; j < 3; ++j)
      if (b.axes[j] >= 0) d.load[at(b.axes[j])] += load[static_cast<Eigen::Index>(j)];
  }

  // dM (v' - g) for mass, centre and inertia of a body; dC v for the damping of its modes.
  void add_mass(std::size_t i, const VectorX& v, const VectorX& vd, VectorX& full) const {
    if (parameters_[i].kind == Parameter::Kind::modal_damping) {
      const int b = parameters_[i].index, n = system_.modes(b), delta = system_.q_at(b) + 12 + 9 * n;
      const Body& damped = system_.model().bodies[at(b)];
      full.segment(delta, n) += damped.damping * v.segment(delta, n) / damped.damping_factor;
      return;
    }
    if (!is_inertial(parameters_[i])) return;
    const int body = parameters_[i].index;
    const Body& b = system_.model().bodies[at(body)];
    Matrix3X Q = Eigen::Map<const Matrix3X>(vd.data() + system_.q_at(body), 3, b.G.rows());
    Q.col(0) -= system_.model().gravity;
    Eigen::Map<Matrix3X>(full.data() + system_.q_at(body), 3, b.G.rows()) += Q * mass_derivative(b, parameters_[i]);
  }

  // [mbs E43] at the point of the step.
  void find_formulas(const VectorX& q) {
    formulas_.clear();
    for (std::size_t i = 0; i < system_.model().state_forces.size(); ++i)
      formulas_.push_back(system_.formula_row(i, q, step_.e));
  }
  double formula_load(const Output& o, const RunState& now, const Direction& d) const {
    double sum = 0.0;
    VectorX xi;
    for (std::size_t i = 0; i < formulas_.size(); ++i) {
      const StateForce& force = system_.model().state_forces[i];
      if (force.of_load || force.index != o.index || force.component != o.component) continue;
      if (xi.size() == 0) system_.body_velocity(now.q, d.q, xi);
      sum += formulas_[i].by_q.dot(xi) + formulas_[i].by_v.dot(d.v);
    }
    return sum;
  }

  void factorise_states() {
    states_.resize(system_.axes().size());
    for (std::size_t a = 0; a < states_.size(); ++a)
      if (system_.axes()[a].states > 0) states_[a].compute(step_.D[a]);
  }

  bool start(std::vector<Direction>& directions) {
    const RunState& now = history_.states.front();
    const int nt = system_.tangents(), nl = system_.multipliers(), nq = system_.coordinates(), nw = system_.states();
    const auto& axes = system_.axes();
    step_.at_start(now);
    find_formulas(now.q);
    Eigen::FullPivLU<MatrixX> rest;
    const bool moves = options_.static_start || std::any_of(parameters_.begin(), parameters_.end(), is_drive);
    const StartVariation variation(step_, now, moves);
    Evaluation at_rest;
    VectorX rest_lambda;
    if (options_.static_start) rest.compute(step_.static_matrix(now)), rest_lambda = step_.rest(now, at_rest);
    if (!step_.factorise_start(now)) return false;
    for (std::size_t i = 0; i < directions.size(); ++i) {
      Direction& d = directions[i];
      d.q.setZero(nq), d.v = d.q;
      if (parameters_[i].kind == Parameter::Kind::turn) {  // nothing moves otherwise
        d.vd = d.q, d.lambda.setZero(nl);
        d.load.assign(axes.size(), 0.0);
        continue;
      }
      VectorX xi, full = VectorX::Zero(nq), reduced;
      if (options_.static_start) {
        VectorX rhs = VectorX::Zero(nt + nl), pull = VectorX::Zero(nt);
        for (std::size_t a = 0; a < axes.size(); ++a)
          for (std::size_t k = 0; k < of_[a].positions.size(); ++k)
            if (at(of_[a].positions[k]) == i)
              step_.add(step_.e.X[at(axes[a].connection)], axes[a].connection, axes[a].component,
                        axes[a].law->static_force_by_parameter(now.laws.motion[a].u, of_[a].law_parameters[k]), pull);
        Vector6 placed = Vector6::Zero();
        if (geometry_[i]) {
          Evaluation still = step_.e;
          system_.apply_static_laws(still);
          const GeometryDerivative moved = place(i, still, now, load_of(i, still.load), pull);
          for (std::size_t a = 0; a < axes.size(); ++a)
            step_.add(step_.e.X[at(axes[a].connection)], axes[a].connection, axes[a].component,
                      still.load_x[a] * own(i, axes[a], moved.x), pull);
          placed = moved.x;
        }
        for (std::size_t k = 0; k < system_.coupled().size(); ++k)
          add_coupled(k, coupled_load(k, step_.e, coupled_motion(k, placed, i, {}), i), pull);
        add_mass(i, VectorX::Zero(nq), VectorX::Zero(nq), full);
        VectorX joints = VectorX::Zero(nl);
        add_direct(system_, parameters_[i], 0.0, rest_lambda, at_rest, full, joints);
        system_.project(now.q, full, reduced);
        rhs.head(nt) = -(pull + reduced);
        rhs.tail(nl) = -joints;
        xi = rest.solve(rhs).head(nt);
      } else if (is_drive(parameters_[i])) {
        xi = closing_change(system_, options_, parameters_[i].index);
        if (xi.size() == 0) return false;
        xi *= signal_change(system_.model(), parameters_[i], 0.0).value;
      }
      // What a moved position and a changed mass do to velocity and acceleration, the laws' loads held.
      const bool mass = is_inertial(parameters_[i]), drive = is_drive(parameters_[i]);
      const bool changes = options_.static_start || drive || (mass && variation.projected());
      StartVariation::Change change;
      if (changes) {
        change = variation.along(xi, mass || drive ? &parameters_[i] : nullptr);
        d.q = change.q, d.v = change.v;
      }
      // Acceleration at the start.
      d.motion.assign(axes.size(), {0.0, 0.0});
      d.memory.resize(axes.size());
      d.load.assign(axes.size(), 0.0);
      d.w.setZero(nw), d.wd.setZero(nw);
      VectorX rhs = VectorX::Zero(nt + nl), pull = VectorX::Zero(nt);
      const GeometryDerivative moved = place(i, step_.e, now, load_of(i, step_.e.load), pull);
      d.measure = moved.x;
      for (std::size_t a = 0; a < axes.size(); ++a) {
        AxisLaw::Inputs in;
        in.to = {own(i, axes[a], moved.x), own(i, axes[a], moved.rate)};
        if (xi.size() > 0) {
          in.to.u += step_.along(step_.e.X[at(axes[a].connection)], axes[a].connection, axes[a].component, xi);
          in.to.v += step_.along(step_.e.X_rate[at(axes[a].connection)], axes[a].connection, axes[a].component, xi);
        }
        if (changes) in.to.v += step_.measure_rates(axes[a].connection, d.v)[axes[a].component];
        d.motion[a] = in.to;
        in.parameters = seed(a, i);
        AxisLaw::Outputs out;
        axes[a].law->push_forward_start(now.laws.motion[a], in, of_[a].law_parameters, out);
        d.load[a] = out.f;
        d.memory[a] = out.memory;
        for (int k = 0; k < axes[a].states; ++k) d.wd[axes[a].w_at + k] = out.rate[at(k)];
        step_.add(step_.e.X[at(axes[a].connection)], axes[a].connection, axes[a].component, out.f, pull);
      }
      for (std::size_t k = 0; k < system_.coupled().size(); ++k) {
        const Vector3 load = coupled_load(k, step_.e, coupled_motion(k, moved.x, i, xi), i);
        add_coupled(k, load, pull);
        add_to_loads(k, load, d);
      }
      for (std::size_t k = 0; k < system_.model().tyres.size(); ++k)  // their forces stand in `change`
        if (system_.model().tyres[k].states() > 0)
          d.wd.segment<2>(system_.tyre_w_at(k)) = step_.e.tyres[k].h_y * system_.tyre_change(k, d.q, d.v, step_.e);
      full.setZero();
      add_mass(i, now.v, now.vd, full);
      VectorX unused = VectorX::Zero(nl);
      add_direct(system_, parameters_[i], 0.0, now.lambda, step_.e, full, unused);
      if (changes) pull += change.force;
      if (changes && nl > 0) rhs.tail(nl) = -change.joints;
      system_.project(now.q, full, reduced);
      rhs.head(nt) = -(pull + reduced);
      step_.lu.solve(rhs);
      system_.expand(now.q, rhs.head(nt), d.vd);
      d.lambda = rhs.tail(nl);
      if (changes) d.vd += change.vd;
      d.a = d.vd;
      d.b = d.wd;
    }
    return true;
  }

  bool advance(std::size_t n, std::size_t i, Direction& d) {
    const Alpha& s = step_.alpha;
    const RunState& now = history_.states[n];
    const int nt = system_.tangents(), nl = system_.multipliers();
    const auto& axes = system_.axes();
    const VectorX q_const = d.q + s.h * d.v + s.h * s.h * (0.5 - s.b) * d.a, v_const = d.v + s.h * (1.0 - s.g) * d.a,
                  vd_const = s.am * d.a - s.af * d.vd;
    const VectorX k_v = v_const - s.c_v * q_const;
    const VectorX k_m = (vd_const - (1.0 - s.am) / (s.b * s.h * s.h) * q_const) / (1.0 - s.af);
    const VectorX offset = (1.0 - s.am1) / (1.0 - s.af1) * (-(d.w + s.h * (1.0 - s.g1) * d.b) / (s.g1 * s.h)) +
                           (s.am1 * d.b - s.af1 * d.wd) / (1.0 - s.af1);
    VectorX full, reduced, rhs = VectorX::Zero(nt + nl), pull = VectorX::Zero(nt);
    system_.multiply_mass(k_m, full);
    add_mass(i, now.v, now.vd, full);
    VectorX joints = VectorX::Zero(nl);
    add_direct(system_, parameters_[i], now.t, now.lambda, step_.e, full, joints);
    for (std::size_t b = 0; b < system_.model().bodies.size(); ++b) {
      const int modes = system_.modes(static_cast<int>(b)),
                at_delta = system_.q_at(static_cast<int>(b)) + 12 + 9 * modes;
      if (modes > 0) full.segment(at_delta, modes) += system_.model().bodies[b].damping * k_v.segment(at_delta, modes);
    }
    const GeometryDerivative moved = place(i, step_.e, now, load_of(i, step_.e.load), pull);
    d.measure = moved.x;
    std::vector<AxisLaw::Inputs> in(axes.size());
    VectorX w = VectorX::Zero(system_.states());
    std::vector<Vector6> rates(system_.model().connections.size());
    for (std::size_t c = 0; c < rates.size(); ++c) rates[c] = step_.measure_rates(static_cast<int>(c), k_v);
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const Axis& axis = axes[a];
      in[a].from = d.motion[a];
      in[a].to.u = own(i, axis, moved.x);
      in[a].to.v = rates[at(axis.connection)][axis.component] + own(i, axis, moved.rate);
      in[a].w_from.assign(d.w.data() + axis.w_at, d.w.data() + axis.w_at + axis.states);
      in[a].memory = d.memory[a];
      in[a].parameters = seed(a, i);
      AxisLaw::Outputs out;
      if (plain(a, i))
        out.f = step_.e.laws[a].f_v * in[a].to.v;
      else
        axis.law->push_forward(step_.law_step(a, history_.states[n - 1], now), in[a], of_[a].law_parameters, out);
      double load = out.f;
      if (axis.states > 0) {
        const VectorX local =
            states_[a].solve(ConstVector(out.rate.data(), axis.states) - offset.segment(axis.w_at, axis.states));
        w.segment(axis.w_at, axis.states) = local;
        load += local.dot(ConstVector(step_.e.laws[a].f_w.data(), axis.states));
      }
      step_.add(step_.e.X[at(axis.connection)], axis.connection, axis.component, load, pull);
    }
    for (std::size_t k = 0; k < system_.coupled().size(); ++k)
      add_coupled(k, coupled_load(k, step_.e, coupled_motion(k, moved.x, i, {}), i), pull);
    for (const FormulaRow& row : formulas_) pull += row.by_v.dot(k_v) * row.on_r;  // [mbs E43]
    for (std::size_t k = 0; k < system_.model().tyres.size(); ++k) {               // [mbs E77]
      const TyreEvaluation& tyre = step_.e.tyres[k];
      const TyreMotion y = system_.tyre_change(k, {}, k_v, step_.e);
      Vector6 load = tyre.F_y * y;
      if (system_.model().tyres[k].states() > 0) {
        const int first = system_.tyre_w_at(k);
        w.segment<2>(first) = tyre.D.inverse() * (tyre.h_y * y - offset.segment<2>(first));
        load += tyre.F_w * w.segment<2>(first);
      }
      system_.add_tyre_wrench(k, Vector6(-load), step_.e, full);
    }
    system_.project(now.q, full, reduced);
    rhs.head(nt) = -(reduced + pull);
    rhs.tail(nl) = -joints;
    step_.lu.solve(rhs);
    if (!rhs.allFinite()) return false;
    const VectorX xi = rhs.head(nt);
    d.lambda = rhs.tail(nl);
    system_.expand(now.q, xi, d.q);
    d.v = s.c_v * d.q + k_v;
    d.vd = s.c_m * d.q + k_m;
    d.a = (d.q - q_const) / (s.b * s.h * s.h);
    for (std::size_t k = 0; k < system_.model().tyres.size(); ++k) {
      if (system_.model().tyres[k].states() == 0) continue;
      const TyreEvaluation& tyre = step_.e.tyres[k];
      w.segment<2>(system_.tyre_w_at(k)) +=
          tyre.D.inverse() * (tyre.h_y * system_.tyre_change(k, d.q, s.c_v * d.q, step_.e));
    }
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const Axis& axis = axes[a];
      const double dx = step_.along(step_.e.X[at(axis.connection)], axis.connection, axis.component, xi),
                   part = step_.along(step_.e.X_rate[at(axis.connection)], axis.connection, axis.component, xi) +
                          s.c_v * dx;
      if (axis.states > 0) {
        const AxisLaw::Tangent& law = step_.e.laws[a];
        w.segment(axis.w_at, axis.states) += states_[a].solve(dx * ConstVector(law.rate_u.data(), axis.states) +
                                                              part * ConstVector(law.rate_v.data(), axis.states));
      }
      in[a].to.u += dx;
      in[a].to.v += part;
      in[a].w_to.assign(w.data() + axis.w_at, w.data() + axis.w_at + axis.states);
      AxisLaw::Outputs out;
      if (plain(a, i))
        out.f = step_.e.laws[a].f_u * in[a].to.u + step_.e.laws[a].f_v * in[a].to.v;
      else
        axis.law->push_forward(step_.law_step(a, history_.states[n - 1], now), in[a], of_[a].law_parameters, out);
      d.load[a] = out.f;
      d.memory[a] = out.memory;
      d.motion[a] = in[a].to;
    }
    for (std::size_t k = 0; k < system_.coupled().size(); ++k)
      add_to_loads(k, coupled_load(k, step_.e, coupled_motion(k, moved.x, i, xi), i), d);
    d.b = (w - d.w - s.h * (1.0 - s.g1) * d.b) / (s.g1 * s.h);
    d.wd = s.c_w * w + offset;
    d.w = w;
    return true;
  }

  MatrixX measured(const std::vector<Direction>& directions, const RunState& now) const {
    MatrixX J(static_cast<Eigen::Index>(outputs_.size()), static_cast<Eigen::Index>(directions.size()));
    for (std::size_t j = 0; j < outputs_.size(); ++j) {
      const Output& o = outputs_[j];
      if (is_sensor(o)) {
        const OutputSlope slope = sensor_slope(system_, o, now, step_.e);
        for (std::size_t i = 0; i < directions.size(); ++i) {
          const Direction& d = directions[i];
          J(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) =
              slope_along(system_, slope, d.q, d.v, d.vd, d.lambda) +
              (is_direct(parameters_[i]) ? output_by_parameter(system_, parameters_[i], o, now, step_.e) : 0.0);
        }
        continue;
      }
      for (std::size_t i = 0; i < directions.size(); ++i) {
        const Direction& d = directions[i];
        double value = 0.0;
        if (o.kind == OutputKind::position) value = system_.point_rate(o.index, o.component, d.q);
        if (o.kind == OutputKind::velocity) value = system_.point_rate(o.index, o.component, d.v);
        if (o.kind == OutputKind::acceleration) value = system_.point_rate(o.index, o.component, d.vd);
        if (o.kind == OutputKind::deflection) value = step_.measure_rates(o.index, d.q)[o.component];
        if (geometry_[i]) {
          if (o.kind == OutputKind::position) value += geometry_[i]->point(o.index, now.q, false)[o.component];
          if (o.kind == OutputKind::velocity) value += geometry_[i]->point(o.index, now.v, true)[o.component];
          if (o.kind == OutputKind::acceleration) value += geometry_[i]->point(o.index, now.vd, true)[o.component];
          if (o.kind == OutputKind::deflection && o.index == geometry_[i]->connection())
            value += d.measure[o.component];
        }
        if (o.kind == OutputKind::load && !formulas_.empty()) value += formula_load(o, now, d);
        if (o.kind == OutputKind::load)
          for (std::size_t a = 0; a < system_.axes().size(); ++a)
            if (system_.axes()[a].connection == o.index && system_.axes()[a].component == o.component)
              value += d.load[a];
        J(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = value;
      }
    }
    return J;
  }

  const System& system_;
  const RunOptions& options_;
  const History& history_;
  const std::vector<Output>& outputs_;
  const std::vector<Parameter>& parameters_;
  std::vector<AxisParameters> of_;
  LinearStep step_;
  std::vector<std::optional<Geometry>> geometry_;
  std::vector<Eigen::PartialPivLU<MatrixX>> states_;
  std::vector<FormulaRow> formulas_;
};

}  // namespace

JacobianResult forward_sensitivity(const System& system, const RunOptions& options, const History& history,
                                   const std::vector<Output>& outputs, const std::vector<Parameter>& parameters,
                                   std::size_t states) {
  refuse_controllers(system);
  if (history.states.empty()) return {};
  return Forward(system, options, history, outputs, parameters).run(states);
}

}  // namespace kdyn::mbs
