// SPDX-License-Identifier: Apache-2.0
// Branches of steady states over frequency by arc-length continuation: they pass folds, where the mount jumps
// [hydromount E16].
#include <algorithm>
#include <cmath>

#include "kdyn/hydromount/steady_state.hpp"

namespace kdyn::inline hydromount {

using Eigen::MatrixXd;
using Eigen::VectorXd;

SteadyBranch HarmonicBalance::trace(double amplitude, double from_hz, double to_hz) const {
  SteadyBranch branch;
  SteadyState state = solve(from_hz, amplitude);
  if (!state.converged) {
    branch.reason = "no steady state at the first frequency";
    return branch;
  }
  branch.states.push_back(state);
  const Eigen::Index m = state.harmonics.size();
  // Unknowns: harmonics over the amplitude, and ln f. Tangent of length 1; its ln f part changes sign at a fold.
  const double direction = to_hz > from_hz ? 1.0 : -1.0;
  VectorXd point(m + 1), tangent = VectorXd::Zero(m + 1);
  point << state.harmonics, std::log(from_hz);
  tangent[m] = direction;
  const auto system = [&](const VectorXd& at, VectorXd& r, MatrixXd* J) {
    const double f = std::exp(at[m]), scale = force_scale(f, amplitude);
    MatrixXd inner;
    r = residual(f, amplitude, at.head(m), J != nullptr ? &inner : nullptr) / scale;
    if (J == nullptr) return;
    constexpr double step = 1e-6;
    const VectorXd up = residual(f * std::exp(step), amplitude, at.head(m)),
                   down = residual(f * std::exp(-step), amplitude, at.head(m));
    J->resize(m + 1, m + 1);
    J->topLeftCorner(m, m) = inner / scale;
    J->topRightCorner(m, 1) = (up - down) / (2.0 * step * scale);
  };
  double length = 0.02;
  constexpr int most_points = 5000;
  while (static_cast<int>(branch.states.size()) < most_points) {
    VectorXd r;
    MatrixXd J;
    system(point, r, &J);
    J.row(m) = tangent.transpose();
    VectorXd unit = VectorXd::Zero(m + 1);
    unit[m] = 1.0;
    VectorXd next_tangent = J.partialPivLu().solve(unit);
    next_tangent /= next_tangent.norm();
    if (next_tangent.dot(tangent) < 0.0) next_tangent = -next_tangent;
    bool accepted = false;
    while (!accepted && length > 1e-7) {
      VectorXd at = point + length * next_tangent;
      int iteration = 0;
      for (; iteration < 8; ++iteration) {
        system(at, r, &J);
        J.row(m) = next_tangent.transpose();
        VectorXd rhs(m + 1);
        rhs << -r, -next_tangent.dot(at - point) + length;
        if (rhs.norm() < 1e-9) break;
        at += J.partialPivLu().solve(rhs);
        if (!at.allFinite()) break;
      }
      accepted = at.allFinite() && iteration < 8 && (at - point).norm() < 3.0 * length;
      if (!accepted) {
        length *= 0.5;
        continue;
      }
      if (next_tangent[m] * tangent[m] < 0.0) {
        const SteadyState& here = branch.states.back();
        branch.folds.push_back({here.frequency_hz, amplitude, here.response.k_dyn, here.response.loss_angle});
      }
      tangent = next_tangent;
      point = at;
      SteadyState next = solve(std::exp(at[m]), amplitude, at.head(m));
      next.stable = next.converged && tangent[m] * direction > 0.0;
      branch.states.push_back(std::move(next));
      length *= iteration <= 3 ? 1.4 : iteration >= 6 ? 0.7 : 1.0;
      length = std::min(length, 0.1);
    }
    if (!accepted) {
      branch.reason = "the continuation could not go on";
      return branch;
    }
    const double f = std::exp(point[m]);
    if (direction * (f - to_hz) >= 0.0) {
      // The last step reaches beyond: its end is put where it was asked for.
      if (SteadyState end = solve(to_hz, amplitude, branch.states.back().harmonics); end.converged)
        branch.states.back() = std::move(end);
      branch.complete = true;
      return branch;
    }
    if (direction * (f - from_hz) < -1e-9) {
      branch.reason = "the branch came back to the first frequency";
      return branch;
    }
  }
  branch.reason = "too many points on the branch";
  return branch;
}

}  // namespace kdyn::inline hydromount
