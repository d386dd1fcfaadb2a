// SPDX-License-Identifier: Apache-2.0
// The linear model about rest against closed forms and against the nonlinear static solution.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cases.hpp"
#include "kdyn/elastomer/kelvin_voigt.hpp"
#include "kdyn/mbs/linearise.hpp"

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
  const std::vector<Output> outputs = {
      {OutputKind::position, c.marker2, 2}, {OutputKind::velocity, c.marker2, 2}, {OutputKind::acceleration, c.marker2, 2}, {OutputKind::load, 0, 2}};
  const LinearModel linear = linearise(system, false, {{c.marker2, 2}}, outputs);
  for (const double hz : {0.5, 8.0, 20.0, 150.0}) {
    const double omega = 2.0 * pi * hz;
    const Complex<double> kv = part.stiffness(omega);
    const std::complex<double> K = k * std::complex<double>(1.0 + kv.re, kv.im), i(0.0, 1.0), x = 1.0 / (K - 12.0 * omega * omega);
    const std::complex<double> expected[4] = {x, i * omega * x, -omega * omega * x, K * x};
    const Eigen::MatrixXcd H = frequency_response(linear, hz);
    for (Eigen::Index j = 0; j < 4; ++j) EXPECT_LT(std::abs(H(j, 0) - expected[j]), 1e-11 * std::abs(expected[j])) << hz << " output " << j;
  }
}

TEST(MultibodyLinearise, ComplianceAtRestIsThatOfTheStaticSolution) {
  // Flexible beam on two bushings under its weight: force and torque at the tip against differences of static equilibria.
  auto c = cases::build("beam_two_bushings_kv");
  c.model.loads.clear();
  const int tip = c.outputs[0].first;
  const System system(c.model);
  const LinearModel linear = linearise(system, true, {{tip, 2}, {tip, 4}}, {{OutputKind::position, tip, 2}, {OutputKind::deflection, 1, 4}});
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
      return Eigen::Vector2d(run.evaluation().frame[static_cast<std::size_t>(tip)].u[2], run.evaluation().measure[1].x[4]);
    };
    const double d = 0.05;
    const Eigen::Vector2d slope = (8.0 * (at_rest(d) - at_rest(-d)) - (at_rest(2.0 * d) - at_rest(-2.0 * d))) / (12.0 * d);
    // Differences of positions of 1 m that carry rounding: 1e-15/d over compliances of 1e-5.
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(H(j, input).real(), slope[j], 1e-8 * std::abs(slope[j]) + 1e-13);
  }
}

}  // namespace
}  // namespace kdyn::mbs
