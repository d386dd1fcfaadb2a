// SPDX-License-Identifier: Apache-2.0
// Bodies driven by tables: the smooth motion behind the table is the oracle. Also joints that do not close and angles
// in degrees.
#include <gtest/gtest.h>

#include <cmath>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/mbs/closing.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/motion_check.hpp"

namespace kdyn::mbs {
namespace {

constexpr double mass = 10.0, amplitude = 0.01;

// A body on a slide along x, driven by a table of a sine with this interval; noise in m, a smoothing frequency or none.
Json driven(double hz, double interval, double duration, double noise = 0.0, double smooth_hz = 0.0) {
  RandomStream random(7, 0);
  Json table = Json::array();
  for (int i = 0; i * interval <= duration + 1e-12; ++i)
    table.push_back({i * interval, amplitude * std::sin(two_pi * hz * i * interval) + noise * random.normal()});
  Json drive = table;
  if (smooth_hz > 0.0) drive = {{"table", table}, {"smooth_hz", smooth_hz}};
  return {{"bodies", Json::array({{{"name", "b"}, {"mass", mass}, {"inertia", {1, 1, 1}}}})},
          {"markers", Json::array({{{"name", "m"}, {"body", "b"}}})},
          {"joints", Json::array({{{"name", "rail"},
                                   {"kind", "translational"},
                                   {"markers",
                                    {{{"body", "ground"}, {"rotation", {0, 1.5707963267948966, 0}}},
                                     {{"body", "b"}, {"rotation", {0, 1.5707963267948966, 0}}}}}},
                                  {{"name", "motor"},
                                   {"kind", "drive_translation"},
                                   {"axis", "x"},
                                   {"markers", {{{"body", "ground"}}, {{"body", "b"}}}},
                                   {"drive", drive}}})}};
}

struct Motion {
  double acceleration_error = 0.0, first_velocity = 0.0, largest = 0.0;  // error: rms over rms of the truth
  std::vector<Finding> findings;
};

Motion run(const Json& json, double hz, double step, double duration) {
  ModelFile file = model_from_json(json, "model.json");
  RunOptions options;
  options.step_s = step, options.duration_s = duration;
  const System system(file.model);
  Motion out;
  double error = 0.0, size = 0.0;
  const RunResult result = simulate(
      system, options,
      [&](const RunState& s, const Evaluation&) {
        const double truth = -std::pow(two_pi * hz, 2) * amplitude * std::sin(two_pi * hz * s.t);
        if (s.t == 0.0) out.first_velocity = s.v[0];
        error += std::pow(s.vd[0] - truth, 2), size += truth * truth;
        out.largest = std::max(out.largest, std::abs(s.vd[0]));
      },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  out.acceleration_error = std::sqrt(error / size);
  out.findings = check_motions(file.model, step, duration, "model.json");
  return out;
}

// Fine, coarse, off and on the grid of steps. 1 % is what is promised up to a twelfth of the sampling rate; the time
// integration itself errs by (2 pi f h)^2/12 at most, 0.01 % at 5 Hz and 1 ms.
TEST(MultibodyDrivenByTable, AccelerationIsThatOfTheSmoothMotion) {
  for (const auto& [interval, step] :
       {std::pair{2e-3, 1e-3}, {1e-3, 5e-4}, {1e-2, 1e-3}, {1e-3, 1e-3}, {1.37e-3, 1e-3}, {1.0 / 60.0, 1e-3}}) {
    const Motion m = run(driven(5.0, interval, 1.0), 5.0, step, 0.98);
    EXPECT_LT(m.acceleration_error, 0.01) << interval << " " << step;
    EXPECT_NEAR(m.first_velocity, two_pi * 5.0 * amplitude, 0.005 * two_pi * 5.0 * amplitude) << interval;
    EXPECT_TRUE(m.findings.empty()) << m.findings.front().message;
  }
}

TEST(MultibodyDrivenByTable, NoiseAndKinksAreTold) {
  const Motion noisy = run(driven(5.0, 1e-3, 1.0, 2e-6), 5.0, 1e-3, 1.0);
  ASSERT_FALSE(noisy.findings.empty());
  EXPECT_NE(noisy.findings[0].message.find("noise or kinks"), std::string::npos);
  // Smoothing up to 15 Hz: 5 % up to the stated frequency is promised.
  const Motion smooth = run(driven(5.0, 1e-3, 1.0, 2e-6, 15.0), 5.0, 1e-3, 1.0);
  EXPECT_LT(smooth.acceleration_error, 0.05);
  EXPECT_TRUE(smooth.findings.empty());
}

TEST(MultibodyDrivenByTable, RunsBeyondTheTableAndCoarseStepsAreTold) {
  const Motion longer = run(driven(5.0, 1e-3, 0.52), 5.0, 1e-3, 1.0);
  ASSERT_EQ(longer.findings.size(), 1u);
  EXPECT_NE(longer.findings[0].message.find("ends at 0.52 s, the run at 1 s"), std::string::npos)
      << longer.findings[0].message;
  const Motion coarse = run(driven(50.0, 1e-3, 1.0), 50.0, 4e-3, 1.0);  // five steps per period
  ASSERT_EQ(coarse.findings.size(), 1u);
  EXPECT_EQ(coarse.findings[0].code, "coarse_steps");
}

TEST(MultibodyDrivenByTable, AJumpIsRefused) {
  Json json = driven(5.0, 1e-2, 0.1);
  json["joints"][1]["drive"] =
      Json::array({Json::array({0.0, 0.0}), Json::array({0.1, 0.0}), Json::array({0.1, 0.01})});
  EXPECT_THROW(model_from_json(json, "model.json"), Error);
}

// What the model carries is read back as it was: by spline, not by lines.
TEST(MultibodyDrivenByTable, AMotionReadsBackAsWritten) {
  const TimeSignal motion =
      TimeSignal::motion({{0.0, 0.0}, {0.1, 1.0}, {0.2, 0.0}, {0.3, -1.0}, {0.4, 0.0}, {0.5, 1.0}, {0.6, 0.5}});
  const TimeSignal back = signal_from_json(signal_to_json(motion), "signal");
  for (double t = -0.1; t < 0.7; t += 0.013) {
    EXPECT_EQ(back(t), motion(t));
    EXPECT_EQ(back.second_rate(t), motion.second_rate(t));
  }
}

Json hinged(double gap, double turn) {
  return {
      {"bodies",
       Json::array({{{"name", "arm"}, {"mass", 1.0}, {"inertia", {0.1, 0.1, 0.1}}, {"position", {0.5, 0, 0}}}})},
      {"joints", Json::array({{{"name", "hinge"},
                               {"kind", "revolute"},
                               {"markers",
                                {{{"body", "ground"}},
                                 {{"body", "arm"}, {"position", {-0.5 + gap, 0, 0}}, {"rotation", {turn, 0, 0}}}}}}})}};
}

TEST(MultibodyClosing, OpenJointsAreToldAndWideOnesRefused) {
  const auto check = [](double gap, double turn) {
    const ModelFile file = model_from_json(hinged(gap, turn), "model.json");
    return assemble_start(System(file.model), 0.01, "model.json").findings;
  };
  EXPECT_TRUE(check(0.0, 0.0).empty());
  ASSERT_EQ(check(0.001, 0.0).size(), 1u);
  EXPECT_NE(check(0.001, 0.0)[0].message.find("hinge"), std::string::npos);
  EXPECT_EQ(check(0.0, 0.005).size(), 1u);
  EXPECT_THROW(check(0.3, 0.0), Error);
  EXPECT_THROW(check(0.0, 0.5), Error);
}

// The gap lies on the line through the centre of mass, the turn about an axis through it: the least change in the mass
// norm is the opposite motion of the arm, nothing else.
TEST(MultibodyClosing, PartsThatMoveAreToldWithShiftAndTurn) {
  const auto start = [](double gap, double turn) {
    const ModelFile file = model_from_json(hinged(gap, turn), "model.json");
    return assemble_start(System(file.model), 0.01, "model.json");
  };
  EXPECT_FALSE(start(0.0, 0.0).moves());
  const AssembledStart apart = start(0.001, 0.0), turned = start(0.0, 0.005);
  ASSERT_EQ(apart.open.size(), 1u);
  EXPECT_EQ(apart.open[0].joint, "hinge");
  EXPECT_NEAR(apart.open[0].gap, 0.001, 1e-15);
  constexpr double closes_to = 1e-12;  // of the joints, in m and rad
  const auto expect_moved = [&](const AssembledStart& s, double x, double about_x) {
    ASSERT_EQ(s.closing.size(), 1u);
    EXPECT_EQ(s.closing[0].body, "arm");
    const std::array<double, 3> shift = {x, 0.0, 0.0}, turn = {about_x, 0.0, 0.0};
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(s.closing[0].shift[k], shift[k], closes_to);
      EXPECT_NEAR(s.closing[0].turn[k], turn[k], closes_to);
    }
  };
  expect_moved(apart, -0.001, 0.0);
  expect_moved(turned, 0.0, -0.005);
}

// A mass on a spring sinks by m g/k; a drive that begins with 0.3 m/s gives its body that speed.
TEST(MultibodyClosing, EquilibriumAndVelocitiesOfTheStartAreTold) {
  const Json model = parse_json(R"({"gravity": [0, 0, -9.81],
    "bodies": [{"name": "block", "mass": 4.0, "inertia": [0.1, 0.1, 0.1]},
               {"name": "slider", "mass": 1.0, "inertia": [0.1, 0.1, 0.1], "position": [2, 0, 0]}],
    "bushings": [{"name": "mount", "markers": [{"body": "ground"}, {"body": "block"}], "laws": {
      "fx": {"model": "kelvin_voigt", "parameters": {"stiffness": 2000, "damping": 1}},
      "fy": {"model": "kelvin_voigt", "parameters": {"stiffness": 2000, "damping": 1}},
      "fz": {"model": "kelvin_voigt", "parameters": {"stiffness": 2000, "damping": 1}},
      "tx": {"model": "kelvin_voigt", "parameters": {"stiffness": 20, "damping": 1}},
      "ty": {"model": "kelvin_voigt", "parameters": {"stiffness": 20, "damping": 1}},
      "tz": {"model": "kelvin_voigt", "parameters": {"stiffness": 20, "damping": 1}}}}],
    "joints": [{"name": "guide", "kind": "translational",
                "markers": [{"body": "ground", "position": [2, 0, 0]}, {"body": "slider"}]},
               {"name": "push", "kind": "drive_translation", "axis": "z",
                "markers": [{"body": "ground", "position": [2, 0, 0]}, {"body": "slider"}], "drive": "0.3*t"}]})",
                                "model");
  ModelFile file = model_from_json(model, "model.json");
  file.run.static_start = true;
  const System system(file.model);
  AssembledStart start = assemble_start(system, 0.01, "model.json");
  EXPECT_FALSE(start.moves());
  mbs::Run started(system, file.run);
  ASSERT_EQ(started.start().status, RunStatus::done);
  add_run_start(system, started.state().q, started.state().v, true, start);
  ASSERT_EQ(start.equilibrium.size(), 1u);
  EXPECT_EQ(start.equilibrium[0].body, "block");
  EXPECT_NEAR(start.equilibrium[0].shift[2], -4.0 * 9.81 / 2000.0, 1e-12);
  ASSERT_EQ(start.velocity.size(), 1u);
  EXPECT_EQ(start.velocity[0].body, "slider");
  EXPECT_NEAR(start.velocity[0].shift[2], 0.3, 1e-12);
}

TEST(MultibodyClosing, DegreesForRadiansAreRefused) {
  Json json = hinged(0.0, 0.0);
  json["bodies"][0]["rotation"] = {90, 0, 0};
  try {
    model_from_json(json, "model.json");
    FAIL() << "90 rad were taken";
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().find("radians"), std::string::npos);
  }
}

}  // namespace
}  // namespace kdyn::mbs
