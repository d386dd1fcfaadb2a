// SPDX-License-Identifier: Apache-2.0
// Two-axle road vehicle with seven degrees of freedom: a rigid body that bounces, pitches and rolls on four wheels that
// hop.
//
//   [vehicle E1]  M X'' + C X' + K X = F,  X = (zs, theta, phi, zuA, zuB, zuC, zuD),  F = (0, 0, 0, ktA zgA, ktB zgB, ktC zgC, ktD zgD)
//   [vehicle E2]  M = diag(ms, Iyy, Ixx, muA..muD),  K = sum_i ksi gi gi^T + kti ei ei^T,  C = sum_i csi gi gi^T
// gi = (1, -a or b, tf, -tf, tr or -tr, -ei) is the deflection of suspension i per unit of X; ei is the direction of
// wheel i.
//
// Wheels: A front left, B front right, C rear left, D rear right. Up is positive; theta > 0 lowers the nose, phi > 0
// lifts the left side. Units: kg, kg m^2, N/m, N s/m, m. a, b: from the centre of gravity to the front and rear axle;
// tf, tr: half of the track widths. Small motions about the static equilibrium; linear springs and dampers, no tyre
// damping, no anti-roll bar, no longitudinal motion.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline vehicle {

inline constexpr int vehicle_dofs = 7;
inline constexpr std::array<const char*, vehicle_dofs> vehicle_channels = {"zs",  "theta", "phi", "zuA",
                                                                           "zuB", "zuC",   "zuD"};
inline bool is_angle(int channel) { return channel == 1 || channel == 2; }

// Number of plain parameters when each corner has its own.
inline constexpr int corner_parameter_count = 23;

template <class T>
struct VehicleMatrices {
  Eigen::Matrix<T, vehicle_dofs, 1> mass;  // diagonal of M
  Eigen::Matrix<T, vehicle_dofs, vehicle_dofs> damping, stiffness;
};

template <class T>
struct Vehicle {
  using Scalar = T;
  T ms{1380.0}, Iyy{2440.0}, Ixx{380.0};  // defaults: the published car of Zheng et al. 2016, Table 1
  std::array<T, 4> mu{T(40.5), T(40.5), T(45.4), T(45.4)};
  std::array<T, 4> ks{T(17e3), T(17e3), T(22e3), T(22e3)};
  std::array<T, 4> kt{T(192e3), T(192e3), T(192e3), T(192e3)};
  std::array<T, 4> cs{T(1500.0), T(1500.0), T(1500.0), T(1500.0)};
  T a{1.25}, b{1.51}, tf{0.74}, tr{0.74};

  // The 23 members in the order of corner_parameter_names().
  std::array<T*, corner_parameter_count> members() {
    return {&ms,    &Iyy,   &Ixx,   &mu[0], &mu[1], &mu[2], &mu[3], &ks[0], &ks[1], &ks[2], &ks[3], &kt[0],
            &kt[1], &kt[2], &kt[3], &cs[0], &cs[1], &cs[2], &cs[3], &a,     &b,     &tf,    &tr};
  }

  // [vehicle E2] with known masses added to the diagonal of M.
  VehicleMatrices<T> matrices(const std::array<double, vehicle_dofs>& added_mass = {}) const {
    VehicleMatrices<T> out;
    out.mass << ms, Iyy, Ixx, mu[0], mu[1], mu[2], mu[3];
    for (int i = 0; i < vehicle_dofs; ++i) out.mass[i] += added_mass[static_cast<std::size_t>(i)];
    out.damping.setConstant(T(0.0));
    out.stiffness.setConstant(T(0.0));
    for (int i = 0; i < 4; ++i) {
      const auto c = static_cast<std::size_t>(i);
      const T lever = i < 2 ? T(-a) : b, half_track = i < 2 ? tf : tr;
      const std::array<T, 4> g = {T(1.0), lever, i % 2 == 0 ? half_track : T(-half_track), T(-1.0)};
      const std::array<int, 4> at = {0, 1, 2, 3 + i};
      for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t k = 0; k < 4; ++k) {
          out.damping(at[j], at[k]) += cs[c] * g[j] * g[k];
          out.stiffness(at[j], at[k]) += ks[c] * g[j] * g[k];
        }
      out.stiffness(3 + i, 3 + i) += kt[c];
    }
    return out;
  }
};

using AddedMass = std::array<double, vehicle_dofs>;  // kg, kg m^2, kg m^2, kg, kg, kg, kg

// Name, unit and meaning of one identified number, and the members it stands for (both wheels of an axle in the
// symmetric vehicle).
struct VehicleParameter {
  std::string name, unit, meaning;
  std::vector<int> members;
};
// symmetric: 15 (ms ... tr, with muf, mur, ksf, ksr, ktf, ktr, csf, csr); otherwise 23 (muA ... csD).
const std::vector<VehicleParameter>& vehicle_parameters(bool symmetric);
std::vector<std::string> parameter_names(bool symmetric);

Eigen::VectorXd values_of(const Vehicle<double>& vehicle, bool symmetric);  // left and right averaged when symmetric
Vehicle<double> vehicle_from(const Eigen::VectorXd& values, bool symmetric);

// Eigenvalues with Im >= 0 by rising frequency, and mode shapes of displacement (unit largest component).
struct VehicleModes {
  std::vector<double> frequency_hz, damping_ratio;  // |lambda|/(2 pi), -Re lambda/|lambda|
  Eigen::VectorXcd eigenvalues;
  Eigen::MatrixXcd shapes;  // 7 x number of modes
};
// [vehicle E3] det(lambda^2 M + lambda C + K) = 0
VehicleModes vehicle_modes(const VehicleMatrices<double>& matrices);

// [vehicle E4] Y' = A Y + B F, Y = (X, X'),  A = (0, I; -M^-1 K, -M^-1 C)
Eigen::MatrixXd state_matrix(const VehicleMatrices<double>& matrices);

}  // namespace kdyn::inline vehicle
