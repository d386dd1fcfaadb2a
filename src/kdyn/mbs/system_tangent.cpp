// SPDX-License-Identifier: Apache-2.0
// The condensed Newton matrix  [mbs E7].
#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {
namespace {

using Map3 = Eigen::Map<const Vector3>;
using Map33 = Eigen::Map<const Matrix3>;

}  // namespace

void System::frame_variation(int marker, const VectorX& q, FrameVariation& Z) const {
  const Marker& m = model_.markers[at(marker)];
  Z.setZero(12, columns(m.body));
  if (m.body < 0) return;
  const double* x = q.data() + q_at(m.body);
  const int n = modes(m.body);
  const Map33 A(x + 3);
  Vector3 p = m.x;
  Matrix3 B = m.R0;
  for (int k = 0; k < n; ++k) {
    const double delta = x[12 + 9 * n + k];
    p += delta * m.psi.col(k);
    B += delta * skew(m.theta.col(k)) * m.R0;
  }
  // [mbs E4] du = A (s - skew(p) th + psi d), dR_j = A (-skew(b_j) th + theta_k x r0_j d_k)
  Z.block<3, 3>(0, 0) = A;
  Z.block<3, 3>(0, 3).noalias() = -A * skew(p);
  for (int j = 0; j < 3; ++j) Z.block<3, 3>(3 + 3 * j, 3).noalias() = -A * skew(B.col(j));
  for (int k = 0; k < n; ++k) {
    Z.block<3, 1>(0, 6 + k) = A * m.psi.col(k);
    for (int j = 0; j < 3; ++j) Z.block<3, 1>(3 + 3 * j, 6 + k) = A * m.theta.col(k).cross(m.R0.col(j));
  }
}

int System::connection_body(int connection, int side) const {
  const Connection& c = model_.connections[at(connection)];
  return model_.markers[at(side == 1 ? c.marker1 : c.marker2)].body;
}

void System::connection_rows(int connection, const VectorX& q, const Evaluation& e, Rows6& X, Rows6& X_rate) const {
  const Connection& c = model_.connections[at(connection)];
  FrameVariation Z1, Z2;
  TurnRows turn;
  frame_variation(c.marker1, q, Z1);
  frame_variation(c.marker2, q, Z2);
  connection_rows(connection, e, Z1, Z2, X, X_rate, turn);
}

void System::connection_rows(int connection, const Evaluation& e, const FrameVariation& Z1, const FrameVariation& Z2,
                             Rows6& X, Rows6& X_rate, TurnRows& turn) const {
  const Connection& c = model_.connections[at(connection)];
  const auto &one = e.frame[at(c.marker1)], &two = e.frame[at(c.marker2)], &one_rate = e.rate[at(c.marker1)],
             &two_rate = e.rate[at(c.marker2)];
  const BushingMeasure& m = e.measure[at(connection)];
  if (c.kind == ConnectionKind::bushing) {
    bushing_rows(one, two, one_rate, two_rate, Z1, Z2, m, X, X_rate, turn);
    return;
  }
  // [mbs E8] d|w| = n . dw,  d(n . w') = (w' - n (n . w')) . dw/|w|
  const Vector3 w = two.u - one.u, dd = two_rate.u - one_rate.u, bend = (dd - m.v * m.v.dot(dd)) / w.norm();
  X.setZero(6, Z1.cols() + Z2.cols());
  X_rate.setZero(6, Z1.cols() + Z2.cols());
  X.row(0) << -m.v.transpose() * Z1.topRows<3>(), m.v.transpose() * Z2.topRows<3>();
  X_rate.row(0) << -bend.transpose() * Z1.topRows<3>(), bend.transpose() * Z2.topRows<3>();
}

void System::add_pair(BlockLu& lu, int body1, int body2, const MatrixX& K) const {
  const int n1 = columns(body1), n2 = columns(body2);
  if (body1 >= 0) lu.block(body1, body1) += K.topLeftCorner(n1, n1);
  if (body2 >= 0) lu.block(body2, body2) += K.bottomRightCorner(n2, n2);
  if (body1 < 0 || body2 < 0) return;
  lu.block(body1, body2) += K.topRightCorner(n1, n2);
  lu.block(body2, body1) += K.bottomLeftCorner(n2, n1);
}

