// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/linearise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/internal/linear_step.hpp"
#include "kdyn/mbs/internal/sensor_output.hpp"
#include "kdyn/numerics/dense_functions.hpp"

namespace kdyn::mbs {
namespace {

using RowMatrix = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstVector = Eigen::Map<const VectorX>;

// Row of a connection's measure over all tangents.
Eigen::RowVectorXd measure_row(const LinearStep& step, int connection, int component) {
  VectorX row = VectorX::Zero(step.system.tangents());
  step.add(step.e.X[at(connection)], connection, component, 1.0, row);
  return row.transpose();
}

// Displacement or rotation row of a marker over all tangents.
Eigen::RowVectorXd marker_row(const System& system, const VectorX& q, int marker, int component) {
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(system.tangents());
  const int body = system.model().markers[at(marker)].body;
  if (body < 0) return row;
  FrameVariation Z;
  system.frame_variation(marker, q, Z);
  if (component < 3) {
    row.segment(system.t_at(body), Z.cols()) = Z.row(component);
    return row;
  }
  // [mbs E9] A torque works on vect(dR R^T).
  const Matrix3 R = system.frame_of(marker, q, false).R;
  for (int c = 0; c < Z.cols(); ++c)
    row[system.t_at(body) + c] = vect(Eigen::Map<const Matrix3>(Z.col(c).data() + 3) * R.transpose())[component - 3];
  return row;
}

// How outputs follow from (xi, xi', xi'', w) .
struct OutputRows {
  MatrixX x, v, a, w, lambda;
};

// A sensor: the derivative along every tangent.
void sensor_rows(const System& system, const OutputSlope& slope, const VectorX& q, Eigen::Index row, OutputRows& out) {
  const VectorX none = VectorX::Zero(system.coordinates());
  VectorX full;
  for (int t = 0; t < system.tangents(); ++t) {
    system.expand(q, VectorX::Unit(system.tangents(), t), full);
    out.x(row, t) = slope_along(system, slope, full, none, none, {});
    out.v(row, t) = slope_along(system, slope, none, full, none, {});
    out.a(row, t) = slope_along(system, slope, none, none, full, {});
  }
  if (slope.by_lambda.size() > 0) out.lambda.row(row) = slope.by_lambda.transpose();
}

// What a formula follows of the states of controllers.
Eigen::RowVectorXd control_row(const System& system, std::size_t formula, const ControlSlopes& control,
                               const Evaluation& e) {
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(system.control_states());
  const StateForce& force = system.model().state_forces[formula];
  for (std::size_t k = 0; k < force.inputs.size(); ++k)
    if (const StateVariable& y = force.inputs[k]; y.kind == StateVariableKind::controller)
      row += e.formula_slopes[formula][k] * control.y_w.row(system.control_at()[at(y.index)].y + y.component);
  return row;
}

OutputRows output_rows(const LinearStep& step, const RunState& at_rest, const std::vector<Output>& outputs,
                       const ControlSlopes& control) {
  const VectorX& q = at_rest.q;
  const System& system = step.system;
  const auto rows = static_cast<Eigen::Index>(outputs.size());
  OutputRows out;
  out.x = out.v = out.a = MatrixX::Zero(rows, system.tangents());
  out.w = MatrixX::Zero(rows, system.states());
  out.lambda = MatrixX::Zero(rows, system.multipliers());
  for (Eigen::Index j = 0; j < rows; ++j) {
    const Output& o = outputs[static_cast<std::size_t>(j)];
    switch (o.kind) {
      case OutputKind::position: out.x.row(j) = marker_row(system, q, o.index, o.component); break;
      case OutputKind::velocity: out.v.row(j) = marker_row(system, q, o.index, o.component); break;
      case OutputKind::acceleration: out.a.row(j) = marker_row(system, q, o.index, o.component); break;
      case OutputKind::deflection: out.x.row(j) = measure_row(step, o.index, o.component); break;
      case OutputKind::load:
        for (std::size_t a = 0; a < system.axes().size(); ++a) {
          const Axis& axis = system.axes()[a];
          if (axis.connection != o.index || axis.component != o.component) continue;
          const auto row = measure_row(step, o.index, o.component);
          out.x.row(j) += step.e.laws[a].f_u * row;
          out.v.row(j) += step.e.laws[a].f_v * row;
          out.w.row(j).segment(axis.w_at, axis.states) +=
              ConstVector(step.e.laws[a].f_w.data(), axis.states).transpose();
        }
        for (std::size_t k = 0; k < system.coupled().size() && o.component < 3; ++k)
          if (system.coupled()[k].connection == o.index)
            for (int i = 0; i < 3; ++i)
              out.x.row(j) += step.e.coupling_x[k](o.component, i) * measure_row(step, o.index, i);
        for (std::size_t i = 0; i < system.model().state_forces.size(); ++i) {
          const StateForce& force = system.model().state_forces[i];
          if (force.of_load || force.index != o.index || force.component != o.component) continue;
          const FormulaRow formula = system.formula_row(i, q, step.e);
          VectorX by_v;
          system.project(q, formula.by_v, by_v);
          out.x.row(j) += formula.by_q.transpose();
          out.v.row(j) += by_v.transpose();
          if (system.has_controllers())
            out.w.row(j).tail(system.control_states()) += control_row(system, i, control, step.e);
        }
        break;
      case OutputKind::controller: {
        const auto row = system.control_at()[at(o.index)].y + o.component;
        out.x.row(j) = control.y_q.row(row);
        out.v.row(j) = control.y_v.row(row);
        out.w.row(j).tail(system.control_states()) = control.y_w.row(row);
        break;
      }
      default: sensor_rows(system, sensor_slope(system, o, at_rest, step.e), q, j, out); break;
    }
  }
  return out;
}

}  // namespace

namespace {

// The linear model is one about rest.
void demand_rest(const Model& model) {
  for (const Body& body : model.bodies)
    if (!body.velocity.isZero(0.0) || !body.angular_velocity.isZero(0.0) || !body.delta_rate.isZero(0.0))
      throw_bad_input("body " + body.name, "it moves at the start: a linear model is made about rest only",
                      "remove velocity and angular_velocity");
  for (const Joint& joint : model.joints)
    if (const double rate = joint.drive.rate(0.0), second = joint.drive.second_rate(0.0);
        std::abs(rate) > 1e-9 || std::abs(second) > 1e-6)
      throw_bad_input(
          "joint " + joint.name,
          fmt::format("it is driven at {:.3g} 1/s at the start: a linear model is made about rest only", rate),
          "give the drive of the operating point as a constant; the motion of the joint can be an input");
}

// -Phi_d of a driven joint: what a unit of its motion adds to the right-hand side of the joint equations.
VectorX drive_column(const System& system, int joint, const Evaluation& e) {
  VectorX column = VectorX::Zero(system.multipliers());
  const Joint& j = system.model().joints[at(joint)];
  bool found = false;
  for (int row = 0; row < system.multipliers(); ++row) {
    if (&system.joint_of_row(row) != &j.name) continue;
    found = true;
    column[row] = 1.0;
    if (j.kind == JointKind::drive_rotation) {
      const Matrix3 P = e.frame[at(j.marker1)].R.transpose() * e.frame[at(j.marker2)].R;
      column[row] = std::sin(j.drive(0.0)) * P(1, 0) + std::cos(j.drive(0.0)) * P(0, 0);
    }
  }
  if (!found || (j.kind != JointKind::drive_rotation && j.kind != JointKind::drive_translation))
    throw_bad_input("joint " + j.name, "its motion is no input: it is not driven, or other joints hold it already",
                    "name a drive_translation or drive_rotation");
  return column;
}

}  // namespace

LinearModel linearise(const System& system, bool static_start, const std::vector<LinearInput>& inputs,
                      const std::vector<Output>& outputs) {
  demand_rest(system.model());
  LinearModel out;
  RunOptions options;
  options.static_start = static_start;
  Run run(system, options);
  const RunResult started = run.start();
  out.status = started.status;
  out.reason = started.reason;
  if (out.status != RunStatus::done) return out;
  out.at = run.state();
  // Equilibrium leaves accelerations of rounding; preload that nothing holds would leave a share of g.
  if (const double left = out.at.vd.cwiseAbs().maxCoeff(); left > 1e-6 * std::max(1.0, system.model().gravity.norm()))
    throw_bad_input(
        "start",
        fmt::format("the model does not stay where it is: it begins to accelerate by {:.3g} m/s^2 (or rad/s^2)", left),
        "linearise about the static equilibrium (static_start), or give a position in which loads balance");
  const VectorX& q = out.at.q;

  // [mbs E22]
  LinearStep step(system, options);
  step.at_start(out.at);
  const int nt = system.tangents(), nl = system.multipliers(), nw = system.states();
  const MatrixX K = step.start_stiffness(out.at);
  system.tangent(q, out.at.v, 0.0, 1.0, out.at.lambda, 0.0, step.e, step.lu);
  const MatrixX C = step.lu.to_dense().topLeftCorner(nt, nt) - K;
  system.mass_and_joints(q, 0.0, step.e, step.lu);
  const MatrixX dense = step.lu.to_dense();
  const MatrixX M = dense.topLeftCorner(nt, nt);
  MatrixX Fw = MatrixX::Zero(nt, nw), Hx = MatrixX::Zero(nw, nt), Hv = Hx, Hw = MatrixX::Zero(nw, nw);
  for (std::size_t a = 0; a < system.axes().size(); ++a) {
    const Axis& axis = system.axes()[a];
    if (axis.states == 0) continue;
    const AxisLaw::Tangent& law = step.e.laws[a];
    const auto row = measure_row(step, axis.connection, axis.component);
    Fw.middleCols(axis.w_at, axis.states) = row.transpose() * ConstVector(law.f_w.data(), axis.states).transpose();
    Hx.middleRows(axis.w_at, axis.states) = ConstVector(law.rate_u.data(), axis.states) * row;
    Hv.middleRows(axis.w_at, axis.states) = ConstVector(law.rate_v.data(), axis.states) * row;
    Hw.block(axis.w_at, axis.w_at, axis.states, axis.states) = RowMatrix(law.rate_w.data(), axis.states, axis.states);
  }
  for (std::size_t i = 0; i < system.model().tyres.size(); ++i) {  // [mbs E77]
    if (system.model().tyres[i].states() == 0) continue;
    const TyreEvaluation& tyre = step.e.tyres[i];
    const int first = system.tyre_w_at(i);
    VectorX full, reduced;
    for (int k = 0; k < tyre_states; ++k) {
      full.setZero(system.coordinates());
      system.add_tyre_wrench(i, Vector6(-tyre.F_w.col(k)), step.e, full);
      system.project(q, full, reduced);
      Fw.col(first + k) = reduced;
    }
    for (int t = 0; t < nt; ++t) {
      system.expand(q, VectorX::Unit(nt, t), full);
      Hx.col(t).segment<2>(first) = tyre.h_y * system.tyre_change(i, full, {}, step.e);
      Hv.col(t).segment<2>(first) = tyre.h_y * system.tyre_change(i, {}, full, step.e);
    }
    Hw.block<2, 2>(first, first) = tyre.h_w;
  }
  ControlSlopes control;
  if (system.has_controllers()) {
    // [mbs E96]
    const int nc = system.control_states();
    system.demand_controllers_at_rest(step.e);
    control = system.control_slopes(q, step.e);
    for (std::size_t i = 0; i < system.model().state_forces.size(); ++i)
      Fw.rightCols(nc) += system.formula_row(i, q, step.e).on_r * control_row(system, i, control, step.e);
    Hx.bottomRows(nc) = control.rate_q;
    Hv.bottomRows(nc) = control.rate_v;
    Hw.bottomRightCorner(nc, nc) = control.rate_w;
  }
  MatrixX P(nt, static_cast<Eigen::Index>(inputs.size()));
  P.setZero();
  out.drive = MatrixX::Zero(nl, P.cols());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    if (inputs[i].joint < 0)
      P.col(column) = marker_row(system, q, inputs[i].marker, inputs[i].component).transpose();
    else
      out.drive.col(column) = drive_column(system, inputs[i].joint, step.e);
  }

