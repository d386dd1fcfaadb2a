// SPDX-License-Identifier: Apache-2.0
// Oracles: closed forms of beams, hand-made mass properties, the transfer function behind the simulated signals.
#include "kdyn/modes/space_frame.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/modes/flexible_body.hpp"
#include "kdyn/modes/virtual_test.hpp"
#include "kdyn/signal/frf.hpp"

namespace kdyn::inline modes {
namespace {

constexpr double pi = std::numbers::pi;

SpaceFrame straight_beam(int elements, const BeamSection& section, double length) {
  SpaceFrame frame;
  for (int i = 0; i <= elements; ++i) frame.add_node({length * i / elements, 0.0, 0.0});
  for (int i = 0; i < elements; ++i) frame.add_beam(i, i + 1, section);
  return frame;
}

bool contains(const RealModes& modes, double frequency_hz, double tolerance) {
  for (const double w : modes.omega)
    if (std::abs(w / (2.0 * pi) / frequency_hz - 1.0) < tolerance) return true;
  return false;
}

TEST(SpaceFrame, FreeBeamHasTheFrequenciesOfTheTextbook) {
  const BeamSection s = box_section(0.05, 0.03, 0.002);
  const double L = 1.2;
  const SpaceFrame frame = straight_beam(24, s, L);
  const RealModes modes = real_modes(frame.mass(), frame.stiffness(), 40);
  EXPECT_EQ(modes.rigid, 6);
  // Consistent beam elements: the error of bending mode r is of the order of (beta_r/24)^4/720, far below 1e-4.
  for (const double beta : {4.730040745, 7.853204624, 10.99560784})
    for (const double I : {s.inertia_y, s.inertia_z})
      EXPECT_TRUE(contains(
          modes, beta * beta / (2.0 * pi * L * L) * std::sqrt(s.youngs_modulus * I / (s.density * s.area)), 1e-4))
          << beta;
  // Bars: linear elements are too stiff by (pi/24)^2/24, 0.07 %.
  EXPECT_TRUE(contains(modes, std::sqrt(s.youngs_modulus / s.density) / (2.0 * L), 1e-3));
  EXPECT_TRUE(contains(
      modes, std::sqrt(s.shear_modulus * s.torsion / (s.density * (s.inertia_y + s.inertia_z))) / (2.0 * L), 1e-3));
  const Eigen::MatrixXd gram = modes.shapes.transpose() * frame.mass() * modes.shapes;
  EXPECT_LT((gram - Eigen::MatrixXd::Identity(40, 40)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(SpaceFrame, MassPropertiesAreThoseOfItsParts) {
  const BeamSection s = box_section(0.05, 0.03, 0.002);
  SpaceFrame frame = straight_beam(4, s, 1.0);
  const double beam = s.density * s.area, extra = 3.0;
  const Eigen::Vector3d at(1.0 + 0.1, -0.2, 0.3);  // at the last node with an offset
  frame.add_mass(4, extra, {0.01, 0.02, 0.03}, {0.1, -0.2, 0.3});
  const RigidBodyProperties rigid = rigid_properties(frame.model().mass, frame.dofs(), frame.geometry());
  const double total = beam + extra;
  const Eigen::Vector3d centre_beam(0.5, 0.0, 0.0), centre = (beam * centre_beam + extra * at) / total;
  EXPECT_NEAR(rigid.mass, total, 1e-12 * total);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(rigid.centre[static_cast<std::size_t>(i)], centre[i], 1e-12);
  const auto steiner = [](double m, const Eigen::Vector3d& r) {
    return (m * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose())).eval();
  };
  // A slender beam has no rotary inertia across; about its axis rho (Iy + Iz) L.
  Eigen::Matrix3d expected =
      Eigen::Vector3d(s.density * (s.inertia_y + s.inertia_z), beam / 12.0, beam / 12.0).asDiagonal();
  expected += Eigen::Vector3d(0.01, 0.02, 0.03).asDiagonal();
  expected += steiner(beam, centre_beam - centre) + steiner(extra, at - centre);
  EXPECT_LT((rigid.inertia - expected).cwiseAbs().maxCoeff(), 1e-12);
}

// A force that is linear between samples has the spectrum of the samples times sinc^2(f/rate): that factor is in the
// measured response.
TEST(VirtualTest, SignalsHaveTheAccelerancesOfTheStructure) {
  const BushingFrame b = make_bushing_frame(3);
  const RealModes modes = real_modes(b.frame.mass(), b.frame.stiffness(), 40);
  const Eigen::VectorXd damping = Eigen::VectorXd::Constant(modes.omega.size(), 0.04);
  const std::vector<int> outputs = {6 * b.mass_nodes[0] + 2, 6 * b.ring_nodes[4], 6 * b.ring_nodes[7] + 1};
  VirtualTestOptions options;
  options.sample_rate = 4096.0;
  options.block_s = 2.0;
  options.sensor_noise = options.force_noise = 0.0;
  const SignalSet signals = hammer_test(modes, damping, b.frame.dofs(), outputs, outputs[0], options);
  FrfOptions reduce;
  reduce.block_s = 2.0;
  reduce.band_hz = {20.0, 150.0};  // the pulse of 4 ms has its first zero above
  const FrfEstimate e = estimate_frf({signals}, reduce);
  ASSERT_EQ(e.response.channels.size(), 3U);
  EXPECT_EQ(e.added_decay, 0.0);
  Eigen::VectorXd omega(static_cast<Eigen::Index>(e.response.frequency_hz.size()));
  for (Eigen::Index k = 0; k < omega.size(); ++k)
    omega[k] = 2.0 * pi * e.response.frequency_hz[static_cast<std::size_t>(k)];
  const Eigen::MatrixXcd H = accelerance(modes, damping, outputs, {outputs[0]}, omega);
  for (Eigen::Index y = 0; y < 3; ++y)
    for (Eigen::Index k = 0; k < omega.size(); ++k) {
      const double x = 0.5 * omega[k] / options.sample_rate, sinc = std::sin(x) / x;
      // Left over: what still rings at the end of the block, and aliases of the pulse folded back from above half the
      // rate.
      EXPECT_LT(std::abs(e.response.channels[static_cast<std::size_t>(y)].values[static_cast<std::size_t>(k)] -
                         H(k, y) * sinc * sinc),
                2e-3 * H.col(y).cwiseAbs().maxCoeff());
    }
}

}  // namespace
}  // namespace kdyn::inline modes
