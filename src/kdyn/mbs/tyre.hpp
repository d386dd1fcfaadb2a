// SPDX-License-Identifier: Apache-2.0
// A tyre between a wheel body and the road: vertical force, enveloping of short obstacles, transient slip forces.
//
//   [mbs E70]  radial deflection rho = R0 - (u_z - h(x, t))/c,  c = sqrt(1 - e_z^2);  F_v = (k(rho) + d rho')/c, never pulling;
//              force F_v [-tan(beta), 0, 1], torque F_v R_l e_z [e_y, -e_x, 0]/c:  minus the gradient of the energy where tan(beta) = h_x
//   [mbs E71]  deflections of the contact in the road: s' = -V_s - |V_x| s/sigma, slip s/sigma
//   [mbs E72]  forces of slip act at the contact point; the one along the wheel turns it with the rolling radius R_e as its arm
//
// Global z is up; the road is a height over global x that may move in time, the same at every y. e is the spin axis (z
// of the marker); forwards is e x n with the road's normal n, so that e points to the left of the direction of travel.
//
// One-sided contact of one point: the tyre has no width (its moment by camber is that of a thin disc) and no mass.
// Changed: Pacejka's arm of F_x about the axis is the loaded radius; with the rolling radius the power of F_x is that of
// its slip and a freely rolling tyre is no motor.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/mbs/time_signal.hpp"
#include "kdyn/numerics/jet.hpp"
#include "kdyn/numerics/shape_curve.hpp"

namespace kdyn::mbs {

struct MagicFormula;  // magic_formula.hpp

// Two cams at a distance roll over the road; their mean height and slope are what the tyre feels  [mbs E76].
struct Enveloping {
  double base = 0.1;                            // distance of both cams, m
  double half_length = 0.3, half_height = 0.3;  // of an elliptical cam, m
  double exponent = 1.8;                        // |x/a|^p + |z/b|^p = 1
};

inline constexpr double cam_grid = 256.0;  // points of its path over half its length
// Height of the lowest point of a cam above x of the cam, over a road of straight pieces.
Curve cam_path(const Curve& profile, const Enveloping& cam);

// What the tyre rolls on: a cubic path, C1, held outside its ends.
class RoadPath {
 public:
  RoadPath() = default;
  RoadPath(const Curve& path, double base);
  bool flat() const { return x_.empty(); }
  double base() const { return base_; }
  // Height, its slope over x, and slope of the plane that the tyre feels.
  template <class T>
  void at(const T& x, T& height, T& by_x, T& tangent) const {
    if (flat()) {
      height = by_x = tangent = T(0.0);
      return;
    }
    if (base_ <= 0.0) {
      piece(x, height, by_x);
      tangent = by_x;
      return;
    }
    T front, rear, front_x, rear_x;
    piece(T(x + 0.5 * base_), front, front_x);
    piece(T(x - 0.5 * base_), rear, rear_x);
    height = 0.5 * (front + rear);
    by_x = 0.5 * (front_x + rear_x);
    tangent = (front - rear) / base_;
  }

 private:
  template <class T>
  void piece(const T& x, T& y, T& slope) const {
    const double here = value_of(x);
    if (here <= x_.front() || here >= x_.back()) {
      y = T(here <= x_.front() ? y_.front() : y_.back());
      slope = T(0.0);
      return;
    }
    const auto i = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), here) - x_.begin()) - 1;
    const double h = x_[i + 1] - x_[i], secant = (y_[i + 1] - y_[i]) / h;
    const double c2 = (3.0 * secant - 2.0 * slope_[i] - slope_[i + 1]) / h,
                 c3 = (slope_[i] + slope_[i + 1] - 2.0 * secant) / (h * h);
    const T d = x - x_[i];
    y = y_[i] + d * (slope_[i] + d * (c2 + d * c3));
    slope = slope_[i] + d * (2.0 * c2 + d * (3.0 * c3));
  }

  std::vector<double> x_, y_, slope_;
  double base_ = 0.0;
};

struct TyreRoad {
  RoadPath path;
  double begin = 0.0, end = 0.0;  // of the profile as it was given; equal: flat
  TimeSignal height;              // adds to the profile; m over time
};

// Slip forces in proportion to slip up to friction: F = mu N tanh(|f|/(mu N)) f/|f|, f = (C_x kappa, C_y tan(alpha)).
struct LinearSlip {
  double stiffness_x = 0.0, stiffness_y = 0.0;  // N; 0: no force along, across
  double friction = 1.0;
  double relaxation_x = 0.0, relaxation_y = 0.0;  // m
};

struct Tyre {
  std::string name;
  int marker = -1;  // on the wheel body; its z is the spin axis
  double radius = 0.3;
  double stiffness = 2e5, damping = 0.0;                           // N/m, N s/m
  std::optional<ShapeCurve> load_curve;                            // N over deflection in m, in place of the stiffness
  double rolling_b = 0.0, rolling_d = 0.0, rolling_f = 1.0 / 3.0;  // of the effective rolling radius
  double nominal_load = 0.0;                                       // 0: rolling radius R0 - f rho
  std::optional<LinearSlip> linear;
  std::shared_ptr<const MagicFormula> magic;
  double relaxation_x = 0.0, relaxation_y = 0.0;  // 0: those of the Magic Formula
  bool mirrored = false;                          // the file's tyre is the other side's
  double low_speed = 1.0;                         // m/s
  TyreRoad road;
  std::string file;  // its property file, for messages

  int states() const { return linear || magic ? 2 : 0; }
};

template <class T>
struct TyreForce {
  T force[3] = {}, torque[3] = {};         // on the wheel, about its centre, global axes
  T rate[2] = {};                          // of the deflections along and across
  T load{}, fx{}, fy{}, mx{}, my{}, mz{};  // N along the road's normal; axes of the contact; my about the spin axis
  T slip_x{}, slip_y{}, camber{}, deflection{}, loaded_radius{}, speed{};
  T contact[3] = {};
};

// Motion y: centre, spin axis, velocity, angular velocity, three each, global axes; w: states.
template <class T>
TyreForce<T> evaluate(const Tyre& tyre, double t, const T* y, const T* w);

// Energy of the vertical spring at a deflection.
double stored_energy(const Tyre& tyre, double deflection);

constexpr int tyre_inputs = 12, tyre_states = 2;
using TyreJet = Jet<tyre_inputs + tyre_states>;
extern template TyreForce<double> evaluate(const Tyre&, double, const double*, const double*);
extern template TyreForce<TyreJet> evaluate(const Tyre&, double, const TyreJet*, const TyreJet*);

}  // namespace kdyn::mbs
