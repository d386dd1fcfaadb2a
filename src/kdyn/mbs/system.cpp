// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/body_checks.hpp"
#include "kdyn/mbs/internal/geometry.hpp"
#include "kdyn/mbs/internal/index.hpp"

namespace kdyn::mbs {
namespace {

using Columns = Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic>>;
using ConstColumns = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic>>;
using Map3 = Eigen::Map<const Vector3>;
using Map33 = Eigen::Map<const Matrix3>;

// One Newton-Schulz step per round; quadratic from anywhere near a rotation. Written out: this is called for every body
// in every iteration.
void orthonormalise(Eigen::Map<Matrix3> map) {
  double* a = map.data();  // column by column
  for (int i = 0; i < 8; ++i) {
    const double xx = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] - 1.0, yy = a[3] * a[3] + a[4] * a[4] + a[5] * a[5] - 1.0,
                 zz = a[6] * a[6] + a[7] * a[7] + a[8] * a[8] - 1.0, xy = a[0] * a[3] + a[1] * a[4] + a[2] * a[5],
                 xz = a[0] * a[6] + a[1] * a[7] + a[2] * a[8], yz = a[3] * a[6] + a[4] * a[7] + a[5] * a[8];
    const double size = std::max({std::abs(xx), std::abs(yy), std::abs(zz), std::abs(xy), std::abs(xz), std::abs(yz)});
    if (!(size > 4e-16)) return;
    for (int k = 0; k < 3; ++k) {
      const double x = a[k], y = a[3 + k], z = a[6 + k];
      a[k] = x - 0.5 * (x * xx + y * xy + z * xz);
      a[3 + k] = y - 0.5 * (x * xy + y * yy + z * yz);
      a[6 + k] = z - 0.5 * (x * xz + y * yz + z * zz);
    }
    if (size < 1e-8) return;
  }
}

}  // namespace

System::System(Model model) : model_(std::move(model)) {
  for (const Body& body : model_.bodies) {
    q_at_.push_back(n_q_);
    t_at_.push_back(n_t_);
    n_q_ += 12 + 10 * body.modes();
    n_t_ += 6 + body.modes();
  }
  for (auto& marker : model_.markers) {
    const int n = marker.body < 0 ? 0 : modes(marker.body);
    if (marker.psi.cols() != n) marker.psi = Matrix3X::Zero(3, n);
    if (marker.theta.cols() != n) marker.theta = Matrix3X::Zero(3, n);
  }
  for (auto& body : model_.bodies) {
    if (body.damping.rows() != body.modes()) body.damping = MatrixX::Zero(body.modes(), body.modes());
    if (body.delta.size() != body.modes()) body.delta = VectorX::Zero(body.modes());
    if (body.delta_rate.size() != body.modes()) body.delta_rate = VectorX::Zero(body.modes());
  }
  given_markers_ = model_.markers;
  for (const Sensor& sensor : model_.sensors) given_turns_.emplace_back(sensor.turn.data());
  axes_of_.resize(model_.connections.size());
  for (std::size_t c = 0; c < model_.connections.size(); ++c)
    for (int k = 0; k < 6; ++k)
      if (AxisLaw* law = model_.connections[c].laws[at(k)].get()) {
        axes_of_[c].push_back(static_cast<int>(axes_.size()));
        axes_.push_back({static_cast<int>(c), k, law, n_w_, law->state_count()});
        n_w_ += law->state_count();
      }
  for (const Tyre& tyre : model_.tyres) {
    tyre_w_at_.push_back(n_w_);
    n_w_ += tyre.states();
  }
  check();
  find_coupled();
  find_controllers();
  find_counted();
  for (std::size_t c = 0; c < model_.connections.size(); ++c) {
    const Connection& connection = model_.connections[c];
    const auto& alone = connection.marker_shift;
    if (connection.shift.isZero(0.0) && connection.turn.isZero(0.0) && alone[0].isZero(0.0) && alone[1].isZero(0.0))
      continue;
    const Geometry own_markers(*this, {Parameter::Kind::position, static_cast<int>(c), 0});  // the check at the door
    place_connection(static_cast<int>(c), Vector3(connection.shift), Vector3(connection.turn),
                     std::array<Vector3, 2>(alone));
  }
  findings_ = check_bodies(model_);
  rigid_mass_.resize(model_.bodies.size());
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) set_mass(static_cast<int>(b), MatrixX(model_.bodies[b].G));
  drop_redundant_rows();
}