  // [mbs E23] What the joints leave: the orthogonal complement of their rows.
  out.Z = MatrixX::Identity(nt, nt);
  if (nl > 0) {
    const MatrixX J = dense.bottomLeftCorner(nl, nt);
    const MatrixX Q = first_columns_of_q(MatrixX(J.transpose()), nt);
    out.Z = Q.rightCols(nt - nl);
  }
  const MatrixX& Z = out.Z;
  const auto nz = Z.cols();
  out.mass = congruent(Z, M);
  out.damping = congruent(Z, C);
  out.stiffness = congruent(Z, K);
  const Eigen::LDLT<MatrixX> mass(out.mass);
  const auto nx = 2 * nz + nw, nu = P.cols();
  out.A.setZero(nx, nx);
  out.B.setZero(nx, nu);
  out.A.block(0, nz, nz, nz).setIdentity();
  out.A.block(nz, 0, nz, nz) = -MatrixX(mass.solve(out.stiffness));
  out.A.block(nz, nz, nz, nz) = -MatrixX(mass.solve(out.damping));
  out.B.middleRows(nz, nz) = mass.solve(transposed_product(Z, P));
  if (nw > 0) {
    out.A.block(nz, 2 * nz, nz, nw) = -MatrixX(mass.solve(transposed_product(Z, Fw)));
    out.A.block(2 * nz, 0, nw, nz) = product(Hx, Z);
    out.A.block(2 * nz, nz, nw, nz) = product(Hv, Z);
    out.A.block(2 * nz, 2 * nz, nw, nw) = Hw;
  }
  OutputRows rows = output_rows(step, out.at, outputs, control);
  out.from_u = MatrixX::Zero(rows.x.rows(), P.cols());
  if (nl > 0 && !rows.lambda.isZero(0.0)) {
    // [mbs E22] solved for the reactions: J^T dlambda = P u - M xi'' - C xi' - K xi - F_w w.
    const MatrixX J = dense.bottomLeftCorner(nl, nt);
    const MatrixX L = MatrixX(product(J, J.transpose())).ldlt().solve(J);
    const MatrixX by_force = product(rows.lambda, L);
    rows.x -= product(by_force, K), rows.v -= product(by_force, C), rows.a -= product(by_force, M);
    if (nw > 0) rows.w -= product(by_force, Fw);
    out.from_u = product(by_force, P);
  }
  out.M = M, out.K = K, out.Cv = C, out.Fw = Fw, out.Hx = Hx, out.Hv = Hv, out.Hw = Hw, out.P = P;
  out.J = dense.bottomLeftCorner(nl, nt);
  out.from_x = rows.x, out.from_v = rows.v, out.from_a = rows.a, out.from_w = rows.w;
  out.C.setZero(rows.x.rows(), nx);
  out.C.leftCols(nz) = rows.x * Z;
  out.C.middleCols(nz, nz) = rows.v * Z;
  out.C.rightCols(nw) = rows.w;
  out.C += rows.a * Z * out.A.middleRows(nz, nz);
  out.D = rows.a * Z * out.B.middleRows(nz, nz) + out.from_u;
  return out;
}

