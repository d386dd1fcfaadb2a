// SPDX-License-Identifier: Apache-2.0
// In-situ identification on synthetic measurements: exact values without noise, normal equations of a linear problem,
// bounds, priors, starts.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/insitu/insitu.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/numerics/tasks.hpp"

namespace kdyn::inline insitu {
namespace {

using namespace mbs;

MatrixX measure(const Model& model, const RunOptions& run, const std::vector<Output>& outputs) {
  const System system(model);
  MatrixX y(static_cast<Eigen::Index>(outputs.size()), std::lround(run.duration_s / run.step_s) + 1);
  Eigen::Index n = 0;
  const RunResult result = simulate(
      system, run,
      [&](const RunState& s, const Evaluation& e) {
        for (std::size_t j = 0; j < outputs.size(); ++j)
          y(static_cast<Eigen::Index>(j), n) = output_value(system, outputs[j], s, e);
        ++n;
      },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  return y;
}

// The double mass of the example with everything measured that is asked for; the free parameters start at `factor`
// times their value.
struct DoubleMass {
  std::vector<InsituExperiment> experiments;
  std::vector<InsituParameter> parameters;
  std::vector<double> exact;

  explicit DoubleMass(double factor, double duration = 1.5, double noise = 0.0, std::uint64_t seed = 1) {
    ModelFile file = read_model(std::string(KDYN_SOURCE_DIR) + "/examples/multibody/double_mass.json");
    file.run.tolerance = 1e-13;
    file.run.duration_s = duration;
    InsituExperiment x;
    x.name = "hammer";
    x.model = file.model;
    x.run = file.run;
    x.signals = {"m2.position.x"};
    x.outputs = {{OutputKind::position, 1, 0}};
    x.measured = measure(x.model, x.run, x.outputs);
    RandomStream random(seed);
    const double rms = std::sqrt((x.measured.array() - x.measured.mean()).square().mean());
    for (double& m : x.measured.reshaped()) m += noise * rms * random.normal();
    experiments.push_back(x);
    const System system(file.model);
    for (std::size_t a = 0; a < system.axes().size(); ++a)
      for (int i = 0; i < 2; ++i) {
        const Parameter at{Parameter::Kind::law, static_cast<int>(a), i};
        exact.push_back(parameter_value(system, at));
        parameters.push_back({fmt_name(a, i), "", {at}, factor * exact.back()});
      }
  }
  static std::string fmt_name(std::size_t axis, int i) {
    return "b" + std::to_string(axis + 1) + (i == 0 ? ".stiffness" : ".damping");
  }
};

TEST(Insitu, DoubleMassFindsTheExactValuesFromHalfAndDouble) {
  for (const InsituMethod method : {InsituMethod::gauss_newton, InsituMethod::quasi_newton})
    for (const double factor : {0.5, 2.0}) {
      const DoubleMass problem(factor);
      InsituOptions options;
      options.method = method;
      options.max_iterations = 300;
      options.check_gradient = method == InsituMethod::gauss_newton;
      const InsituResult result =
          identify_in_situ(problem.experiments, problem.parameters, {}, options, silent_progress());
      EXPECT_EQ(result.status, "converged") << result.reason;
      EXPECT_EQ(result.gradient_check.done, options.check_gradient);
      EXPECT_LT(result.gradient_check.adjoint_forward, 1e-8);
      // Seven points, step 2e-3 of each logarithm: what rounding leaves in S falls below 1e-8 of its derivative over
      // such a step, and the formula errs with its sixth power.
      EXPECT_LT(result.gradient_check.adjoint_differences, 1e-8);
      ASSERT_EQ(result.parameters.size(), 4u);
      double worst = 0.0;
      // Noise-free data: what is left is rounding of the runs (1e-13), amplified by the condition of the problem (about
      // 1e3).
      for (std::size_t i = 0; i < 4; ++i)
        worst = std::max(worst, std::abs(result.parameters[i].value / problem.exact[i] - 1.0));
      EXPECT_LT(worst, method == InsituMethod::gauss_newton ? 1e-9 : 1e-7);
      std::printf("%s from %g x: %zu iterations, %d evaluations, worst %.1e, gradients %.1e %.1e\n",
                  method == InsituMethod::gauss_newton ? "gauss_newton" : "quasi_newton", factor,
                  result.history.size() - 1, result.evaluations, worst, result.gradient_check.adjoint_forward,
                  result.gradient_check.adjoint_differences);
    }
}

TEST(Insitu, TwiceTheSameExperimentHalvesTheVariance) {
  const DoubleMass once(1.0, 0.6, 0.02);
  InsituOptions options;
  options.noise = 0.02;
  options.check_gradient = false;
  const InsituResult one = identify_in_situ(once.experiments, once.parameters, {}, options, silent_progress());
  auto experiments = once.experiments;
  experiments.push_back(experiments.front());
  auto parameters = once.parameters;
  for (InsituParameter& p : parameters) p.in.push_back(p.in.front());
  const InsituResult two = identify_in_situ(experiments, parameters, {}, options, silent_progress());
  for (Eigen::Index i = 0; i < 4; ++i) {
    // Same minimum, information twice as large. 1e-6: both stop at steps below 1e-9 of a problem of condition 1e3.
    EXPECT_NEAR(two.parameters[static_cast<std::size_t>(i)].value / one.parameters[static_cast<std::size_t>(i)].value,
                1.0, 1e-6);
    EXPECT_NEAR(two.after.std[i] * std::sqrt(2.0) / one.after.std[i], 1.0, 1e-4);
  }
  // The noise is found from the residuals: 601 samples tell it to 3 %.
  options.noise = 0.0;
  const InsituResult unknown = identify_in_situ(once.experiments, once.parameters, {}, options, silent_progress());
  EXPECT_NEAR(unknown.noise, 0.02, 0.002);
}

TEST(Insitu, SamplesThatWereNotTakenDoNotCount) {
  DoubleMass problem(0.8, 0.6);
  InsituOptions options;
  options.check_gradient = false;
  // Every fourth sample only, and the first 50 ms lost.
  for (Eigen::Index n = 0; n < problem.experiments[0].measured.cols(); ++n)
    if (n % 4 != 0 || n < 50) problem.experiments[0].measured(0, n) = std::nan("");
  const InsituResult result = identify_in_situ(problem.experiments, problem.parameters, {}, options, silent_progress());
  EXPECT_EQ(result.status, "converged");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(result.parameters[i].value / problem.exact[i], 1.0, 1e-8);
}

TEST(Insitu, PriorAndDataMeetWhereTheNormalEquationsSay) {
  const DoubleMass problem(1.0, 0.3, 0.05);
  InsituOptions options;
  options.noise = 0.05;
  options.check_gradient = false;
  options.tolerance = 1e-11;
  const InsituResult alone = identify_in_situ(problem.experiments, problem.parameters, {}, options, silent_progress());
  // A prior of the size of the data's own knowledge, off by a small amount: there the problem is linear.
  InsituPrior prior;
  prior.origin = "bench";
  prior.parameters = {1, 3};
  prior.covariance.resize(2, 2);
  const double s1 = alone.after.std[1], s3 = alone.after.std[3];
  prior.covariance << s1 * s1, 0.3 * s1 * s3, 0.3 * s1 * s3, s3 * s3;
  prior.mean.resize(2);
  prior.mean << std::log(alone.parameters[1].value) + 1e-3 * s1, std::log(alone.parameters[3].value) - 2e-3 * s3;
  const InsituResult both =
      identify_in_situ(problem.experiments, problem.parameters, {prior}, options, silent_progress());
  // Oracle: information adds, and the estimate is the weighted mean.
  Eigen::Matrix4d D = Eigen::Matrix4d::Zero(), P = Eigen::Matrix4d::Zero();
  for (int i = 0; i < 4; ++i) D(i, i) = alone.after.std[i];
  const Eigen::Matrix4d information = (D * alone.after.correlation * D).inverse();
  const Eigen::Matrix2d bench = prior.covariance.inverse();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) P(1 + 2 * i, 1 + 2 * j) = bench(i, j);
  Eigen::Vector4d p0, m = Eigen::Vector4d::Zero();
  for (int i = 0; i < 4; ++i) p0[i] = std::log(alone.parameters[static_cast<std::size_t>(i)].value);
  m[1] = prior.mean[0], m[3] = prior.mean[1];
  const Eigen::Matrix4d covariance = (information + P).inverse();
  const Eigen::Vector4d expected = covariance * (information * p0 + P * m);
  for (int i = 0; i < 4; ++i) {
    // Off by thousandths of a standard deviation: curvature of the problem enters at their square.
    EXPECT_NEAR(
        (std::log(both.parameters[static_cast<std::size_t>(i)].value) - expected[i]) / std::sqrt(covariance(i, i)), 0.0,
        2e-4);
    EXPECT_NEAR(both.after.std[i] / std::sqrt(covariance(i, i)), 1.0, 1e-3);
  }
}

TEST(Insitu, BoundsHoldAndAreTold) {
  const DoubleMass problem(0.5, 0.6);
  for (const InsituMethod method : {InsituMethod::gauss_newton, InsituMethod::quasi_newton}) {
    InsituOptions options;
    options.method = method;
    options.check_gradient = false;
    options.max_factor = 1.5;
    const InsituResult result =
        identify_in_situ(problem.experiments, problem.parameters, {}, options, silent_progress());
    bool told = false;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_LE(result.parameters[i].value, problem.exact[i] * 0.75 * (1.0 + 1e-12));
    for (const Finding& f : result.findings) told = told || f.code == "at_bound";
    EXPECT_TRUE(told);
  }
}

TEST(Insitu, AParameterNobodyFeelsIsNamed) {
  DoubleMass problem(1.2, 0.3, 0.01);
  // The moment of the first bushing about x never acts: both masses slide on rails.
  for (Connection& c : problem.experiments[0].model.connections)
    c.laws[3] =
        axis_law_from_json({{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 50.0}, {"damping", 0.0}}}}, "law");
  const System system(problem.experiments[0].model);
  // Axes stand connection by connection: the second mass moved up by one.
  problem.parameters[2].in = {{Parameter::Kind::law, 2, 0}};
  problem.parameters[3].in = {{Parameter::Kind::law, 2, 1}};
  problem.parameters.push_back({"b1.torsion", "", {{Parameter::Kind::law, 1, 0}}, 50.0});
  InsituOptions options;
  options.check_gradient = false;
  const InsituResult result = identify_in_situ(problem.experiments, problem.parameters, {}, options, silent_progress());
  EXPECT_EQ(result.status, "converged") << result.reason;
  EXPECT_TRUE(std::isinf(result.before.std[4]));
  ASSERT_FALSE(result.after.weak.empty());
  EXPECT_NE(result.after.weak[0].find("b1.torsion"), std::string::npos);
  EXPECT_NEAR(result.parameters[0].value / problem.exact[0], 1.0, 0.01);
}

