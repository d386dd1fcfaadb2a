// SPDX-License-Identifier: Apache-2.0
// Two frames and what joints and bushings measure between them, with exact first and second variations.
//
//   [mbs E5]  w = u2 - u1,  x_t = R1^T w,  P = R1^T R2,  vect(P) = axial vector of (P - P^T)/2
//   [mbs E110]  angle about z of frame 1: atan2(s, c), s = (P_10 - P_01)/2, c = (P_00 + P_11)/2; who knows the last one counts the turns on
//   [mbs E6]  rotation measure: x_r = vect(P), or log(P) = g(c) vect(P) with c = (tr P - 1)/2, g(c) = theta/sin(theta), theta = acos(c)
//
// All of them are polynomials of the frames' entries (the logarithm up to the scalar g), so that f = -x_q^T load is
// conservative for any load that comes from a potential, also on frames of flexible bodies, which are not orthonormal.
// The logarithm ends at 180 degrees; vect loses its slope at 90 degrees and is zero again at 180. The angle about z ends
// nowhere, as long as the z axes stay within 90 degrees of each other.
#pragma once

#include "kdyn/numerics/dense.hpp"

namespace kdyn::mbs {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix3X = Eigen::Matrix<double, 3, Eigen::Dynamic>;
using MatrixX = Eigen::MatrixXd;
using VectorX = Eigen::VectorXd;
// Variation of a frame by the unknowns of its body: displacement, then the three columns of the rotation.
using FrameVariation = Eigen::Matrix<double, 12, Eigen::Dynamic>;

// angle: x and y as vect, z the angle about z. spin: no angles, rates are the angular velocity of frame 2 against frame 1
// in the axes of frame 1, loads are torques about these axes  [mbs E116].
enum class RotationMeasure { log, vect, angle, spin };

inline Matrix3 skew(const Vector3& a) {
  Matrix3 s;
  s << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return s;
}
// exp(skew(turn))
inline Matrix3 rotation_of(const Vector3& turn) {
  const double angle = turn.norm();
  return angle > 0.0 ? Matrix3(Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix())
                     : Matrix3(Matrix3::Identity());
}
inline Vector3 vect(const Matrix3& m) { return 0.5 * Vector3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)); }

struct Frame {
  Vector3 u = Vector3::Zero();
  Matrix3 R = Matrix3::Identity();
};

// Forces conjugate to a frame: virtual work F . du + G : dR.
struct FrameForce {
  Vector3 F = Vector3::Zero();
  Matrix3 G = Matrix3::Zero();
};

// A multiplier for each bilinear measure: t . x_t + E : P + f . w + kappa |w|^2/2.
struct Multipliers {
  Vector3 t = Vector3::Zero();
  Matrix3 E = Matrix3::Zero();
  Vector3 f = Vector3::Zero();
  double kappa = 0.0;
};

// Gradient of the weighted measures.
inline void pull_back(const Frame& one, const Frame& two, const Multipliers& m, FrameForce& on_one,
                      FrameForce& on_two) {
  const Vector3 w = two.u - one.u;
  const Vector3 force = one.R * m.t + m.f + m.kappa * w;
  on_two.F += force;
  on_one.F -= force;
  on_one.G.noalias() += w * m.t.transpose();
  on_one.G.noalias() += two.R * m.E.transpose();
  on_two.G.noalias() += one.R * m.E;
}

// Adds the second variation of the weighted measures: columns of body one first, then those of body two.
void add_second_variation(const FrameVariation& one, const FrameVariation& two, const Multipliers& m,
                          Eigen::Ref<MatrixX> K);

// [mbs E6] g(c) and its first two derivatives by c.
struct LogFactor {
  double g = 1.0, g1 = 0.0, g2 = 0.0;
};
LogFactor log_factor(double c);

// The six measures of a bushing with their rates.
struct BushingMeasure {
  Vector6 x, rate;
  Vector3 v;  // vect P
  Matrix3 P, P_rate;
  LogFactor factor;  // (1, 0, 0) for the vect measure
  double c_rate = 0.0;
  RotationMeasure kind = RotationMeasure::log;
  double s = 0.0, c = 1.0, s_rate = 0.0;  // of the angle, whose c_rate is that of c
};
BushingMeasure bushing_measure(const Frame& one, const Frame& two, const Frame& one_rate, const Frame& two_rate,
                               RotationMeasure kind);

// Weights whose gradient is x_q^T load, and (rate)_q^T load where `rate` frames take the place of one factor.
Multipliers bushing_multipliers(const BushingMeasure& m, const Vector6& load);

// Rows of vect P and of the cosine (tr P - 1)/2; with the angle about z of its c.
struct TurnRows {
  Matrix3X v;
  Eigen::RowVectorXd c;
  Eigen::Matrix<double, 9, Eigen::Dynamic> P;  // of spin: rows of P
};

// Rows of x_q N and of (rate)_q N, and those of the rotation they are made of.
void bushing_rows(const Frame& one, const Frame& two, const Frame& one_rate, const Frame& two_rate,
                  const FrameVariation& Z1, const FrameVariation& Z2, const BushingMeasure& m,
                  Eigen::Matrix<double, 6, Eigen::Dynamic>& X, Eigen::Matrix<double, 6, Eigen::Dynamic>& X_rate,
                  TurnRows& turn);

// What the logarithm adds to the second variation of load . x beyond that of the multipliers.
void add_log_variation(const TurnRows& turn, const BushingMeasure& m, const Vector6& load, Eigen::Ref<MatrixX> K);

// Variations of P (row 3 j + i holds P_ij) and x_t.
void relative_rows(const Frame& one, const Frame& two, const FrameVariation& Z1, const FrameVariation& Z2,
                   Eigen::Matrix<double, 9, Eigen::Dynamic>& dP, Matrix3X& dx);

}  // namespace kdyn::mbs
