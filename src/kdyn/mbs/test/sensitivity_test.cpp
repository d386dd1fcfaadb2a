// SPDX-License-Identifier: Apache-2.0
// Adjoint against direct sensitivity (a second formulation) and against central differences of whole runs.
#include <gtest/gtest.h>

#include "gradient_problem.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::mbs {
namespace {

using namespace gradients;

TEST(MultibodySensitivity, KelvinVoigtWithMassAndStaticStart) {
  Problem p = block(linear_law, 0.3, 400.0);
  p.options.static_start = true;
  auto parameters = law_parameters(p.model, {});
  parameters.push_back({Parameter::Kind::mass, 0, 0});
  const Comparison c = compare(p, parameters, {1e-3}, 3);
  // Both formulations share nothing but the Newton matrix; differences of fourth order lose what rounding takes from
  // the step.
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, accepted);
}

TEST(MultibodySensitivity, StatesOfAnOdeHysteresis) {
  Problem p = block(
      [](int i, int k) {
        return reference_law({(k < 3 ? 2e5 : 900.0) * (1 + 0.1 * i), k < 3 ? 1e9 : 1e4, k < 3 ? 200.0 : 1.0,
                              k < 3 ? 4e4 : 200.0, k < 3 ? 20.0 : 0.1, k < 3 ? 1e5 : 500.0, k < 3 ? 30.0 : 0.5},
                             0);
      },
      0.2, 400.0);
  const Comparison c = compare(p, law_parameters(p.model, {}), {1e-4}, 11);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, accepted);
}

std::shared_ptr<AxisLaw> masing_law(int bushing, int axis) {
  const double scale = axis < 3 ? 1.0 : 5e-3, reach = axis < 3 ? 1.0 : 5.0;
  Json parameters = {{"static_stiffness", scale * 2e5 * (1 + 0.1 * bushing)},
                     {"alpha", 0.1},
                     {"beta", 0.1},
                     {"gamma", 3.5e-3},
                     {"lambda", 0.4},
                     {"rdl", 9e-5 * reach},
                     {"rho", 4500.0 / reach}};
  return axis_law_from_json({{"model", "elastomer"}, {"parameters", parameters}}, "law");
}

TEST(MultibodySensitivity, MasingFrictionOverHundredsOfTurningPoints) {
  Problem p = block(masing_law, 3.0, 500.0);
  p.options.step_s = 2e-3;
  p.options.static_start = true;
  // Turning points: reversals of the twelve deflection rates.
  const System system(p.model);
  const Evaluated base = evaluate(p, system);
  int turns = 0;
  for (std::size_t n = 1; n < base.history.states.size(); ++n)
    for (std::size_t a = 0; a < system.axes().size(); ++a)
      turns += base.history.states[n].laws.motion[a].v * base.history.states[n - 1].laws.motion[a].v < 0.0 ? 1 : 0;
  EXPECT_GT(turns, 500);
  const Comparison c = compare(p, every_fifth(law_parameters(p.model, {"static_stiffness", "lambda", "rdl", "rho"})),
                               {3e-5, 1.5e-5, 7e-6, 3e-6}, 4);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, accepted);
}

TEST(MultibodySensitivity, HydroMount) {
  Problem p = block(
      [](int i, int k) {
        if (k != 2) return linear_law(i, k);
        const Json rubber = {{"model", "elastomer"},
                             {"parameters", {{"static_stiffness", 2e5}, {"rdl", 2e-5}, {"rho", 4500.0}}}},
                   chamber = {{"model", "elastomer"},
                              {"parameters", {{"static_stiffness", 3e5}, {"rdl", 2e-5}, {"rho", 4500.0}}}};
        return std::shared_ptr<AxisLaw>(axis_law_from_json({{"model", "hydromount"},
                                                            {"main_rubber", rubber},
                                                            {"chamber_rubber", chamber},
                                                            {"parameters",
                                                             {{"chamber_area", 8.6e-3},
                                                              {"channel_area", 8.2e-5},
                                                              {"channel_length", 0.25},
                                                              {"fluid_density", 950.0},
                                                              {"fluid_damping_linear", 0.33},
                                                              {"fluid_damping_nonlinear", 1.4}}}},
                                                           "law"));
      },
      0.4, 600.0);
  // Accelerations carry the rounding of positions times 1/h^2: at 1 ms they alone would cost the differences 5e-8.
  p.options.step_s = 2e-3;
  p.options.static_start = true;
  const Comparison c =
      compare(p,
              law_parameters(p.model, {"main_rubber.static_stiffness", "chamber_rubber.static_stiffness",
                                       "chamber_rubber.rdl", "main_rubber.rho", "channel_area", "channel_length",
                                       "fluid_damping_linear", "fluid_damping_nonlinear"}),
              {3e-4, 1e-4, 3e-5}, 5);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, accepted);
}

