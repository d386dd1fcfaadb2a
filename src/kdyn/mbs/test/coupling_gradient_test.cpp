// SPDX-License-Identifier: Apache-2.0
// Gradients through coupled bushings: adjoint against direct sensitivity and against differences of whole runs.
#include "bent_law.hpp"
#include "gradient_problem.hpp"

namespace kdyn::mbs {
namespace {

using namespace gradients;

// Odd curves of different stiffness and curvature; no potential.
std::shared_ptr<AxisLaw> odd_law(int bushing, int axis) {
  if (axis > 2) return linear_law(bushing, axis);
  return bent_law({0.0, 2e5 * (1.0 + 0.1 * bushing + 0.2 * axis), 0.0, 4e10 * (1.0 + 0.5 * axis), 300.0});
}

Problem coupled_block(const std::function<std::shared_ptr<AxisLaw>(int, int)>& law, double duration, double force) {
  Problem p = block(law, duration, force);
  p.model.connections[0].coupling = Coupling::cylindrical;
  p.model.connections[1].coupling = Coupling::spherical;
  p.outputs.push_back({OutputKind::load, 0, 0});
  p.outputs.push_back({OutputKind::load, 0, 1});
  p.weights.push_back(1e-5);
  p.weights.push_back(1e-5);
  return p;
}

std::vector<Parameter> places() {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) {
      parameters.push_back({Parameter::Kind::position, i, k});
      parameters.push_back({Parameter::Kind::orientation, i, k});
      parameters.push_back({Parameter::Kind::position, i, k, 1 + (i + k) % 2});
    }
  return parameters;
}

void expect_agreement(const Problem& p, const std::vector<Parameter>& parameters, const std::vector<double>& steps,
                      std::size_t every, const char* what) {
  const Comparison c = compare(p, parameters, steps, every);
  EXPECT_LT(c.forward, 1e-10) << what;
  EXPECT_LT(c.differences, accepted) << what;
  std::printf("%s: forward %.1e, differences %.1e\n", what, c.forward, c.differences);
}

TEST(MultibodyCouplingGradient, ParametersOfLawsAndAMass) {
  for (const bool static_start : {false, true}) {
    // Without a static start the run begins at r = 0 in both bushings.
    Problem p = coupled_block(odd_law, 0.2, 500.0);
    p.options.static_start = static_start;
    auto parameters = law_parameters(p.model, {"k1", "k3", "c", "stiffness"});
    parameters.push_back({Parameter::Kind::mass, 0, 0});
    expect_agreement(p, parameters, {1e-3}, 2, static_start ? "laws, static start" : "laws");
  }
}

TEST(MultibodyCouplingGradient, PlacesOfBushings) {
  for (const bool static_start : {false, true}) {
    Problem p = coupled_block(odd_law, 0.15, 500.0);
    p.options.static_start = static_start;
    p.model.bodies[0].rotation = Eigen::AngleAxisd(0.3, Vector3(1.0, -2.0, 2.0) / 3.0).toRotationMatrix();
    for (Connection& c : p.model.connections) {
      // Markers on the ground where those of the turned body are: the bushings begin in small deflections.
      Marker &ground = p.model.markers[static_cast<std::size_t>(c.marker1)],
             &body = p.model.markers[static_cast<std::size_t>(c.marker2)];
      ground.x = p.model.bodies[0].rotation * body.x + Vector3(4e-4, -3e-4, 2e-4);
      ground.R0 = p.model.bodies[0].rotation;
    }
    p.model.connections[0].shift = {0.004, -0.002, 0.003};
    p.model.connections[0].turn = {0.2, -0.1, 0.15};
    p.model.bodies[0].velocity = {0.05, -0.03, 0.04};
    p.outputs.push_back({OutputKind::acceleration, p.model.connections[0].marker2, 2});
    p.outputs.push_back({OutputKind::position, p.model.connections[0].marker2, 0});
    p.weights.push_back(1e-2);
    p.weights.push_back(1e4);
    // A shift of one marker alone by 1e-2 of a centimetre is a tenth of a millimetre on these progressive curves.
    expect_agreement(p, places(), {1e-3}, 1, static_start ? "places, static start" : "places");
  }
}

TEST(MultibodyCouplingGradient, FrictionAndStatesBesideTheCoupling) {
  const auto law = [](int bushing, int axis) -> std::shared_ptr<AxisLaw> {
    if (axis > 2) return linear_law(bushing, axis);
    // Odd points: the curve is smooth but for its middle, which a weighted block does not pass.
    const double k = 2e5 * (1.0 + 0.1 * bushing + 0.2 * axis);
    const Json parameters = {
        {"static_stiffness", k}, {"curve", {{-0.02, -60.0 * k * 1e-3}, {0.0, 0.0}, {0.02, 60.0 * k * 1e-3}}},
        {"alpha", 0.1},          {"beta", 0.1},
        {"gamma", 3.5e-3},       {"lambda", 0.4},
        {"rdl", 9e-5},           {"rho", 4500.0}};
    return axis_law_from_json({{"model", "elastomer"}, {"parameters", parameters}}, "law");
  };
  Problem p = coupled_block(law, 0.4, 300.0);
  p.options.step_s = 2e-3;
  p.options.static_start = true;
  p.model.gravity = {2.0, 3.0, -9.81};
  expect_agreement(p, law_parameters(p.model, {"scale_curve", "lambda", "rdl", "rho"}), {1e-4, 3e-5, 1e-5, 3e-6}, 4,
                   "friction");
}

TEST(MultibodyCouplingGradient, BentCurvesAwayFromTheirKink) {
  const auto law = [](int bushing, int axis) {
    if (axis > 2) return linear_law(bushing, axis);
    return bent_law({10.0 - 8.0 * axis, 2e5 * (1.0 + 0.1 * bushing + 0.2 * axis), 2e7, 4e9, 300.0});
  };
  Problem p = coupled_block(law, 0.15, 150.0);
  p.options.static_start = true;
  p.model.gravity = {25.0, 30.0, -40.0};
  auto parameters = law_parameters(p.model, {"f0", "k1", "k2", "k3"});
  const auto where = places();
  parameters.insert(parameters.end(), where.begin(), where.end());
  expect_agreement(p, parameters, {1e-3}, 3, "bent curves");
}

TEST(MultibodyCouplingGradient, OneDisplacementStaysZero) {
  // Pushed along y alone, bushings on the axis of mass: x of both bushings is exactly zero all the time, y is not. What
  // x would do if the bushing turned or moved is still the secant of the curve.
  Problem p = coupled_block(odd_law, 0.1, 0.0);
  p.model.gravity.setZero();
  p.model.bodies[0] = cases::rigid(20.0, Vector3(0.3, 0.5, 0.6).asDiagonal());
  for (Connection& c : p.model.connections)
    for (std::size_t k = 0; k < 3; ++k) c.laws[k] = odd_law(0, static_cast<int>(k));
  p.model.markers[static_cast<std::size_t>(p.model.loads[0].marker)].x.setZero();
  p.model.loads[0].force = {TimeSignal(0.0), TimeSignal("800*sin(50*t)"), TimeSignal(0.0)};
  p.model.loads[0].torque = {TimeSignal(0.0), TimeSignal(0.0), TimeSignal(0.0)};
  const System system(p.model);
  const Evaluated base = evaluate(p, system);
  for (const RunState& state : base.history.states) EXPECT_EQ(state.laws.motion[0].u, 0.0);
  const auto parameters = places();
  const auto jacobian = forward_sensitivity(system, p.options, base.history, p.outputs, parameters);
  ASSERT_TRUE(jacobian.complete);
  MatrixX bar =
      MatrixX::Ones(static_cast<Eigen::Index>(p.outputs.size()), static_cast<Eigen::Index>(base.history.states.size()));
  const auto adjoint = adjoint_gradient(system, p.options, base.history, p.outputs, bar, parameters);
  VectorX direct = VectorX::Zero(static_cast<Eigen::Index>(parameters.size()));
  for (const MatrixX& J : jacobian.jacobian) direct += J.colwise().sum().transpose();
  ASSERT_TRUE(direct.allFinite() && adjoint.gradient.allFinite());
  EXPECT_LT((direct - adjoint.gradient).cwiseAbs().maxCoeff(), 1e-10 * direct.cwiseAbs().maxCoeff());
  // Differences across x = 0.
  for (const std::size_t i : {std::size_t{1}, std::size_t{0}, std::size_t{7}}) {
    System changed(p.model);
    const auto sum = [&](double value) {
      set_parameter(changed, parameters[i], value);
      Problem q = p;
      q.target = VectorX::Zero(static_cast<Eigen::Index>(q.outputs.size()));
      return evaluate(q, changed).y.sum();
    };
    const double step = 1e-5,
                 difference = (8.0 * (sum(step) - sum(-step)) - (sum(2 * step) - sum(-2 * step))) / (12.0 * step);
    EXPECT_NEAR(direct[static_cast<Eigen::Index>(i)], difference, 1e-7 * direct.cwiseAbs().maxCoeff()) << i;
  }
}

}  // namespace
}  // namespace kdyn::mbs
