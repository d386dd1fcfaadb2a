// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/two_point.hpp"
#include "kdyn/numerics/dense.hpp"

#include <array>
#include <cmath>

#include <ceres/tiny_solver.h>
#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/elastomer/harmonic.hpp"

namespace kdyn::inline identify {
namespace {

using Vector3 = Eigen::Vector3d;

// [identify E1] as a function for Ceres' small solver. The two stiffness equations are relative, the angle equation is
// relative too.
struct Equations {
  using Scalar = double;
  static constexpr int NUM_RESIDUALS = 3, NUM_PARAMETERS = 3;

  Equations(const Elastomer<double>& given, const TwoPointInput& values, Criterion how)
      : input(values),
        criterion(how),
        law(given.cast<Jet<3>>()) {
    law.static_stiffness = Jet<3>(1.0);  // everything is relative to it
  }

  const TwoPointInput& input;
  Criterion criterion;
  bool lambda_free = true;
  mutable Elastomer<Jet<3>> law;  // made once: its unknowns are set by every evaluation

  DynamicStiffness<Jet<3>> response(double amplitude) const {
    if (criterion == Criterion::loop) return loop_reduction(law, input.frequency_hz, Jet<3>(amplitude));
    return harmonic_reduction(law, input.frequency_hz, Jet<3>(amplitude));
  }

  // Where the angle is not asked for.
  Jet<3> stiffness(double amplitude) const {
    if (criterion == Criterion::loop) return response(amplitude).k_dyn;
    return abs(harmonic_stiffness(law, input.frequency_hz, Jet<3>(amplitude)));
  }

  bool operator()(const double* x, double* r, double* jacobian) const {
    using J = Jet<3>;
    if (!(std::abs(x[0]) < 50.0 && std::abs(x[1]) < 50.0)) return false;
    law.rdl = exp(J(x[0], 0));
    law.rho = exp(J(x[1], 1));
    law.lambda = lambda_free ? J(x[2], 2) : J(0.0);
    const DynamicStiffness<J> one = response(input.amplitude_1);
    const J residual[3] = {one.k_dyn / input.dynamic_hardening_1 - 1.0,
                           stiffness(input.amplitude_2) / input.dynamic_hardening_2 - 1.0,
                           lambda_free ? J(one.loss_angle / input.loss_angle - 1.0) : J(0.0)};
    for (int i = 0; i < 3; ++i) {
      r[i] = residual[i].a;
      if (jacobian != nullptr)
        for (int j = 0; j < 3; ++j) jacobian[i + 3 * j] = residual[i].v[j];
    }
    return std::isfinite(r[0] + r[1] + r[2]);
  }
};

// Start: for a rho on a grid, rdl and lambda from the two stiffness equations (nearly linear in them); the rho whose
// loss angle fits best.
Vector3 start_values(const Elastomer<double>& given, const TwoPointInput& input) {
  Elastomer<double> unit = given;
  unit.lambda = 1.0;
  const double g = unit.kelvin_voigt().stiffness(2.0 * std::numbers::pi * input.frequency_hz).re;
  const double g_loss = unit.kelvin_voigt().stiffness(2.0 * std::numbers::pi * input.frequency_hz).im;
  Vector3 best(std::log(input.amplitude_1), -std::log(input.amplitude_1), 0.3);
  double best_misfit = std::numeric_limits<double>::infinity();
  for (int i = -12; i <= 12; ++i) {
    const double rho = std::exp(0.5 * i) / std::sqrt(input.amplitude_1 * input.amplitude_2);
    const Friction<double> friction{FrictionLaw::masing, 1.0, rho, std::nullopt};
    const auto f1 = friction_stiffness(friction, input.amplitude_1),
               f2 = friction_stiffness(friction, input.amplitude_2);
    const double rdl = (input.dynamic_hardening_1 - input.dynamic_hardening_2) / (f1.re - f2.re);
    const double lambda = (input.dynamic_hardening_2 - 1.0 - rdl * f2.re) / g;
    if (!(rdl > 0.0)) continue;
    const double loss = std::atan2(rdl * f1.im + lambda * g_loss, 1.0 + rdl * f1.re + lambda * g);
    const double misfit = std::abs(loss - input.loss_angle);
    if (misfit < best_misfit) {
      best_misfit = misfit;
      best = {std::log(rdl), std::log(rho), lambda};
    }
  }
  return best;
}

}  // namespace

TwoPointResult identify_two_point(const Elastomer<double>& given, const TwoPointInput& input, Criterion criterion) {
  demand(input.amplitude_1 > 0.0 && input.amplitude_2 > 0.0 && input.frequency_hz > 0.0 && input.loss_angle > 0.0,
         "inputs were checked");
  TwoPointResult result;
  result.law = given;
  Equations equations(given, input, criterion);
  ceres::TinySolver<Equations> solver;
  solver.options.max_num_iterations = 200;
  solver.options.gradient_tolerance = 1e-15;
  solver.options.parameter_tolerance = 1e-15;
  solver.options.function_tolerance = 0.0;  // compares an absolute change of cost; the cost here ends near 1e-30
  solver.options.cost_threshold = 1e-28;
  solver.options.initial_trust_region_radius = 1e6;  // close to Newton: the residual vanishes at the solution

  const Vector3 start = start_values(given, input);
  Vector3 x = start;
  solver.Solve(equations, &x);
  result.iterations = solver.summary.iterations;
  double r[3] = {1.0, 1.0, 1.0};
  const auto misfit = [&] {
    return equations(x.data(), r, nullptr) ? std::max({std::abs(r[0]), std::abs(r[1]), std::abs(r[2])})
                                           : std::numeric_limits<double>::infinity();
  };
  result.residual = misfit();
  result.unconstrained_lambda = x[2];
  result.unconstrained_rdl = std::exp(x[0]);
  result.unconstrained_rho = std::exp(x[1]);
  result.status = result.residual < 1e-9 ? "converged" : "not_converged";
  if (result.status == "not_converged") {
    result.reason = fmt::format(
        "the three equations are met to {:.2g} only: no friction law of this kind has these two hardenings and this "
        "angle",
        result.residual);
    // Where the search ended may be no law at all; the start is one.
    x = start;
    x[2] = std::max(0.0, x[2]);
    result.residual = misfit();
  }
  if (result.status == "converged" && x[2] < 0.0) {
    result.status = "infeasible";
    result.reason = fmt::format(
        "lambda would be {:.4g}: the friction needed for the hardenings alone loses more than {:.3g} deg; lambda is "
        "held at 0 and the angle is not "
        "met",
        x[2], input.loss_angle * 180.0 / std::numbers::pi);
    equations.lambda_free = false;
    solver.Solve(equations, &x);
    x[2] = 0.0;
    result.residual = misfit();
  }
  result.law.rdl = std::exp(x[0]);
  result.law.rho = std::exp(x[1]);
  result.law.lambda = x[2];
  return result;
}

}  // namespace kdyn::inline identify