TEST(MultibodySensitivity, JointsAndFlexibleBodyWithTheLogarithm) {
  // The beam of the reference cases on log bushings, with a bar hung from its tip by a universal joint.
  auto beam = cases::build("beam_two_bushings_kv");
  Problem p;
  p.model = beam.model;
  for (Connection& c : p.model.connections) c.measure = RotationMeasure::log;
  p.model.bodies.push_back(cases::rigid(0.2, 2e-3 * Matrix3::Identity(), {0.0, 0.0, -0.1}, {1.0, 0.0, 0.0}));
  Joint joint;
  joint.kind = JointKind::universal;
  joint.marker1 = beam.outputs[0].first;
  joint.marker2 = p.model.add_marker(1, Vector3::Zero());
  p.model.joints.push_back(joint);
  p.options = beam.options;
  p.outputs = {{OutputKind::position, beam.outputs[0].first, 2}, {OutputKind::acceleration, joint.marker2, 1}};
  p.weights = {1e4, 1e-3};
  auto parameters = law_parameters(p.model, {});
  parameters.push_back({Parameter::Kind::mass, 1, 0});
  const Comparison c = compare(p, parameters, {1e-3}, 4);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, accepted);
}

TEST(MultibodySensitivity, EveryLawOfABushing) {
  // One law on each axis; Bouc-Wen and Berg turn with the motion, the fractional law builds its ladder from its
  // parameters.
  Problem p = block(
      [](int i, int k) -> std::shared_ptr<AxisLaw> {
        if (i == 1) return linear_law(i, k);
        const auto make = [](const char* model, const Json& parameters) {
          return axis_law_from_json({{"model", model}, {"parameters", parameters}}, "law");
        };
        if (k == 0)
          return make("fractional_zener",
                      {{"static_stiffness", 2e5}, {"hardening", 1.5}, {"relaxation_time", 2e-3}, {"order", 0.45}});
        if (k == 1)
          return make("maxwell",
                      {{"static_stiffness", 2e5}, {"stiffness", {6e4, 3e4}}, {"relaxation_time", {2e-3, 3e-2}}});
        if (k == 2)
          return make("berg", {{"stiffness", 2e5},
                               {"friction_max", 40.0},
                               {"friction_displacement", 2e-4},
                               {"viscous_stiffness", 5e4},
                               {"relaxation_time", 4e-3}});
        if (k == 4)
          return make("bouc_wen", {{"stiffness", 900.0},
                                   {"hysteretic_stiffness", 300.0},
                                   {"yield_displacement", 2e-3},
                                   {"sharpness", 1.5},
                                   {"shape", 0.7},
                                   {"damping", 2.0}});
        if (k == 5)
          return make("payne", {{"static_stiffness", 600.0},
                                {"payne_stiffness", 900.0},
                                {"payne_displacement", 1e-3},
                                {"onset_exponent", 1.2},
                                {"tail_exponent", 0.8},
                                {"link_stiffness", 30.0},
                                {"frequency_exponent", 0.1},
                                {"kept_share", 0.3}});
        return linear_law(i, k);
      },
      0.25, 400.0);
  p.options.static_start = true;
  std::vector<Parameter> parameters;
  for (const Parameter& parameter : law_parameters(p.model, {})) {
    const System system(p.model);
    if (system.axes()[static_cast<std::size_t>(parameter.index)].law->model() != "kelvin_voigt")
      parameters.push_back(parameter);
  }
  const Comparison c = compare(p, parameters, {1e-4, 3e-5, 1e-5}, 1);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, accepted);
}

