// SPDX-License-Identifier: Apache-2.0
// In-situ identification on synthetic measurements: exact values without noise, coverage of the intervals with noise.
#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

#include "kdyn/base/json.hpp"
#include "kdyn/identify/insitu.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn {
namespace {

using namespace mbs;

MatrixX measure(const Model& model, const RunOptions& run, const std::vector<Output>& outputs) {
  const System system(model);
  MatrixX y(static_cast<Eigen::Index>(outputs.size()), std::lround(run.duration_s / run.step_s) + 1);
  Eigen::Index n = 0;
  const RunResult result = simulate(
      system, run,
      [&](const RunState& s, const Evaluation& e) {
        for (std::size_t j = 0; j < outputs.size(); ++j) y(static_cast<Eigen::Index>(j), n) = output_value(system, outputs[j], s, e);
        ++n;
      },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  return y;
}

std::vector<InsituParameter> all_parameters(const Model& model, const std::string& only = "") {
  std::vector<InsituParameter> out;
  const System system(model);
  for (std::size_t a = 0; a < system.axes().size(); ++a) {
    const auto& names = system.axes()[a].law->parameter_names();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (only.empty() || names[i] == only)
        out.push_back({fmt::format("{}.{}", a, names[i]), "", {Parameter::Kind::law, static_cast<int>(a), static_cast<int>(i)}});
  }
  return out;
}

TEST(Insitu, DoubleMassFindsTheExactValuesFromHalfAndDouble) {
  ModelFile file = read_model(std::string(KDYN_SOURCE_DIR) + "/examples/multibody/double_mass.json");
  file.run.tolerance = 1e-13;
  const std::vector<Output> outputs = {{OutputKind::position, 1, 0}};
  const MatrixX y = measure(file.model, file.run, outputs);
  const double exact[] = {2000.0, 4.0, 1000.0, 2.0};
  for (const double factor : {0.5, 2.0}) {
    Model model = file.model;
    clone_laws(model);
    const auto parameters = all_parameters(model);
    System start(model);
    for (const auto& p : parameters) set_parameter(start, p.parameter, factor * parameter_value(start, p.parameter));
    const InsituResult result = identify_in_situ(start.model(), file.run, outputs, y, parameters, {}, silent_progress());
    EXPECT_EQ(result.status, "converged") << result.reason;
    EXPECT_LT(result.gradient_check, 1e-8);
    ASSERT_EQ(result.parameters.size(), 4u);
    // Noise-free data: what is left is rounding of the runs, amplified by the condition of the problem.
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(result.parameters[i].value, exact[i], 1e-8 * exact[i]);
    std::printf("from %g x: %zu iterations, worst %.1e, gradient check %.1e\n", factor, result.history.size() - 1,
                std::abs(result.parameters[1].value / exact[1] - 1.0), result.gradient_check);
  }
}

// A subframe of 30 kg on four six-axis bushings, struck at two corners one after the other; three accelerations at each of four corners.
Model subframe(std::vector<Output>& outputs) {
  Model model;
  model.gravity = {0.0, 0.0, -9.81};
  Body body;
  body.name = "subframe";
  body.G = rigid_mass(30.0, {0.02, -0.01, 0.03}, Vector3(1.2, 1.6, 2.4).asDiagonal());
  model.bodies.push_back(body);
  const double x[4] = {-0.4, -0.4, 0.4, 0.4}, y[4] = {-0.35, 0.35, -0.3, 0.3};
  for (int i = 0; i < 4; ++i) {
    Connection c;
    c.name = fmt::format("bushing{}", i + 1);
    c.marker1 = model.add_marker(-1, {x[i], y[i], 0.0});
    c.marker2 = model.add_marker(0, {x[i], y[i], 0.0});
    for (int k = 0; k < 6; ++k) {
      const double stiffness = (k < 3 ? 4e5 : 2500.0) * (1.0 + 0.15 * i + 0.25 * (k % 3));
      c.laws[static_cast<std::size_t>(k)] =
          axis_law_from_json({{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", stiffness}, {"damping", 2e-4 * stiffness}}}}, "law");
    }
    model.connections.push_back(c);
    const int corner = model.add_marker(0, {1.1 * x[i], 1.1 * y[i], 0.05});
    for (int k = 0; k < 3; ++k) outputs.push_back({OutputKind::acceleration, corner, k});
    if (i == 0 || i == 3) {
      PointLoad load;
      load.marker = corner;
      const double at = i == 0 ? 0.0 : 0.1;
      const auto hit = [&](double size) { return TimeSignal(Curve{{at, 0.0}, {at + 2e-3, size}, {at + 4e-3, 0.0}}); };
      load.force = {hit(3000.0), hit(i == 0 ? -2000.0 : 2500.0), hit(4000.0)};
      model.loads.push_back(load);
    }
  }
  return model;
}

TEST(Insitu, SubframeIntervalsHoldTheTrueStiffnesses) {
  std::vector<Output> outputs;
  const Model truth = subframe(outputs);
  RunOptions run;
  run.step_s = 1e-3;
  run.duration_s = 0.25;
  run.tolerance = 1e-12;
  const MatrixX clean = measure(truth, run, outputs);
  const auto parameters = all_parameters(truth, "stiffness");
  ASSERT_EQ(parameters.size(), 24u);
  const System reference(truth);
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    MatrixX y = clean;
    for (Eigen::Index j = 0; j < y.rows(); ++j) {
      const double rms = std::sqrt((clean.row(j).array() - clean.row(j).mean()).square().mean());
      for (Eigen::Index n = 0; n < y.cols(); ++n) y(j, n) += 0.02 * rms * normal(random);
    }
    Model model = truth;
    clone_laws(model);
    System start(model);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      set_parameter(start, parameters[i].parameter, (i % 2 == 0 ? 1.3 : 0.8) * parameter_value(start, parameters[i].parameter));
    InsituOptions options;
    options.tolerance = 1e-5;
    const InsituResult result = identify_in_situ(start.model(), run, outputs, y, parameters, options, silent_progress());
    EXPECT_EQ(result.status, "converged") << result.reason;
    EXPECT_LT(result.gradient_check, 1e-8);
    int inside = 0;
    for (std::size_t i = 0; i < 24; ++i) {
      const double value = parameter_value(reference, parameters[i].parameter);
      inside += value >= result.parameters[i].lower_95 && value <= result.parameters[i].upper_95 ? 1 : 0;
    }
    // 24 intervals of 95 %: fewer than 20 would happen once in a few thousand draws if they were right.
    EXPECT_GE(inside, 20) << "seed " << seed;
    EXPECT_NEAR(result.misfit, 0.02, 1e-3);
    std::printf("seed %u: %d of 24 inside, %zu iterations, misfit %.4f, gradient check %.1e\n", seed, inside, result.history.size() - 1,
                result.misfit, result.gradient_check);
  }
}

}  // namespace
}  // namespace kdyn