MatrixX System::reduced_mass(int body, const VectorX& q) const {
  const int n = modes(body);
  if (n == 0 && at(body) < rigid_mass_.size()) return rigid_mass_[at(body)];
  // In body axes A drops out: dQ = e_i [1 0 0] for a translation, skew(e_i) P with P = [0 I delta_1 I ...] for a
  // rotation, I in block k for a mode. What G makes of P decides all that depends on delta.
  const MatrixX& G = model_.bodies[at(body)].G;
  const double* delta = q.data() + q_at(body) + 12 + 9 * n;
  Matrix3X PG = G.middleRows<3>(1);
  for (int k = 0; k < n; ++k) PG += delta[k] * G.middleRows<3>(4 + 3 * k);
  Matrix3 W = PG.middleCols<3>(1);
  for (int k = 0; k < n; ++k) W += delta[k] * PG.middleCols<3>(4 + 3 * k);
  MatrixX M(6 + n, 6 + n);
  M.topLeftCorner<3, 3>() = G(0, 0) * Matrix3::Identity();
  M.block<3, 3>(0, 3) = -skew(PG.col(0));
  M.block<3, 3>(3, 3) = W.trace() * Matrix3::Identity() - W;
  for (int k = 0; k < n; ++k) {
    M.block<3, 1>(0, 6 + k) = G.block<1, 3>(0, 4 + 3 * k).transpose();
    // <skew(e_i) P, I_k> = trace(skew(e_i) P G_k): minus twice the axial vector of P G_k
    M.block<3, 1>(3, 6 + k) = -2.0 * vect(PG.middleCols<3>(4 + 3 * k));
    for (int l = 0; l <= k; ++l) M(6 + l, 6 + k) = G.block<3, 3>(4 + 3 * l, 4 + 3 * k).trace();
  }
  M.triangularView<Eigen::StrictlyLower>() = M.transpose();
  return M;
}

void System::add_geometric(const VectorX& q, const VectorX& r, BlockLu& lu) const {
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const int body = static_cast<int>(b), n = modes(body);
    const double *x = q.data() + q_at(body), *f = r.data() + q_at(body);
    const Map33 A(x + 3);
    auto K = lu.block(body, body);
    Matrix3 S = A.transpose() * Map33(f + 3);
    for (int k = 0; k < n; ++k) {
      const Matrix3 Y = A.transpose() * Map33(f + 12 + 9 * k);
      S += x[12 + 9 * n + k] * Y;
      const Vector3 z = 2.0 * vect(Y);
      K.block<3, 1>(3, 6 + k) += z;
      K.block<1, 3>(6 + k, 3) += z.transpose();
    }
    S = (0.5 * (S + S.transpose())).eval();
    K.block<3, 3>(3, 3) -= S.trace() * Matrix3::Identity() - S;
  }
}

void System::add_joint_variation(const VectorX& lambda, double t, const VectorX& q, const Evaluation& e,
                                 BlockLu& lu) const {
  (void)e;
  FrameVariation Z1, Z2;
  MatrixX K;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    Multipliers sum;
    for (int i = row_at_[j]; i < row_at_[j + 1]; ++i) {
      const Multipliers w = weights(rows_[at(i)], t);
      sum.t += lambda[i] * w.t;
      sum.E += lambda[i] * w.E;
      sum.kappa += lambda[i] * w.kappa;
    }
    frame_variation(joint.marker1, q, Z1);
    frame_variation(joint.marker2, q, Z2);
    K.setZero(Z1.cols() + Z2.cols(), Z1.cols() + Z2.cols());
    add_second_variation(Z1, Z2, sum, K);
    add_pair(lu, model_.markers[at(joint.marker1)].body, model_.markers[at(joint.marker2)].body, K);
  }
}

void System::joint_jacobian(const VectorX& q, double t, const Evaluation& e, MatrixX& J) const {
  J.setZero(n_l_, n_t_);
  FrameVariation Z1, Z2;
  Eigen::Matrix<double, 9, Eigen::Dynamic> dP;
  Matrix3X dx;
  for (int i = 0; i < n_l_; ++i) {
    const Joint& joint = model_.joints[at(rows_[at(i)].joint)];
    const int b1 = model_.markers[at(joint.marker1)].body, b2 = model_.markers[at(joint.marker2)].body;
    frame_variation(joint.marker1, q, Z1);
    frame_variation(joint.marker2, q, Z2);
    const auto &one = e.frame[at(joint.marker1)], &two = e.frame[at(joint.marker2)];
    relative_rows(one, two, Z1, Z2, dP, dx);
    const Multipliers w = weights(rows_[at(i)], t);
    const Vector3 direct = w.f + w.kappa * (two.u - one.u);
    Eigen::RowVectorXd row =
        w.t.transpose() * dx + Eigen::Map<const Eigen::Matrix<double, 9, 1>>(w.E.data()).transpose() * dP;
    if (b1 >= 0) J.row(i).segment(t_at(b1), Z1.cols()) += row.head(Z1.cols()) - direct.transpose() * Z1.topRows<3>();
    if (b2 >= 0) J.row(i).segment(t_at(b2), Z2.cols()) += row.tail(Z2.cols()) + direct.transpose() * Z2.topRows<3>();
  }
}