void System::set_mass(int body, const MatrixX& G) {
  model_.bodies[at(body)].G = G;
  // Reduced mass of a rigid body, constant in its own axes: (m, first moment, inertia).
  const Vector3 first = G.block<3, 1>(1, 0);
  const Matrix3 second = G.block<3, 3>(1, 1);
  rigid_mass_[at(body)] << G(0, 0) * Matrix3::Identity(), -skew(first), skew(first),
      second.trace() * Matrix3::Identity() - second;
}

void System::set_modal_damping(int body, double factor) {
  Body& b = model_.bodies[at(body)];
  b.damping *= factor / b.damping_factor;
  b.damping_factor = factor;
}

void System::place_connection(int connection, const Vector3& shift, const Vector3& turn,
                              const std::array<Vector3, 2>& marker_shift) {
  Connection& c = model_.connections[at(connection)];
  c.shift = shift;
  c.turn = turn;
  c.marker_shift = marker_shift;
  const Matrix3 turned = rotation_of(turn);
  for (std::size_t side = 0; side < 2; ++side) {
    const int m = side == 0 ? c.marker1 : c.marker2;
    Marker& marker = model_.markers[at(m)];
    const Matrix3 A = marker.body < 0 ? Matrix3::Identity() : model_.bodies[at(marker.body)].rotation;
    marker.x = given_markers_[at(m)].x + A.transpose() * (shift + marker_shift[side]);
    marker.R0 = A.transpose() * turned * A * given_markers_[at(m)].R0;
  }
}

VectorX System::initial_position() const {
  VectorX q(n_q_);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    const int n = body.modes();
    q.segment<3>(q_at_[b]) = body.position;
    q.segment<9>(q_at_[b] + 3) = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(body.rotation.data());
    q.segment(q_at_[b] + 12 + 9 * n, n) = body.delta;
  }
  clean(q);
  return q;
}

VectorX System::initial_velocity(const VectorX& q) const {
  VectorX xi(n_t_), v;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    const Matrix3 A = Map33(q.data() + q_at_[b] + 3);
    xi.segment<3>(t_at_[b]) = A.transpose() * body.velocity;
    xi.segment<3>(t_at_[b] + 3) = A.transpose() * body.angular_velocity;
    xi.segment(t_at_[b] + 6, body.modes()) = body.delta_rate;
  }
  expand(q, xi, v);
  return v;
}

void System::clean(VectorX& q) const {
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    double* x = q.data() + q_at_[b];
    Eigen::Map<Matrix3> A(x + 3);
    orthonormalise(A);
    const int n = model_.bodies[b].modes();
    for (int k = 0; k < n; ++k) Eigen::Map<Matrix3>(x + 12 + 9 * k) = x[12 + 9 * n + k] * A;
  }
}

void System::retract(VectorX& q, const Eigen::Ref<const VectorX>& xi) const {
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    double* x = q.data() + q_at_[b];
    const double* d = xi.data() + t_at_[b];
    Eigen::Map<Matrix3> A(x + 3);
    Eigen::Map<Vector3>(x) += A * Map3(d);
    const Matrix3 turned = A * skew(Map3(d + 3));
    A += turned;
    orthonormalise(A);
    const int n = model_.bodies[b].modes();
    for (int k = 0; k < n; ++k) {
      x[12 + 9 * n + k] += d[6 + k];
      Eigen::Map<Matrix3>(x + 12 + 9 * k) = x[12 + 9 * n + k] * A;
    }
  }
}

void System::project(const VectorX& q, const VectorX& full, VectorX& reduced) const {
  reduced.resize(n_t_);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const double *x = q.data() + q_at_[b], *f = full.data() + q_at_[b];
    double* out = reduced.data() + t_at_[b];
    const int n = model_.bodies[b].modes();
    const Map33 A(x + 3);
    Eigen::Map<Vector3>(out).noalias() = A.transpose() * Map3(f);
    Matrix3 turned;
    turned.noalias() = A.transpose() * Map33(f + 3);
    for (int k = 0; k < n; ++k) {
      const Matrix3 Y = A.transpose() * Map33(f + 12 + 9 * k);
      turned += x[12 + 9 * n + k] * Y;
      out[6 + k] = f[12 + 9 * n + k] + Y.trace();
    }
    Eigen::Map<Vector3>(out + 3) = 2.0 * vect(turned);
  }
}