std::vector<LinearMode> modes(const LinearModel& model) {
  std::vector<LinearMode> found;
  if (model.A.size() == 0) return found;
  const Eigen::EigenSolver<MatrixX> solver(model.A);
  const auto& values = solver.eigenvalues();
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (values[i].imag() < 0.0) continue;  // the other one of the pair
    LinearMode mode;
    mode.eigenvalue = values[i];
    const double size = std::abs(values[i]);
    mode.frequency_hz = size / (2.0 * std::numbers::pi);
    mode.damping_ratio = size > 0.0 ? -values[i].real() / size : 0.0;
    mode.shape = model.Z * solver.eigenvectors().col(i).head(model.Z.cols());
    Eigen::Index largest = 0;
    if (mode.shape.cwiseAbs().maxCoeff(&largest) > 0.0) mode.shape /= std::complex<double>(mode.shape[largest]);
    found.push_back(std::move(mode));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    const bool a_turns = a.eigenvalue.imag() > 0.0, b_turns = b.eigenvalue.imag() > 0.0;
    return a_turns != b_turns ? a_turns : a.frequency_hz < b.frequency_hz;
  });
  return found;
}

Eigen::Matrix<std::complex<double>, 6, 1> marker_motion(const System& system, const LinearModel& model,
                                                        const LinearMode& mode, int marker) {
  Eigen::Matrix<std::complex<double>, 6, 1> out;
  for (int k = 0; k < 6; ++k)
    out[k] = (marker_row(system, model.at.q, marker, k).cast<std::complex<double>>() * mode.shape).value();
  return out;
}