void System::add_load_variation(std::size_t index, double t, const VectorX& q, const Evaluation& e, BlockLu& lu) const {
  const PointLoad& load = model_.loads[index];
  Vector3 force, torque;
  load_values(index, t, e, force, torque);
  const int body = model_.markers[at(load.marker)].body;
  if (body < 0 || ((force.isZero() || !load.follows) && torque.isZero())) return;
  FrameVariation Z;
  frame_variation(load.marker, q, Z);
  const Matrix3& R = e.frame[at(load.marker)].R;
  auto K = lu.block(body, body);
  for (int c = 0; c < Z.cols(); ++c) {
    const Map33 dR(Z.col(c).data() + 3);
    Matrix3 dG = 0.5 * skew(load.follows ? Vector3(R * torque) : torque) * dR;
    if (load.follows) {
      dG += 0.5 * skew(dR * torque) * R;
      K.col(c) -= Z.topRows<3>().transpose() * (dR * force);
    }
    K.col(c) -= Z.bottomRows<9>().transpose() * Eigen::Map<const Eigen::Matrix<double, 9, 1>>(dG.data());
  }
}

void System::prepare(BlockLu& lu) const {
  std::vector<int> sizes;
  std::vector<std::pair<int, int>> couplings;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) sizes.push_back(columns(static_cast<int>(b)));
  const auto couple = [&](int m1, int m2) {
    const int b1 = model_.markers[at(m1)].body, b2 = model_.markers[at(m2)].body;
    if (b1 >= 0 && b2 >= 0) couplings.emplace_back(b1, b2);
  };
  for (const Connection& c : model_.connections) couple(c.marker1, c.marker2);
  if (has_formulas())
    for (const auto& pair : formula_couplings()) couplings.push_back(pair);
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (block_of_joint_[j] < 0) continue;
    const Joint& joint = model_.joints[j];
    couple(joint.marker1, joint.marker2);
    for (const int m : {joint.marker1, joint.marker2})
      if (model_.markers[at(m)].body >= 0) couplings.emplace_back(block_of_joint_[j], model_.markers[at(m)].body);
    sizes.push_back(row_at_[j + 1] - row_at_[j]);
  }
  lu.analyse(sizes, couplings, static_cast<int>(model_.bodies.size()));
}

void System::tangent(const VectorX& q, const VectorX& v, double c_m, double c_v, const VectorX& lambda, double t,
                     Evaluation& e, BlockLu& lu) const {
  (void)v;
  lu.set_zero();
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const int body = static_cast<int>(b), n = modes(body);
    auto K = lu.block(body, body);
    if (c_m != 0.0 && n == 0)
      K += c_m * rigid_mass_[b];
    else if (c_m != 0.0)
      K += c_m * reduced_mass(body, q);
    if (n > 0) K.bottomRightCorner(n, n) += model_.bodies[b].stiffness + c_v * model_.bodies[b].damping;
  }
  add_geometric(q, e.r, lu);
  FrameVariation Z1, Z2;
  Rows6 weighted;
  TurnRows turn;
  MatrixX K;
  e.X.resize(model_.connections.size());
  e.X_rate.resize(model_.connections.size());
  for (std::size_t c = 0; c < model_.connections.size(); ++c) {
    const Connection& connection = model_.connections[c];
    const BushingMeasure& m = e.measure[c];
    Vector6 load = given_load(c, e), load_x = Vector6::Zero(), load_v = Vector6::Zero();
    for (const int a : axes_of_[c]) {
      const int k = axes_[at(a)].component;
      load[k] += e.load[at(a)];
      load_x[k] = e.load_x[at(a)];
      load_v[k] = e.load_v[at(a)];
    }
    Rows6 &X = e.X[c], &X_rate = e.X_rate[c];
    frame_variation(connection.marker1, q, Z1);
    frame_variation(connection.marker2, q, Z2);
    connection_rows(static_cast<int>(c), e, Z1, Z2, X, X_rate, turn);
    const Matrix3* coupling = coupled_of_[c] < 0 ? nullptr : &e.coupling_x[at(coupled_of_[c])];
    if (X.cols() == 12) {
      // Two rigid bodies: sizes known to the compiler.
      using Rows = Eigen::Matrix<double, 6, 12>;
      const Eigen::Map<const Rows> x(X.data()), x_rate(X_rate.data());
      Rows pulled = (load_x + c_v * load_v).asDiagonal() * x + load_v.asDiagonal() * x_rate;
      if (coupling) pulled.topRows<3>() += *coupling * x.topRows<3>();
      K.resize(12, 12);
      Eigen::Map<Eigen::Matrix<double, 12, 12>> own(K.data());
      for (int j = 0; j < 12; ++j) own.col(j).noalias() = x.transpose() * pulled.col(j);
    } else {
      weighted.noalias() = (load_x + c_v * load_v).asDiagonal() * X;
      weighted.noalias() += load_v.asDiagonal() * X_rate;
      if (coupling) weighted.topRows<3>() += *coupling * X.topRows<3>();
      K.noalias() = X.transpose().lazyProduct(weighted);
    }
    const Multipliers weights = connection_multipliers(connection, m, e, load);
    add_second_variation(Z1, Z2, weights, K);
    if (connection.kind == ConnectionKind::bushing)
      add_log_variation(turn, m, load, K);
    else
      K.noalias() -= weights.kappa * X.row(0).transpose() * X.row(0);
    add_pair(lu, connection_body(static_cast<int>(c), 1), connection_body(static_cast<int>(c), 2), K);
  }
  for (std::size_t l = 0; l < model_.loads.size(); ++l) add_load_variation(l, t, q, e, lu);
  if (!model_.state_forces.empty()) add_formulas(q, c_v, e, lu);
  for (std::size_t i = 0; i < model_.tyres.size(); ++i) add_tyre_tangent(i, q, c_v, e, lu);
  if (n_l_ == 0) return;
  add_joint_variation(lambda, t, q, e, lu);
  add_joint_rows(q, t, e, lu);
}

