// SPDX-License-Identifier: Apache-2.0
// Chosen steps: momentum of pulses that lie between two points of the output grid, convergence with the tolerance, the
// grid itself.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cases.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::mbs {
namespace {

constexpr double mass = 2.0;

// One body under a force along x: its momentum is the integral of the force.
Model free_mass(const TimeSignal& force) {
  Model model;
  model.bodies.push_back(cases::rigid(mass, 0.1 * Matrix3::Identity()));
  PointLoad load;
  load.name = "hammer";
  load.marker = model.add_marker(0, Vector3::Zero());
  load.force[0] = force;
  model.loads.push_back(load);
  return model;
}

struct Ended {
  double x = 0.0, v = 0.0;
  RunCounts counts;
  std::vector<double> grid, ends;  // times on the grid, and of all steps
};

Ended run(const Model& model, double step, double duration, double tolerance, bool control = true) {
  RunOptions options;
  options.step_s = step;
  options.duration_s = duration;
  options.step_control = control;
  options.step_tolerance = tolerance;
  Ended out;
  const System system(model);
  const RunResult result = simulate(
      system, options,
      [&](const RunState& s, const Evaluation&) {
        out.x = s.q[0], out.v = s.v[0];
        out.ends.push_back(s.t);
        if (s.on_grid) out.grid.push_back(s.t);
      },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  out.counts = result.counts;
  return out;
}

TEST(MultibodyStepControl, APulseBetweenTwoGridPointsIsNotMissed) {
  // A triangle of 1 ms inside a step of 50 ms: impulse 0.5 N s about its middle.
  const TimeSignal pulse(Curve{{0.1012, 0.0}, {0.1017, 1000.0}, {0.1022, 0.0}});
  const Model model = free_mass(pulse);
  const double v = 0.5 / mass, x = v * (0.5 - 0.1017);
  const Ended fixed = run(model, 0.05, 0.5, 1e-6, false);
  EXPECT_EQ(fixed.v, 0.0);
  EXPECT_NE(missed_by_grid(model, 0.05, 0.5).find("force x of load hammer"), std::string::npos);
  EXPECT_TRUE(missed_by_grid(model, 1e-4, 0.5).empty());
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const Ended chosen = run(model, 0.05, 0.5, tolerance);
    // Steps end at the corners, and the scheme sums a straight force exactly while steps are equal; where they double
    // right after the pulse what is left of the pseudo-acceleration counts over another length: a share of h times the
    // change there.
    EXPECT_NEAR(chosen.v, v, 1e-3 * v * std::sqrt(tolerance / 1e-5)) << tolerance;
    EXPECT_NEAR(chosen.x, x, 1e-3 * x * std::sqrt(tolerance / 1e-5)) << tolerance;
    for (const double corner : {0.1012, 0.1017, 0.1022})
      EXPECT_NE(std::find(chosen.ends.begin(), chosen.ends.end(), corner), chosen.ends.end()) << corner;
    std::printf("tolerance %g: momentum off by %.1e, place by %.1e, %ld steps, %ld rejected\n", tolerance,
                chosen.v / v - 1.0, chosen.x / x - 1.0, chosen.counts.steps, chosen.counts.rejected);
  }
}

TEST(MultibodyStepControl, AJumpIsSpreadOverAThousandthOfTheGrid) {
  // A rectangle inside one step, and one that begins on the grid and ends inside a step.
  for (const auto& [begin, end] : {std::pair{0.1103, 0.1131}, {0.1, 0.1131}}) {
    const double force = 300.0, v = force * (end - begin) / mass;
    const Ended chosen =
        run(free_mass(TimeSignal(Curve{{begin, 0.0}, {begin, force}, {end, force}, {end, 0.0}})), 0.05, 0.3, 1e-7);
    // Both jumps are ramps of 0.05/1024 s, which end at them.
    EXPECT_NEAR(chosen.v, v, force / mass * 0.05 / 1024.0) << begin;
    std::printf("rectangle from %g: momentum off by %.1e of the allowed\n", begin,
                std::abs(chosen.v - v) / (force / mass * 0.05 / 1024.0));
  }
}

TEST(MultibodyStepControl, FormulasAreLookedAtInsideTheGrid) {
  // A bell of 4 ms in steps of 20 ms, which the ends of the steps do not feel (exp(-37) there).
  const Ended bell = run(free_mass(TimeSignal("800*exp(-((t-0.11)/0.0016)^2)")), 0.02, 0.3, 1e-8);
  const double v = 800.0 * 0.0016 * std::sqrt(std::numbers::pi) / mass;
  EXPECT_NEAR(bell.v, v, 1e-3 * v);
  // A ramp that begins at 0.1234 s by an abs: a step ends there.
  const Ended ramp = run(free_mass(TimeSignal("50*(abs(t-0.1234) + t-0.1234)")), 0.02, 0.2, 1e-6);
  const double span = 0.2 - 0.1234;
  EXPECT_NEAR(ramp.v, 50.0 * span * span / mass, 1e-3 * 50.0 * span * span / mass);
  double nearest = 1.0;
  for (const double t : ramp.ends) nearest = std::min(nearest, std::abs(t - 0.1234));
  EXPECT_LT(nearest, 3e-11);  // 1e-9 of the grid beyond
  // A switch by abs(x)/x, which is no number at the instant itself.
  const Ended jump = run(free_mass(TimeSignal("100*(1 + abs(t-0.113)/(t-0.113))/2")), 0.02, 0.2, 1e-6);
  EXPECT_NEAR(jump.v, 100.0 * (0.2 - 0.113) / mass, 100.0 / mass * 0.02 / 1024.0);
}

// A mass on a spring, let go: x = x0 cos(omega t).
double oscillator_error(double tolerance, long& steps) {
  Model model;
  model.bodies.push_back(cases::rigid(mass, 0.1 * Matrix3::Identity()));
  Connection c;
  c.marker1 = model.add_marker(-1, {-1e-2, 0.0, 0.0});
  c.marker2 = model.add_marker(0, Vector3::Zero());
  for (std::size_t k = 0; k < 6; ++k) c.laws[k] = kelvin_voigt_law(2e4, 0.0);
  model.connections.push_back(c);
  RunOptions options;
  options.step_s = 0.02;
  options.duration_s = 0.4;
  options.rho_infinity = 0.95;
  options.step_control = true;
  options.step_tolerance = tolerance;
  double worst = 0.0;
  const System system(model);
  const RunResult result = simulate(
      system, options,
      [&](const RunState& s, const Evaluation&) {
        if (s.on_grid) worst = std::max(worst, std::abs(s.q[0] - (1e-2 * std::cos(100.0 * s.t) - 1e-2)));
      },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done);
  steps = result.counts.steps;
  return worst;
}

TEST(MultibodyStepControl, ErrorsFallWithTheTolerance) {
  // Error of a step h^3, of the run h^2: the run errs by the tolerance to the power 2/3. Steps are binary fractions, so
  // that one decade of the tolerance shows it roughly only; four of them to a tenth.
  long few = 0, many = 0;
  const double coarse = oscillator_error(1e-6, few), fine = oscillator_error(1e-10, many);
  const double order = std::log10(coarse / fine) / 4.0;
  EXPECT_NEAR(order, 2.0 / 3.0, 0.1);
  EXPECT_GT(many, 8 * few);
  std::printf("errors %.1e and %.1e in %ld and %ld steps, order %.3f\n", coarse, fine, few, many, order);
}

TEST(MultibodyStepControl, EveryGridPointIsTheEndOfAStep) {
  const Ended chosen =
      run(free_mass(TimeSignal(Curve{{0.0313, 0.0}, {0.0317, 500.0}, {0.0512, 0.0}})), 1e-2, 0.2, 1e-8);
  ASSERT_EQ(chosen.grid.size(), 21u);
  for (std::size_t n = 0; n < chosen.grid.size(); ++n) EXPECT_EQ(chosen.grid[n], static_cast<double>(n) * 1e-2);
}

TEST(MultibodyStepControl, KeysOfTheModelFile) {
  Json in = {{"bodies", {{{"name", "a"}, {"mass", 1.0}, {"inertia", {1.0, 1.0, 1.0}}}}},
             {"run",
              {{"step_s", 1e-2},
               {"step_control", {{"tolerance", 1e-5}, {"smallest_step_s", 1e-6}, {"largest_step_s", 5e-3}}}}}};
  const RunOptions options = model_from_json(in, "m").run;
  EXPECT_TRUE(options.step_control);
  EXPECT_EQ(options.step_tolerance, 1e-5);
  EXPECT_EQ(options.smallest_step_s, 1e-6);
  EXPECT_EQ(options.largest_step_s, 5e-3);
  const auto refused = [&](const Json& control, const std::string& where, const std::string& what) {
    in["run"]["step_control"] = control;
    try {
      model_from_json(in, "m");
      ADD_FAILURE() << control.dump() << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), where);
      EXPECT_NE(error.message().find(what), std::string::npos) << error.message();
      EXPECT_FALSE(error.remedy().empty());
    }
  };
  refused({{"tolerance", -1.0}}, "m.run.step_control.tolerance", "above 0");
  refused({{"tolerence", 1e-5}}, "m.run.step_control.tolerence", "unknown field");
  refused({{"largest_step_s", 2e-2}}, "m.run.step_control.largest_step_s", "above step_s");
  refused({{"smallest_step_s", 8e-3}, {"largest_step_s", 5e-3}}, "m.run.step_control.smallest_step_s",
          "above the largest");
  in["run"]["step_tolerance"] = 1e-4;
  refused({{"tolerance", 1e-5}}, "m.run.step_tolerance", "twice");
  // A step held at the largest.
  in["run"].erase("step_tolerance");
  in["run"]["step_control"] = {{"largest_step_s", 5e-3}};
  in["run"]["duration_s"] = 0.1;
  const ModelFile file = model_from_json(in, "m");
  const System system(file.model);
  EXPECT_EQ(simulate(system, file.run, {}, silent_progress()).counts.steps, 20);
}

}  // namespace
}  // namespace kdyn::mbs
