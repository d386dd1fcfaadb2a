// SPDX-License-Identifier: Apache-2.0
// Tyres in the equations: a wrench on one marker with states of its own, condensed as those of the laws are.
//
//   [mbs E77]  motion y = (u, e, u', omega) of the wheel, wrench F(t, y, w), w' = h(t, y, w);  c w + offset = h gives w,
//              dF = (F_y + F_w D^-1 h_y) dy,  D = c I - h_w;  r of [mbs E3] takes -F as that of a load  [mbs E9]
#include <algorithm>
#include <cmath>

#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {

TyreMotion System::tyre_motion(std::size_t tyre, const Evaluation& e) const {
  const std::size_t marker = at(model_.tyres[tyre].marker);
  const Frame &frame = e.frame[marker], &rate = e.rate[marker];
  TyreMotion y;
  y << frame.u, frame.R.col(2), rate.u, vect(rate.R * frame.R.transpose());
  return y;
}

TyreForce<double> System::tyre_force(std::size_t tyre, double t, const Evaluation& e) const {
  const TyreMotion y = tyre_motion(tyre, e);
  return evaluate(model_.tyres[tyre], t, y.data(), e.w.data() + tyre_w_at_[tyre]);
}

void System::look_at_tyre(std::size_t tyre, double t, const TyreMotion& y, const double* w, TyreEvaluation& out) const {
  TyreJet in[tyre_inputs], states[tyre_states];
  for (int k = 0; k < tyre_inputs; ++k) in[k].a = y[k], in[k].v[k] = 1.0;
  const int n = model_.tyres[tyre].states();
  for (int k = 0; k < n; ++k) states[k].a = w[k], states[k].v[tyre_inputs + k] = 1.0;
  const TyreForce<TyreJet> f = evaluate(model_.tyres[tyre], t, in, states);
  for (int i = 0; i < 6; ++i) {
    const TyreJet& one = i < 3 ? f.force[i] : f.torque[i - 3];
    out.wrench[i] = one.a;
    for (int k = 0; k < tyre_inputs; ++k) out.F_y(i, k) = one.v[k];
    for (int k = 0; k < tyre_states; ++k) out.F_w(i, k) = one.v[tyre_inputs + k];
  }
  for (int i = 0; i < tyre_states; ++i) {
    out.rate[i] = f.rate[i].a;
    for (int k = 0; k < tyre_inputs; ++k) out.h_y(i, k) = f.rate[i].v[k];
    for (int k = 0; k < tyre_states; ++k) out.h_w(i, k) = f.rate[i].v[tyre_inputs + k];
  }
}

void System::apply_tyres(const StateScheme& scheme, bool solve, Evaluation& e) const {
  e.tyres.resize(model_.tyres.size());
  e.time = scheme.t;
  for (std::size_t i = 0; i < e.tyres.size(); ++i) {
    TyreEvaluation& tyre = e.tyres[i];
    const int n = model_.tyres[i].states(), first = tyre_w_at_[i];
    const TyreMotion y = tyre_motion(i, e);
    double* w = e.w.data() + first;
    look_at_tyre(i, scheme.t, y, w, tyre);
    tyre.D = scheme.c * Eigen::Matrix2d::Identity() - tyre.h_w;
    tyre.S = tyre.F_y;
    if (n == 0) continue;
    if (scheme.c == 0.0) {
      for (int k = 0; k < n; ++k) e.wd[first + k] = tyre.rate[k];
      continue;
    }
    for (int round = 0; solve && round < 30; ++round) {
      const Eigen::Vector2d g = scheme.c * Eigen::Vector2d(w[0], w[1]) + scheme.offset.segment<2>(first) - tyre.rate;
      const Eigen::Vector2d dw = -tyre.D.inverse() * g;
      w[0] += dw[0], w[1] += dw[1];
      look_at_tyre(i, scheme.t, y, w, tyre);
      tyre.D = scheme.c * Eigen::Matrix2d::Identity() - tyre.h_w;
      // Deflections are metres: a thousandth of a nanometre's millionth is rounding.
      if (!(dw.cwiseAbs().maxCoeff() > 1e-15 * (1e-3 + std::max(std::abs(w[0]), std::abs(w[1]))))) break;
    }
    if (solve) e.wd.segment<2>(first) = scheme.c * e.w.segment<2>(first) + scheme.offset.segment<2>(first);
    tyre.S += tyre.F_w * tyre.D.inverse() * tyre.h_y;
  }
}

// At rest nothing slides, and the deflections along and across are those of the start: none.
void System::apply_static_tyres(Evaluation& e) const {
  e.tyres.resize(model_.tyres.size());
  e.time = 0.0;
  const double none[tyre_states] = {};
  for (std::size_t i = 0; i < e.tyres.size(); ++i) {
    TyreMotion y = tyre_motion(i, e);
    y.tail<6>().setZero();
    look_at_tyre(i, 0.0, y, none, e.tyres[i]);
    e.tyres[i].S = e.tyres[i].F_y;
  }
}