TEST(MultibodySensitivity, PlaceOfABushing) {
  // Turned bodies and a turned marker, so that nothing is parallel; a measured marker moves with its bushing.
  for (const bool static_start : {false, true}) {
    Problem p = block(linear_law, 0.15, 400.0);
    p.options.static_start = static_start;
    p.model.bodies[0].rotation = Eigen::AngleAxisd(0.3, Vector3(1.0, -2.0, 2.0) / 3.0).toRotationMatrix();
    p.model.connections[0].shift = {0.004, -0.002, 0.003};
    p.model.connections[0].turn = {0.2, -0.1, 0.15};
    p.outputs.push_back({OutputKind::acceleration, p.model.connections[0].marker2, 2});
    p.outputs.push_back({OutputKind::position, p.model.connections[0].marker2, 0});
    p.weights.push_back(1e-2);
    p.weights.push_back(1e4);
    std::vector<Parameter> parameters;
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 3; ++k) {
        parameters.push_back({Parameter::Kind::position, i, k});
        parameters.push_back({Parameter::Kind::orientation, i, k});
        // Either marker alone.
        parameters.push_back({Parameter::Kind::position, i, k, 1 + (i + k) % 2});
      }
    const Comparison c = compare(p, parameters, {1e-2}, 1);
    EXPECT_LT(c.forward, 1e-10);
    EXPECT_LT(c.differences, accepted);
  }
}

TEST(MultibodySensitivity, StaticStartWithVelocities) {
  // The block falls and spins from its equilibrium, which every parameter moves; friction and states of laws see the
  // velocity at once.
  for (const bool friction : {false, true}) {
    Problem p = block(friction ? masing_law : linear_law, 0.15, 300.0);
    p.options.static_start = true;
    p.model.bodies[0].rotation = Eigen::AngleAxisd(0.3, Vector3(1.0, -2.0, 2.0) / 3.0).toRotationMatrix();
    p.model.bodies[0].velocity = {0.2, -0.1, 0.3};
    p.model.bodies[0].angular_velocity = {0.8, 1.1, -0.6};
    // A displaced bushing makes the equilibrium depend on its own place in first order.
    p.model.connections[0].marker_shift[1] = {0.003, -0.002, 0.004};
    p.outputs.push_back({OutputKind::velocity, p.model.connections[1].marker2, 0});
    p.weights.push_back(1.0);
    auto parameters = friction ? every_fifth(law_parameters(p.model, {"static_stiffness", "lambda", "rdl", "rho"}))
                               : law_parameters(p.model, {});
    const std::size_t every = friction ? 2 : 4;
    while (parameters.size() % every != 0) parameters.pop_back();
    const std::vector<Parameter> others = {{Parameter::Kind::mass, 0, 0},
                                           {Parameter::Kind::position, 0, 2},
                                           {Parameter::Kind::position, 1, 0, 2},
                                           {Parameter::Kind::orientation, 0, 1}};
    parameters.insert(parameters.end(), others.begin(), others.end());
    const Comparison c =
        compare(p, parameters, friction ? std::vector<double>{1e-4, 3e-5, 1e-5} : std::vector<double>{1e-3}, every);
    EXPECT_LT(c.forward, 1e-10);
    EXPECT_LT(c.differences, accepted);
    std::printf("static start, velocities%s: forward %.1e, differences %.1e\n", friction ? ", friction" : "", c.forward,
                c.differences);
  }
}

