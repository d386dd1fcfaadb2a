// SPDX-License-Identifier: Apache-2.0
// Angles that count their turns, and what stands on them: springs, motors, servos, gears, rotors. Against closed forms,
// differences of whole runs and saved runs.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gradient_problem.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/mbs/linearise.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/model_image.hpp"
#include "kdyn/mbs/run_snapshot.hpp"

namespace kdyn::mbs {
namespace {

constexpr double turn = 2.0 * std::numbers::pi;

Json spring(double stiffness, double damping) {
  return {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", stiffness}, {"damping", damping}}}};
}
Json wheel(const std::string& name, double inertia, double x, double speed = 0.0) {
  return {{"name", name},
          {"mass", 1.0},
          {"inertia", {inertia, inertia, inertia}},
          {"position", {x, 0.0, 0.0}},
          {"angular_velocity", {0.0, 0.0, speed}}};
}
Json axle(const std::string& body, double x) {
  return {{"name", body + "_axle"},
          {"kind", "revolute"},
          {"markers", {{{"body", "ground"}, {"position", {x, 0.0, 0.0}}}, {{"body", body}}}}};
}

// Angle and speed about z of every connection at the end, and what `look` sees of each step.
struct End {
  std::vector<double> angle, rate;
  RunResult run;
  RunState state;
};
End run(const Json& model, const std::function<void(const RunState&, const Evaluation&)>& look = {}) {
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  End out;
  out.run = simulate(
      system, file.run,
      [&](const RunState& s, const Evaluation& e) {
        out.angle.clear(), out.rate.clear();
        for (const BushingMeasure& m : e.measure) out.angle.push_back(m.x[5]), out.rate.push_back(m.rate[5]);
        out.state = s;
        if (look) look(s, e);
      },
      silent_progress());
  EXPECT_EQ(out.run.status, RunStatus::done) << out.run.reason;
  return out;
}

Json pendulum(double h) {
  return {{"run", {{"step_s", h}, {"duration_s", 2.0}}},
          {"bodies", {wheel("disc", 0.5, 0.0, 60.0)}},
          {"joints", {axle("disc", 0.0)}},
          {"bushings",
           {{{"name", "wire"},
             {"markers", {{{"body", "ground"}}, {{"body", "disc"}}}},
             {"measure", "angle"},
             {"laws", {{"tz", spring(2.0, 0.0)}}}}}}};
}

// phi = v/w sin(w t), w = sqrt(k/J) = 2: thirty radians to each side, nearly five turns. The scheme is of second order.
TEST(CountedTurns, ATorsionPendulumSwingsOverSeveralTurns) {
  const auto worst = [](double h) {
    double out = 0.0, largest = 0.0;
    run(pendulum(h), [&](const RunState& s, const Evaluation& e) {
      const double exact = 30.0 * std::sin(2.0 * s.t);
      out = std::max(out, std::abs(e.measure[0].x[5] - exact));
      largest = std::max(largest, std::abs(e.measure[0].x[5]));
    });
    EXPECT_GT(largest, 29.9);
    return out;
  };
  const double coarse = worst(1e-3), fine = worst(5e-4);
  // Frames turn by v h = 0.03 in a step at most: half the square of that, of the amplitude of 30.
  EXPECT_LT(fine, 0.0135);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1);
}

// What the wire holds and what the disc carries add up to what was there.
TEST(CountedTurns, KeepTheEnergy) {
  const ModelFile file = model_from_json(pendulum(5e-4), "model");
  const System system(file.model);
  double first = 0.0, worst = 0.0;
  simulate(
      system, file.run,
      [&](const RunState& s, const Evaluation& e) {
        const System::Energy energy = system.energy(s.q, s.v, s.laws, e);
        const double all = energy.kinetic + energy.connections;
        if (first == 0.0) first = all;
        worst = std::max(worst, std::abs(all / first - 1.0));
      },
      silent_progress());
  EXPECT_DOUBLE_EQ(first, 0.5 * 0.5 * 60.0 * 60.0);
  // Second order in the turn of a step, 0.03.
  EXPECT_LT(worst, 1e-3);
}

// A frame on soft mounts carries a wheel that is wound up against it by three turns and more.
Json carried(double h, double duration) {
  return {{"gravity", {0.0, 0.0, -9.81}},
          {"run", {{"step_s", h}, {"duration_s", duration}, {"full_newton", true}, {"tolerance", 1e-13}}},
          {"bodies",
           {{{"name", "frame"}, {"mass", 4.0}, {"inertia", {0.3, 0.4, 0.5}}, {"angular_velocity", {0.4, -0.3, 0.2}}},
            {{"name", "wheel"},
             {"mass", 2.0},
             {"inertia", {0.02, 0.02, 0.03}},
             {"position", {0.1, 0.05, 0.2}},
             {"rotation", {0.3, 0.0, 0.0}},
             {"angular_velocity", {0.4, -18.0, 60.0}}}}},
          {"markers",
           {{{"name", "hub"}, {"body", "frame"}, {"position", {0.1, 0.05, 0.2}}, {"rotation", {0.3, 0.0, 0.0}}}}},
          {"joints", {{{"name", "axle"}, {"kind", "revolute"}, {"markers", {"hub", {{"body", "wheel"}}}}}}},
          {"bushings",
           {{{"name", "mount"},
             {"markers", {{{"body", "ground"}}, {{"body", "frame"}}}},
             {"laws",
              {{"fx", spring(3e3, 20.0)},
               {"fy", spring(4e3, 20.0)},
               {"fz", spring(5e3, 20.0)},
               {"tx", spring(60.0, 0.4)},
               {"ty", spring(70.0, 0.4)},
               {"tz", spring(80.0, 0.4)}}}},
            {{"name", "wind"},
             {"markers", {"hub", {{"body", "wheel"}}}},
             {"measure", "angle"},
             {"laws", {{"tz", spring(0.6, 0.01)}}},
             {"forces", {{"tz", "1e-3*wind.tz.deflection^3 + 1e-4*wind.tz.rate*wind.tz.deflection"}}}}}}};
}

// Adjoint and direct sensitivities against each other and against differences of whole runs; the motion passes three turns.
TEST(CountedTurns, GradientsAreThoseOfDifferences) {
  const ModelFile file = model_from_json(carried(1e-3, 0.6), "model");
  gradients::Problem p;
  p.model = file.model, p.options = file.run;
  p.outputs = {{OutputKind::deflection, 1, 5}, {OutputKind::load, 1, 5}, {OutputKind::position, 0, 0}};
  p.weights = {1e-3, 1e-4, 1.0};
  double largest = 0.0;
  run(carried(1e-3, 0.6),
      [&](const RunState&, const Evaluation& e) { largest = std::max(largest, std::abs(e.measure[1].x[5])); });
  EXPECT_GT(largest, 1.5 * turn);
  const gradients::Comparison c = gradients::compare(p, gradients::law_parameters(p.model, {}), {1e-3}, 1);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, 1e-7);
}

// One factorisation in every iteration converges quadratically: the second variation of the angle is right.
TEST(CountedTurns, TheTangentIsExact) {
  const End end = run(carried(2e-3, 0.6));
  EXPECT_LE(end.run.counts.iterations, 4 * end.run.counts.steps);
}

// Saved in the third turn, a run goes on with the same bits; and what an exported model holds acts as the model.
TEST(CountedTurns, GoOnFromASavedState) {
  const ModelFile file = model_from_json(carried(1e-3, 0.5), "model");
  const System system(file.model);
  const auto go = [&](const System& on, double until, const RunSnapshot* from, RunSnapshot& to) {
    RunOptions options = file.run;
    options.duration_s = until;
    VectorX q;
    double angle = 0.0;
    const RunResult result = simulate_on(
        on, options, from, "state",
        [&](const mbs::Run& now) { q = now.state().q, angle = now.evaluation().measure[1].x[5]; }, silent_progress(),
        to);
    EXPECT_EQ(result.status, RunStatus::done) << result.reason;
    q.conservativeResize(q.size() + 1);
    q[q.size() - 1] = angle;
    return q;
  };
  RunSnapshot middle, end;
  const VectorX once = go(system, 0.5, nullptr, end);
  const VectorX half = go(system, 0.25, nullptr, middle);
  EXPECT_GT(std::abs(half[half.size() - 1]), 0.5 * turn);
  EXPECT_EQ((once - go(system, 0.5, &middle, end)).cwiseAbs().maxCoeff(), 0.0);
  const ModelImage image = model_from_image(parse_json(dump_json(image_of(file.model, file.run)), "image"), "image");
  EXPECT_EQ((once - go(System(image.model), 0.5, nullptr, end)).cwiseAbs().maxCoeff(), 0.0);
}

// Motor with a straight line T0 (1 - omega/omega0) on an inertia: omega = omega0 (1 - exp(-t T0/(omega0 J))).
TEST(Drives, AMotorRunsUpAlongAnExponential) {
  const double T0 = 3.0, speed = 120.0, J = 0.02;
  const Json model = {{"run", {{"step_s", 1e-4}, {"duration_s", 1.0}}},
                      {"bodies", {wheel("fan", J, 0.0)}},
                      {"joints", {axle("fan", 0.0)}},
                      {"drives",
                       {{{"name", "motor"},
                         {"joint", "fan_axle"},
                         {"torque_over_speed",
                          {{-50.0, T0 * (1.0 + 50.0 / speed)}, {0.0, T0}, {200.0, T0 * (1.0 - 200.0 / speed)}}}}}}};
  double worst = 0.0;
  const double rate = T0 / (speed * J);
  const End end = run(model, [&](const RunState& s, const Evaluation& e) {
    worst = std::max(worst, std::abs(e.measure[0].rate[5] - speed * (1.0 - std::exp(-rate * s.t))));
  });
  // Second order: frames turn by 0.009 in a step at most.
  EXPECT_LT(worst, 2e-3);
  EXPECT_NEAR(end.angle[0], speed * (1.0 - (1.0 - std::exp(-rate)) / rate), 2e-3);
  EXPECT_GT(end.angle[0], 8.0 * turn);
}

// A command switches it, a gear ratio turns it slower with more torque: i T(i omega).
TEST(Drives, ACommandAndAGearRatioActOnTheMotor) {
  const double i = -5.0;
  const Json model = {{"run", {{"step_s", 1e-3}, {"duration_s", 0.5}}},
                      {"bodies", {wheel("arm", 0.3, 0.0)}},
                      {"joints", {axle("arm", 0.0)}},
                      {"drives",
                       {{{"name", "motor"},
                         {"joint", "arm_axle"},
                         {"gear_ratio", i},
                         {"command", 0.5},
                         {"torque_over_speed", {{-100.0, 2.0}, {0.0, 2.0}, {100.0, 2.0}}}}}}};
  // Frames turn by 0.008 in a step.
  EXPECT_NEAR(run(model).rate[0], 0.5 * i * 2.0 / 0.3 * 0.5, 5e-4);
}

// A rotor behind a gear: the joint turns with i T/(J + i^2 Jr); both angles keep the ratio within the windup of the mesh.
TEST(Drives, ARotorCountsWithTheSquareOfItsRatio) {
  const double i = 20.0, Jr = 1e-4, J = 0.05, T = 0.1;
  const Json model = {{"run", {{"step_s", 1e-4}, {"duration_s", 0.4}}},
                      {"bodies", {wheel("arm", J, 0.0)}},
                      {"joints", {axle("arm", 0.0)}},
                      {"drives",
                       {{{"name", "motor"},
                         {"joint", "arm_axle"},
                         {"gear_ratio", i},
                         {"rotor", {{"inertia", Jr}, {"mass", 0.3}, {"stiffness", 400.0}, {"damping", 0.4}}},
                         {"torque_over_speed", {{-1e4, T}, {0.0, T}, {1e4, T}}}}}}};
  const End end = run(model);
  const double alpha = i * T / (J + i * i * Jr);
  // Frames turn by 0.02 in a step, which the scheme feels as a drag of some 1e-3 N m: 1e-5 rad in the mesh.
  // After the mesh has come to rest it is wound up by what accelerates the arm: s = J alpha/(i k), s' = 0.
  EXPECT_NEAR(end.rate[0], alpha * 0.4, 2e-4 * alpha * 0.4);
  EXPECT_NEAR(end.angle[1] - i * end.angle[0], J * alpha / (i * 400.0), 1e-5);
  EXPECT_GT(end.angle[1], 5.0 * turn);
}

// A servo against a constant load: k (angle - phi) = load at rest, five turns away.
TEST(Drives, AServoTurnsToItsAngle) {
  const Json model = {{"run", {{"step_s", 1e-3}, {"duration_s", 6.0}}},
                      {"bodies", {wheel("dial", 0.1, 0.0)}},
                      {"joints", {axle("dial", 0.0)}},
                      {"loads", {{{"name", "load"}, {"marker", {{"body", "dial"}}}, {"torque", {0, 0, -2.0}}}}},
                      {"drives",
                       {{{"name", "servo"},
                         {"joint", "dial_axle"},
                         {"angle", "31.4*step(t, 0, 0, 2, 1)"},
                         {"stiffness", 40.0},
                         {"damping", 4.0}}}}};
  EXPECT_NEAR(run(model).angle[0], 31.4 - 2.0 / 40.0, 1e-6);
  // A largest torque bends the line: T = M tanh(k e/M).
  Json held = model;
  held["drives"][0]["largest_torque"] = 3.0;
  held["run"]["duration_s"] = 12.0;
  EXPECT_NEAR(run(held).angle[0], 31.4 - 3.0 / 40.0 * std::atanh(2.0 / 3.0), 1e-6);
}

// Two wheels in mesh, z1 phi1 + z2 phi2 = 0: T drives the first with J1 + J2 (z1/z2)^2, over many turns.
TEST(Drives, AGearTurnsOnWithoutEnd) {
  const double J1 = 0.01, J2 = 0.08, T = 2.0, ratio = 3.0;
  const Json model = {{"run", {{"step_s", 2e-4}, {"duration_s", 1.0}}},
                      {"bodies", {wheel("pinion", J1, 0.0), wheel("gear", J2, 0.2)}},
                      {"joints", {axle("pinion", 0.0), axle("gear", 0.2)}},
                      {"loads", {{{"name", "drive"}, {"marker", {{"body", "pinion"}}}, {"torque", {0, 0, T}}}}},
                      {"couplers",
                       {{{"name", "mesh"},
                         {"of", {{"pinion_axle", 1}, {"gear_axle", ratio}}},
                         {"stiffness", 500.0},
                         {"damping", 1.0}}}}};
  const End end = run(model);
  const double alpha = T / (J1 + J2 / (ratio * ratio));
  EXPECT_NEAR(end.rate[0], alpha, 1e-4 * alpha);
  EXPECT_NEAR(end.angle[0] + ratio * end.angle[1], (T - J1 * alpha) / 500.0, 1e-5);
  EXPECT_GT(end.angle[0], 8.0 * turn);
}

// Friction of a joint that turns on: speed falls by F/J, and a stop after two turns throws the wheel back.
TEST(CountedTurns, FrictionAndLimitsOfJointsCountThem) {
  Json with_friction = axle("wheel", 0.0);
  with_friction["friction"] = {{"force", 0.5}, {"sticks_within", 1e-4}};
  Json model = {{"run", {{"step_s", 2.5e-4}, {"duration_s", 1.0}}},
                {"bodies", {wheel("wheel", 0.1, 0.0, 40.0)}},
                {"joints", {with_friction}}};
  const End end = run(model);
  // Friction grows to 0.5 within thousandths of the first radian: 1e-4 of the way lost.
  EXPECT_NEAR(end.rate[0], 40.0 - 0.5 / 0.1, 2e-3);
  model["joints"][0].erase("friction");
  model["run"]["step_s"] = 5e-5;
  model["joints"][0]["limits"] = {{"upper", 2.0 * turn}, {"stiffness", 1e4}, {"exponent", 1.0}, {"turns", true}};
  double largest = 0.0;
  const End back =
      run(model, [&](const RunState&, const Evaluation& e) { largest = std::max(largest, e.measure[0].x[5]); });
  EXPECT_NEAR(back.rate[0], -40.0, 0.02);
  // 0.5 J v^2 = 0.5 k s^2
  EXPECT_NEAR(largest, 2.0 * turn + 40.0 * std::sqrt(0.1 / 1e4), 2e-4);
}

TEST(CountedTurns, WrongElementsAreRefusedByName) {
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json model = {{"bodies", {wheel("a", 0.1, 0.0), wheel("b", 0.1, 0.2)}},
                  {"joints", {axle("a", 0.0), axle("b", 0.2)}}};
    change(model);
    try {
      System(model_from_json(model, "model").model);
    } catch (const Error& error) {
      return error.where() + ": " + error.message();
    }
    return std::string("nothing");
  };
  const auto drive = [&](const Json& one) { return refused([&](Json& m) { m["drives"] = Json::array({one}); }); };
  const Json table = {{-1.0, 1.0}, {1.0, 0.0}};
  EXPECT_EQ(drive({{"name", "m"}, {"joint", "a_axle"}, {"torque_over_speed", table}}), "nothing");
  EXPECT_NE(drive({{"name", "m"}, {"joint", "c"}, {"torque_over_speed", table}}).find("there is no joint"),
            std::string::npos);
  EXPECT_NE(drive({{"name", "m"}, {"joint", "a_axle"}}).find("what drives"), std::string::npos);
  EXPECT_NE(drive({{"name", "m"}, {"joint", "a_axle"}, {"angle", 3}}).find("needs a stiffness"), std::string::npos);
  EXPECT_NE(
      drive({{"name", "m"}, {"joint", "a_axle"}, {"torque_over_speed", table}, {"gear_ratio", 0}}).find("gear_ratio"),
      std::string::npos);
  EXPECT_NE(drive({{"name", "a b"}, {"joint", "a_axle"}, {"torque_over_speed", table}}).find("name"),
            std::string::npos);
  EXPECT_NE(
      drive({{"name", "m"}, {"joint", "a_axle"}, {"torque_over_speed", table}, {"largest_torque", 3}}).find("servo"),
      std::string::npos);
  EXPECT_NE(refused([](Json& m) {
              m["bushings"] = {{{"name", "x"},
                                {"markers", {{{"body", "ground"}}, {{"body", "a"}}}},
                                {"measure", "angle"},
                                {"laws", {{"tx", spring(1.0, 0.0)}}}}};
            }).find("z alone"),
            std::string::npos);
}

}  // namespace
}  // namespace kdyn::mbs
