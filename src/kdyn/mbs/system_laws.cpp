// SPDX-License-Identifier: Apache-2.0
// Mount laws inside the step: states are condensed axis by axis, so that the bodies see load(x, rate) with exact
// slopes.
//
//   [mbs E21]  c w + offset = h(x, rate, w),   d load = f_x dx + f_v drate + f_w D^-1 (h_x dx + h_v drate),   D = c I - h_w
#include <algorithm>
#include <cmath>

#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {
namespace {

using RowMatrix = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstVector = Eigen::Map<const VectorX>;

AxisLaw::Step step_of(const Axis& axis, std::size_t a, const LawState& from, double h, const Evaluation& e) {
  const BushingMeasure& m = e.measure[static_cast<std::size_t>(axis.connection)];
  return {&from.memory[a],           from.motion[a],         {m.x[axis.component], m.rate[axis.component]},
          from.w.data() + axis.w_at, e.w.data() + axis.w_at, h};
}

// Newton for the states of one axis; one round suffices for a law that is linear in them, a second one confirms it.
void solve_states(const Axis& axis, AxisLaw::Step step, const StateScheme& scheme, Evaluation& e,
                  AxisLaw::Tangent& law) {
  const int n = axis.states;
  Eigen::Map<VectorX> w(e.w.data() + axis.w_at, n);
  const auto offset = scheme.offset.segment(axis.w_at, n);
  double last = 0.0;
  for (int i = 0; i < 30; ++i) {
    axis.law->tangent(step, law);
    const VectorX g = scheme.c * w + offset - ConstVector(law.rate.data(), n);
    const MatrixX D = scheme.c * MatrixX::Identity(n, n) - RowMatrix(law.rate_w.data(), n, n);
    const VectorX dw = -D.partialPivLu().solve(g);
    w += dw;
    law.f += ConstVector(law.f_w.data(), n).dot(dw);
    double small = 0.0;
    for (int k = 0; k < n; ++k) small = std::max(small, std::abs(dw[k]) / (std::abs(w[k]) + 1e-300));
    // States differ in unit and size: each counts by itself. One that passes zero stays at its rounding: no further
    // fall of the change.
    if (!(small > 1e-15) || (i > 1 && small < 1e-6 && small > 0.3 * last)) break;
    last = small;
  }
}

}  // namespace

void System::apply_laws(const LawState& from, const StateScheme& scheme, Evaluation& e) const {
  if (has_controllers()) begin_controllers(from, scheme, e);
  count_turns(from, e);
  e.load.resize(axes_.size());
  e.laws.resize(axes_.size());
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    if (e.leaves(static_cast<std::size_t>(axis.connection))) continue;
    const AxisLaw::Step step = step_of(axis, a, from, scheme.h, e);
    if (axis.states == 0) {
      e.load[a] = axis.law->force(step, nullptr);
    } else if (scheme.c == 0.0) {
      e.load[a] = axis.law->force(step, e.wd.data() + axis.w_at);
    } else {
      solve_states(axis, step, scheme, e, e.laws[a]);
      e.load[a] = e.laws[a].f;
      e.wd.segment(axis.w_at, axis.states) =
          scheme.c * e.w.segment(axis.w_at, axis.states) + scheme.offset.segment(axis.w_at, axis.states);
    }
  }
  if (!coupled_.empty()) add_coupling(e);
  if (!model_.tyres.empty()) apply_tyres(scheme, true, e);
}

void System::law_slopes(const LawState& from, const StateScheme& scheme, Evaluation& e) const {
  if (has_controllers()) begin_controllers(from, scheme, e);
  count_turns(from, e);
  e.load_x.resize(axes_.size());
  e.load_v.resize(axes_.size());
  e.laws.resize(axes_.size());
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    AxisLaw::Tangent& law = e.laws[a];
    axis.law->tangent(step_of(axis, a, from, scheme.h, e), law);
    e.load_x[a] = law.f_u;
    e.load_v[a] = law.f_v;
    if (axis.states == 0 || scheme.c == 0.0) continue;
    const int n = axis.states;
    const MatrixX D = scheme.c * MatrixX::Identity(n, n) - RowMatrix(law.rate_w.data(), n, n);
    const VectorX weight = D.transpose().partialPivLu().solve(ConstVector(law.f_w.data(), n));
    e.load_x[a] += weight.dot(ConstVector(law.rate_u.data(), n));
    e.load_v[a] += weight.dot(ConstVector(law.rate_v.data(), n));
  }
  if (!coupled_.empty()) coupling_slopes(e);
  if (!model_.tyres.empty()) apply_tyres(scheme, false, e);
}

void System::apply_static_laws(Evaluation& e) const {
  if (has_controllers()) start_controllers(true, e);
  e.load.resize(axes_.size());
  e.load_x.resize(axes_.size());
  e.load_v.assign(axes_.size(), 0.0);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    e.load[a] =
        axis.law->static_force(e.measure[static_cast<std::size_t>(axis.connection)].x[axis.component], &e.load_x[a]);
  }
  if (!model_.tyres.empty()) apply_static_tyres(e);
  if (coupled_.empty()) return;
  add_coupling(e);
  coupling_slopes(e);
}

}  // namespace kdyn::mbs
