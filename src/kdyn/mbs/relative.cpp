// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/relative.hpp"

#include <array>
#include <cmath>

namespace kdyn::mbs {
namespace {

using Rows9 = Eigen::Matrix<double, 9, Eigen::Dynamic>;

// Of the angle about z.
void planar_row(const Rows9& dP, Eigen::RowVectorXd& dc) { dc = 0.5 * (dP.row(0) + dP.row(4)); }

// Rows of vect(dP) and of tr(dP)/2.
void vect_rows(const Rows9& dP, Matrix3X& dv, Eigen::RowVectorXd& dc) {
  dv.resize(3, dP.cols());
  dv.row(0) = 0.5 * (dP.row(2 + 3 * 1) - dP.row(1 + 3 * 2));
  dv.row(1) = 0.5 * (dP.row(0 + 3 * 2) - dP.row(2 + 3 * 0));
  dv.row(2) = 0.5 * (dP.row(1 + 3 * 0) - dP.row(0 + 3 * 1));
  dc = 0.5 * (dP.row(0) + dP.row(4) + dP.row(8));
}

}  // namespace

namespace {

// Two rigid bodies, six unknowns each: sizes that the compiler knows make these small products several times faster.
using Rigid = Eigen::Map<const Eigen::Matrix<double, 12, 6>>;
bool both_rigid(const FrameVariation& one, const FrameVariation& two) { return one.cols() == 6 && two.cols() == 6; }

// With i the column of R1: t_i dR1_i . (dU2 - dU1) + sum_j E_ij dR1_i . dR2_j
template <class One, class Two, class Columns1, class Columns2, class Corner, class Matrix>
void second_variation(const One& one, const Two& two, const Multipliers& m, Columns1& y1, Columns2& y2, Corner& corner,
                      Matrix&& K) {
  const auto n1 = one.cols(), n2 = two.cols();
  const auto U1 = one.template topRows<3>();
  const auto U2 = two.template topRows<3>();
  if (n1 > 0) {
    y1.setZero(3, n1);
    for (int i = 0; i < 3; ++i)
      if (m.t[i] != 0.0) y1 += m.t[i] * one.template middleRows<3>(3 + 3 * i);
  }
  if (n1 > 0 && n2 > 0) {
    corner.noalias() = y1.transpose().lazyProduct(U2);
    for (int i = 0; i < 3; ++i) {
      if (m.E.row(i).isZero(0.0)) continue;
      y2.setZero(3, n2);
      for (int j = 0; j < 3; ++j)
        if (m.E(i, j) != 0.0) y2 += m.E(i, j) * two.template middleRows<3>(3 + 3 * j);
      corner.noalias() += one.template middleRows<3>(3 + 3 * i).transpose().lazyProduct(y2);
    }
    if (m.kappa != 0.0) corner.noalias() -= m.kappa * U1.transpose().lazyProduct(U2);
    K.topRightCorner(n1, n2) += corner;
    K.bottomLeftCorner(n2, n1) += corner.transpose();
  }
  if (n1 > 0) {
    auto K11 = K.topLeftCorner(n1, n1);
    K11.noalias() -= y1.transpose().lazyProduct(U1);
    K11.noalias() -= U1.transpose().lazyProduct(y1);
    if (m.kappa != 0.0) K11.noalias() += m.kappa * U1.transpose().lazyProduct(U1);
  }
  if (n2 > 0 && m.kappa != 0.0) K.bottomRightCorner(n2, n2).noalias() += m.kappa * U2.transpose().lazyProduct(U2);
}

}  // namespace

void add_second_variation(const FrameVariation& one, const FrameVariation& two, const Multipliers& m,
                          Eigen::Ref<MatrixX> K) {
  if (both_rigid(one, two) && K.outerStride() == 12) {
    Eigen::Matrix<double, 3, 6> y1, y2;
    Eigen::Matrix<double, 6, 6> corner;
    second_variation(Rigid(one.data()), Rigid(two.data()), m, y1, y2, corner,
                     Eigen::Map<Eigen::Matrix<double, 12, 12>>(K.data()));
    return;
  }
  // Kept from call to call: their memory is asked for once.
  static thread_local Matrix3X y1, y2;
  static thread_local MatrixX corner;
  second_variation(one, two, m, y1, y2, corner, K);
}

LogFactor log_factor(double c) {
  const double e = 1.0 - c;
  if (std::abs(e) < 0.2) {
    // g = sum_n a_n e^n, a_0 = 1, a_n = a_(n-1) n/(2n+1): the quotients below lose digits here. Terms fall like
    // (e/2)^n.
    static const auto a = [] {
      std::array<double, 24> coefficients{1.0};
      for (std::size_t n = 1; n < coefficients.size(); ++n)
        coefficients[n] = coefficients[n - 1] * static_cast<double>(n) / (2.0 * static_cast<double>(n) + 1.0);
      return coefficients;
    }();
    const double size = std::abs(e);
    const std::size_t last = size < 1e-6 ? 4 : size < 1e-3 ? 7 : size < 2e-2 ? 11 : 23;
    // Horner with the first two derivatives beside it.
    double g = a[last], g1 = 0.0, g2 = 0.0;
    for (std::size_t n = last; n-- > 0;) {
      g2 = g2 * e + 2.0 * g1;
      g1 = g1 * e + g;
      g = g * e + a[n];
    }
    return {g, -g1, g2};
  }
  const double s2 = 1.0 - c * c, g = std::acos(c) / std::sqrt(s2), g1 = (c * g - 1.0) / s2,
               g2 = (g + 3.0 * c * g1) / s2;
  return {g, g1, g2};
}

BushingMeasure bushing_measure(const Frame& one, const Frame& two, const Frame& one_rate, const Frame& two_rate,
                               RotationMeasure kind) {
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
  if (kind == RotationMeasure::angle) {  // [mbs E110]
    m.kind = kind;
    m.s = m.v.z(), m.c = 0.5 * (m.P(0, 0) + m.P(1, 1));
    m.s_rate = v_rate.z(), m.c_rate = 0.5 * (m.P_rate(0, 0) + m.P_rate(1, 1));
    m.x.segment<2>(3) = m.v.head<2>();
    m.rate.segment<2>(3) = v_rate.head<2>();
    m.x[5] = std::atan2(m.s, m.c);
    m.rate[5] = (m.c * m.s_rate - m.s * m.c_rate) / (m.s * m.s + m.c * m.c);
    return m;
  }
  if (kind == RotationMeasure::spin) {  // [mbs E116]
    m.kind = kind;
    m.x.tail<3>().setZero();
    m.rate.tail<3>() = vect(m.P_rate * m.P.transpose());
    return m;
  }
  m.x.tail<3>() = m.factor.g * m.v;
  m.rate.tail<3>() = m.factor.g * v_rate + m.factor.g1 * m.c_rate * m.v;
  return m;
}

Multipliers bushing_multipliers(const BushingMeasure& m, const Vector6& load) {
  Multipliers k;
  k.t = load.head<3>();
  const Vector3 r = load.tail<3>();
  if (m.kind == RotationMeasure::spin) {
    k.E = 0.5 * skew(r) * m.P;
    return k;
  }
  if (m.kind == RotationMeasure::angle) {
    const double by = 0.5 * r.z() / (m.s * m.s + m.c * m.c);
    k.E = 0.5 * skew(Vector3(r.x(), r.y(), 0.0));
    k.E(1, 0) += by * m.c, k.E(0, 1) -= by * m.c;
    k.E(0, 0) -= by * m.s, k.E(1, 1) -= by * m.s;
    return k;
  }
  k.E = 0.5 * m.factor.g * skew(r);
  k.E.diagonal().array() += 0.5 * m.factor.g1 * r.dot(m.v);
  return k;
}

namespace {

template <class One, class Two, class Turns, class Moves>
void fill_relative_rows(const Frame& one, const Frame& two, const One& Z1, const Two& Z2, Turns&& dP, Moves&& dx) {
  const auto n1 = Z1.cols(), n2 = Z2.cols();
  const Vector3 w = two.u - one.u;
  for (int i = 0; i < 3; ++i) {
    if (n1 > 0) {
      dx.row(i).head(n1).noalias() = w.transpose().lazyProduct(Z1.template middleRows<3>(3 + 3 * i));
      dx.row(i).head(n1).noalias() -= one.R.col(i).transpose().lazyProduct(Z1.template topRows<3>());
    }
    if (n2 > 0) dx.row(i).tail(n2).noalias() = one.R.col(i).transpose().lazyProduct(Z2.template topRows<3>());
    for (int j = 0; j < 3; ++j) {
      if (n1 > 0)
        dP.row(i + 3 * j).head(n1).noalias() =
            two.R.col(j).transpose().lazyProduct(Z1.template middleRows<3>(3 + 3 * i));
      if (n2 > 0)
        dP.row(i + 3 * j).tail(n2).noalias() =
            one.R.col(i).transpose().lazyProduct(Z2.template middleRows<3>(3 + 3 * j));
    }
  }
}

}  // namespace

void relative_rows(const Frame& one, const Frame& two, const FrameVariation& Z1, const FrameVariation& Z2, Rows9& dP,
                   Matrix3X& dx) {
  const auto n = Z1.cols() + Z2.cols();
  dP.resize(9, n);
  dx.resize(3, n);
  if (both_rigid(Z1, Z2))
    fill_relative_rows(one, two, Rigid(Z1.data()), Rigid(Z2.data()),
                       Eigen::Map<Eigen::Matrix<double, 9, 12>>(dP.data()),
                       Eigen::Map<Eigen::Matrix<double, 3, 12>>(dx.data()));
  else
    fill_relative_rows(one, two, Z1, Z2, dP, dx);
}

void bushing_rows(const Frame& one, const Frame& two, const Frame& one_rate, const Frame& two_rate,
                  const FrameVariation& Z1, const FrameVariation& Z2, const BushingMeasure& m,
                  Eigen::Matrix<double, 6, Eigen::Dynamic>& X, Eigen::Matrix<double, 6, Eigen::Dynamic>& X_rate,
                  TurnRows& turn) {
  // Kept from call to call: their memory is asked for once.
  static thread_local Rows9 dP;
  static thread_local Matrix3X dx, dv_rate;
  static thread_local Eigen::RowVectorXd dc_rate;
  Matrix3X& dv = turn.v;
  Eigen::RowVectorXd& dc = turn.c;
  const auto n = Z1.cols() + Z2.cols();
  X.resize(6, n);
  X_rate.resize(6, n);
  relative_rows(one, two, Z1, Z2, dP, dx);
  vect_rows(dP, dv, dc);
  const LogFactor& f = m.factor;
  X.topRows<3>() = dx;
  X.bottomRows<3>() = f.g * dv;
  if (m.kind == RotationMeasure::spin) {
    // vect(dP P^T), and with P' beside it.
    const auto turned = [](const Rows9& d, const Matrix3& by, auto&& out) {
      for (Eigen::Index k = 0; k < d.cols(); ++k)
        out.col(k) = vect(Eigen::Map<const Matrix3>(d.col(k).data()) * by.transpose());
    };
    turn.P = dP;
    turned(dP, m.P, X.bottomRows<3>());
    Matrix3X still(3, n);
    // vect(P' dP^T) = -vect(dP P'^T)
    turned(dP, m.P_rate, still);
    relative_rows(one_rate, two_rate, Z1, Z2, dP, dx);
    X_rate.topRows<3>() = dx;
    turned(dP, m.P, X_rate.bottomRows<3>());
    X_rate.bottomRows<3>() -= still;
    return;
  }
  if (m.kind == RotationMeasure::angle) {
    const double D = m.s * m.s + m.c * m.c, rate = m.rate[5];
    planar_row(dP, dc);
    X.row(5) = (m.c * dv.row(2) - m.s * dc) / D;
    relative_rows(one_rate, two_rate, Z1, Z2, dP, dx);
    vect_rows(dP, dv_rate, dc_rate);
    planar_row(dP, dc_rate);
    X_rate.topRows<3>() = dx;
    X_rate.middleRows<2>(3) = dv_rate.topRows<2>();
    X_rate.row(5) = (m.s_rate * dc + m.c * dv_rate.row(2) - m.c_rate * dv.row(2) - m.s * dc_rate -
                     2.0 * rate * (m.s * dv.row(2) + m.c * dc)) /
                    D;
    return;
  }
  X.bottomRows<3>().noalias() += f.g1 * m.v * dc;
  // The measures are bilinear: their rates vary as the measures do with the rates in place of one factor. For x_t the
  // term R1 dw is such a one as well, hence the same call.
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

void add_log_variation(const TurnRows& turn, const BushingMeasure& m, const Vector6& load, Eigen::Ref<MatrixX> K) {
  if (m.kind == RotationMeasure::spin) {
    const Vector3 r = load.tail<3>();
    if (r.isZero(0.0)) return;
    const Matrix3 half = 0.5 * skew(r);
    for (Eigen::Index j = 0; j < K.cols(); ++j) {
      const Matrix3 change = half * Eigen::Map<const Matrix3>(turn.P.col(j).data());
      for (Eigen::Index i = 0; i < K.rows(); ++i)
        K(i, j) += change.cwiseProduct(Eigen::Map<const Matrix3>(turn.P.col(i).data())).sum();
    }
    return;
  }
  if (m.kind == RotationMeasure::angle) {
    const double D = m.s * m.s + m.c * m.c, by = load[5] / (D * D);
    if (by == 0.0) return;
    const double ss = -2.0 * by * m.s * m.c, sc = by * (m.s * m.s - m.c * m.c);
    for (Eigen::Index j = 0; j < K.cols(); ++j)
      for (Eigen::Index i = 0; i < K.rows(); ++i) {
        const double si = turn.v(2, i), sj = turn.v(2, j), ci = turn.c[i], cj = turn.c[j];
        K(i, j) += ss * (si * sj - ci * cj) + sc * (si * cj + ci * sj);
      }
    return;
  }
  if (m.factor.g1 == 0.0 && m.factor.g2 == 0.0) return;
  const Vector3 r = load.tail<3>();
  static thread_local Eigen::RowVectorXd rdv;
  rdv.noalias() = r.transpose() * turn.v;
  const double f1 = m.factor.g1, f2 = m.factor.g2 * r.dot(m.v);
  // Column by column: three outer products in one sweep.
  for (Eigen::Index j = 0; j < K.cols(); ++j)
    for (Eigen::Index i = 0; i < K.rows(); ++i)
      K(i, j) += f1 * (turn.c[i] * rdv[j] + rdv[i] * turn.c[j]) + f2 * turn.c[i] * turn.c[j];
}

}  // namespace kdyn::mbs
