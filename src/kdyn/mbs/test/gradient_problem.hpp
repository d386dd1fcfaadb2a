// SPDX-License-Identifier: Apache-2.0
// Gradients of an objective of a run three ways: adjoint, direct sensitivity (a second formulation) and central
// differences of whole runs.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include <fmt/format.h>

#include "cases.hpp"
#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::mbs::gradients {

// Of the largest scaled component.
inline constexpr double accepted = 1e-8;

// The objective: weighted squares of what the outputs do beyond their values at the start of the first run. Static
// offsets would only add digits that cancel in differences.
struct Problem {
  Model model;
  RunOptions options;
  std::vector<Output> outputs;
  std::vector<double> weights;
  VectorX target;
};

struct Evaluated {
  double objective = 0.0;
  MatrixX y;  // beyond the target
  History history;
};

inline Evaluated evaluate(Problem& p, const System& system) {
  Evaluated out;
  std::vector<VectorX> y;
  const RunResult result = simulate(
      system, p.options,
      [&](const RunState& s, const Evaluation& e) {
        VectorX now(static_cast<Eigen::Index>(p.outputs.size()));
        for (std::size_t j = 0; j < p.outputs.size(); ++j)
          now[static_cast<Eigen::Index>(j)] = output_value(system, p.outputs[j], s, e);
        if (p.target.size() == 0) p.target = now;
        y.push_back(now - p.target);
      },
      silent_progress(), &out.history);
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  out.y.resize(static_cast<Eigen::Index>(p.outputs.size()), static_cast<Eigen::Index>(y.size()));
  for (std::size_t n = 0; n < y.size(); ++n) out.y.col(static_cast<Eigen::Index>(n)) = y[n];
  for (std::size_t j = 0; j < p.outputs.size(); ++j)
    out.objective += p.weights[j] * out.y.row(static_cast<Eigen::Index>(j)).squaredNorm();
  return out;
}

inline MatrixX bars(const Problem& p, const Evaluated& at) {
  MatrixX bar = at.y;
  for (std::size_t j = 0; j < p.outputs.size(); ++j) bar.row(static_cast<Eigen::Index>(j)) *= 2.0 * p.weights[j];
  return bar;
}

// Which branches the laws took: depth of the friction memory and direction of motion at every step. Between runs of one
// signature the objective is smooth; where a loop closes one step earlier or later its gradient has a kink, and
// differences across it were off by 5e-7 to 5e-4.
inline std::vector<std::size_t> signature(const System& system, const History& history) {
  std::vector<std::size_t> out;
  for (const RunState& state : history.states)
    for (std::size_t a = 0; a < system.axes().size(); ++a) {
      const AxisLaw& law = *system.axes()[a].law;
      if (!law.has_memory() && law.model() != "bouc_wen") continue;
      out.push_back(2 * (law.has_memory() ? law.memory_size(state.laws.memory[a]) : 0) +
                    (state.laws.motion[a].v > 0.0 ? 1 : 0));
    }
  return out;
}

struct Comparison {
  double forward = 0.0, differences = 0.0;  // largest difference to the adjoint over the largest scaled component
  double largest_step = 0.0, smallest_step = 1.0;
};