TEST(MultibodySensitivity, StaticStartWithVelocitiesAndJoints) {
  // A flexible beam on log bushings with a bar on a universal joint and another on a driven hinge. The velocities given
  // do not keep the joints: they are projected in the mass norm, so that a mass changes them.
  for (const bool static_start : {false, true}) {
    auto beam = cases::build("beam_two_bushings_kv");
    Problem p;
    p.model = beam.model;
    for (Connection& c : p.model.connections) c.measure = RotationMeasure::log;
    p.model.bodies[0].velocity = {0.05, 0.1, -0.1};
    p.model.bodies[0].angular_velocity = {0.3, -0.4, 0.2};
    p.model.bodies[0].delta_rate = Eigen::Vector2d(0.02, -0.01);
    p.model.bodies.push_back(cases::rigid(0.2, 2e-3 * Matrix3::Identity(), {0.0, 0.0, -0.1}, {1.0, 0.0, 0.0}));
    p.model.bodies.back().velocity = {0.2, 0.0, 0.1};
    p.model.bodies.back().angular_velocity = {0.5, 0.9, 0.4};
    p.model.bodies.push_back(cases::rigid(0.1, 1e-3 * Matrix3::Identity(), {0.05, 0.0, 0.0}, {1.0, 0.0, -0.2}));
    Joint universal;
    universal.kind = JointKind::universal;
    universal.marker1 = beam.outputs[0].first;
    universal.marker2 = p.model.add_marker(1, Vector3::Zero());
    p.model.joints.push_back(universal);
    Joint hinge;
    hinge.kind = JointKind::revolute;
    hinge.marker1 = p.model.add_marker(1, {0.0, 0.0, -0.2});
    hinge.marker2 = p.model.add_marker(2, Vector3::Zero());
    p.model.joints.push_back(hinge);
    Joint drive = hinge;
    drive.kind = JointKind::drive_rotation;
    drive.drive = TimeSignal("0.4*sin(30*t)");
    p.model.joints.push_back(drive);
    // Something that holds the bar on the universal joint in equilibrium.
    Connection soft;
    soft.name = "soft";
    soft.marker1 = p.model.add_marker(-1, {1.0, 0.0, -0.2});
    soft.marker2 = p.model.add_marker(1, {0.0, 0.0, -0.2});
    for (std::size_t k = 0; k < 6; ++k) soft.laws[k] = kelvin_voigt_law(k < 3 ? 300.0 : 2.0, k < 3 ? 0.5 : 0.01);
    p.model.connections.push_back(soft);
    p.options = beam.options;
    p.options.static_start = static_start;
    p.outputs = {{OutputKind::position, beam.outputs[0].first, 2},
                 {OutputKind::acceleration, universal.marker2, 1},
                 {OutputKind::velocity, hinge.marker2, 0}};
    p.weights = {1e4, 1e-3, 1.0};
    auto parameters = law_parameters(p.model, {});
    while (parameters.size() % 4 != 0) parameters.pop_back();
    parameters.push_back({Parameter::Kind::mass, 1, 0});
    parameters.push_back({Parameter::Kind::position, 2, 0, 2});
    parameters.push_back({Parameter::Kind::position, 2, 2});
    parameters.push_back({Parameter::Kind::orientation, 2, 1});
    parameters.push_back({Parameter::Kind::mass, 2, 0});
    parameters.push_back({Parameter::Kind::centre, 1, 2});
    parameters.push_back({Parameter::Kind::inertia, 1, 1});
    parameters.push_back({Parameter::Kind::centre, 2, 0});
    parameters.push_back({Parameter::Kind::modal_damping, 0, 0});
    const Comparison c = compare(p, parameters, {1e-3}, 2);
    EXPECT_LT(c.forward, 1e-10);
    EXPECT_LT(c.differences, accepted);
    std::printf("joints, velocities, %s: forward %.1e, differences %.1e\n", static_start ? "static start" : "as given",
                c.forward, c.differences);
  }
}

TEST(MultibodySensitivity, ParametersKeepTheirBounds) {
  Problem p = block(masing_law, 0.1, 100.0);
  System system(p.model);
  const auto parameters = law_parameters(p.model, {"static_stiffness", "rdl"});
  EXPECT_THROW(set_parameter(system, parameters[0], -1.0), Error);
  EXPECT_THROW(set_parameter(system, parameters[1], std::nan("")), Error);
  EXPECT_THROW(set_parameter(system, {Parameter::Kind::mass, 0, 0}, 0.0), Error);
  // What was refused changed nothing.
  EXPECT_EQ(parameter_value(system, parameters[0]), 2e5);
  set_parameter(system, parameters[0], 3e5);
  EXPECT_EQ(parameter_value(system, parameters[0]), 3e5);
  // A marker that carries a load as well must not move with a bushing.
  p.model.loads[0].marker = p.model.connections[0].marker2;
  System shared(p.model);
  EXPECT_THROW(set_parameter(shared, {Parameter::Kind::position, 0, 0}, 0.01), Error);
  p.model.connections[0].marker_shift[0] = {0.01, 0.0, 0.0};
  EXPECT_THROW(System{p.model}, Error);
}

