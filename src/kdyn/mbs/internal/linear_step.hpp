// SPDX-License-Identifier: Apache-2.0
// A converged step made linear: what adjoint and direct sensitivity have in common.
#pragma once

#include <vector>

#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::mbs {

// Parameters of each axis that are wanted, and where they stand in the gradient.
struct AxisParameters {
  std::vector<int> law_parameters, positions;
};

class LinearStep {
 public:
  LinearStep(const System& system, const RunOptions& options);

  // Factorises the Newton matrix at `to`, reached from `from` by the step to.h; false when singular.
  bool at_step(const RunState& from, const RunState& to);
  // Loads, rows and slopes at the start (memory as started, states given); no factorisation.
  void at_start(const RunState& start);
  // The mass matrix with joints at the start, factorised.
  bool factorise_start(const RunState& start);
  // Everything at rest in the position of the start: multipliers, and loads in `still`.
  VectorX rest(const RunState& start, Evaluation& still);
  // The static stiffness with joints at the start, as a dense matrix.
  MatrixX static_matrix(const RunState& start);
  // The Newton matrix of the start with c_m = c_v = 0, dense; needs at_start.
  MatrixX start_stiffness(const RunState& start);
  // Bilinear form of joints weighted by nu, and of [mbs E7] for the full-space vector y, at the start.
  MatrixX start_curvature(const RunState& start, const VectorX& nu, const VectorX& y);

  // Row of x_q N and (rate)_q N of an axis, spread over all tangents: y = row . x, x += factor row^T.
  double along(const Rows6& rows, int connection, int component, const VectorX& x) const;
  void add(const Rows6& rows, int connection, int component, double factor, VectorX& x) const;
  AxisLaw::Step law_step(std::size_t axis, const RunState& from, const RunState& to) const;
  // x_q of a connection applied to a full-space vector.
  Vector6 measure_rates(int connection, const VectorX& full) const;

  const System& system;
  Alpha alpha;  // of the step it stands at
  Evaluation e;
  BlockLu lu;
  StateScheme scheme;
  std::vector<MatrixX> D;  // c_w I - h_w of the axes, at a step

 private:
  void rows(const VectorX& q);

  double rho_infinity_;
};

// Gradients of whole runs would be wrong with controllers: they are refused.
void refuse_controllers(const System& system);

std::vector<AxisParameters> parameters_of_axes(const System& system, const std::vector<Parameter>& parameters);

// Whether a parameter stands in the mass matrix of a body, and the derivative of that matrix by it  [mbs E38].
inline bool is_inertial(const Parameter& p) {
  return p.kind == Parameter::Kind::mass || p.kind == Parameter::Kind::inertia || p.kind == Parameter::Kind::centre;
}
MatrixX mass_derivative(const Body& body, const Parameter& parameter);

}  // namespace kdyn::mbs
