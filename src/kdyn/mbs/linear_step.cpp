// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/linear_step.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/internal/direct_parameters.hpp"
#include "kdyn/mbs/internal/geometry.hpp"
#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/internal/sensor_output.hpp"

namespace kdyn::mbs {
LinearStep::LinearStep(const System& s, const RunOptions& options)
    : system(s),
      alpha(options.rho_infinity, options.step_s),
      rho_infinity_(options.rho_infinity) {
  system.prepare(lu);
  e.X.resize(system.model().connections.size());
  e.X_rate.resize(e.X.size());
  D.resize(system.axes().size());
}

void LinearStep::rows(const VectorX& q) {
  for (std::size_t c = 0; c < e.X.size(); ++c) system.connection_rows(static_cast<int>(c), q, e, e.X[c], e.X_rate[c]);
}

bool LinearStep::at_step(const RunState& from, const RunState& to) {
  if (to.h != alpha.h) alpha = Alpha(rho_infinity_, to.h);
  scheme.h = alpha.h;
  scheme.c = alpha.c_w;
  scheme.t = to.t;
  e.w = to.laws.w;
  e.wd = to.laws.wd;
  system.place(to.q, to.v, e);
  system.law_slopes(from.laws, scheme, e);
  e.load.resize(system.axes().size());
  for (std::size_t a = 0; a < e.load.size(); ++a) {
    e.load[a] = e.laws[a].f;
    const int m = system.axes()[a].states;
    if (m > 0)
      D[a] = alpha.c_w * MatrixX::Identity(m, m) -
             Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
                 e.laws[a].rate_w.data(), m, m);
  }
  system.add_coupling(e);
  system.residual(to.q, to.v, to.vd, to.lambda, to.t, e);
  system.tangent(to.q, to.v, alpha.c_m, alpha.c_v, to.lambda, to.t, e, lu);
  return lu.factorise();
}

void LinearStep::at_start(const RunState& start) {
  scheme.h = 0.0;
  scheme.c = 0.0;
  scheme.t = 0.0;
  e.w = start.laws.w;
  e.wd = start.laws.wd;
  system.place(start.q, start.v, e);
  system.law_slopes(start.laws, scheme, e);
  e.load.resize(system.axes().size());
  for (std::size_t a = 0; a < e.load.size(); ++a) e.load[a] = e.laws[a].f;
  system.add_coupling(e);
  system.residual(start.q, start.v, start.vd, start.lambda, start.t, e);
  rows(start.q);
}

bool LinearStep::factorise_start(const RunState& start) {
  system.mass_and_joints(start.q, 0.0, e, lu);
  return lu.factorise();
}

VectorX LinearStep::rest(const RunState& start, Evaluation& still) {
  const VectorX zero = VectorX::Zero(system.coordinates());
  system.place(start.q, zero, still);
  system.apply_static_laws(still);
  // Reactions at rest, from equilibrium: those of the accelerated start belong to other loads.
  still.r.setZero(system.coordinates());
  VectorX lambda = VectorX::Zero(system.multipliers());
  system.residual(start.q, zero, zero, lambda, 0.0, still);
  if (system.multipliers() > 0) {
    VectorX reduced;
    system.project(start.q, still.r, reduced);
    system.mass_and_joints(start.q, 0.0, still, lu);
    const MatrixX J = lu.to_dense().bottomLeftCorner(system.multipliers(), system.tangents());
    lambda = J.transpose().colPivHouseholderQr().solve(-reduced);
    system.residual(start.q, zero, zero, lambda, 0.0, still);
  }
  return lambda;
}

MatrixX LinearStep::static_matrix(const RunState& start) {
  Evaluation still;
  const VectorX lambda = rest(start, still);
  system.tangent(start.q, VectorX::Zero(system.coordinates()), 0.0, 0.0, lambda, 0.0, still, lu);
  return lu.to_dense();
}

MatrixX LinearStep::start_stiffness(const RunState& start) {
  system.tangent(start.q, start.v, 0.0, 0.0, start.lambda, 0.0, e, lu);
  return lu.to_dense().topLeftCorner(system.tangents(), system.tangents());
}

MatrixX LinearStep::start_curvature(const RunState& start, const VectorX& nu, const VectorX& y) {
  lu.set_zero();
  system.add_geometric(start.q, y, lu);
  system.add_joint_variation(nu, 0.0, start.q, e, lu);
  return lu.to_dense().topLeftCorner(system.tangents(), system.tangents());
}