// Differences are taken for every so manieth parameter: they cost four runs each. Their step is the largest of the list
// whose runs all take the branches of the run in the middle: rounding costs 1e-13 over the step, measured as errors of
// 1e-7 at 1e-6, 1e-9 at 3e-5.
inline Comparison compare(Problem p, const std::vector<Parameter>& parameters,
                          const std::vector<double>& relative_steps, std::size_t every) {
  p.options.tolerance = 1e-13;
  clone_laws(p.model);
  System system(p.model);
  const Evaluated base = evaluate(p, system);
  const auto branches = signature(system, base.history);
  const MatrixX bar = bars(p, base);
  const auto adjoint = adjoint_gradient(system, p.options, base.history, p.outputs, bar, parameters);
  const auto forward = forward_sensitivity(system, p.options, base.history, p.outputs, parameters);
  EXPECT_TRUE(adjoint.complete && forward.complete);
  VectorX direct = VectorX::Zero(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t n = 0; n < forward.jacobian.size(); ++n)
    direct += forward.jacobian[n].transpose() * bar.col(static_cast<Eigen::Index>(n));
  Comparison out;
  // The place of a bushing is measured from zero: a centimetre or a hundredth of a radian is its scale.
  const auto scale_of = [&](std::size_t i) {
    const auto kind = parameters[i].kind;
    if (kind == Parameter::Kind::signal && parameters[i].law_parameter == 1) return 1e-3;  // s
    return kind == Parameter::Kind::position || kind == Parameter::Kind::orientation ||
                   kind == Parameter::Kind::centre || kind == Parameter::Kind::turn
               ? 0.01
               : std::abs(parameter_value(system, parameters[i]));
  };
  double largest = 0.0;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    largest = std::max(largest, std::abs(adjoint.gradient[static_cast<Eigen::Index>(i)] * scale_of(i)));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double value = parameter_value(system, parameters[i]), scale = scale_of(i),
                 own = adjoint.gradient[static_cast<Eigen::Index>(i)] * scale;
    out.forward = std::max(out.forward, std::abs(direct[static_cast<Eigen::Index>(i)] * scale - own) / largest);
    if (i % every != 0) continue;
    bool found = false;
    for (const double step : relative_steps) {
      bool same = true;
      // Five points: error of fourth order in the step.
      const auto at = [&](double factor) {
        if (!same) return 0.0;
        set_parameter(system, parameters[i], value + factor * step * scale);
        const Evaluated run = evaluate(p, system);
        same = signature(system, run.history) == branches;
        return run.objective;
      };
      const double far = at(2.0) - at(-2.0), near = at(1.0) - at(-1.0), difference = (8.0 * near - far) / (12.0 * step);
      if (!same) continue;
      out.differences = std::max(out.differences, std::abs(difference - own) / largest);
      out.largest_step = std::max(out.largest_step, step);
      out.smallest_step = std::min(out.smallest_step, step);
      found = true;
      break;
    }
    EXPECT_TRUE(found) << "no step without a change of branches for parameter " << i;
    set_parameter(system, parameters[i], value);
  }
  ::testing::Test::RecordProperty(
      "adjoint", fmt::format("forward {:.1e}, differences {:.1e}, steps {:.0e} to {:.0e}", out.forward, out.differences,
                             out.smallest_step, out.largest_step));
  return out;
}

inline std::vector<Parameter> law_parameters(const Model& model, const std::vector<std::string>& names) {
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

inline std::vector<Parameter> every_fifth(const std::vector<Parameter>& all) {
  std::vector<Parameter> some;
  for (std::size_t i = 0; i < all.size(); i += 5) some.push_back(all[i]);
  return some;
}

// A block on two six-axis bushings, shaken by a force and a torque.
inline Problem block(const std::function<std::shared_ptr<AxisLaw>(int bushing, int axis)>& law, double duration,
                     double force) {
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
  p.outputs = {{OutputKind::position, load.marker, 2},
               {OutputKind::acceleration, load.marker, 0},
               {OutputKind::velocity, load.marker, 1},
               {OutputKind::deflection, 0, 4},
               {OutputKind::load, 1, 2}};
  p.weights = {1e4, 1e-2, 1.0, 1e2, 1e-6};
  return p;
}

inline std::shared_ptr<AxisLaw> linear_law(int bushing, int axis) {
  const double k = (axis < 3 ? 2e5 : 900.0) * (1.0 + 0.1 * bushing + 0.05 * axis);
  return kelvin_voigt_law(k, 2e-3 * k);
}

}  // namespace kdyn::mbs::gradients
