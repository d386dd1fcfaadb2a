// SPDX-License-Identifier: Apache-2.0
// What the elastomer's tests share: the published parameter sets, work along a path, and a reader of the reference
// values.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/elastomer/elastomer.hpp"
#include "kdyn/numerics/quadrature.hpp"

namespace kdyn::cases {

inline constexpr double k = 338e3;  // N/m, static stiffness of the cab mount

// Table 3-3 of Scheiblegger 2018: limited at 150 N, and without limit.
inline Elastomer<double> limited(FrictionLaw law) {
  Elastomer<double> e;
  e.law = law;
  e.lambda = 0.1495;
  e.rdl = 9.49e-5;
  e.rho = 4530.4;
  e.ymax = 150.0 / k;
  return e;
}
inline Elastomer<double> unlimited(FrictionLaw law) {
  Elastomer<double> e;
  e.law = law;
  return e;
}

inline Json reference() {
  return read_json(std::string(KDYN_SOURCE_DIR) + "/src/kdyn/elastomer/test/reference/mounts_elastomer.json");
}

inline Elastomer<double> from_reference(const Json& p, FrictionLaw law) {
  Elastomer<double> e;
  e.law = law;
  e.static_stiffness = p["kstat"];
  e.alpha = p["alpha"];
  e.beta = p["beta"];
  e.gamma = p["gamma"];
  e.lambda = p["lam"];
  e.rdl = p["RDL"];
  e.rho = p["rho"];
  if (!p["ymax"].is_null()) e.ymax = p["ymax"].get<double>();
  return e;
}

// Work done on friction (over k) while it moves straight to `u`. Between the given places, where masing branches may
// join, y is smooth and Gauss' rule is exact to rounding; the memory is committed at every node, which changes nothing
// (rate independence).
inline double work_to(const Friction<double>& p, FrictionMemory<double>& memory, double u,
                      const std::vector<double>& kinks) {
  const double from = memory.last().u, sign = u < from ? -1.0 : 1.0;
  std::vector<double> cut = {from};
  for (const double x : kinks)
    if (sign * (x - from) > 0.0 && sign * (u - x) > 0.0) cut.push_back(x);
  cut.push_back(u);
  std::sort(cut.begin(), cut.end(), [&](double a, double b) { return sign * a < sign * b; });
  double work = 0.0;
  for (std::size_t i = 0; i + 1 < cut.size(); ++i) {
    const double start = cut[i];
    work += integrate(cut[i + 1] - start, [&](double d) { return memory.commit(p, start + d); });
    memory.commit(p, cut[i + 1]);
  }
  return work;
}

// All places where a masing path through `vertices` from rest at 0 can change its branch.
inline std::vector<double> kinks_of(const std::vector<double>& vertices) {
  std::vector<double> places = {0.0};
  for (const double v : vertices) places.push_back(v), places.push_back(-v);
  return places;
}

}  // namespace kdyn::cases