double LinearStep::along(const Rows6& matrix, int connection, int component, const VectorX& x) const {
  const int b1 = system.connection_body(connection, 1), b2 = system.connection_body(connection, 2),
            n1 = system.columns(b1), n2 = system.columns(b2);
  double sum = 0.0;
  if (b1 >= 0) sum += matrix.row(component).head(n1).dot(x.segment(system.t_at(b1), n1));
  if (b2 >= 0) sum += matrix.row(component).tail(n2).dot(x.segment(system.t_at(b2), n2));
  return sum;
}

void LinearStep::add(const Rows6& matrix, int connection, int component, double factor, VectorX& x) const {
  if (factor == 0.0) return;
  const int b1 = system.connection_body(connection, 1), b2 = system.connection_body(connection, 2),
            n1 = system.columns(b1), n2 = system.columns(b2);
  if (b1 >= 0) x.segment(system.t_at(b1), n1) += factor * matrix.row(component).head(n1).transpose();
  if (b2 >= 0) x.segment(system.t_at(b2), n2) += factor * matrix.row(component).tail(n2).transpose();
}

AxisLaw::Step LinearStep::law_step(std::size_t axis, const RunState& from, const RunState& to) const {
  const Axis& a = system.axes()[axis];
  return {&from.laws.memory[axis],     from.laws.motion[axis],    to.laws.motion[axis],
          from.laws.w.data() + a.w_at, to.laws.w.data() + a.w_at, alpha.h};
}

Vector6 LinearStep::measure_rates(int connection, const VectorX& full) const {
  const Connection& c = system.model().connections[at(connection)];
  const Frame d1 = system.frame_of(c.marker1, full, true), d2 = system.frame_of(c.marker2, full, true);
  if (c.kind == ConnectionKind::spring) return e.measure[at(connection)].v.dot(d2.u - d1.u) * Vector6::Unit(0);
  return bushing_measure(e.frame[at(c.marker1)], e.frame[at(c.marker2)], d1, d2, c.measure).rate;
}

std::vector<AxisParameters> parameters_of_axes(const System& system, const std::vector<Parameter>& parameters) {
  std::vector<AxisParameters> of(system.axes().size());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].kind == Parameter::Kind::law) {
      of[at(parameters[i].index)].law_parameters.push_back(parameters[i].law_parameter);
      of[at(parameters[i].index)].positions.push_back(static_cast<int>(i));
    }
  return of;
}

namespace {

// Mass, centre and inertia about it of a rigid body, from G.
struct RigidInertia {
  double mass;
  Vector3 centre;
  Matrix3 inertia;
  explicit RigidInertia(const MatrixX& G) : mass(G(0, 0)), centre(G.block<3, 1>(1, 0) / mass) {
    const Matrix3 E = G.block<3, 3>(1, 1) - mass * centre * centre.transpose();
    inertia = E.trace() * Matrix3::Identity() - E;
  }
};

}  // namespace

// [mbs E38]
MatrixX mass_derivative(const Body& body, const Parameter& p) {
  MatrixX out = MatrixX::Zero(body.G.rows(), body.G.rows());
  const int k = p.law_parameter;
  if (p.kind == Parameter::Kind::inertia) {
    out.block<3, 3>(1, 1) = 0.5 * Matrix3::Identity();
    out(1 + k, 1 + k) -= 1.0;
  } else if (p.kind == Parameter::Kind::centre) {
    const RigidInertia rigid(body.G);
    out(0, 1 + k) = out(1 + k, 0) = rigid.mass;
    out.block<3, 3>(1, 1) =
        rigid.mass * (Vector3::Unit(k) * rigid.centre.transpose() + rigid.centre * Vector3::Unit(k).transpose());
  } else {
    VectorX s = VectorX::Zero(body.G.rows());
    s.head<4>() = body.G.col(0).head<4>() / body.G(0, 0);
    out = s * s.transpose();
  }
  return out;
}

double output_value(const System& system, const Output& output, const RunState& state, const Evaluation& e) {
  switch (output.kind) {
    case OutputKind::position: return e.frame[at(output.index)].u[output.component];
    case OutputKind::velocity: return e.rate[at(output.index)].u[output.component];
    case OutputKind::acceleration: return system.point_rate(output.index, output.component, state.vd);
    case OutputKind::deflection: return e.measure[at(output.index)].x[output.component];
    case OutputKind::load: {
      double load = system.given_load(at(output.index), e)[output.component];
      for (std::size_t a = 0; a < system.axes().size(); ++a)
        if (system.axes()[a].connection == output.index && system.axes()[a].component == output.component)
          load += e.load[a];
      return load;
    }
    case OutputKind::controller: return e.control.y[system.control_at()[at(output.index)].y + output.component];
    default: return sensor_value(system, output, state, e);
  }
}

