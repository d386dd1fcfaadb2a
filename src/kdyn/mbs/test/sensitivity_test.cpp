// SPDX-License-Identifier: Apache-2.0
// Adjoint against direct sensitivity (a second formulation) and against central differences of whole runs.
#include <gtest/gtest.h>

#include <functional>

#include <fmt/format.h>

#include "cases.hpp"
#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::mbs {
namespace {

struct Problem {
  Model model;
  RunOptions options;
  std::vector<Output> outputs;
  std::vector<double> weights;  // of the squares
};

struct Evaluated {
  double objective = 0.0;
  MatrixX y;
  History history;
};

Evaluated evaluate(const Problem& p, const System& system) {
  Evaluated out;
  std::vector<VectorX> y;
  const RunResult result = simulate(
      system, p.options,
      [&](const RunState& s, const Evaluation& e) {
        VectorX now(static_cast<Eigen::Index>(p.outputs.size()));
        for (std::size_t j = 0; j < p.outputs.size(); ++j) now[static_cast<Eigen::Index>(j)] = output_value(system, p.outputs[j], s, e);
        y.push_back(now);
      },
      silent_progress(), &out.history);
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  out.y.resize(static_cast<Eigen::Index>(p.outputs.size()), static_cast<Eigen::Index>(y.size()));
  for (std::size_t n = 0; n < y.size(); ++n) out.y.col(static_cast<Eigen::Index>(n)) = y[n];
  for (std::size_t j = 0; j < p.outputs.size(); ++j) out.objective += p.weights[j] * out.y.row(static_cast<Eigen::Index>(j)).squaredNorm();
  return out;
}

struct Comparison {
  double forward = 0.0, differences = 0.0;  // largest difference to the adjoint over the largest scaled component
};

// Differences are taken for every so manieth parameter: they cost four runs each.
Comparison compare(Problem p, const std::vector<Parameter>& parameters, double relative_step, std::size_t every) {
  p.options.tolerance = 1e-13;
  clone_laws(p.model);
  System system(p.model);
  const Evaluated base = evaluate(p, system);
  MatrixX bar = base.y;
  for (std::size_t j = 0; j < p.outputs.size(); ++j) bar.row(static_cast<Eigen::Index>(j)) *= 2.0 * p.weights[j];
  const auto adjoint = adjoint_gradient(system, p.options, base.history, p.outputs, bar, parameters);
  const auto forward = forward_sensitivity(system, p.options, base.history, p.outputs, parameters);
  EXPECT_TRUE(adjoint.complete && forward.complete);
  VectorX direct = VectorX::Zero(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t n = 0; n < forward.jacobian.size(); ++n) direct += forward.jacobian[n].transpose() * bar.col(static_cast<Eigen::Index>(n));
  Comparison out;
  double largest = 0.0;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    largest = std::max(largest, std::abs(adjoint.gradient[static_cast<Eigen::Index>(i)] * parameter_value(system, parameters[i])));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double value = parameter_value(system, parameters[i]), own = adjoint.gradient[static_cast<Eigen::Index>(i)] * value;
    out.forward = std::max(out.forward, std::abs(direct[static_cast<Eigen::Index>(i)] * value - own) / largest);
    if (i % every != 0) continue;
    // Five points: error of fourth order in the step.
    const auto at = [&](double factor) {
      set_parameter(system, parameters[i], value * (1.0 + factor * relative_step));
      return evaluate(p, system).objective;
    };
    const double difference = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * relative_step);
    set_parameter(system, parameters[i], value);
    out.differences = std::max(out.differences, std::abs(difference - own) / largest);
  }
  return out;
}

std::vector<Parameter> law_parameters(const Model& model, const std::vector<std::string>& names) {
  std::vector<Parameter> parameters;
  const System system(model);
  for (std::size_t a = 0; a < system.axes().size(); ++a) {
    const auto& known = system.axes()[a].law->parameter_names();
    for (std::size_t i = 0; i < known.size(); ++i)
      if (names.empty() || std::find(names.begin(), names.end(), known[i]) != names.end())
        parameters.push_back({Parameter::Kind::law, static_cast<int>(a), static_cast<int>(i)});
  }
  return parameters;
}

std::vector<Parameter> every_fifth(const std::vector<Parameter>& all) {
  std::vector<Parameter> some;
  for (std::size_t i = 0; i < all.size(); i += 5) some.push_back(all[i]);
  return some;
}

