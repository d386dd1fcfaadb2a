// SPDX-License-Identifier: Apache-2.0
// The linear model about rest against closed forms and against the nonlinear static solution.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cases.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/elastomer/kelvin_voigt.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/mbs/linearise.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::mbs {
namespace {

constexpr double pi = std::numbers::pi;

TEST(MultibodyLinearise, TwoMassesHaveTheEigenvaluesOfTheirTwoByTwoMatrices) {
  const auto c = cases::build("double_mass_kv");
  const System system(c.model);
  const LinearModel model = linearise(system, false, {}, {});
  ASSERT_EQ(model.status, RunStatus::done) << model.reason;
  ASSERT_EQ(model.Z.cols(), 2);
  const auto rho = cases::reference()["double_mass_kv"]["rho_exact"].get<std::vector<double>>();
  const double k1 = rho[0], c1 = rho[1], k2 = rho[2], c2 = rho[3];
  Eigen::Matrix4d A;
  A << 0, 0, 1, 0, 0, 0, 0, 1, -(k1 + k2) / 2.0, k2 / 2.0, -(c1 + c2) / 2.0, c2 / 2.0, k2, -k2, c2, -c2;
  std::vector<std::complex<double>> expected;
  for (const auto& value : Eigen::EigenSolver<Eigen::Matrix4d>(A).eigenvalues())
    if (value.imag() > 0.0) expected.push_back(value);
  std::sort(expected.begin(), expected.end(), [](auto a, auto b) { return std::abs(a) < std::abs(b); });
  const auto found = modes(model);
  ASSERT_EQ(found.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(std::abs(found[i].eigenvalue - expected[i]), 1e-11 * std::abs(expected[i]));
    EXPECT_NEAR(found[i].damping_ratio, -expected[i].real() / std::abs(expected[i]), 1e-12);
  }
}

TEST(MultibodyLinearise, APendulumSwingsByItsWeight) {
  // Nothing but the reaction of the joint and the weight restores it: omega^2 = m g c/(J + m c^2).
  Model model;
  model.gravity = {0.0, -9.81, 0.0};
  Body bar = cases::rigid(2.0, Vector3(0.01, 0.17, 0.17).asDiagonal(), {0.5, 0.0, 0.0});
  bar.rotation = Eigen::AngleAxisd(-0.5 * pi, Vector3::UnitZ()).toRotationMatrix();
  model.bodies.push_back(bar);
  Joint joint;
  joint.kind = JointKind::revolute;
  joint.marker1 = model.add_marker(-1, Vector3::Zero());
  joint.marker2 = model.add_marker(0, Vector3::Zero());
  model.joints.push_back(joint);
  const System system(model);
  const auto found = modes(linearise(system, true, {}, {}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(2.0 * pi * found[0].frequency_hz, std::sqrt(2.0 * 9.81 * 0.5 / (0.17 + 2.0 * 0.25)), 1e-12);
  EXPECT_NEAR(found[0].damping_ratio, 0.0, 1e-12);
}

TEST(MultibodyLinearise, ResponseOfAMassOnAnElastomerMount) {
  // One axis of motion; without friction the mount is its closed complex stiffness.
  Model model;
  model.bodies.push_back(cases::rigid(12.0, 0.1 * Matrix3::Identity()));
  Joint joint;
  joint.kind = JointKind::translational;  // along z
  joint.marker1 = model.add_marker(-1, Vector3::Zero());
  joint.marker2 = model.add_marker(0, Vector3::Zero());
  model.joints.push_back(joint);
  Connection c;
  c.marker1 = model.add_marker(-1, Vector3::Zero());
  c.marker2 = model.add_marker(0, Vector3::Zero());
  const double k = 2e5;
  const KelvinVoigt<double> part{0.1, 0.1, 3.5e-3, 0.4};
  c.laws[2] = axis_law_from_json({{"model", "elastomer"},
                                  {"parameters",
                                   {{"static_stiffness", k},
                                    {"alpha", part.alpha},
                                    {"beta", part.beta},
                                    {"gamma", part.gamma},
                                    {"lambda", part.lambda},
                                    {"rdl", 0.0},
                                    {"rho", 0.0}}}},
                                 "law");
  model.connections.push_back(c);
  const System system(model);
  const std::vector<Output> outputs = {{OutputKind::position, c.marker2, 2},
                                       {OutputKind::velocity, c.marker2, 2},
                                       {OutputKind::acceleration, c.marker2, 2},
                                       {OutputKind::load, 0, 2}};
  const LinearModel linear = linearise(system, false, {{c.marker2, 2}}, outputs);
  for (const double hz : {0.5, 8.0, 20.0, 150.0}) {
    const double omega = 2.0 * pi * hz;
    const Complex<double> kv = part.stiffness(omega);
    const std::complex<double> K = k * std::complex<double>(1.0 + kv.re, kv.im), i(0.0, 1.0),
                               x = 1.0 / (K - 12.0 * omega * omega);
    const std::complex<double> expected[4] = {x, i * omega * x, -omega * omega * x, K * x};
    const Eigen::MatrixXcd H = frequency_response(linear, hz);
    for (Eigen::Index j = 0; j < 4; ++j)
      EXPECT_LT(std::abs(H(j, 0) - expected[j]), 1e-11 * std::abs(expected[j])) << hz << " output " << j;
  }
}

TEST(MultibodyLinearise, ComplianceAtRestIsThatOfTheStaticSolution) {
  // Flexible beam on two bushings under its weight: force and torque at the tip against differences of static
  // equilibria.
  auto c = cases::build("beam_two_bushings_kv");
  c.model.loads.clear();
  const int tip = c.outputs[0].first;
  const System system(c.model);
  const LinearModel linear =
      linearise(system, true, {{tip, 2}, {tip, 4}}, {{OutputKind::position, tip, 2}, {OutputKind::deflection, 1, 4}});
  ASSERT_EQ(linear.status, RunStatus::done) << linear.reason;
  const Eigen::MatrixXcd H = frequency_response(linear, 0.0);
  for (int input = 0; input < 2; ++input) {
    const auto at_rest = [&](double size) {
      Model loaded = c.model;
      PointLoad load;
      load.marker = tip;
      if (input == 0)
        load.force[2] = TimeSignal(size);
      else
        load.torque[1] = TimeSignal(size);
      loaded.loads.push_back(load);
      const System other(loaded);
      RunOptions options;
      options.static_start = true;
      mbs::Run run(other, options);
      EXPECT_EQ(run.start().status, RunStatus::done);
      return Eigen::Vector2d(run.evaluation().frame[static_cast<std::size_t>(tip)].u[2],
                             run.evaluation().measure[1].x[4]);
    };
    const double d = 0.05;
    const Eigen::Vector2d slope =
        (8.0 * (at_rest(d) - at_rest(-d)) - (at_rest(2.0 * d) - at_rest(-2.0 * d))) / (12.0 * d);
    // Differences of positions of 1 m that carry rounding: 1e-15/d over compliances of 1e-5.
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(H(j, input).real(), slope[j], 1e-8 * std::abs(slope[j]) + 1e-13);
  }
}

TEST(MultibodyLinearise, BothFormulationsOfTheResponseAgree) {
  // State space against the equations of joints and motion at one frequency: engine on hydro mounts, weight held by
  // static equilibrium.
  const ModelFile file = read_model(std::string(KDYN_SOURCE_DIR) + "/examples/multibody/engine.json");
  const System system(file.model);
  const int marker = file.model.loads.front().marker;
  const std::vector<Output> outputs = {
      {OutputKind::acceleration, marker, 2}, {OutputKind::load, 0, 2}, {OutputKind::velocity, marker, 0}};
  const LinearModel model = linearise(system, true, {{marker, 2}, {marker, 4}}, outputs);
  ASSERT_EQ(model.status, RunStatus::done) << model.reason;
  for (const double hz : {3.0, 9.7, 40.0}) {
    const std::complex<double> s(0.0, 2.0 * pi * hz);
    Eigen::MatrixXcd resolvent = -model.A.cast<std::complex<double>>();
    resolvent.diagonal().array() += s;
    const Eigen::MatrixXcd expected =
        model.C.cast<std::complex<double>>() * resolvent.partialPivLu().solve(model.B.cast<std::complex<double>>()) +
        model.D.cast<std::complex<double>>();
    EXPECT_LT((frequency_response(model, hz) - expected).cwiseAbs().maxCoeff(), 1e-9 * expected.cwiseAbs().maxCoeff())
        << hz;
  }
}

TEST(MultibodyLinearise, PreloadMakesAStringStiff) {
  // A mass between two springs under tension T: across, each gives T/L, along k. Under gravity along the springs both
  // tensions differ, their sum counts.
  Model model;
  model.gravity = {0.0, 0.0, -9.81};
  const double m = 1.5, k = 4000.0, length = 0.4, rest = 0.3;
  model.bodies.push_back(cases::rigid(m, 0.01 * Matrix3::Identity()));
  for (const double side : {1.0, -1.0}) {
    Connection c;
    c.kind = ConnectionKind::spring;
    c.name = side > 0.0 ? "upper" : "lower";
    c.marker1 = model.add_marker(-1, {0.0, 0.0, side * length});
    c.marker2 = model.add_marker(0, Vector3::Zero());
    c.rest_length = rest;
    c.laws[0] = kelvin_voigt_law(k, 0.0);
    model.connections.push_back(c);
  }
  // The springs meet in one point: the rotations are held by a bushing without stiffness along.
  Connection hold;
  hold.name = "hold";
  hold.marker1 = model.add_marker(-1, Vector3::Zero());
  hold.marker2 = model.add_marker(0, Vector3::Zero());
  for (std::size_t axis = 3; axis < 6; ++axis) hold.laws[axis] = kelvin_voigt_law(1e4, 0.0);
  model.connections.push_back(hold);
  const System system(model);
  const auto found = modes(linearise(system, true, {}, {}));
  const double sag = m * 9.81 / (2.0 * k), upper = length + sag, lower = length - sag;
  const double across = k * (upper - rest) / upper + k * (lower - rest) / lower;
  ASSERT_GE(found.size(), 3u);
  EXPECT_NEAR(2.0 * pi * found[0].frequency_hz, std::sqrt(across / m), 1e-9);
  EXPECT_NEAR(2.0 * pi * found[1].frequency_hz, std::sqrt(across / m), 1e-9);
  EXPECT_NEAR(2.0 * pi * found[2].frequency_hz, std::sqrt(2.0 * k / m), 1e-9);
}

TEST(MultibodyLinearise, ResponseOfATimeSimulationWithASmallForce) {
  // A block on two elastomer mounts with friction, in equilibrium under its weight, shaken by 0.01 N: friction acts
  // with its slope at vanishing amplitude.
  Model model;
  model.gravity = {0.0, 0.0, -9.81};
  model.bodies.push_back(cases::rigid(20.0, Vector3(0.3, 0.5, 0.6).asDiagonal(), {0.02, 0.01, 0.05}));
  for (int i = 0; i < 2; ++i) {
    Connection c;
    c.marker1 = model.add_marker(-1, {i == 0 ? -0.2 : 0.2, 0.0, 0.0});
    c.marker2 = model.add_marker(0, {i == 0 ? -0.2 : 0.2, 0.0, 0.0});
    for (std::size_t k = 0; k < 6; ++k)
      c.laws[k] = axis_law_from_json({{"model", "elastomer"},
                                      {"parameters",
                                       {{"static_stiffness", k < 3 ? 2e5 : 900.0},
                                        {"alpha", 0.3},
                                        {"beta", 0.1},
                                        {"gamma", 3.5e-3},
                                        {"lambda", 0.4},
                                        {"rdl", k < 3 ? 9e-5 : 4e-4},
                                        {"rho", k < 3 ? 4500.0 : 900.0}}}},
                                     "law");
    model.connections.push_back(c);
  }
  const int at = model.add_marker(0, {0.1, 0.05, 0.1});
  const std::vector<Output> outputs = {{OutputKind::acceleration, at, 2}, {OutputKind::load, 1, 2}};
  const double hz = 11.0, omega = 2.0 * pi * hz, force = 1e-2;
  const Eigen::MatrixXcd H = frequency_response(linearise(System(model), true, {{at, 2}}, outputs), hz);
  PointLoad load;
  load.marker = at;
  load.force[2] = TimeSignal("1e-2*sin(2*pi*11*t)");
  model.loads.push_back(load);
  const System system(model);
  RunOptions options;
  options.static_start = true;
  options.tolerance = 1e-13;
  options.step_s = 1.0 / (hz * 200.0);
  options.duration_s = 90.0 / hz;
  std::vector<std::complex<double>> sum(2, 0.0);
  const double begin = 88.0 / hz - 0.5 * options.step_s, end = 90.0 / hz - 0.5 * options.step_s;
  ASSERT_EQ(simulate(
                system, options,
                [&](const RunState& s, const Evaluation& e) {
                  if (s.t < begin || s.t > end) return;
                  // The first harmonic over two periods; a constant cancels.
                  const std::complex<double> turn = std::polar(1.0, -omega * s.t);
                  for (std::size_t j = 0; j < 2; ++j) sum[j] += output_value(system, outputs[j], s, e) * turn;
                },
                silent_progress())
                .status,
            RunStatus::done);
  const std::complex<double> i(0.0, 1.0);
  for (Eigen::Index j = 0; j < 2; ++j) {
    const std::complex<double> measured = sum[static_cast<std::size_t>(j)] * 2.0 / 400.0 * i / force;
    // 200 steps a period leave (2 pi/200)^2/12 = 8e-5 of second order; transients decayed over 88 periods; friction
    // bends the answer by rho u, 4500/m times 5e-8 m. A smaller force would drown in the rounding of positions over the
    // square of the step.
    EXPECT_LT(std::abs(measured - H(j, 0)), 1e-3 * std::abs(H(j, 0))) << j;
    std::printf("response at 11 Hz, output %d: off by %.1e\n", static_cast<int>(j), std::abs(measured / H(j, 0) - 1.0));
  }
}

TEST(MultibodyLinearise, MountsKeepTheirComplexStiffnessUnderPreload) {
  // Load over deflection of a mount under the weight of a mass is the complex stiffness that the law's own module gives
  // at that deflection (whose conformance suite meets it by simulation at small amplitude): with friction the slope
  // after a reversal, with a fluid its resonance.
  const auto rubber = [](double stiffness) {
    return Json{{"model", "elastomer"},
                {"parameters",
                 {{"static_stiffness", stiffness},
                  {"alpha", 0.3},
                  {"beta", 0.1},
                  {"gamma", 3.5e-3},
                  {"rdl", 5e-5},
                  {"rho", 4500.0}}}};
  };
  const Json hydro = {{"model", "hydromount"},
                      {"main_rubber", rubber(2e5)},
                      {"chamber_rubber", rubber(3e5)},
                      {"parameters",
                       {{"chamber_area", 8.6e-3},
                        {"channel_area", 8.2e-5},
                        {"channel_length", 0.25},
                        {"fluid_density", 950.0},
                        {"fluid_damping_linear", 0.33},
                        {"fluid_damping_nonlinear", 1.4}}}};
  for (const bool fluid : {false, true}) {
    const Json law = fluid ? hydro : rubber(2e5);
    const auto mount =
        fluid ? make_mount(hydromount_from_json(law, "law")) : make_mount(elastomer_from_json(law, "law"));
    Model model;
    model.gravity = {0.0, 0.0, -9.81};
    model.bodies.push_back(cases::rigid(40.0, 0.1 * Matrix3::Identity()));
    Joint slide;
    slide.kind = JointKind::translational;  // along z
    slide.marker1 = model.add_marker(-1, Vector3::Zero());
    slide.marker2 = model.add_marker(0, Vector3::Zero());
    model.joints.push_back(slide);
    Connection c;
    c.marker1 = model.add_marker(-1, Vector3::Zero());
    c.marker2 = model.add_marker(0, Vector3::Zero());
    c.laws[2] = axis_law_from_json(law, "law");
    model.connections.push_back(c);
    const System system(model);
    const LinearModel linear =
        linearise(system, true, {{c.marker2, 2}}, {{OutputKind::deflection, 0, 2}, {OutputKind::load, 0, 2}});
    ASSERT_EQ(linear.status, RunStatus::done) << linear.reason;
    const double u0 = linear.at.laws.motion[0].u;
    EXPECT_LT(u0, -1e-4);
    for (const double hz : {0.5, 9.0, 25.0, 120.0}) {
      const Eigen::MatrixXcd H = frequency_response(linear, hz);
      const std::complex<double> expected = mount->linear_stiffness(hz, u0);
      EXPECT_LT(std::abs(H(1, 0) / H(0, 0) - expected), 1e-10 * std::abs(expected)) << hz;
    }
  }
}

TEST(MultibodyLinearise, MotionOfADriveIsAnInput) {
  // A mass on a spring whose foot is driven: transmissibility k/(k - m w^2) of a base in motion.
  Model model;
  model.bodies.push_back(cases::rigid(1.0, 0.01 * Matrix3::Identity()));
  model.bodies.push_back(cases::rigid(3.0, 0.01 * Matrix3::Identity(), Vector3::Zero(), {0.0, 0.0, 0.2}));
  const double k = 5000.0, c = 8.0, m = 3.0;
  for (int b = 0; b < 2; ++b) {
    Joint slide;
    slide.name = b == 0 ? "foot" : "mass";
    slide.kind = JointKind::translational;
    slide.marker1 = model.add_marker(-1, {0.0, 0.0, 0.2 * b});
    slide.marker2 = model.add_marker(b, Vector3::Zero());
    model.joints.push_back(slide);
  }
  Joint drive = model.joints[0];
  drive.name = "drive";
  drive.kind = JointKind::drive_translation;
  model.joints.push_back(drive);
  Connection spring;
  spring.marker1 = model.add_marker(0, {0.0, 0.0, 0.2});
  spring.marker2 = model.add_marker(1, Vector3::Zero());
  spring.laws[2] = kelvin_voigt_law(k, c);
  model.connections.push_back(spring);
  const System system(model);
  const LinearModel linear =
      linearise(system, false, {{0, 0, 2}},
                {{OutputKind::position, spring.marker2, 2}, {OutputKind::acceleration, spring.marker1, 2}});
  for (const double hz : {1.0, 6.0, 30.0}) {
    const std::complex<double> s(0.0, 2.0 * pi * hz), expected = (k + c * s) / (m * s * s + c * s + k);
    const Eigen::MatrixXcd H = frequency_response(linear, hz);
    EXPECT_LT(std::abs(H(0, 0) - expected), 1e-11 * std::abs(expected));
    EXPECT_LT(std::abs(H(1, 0) - s * s), 1e-11 * std::abs(s * s));
  }
  EXPECT_THROW(linearise(system, false, {{0, 0, 1}}, {}), Error);
}

TEST(MultibodyLinearise, RefusesWhatIsNotAtRest) {
  auto c = cases::build("beam_two_bushings_kv");
  // Under its weight the beam falls from the position it is given in.
  EXPECT_THROW(linearise(System(c.model), false, {}, {}), Error);
  c.model.bodies[0].velocity = {0.1, 0.0, 0.0};
  EXPECT_THROW(linearise(System(c.model), true, {}, {}), Error);
}

}  // namespace
}  // namespace kdyn::mbs
