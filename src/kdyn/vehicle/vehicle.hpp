// SPDX-License-Identifier: Apache-2.0
// Road vehicle with two or three axles: a rigid body that bounces, pitches and rolls on wheels that hop; seven degrees
// of freedom with two axles.
//
//   [vehicle E1]  M X'' + C X' + K X = F,  X = (zs, theta, phi, zuA, zuB, zuC, zuD ...),  F = (0, 0, 0, ktA zgA, ktB zgB, ...)
//   [vehicle E2]  M = diag(ms, Iyy, Ixx, muA ...),  K = sum_i ksi gi gi^T + kti ei ei^T,  C = sum_i csi gi gi^T
// gi = (1, -lever, half track left or right, -ei) is the deflection of suspension i per unit of X; ei is the direction
// of wheel i. A hitch [vehicle E31] is one more support of the body without wheels; point masses are [vehicle E32].
//
// Wheels: A front left, B front right, C, D of the second axle, E, F of the third. Up is positive; theta > 0 lowers the
// nose, phi > 0 lifts the left side. Units: kg, kg m^2, N/m, N s/m, m. a: from the centre of gravity forward to the
// first axle; b, b3: backward to the second and third; tf, tr, t3: half of the track widths. Places on the vehicle are
// x forward from the line of the first axle and y to the left of the middle plane: the centre of gravity is not known
// before. Small motions about the static equilibrium; linear springs and dampers, no tyre damping, no anti-roll bar, no
// longitudinal motion.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline vehicle {

inline constexpr int vehicle_dofs = 7;  // with two axles
inline constexpr int max_axles = 3, max_wheels = 2 * max_axles, max_dofs = 3 + max_wheels;
inline constexpr std::array<const char*, vehicle_dofs> vehicle_channels = {"zs",  "theta", "phi", "zuA",
                                                                           "zuB", "zuC",   "zuD"};
inline bool is_angle(int channel) { return channel == 1 || channel == 2; }

// What stands on the road.
struct VehicleLayout {
  int axles = 2;          // 2 or 3
  bool hitch = false;     // a trailer that rests on its tractor, too
  bool bilinear = false;  // dampers with one coefficient in compression and another in rebound
  int wheels() const { return 2 * axles; }
  int dofs() const { return 3 + wheels(); }
  bool operator==(const VehicleLayout&) const = default;
};

// Number of plain parameters when each corner has its own: of two axles, and at most.
inline constexpr int corner_parameter_count = 23, max_members = 3 + 5 * max_wheels + 2 * max_axles + 3;

template <class T>
using VehicleMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, 0, max_dofs, max_dofs>;

template <class T>
struct VehicleMatrices {
  VehicleMatrix<T> mass, damping, stiffness;
};

using AddedMass = std::array<double, vehicle_dofs>;  // kg, kg m^2, kg m^2, kg, kg, kg, kg: diagonal of M, two axles

// [vehicle E32] A mass that was put somewhere.
struct PointMass {
  std::string name;
  double mass = 0.0;            // kg
  double x = 0.0, y = 0.0;      // on the body: from the first axle line forward, from the middle plane to the left
  double Iyy = 0.0, Ixx = 0.0;  // of an extended load about its own centre, and of its height above that of the body
  int wheel = -1;               // 0 (A) and up: on a wheel instead
};

template <class T>
using CornerValues = std::array<T, max_wheels>;

template <class T>
struct Vehicle {
  using Scalar = T;
  T ms{1380.0}, Iyy{2440.0}, Ixx{380.0};  // defaults: the published car of Zheng et al. 2016, Table 1
  CornerValues<T> mu{T(40.5), T(40.5), T(45.4), T(45.4), T(45.4), T(45.4)};
  CornerValues<T> ks{T(17e3), T(17e3), T(22e3), T(22e3), T(22e3), T(22e3)};
  CornerValues<T> kt{T(192e3), T(192e3), T(192e3), T(192e3), T(192e3), T(192e3)};
  CornerValues<T> cs{T(1500.0), T(1500.0), T(1500.0), T(1500.0), T(1500.0), T(1500.0)};
  T a{1.25}, b{1.51}, tf{0.74}, tr{0.74};
  T b3{2.5}, t3{0.74};                  // third axle
  T hitch{3.0}, kh{100e3}, ch{1000.0};  // hitch: distance ahead of the centre of gravity, stiffness, damping
  CornerValues<T> rebound{T(1.0), T(1.0), T(1.0), T(1.0), T(1.0), T(1.0)};  // over cs, which is that of compression
  VehicleLayout layout{};

  // The members of this layout in the order of vehicle_parameters(layout, false); 23 with two axles.
  std::vector<T*> members() {
    std::vector<T*> out = {&ms, &Iyy, &Ixx};
    for (auto* group : {&mu, &ks, &kt, &cs})
      for (int i = 0; i < layout.wheels(); ++i) out.push_back(&(*group)[static_cast<std::size_t>(i)]);
    out.insert(out.end(), {&a, &b});
    if (layout.axles > 2) out.push_back(&b3);
    out.insert(out.end(), {&tf, &tr});
    if (layout.axles > 2) out.push_back(&t3);
    if (layout.hitch) out.insert(out.end(), {&hitch, &kh, &ch});
    for (int i = 0; layout.bilinear && i < layout.wheels(); ++i) out.push_back(&rebound[static_cast<std::size_t>(i)]);
    return out;
  }

