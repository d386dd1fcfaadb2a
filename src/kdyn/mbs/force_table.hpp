// SPDX-License-Identifier: Apache-2.0
// Force by table over displacement, velocity, or both: shock absorbers, gas springs, progressive springs.
//
//   [mbs E44]  F = a G(b u, c v):  G by cubic Hermite pieces along both grids, with the slopes of [numerics E17] along each grid line
//              and no twist; on a grid line it is the curve of [numerics E17], between grid lines value and first derivatives are
//              continuous. Outside G goes on along its end slopes. Stored energy: the work of F(u, 0).
//
// Units SI; a table of one row or column does not depend on that variable. Not modelled: hysteresis of the damper.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "kdyn/element/motion.hpp"
#include "kdyn/element/parameter.hpp"
#include "kdyn/numerics/jet.hpp"
#include "kdyn/numerics/shape_curve.hpp"

namespace kdyn::mbs {

// Nodes with values and slopes; one node where G does not depend on the variable.
struct ForceGrid {
  std::vector<double> u, v;      // strictly ascending
  std::vector<double> f;         // u slow, v fast
  std::vector<double> f_u, f_v;  // by shape_slopes along the grid lines

  void complete();
  double at(const std::vector<double>& values, std::size_t i, std::size_t j) const { return values[i * v.size() + j]; }
};

inline void ForceGrid::complete() {
  f_u.assign(f.size(), 0.0), f_v = f_u;
  std::vector<double> line;
  for (std::size_t i = 0; i < u.size() && v.size() > 1; ++i) {
    line.assign(f.begin() + static_cast<std::ptrdiff_t>(i * v.size()),
                f.begin() + static_cast<std::ptrdiff_t>((i + 1) * v.size()));
    const auto slopes = shape_slopes(v, line);
    std::copy(slopes.begin(), slopes.end(), f_v.begin() + static_cast<std::ptrdiff_t>(i * v.size()));
  }
  for (std::size_t j = 0; j < v.size() && u.size() > 1; ++j) {
    line.clear();
    for (std::size_t i = 0; i < u.size(); ++i) line.push_back(at(f, i, j));
    const auto slopes = shape_slopes(u, line);
    for (std::size_t i = 0; i < u.size(); ++i) f_u[i * v.size() + j] = slopes[i];
  }
}

template <class T>
struct ForceTable {
  using Scalar = T;
  template <class U>
  using Rebind = ForceTable<U>;
  static constexpr int state_count = 0;
  static constexpr const char* model = "force_table";
  static constexpr const char* title = "Force table";
  static constexpr std::array<SignalName, 0> state_signals = {};

  T force_factor{1.0};
  T displacement_factor{1.0};
  T velocity_factor{1.0};
  std::shared_ptr<const ForceGrid> grid;

  static constexpr std::array<ParameterInfo, 3> parameters = {
      {{"force_factor", "-", 0.0, true, 1e6, "Multiplies the force of the table"},
       {"displacement_factor", "-", 0.0, true, 1e6, "The table is read at this times the displacement"},
       {"velocity_factor", "-", 0.0, true, 1e6, "The table is read at this times the velocity"}}};
  static constexpr std::array members = {&ForceTable::force_factor, &ForceTable::displacement_factor,
                                         &ForceTable::velocity_factor};

  void complete() {}
  static const ParameterInfo* find_parameter(const char* name) { return parameter_named(parameters, name); }

  struct Memory {};
  struct Step {};
  Memory start(const T&) const { return {}; }
  T static_force(const T& u) const { return force_at(u, T(0.0)); }
  T evaluate(const Motion<T>& at, const T*, const Memory&, T*) const { return force_at(at.u, at.v); }
  void commit(Memory&, const Motion<T>&, const Motion<T>&, const T&) const {}
  Step prepare_step(const T&) const { return {}; }
  T advance(T*, Memory&, const Motion<T>&, const Motion<T>& to, const Step&) const { return force_at(to.u, to.v); }

