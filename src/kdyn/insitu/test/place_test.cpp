// SPDX-License-Identifier: Apache-2.0
// Places of bushings as unknowns: a bushing that sits elsewhere than the model says is found from noisy accelerations.
#include <gtest/gtest.h>

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/insitu/insitu.hpp"

namespace kdyn::inline insitu {
namespace {

using namespace mbs;

// A block of 20 kg on three bushings, struck near a corner; accelerations of two other corners. `shift` is that of the
// first bushing.
InsituExperiment struck_block(const Vector3& shift, const Vector3& turn) {
  InsituExperiment x;
  x.name = "hammer";
  x.model.gravity = {0.0, 0.0, -9.81};
  Body block;
  block.name = "block";
  block.G = rigid_mass(20.0, {0.0, 0.0, 0.05}, Vector3(0.3, 0.5, 0.6).asDiagonal());
  x.model.bodies.push_back(block);
  const Vector3 places[3] = {{-0.25, 0.15, 0.0}, {-0.25, -0.15, 0.0}, {0.25, 0.02, 0.0}};
  for (int i = 0; i < 3; ++i) {
    Connection c;
    c.name = "b" + std::to_string(i + 1);
    c.marker1 = x.model.add_marker(-1, places[i]);
    c.marker2 = x.model.add_marker(0, places[i]);
    for (std::size_t k = 0; k < 6; ++k) {
      // Stiff along z, soft across: an orientation can be told.
      const double stiffness = k == 2 ? 4e5 : k < 2 ? 1e5 : 200.0;
      c.laws[k] = axis_law_from_json(
          {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", stiffness}, {"damping", 1.5e-3 * stiffness}}}},
          "law");
    }
    if (i == 0) c.shift = shift, c.turn = turn;
    x.model.connections.push_back(c);
  }
  PointLoad hammer;
  hammer.name = "hammer";
  hammer.marker = x.model.add_marker(0, {0.2, 0.12, 0.1});
  for (std::size_t k = 0; k < 3; ++k) {
    const double begin = 0.01 + 0.08 * static_cast<double>(k);
    hammer.force[k] = TimeSignal(Curve{{begin, 0.0}, {begin + 2e-3, 1500.0}, {begin + 4e-3, 0.0}});
  }
  x.model.loads.push_back(hammer);
  x.run.step_s = 1e-3;
  x.run.duration_s = 0.4;
  x.run.static_start = true;
  for (const Vector3& corner : {Vector3(-0.3, 0.15, 0.1), Vector3(0.3, -0.15, 0.1)}) {
    const int marker = x.model.add_marker(0, corner);
    for (int k = 0; k < 3; ++k) {
      x.outputs.push_back({OutputKind::acceleration, marker, k});
      x.signals.push_back("corner " + std::to_string(marker) + " " + "xyz"[k]);
    }
  }
  return x;
}

void measure(InsituExperiment& x, double noise, std::uint64_t seed) {
  const System system(x.model);
  std::vector<Eigen::VectorXd> rows;
  const RunResult result = simulate(
      system, x.run,
      [&](const RunState& s, const Evaluation& e) {
        Eigen::VectorXd y(static_cast<Eigen::Index>(x.outputs.size()));
        for (std::size_t j = 0; j < x.outputs.size(); ++j)
          y[static_cast<Eigen::Index>(j)] = output_value(system, x.outputs[j], s, e);
        rows.push_back(y);
      },
      silent_progress());
  ASSERT_EQ(result.status, RunStatus::done) << result.reason;
  x.measured.resize(rows[0].size(), static_cast<Eigen::Index>(rows.size()));
  for (std::size_t n = 0; n < rows.size(); ++n) x.measured.col(static_cast<Eigen::Index>(n)) = rows[n];
  RandomStream random(seed);
  for (Eigen::Index j = 0; j < x.measured.rows(); ++j) {
    const auto row = x.measured.row(j).array();
    const double rms = std::sqrt((row - row.mean()).square().mean());
    for (double& m : x.measured.row(j)) m += noise * rms * random.normal();
  }
}

TEST(InsituPlace, ABushingDisplacedByTenMillimetresIsFound) {
  const Vector3 shift(0.010, -0.004, 0.0), turn(0.0, 0.05, 0.0);
  InsituExperiment truth = struck_block(shift, turn);
  measure(truth, 0.02, 5);
  InsituExperiment x = struck_block(Vector3::Zero(), Vector3::Zero());
  x.measured = truth.measured;
  // Its place across z, its orientation, and stiffnesses of two bushings along z.
  std::vector<InsituParameter> parameters;
  const auto place = [&](const char* name, Parameter::Kind kind, int axis) {
    parameters.push_back(
        {name, kind == Parameter::Kind::position ? "m" : "rad", {{kind, 0, axis}}, 0.0, std::nullopt, place_scale});
  };
  place("b1.position.x", Parameter::Kind::position, 0);
  place("b1.position.y", Parameter::Kind::position, 1);
  place("b1.orientation.y", Parameter::Kind::orientation, 1);
  parameters.push_back({"b1.fz.stiffness", "N/m", {{Parameter::Kind::law, 2, 0}}, 3e5});
  parameters.push_back({"b3.fz.stiffness", "N/m", {{Parameter::Kind::law, 14, 0}}, 5e5});
  const double exact[5] = {shift.x(), shift.y(), turn.y(), 4e5, 4e5};
  for (const InsituMethod method : {InsituMethod::gauss_newton, InsituMethod::quasi_newton}) {
    InsituOptions options;
    options.method = method;
    options.tolerance = 1e-7;
    options.max_iterations = 200;
    const InsituResult result = identify_in_situ({x}, parameters, {}, options, silent_progress());
    EXPECT_EQ(result.status, "converged") << result.reason;
    ASSERT_TRUE(result.gradient_check.done);
    // Acceptance of the gradients of multibody models: 1e-8 of the largest component.
    EXPECT_LT(result.gradient_check.adjoint_forward, 1e-8);
    EXPECT_LT(result.gradient_check.adjoint_differences, 1e-8);
    EXPECT_NEAR(result.noise, 0.02, 0.002);
    ASSERT_EQ(result.parameters.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      const ParameterEstimate& p = result.parameters[i];
      // Four standard deviations: one of five honest estimates is beyond in 3e-4 of all cases; the seed was not chosen.
      EXPECT_LT(std::abs(p.value - exact[i]), 4.0 * p.std) << p.name;
      EXPECT_NEAR(0.5 * (p.lower_95 + p.upper_95), p.value, 2e-2 * std::abs(p.value) + 1e-12) << p.name;
      std::printf("%s: %.5g, exact %.5g, std %.2g\n", p.name.c_str(), p.value, exact[i], p.std);
    }
    // Informative: the displacement of 10 mm stands out by far.
    EXPECT_LT(result.parameters[0].std, 1e-3);
    std::printf("gradients %.1e %.1e\n", result.gradient_check.adjoint_forward,
                result.gradient_check.adjoint_differences);
  }
}

TEST(InsituPlace, ABoundOnPlacesHolds) {
  InsituExperiment truth = struck_block({0.02, 0.0, 0.0}, Vector3::Zero());
  measure(truth, 0.01, 7);
  InsituExperiment x = struck_block(Vector3::Zero(), Vector3::Zero());
  x.measured = truth.measured;
  InsituOptions options;
  options.max_shift = 0.005;
  options.check_gradient = false;
  const InsituResult result = identify_in_situ(
      {x}, {{"b1.position.x", "m", {{Parameter::Kind::position, 0, 0}}, 0.0, std::nullopt, place_scale}}, {}, options,
      silent_progress());
  ASSERT_EQ(result.parameters.size(), 1u);
  EXPECT_NEAR(result.parameters[0].value, 0.005, 1e-12);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].code, "at_bound");
  // Which marker of the bushing moves cannot be told from both together and each: said before the search.
  std::vector<InsituParameter> all;
  for (const int side : {0, 1, 2})
    all.push_back({"side" + std::to_string(side),
                   "m",
                   {{Parameter::Kind::position, 0, 0, side}},
                   0.0,
                   std::nullopt,
                   place_scale});
  const InsituResult vague = identify_in_situ({x}, all, {}, options, silent_progress());
  EXPECT_FALSE(vague.before.weak.empty());
}

}  // namespace
}  // namespace kdyn::inline insitu
