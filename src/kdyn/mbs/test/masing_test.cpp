// SPDX-License-Identifier: Apache-2.0
// Friction memory inside the time step, on one mass and one mount. Oracle: the same scheme in plain scalars
// (masing_oscillator.hpp), whose derivatives are those of dual numbers; it also shows what the other two ways of taking
// turning points would cost.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "cases.hpp"
#include "kdyn/mbs/sensitivity.hpp"
#include "masing_oscillator.hpp"

namespace kdyn::mbs {
namespace {

using oscillator::Turning;

Json law_file() {
  return {{"model", "elastomer"},
          {"parameters",
           {{"static_stiffness", 2e5},
            {"alpha", 0.1},
            {"beta", 0.1},
            {"gamma", 3.5e-3},
            {"lambda", 0.4},
            {"rdl", 9e-5},
            {"rho", 4500.0}}}};
}

template <class T>
Elastomer<T> law_of() {
  Elastomer<double> law;
  law.static_stiffness = 2e5, law.alpha = 0.1, law.beta = 0.1, law.gamma = 3.5e-3, law.lambda = 0.4, law.rdl = 9e-5,
  law.rho = 4500.0;
  return law.cast<T>();
}

// A mass that slides along z on the mount.
Model model_of(const oscillator::Problem& p) {
  Model model;
  model.bodies.push_back(cases::rigid(p.mass, 0.1 * Matrix3::Identity()));
  Joint joint;
  joint.kind = JointKind::translational;
  joint.marker1 = model.add_marker(-1, Vector3::Zero());
  joint.marker2 = model.add_marker(0, Vector3::Zero());
  model.joints.push_back(joint);
  Connection c;
  c.marker1 = model.add_marker(-1, Vector3::Zero());
  c.marker2 = model.add_marker(0, Vector3::Zero());
  c.laws[2] = axis_law_from_json(law_file(), "law");
  model.connections.push_back(c);
  PointLoad load;
  load.marker = model.add_marker(0, Vector3::Zero());
  load.force[2] = TimeSignal("120*(sin(37*t) + 0.7*sin(83*t + 0.4))");
  model.loads.push_back(load);
  return model;
}

TEST(MultibodyMasing, MotionAndGradientAreThoseOfDualNumbersOverFiveHundredTurningPoints) {
  oscillator::Problem p;
  p.duration = 24.0;
  using J = Jet<3>;
  Elastomer<J> law = law_of<J>();
  law.static_stiffness.v[0] = law.rdl.v[1] = law.rho.v[2] = 1.0;
  const auto exact = oscillator::run(law, p);
  EXPECT_GE(exact.turning_points, 500);
  EXPECT_GE(exact.wiped_out, 100);

  const System system(model_of(p));
  RunOptions options;
  options.step_s = p.step;
  options.duration_s = p.duration;
  options.tolerance = 1e-13;
  const std::vector<Output> outputs = {{OutputKind::position, system.model().connections[0].marker2, 2}};
  History history;
  std::vector<double> y;
  ASSERT_EQ(simulate(
                system, options,
                [&](const RunState& s, const Evaluation& e) { y.push_back(output_value(system, outputs[0], s, e)); },
                silent_progress(), &history)
                .status,
            RunStatus::done);
  ASSERT_EQ(y.size(), exact.position.size());
  double worst = 0.0, largest = 0.0;
  J objective(0.0);
  MatrixX bar(1, static_cast<Eigen::Index>(y.size()));
  for (std::size_t n = 0; n < y.size(); ++n) {
    worst = std::max(worst, std::abs(y[n] - exact.position[n].a));
    largest = std::max(largest, std::abs(y[n]));
    objective += exact.position[n] * exact.position[n];
    bar(0, static_cast<Eigen::Index>(n)) = 2.0 * y[n];
  }
  // The same discrete equations, both solved to rounding.
  EXPECT_LT(worst, 1e-10 * largest);
  std::vector<Parameter> parameters;
  for (const int i : {0, 5, 6}) parameters.push_back({Parameter::Kind::law, 0, i});
  const auto adjoint = adjoint_gradient(system, options, history, outputs, bar, parameters);
  ASSERT_TRUE(adjoint.complete);
  double largest_component = 0.0, difference = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double value = parameter_value(system, parameters[static_cast<std::size_t>(i)]);
    largest_component = std::max(largest_component, std::abs(objective.v[i] * value));
    difference = std::max(difference, std::abs((objective.v[i] - adjoint.gradient[i]) * value));
  }
  EXPECT_LT(difference, 1e-8 * largest_component);
}

// Orders over two halvings, error of the gradient at the shortest step, largest jump of the objective.
struct Trend {
  double trajectory_order = 0.0, gradient_order = 0.0, gradient_error = 0.0, jump = 0.0;
};

// Stiff friction (rdl rho = 4), where the three ways differ most; at 0.4 the step end costs a factor of two in the
// gradient.
template <class T>
Elastomer<T> stiff_law() {
  Elastomer<double> law = law_of<double>();
  law.rho = 45e3;
  return law.cast<T>();
}

Trend trend(Turning turning) {
  using J = Jet<1>;
  oscillator::Problem p;
  const auto at = [&](double step, Turning how) {
    oscillator::Problem other = p;
    other.step = step;
    other.turning = how;
    Elastomer<J> law = stiff_law<J>();
    law.rdl.v[0] = value_of(law.rdl);
    return oscillator::run(law, other).position;
  };
  // Errors against a run with a step far below, turning points taken inside Newton.
  constexpr double short_step = 3.125e-5;
  static const auto reference = at(short_step, Turning::inside_newton);
  double size = 0.0;
  for (const J& x : reference) size = std::max(size, std::abs(x.v[0]));
  std::vector<double> motion, gradient;
  for (const double step : {1e-3, 5e-4, 2.5e-4}) {
    const auto run = at(step, turning);
    const auto every = static_cast<std::size_t>(std::lround(step / short_step));
    double by_value = 0.0, by_slope = 0.0;
    for (std::size_t n = 0; n < run.size(); ++n) {
      by_value = std::max(by_value, std::abs(run[n].a - reference[n * every].a));
      by_slope = std::max(by_slope, std::abs(run[n].v[0] - reference[n * every].v[0]));
    }
    motion.push_back(by_value);
    gradient.push_back(by_slope);
  }
  Trend out;
  out.trajectory_order = 0.5 * std::log2(motion.front() / motion.back());
  out.gradient_order = 0.5 * std::log2(gradient.front() / gradient.back());
  out.gradient_error = gradient.back() / size;
  // Jumps of the objective along a parameter: fourth differences, in which a jump counts three times and a smooth curve
  // nothing. The range is wide enough for turning points to pass from one step to the next.
  p.step = 2e-3;
  p.duration = 2.0;
  p.turning = turning;
  std::vector<double> values;
  for (int i = 0; i < 250; ++i) {
    Elastomer<double> law = stiff_law<double>();
    law.static_stiffness *= 1.0 + 2e-4 * i;
    double sum = 0.0;
    for (const double y : oscillator::run(law, p).position) sum += p.step * y * y;
    values.push_back(sum);
  }
  for (std::size_t i = 4; i < values.size(); ++i)
    out.jump = std::max(out.jump, std::abs(values[i] - 4.0 * values[i - 1] + 6.0 * values[i - 2] - 4.0 * values[i - 3] +
                                           values[i - 4]) /
                                      (3.0 * values[0]));
  return out;
}

TEST(MultibodyMasing, TurningPointsInsideNewtonAreTheSmoothWay) {
  const Trend end = trend(Turning::step_end), after = trend(Turning::after_acceptance),
              inside = trend(Turning::inside_newton);
  RecordProperty("orders", fmt::format("{:.2f} {:.2f} {:.2f}", end.trajectory_order, after.trajectory_order,
                                       inside.trajectory_order));
  RecordProperty("gradient_orders",
                 fmt::format("{:.2f} {:.2f} {:.2f}", end.gradient_order, after.gradient_order, inside.gradient_order));
  RecordProperty("gradient_errors",
                 fmt::format("{:.1e} {:.1e} {:.1e}", end.gradient_error, after.gradient_error, inside.gradient_error));
  RecordProperty("jumps", fmt::format("{:.1e} {:.1e} {:.1e}", end.jump, after.jump, inside.jump));
  EXPECT_NEAR(inside.trajectory_order, 2.0, 0.05);
  EXPECT_NEAR(inside.gradient_order, 2.0, 0.1);
  EXPECT_NEAR(after.gradient_order, 2.0, 0.4);
  // A turning point that is moved to the end of its step makes the gradient first order.
  EXPECT_LT(end.gradient_order, 1.3);
  EXPECT_GT(end.gradient_error, 4.0 * inside.gradient_error);
  // What is left inside is kinks at closing loops: 1e-4 in the slope over steps of 2e-4.
  EXPECT_LT(inside.jump, 1e-7);
  EXPECT_GT(after.jump, 10.0 * inside.jump);
  EXPECT_GT(end.jump, 10.0 * inside.jump);
}

}  // namespace
}  // namespace kdyn::mbs