void System::expand(const VectorX& q, const Eigen::Ref<const VectorX>& reduced, VectorX& full) const {
  full.resize(n_q_);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const double *x = q.data() + q_at_[b], *d = reduced.data() + t_at_[b];
    double* out = full.data() + q_at_[b];
    const int n = model_.bodies[b].modes();
    const Map33 A(x + 3);
    Eigen::Map<Vector3>(out).noalias() = A * Map3(d);
    Eigen::Map<Matrix3> turned(out + 3);
    turned.noalias() = A * skew(Map3(d + 3));
    for (int k = 0; k < n; ++k) {
      Eigen::Map<Matrix3>(out + 12 + 9 * k) = d[6 + k] * A + x[12 + 9 * n + k] * turned;
      out[12 + 9 * n + k] = d[6 + k];
    }
  }
}

void System::expand_variation(const VectorX& q, const VectorX& along, const VectorX& reduced, VectorX& full) const {
  full.setZero(n_q_);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const double *x = q.data() + q_at_[b], *d = reduced.data() + t_at_[b], *a = along.data() + t_at_[b];
    double* out = full.data() + q_at_[b];
    const int n = model_.bodies[b].modes();
    const Map33 A(x + 3);
    const Matrix3 dA = A * skew(Map3(a + 3));
    Eigen::Map<Vector3> moved(out);
    moved = dA * Map3(d);
    Eigen::Map<Matrix3> turned(out + 3);
    turned = dA * skew(Map3(d + 3));
    for (int k = 0; k < n; ++k)
      Eigen::Map<Matrix3>(out + 12 + 9 * k) =
          d[6 + k] * dA + x[12 + 9 * n + k] * turned + a[6 + k] * A * skew(Map3(d + 3));
  }
}

Frame System::frame_of(int marker, const VectorX& q, bool rate) const {
  const Marker& m = model_.markers[at(marker)];
  Frame f;
  if (m.body < 0) {
    f.u = rate ? Vector3(Vector3::Zero()) : m.x;
    f.R = rate ? Matrix3(Matrix3::Zero()) : m.R0;
    return f;
  }
  const double* x = q.data() + q_at(m.body);
  const Map33 A(x + 3);
  f.u = Map3(x);
  f.u.noalias() += A * m.x;
  if (m.psi.cols() == 0) {
    // Most markers are not turned against their body: no product then.
    if (m.R0 == Matrix3::Identity())
      f.R = A;
    else
      f.R.noalias() = A * m.R0;
    return f;
  }
  Matrix3 turned = A;
  for (int k = 0; k < m.psi.cols(); ++k) {
    const Map33 gamma(x + 12 + 9 * k);
    const auto theta = m.theta.col(k);
    f.u.noalias() += gamma * m.psi.col(k);
    // gamma skew(theta)
    turned.col(0) += theta[2] * gamma.col(1) - theta[1] * gamma.col(2);
    turned.col(1) += theta[0] * gamma.col(2) - theta[2] * gamma.col(0);
    turned.col(2) += theta[1] * gamma.col(0) - theta[0] * gamma.col(1);
  }
  f.R.noalias() = turned * m.R0;
  return f;
}

double System::point_rate(int marker, int component, const VectorX& v) const {
  const Marker& m = model_.markers[at(marker)];
  if (m.body < 0) return 0.0;
  const double* x = v.data() + q_at(m.body) + component;
  double sum = x[0] + x[3] * m.x[0] + x[6] * m.x[1] + x[9] * m.x[2];
  for (int k = 0; k < m.psi.cols(); ++k) {
    const double* gamma = x + 12 + 9 * k;
    sum += gamma[0] * m.psi(0, k) + gamma[3] * m.psi(1, k) + gamma[6] * m.psi(2, k);
  }
  return sum;
}