TEST(MultibodySensitivity, CheckpointsGiveTheSameGradient) {
  Problem p = block(masing_law, 0.4, 500.0);
  p.options.step_s = 1e-3;
  const System system(p.model);
  const Evaluated base = evaluate(p, system);
  const MatrixX bar = bars(p, base);
  const auto parameters = law_parameters(p.model, {"static_stiffness", "rdl"});
  const auto all = adjoint_gradient(system, p.options, base.history, p.outputs, bar, parameters);
  for (const std::size_t interval : {1u, 20u, 33u, 1000u}) {
    Checkpoints few(interval);
    ASSERT_EQ(simulate(system, p.options, {}, silent_progress(), few).status, RunStatus::done);
    const auto again = adjoint_gradient(system, p.options, few, p.outputs, bar, parameters);
    ASSERT_TRUE(again.complete);
    // Steps are repeated bit for bit.
    EXPECT_EQ((again.gradient - all.gradient).cwiseAbs().maxCoeff(), 0.0) << interval;
    EXPECT_EQ(few.snapshots(), 400u / interval + 1u);
    EXPECT_LE(few.states_held(), std::min<std::size_t>(interval, 400u) + 1u);
  }
}

TEST(MultibodySensitivity, PassesThroughChosenSteps) {
  // A hammer blow: short steps there, long ones after. The gradient is that of the steps taken, so differences repeat
  // these.
  Problem p = block(linear_law, 0.3, 0.0);
  p.model.loads[0].force[2] = TimeSignal(Curve{{0.0, 0.0}, {0.05, 0.0}, {0.058, 3000.0}, {0.066, 0.0}});
  p.options.step_s = 8e-3;
  p.options.duration_s = 0.304;
  p.options.step_control = true;
  p.options.step_tolerance = 1e-7;
  p.options.tolerance = 1e-13;
  p.options.static_start = true;
  clone_laws(p.model);
  System system(p.model);
  const Evaluated base = evaluate(p, system);
  double shortest = 1.0, longest = 0.0;
  for (std::size_t n = 1; n < base.history.states.size(); ++n) {
    shortest = std::min(shortest, base.history.states[n].h);
    longest = std::max(longest, base.history.states[n].h);
  }
  EXPECT_GE(longest / shortest, 8.0);
  EXPECT_NEAR(base.history.states.back().t, 0.304, 1e-12);
  const MatrixX bar = bars(p, base);
  const auto parameters = law_parameters(p.model, {});
  const auto adjoint = adjoint_gradient(system, p.options, base.history, p.outputs, bar, parameters);
  const auto forward = forward_sensitivity(system, p.options, base.history, p.outputs, parameters);
  ASSERT_TRUE(adjoint.complete && forward.complete);
  double largest = 0.0, worst = 0.0;
  VectorX direct = VectorX::Zero(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t n = 0; n < forward.jacobian.size(); ++n)
    direct += forward.jacobian[n].transpose() * bar.col(static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double value = parameter_value(system, parameters[i]);
    largest = std::max(largest, std::abs(direct[static_cast<Eigen::Index>(i)] * value));
    worst = std::max(worst, std::abs((direct - adjoint.gradient)[static_cast<Eigen::Index>(i)] * value));
  }
  EXPECT_LT(worst, 1e-10 * largest);
  const auto objective = [&] {
    mbs::Run run(system, p.options);
    EXPECT_EQ(run.start().status, RunStatus::done);
    double sum = 0.0;
    std::string reason;
    for (std::size_t n = 0; n < base.history.states.size(); ++n) {
      if (n > 0) {
        EXPECT_TRUE(run.step_by(base.history.states[n].h, reason)) << reason;
      }
      for (std::size_t j = 0; j < p.outputs.size(); ++j) {
        const double y =
            output_value(system, p.outputs[j], run.state(), run.evaluation()) - p.target[static_cast<Eigen::Index>(j)];
        sum += p.weights[j] * y * y;
      }
    }
    return sum;
  };
  for (const std::size_t i : {4u, 17u}) {
    const double value = parameter_value(system, parameters[i]), d = 1e-3;
    const auto at = [&](double factor) {
      set_parameter(system, parameters[i], value * (1.0 + factor * d));
      return objective();
    };
    const double difference = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * d);
    set_parameter(system, parameters[i], value);
    EXPECT_LT(std::abs(difference - adjoint.gradient[static_cast<Eigen::Index>(i)] * value), accepted * largest);
  }
}

}  // namespace
}  // namespace kdyn::mbs
