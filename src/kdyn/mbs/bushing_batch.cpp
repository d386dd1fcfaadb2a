// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/bushing_batch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

// All of these functions become part of one: how vectors are handed over does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace kdyn::mbs {
namespace {

// Four doubles side by side; where the processor has wider registers than the oldest of its kind they are used (no
// fused operations: the digits are the same everywhere).
using V = double __attribute__((vector_size(32)));
#if defined(__x86_64__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define KDYN_WIDE __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef KDYN_WIDE
#define KDYN_WIDE
#endif
#define KDYN_INLINE inline __attribute__((always_inline))

KDYN_INLINE void load(const double (&from)[4], V& to) { std::memcpy(&to, from, sizeof to); }
KDYN_INLINE V all(double x) { return V{x, x, x, x}; }

// Position and rotation of a body, or their rates: 12 numbers.
struct Pose {
  V u[3], A[9];
};
constexpr double at_rest[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
constexpr double no_rate[12] = {};

KDYN_INLINE void gather(const double* q, const int (&place)[4], const double (&ground)[12], Pose& pose) {
  const double* from[4];
  for (int k = 0; k < 4; ++k) from[k] = place[k] < 0 ? ground : q + place[k];
  for (int i = 0; i < 3; ++i) pose.u[i] = V{from[0][i], from[1][i], from[2][i], from[3][i]};
  for (int i = 0; i < 9; ++i) pose.A[i] = V{from[0][3 + i], from[1][3 + i], from[2][3 + i], from[3][3 + i]};
}

// The marker's frame: u + A x, A R0.
KDYN_INLINE void to_marker(const double (&x)[3][4], const double (&R0)[9][4], bool plain, Pose& pose) {
  V at[3];
  for (int i = 0; i < 3; ++i) load(x[i], at[i]);
  for (int i = 0; i < 3; ++i) pose.u[i] += pose.A[i] * at[0] + pose.A[3 + i] * at[1] + pose.A[6 + i] * at[2];
  if (plain) return;
  V turned[9];
  for (int j = 0; j < 3; ++j) {
    V r[3];
    for (int k = 0; k < 3; ++k) load(R0[3 * j + k], r[k]);
    for (int i = 0; i < 3; ++i) turned[3 * j + i] = pose.A[i] * r[0] + pose.A[3 + i] * r[1] + pose.A[6 + i] * r[2];
  }
  for (int i = 0; i < 9; ++i) pose.A[i] = turned[i];
}

KDYN_INLINE V root(V x) {
  V out;
  for (int k = 0; k < 4; ++k) out[k] = std::sqrt(x[k]);
  return out;
}

// [mbs E6] g = theta/sin(theta) and its derivative by c = cos(theta). Three times the half angle, g(theta) =
// g(theta/2)/cos(theta/2), then the series of log_factor in 1 - cos, which is at most 0.08 there.
KDYN_INLINE void log_factors(V c, V& g, V& g1) {
  V half = c, product = all(1.0);
  for (int i = 0; i < 3; ++i) {
    V inside = all(0.5) + all(0.5) * half;
    inside = inside > all(0.0) ? inside : all(0.0);
    half = root(inside);
    product *= half;
  }
  const V e = all(1.0) - half;
  constexpr int terms = 12;
  // a_n = a_(n-1) n/(2n + 1)
  constexpr double a[terms + 1] = {1.0,
                                   1.0 / 3.0,
                                   2.0 / 15.0,
                                   2.0 / 35.0,
                                   8.0 / 315.0,
                                   8.0 / 693.0,
                                   16.0 / 3003.0,
                                   16.0 / 6435.0,
                                   128.0 / 109395.0,
                                   128.0 / 230945.0,
                                   256.0 / 969969.0,
                                   256.0 / 2028117.0,
                                   1024.0 / 16900975.0};
  g = all(a[terms]);
  for (int n = terms; n-- > 0;) g = g * e + all(a[n]);
  g /= product;
  // (c g - 1)/sin^2 loses its digits where the angle is small; there the first terms of its own series are enough.
  const V s2 = all(1.0) - c * c, small = all(1.0) - c;
  const V series =
      -(all(1.0 / 3.0) + small * (all(4.0 / 15.0) + small * (all(6.0 / 35.0) + small * all(32.0 / 315.0))));
  g1 = small > all(1e-4) ? (c * g - all(1.0)) / s2 : series;
}

KDYN_INLINE void cross(const V (&a)[3], const V (&b)[3], V (&out)[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// Force and moment in the axes of a marker to the six unknowns of its body.
KDYN_INLINE void put(const double (&x)[3][4], const double (&R0)[9][4], bool plain, const int (&place)[4],
                     const V (&force)[3], const V (&moment)[3], double* reduced) {
  V f[3], m[3], at[3], arm[3];
  for (int i = 0; i < 3; ++i) load(x[i], at[i]);
  for (int i = 0; i < 3; ++i) {
    f[i] = force[i], m[i] = moment[i];
    if (plain) continue;
    V r[3];
    for (int j = 0; j < 3; ++j) load(R0[3 * j + i], r[j]);
    f[i] = r[0] * force[0] + r[1] * force[1] + r[2] * force[2];
    m[i] = r[0] * moment[0] + r[1] * moment[1] + r[2] * moment[2];
  }
  cross(at, f, arm);
  for (int k = 0; k < 4; ++k) {
    if (place[k] < 0) continue;
    double* to = reduced + place[k];
    for (int i = 0; i < 3; ++i) {
      to[i] += f[i][k];
      to[3 + i] += m[i][k] + arm[i][k];
    }
  }
}

KDYN_INLINE void add_group(const BushingBatch::Group& group, const double* q, const double* v, double* reduced) {
  Pose one, two, one_rate, two_rate;
  gather(q, group.q1, at_rest, one), gather(q, group.q2, at_rest, two);
  gather(v, group.q1, no_rate, one_rate), gather(v, group.q2, no_rate, two_rate);
  to_marker(group.x1, group.R1, group.plain, one), to_marker(group.x2, group.R2, group.plain, two);
  to_marker(group.x1, group.R1, group.plain, one_rate), to_marker(group.x2, group.R2, group.plain, two_rate);
  // [mbs E5]
  V w[3], w_rate[3], P[9], P_rate[9];
  for (int i = 0; i < 3; ++i) w[i] = two.u[i] - one.u[i], w_rate[i] = two_rate.u[i] - one_rate.u[i];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      const V *a = one.A + 3 * i, *b = two.A + 3 * j, *a_rate = one_rate.A + 3 * i, *b_rate = two_rate.A + 3 * j;
      P[3 * j + i] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      P_rate[3 * j + i] = a_rate[0] * b[0] + a_rate[1] * b[1] + a_rate[2] * b[2] + a[0] * b_rate[0] + a[1] * b_rate[1] +
                          a[2] * b_rate[2];
    }
  V x[6], rate[6];
  for (int i = 0; i < 3; ++i) {
    const V *a = one.A + 3 * i, *a_rate = one_rate.A + 3 * i;
    x[i] = a[0] * w[0] + a[1] * w[1] + a[2] * w[2];
    rate[i] =
        a[0] * w_rate[0] + a[1] * w_rate[1] + a[2] * w_rate[2] + a_rate[0] * w[0] + a_rate[1] * w[1] + a_rate[2] * w[2];
  }
  const V half = all(0.5), trace = P[0] + P[4] + P[8], c = half * (trace - all(1.0)),
          c_rate = half * (P_rate[0] + P_rate[4] + P_rate[8]);
  const V turn[3] = {half * (P[5] - P[7]), half * (P[6] - P[2]), half * (P[1] - P[3])},
          turn_rate[3] = {half * (P_rate[5] - P_rate[7]), half * (P_rate[6] - P_rate[2]),
                          half * (P_rate[1] - P_rate[3])};
  V g, g1;
  log_factors(c, g, g1);
  for (int i = 0; i < 3; ++i) {
    x[3 + i] = g * turn[i];
    rate[3 + i] = g * turn_rate[i] + g1 * c_rate * turn[i];
  }
  V loads[6];
  for (int i = 0; i < 6; ++i) {
    V k, d, p;
    load(group.stiffness[i], k), load(group.damping[i], d), load(group.preload[i], p);
    loads[i] = p + k * x[i] + d * rate[i];
  }
  // [mbs E61]
  const V t[3] = {loads[0], loads[1], loads[2]}, r[3] = {loads[3], loads[4], loads[5]},
          along = g1 * (r[0] * turn[0] + r[1] * turn[1] + r[2] * turn[2]), gh = half * g;
  V f1[3], f2[3], m1[3], m2[3];
  const V place[3] = {x[0], x[1], x[2]};
  cross(t, place, m1);
  for (int i = 0; i < 3; ++i) {
    f1[i] = -t[i];
    f2[i] = P[3 * i] * t[0] + P[3 * i + 1] * t[1] + P[3 * i + 2] * t[2];
    const V Pr = P[i] * r[0] + P[3 + i] * r[1] + P[6 + i] * r[2],
            PTr = P[3 * i] * r[0] + P[3 * i + 1] * r[1] + P[3 * i + 2] * r[2];
    m2[i] = gh * (trace * r[i] - Pr) - along * turn[i];
    m1[i] += along * turn[i] - gh * (trace * r[i] - PTr);
  }
  put(group.x1, group.R1, group.plain, group.t1, f1, m1, reduced);
  put(group.x2, group.R2, group.plain, group.t2, f2, m2, reduced);
}

KDYN_WIDE void add_groups(const BushingBatch::Group* groups, std::size_t count, const double* q, const double* v,
                          double* reduced) {
  for (std::size_t i = 0; i < count; ++i) add_group(groups[i], q, v, reduced);
}

// Stiffness and damping of a law that is nothing else; a linear law without states and memory is its own tangent.
bool spring_and_damper(const AxisLaw& law, double& stiffness, double& damping) {
  if (law.state_count() > 0 || law.has_memory() || law.model() != "kelvin_voigt") return false;
  AxisLaw::Tangent tangent;
  law.tangent({}, tangent);
  stiffness = tangent.f_u, damping = tangent.f_v;
  return tangent.f == 0.0;
}

}  // namespace

BushingBatch::BushingBatch(const System& system)
    : taken_(system.model().connections.size(), 0),
      own_markers_(system.model().markers.size(), 1) {
  const Model& model = system.model();
  if (system.has_formulas()) return;  // formulas read what bushings measure and add to their loads
  const auto marker = [&](int m) -> const Marker& { return model.markers[static_cast<std::size_t>(m)]; };
  std::vector<const Connection*> fit;
  std::vector<std::array<std::array<double, 2>, 6>> laws;
  for (std::size_t c = 0; c < model.connections.size(); ++c) {
    const Connection& of = model.connections[c];
    if (of.kind != ConnectionKind::bushing || of.measure != RotationMeasure::log || of.coupling != Coupling::none)
      continue;
    if (marker(of.marker1).psi.cols() > 0 || marker(of.marker2).psi.cols() > 0) continue;
    std::array<std::array<double, 2>, 6> numbers{};
    bool good = true;
    for (std::size_t k = 0; k < 6 && good; ++k)
      if (of.laws[k]) good = spring_and_damper(*of.laws[k], numbers[k][0], numbers[k][1]);
    if (!good) continue;
    taken_[c] = 1;
    fit.push_back(&of), laws.push_back(numbers);
  }
  for (std::size_t first = 0; first < fit.size(); first += lanes) {
    Group& group = groups_.emplace_back();
    for (int k = 0; k < lanes; ++k) {
      const std::size_t i = std::min(first + static_cast<std::size_t>(k), fit.size() - 1);
      const bool counts = i == first + static_cast<std::size_t>(k);
      const Marker &one = marker(fit[i]->marker1), &two = marker(fit[i]->marker2);
      group.q1[k] = one.body < 0 ? -1 : system.q_at(one.body), group.q2[k] = two.body < 0 ? -1 : system.q_at(two.body);
      group.t1[k] = one.body < 0 || !counts ? -1 : system.t_at(one.body);
      group.t2[k] = two.body < 0 || !counts ? -1 : system.t_at(two.body);
      for (int j = 0; j < 3; ++j) group.x1[j][k] = one.x[j], group.x2[j][k] = two.x[j];
      for (int j = 0; j < 9; ++j) group.R1[j][k] = one.R0.data()[j], group.R2[j][k] = two.R0.data()[j];
      for (std::size_t j = 0; j < 6; ++j) {
        group.stiffness[j][k] = laws[i][j][0], group.damping[j][k] = laws[i][j][1];
        group.preload[j][k] = fit[i]->preload[static_cast<Eigen::Index>(j)];
      }
      group.plain = group.plain && one.R0 == Matrix3::Identity() && two.R0 == Matrix3::Identity();
    }
  }
  const auto needed = [&](int m) { own_markers_[static_cast<std::size_t>(m)] = 0; };
  for (std::size_t c = 0; c < model.connections.size(); ++c)
    if (!taken_[c]) needed(model.connections[c].marker1), needed(model.connections[c].marker2);
  for (const Joint& joint : model.joints) needed(joint.marker1), needed(joint.marker2);
  for (const PointLoad& load : model.loads) needed(load.marker);
  for (const Tyre& tyre : model.tyres) needed(tyre.marker);
}

void BushingBatch::add(const VectorX& q, const VectorX& v, VectorX& reduced) const {
  add_groups(groups_.data(), groups_.size(), q.data(), v.data(), reduced.data());
}

}  // namespace kdyn::mbs