void System::place(const VectorX& q, const VectorX& v, Evaluation& e) const {
  e.frame.resize(model_.markers.size());
  e.rate.resize(model_.markers.size());
  for (std::size_t i = 0; i < model_.markers.size(); ++i) {
    if (e.leaves_marker(i)) continue;
    e.frame[i] = frame_of(static_cast<int>(i), q, false);
    e.rate[i] = frame_of(static_cast<int>(i), v, true);
  }
  e.measure.resize(model_.connections.size());
  for (std::size_t c = 0; c < model_.connections.size(); ++c) {
    if (e.leaves(c)) continue;
    const Connection& connection = model_.connections[c];
    const std::size_t one = at(connection.marker1), two = at(connection.marker2);
    e.measure[c] = measure_between(connection, e.frame[one], e.frame[two], e.rate[one], e.rate[two]);
  }
}

BushingMeasure System::measure(int connection, const VectorX& q, const VectorX& v) const {
  const Connection& c = model_.connections[at(connection)];
  return measure_between(c, frame_of(c.marker1, q, false), frame_of(c.marker2, q, false), frame_of(c.marker1, v, true),
                         frame_of(c.marker2, v, true));
}

BushingMeasure System::measure_between(const Connection& connection, const Frame& one, const Frame& two,
                                       const Frame& one_rate, const Frame& two_rate) const {
  if (connection.kind == ConnectionKind::bushing)
    return bushing_measure(one, two, one_rate, two_rate, connection.measure);
  // [mbs E8] x = |w| - rest length
  BushingMeasure m;
  const Vector3 w = two.u - one.u;
  const double length = w.norm();
  m.x.setZero();
  m.rate.setZero();
  m.v = w / length;
  m.x[0] = length - connection.rest_length;
  m.rate[0] = m.v.dot(two_rate.u - one_rate.u);
  return m;
}

void System::add_frame_force(int marker, const FrameForce& f, VectorX& full) const {
  const Marker& m = model_.markers[at(marker)];
  if (m.body < 0) return;
  double* r = full.data() + q_at(m.body);
  Eigen::Map<Vector3>(r) += f.F;
  Eigen::Map<Matrix3> rA(r + 3);
  rA.noalias() += f.F * m.x.transpose();
  const Matrix3 turning = f.G * m.R0.transpose();
  rA += turning;
  for (int k = 0; k < m.psi.cols(); ++k) {
    Eigen::Map<Matrix3> rk(r + 12 + 9 * k);
    const auto psi = m.psi.col(k), theta = m.theta.col(k);
    // F psi^T + turning skew(theta)^T
    rk.col(0) += psi[0] * f.F + theta[1] * turning.col(2) - theta[2] * turning.col(1);
    rk.col(1) += psi[1] * f.F + theta[2] * turning.col(0) - theta[0] * turning.col(2);
    rk.col(2) += psi[2] * f.F + theta[0] * turning.col(1) - theta[1] * turning.col(0);
  }
}

Multipliers System::connection_multipliers(const Connection& c, const BushingMeasure& m, const Evaluation& e,
                                           const Vector6& load) const {
  if (c.kind == ConnectionKind::bushing) return bushing_multipliers(m, load);
  Multipliers k;
  k.kappa = load[0] / (e.frame[at(c.marker2)].u - e.frame[at(c.marker1)].u).norm();
  return k;
}

void System::pull_back_load(int connection, const Vector6& load, const Evaluation& e, VectorX& full) const {
  const Connection& c = model_.connections[at(connection)];
  FrameForce on_one, on_two;
  pull_back(e.frame[at(c.marker1)], e.frame[at(c.marker2)],
            connection_multipliers(c, e.measure[at(connection)], e, load), on_one, on_two);
  add_frame_force(c.marker1, on_one, full);
  add_frame_force(c.marker2, on_two, full);
}

void System::multiply_mass(const VectorX& x, VectorX& y) const {
  y.resize(n_q_);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    const int n = body.modes();
    if (const double* G = body.G.data();
        n == 0 && G[1] == 0.0 && G[2] == 0.0 && G[3] == 0.0 && G[6] == 0.0 && G[7] == 0.0 && G[11] == 0.0) {
      // Centre of mass at the origin, principal axes: the usual body.
      const double *from = x.data() + q_at_[b], masses[4] = {G[0], G[5], G[10], G[15]};
      double* to = y.data() + q_at_[b];
      for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i) to[3 * k + i] = from[3 * k + i] * masses[k];
      continue;
    }
    if (n == 0) {
      // Four columns, sizes known to the compiler.
      Eigen::Map<Eigen::Matrix<double, 3, 4>>(y.data() + q_at_[b]).noalias() =
          Eigen::Map<const Eigen::Matrix<double, 3, 4>>(x.data() + q_at_[b]) *
          Eigen::Map<const Eigen::Matrix4d>(body.G.data());
      continue;
    }
    Columns(y.data() + q_at_[b], 3, 4 + 3 * n).noalias() = ConstColumns(x.data() + q_at_[b], 3, 4 + 3 * n) * body.G;
    y.segment(q_at_[b] + 12 + 9 * n, n).setZero();
  }
}