void refuse_controllers(const System& system) {
  if (system.has_controllers())
    throw_bad_input("controller " + system.model().controllers.front().name,
                    "gradients of runs do not pass through controllers",
                    "identify without controllers: measure in passive mode, or put the measured force of the actuator "
                    "as a load in their place");
}

double parameter_value(const System& system, const Parameter& p) {
  if (p.kind == Parameter::Kind::turn) return system.model().sensors[at(p.index)].turn[at(p.law_parameter)];
  if (is_signal(p)) {
    const SignalTuning& tuning = signal_of(system.model(), p).tuning();
    const auto of = static_cast<SignalParameter>(p.law_parameter);
    return of == SignalParameter::factor       ? tuning.factor
           : of == SignalParameter::time_shift ? tuning.time_shift_s
                                               : tuning.frequency_factor;
  }
  if (p.kind == Parameter::Kind::position) {
    const Connection& c = system.model().connections[at(p.index)];
    return (p.side == 0 ? c.shift : c.marker_shift[at(p.side - 1)])[p.law_parameter];
  }
  if (p.kind == Parameter::Kind::orientation) return system.model().connections[at(p.index)].turn[p.law_parameter];
  if (p.kind == Parameter::Kind::mass) return system.model().bodies[at(p.index)].G(0, 0);
  if (p.kind == Parameter::Kind::inertia || p.kind == Parameter::Kind::centre) {
    const RigidInertia rigid(system.model().bodies[at(p.index)].G);
    return p.kind == Parameter::Kind::centre ? rigid.centre[p.law_parameter]
                                             : rigid.inertia(p.law_parameter, p.law_parameter);
  }
  if (p.kind == Parameter::Kind::modal_damping) return system.model().bodies[at(p.index)].damping_factor;
  return system.axes()[at(p.index)].law->parameter(at(p.law_parameter));
}

void set_parameter(System& system, const Parameter& p, double value) {
  if (p.kind == Parameter::Kind::law) {
    system.axes()[at(p.index)].law->set_parameter(at(p.law_parameter), value);
    return;
  }
  if (is_direct(p)) {
    set_direct(system, p, value);
    return;
  }
  if (is_geometry(p)) {
    const Geometry own_markers(system, p);  // the check at the door
    const Connection& c = system.model().connections[at(p.index)];
    if (!std::isfinite(value) || std::abs(value) > 1e3)
      throw_bad_input("place of bushing " + c.name, fmt::format("{} is no place near by", value),
                      "give metres or radians");
    Vector3 shift = c.shift, turn = c.turn;
    std::array<Vector3, 2> alone = c.marker_shift;
    (p.kind == Parameter::Kind::orientation ? turn
     : p.side == 0                          ? shift
                                            : alone[at(p.side - 1)])[p.law_parameter] = value;
    system.place_connection(p.index, shift, turn, alone);
    return;
  }
  const Body& body = system.model().bodies[at(p.index)];
  if (p.kind == Parameter::Kind::modal_damping) {
    if (!(value > 0.0) || !std::isfinite(value))
      throw_bad_input("damping of body " + body.name, fmt::format("{} is no factor", value), "give a factor above 0");
    system.set_modal_damping(p.index, value);
    return;
  }
  if (p.kind == Parameter::Kind::inertia || p.kind == Parameter::Kind::centre) {
    RigidInertia rigid(body.G);
    (p.kind == Parameter::Kind::centre ? rigid.centre[p.law_parameter]
                                       : rigid.inertia(p.law_parameter, p.law_parameter)) = value;
    const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(rigid.inertia);
    const Vector3 e = eigen.eigenvalues();
    if (!std::isfinite(value) || !(e[0] > 0.0) || e[2] > (e[0] + e[1]) * (1.0 + 1e-9))
      throw_bad_input("inertia of body " + body.name,
                      fmt::format("no body has principal inertias {:.4g}, {:.4g}, {:.4g}", e[0], e[1], e[2]),
                      "the largest is at most the sum of the others");
    system.set_mass(p.index, rigid_mass(rigid.mass, rigid.centre, rigid.inertia));
    return;
  }
  if (!(value > 0.0) || !std::isfinite(value))
    throw_bad_input("mass of body " + body.name, fmt::format("{} is no mass", value), "give a mass above 0");
  system.set_mass(p.index, body.G + (value - body.G(0, 0)) * mass_derivative(body, p));
}

void clone_laws(Model& model) {
  for (Connection& c : model.connections)
    for (auto& law : c.laws)
      if (law) law = law->clone();
}

}  // namespace kdyn::mbs
