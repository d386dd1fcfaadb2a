// SPDX-License-Identifier: Apache-2.0
// From the vector of unknowns to a candidate mount, for any scalar.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "kdyn/elastomer/elastomer.hpp"
#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/identify/internal/preload_curve.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/numerics/spline.hpp"

namespace kdyn::inline identify {

// The parameters of the law that a fit may free, in the order they are reported.
enum Slot { slot_stiffness, slot_alpha, slot_beta, slot_gamma, slot_lambda, slot_rdl, slot_rho, slot_ymax, slot_count };
inline constexpr std::array<const char*, slot_count> slot_names = {"static_stiffness", "alpha", "beta", "gamma",
                                                                   "lambda",           "rdl",   "rho",  "ymax"};

enum class StaticMode { constant, per_preload, spline };

// Where each unknown sits in theta. Law parameters are logarithms; spline coefficients are in units of force_scale.
struct Layout {
  StaticMode mode = StaticMode::constant;
  std::array<int, slot_count> at{};   // index in theta, or -1: held at the value of `base`
  std::vector<double> preloads;       // per_preload: ascending, one stiffness for each
  int preload_at = -1;                // theta index of the first of these stiffnesses
  std::vector<double> sine_preloads;  // spline laid through sines alone: ascending, where they were measured
  SplineGrid grid;
  double force_scale = 1.0;
  bool zero_seen = false;  // the records of the static curve pass zero displacement
  int spline_at = -1;      // theta index of the first coefficient
  int size = 0;
  Elastomer<double> base;  // held parameters
};

// Static part that a candidate uses: straight line through 0, curve through the stiffnesses of the preloads, or spline.
template <class T>
struct CandidateStatics {
  const Spline<T>* spline = nullptr;
  const PreloadCurve<T>* curve = nullptr;
  T k{0.0};
  T force(const T& u) const {
    return spline != nullptr ? spline->value(u) : curve != nullptr ? curve->value(u) : T(k * u);
  }
  T slope(const T& u) const { return spline != nullptr ? spline->slope(u) : curve != nullptr ? curve->slope(u) : k; }
  bool straight() const { return spline == nullptr && curve == nullptr; }
  // Of a curve, not of a straight line.
  template <class Factors>
  T weighted_sum(const T& centre, const T& reach, const Factors& factors) const {
    return spline != nullptr ? spline->weighted_sum(centre, reach, factors)
                             : curve->weighted_sum(centre, reach, factors);
  }
  static constexpr int quadrature_points = 16;  // smooth enough: an amplitude spans few pieces
};

template <class T>
struct Candidate {
  Elastomer<T> law;  // its static stiffness is that of constant mode
  std::vector<T> preload_k;
  PreloadCurve<T> preload_curve;
  Spline<T> spline;
  StaticMode mode = StaticMode::constant;
  const Layout* layout = nullptr;

  // What the static loop's force sensor reads at zero displacement, i.e. of the unloaded mount: an offset, no force of
  // the mount. A loop that does not pass zero displacement does not tell.
  T sensor_offset() const { return mode == StaticMode::spline && layout->zero_seen ? spline.value(T(0.0)) : T(0.0); }

  // Static part, stiffness and static displacement at a preload.
  struct OperatingPoint {
    CandidateStatics<T> statics;
    T k, u0;
  };
  OperatingPoint at_preload(double preload) const {
    if (mode == StaticMode::spline) {
      // Root in double, then one Newton step in T: its derivative is exact.
      Spline<double> plain{spline.grid, {}};
      for (const T& c : spline.c) plain.c.push_back(value_of(c));
      const T target = preload + sensor_offset();
      double u = 0.5 * (plain.grid.lower + plain.grid.upper);
      for (int i = 0; i < 50; ++i) {
        const double slope = plain.slope(u);
        if (!(slope > 0.0)) break;
        const double step = (plain.value(u) - value_of(target)) / slope;
        u -= step;
        if (std::abs(step) < 1e-15) break;
      }
      const T u0 = T(u) - (spline.value(T(u)) - target) / spline.slope(T(u));
      return at_displacement(u0);
    }
    if (mode == StaticMode::per_preload) return at_displacement(preload_curve.displacement(preload));
    return at_displacement(T(preload / law.static_stiffness));
  }
  OperatingPoint at_displacement(const T& u) const {
    if (mode == StaticMode::spline) return {{&spline, nullptr, T(0.0)}, spline.slope(u), u};
    if (mode == StaticMode::per_preload) return {{nullptr, &preload_curve, T(0.0)}, preload_curve.slope(u), u};
    return {{nullptr, nullptr, law.static_stiffness}, law.static_stiffness, u};
  }
};

// theta_at(i) returns unknown i as T (a Jet seeded in direction i, or a plain number).
template <class T, class ThetaAt>
Candidate<T> make_candidate(const Layout& layout, ThetaAt&& theta_at) {
  using std::exp;
  Candidate<T> c;
  c.mode = layout.mode;
  c.layout = &layout;
  c.law = layout.base.cast<T>();
  T Elastomer<T>::*const members[] = {
      &Elastomer<T>::static_stiffness, &Elastomer<T>::alpha, &Elastomer<T>::beta, &Elastomer<T>::gamma,
      &Elastomer<T>::lambda,           &Elastomer<T>::rdl,   &Elastomer<T>::rho};
  for (std::size_t s = 0; s < slot_ymax; ++s)
    if (layout.at[s] >= 0) c.law.*members[s] = exp(theta_at(layout.at[s]));
  if (layout.at[slot_ymax] >= 0) c.law.ymax = exp(theta_at(layout.at[slot_ymax]));
  for (std::size_t i = 0; i < layout.preloads.size(); ++i)
    c.preload_k.push_back(exp(theta_at(layout.preload_at + static_cast<int>(i))));
  if (layout.mode == StaticMode::per_preload) c.preload_curve = PreloadCurve<T>(layout.preloads, c.preload_k);
  if (layout.mode == StaticMode::spline) {
    c.spline.grid = layout.grid;
    for (int i = 0; i < layout.grid.coefficients(); ++i)
      c.spline.c.push_back(layout.force_scale * theta_at(layout.spline_at + i));
  }
  return c;
}

}  // namespace kdyn::inline identify