void System::add_gravity(VectorX& r, double factor) const {
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    double* out = r.data() + q_at_[b];
    for (Eigen::Index k = 0; k < body.G.cols(); ++k) {
      const double share = factor * body.G(0, k);
      for (int i = 0; i < 3; ++i) out[3 * k + i] += share * model_.gravity[i];
    }
  }
}

void System::residual(const VectorX& q, const VectorX& v, const VectorX& vd, const VectorX& lambda, double t,
                      Evaluation& e) const {
  if (has_formulas()) apply_formulas(t, e);
  multiply_mass(vd, e.r);
  if (!model_.gravity.isZero()) add_gravity(e.r, -1.0);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    const int n = body.modes(), d = q_at_[b] + 12 + 9 * n;
    if (n > 0) e.r.segment(d, n) += body.stiffness * q.segment(d, n) + body.damping * v.segment(d, n);
  }
  for (std::size_t c = 0; c < model_.connections.size(); ++c) {
    if (e.leaves(c)) continue;
    Vector6 load = given_load(c, e);
    for (const int a : axes_of_[c]) load[axes_[at(a)].component] += e.load[at(a)];
    pull_back_load(static_cast<int>(c), load, e, e.r);
  }
  for (std::size_t l = 0; l < model_.loads.size(); ++l) {
    Vector3 force, torque;
    load_values(l, t, e, force, torque);
    add_load(model_.loads[l], Vector3(-force), Vector3(-torque), e, e.r);
  }
  for (std::size_t i = 0; i < model_.tyres.size(); ++i) add_tyre_wrench(i, Vector6(-e.tyres[i].wrench), e, e.r);
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const int first = row_at_[j], last = row_at_[j + 1];
    if (first == last) continue;
    Multipliers sum;
    for (int i = first; i < last; ++i) {
      const Multipliers w = weights(rows_[at(i)], t);
      sum.t += lambda[i] * w.t;
      sum.E += lambda[i] * w.E;
      sum.f += lambda[i] * w.f;
      sum.kappa += lambda[i] * w.kappa;
    }
    const Joint& joint = model_.joints[j];
    FrameForce one, two;
    pull_back(e.frame[at(joint.marker1)], e.frame[at(joint.marker2)], sum, one, two);
    add_frame_force(joint.marker1, one, e.r);
    add_frame_force(joint.marker2, two, e.r);
  }
}

System::Energy System::energy(const VectorX& q, const VectorX& v, const LawState& laws, const Evaluation& e) const {
  Energy out;
  VectorX Mv;
  multiply_mass(v, Mv);
  out.kinetic = 0.5 * v.dot(Mv);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    const int n = body.modes(), d = q_at_[b] + 12 + 9 * n;
    out.gravity -= model_.gravity.dot(ConstColumns(q.data() + q_at_[b], 3, body.G.rows()) * body.G.row(0).transpose());
    if (n > 0) out.modes += 0.5 * q.segment(d, n).dot(body.stiffness * q.segment(d, n));
  }
  for (std::size_t c = 0; c < model_.connections.size(); ++c)
    out.connections += model_.connections[c].preload.dot(e.measure[c].x);
  for (std::size_t a = 0; a < axes_.size(); ++a)
    out.connections += axes_[a]
                           .law
                           ->stored_energy(e.measure[at(axes_[a].connection)].x[axes_[a].component],
                                           laws.w.data() + axes_[a].w_at, laws.memory[a])
                           .value_or(std::numeric_limits<double>::quiet_NaN());
  if (!coupled_.empty()) out.connections += coupling_energy(e);
  for (std::size_t i = 0; i < model_.tyres.size(); ++i)
    out.connections += stored_energy(model_.tyres[i], tyre_force(i, e.time, e).deflection);
  return out;
}

}  // namespace kdyn::mbs
