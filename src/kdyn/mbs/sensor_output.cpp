// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/sensor_output.hpp"
#include "kdyn/mbs/internal/index.hpp"

namespace kdyn::mbs {
namespace {

// Value and derivative of a sensor  [mbs E36]
double evaluate(const System& system, const Output& o, const RunState& state, const Evaluation& e, OutputSlope& d) {
  const int k = o.component, i = (k + 1) % 3, j = (k + 2) % 3;
  if (o.kind == OutputKind::reaction_force || o.kind == OutputKind::reaction_moment)
    return system.reaction(o, state.lambda, state.t, e, d);
  if (o.kind == OutputKind::modal) {
    d.body = o.index;
    d.by_modes = o.factors;
    const int n = system.modes(o.index);
    double sum = 0.0;
    for (int m = 0; m < n; ++m) sum += o.factors[at(m)] * state.q[system.q_at(o.index) + 12 + 9 * n + m];
    return sum;
  }
  d.one = o.index, d.two = o.second;
  const Frame& one = e.frame[at(o.index)];
  if (o.kind == OutputKind::accelerometer) {
    Vector3 a = system.frame_of(o.index, state.vd, true).u;
    if (o.gravity) a -= system.model().gravity;
    d.by_one.G.col(k) = a;
    d.by_acceleration = one.R.col(k);
    return one.R.col(k).dot(a);
  }
  if (o.kind == OutputKind::spin) {
    const Matrix3 &R = one.R, &rate = e.rate[at(o.index)].R;
    if (o.own_axes) {
      d.by_one.G.col(j) = 0.5 * rate.col(i), d.by_one.G.col(i) = -0.5 * rate.col(j);
      d.by_rate.G.col(i) = 0.5 * R.col(j), d.by_rate.G.col(j) = -0.5 * R.col(i);
      return vect(R.transpose() * rate)[k];
    }
    d.by_one.G.row(i) = 0.5 * rate.row(j), d.by_one.G.row(j) = -0.5 * rate.row(i);
    d.by_rate.G.row(j) = 0.5 * R.row(i), d.by_rate.G.row(i) = -0.5 * R.row(j);
    return vect(rate * R.transpose())[k];
  }
  const Frame& two = e.frame[at(o.second)];
  if (o.kind == OutputKind::distance) {
    const Vector3 w = two.u - one.u;
    const double length = w.norm();
    const Vector3 direction = length > 0.0 ? Vector3(w / length) : Vector3(Vector3::UnitZ());
    d.by_two.F = direction, d.by_one.F = -direction;
    return length;
  }
  const Frame still{Vector3::Zero(), Matrix3::Zero()};
  const BushingMeasure m = bushing_measure(one, two, still, still, RotationMeasure::log);
  const int component = o.kind == OutputKind::angle ? k + 3 : k;
  pull_back(one, two, bushing_multipliers(m, Vector6::Unit(component)), d.by_one, d.by_two);
  return m.x[component];
}

}  // namespace

double sensor_value(const System& system, const Output& output, const RunState& state, const Evaluation& e) {
  OutputSlope slope;
  return evaluate(system, output, state, e, slope);
}

OutputSlope sensor_slope(const System& system, const Output& output, const RunState& state, const Evaluation& e) {
  OutputSlope slope;
  evaluate(system, output, state, e, slope);
  return slope;
}

double slope_along(const System& system, const OutputSlope& s, const VectorX& dq, const VectorX& dv, const VectorX& dvd,
                   const VectorX& dlambda) {
  const auto along = [&](int marker, const FrameForce& force, const VectorX& x) {
    if (marker < 0) return 0.0;
    const Frame frame = system.frame_of(marker, x, true);
    return force.F.dot(frame.u) + force.G.cwiseProduct(frame.R).sum();
  };
  double sum = along(s.one, s.by_one, dq) + along(s.two, s.by_two, dq);
  if (!s.by_rate.G.isZero(0.0)) sum += along(s.one, s.by_rate, dv);
  if (!s.by_acceleration.isZero(0.0)) sum += s.by_acceleration.dot(system.frame_of(s.one, dvd, true).u);
  if (s.by_lambda.size() > 0 && dlambda.size() > 0) sum += s.by_lambda.dot(dlambda);
  if (s.body >= 0)
    for (std::size_t m = 0; m < s.by_modes.size(); ++m)
      sum += s.by_modes[m] * dq[system.q_at(s.body) + 12 + 9 * system.modes(s.body) + static_cast<int>(m)];
  return sum;
}

void pull_back_slope(const System& system, const OutputSlope& s, double bar, VectorX& on_q, VectorX& on_v,
                     VectorX& on_vd, VectorX& on_lambda) {
  const auto add = [&](int marker, FrameForce force, VectorX& on) {
    if (marker < 0) return;
    force.F *= bar, force.G *= bar;
    system.add_frame_force(marker, force, on);
  };
  add(s.one, s.by_one, on_q);
  add(s.two, s.by_two, on_q);
  if (!s.by_rate.G.isZero(0.0)) add(s.one, s.by_rate, on_v);
  if (!s.by_acceleration.isZero(0.0)) add(s.one, {s.by_acceleration, Matrix3::Zero()}, on_vd);
  if (s.by_lambda.size() > 0) on_lambda += bar * s.by_lambda;
  if (s.body >= 0)
    for (std::size_t m = 0; m < s.by_modes.size(); ++m)
      on_q[system.q_at(s.body) + 12 + 9 * system.modes(s.body) + static_cast<int>(m)] += bar * s.by_modes[m];
}

}  // namespace kdyn::mbs