TEST(Insitu, StartsDoNotDependOnWhoRunsThem) {
  const DoubleMass problem(0.7, 0.3);
  InsituOptions options;
  options.check_gradient = false;
  options.starts = 4;
  options.start_spread = 2.0;
  const InsituResult here = identify_in_situ(problem.experiments, problem.parameters, {}, options, silent_progress());
  ASSERT_EQ(here.starts.size(), 4u);
  // A runner that takes the tasks backwards, as ranks might.
  struct Backwards : TaskRunner {
    std::vector<std::string> run_bytes(int count, const std::function<std::string(int)>& task) override {
      std::vector<std::string> rows(static_cast<std::size_t>(count));
      for (int i = count - 1; i >= 0; --i) rows[static_cast<std::size_t>(i)] = task(i);
      return rows;
    }
    int ranks() const override { return 2; }  // what tasks give travels as between processes
  } backwards;
  set_task_runner(&backwards);
  const InsituResult there = identify_in_situ(problem.experiments, problem.parameters, {}, options, silent_progress());
  set_task_runner(nullptr);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(here.starts[i].start, there.starts[i].start);
    EXPECT_EQ(here.starts[i].end, there.starts[i].end);
    EXPECT_EQ(here.parameters[i].value, there.parameters[i].value);
    EXPECT_NEAR(here.parameters[i].value / problem.exact[i], 1.0, 1e-7);
  }
}

TEST(Insitu, StopKeepsWhatWasReached) {
  struct Stopper : Progress {
    int calls = 0;
    void report(double, std::string_view) override { ++calls; }
    bool stop_requested() const override { return calls > 2; }
  } stopper;
  const DoubleMass problem(0.5);
  InsituOptions options;
  options.check_gradient = false;
  const InsituResult result = identify_in_situ(problem.experiments, problem.parameters, {}, options, stopper);
  EXPECT_EQ(result.status, "stopped");
  ASSERT_EQ(result.parameters.size(), 4u);
  EXPECT_LT(result.history.back().objective, result.history.front().objective);
}

}  // namespace
}  // namespace kdyn::inline insitu
