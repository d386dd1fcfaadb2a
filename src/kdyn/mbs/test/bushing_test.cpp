// SPDX-License-Identifier: Apache-2.0
// Bushing kinematics: power identity, conservative loads, objectivity. Oracles: energy balance and differences.
#include <gtest/gtest.h>

#include <random>

#include "cases.hpp"

namespace kdyn::mbs {
namespace {

// Two flexible bodies with markers that turn with the modes, tied by one bushing.
Model two_flexible(RotationMeasure measure) {
  Model model;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  const auto vector = [&](double size) { return Vector3(size * u(random), size * u(random), size * u(random)); };
  for (int b = 0; b < 2; ++b) {
    std::vector<ModalNode> nodes;
    for (int i = 0; i < 8; ++i) {
      ModalNode node{0.3, 0.01 * Matrix3::Identity(), vector(0.5), Matrix3X::Random(3, 2), Matrix3X::Random(3, 2)};
      nodes.push_back(node);
    }
    Body body;
    body.G = modal_mass(nodes, 2);
    body.stiffness = 1e4 * MatrixX::Identity(2, 2);
    model.bodies.push_back(body);
    const int m = model.add_marker(b, vector(0.3), Eigen::AngleAxisd(0.4, vector(1.0).normalized()).toRotationMatrix());
    model.markers[static_cast<std::size_t>(m)].psi = Matrix3X::Random(3, 2);
    model.markers[static_cast<std::size_t>(m)].theta = Matrix3X::Random(3, 2);
  }
  Connection c;
  c.marker1 = 0;
  c.marker2 = 1;
  c.measure = measure;
  for (std::size_t k = 0; k < 6; ++k)
    c.laws[k] = kelvin_voigt_law(1000.0 * static_cast<double>(k + 1), 10.0 * static_cast<double>(6 - k));
  model.connections.push_back(c);
  return model;
}

TEST(MultibodyBushing, PowerIdentityHoldsForAnyState) {
  for (const auto measure : {RotationMeasure::log, RotationMeasure::vect}) {
    const System system(two_flexible(measure));
    std::srand(3);
    double worst = 0.0;
    for (int i = 0; i < 200; ++i) {
      // Natural coordinates near the manifold but not on it: nothing in the identity asks for more.
      const VectorX q = system.initial_position() + 0.15 * VectorX::Random(system.coordinates()),
                    v = VectorX::Random(system.coordinates());
      Evaluation e;
      system.place(q, v, e);
      const Vector6 load = 1000.0 * Vector6::Random();
      VectorX full = VectorX::Zero(system.coordinates());
      system.pull_back_load(0, load, e, full);
      const double power = full.dot(v), expected = load.dot(e.measure[0].rate);
      worst = std::max(worst, std::abs(power - expected) / (full.cwiseAbs().dot(v.cwiseAbs())));
    }
    // Sums of some fifty products.
    EXPECT_LT(worst, 1e-14);
  }
}

TEST(MultibodyBushing, ElasticLoadsDoNoNetWorkOnClosedCycles) {
  for (const auto measure : {RotationMeasure::log, RotationMeasure::vect}) {
    const System system(two_flexible(measure));
    const VectorX home = system.initial_position();
    // Cycle in all twelve directions and the modes: 0.3 rad, 5 mm. The trapezoid rule over a period converges faster
    // than any power.
    const int n = 4096;
    const double pi = 3.14159265358979323846;
    std::srand(11);
    const VectorX a = VectorX::Random(system.tangents()), b = VectorX::Random(system.tangents()),
                  phase = pi * VectorX::Random(system.tangents());
    VectorX scale(system.tangents());
    for (int i = 0; i < system.tangents(); ++i) scale[i] = i % 8 < 3 ? 5e-3 : i % 8 < 6 ? 0.3 : 5e-3;
    const auto at = [&](double s) {
      VectorX q = home, xi(system.tangents());
      for (int i = 0; i < system.tangents(); ++i)
        xi[i] = scale[i] * (a[i] * std::cos(s + phase[i]) + b[i] * std::cos(2 * s));
      system.retract(q, xi);
      return q;
    };
    double net = 0.0, most = 0.0;
    for (int i = 0; i < n; ++i) {
      const double s = 2.0 * pi * i / n, ds = 1e-3;
      // Rate along the path by a difference of eighth order.
      const VectorX rate =
          (0.8 * (at(s + ds) - at(s - ds)) - 0.2 * (at(s + 2 * ds) - at(s - 2 * ds)) +
           4.0 / 105.0 * (at(s + 3 * ds) - at(s - 3 * ds)) - 1.0 / 280.0 * (at(s + 4 * ds) - at(s - 4 * ds))) /
          ds;
      Evaluation e;
      system.place(at(s), rate, e);
      system.apply_static_laws(e);
      Vector6 load;
      for (int k = 0; k < 6; ++k) load[k] = e.load[static_cast<std::size_t>(k)];
      VectorX full = VectorX::Zero(system.coordinates());
      system.pull_back_load(0, load, e, full);
      net += full.dot(rate) * 2.0 * pi / n;
      most = std::max(most, 0.5 * load.dot(e.measure[0].x));
    }
    EXPECT_LT(std::abs(net), 1e-8 * most);
  }
}

TEST(MultibodyBushing, RigidSpinGivesNoRate) {
  for (const auto measure : {RotationMeasure::log, RotationMeasure::vect}) {
    Model model = two_flexible(measure);
    for (Body& body : model.bodies) {
      // One rigid motion of everything: 10 rad/s about an axis through the origin, bushing deflected.
      body.angular_velocity = {2.0, -6.0, 7.0};
      body.delta = VectorX::Constant(2, 0.01);
    }
    model.bodies[1].position = {0.004, -0.003, 0.002};
    model.bodies[1].rotation = Eigen::AngleAxisd(0.2, Vector3(1.0, 2.0, 3.0).normalized()).toRotationMatrix();
    model.bodies[1].velocity = model.bodies[1].angular_velocity.cross(model.bodies[1].position);
    const System system(model);
    const VectorX q = system.initial_position();
    Evaluation e;
    system.place(q, system.initial_velocity(q), e);
    EXPECT_GT(e.measure[0].x.norm(), 1e-2);
    EXPECT_LT(e.measure[0].rate.cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(MultibodyBushing, LogarithmGivesTheAngleAndVectItsSine) {
  for (const double angle : {1e-9, 0.1, 0.6, 1.5, 3.0}) {
    const Matrix3 R = Eigen::AngleAxisd(angle, Vector3(2.0, -1.0, 2.0) / 3.0).toRotationMatrix();
    const Frame still{Vector3::Zero(), Matrix3::Zero()};
    const auto log = bushing_measure({}, {Vector3::Zero(), R}, still, still, RotationMeasure::log);
    const auto sine = bushing_measure({}, {Vector3::Zero(), R}, still, still, RotationMeasure::vect);
    EXPECT_NEAR(log.x.tail<3>().norm(), angle, 1e-13 * std::max(angle, 1.0) / std::max(1e-3, std::sin(angle)));
    EXPECT_NEAR(sine.x.tail<3>().norm(), std::sin(angle), 1e-15);
  }
  // Derivatives of the factor by differences across the switch of its two forms.
  for (const double c : {0.999999, 0.9, 0.8000001, 0.7999999, 0.3, -0.5}) {
    const double d = 1e-5;
    const LogFactor f = log_factor(c), up = log_factor(c + d), down = log_factor(c - d);
    EXPECT_NEAR(f.g1, (up.g - down.g) / (2.0 * d), 1e-8 * (1.0 + std::abs(f.g1)));
    EXPECT_NEAR(f.g2, (up.g1 - down.g1) / (2.0 * d), 1e-7 * (1.0 + std::abs(f.g2)));
  }
}

}  // namespace
}  // namespace kdyn::mbs
