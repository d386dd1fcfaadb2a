// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/response.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include <unsupported/Eigen/MatrixFunctions>

#include "kdyn/base/error.hpp"

namespace kdyn::inline vehicle {
namespace {

int dofs_of(const VehicleMatrices<double>& m) { return static_cast<int>(m.mass.rows()); }

// Acceleration per unit of road height under each wheel: M^-1 times the tyre columns of F.
Eigen::MatrixXd road_columns(const VehicleMatrices<double>& m, const CornerValues<double>& tyre_stiffness) {
  const int n = dofs_of(m), wheels = n - 3;
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(2 * n, wheels);
  for (int i = 0; i < wheels; ++i) B(n + 3 + i, i) = tyre_stiffness[static_cast<std::size_t>(i)] / m.mass(3 + i, 3 + i);
  return B;
}

double bump_height(const Bump& bump, double t) {
  if (t < bump.start || t > bump.start + bump.length) return 0.0;
  return bump.height * std::sin(std::numbers::pi * (t - bump.start) / bump.length);
}

Eigen::VectorXd wheels_of(const VehicleMatrices<double>& m, const Bump& bump) {
  Eigen::VectorXd on(dofs_of(m) - 3);
  for (int i = 0; i < on.size(); ++i) on[i] = bump.wheels[static_cast<std::size_t>(i)] ? 1.0 : 0.0;
  return on;
}

VehicleResponse empty_response(int n, double interval, Eigen::Index samples) {
  demand(interval > 0.0 && samples > 0, "a response has samples");
  VehicleResponse r;
  r.interval = interval;
  r.displacement.setZero(samples, n);
  r.velocity.setZero(samples, n);
  r.acceleration.setZero(samples, n);
  return r;
}

void store(VehicleResponse& r, Eigen::Index k, const Eigen::VectorXd& state, const Eigen::VectorXd& rate) {
  const Eigen::Index n = r.displacement.cols();
  r.displacement.row(k) = state.head(n);
  r.velocity.row(k) = state.tail(n);
  r.acceleration.row(k) = rate.tail(n);
}

// State and oscillator (g, g'/w) with g'' = -w^2 g: their joint system matrix while the wheels are on the bump.
Eigen::MatrixXd bump_system(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double omega) {
  const Eigen::Index n = A.rows() / 2;
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(2 * n + 2, 2 * n + 2);
  S.topLeftCorner(2 * n, 2 * n) = A;
  S.block(0, 2 * n, 2 * n, 1) = b;
  S(2 * n, 2 * n + 1) = omega;
  S(2 * n + 1, 2 * n) = -omega;
  return S;
}

}  // namespace

Bump bounce_bump() { return {}; }
Bump pitch_bump() {
  Bump bump;
  bump.wheels = {true, true};
  return bump;
}
Bump roll_bump() {
  Bump bump;
  bump.wheels = {true, false, true, false, true, false};
  return bump;
}

const Eigen::MatrixXd& VehicleResponse::of(MotionKind kind) const {
  return kind == MotionKind::displacement ? displacement : kind == MotionKind::velocity ? velocity : acceleration;
}

VehicleResponse exact_response(const VehicleMatrices<double>& m, const CornerValues<double>& tyre_stiffness,
                               const Bump& bump, double interval, int samples) {
  const int n = dofs_of(m);
  VehicleResponse r = empty_response(n, interval, samples);
  const Eigen::MatrixXd A = state_matrix(m);
  const Eigen::VectorXd b = road_columns(m, tyre_stiffness) * wheels_of(m, bump);
  const double omega = std::numbers::pi / bump.length, end = bump.start + bump.length;
  const Eigen::MatrixXd S = bump_system(A, b, omega);
  const Eigen::MatrixXd on = (S * interval).exp(), off = (A * interval).exp();
  Eigen::VectorXd y = Eigen::VectorXd::Zero(2 * n + 2);  // state, road height, road velocity over omega
  const auto advance = [&](double from, double to) {     // inside one piece
    const bool riding = from >= bump.start - 1e-12 && to <= end + 1e-12;
    const bool whole = std::abs(to - from - interval) < 1e-12 * interval;
    if (!riding)
      y.head(2 * n) = (whole ? off : Eigen::MatrixXd((A * (to - from)).exp())) * y.head(2 * n);
    else
      y = (whole ? on : Eigen::MatrixXd((S * (to - from)).exp())) * y;
  };
  const auto enter = [&](double corner) { y.tail(2) << 0.0, corner == bump.start ? bump.height : 0.0; };
  if (bump.start <= 0.0) enter(bump.start);
  double t = 0.0;
  for (Eigen::Index k = 0; k < samples; ++k) {
    const double at = static_cast<double>(k) * interval;
    for (const double corner : {bump.start, end}) {
      if (corner <= t + 1e-12 || corner > at + 1e-12) continue;
      advance(t, corner);
      enter(t = corner);
    }
    if (at > t + 1e-12) advance(t, at);
    t = std::max(t, at);
    store(r, k, y.head(2 * n), A * y.head(2 * n) + b * bump_height(bump, at));
  }
  return r;
}

VehicleResponse exact_response(const VehicleMatrices<double>& m, const CornerValues<double>& tyre_stiffness,
                               const Eigen::MatrixXd& road, double interval) {
  demand(road.cols() == m.mass.rows() - 3, "a road has a column for each wheel");
  const Eigen::Index wheels = road.cols();
  const int n = dofs_of(m);
  VehicleResponse r = empty_response(n, interval, road.rows());
  const Eigen::MatrixXd A = state_matrix(m), B = road_columns(m, tyre_stiffness);
  // x' = A x + B u, u' = s, s' = 0: one exponential holds the response to value and slope of the road.
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(2 * (n + wheels), 2 * (n + wheels));
  S.topLeftCorner(2 * n, 2 * n) = A;
  S.block(0, 2 * n, 2 * n, wheels) = B;
  S.block(2 * n, 2 * n + wheels, wheels, wheels).setIdentity();
  const Eigen::MatrixXd E = (S * interval).exp();
  const Eigen::MatrixXd keep = E.topLeftCorner(2 * n, 2 * n), value = E.block(0, 2 * n, 2 * n, wheels),
                        slope = E.block(0, 2 * n + wheels, 2 * n, wheels);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(2 * n);
  for (Eigen::Index k = 0; k < road.rows(); ++k) {
    if (k > 0)
      y = keep * y + value * road.row(k - 1).transpose() +
          slope * (road.row(k) - road.row(k - 1)).transpose() / interval;
    store(r, k, y, A * y + B * road.row(k).transpose());
  }
  return r;
}

VehicleResponse free_response(const VehicleMatrices<double>& m, const Eigen::VectorXd& displacement,
                              const Eigen::VectorXd& velocity, double interval, int samples) {
  const int n = dofs_of(m);
  VehicleResponse r = empty_response(n, interval, samples);
  const Eigen::MatrixXd A = state_matrix(m), E = (A * interval).exp();
  Eigen::VectorXd y(2 * n);
  y << displacement, velocity;
  for (Eigen::Index k = 0; k < samples; ++k) {
    store(r, k, y, A * y);
    y = E * y;
  }
  return r;
}

Eigen::VectorXd free_state(const VehicleMatrices<double>& m, const Eigen::VectorXd& state, double time) {
  return (state_matrix(m) * time).exp() * state;
}

std::pair<Eigen::VectorXd, Eigen::VectorXd> state_after(const VehicleMatrices<double>& m,
                                                        const CornerValues<double>& tyre_stiffness, const Bump& bump) {
  const Eigen::MatrixXd S = bump_system(state_matrix(m), road_columns(m, tyre_stiffness) * wheels_of(m, bump),
                                        std::numbers::pi / bump.length);
  const int n = dofs_of(m);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(2 * n + 2);
  y[2 * n + 1] = bump.height;
  y = (S * bump.length).exp() * y;
  return {y.head(n), y.segment(n, n)};
}

VehicleResponse wilson_theta_response(const VehicleMatrices<double>& m, const CornerValues<double>& tyre_stiffness,
                                      const Bump& bump, double h, int samples, double theta) {
  demand(theta >= 1.37, "Wilson-theta is unconditionally stable from theta 1.37 on");
  const int n = dofs_of(m);
  VehicleResponse r = empty_response(n, h, samples);
  const Eigen::MatrixXd M = m.mass;
  const double th = theta * h;
  const Eigen::PartialPivLU<Eigen::MatrixXd> solver(m.stiffness + 3.0 / th * m.damping + 6.0 / (th * th) * M);
  const Eigen::VectorXd on = wheels_of(m, bump);
  const auto force = [&](double t) {
    Eigen::VectorXd f = Eigen::VectorXd::Zero(n);
    for (int i = 0; i < on.size(); ++i)
      f[3 + i] = tyre_stiffness[static_cast<std::size_t>(i)] * on[i] * bump_height(bump, t);
    return f;
  };
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n), v = x, f = force(0.0), a = M.llt().solve(f);
  for (Eigen::Index k = 0;; ++k) {
    r.displacement.row(k) = x;
    r.velocity.row(k) = v;
    r.acceleration.row(k) = a;
    if (k + 1 == samples) return r;
    const Eigen::VectorXd next = force(static_cast<double>(k + 1) * h);
    const Eigen::VectorXd at_theta = f + theta * (next - f);
    const Eigen::VectorXd rhs = at_theta + M * (6.0 / (th * th) * x + 6.0 / th * v + 2.0 * a) +
                                m.damping * (3.0 / th * x + 2.0 * v + 0.5 * th * a);
    const Eigen::VectorXd x_theta = solver.solve(rhs);
    const Eigen::VectorXd a_next =
        6.0 / (theta * th * th) * (x_theta - x) - 6.0 / (theta * th) * v + (1.0 - 3.0 / theta) * a;
    x += h * v + h * h / 6.0 * (a_next + 2.0 * a);
    v += 0.5 * h * (a_next + a);
    a = a_next;
    f = next;
  }
}

}  // namespace kdyn::inline vehicle