// A block on two six-axis bushings, shaken by a force and a torque.
Problem block(const std::function<std::shared_ptr<AxisLaw>(int bushing, int axis)>& law, double duration, double force) {
  Problem p;
  p.model.gravity = {0.0, 0.0, -9.81};
  p.model.bodies.push_back(cases::rigid(20.0, Vector3(0.3, 0.5, 0.6).asDiagonal(), {0.02, 0.01, 0.05}));
  for (int i = 0; i < 2; ++i) {
    Connection c;
    c.name = i == 0 ? "left" : "right";
    c.marker1 = p.model.add_marker(-1, {i == 0 ? -0.2 : 0.2, 0.0, 0.0});
    c.marker2 = p.model.add_marker(0, {i == 0 ? -0.2 : 0.2, 0.0, 0.0});
    for (int k = 0; k < 6; ++k) c.laws[static_cast<std::size_t>(k)] = law(i, k);
    p.model.connections.push_back(c);
  }
  PointLoad load;
  load.marker = p.model.add_marker(0, {0.1, 0.05, 0.1});
  load.force[0] = TimeSignal(fmt::format("{}*sin(40*t)", force));
  load.force[2] = TimeSignal(fmt::format("{}*sin(61*t + 0.4)", force));
  load.torque[1] = TimeSignal(fmt::format("{}*sin(83*t)", 0.05 * force));
  load.follows = true;
  p.model.loads.push_back(load);
  p.options.step_s = 1e-3;
  p.options.duration_s = duration;
  p.outputs = {{OutputKind::position, load.marker, 2}, {OutputKind::acceleration, load.marker, 0}, {OutputKind::velocity, load.marker, 1}, {OutputKind::deflection, 0, 4},
               {OutputKind::load, 1, 2}};
  p.weights = {1e4, 1e-2, 1.0, 1e2, 1e-6};
  return p;
}

std::shared_ptr<AxisLaw> linear_law(int bushing, int axis) {
  const double k = (axis < 3 ? 2e5 : 900.0) * (1.0 + 0.1 * bushing + 0.05 * axis);
  return kelvin_voigt_law(k, 2e-3 * k);
}

TEST(MultibodySensitivity, KelvinVoigtWithMassAndStaticStart) {
  Problem p = block(linear_law, 0.3, 400.0);
  p.options.static_start = true;
  auto parameters = law_parameters(p.model, {});
  parameters.push_back({Parameter::Kind::mass, 0, 0});
  const Comparison c = compare(p, parameters, 1e-3, 3);
  // Both formulations share nothing but the Newton matrix; differences of fourth order lose what rounding takes from the step.
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, 1e-8);
  std::printf("kelvin-voigt: forward %.1e, differences %.1e\n", c.forward, c.differences);
}

TEST(MultibodySensitivity, StatesOfAnOdeHysteresis) {
  Problem p = block([](int i, int k) { return reference_law({(k < 3 ? 2e5 : 900.0) * (1 + 0.1 * i), k < 3 ? 1e9 : 1e4, k < 3 ? 200.0 : 1.0, k < 3 ? 4e4 : 200.0, k < 3 ? 20.0 : 0.1, k < 3 ? 1e5 : 500.0, k < 3 ? 30.0 : 0.5}, 0); },
                    0.2, 400.0);
  const Comparison c = compare(p, law_parameters(p.model, {}), 1e-4, 11);
  EXPECT_LT(c.forward, 1e-9);
  EXPECT_LT(c.differences, 1e-7);
  std::printf("hysteresis: forward %.1e, differences %.1e\n", c.forward, c.differences);
}

std::shared_ptr<AxisLaw> masing_law(int bushing, int axis) {
  const double scale = axis < 3 ? 1.0 : 5e-3, reach = axis < 3 ? 1.0 : 5.0;
  Json parameters = {{"static_stiffness", scale * 2e5 * (1 + 0.1 * bushing)}, {"alpha", 0.1}, {"beta", 0.1}, {"gamma", 3.5e-3}, {"lambda", 0.4},
                     {"rdl", 9e-5 * reach}, {"rho", 4500.0 / reach}};
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
  const Comparison c = compare(p, every_fifth(law_parameters(p.model, {"static_stiffness", "lambda", "rdl", "rho"})), 1e-6, 4);
  EXPECT_LT(c.forward, 1e-8);
  // The objective has kinks of its gradient at loop closures; differences that straddle one see them.
  EXPECT_LT(c.differences, 1e-4);
  std::printf("masing: %d turning points, forward %.1e, differences %.1e\n", turns, c.forward, c.differences);
}

TEST(MultibodySensitivity, HydroMount) {
  Problem p = block(
      [](int i, int k) {
        if (k != 2) return linear_law(i, k);
        const Json rubber = {{"model", "elastomer"}, {"parameters", {{"static_stiffness", 2e5}, {"rdl", 2e-5}, {"rho", 4500.0}}}},
                   chamber = {{"model", "elastomer"}, {"parameters", {{"static_stiffness", 3e5}, {"rdl", 2e-5}, {"rho", 4500.0}}}};
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
      0.2, 300.0);
  p.options.static_start = true;
  const Comparison c = compare(p, law_parameters(p.model, {"main_rubber.static_stiffness", "chamber_rubber.static_stiffness", "chamber_rubber.rdl", "main_rubber.rho", "channel_area", "channel_length", "fluid_damping_linear", "fluid_damping_nonlinear"}), 1e-6, 5);
  EXPECT_LT(c.forward, 1e-8);
  EXPECT_LT(c.differences, 1e-4);
  std::printf("hydro mount: forward %.1e, differences %.1e\n", c.forward, c.differences);
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
  const Comparison c = compare(p, parameters, 1e-3, 4);
  EXPECT_LT(c.forward, 1e-8);
  EXPECT_LT(c.differences, 1e-8);
  std::printf("beam and bar: forward %.1e, differences %.1e\n", c.forward, c.differences);
}

}  // namespace
}  // namespace kdyn::mbs