// [mbs E29]
Eigen::MatrixXcd frequency_response(const LinearModel& model, double frequency_hz) {
  using Complex = std::complex<double>;
  const Complex s(0.0, 2.0 * std::numbers::pi * frequency_hz);
  const auto nt = model.M.rows(), nl = model.J.rows(), nw = model.Hw.rows();
  Eigen::MatrixXcd system = Eigen::MatrixXcd::Zero(nt + nl, nt + nl),
                   rhs = Eigen::MatrixXcd::Zero(nt + nl, model.P.cols());
  system.topLeftCorner(nt, nt) =
      s * s * model.M.cast<Complex>() + s * model.Cv.cast<Complex>() + model.K.cast<Complex>();
  Eigen::MatrixXcd states(nw, nt);  // w = states xi
  if (nw > 0) {
    Eigen::MatrixXcd local = -model.Hw.cast<Complex>();
    local.diagonal().array() += s;
    states = solved(local, model.Hx.cast<Complex>() + s * model.Hv.cast<Complex>());
    system.topLeftCorner(nt, nt) += product(model.Fw.cast<Complex>(), states);
  }
  system.topRightCorner(nt, nl) = model.J.transpose().cast<Complex>();
  system.bottomLeftCorner(nl, nt) = model.J.cast<Complex>();
  // Rows of joints in the size of the others: the pivots stay comparable.
  const double size = std::max(1.0, system.topLeftCorner(nt, nt).cwiseAbs().maxCoeff());
  system.topRightCorner(nt, nl) *= size;
  rhs.topRows(nt) = model.P.cast<Complex>();
  system.bottomLeftCorner(nl, nt) *= size;
  rhs.bottomRows(nl) = size * model.drive.cast<Complex>();
  const Eigen::MatrixXcd xi = solved(system, rhs).topRows(nt);
  const Eigen::MatrixXcd from =
      model.from_x.cast<Complex>() + s * model.from_v.cast<Complex>() + s * s * model.from_a.cast<Complex>();
  Eigen::MatrixXcd y = product(from, xi);
  if (nw > 0) y += product(model.from_w.cast<Complex>(), product(states, xi));
  y += model.from_u.cast<Complex>();
  return y;
}

}  // namespace kdyn::mbs