TyreMotion System::tyre_change(std::size_t tyre, const VectorX& dq, const VectorX& dv, const Evaluation& e) const {
  const int marker = model_.tyres[tyre].marker;
  const Frame &frame = e.frame[at(marker)], &rate = e.rate[at(marker)];
  TyreMotion out = TyreMotion::Zero();
  if (dq.size() > 0) {
    const Frame d = frame_of(marker, dq, true);
    out.head<3>() += d.u;
    out.segment<3>(3) += d.R.col(2);
    out.tail<3>() += vect(rate.R * d.R.transpose());
  }
  if (dv.size() > 0) {
    const Frame d = frame_of(marker, dv, true);
    out.segment<3>(6) += d.u;
    out.tail<3>() += vect(d.R * frame.R.transpose());
  }
  return out;
}

void System::pull_back_tyre(std::size_t tyre, const TyreMotion& by, const Evaluation& e, VectorX& on_q,
                            VectorX& on_v) const {
  const int marker = model_.tyres[tyre].marker;
  const Frame &frame = e.frame[at(marker)], &rate = e.rate[at(marker)];
  const Matrix3 turn = 0.5 * skew(by.tail<3>());
  FrameForce f;
  f.F = by.head<3>();
  f.G = -turn * rate.R;
  f.G.col(2) += by.segment<3>(3);
  add_frame_force(marker, f, on_q);
  f.F = by.segment<3>(6);
  f.G = turn * frame.R;
  add_frame_force(marker, f, on_v);
}

void System::add_tyre_wrench(std::size_t tyre, const Vector6& wrench, const Evaluation& e, VectorX& full) const {
  const int marker = model_.tyres[tyre].marker;
  FrameForce f;
  f.F = wrench.head<3>();
  f.G = 0.5 * skew(wrench.tail<3>()) * e.frame[at(marker)].R;  // [mbs E9]
  add_frame_force(marker, f, full);
}

Vector6 System::tyre_wrench_along(std::size_t tyre, const VectorX& dq, const Evaluation& e) const {
  const int marker = model_.tyres[tyre].marker;
  const Frame d = frame_of(marker, dq, true);
  Vector6 out;
  out << d.u, vect(d.R * e.frame[at(marker)].R.transpose());
  return out;
}

void System::hold_on_tyres(const VectorX& q, const Evaluation& e, BlockLu& lu) const {
  constexpr double share = 1e-4;  // of the vertical stiffness: Newton still converges in a few rounds
  FrameVariation Z;
  for (const Tyre& tyre : model_.tyres) {
    const int body = model_.markers[at(tyre.marker)].body;
    const Matrix3& R = e.frame[at(tyre.marker)].R;
    frame_variation(tyre.marker, q, Z);
    auto K = lu.block(body, body);
    Eigen::RowVectorXd spin(Z.cols());
    for (Eigen::Index c = 0; c < Z.cols(); ++c)
      spin[c] = tyre.radius * R.col(2).dot(vect(Eigen::Map<const Matrix3>(Z.col(c).data() + 3) * R.transpose()));
    K += share * tyre.stiffness * (Z.topRows<2>().transpose() * Z.topRows<2>() + spin.transpose() * spin);
  }
}

void System::add_tyre_tangent(std::size_t i, const VectorX& q, double c_v, const Evaluation& e, BlockLu& lu) const {
  const int marker = model_.tyres[i].marker, body = model_.markers[at(marker)].body;
  const Frame &frame = e.frame[at(marker)], &rate = e.rate[at(marker)];
  const TyreEvaluation& tyre = e.tyres[i];
  FrameVariation Z;
  frame_variation(marker, q, Z);
  const auto n = Z.cols();
  Eigen::Matrix<double, tyre_inputs, Eigen::Dynamic> Y(tyre_inputs, n);
  Rows6 W(6, n);
  auto K = lu.block(body, body);
  const Matrix3 torque = 0.5 * skew(tyre.wrench.tail<3>());
  for (Eigen::Index c = 0; c < n; ++c) {
    const Eigen::Map<const Matrix3> dR(Z.col(c).data() + 3);
    const Vector3 turned = vect(dR * frame.R.transpose());
    W.col(c) << Z.col(c).head<3>(), turned;
    Y.col(c) << Z.col(c).head<3>(), dR.col(2), c_v * Z.col(c).head<3>(), vect(rate.R * dR.transpose()) + c_v * turned;
    const Matrix3 dG = torque * dR;
    K.col(c) -= Z.bottomRows<9>().transpose() * Eigen::Map<const Eigen::Matrix<double, 9, 1>>(dG.data());
  }
  K -= W.transpose() * (tyre.S * Y);
}

}  // namespace kdyn::mbs