void System::mass_and_joints(const VectorX& q, double t, const Evaluation& e, BlockLu& lu) const {
  lu.set_zero();
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    lu.block(static_cast<int>(b), static_cast<int>(b)) = reduced_mass(static_cast<int>(b), q);
  add_joint_rows(q, t, e, lu);
}

void System::add_joint_rows(const VectorX& q, double t, const Evaluation& e, BlockLu& lu) const {
  FrameVariation Z1, Z2;
  Eigen::Matrix<double, 9, Eigen::Dynamic> dP;
  Matrix3X dx;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (block_of_joint_[j] < 0) continue;
    const Joint& joint = model_.joints[j];
    const int b1 = model_.markers[at(joint.marker1)].body, b2 = model_.markers[at(joint.marker2)].body;
    frame_variation(joint.marker1, q, Z1);
    frame_variation(joint.marker2, q, Z2);
    const auto &one = e.frame[at(joint.marker1)], &two = e.frame[at(joint.marker2)];
    relative_rows(one, two, Z1, Z2, dP, dx);
    for (int i = row_at_[j]; i < row_at_[j + 1]; ++i) {
      const int row_index = i - row_at_[j];
      const Multipliers w = weights(rows_[at(i)], t);
      const Vector3 direct = w.f + w.kappa * (two.u - one.u);
      const Eigen::RowVectorXd row =
          w.t.transpose() * dx + Eigen::Map<const Eigen::Matrix<double, 9, 1>>(w.E.data()).transpose() * dP;
      const auto put = [&](int body, const Eigen::RowVectorXd& values) {
        lu.block(block_of_joint_[j], body).row(row_index) += values;
        lu.block(body, block_of_joint_[j]).col(row_index) += values.transpose();
      };
      if (b1 >= 0) put(b1, row.head(Z1.cols()) - direct.transpose() * Z1.topRows<3>());
      if (b2 >= 0) put(b2, row.tail(Z2.cols()) + direct.transpose() * Z2.topRows<3>());
    }
  }
}

void System::joint_rates(const VectorX& q, const VectorX& x, double t, const Evaluation& e, VectorX& rate) const {
  (void)q;
  rate.setZero(n_l_);
  for (int i = 0; i < n_l_; ++i) {
    const Joint& joint = model_.joints[at(rows_[at(i)].joint)];
    const auto &one = e.frame[at(joint.marker1)], &two = e.frame[at(joint.marker2)];
    const Frame d1 = frame_of(joint.marker1, x, true), d2 = frame_of(joint.marker2, x, true);
    const Multipliers w = weights(rows_[at(i)], t);
    const Vector3 d = two.u - one.u, dd = d2.u - d1.u;
    rate[i] = w.t.dot(one.R.transpose() * dd + d1.R.transpose() * d) +
              w.E.cwiseProduct(d1.R.transpose() * two.R + one.R.transpose() * d2.R).sum() + w.f.dot(dd) +
              w.kappa * d.dot(dd);
  }
}

void System::body_velocity(const VectorX& q, const VectorX& v, VectorX& xi) const {
  xi.resize(n_t_);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const int body = static_cast<int>(b), n = modes(body);
    const double *x = q.data() + q_at(body), *y = v.data() + q_at(body);
    const Map33 A(x + 3);
    xi.segment<3>(t_at(body)) = A.transpose() * Map3(y);
    xi.segment<3>(t_at(body) + 3) = vect(A.transpose() * Map33(y + 3));
    xi.segment(t_at(body) + 6, n) = v.segment(q_at(body) + 12 + 9 * n, n);
  }
}

}  // namespace kdyn::mbs
