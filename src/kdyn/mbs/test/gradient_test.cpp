// SPDX-License-Identifier: Apache-2.0
// Gradients of the reference cases. Oracle: discrete adjoint of an independent implementation, itself checked by
// complex steps.
#include <gtest/gtest.h>

#include "cases.hpp"
#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::mbs {
namespace {

struct Runs {
  MatrixX y;
  History history;
};

Runs run_case(const cases::Case& c, const System& system) {
  Runs out;
  std::vector<std::vector<double>> y;
  const RunResult result = simulate(
      system, c.options,
      [&](const RunState& state, const Evaluation& e) {
        y.emplace_back();
        for (const auto& [marker, k] : c.outputs)
          y.back().push_back(output_value(system, {OutputKind::position, marker, k}, state, e));
      },
      silent_progress(), &out.history);
  EXPECT_EQ(result.status, RunStatus::done);
  out.y.resize(static_cast<Eigen::Index>(c.outputs.size()), static_cast<Eigen::Index>(y.size()));
  for (std::size_t n = 0; n < y.size(); ++n)
    for (std::size_t j = 0; j < c.outputs.size(); ++j)
      out.y(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(n)) = y[n][j];
  return out;
}

TEST(MultibodyGradient, MeetsTheReferenceCases) {
  for (const char* name : {"double_mass_kv", "double_mass_hyst", "beam_two_bushings_kv", "beam_two_bushings_hyst"}) {
    const Json& c = cases::reference()[name];
    const auto exact = cases::build(name, "rho_exact"), built = cases::build(name, "rho_eval");
    const System measured(exact.model), system(built.model);
    const MatrixX target = run_case(exact, measured).y;
    const Runs runs = run_case(built, system);
    const auto steps = target.cols();
    MatrixX bar(target.rows(), steps);
    double objective = 0.0;
    for (Eigen::Index n = 0; n < steps; ++n) {
      const double weight = built.options.step_s * (n == 0 || n == steps - 1 ? 0.5 : 1.0);
      objective += weight * (runs.y.col(n) - target.col(n)).squaredNorm();
      bar.col(n) = 2.0 * weight * (runs.y.col(n) - target.col(n));
    }
    // Both are sums of squares of differences that carry 1e-12.
    EXPECT_NEAR(objective, c["objective"].get<double>(), 1e-8 * objective) << name;
    std::vector<Parameter> parameters;
    for (std::size_t a = 0; a < system.axes().size(); ++a)
      for (std::size_t i = 0; i < system.axes()[a].law->parameter_names().size(); ++i)
        parameters.push_back({Parameter::Kind::law, static_cast<int>(a), static_cast<int>(i)});
    std::vector<Output> outputs;
    for (const auto& [marker, k] : built.outputs) outputs.push_back({OutputKind::position, marker, k});
    const auto rho = c["rho_eval"].get<std::vector<double>>();
    ASSERT_EQ(parameters.size(), rho.size());
    const auto result = adjoint_gradient(system, built.options, runs.history, outputs, bar, parameters);
    ASSERT_TRUE(result.complete);
    double largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < rho.size(); ++i) {
      const double expected = c["gradient"][i].get<double>() * rho[i];
      largest = std::max(largest, std::abs(expected));
      worst = std::max(worst, std::abs(result.gradient[static_cast<Eigen::Index>(i)] * rho[i] - expected));
    }
    EXPECT_LT(worst, 1e-8 * largest) << name;
  }
}

}  // namespace
}  // namespace kdyn::mbs
