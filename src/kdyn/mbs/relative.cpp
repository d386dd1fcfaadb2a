// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/relative.hpp"

#include <cmath>

namespace kdyn::mbs {
namespace {

using Rows9 = Eigen::Matrix<double, 9, Eigen::Dynamic>;

// Rows of vect(dP) and of tr(dP)/2.
void vect_rows(const Rows9& dP, Matrix3X& dv, Eigen::RowVectorXd& dc) {
  dv.resize(3, dP.cols());
  dv.row(0) = 0.5 * (dP.row(2 + 3 * 1) - dP.row(1 + 3 * 2));
  dv.row(1) = 0.5 * (dP.row(0 + 3 * 2) - dP.row(2 + 3 * 0));
  dv.row(2) = 0.5 * (dP.row(1 + 3 * 0) - dP.row(0 + 3 * 1));
  dc = 0.5 * (dP.row(0) + dP.row(4) + dP.row(8));
}

}  // namespace

void add_second_variation(const FrameVariation& one, const FrameVariation& two, const Multipliers& m, Eigen::Ref<MatrixX> K) {
  const auto n1 = one.cols(), n2 = two.cols();
  const auto U1 = one.topRows<3>(), U2 = two.topRows<3>();
  Matrix3X y2(3, n2), y1(3, n1);
  // With i the column of R1: t_i dR1_i . (dU2 - dU1) + sum_j E_ij dR1_i . dR2_j
  y1.setZero();
  for (int i = 0; i < 3; ++i) {
    y2 = m.t[i] * U2;
    for (int j = 0; j < 3; ++j)
      if (m.E(i, j) != 0.0) y2 += m.E(i, j) * two.middleRows<3>(3 + 3 * j);
    if (n1 > 0 && n2 > 0) K.topRightCorner(n1, n2).noalias() += one.middleRows<3>(3 + 3 * i).transpose() * y2;
    if (n1 > 0) y1 += m.t[i] * one.middleRows<3>(3 + 3 * i);
  }
  if (n1 > 0 && n2 > 0) {
    if (m.kappa != 0.0) K.topRightCorner(n1, n2).noalias() -= m.kappa * U1.transpose() * U2;
    // The lower corner is the transpose of what was added above: formed again, since K may hold more already.
    MatrixX corner = MatrixX::Zero(n2, n1);
    for (int i = 0; i < 3; ++i) {
      y2 = m.t[i] * U2;
      for (int j = 0; j < 3; ++j)
        if (m.E(i, j) != 0.0) y2 += m.E(i, j) * two.middleRows<3>(3 + 3 * j);
      corner.noalias() += y2.transpose() * one.middleRows<3>(3 + 3 * i);
    }
    if (m.kappa != 0.0) corner.noalias() -= m.kappa * U2.transpose() * U1;
    K.bottomLeftCorner(n2, n1) += corner;
  }
  if (n1 > 0) {
    auto K11 = K.topLeftCorner(n1, n1);
    K11.noalias() -= y1.transpose() * U1;
    K11.noalias() -= U1.transpose() * y1;
    if (m.kappa != 0.0) K11.noalias() += m.kappa * U1.transpose() * U1;
  }
  if (n2 > 0 && m.kappa != 0.0) K.bottomRightCorner(n2, n2).noalias() += m.kappa * U2.transpose() * U2;
}

LogFactor log_factor(double c) {
  const double e = 1.0 - c;
  if (std::abs(e) < 0.2) {
    // g = sum_n a_n e^n, a_0 = 1, a_n = a_(n-1) n/(2n+1): the quotients below lose digits here.
    double a = 1.0, power = 1.0, g = 0.0, g1 = 0.0, g2 = 0.0, before = 0.0, twice_before = 0.0;
    for (int n = 0; n < 24; ++n) {
      if (n > 0) a *= n / (2.0 * n + 1.0);
      g += a * power;
      g1 -= n * a * before;
      g2 += n * (n - 1.0) * a * twice_before;
      twice_before = before;
      before = power;
      power *= e;
    }
    return {g, g1, g2};
  }
  const double s2 = 1.0 - c * c, g = std::acos(c) / std::sqrt(s2), g1 = (c * g - 1.0) / s2, g2 = (g + 3.0 * c * g1) / s2;
  return {g, g1, g2};
}

BushingMeasure bushing_measure(const Frame& one, const Frame& two, const Frame& one_rate, const Frame& two_rate, RotationMeasure kind) {
  BushingMeasure m;
  const Vector3 w = two.u - one.u, w_rate = two_rate.u - one_rate.u;
  m.P.noalias() = one.R.transpose() * two.R;
  m.P_rate.noalias() = one_rate.R.transpose() * two.R;
  m.P_rate.noalias() += one.R.transpose() * two_rate.R;
  m.v = vect(m.P);
  const Vector3 v_rate = vect(m.P_rate);
  m.x.head<3>().noalias() = one.R.transpose() * w;
  m.rate.head<3>().noalias() = one.R.transpose() * w_rate;
  m.rate.head<3>().noalias() += one_rate.R.transpose() * w;
  if (kind == RotationMeasure::log) {
    m.factor = log_factor(0.5 * (m.P.trace() - 1.0));
    m.c_rate = 0.5 * m.P_rate.trace();
  }
  m.x.tail<3>() = m.factor.g * m.v;
  m.rate.tail<3>() = m.factor.g * v_rate + m.factor.g1 * m.c_rate * m.v;
  return m;
}

Multipliers bushing_multipliers(const BushingMeasure& m, const Vector6& load) {
  Multipliers k;
  k.t = load.head<3>();
  const Vector3 r = load.tail<3>();
  k.E = 0.5 * m.factor.g * skew(r);
  k.E.diagonal().array() += 0.5 * m.factor.g1 * r.dot(m.v);
  return k;
}

void relative_rows(const Frame& one, const Frame& two, const FrameVariation& Z1, const FrameVariation& Z2, Rows9& dP, Matrix3X& dx) {
  const auto n1 = Z1.cols(), n2 = Z2.cols();
  dP.resize(9, n1 + n2);
  dx.resize(3, n1 + n2);
  const Vector3 w = two.u - one.u;
  for (int i = 0; i < 3; ++i) {
    if (n1 > 0) {
      dx.row(i).head(n1).noalias() = w.transpose() * Z1.middleRows<3>(3 + 3 * i);
      dx.row(i).head(n1).noalias() -= one.R.col(i).transpose() * Z1.topRows<3>();
    }
    if (n2 > 0) dx.row(i).tail(n2).noalias() = one.R.col(i).transpose() * Z2.topRows<3>();
    for (int j = 0; j < 3; ++j) {
      if (n1 > 0) dP.row(i + 3 * j).head(n1).noalias() = two.R.col(j).transpose() * Z1.middleRows<3>(3 + 3 * i);
      if (n2 > 0) dP.row(i + 3 * j).tail(n2).noalias() = one.R.col(i).transpose() * Z2.middleRows<3>(3 + 3 * j);
    }
  }
}

void bushing_rows(const Frame& one, const Frame& two, const Frame& one_rate, const Frame& two_rate, const FrameVariation& Z1, const FrameVariation& Z2,
                  const BushingMeasure& m, Eigen::Matrix<double, 6, Eigen::Dynamic>& X, Eigen::Matrix<double, 6, Eigen::Dynamic>& X_rate) {
  Rows9 dP;
  Matrix3X dx, dv, dv_rate;
  Eigen::RowVectorXd dc, dc_rate;
  const auto n = Z1.cols() + Z2.cols();
  X.resize(6, n);
  X_rate.resize(6, n);
  relative_rows(one, two, Z1, Z2, dP, dx);
  vect_rows(dP, dv, dc);
  const LogFactor& f = m.factor;
  X.topRows<3>() = dx;
  X.bottomRows<3>() = f.g * dv;
  X.bottomRows<3>().noalias() += f.g1 * m.v * dc;
  // The measures are bilinear: their rates vary as the measures do with the rates in place of one factor. For x_t the term R1 dw is such a
  // one as well, hence the same call.
  relative_rows(one_rate, two_rate, Z1, Z2, dP, dx);
  vect_rows(dP, dv_rate, dc_rate);
  X_rate.topRows<3>() = dx;
  const Vector3 v_rate = vect(m.P_rate);
  X_rate.bottomRows<3>() = f.g * dv_rate;
  if (f.g1 != 0.0 || f.g2 != 0.0) {
    X_rate.bottomRows<3>() += f.g1 * m.c_rate * dv;
    X_rate.bottomRows<3>().noalias() += (f.g1 * v_rate + f.g2 * m.c_rate * m.v) * dc;
    X_rate.bottomRows<3>().noalias() += f.g1 * m.v * dc_rate;
  }
}

void add_log_variation(const Frame& one, const Frame& two, const FrameVariation& Z1, const FrameVariation& Z2, const BushingMeasure& m,
                       const Vector6& load, Eigen::Ref<MatrixX> K) {
  if (m.factor.g1 == 0.0 && m.factor.g2 == 0.0) return;
  Rows9 dP;
  Matrix3X dx, dv;
  Eigen::RowVectorXd dc;
  relative_rows(one, two, Z1, Z2, dP, dx);
  vect_rows(dP, dv, dc);
  const Vector3 r = load.tail<3>();
  const Eigen::RowVectorXd rdv = r.transpose() * dv;
  K.noalias() += m.factor.g1 * (dc.transpose() * rdv + rdv.transpose() * dc);
  K.noalias() += m.factor.g2 * r.dot(m.v) * dc.transpose() * dc;
}

}  // namespace kdyn::mbs
