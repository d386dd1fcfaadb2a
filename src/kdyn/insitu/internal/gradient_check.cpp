// SPDX-License-Identifier: Apache-2.0
#include "kdyn/insitu/internal/gradient_check.hpp"

#include <algorithm>
#include <cmath>

namespace kdyn::inline insitu::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Three gradients of S at one point: adjoint, direct, central differences. The runs are converged to rounding: what
// Newton leaves would stand in the differences over their step.
InsituGradientCheck check_gradient(std::vector<InsituExperiment> experiments,
                                   const std::vector<InsituParameter>& parameters,
                                   const std::vector<InsituPrior>& priors, const VectorXd& p0, double noise,
                                   int& evaluations) {
  InsituGradientCheck out;
  for (InsituExperiment& x : experiments) x.run.tolerance = std::min(x.run.tolerance, 1e-13);
  InsituProblem problem(experiments, parameters, priors);
  problem.noise = noise;
  problem.set_rows_by_adjoint(false);
  const InsituPoint at = problem.evaluate(p0);
  MatrixXd A;
  if (!at.complete || !problem.normal_equations(at, A, out.forward) || !problem.adjoint_gradient(at, out.adjoint))
    return out;
  out.forward *= 2.0;
  out.adjoint *= 2.0;
  out.differences.resize(p0.size());
  const bool smooth = !problem.has_memory();
  InsituPoint moved;  // the same run, read by other channels
  moved.steps = at.steps;
  moved.ends = at.ends;
  for (Index i = 0; i < p0.size(); ++i) {
    // Positions near 1 m are rounded in every step, which leaves about 1e-11 of S: over a step of 2e-3 that is 1e-8 of
    // S and less of its slope, while the sixth-order formula errs by (phase at the end)^6 step^6/140, 1e-10 for 20 rad.
    // With friction the step must stay between the kinks.
    // Unknowns of channels change no run: nothing but the last digit of S is lost, and the step stays between the
    // samples' neighbours.
    const InsituParameter& parameter = parameters[static_cast<std::size_t>(i)];
    const bool channel = parameter.of != InsituParameter::Of::model;
    // The phase of a load moves with its frequency from the first period on: hundred rad at the end are no rarity.
    const bool signal = !channel && parameter.in.front().kind == mbs::Parameter::Kind::signal;
    const double step = channel ? 1e-4 : parameter.scale > 0.0 ? 1e-2 : signal ? 2e-4 : smooth ? 2e-3 : 3e-4;
    if (channel) moved.p = p0;
    bool complete = true;
    const auto pair = [&](double factor) {
      double value[2] = {0.0, 0.0};
      for (const int side : {0, 1}) {
        VectorXd p = p0;
        p[i] += (side == 0 ? factor : -factor) * step;
        if (channel) {
          moved.p = p;
          problem.read_channels(moved);
          value[side] = moved.data + noise * noise * moved.end;
          continue;
        }
        const InsituPoint again = problem.evaluate(p);
        complete = complete && again.complete;
        value[side] = again.data + noise * noise * again.end;
      }
      return value[0] - value[1];
    };
    const double one = pair(1.0), two = pair(2.0);
    out.differences[i] =
        smooth ? (45.0 * one - 9.0 * two + pair(3.0)) / (60.0 * step) : (8.0 * one - two) / (12.0 * step);
    if (!complete) return out;
  }
  evaluations += problem.evaluations;
  const double largest = std::max(out.forward.cwiseAbs().maxCoeff(), 1e-300);
  out.adjoint_forward = (out.adjoint - out.forward).cwiseAbs().maxCoeff() / largest;
  out.adjoint_differences = (out.adjoint - out.differences).cwiseAbs().maxCoeff() / largest;
  out.done = true;
  return out;
}

}  // namespace kdyn::inline insitu::internal