  // gi of suspension i: per unit of bounce, pitch, roll and of its wheel; positive when it extends.
  std::array<T, 4> deflection(int i) const {
    const T lever = i < 2 ? T(-a) : i < 4 ? b : b3, half_track = i < 2 ? tf : i < 4 ? tr : t3;
    return {T(1.0), lever, i % 2 == 0 ? half_track : T(-half_track), T(-1.0)};
  }

  // Rise of the place (x, y) of the body per unit of bounce, pitch and roll.
  std::array<T, 3> rise(double x, double y) const { return {T(1.0), T(-(a + x)), T(y)}; }

  // [vehicle E2] with known masses added to the diagonal of M and at points.
  VehicleMatrices<T> matrices(const AddedMass& added_mass = {}, const std::vector<PointMass>& points = {}) const {
    const int dofs = layout.dofs();
    VehicleMatrices<T> out;
    for (auto* m : {&out.mass, &out.damping, &out.stiffness}) m->setConstant(dofs, dofs, T(0.0));
    out.mass(0, 0) = ms, out.mass(1, 1) = Iyy, out.mass(2, 2) = Ixx;
    for (int i = 0; i < std::min(dofs, vehicle_dofs); ++i) out.mass(i, i) += added_mass[static_cast<std::size_t>(i)];
    for (const PointMass& p : points) {
      if (p.wheel >= 0) {
        out.mass(3 + p.wheel, 3 + p.wheel) += p.mass;
        continue;
      }
      const std::array<T, 3> h = rise(p.x, p.y);
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          out.mass(j, k) += p.mass * h[static_cast<std::size_t>(j)] * h[static_cast<std::size_t>(k)];
      out.mass(1, 1) += p.Iyy, out.mass(2, 2) += p.Ixx;
    }
    const auto support = [&](const std::array<T, 4>& g, int wheels, const std::array<int, 4>& at, const T& k,
                             const T& c) {
      for (std::size_t j = 0; j < static_cast<std::size_t>(3 + wheels); ++j)
        for (std::size_t l = 0; l < static_cast<std::size_t>(3 + wheels); ++l) {
          out.damping(at[j], at[l]) += c * g[j] * g[l];
          out.stiffness(at[j], at[l]) += k * g[j] * g[l];
        }
    };
    for (int i = 0; i < layout.wheels(); ++i) {
      const auto c = static_cast<std::size_t>(i);
      // Bilinear dampers count with their mean here [vehicle E35].
      const T damping = layout.bilinear ? T(0.5 * cs[c] * (1.0 + rebound[c])) : cs[c];
      support(deflection(i), 1, {0, 1, 2, 3 + i}, ks[c], damping);
      out.mass(3 + i, 3 + i) += mu[c];
      out.stiffness(3 + i, 3 + i) += kt[c];
    }
    if (layout.hitch) support({T(1.0), T(-hitch), T(0.0), T(0.0)}, 0, {0, 1, 2, 0}, kh, ch);  // [vehicle E31]
    return out;
  }
};

// Name, unit and meaning of one identified number, and the members it stands for (both wheels of an axle in the
// symmetric vehicle).
struct VehicleParameter {
  std::string name, unit, meaning;
  std::vector<int> members;
  bool signed_length = false;  // an axle may stand on either side of the centre of gravity
};
// symmetric: 15 (ms ... tr, with muf, mur, ksf, ksr, ktf, ktr, csf, csr); otherwise 23 (muA ... csD). Three axles have
// the endings 1, 2, 3 and the letters A to F.
const std::vector<VehicleParameter>& vehicle_parameters(bool symmetric, const VehicleLayout& layout = {});
std::vector<std::string> parameter_names(bool symmetric, const VehicleLayout& layout = {});

Eigen::VectorXd values_of(const Vehicle<double>& vehicle, bool symmetric);  // left and right averaged when symmetric
Vehicle<double> vehicle_from(const Eigen::VectorXd& values, bool symmetric, const VehicleLayout& layout = {});

// Eigenvalues with Im >= 0 by rising frequency, and mode shapes of displacement (unit largest component).
struct VehicleModes {
  std::vector<double> frequency_hz, damping_ratio;  // |lambda|/(2 pi), -Re lambda/|lambda|
  Eigen::VectorXcd eigenvalues;
  Eigen::MatrixXcd shapes;  // degrees of freedom x number of modes
};
// [vehicle E3] det(lambda^2 M + lambda C + K) = 0
VehicleModes vehicle_modes(const VehicleMatrices<double>& matrices);

// [vehicle E4] Y' = A Y + B F, Y = (X, X'),  A = (0, I; -M^-1 K, -M^-1 C)
Eigen::MatrixXd state_matrix(const VehicleMatrices<double>& matrices);

}  // namespace kdyn::inline vehicle