  // G is a cubic in u at v = 0: Simpson's rule is exact piece by piece.
  T stored_energy(const T& u, const T*, const Memory&) const {
    const T y = displacement_factor * u;
    return force_factor / displacement_factor * work(y);
  }
  bool has_stored_energy() const { return true; }

  // First harmonic of a sine by the trapezoidal rule.
  Complex<T> harmonic(double omega, const T& amplitude) const {
    using std::cos;
    using std::sin;
    constexpr int n = 256;
    T in(0.0), out(0.0);
    for (int i = 0; i < n; ++i) {
      const double phase = 2.0 * constants::pi * (i + 0.5) / n;
      const T f = force_at(amplitude * sin(phase), amplitude * omega * cos(phase));
      in += f * sin(phase);
      out += f * cos(phase);
    }
    const T scale = 2.0 / (n * amplitude);
    return {in * scale, out * scale};
  }

  template <class F>
  void visit_parameters(F&& f) {
    for (std::size_t i = 0; i < members.size(); ++i) f(parameters[i].name, this->*members[i]);
  }
  template <class U>
  ForceTable<U> cast() const {
    auto out = cast_members<ForceTable<U>>(*this);
    out.grid = grid;
    return out;
  }

 private:
  // Weights of the values and slopes at both ends of the piece that holds x.
  struct Weights {
    std::size_t first = 0, second = 0;
    T value0{1.0}, value1{0.0}, slope0{0.0}, slope1{0.0};
  };
  static Weights weights(const std::vector<double>& x, const T& at) {
    Weights w;
    if (x.size() < 2) return w;
    const double where = value_of(at);
    if (where <= x.front()) {
      w.slope0 = at - x.front();
    } else if (where >= x.back()) {
      w.first = w.second = x.size() - 1;
      w.slope0 = at - x.back();
    } else {
      w.first = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), where) - x.begin()) - 1;
      w.second = w.first + 1;
      const double h = x[w.second] - x[w.first];
      const T s = (at - x[w.first]) / h, r = 1.0 - s;
      w.value0 = r * r * (1.0 + 2.0 * s);
      w.value1 = s * s * (3.0 - 2.0 * s);
      w.slope0 = h * s * r * r;
      w.slope1 = -h * s * s * r;
    }
    return w;
  }
  T force_at(const T& u, const T& v) const {
    return force_factor * value(displacement_factor * u, velocity_factor * v);
  }
  T value(const T& u, const T& v) const {
    const ForceGrid& g = *grid;
    const Weights wu = weights(g.u, u), wv = weights(g.v, v);
    const auto along_v = [&](std::size_t i) {
      return wv.value0 * g.at(g.f, i, wv.first) + wv.value1 * g.at(g.f, i, wv.second) +
             wv.slope0 * g.at(g.f_v, i, wv.first) + wv.slope1 * g.at(g.f_v, i, wv.second);
    };
    const auto slope_u = [&](std::size_t i) {
      return wv.value0 * g.at(g.f_u, i, wv.first) + wv.value1 * g.at(g.f_u, i, wv.second);
    };
    T out = wu.value0 * along_v(wu.first) + wu.slope0 * slope_u(wu.first);
    if (wu.second != wu.first) out += wu.value1 * along_v(wu.second) + wu.slope1 * slope_u(wu.second);
    return out;
  }
  T piece(const T& from, const T& to) const {
    const T zero(0.0);
    return (to - from) * (value(from, zero) + 4.0 * value(0.5 * (from + to), zero) + value(to, zero)) / 6.0;
  }
  // From 0 to y, at rest.
  T work(const T& y) const {
    const double low = std::min(0.0, value_of(y)), high = std::max(0.0, value_of(y));
    const bool forward = value_of(y) >= 0.0;
    T sum(0.0), at(0.0);
    const auto& x = grid->u;
    if (x.size() > 1) {
      std::vector<double> inner;
      for (const double node : x)
        if (node > low && node < high) inner.push_back(node);
      if (!forward) std::reverse(inner.begin(), inner.end());
      for (const double node : inner) {
        sum += piece(at, T(node));
        at = T(node);
      }
    }
    return sum + piece(at, y);
  }
};

}  // namespace kdyn::mbs
