// SPDX-License-Identifier: Apache-2.0
// Oracle: the mass matrix of the model that made the responses.
#include "kdyn/modes/mass_line.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/modes/space_frame.hpp"
#include "kdyn/modes/virtual_test.hpp"

namespace kdyn::inline modes {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

struct Suspended {
  BushingFrame b = make_bushing_frame(4);
  RealModes modes;
  Geometry geometry;
  RigidBodyProperties truth;
  std::vector<Dof> dofs;
  FrfMatrix frf;

  // Three directions at every second node; forces at the named rows.
  explicit Suspended(const std::vector<int>& inputs, double low_hz = 2.0, double high_hz = 8.0, bool only_z = false) {
    modes = real_modes(b.frame.mass(), b.frame.stiffness(), static_cast<int>(b.frame.mass().rows()));
    geometry = b.frame.geometry();
    dofs = b.frame.dofs();
    truth = rigid_properties(b.frame.model().mass, dofs, geometry);
    std::vector<int> outputs;
    for (int node = 0; node < b.frame.nodes(); node += 2)
      for (int d = only_z ? 2 : 0; d < 3; ++d) outputs.push_back(6 * node + d);
    frf.omega = two_pi * Eigen::VectorXd::LinSpaced(61, low_hz, high_hz);
    frf.outputs = static_cast<Eigen::Index>(outputs.size());
    frf.inputs = static_cast<Eigen::Index>(inputs.size());
    frf.values = accelerance(modes, Eigen::VectorXd::Constant(modes.omega.size(), 0.01), outputs, inputs, frf.omega);
    for (const int row : outputs) frf.output_dofs.push_back(dofs[static_cast<std::size_t>(row)]);
    for (const int row : inputs) frf.input_dofs.push_back(dofs[static_cast<std::size_t>(row)]);
    frf.output_unit = "m/s^2", frf.input_unit = "N";
  }
  // Where they are off from the truth, over the mass, the size of the part and the largest inertia.
  double worst(const MassLine& line) const {
    double out = std::abs(line.rigid.mass / truth.mass - 1.0);
    for (std::size_t i = 0; i < 3; ++i) out = std::max(out, std::abs(line.rigid.centre[i] - truth.centre[i]) / 0.9);
    return std::max(out, (line.rigid.inertia - truth.inertia).cwiseAbs().maxCoeff() / truth.inertia.maxCoeff());
  }
};

// Forces at six rows of nodes far apart: enough for all ten numbers.
std::vector<int> enough(const BushingFrame& b) {
  return {6 * b.ring_nodes[0] + 2, 6 * b.ring_nodes[5] + 2, 6 * b.ring_nodes[9] + 0,
          6 * b.ring_nodes[2] + 1, 6 * b.arm_nodes[0] + 0,  6 * b.arm_nodes[4] + 1};
}

TEST(MassLine, GivesMassCentreAndInertiaOfTheModel) {
  const Suspended test(enough(make_bushing_frame(4)));
  const MassLine line = mass_line(test.frf, test.geometry, {}, 0.0);
  ASSERT_TRUE(line.complete);
  EXPECT_EQ(line.parameters.size(), 10U);
  // What w^2 alone does not follow of the first elastic mode f1 is (f/f1)^4.
  const double first = test.modes.omega[test.modes.rigid] / two_pi;
  EXPECT_LT(test.worst(line), 2.0 * std::pow(8.0 / first, 4));
  EXPECT_LT(line.misfit, 2.0 * std::pow(8.0 / first, 4));
  EXPECT_TRUE(line.findings.empty());
}

// Near the elastic modes the constant is theirs as much as the mass: with their share taken off it is the mass again.
TEST(MassLine, ModesThatAreKnownAreTakenOff) {
  const Suspended test(enough(make_bushing_frame(4)), 10.0, 25.0);
  ModalModel elastic;
  const int first = test.modes.rigid, count = 24;
  elastic.poles.resize(count), elastic.C.resize(test.frf.outputs, count), elastic.B.resize(count, test.frf.inputs);
  const auto row = [&](const Dof& dof) {
    return std::find(test.dofs.begin(), test.dofs.end(), dof) - test.dofs.begin();
  };
  for (int r = 0; r < count; ++r) {
    const double omega = test.modes.omega[first + r];
    const std::complex<double> pole = omega * std::complex<double>(-0.01, std::sqrt(1.0 - 1e-4));
    elastic.poles[r] = pole;
    elastic.roles.push_back(PoleRole::mode);
    for (Eigen::Index y = 0; y < test.frf.outputs; ++y)
      elastic.C(y, r) = test.modes.shapes(row(test.frf.output_dofs[static_cast<std::size_t>(y)]), first + r);
    for (Eigen::Index u = 0; u < test.frf.inputs; ++u)
      elastic.B(r, u) = test.modes.shapes(row(test.frf.input_dofs[static_cast<std::size_t>(u)]), first + r) * pole *
                        pole / std::complex<double>(0.0, 2.0 * pole.imag());
  }
  const MassLine with = mass_line(test.frf, test.geometry, elastic, 0.0),
                 without = mass_line(test.frf, test.geometry, {}, 0.0);
  EXPECT_EQ(with.elastic_modes, count);
  ASSERT_TRUE(with.complete);
  EXPECT_LT(test.worst(with), 2e-3);
  if (without.complete) EXPECT_GT(test.worst(without), 5.0 * test.worst(with));
  // Modes below the lines are the suspension and stay.
  ModalModel below = elastic;
  below.poles *= 1e-3;
  EXPECT_EQ(mass_line(test.frf, test.geometry, below, 0.0).elastic_modes, 0);
}

TEST(MassLine, DeviationsHoldUnderNoise) {
  int outside = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Suspended test(enough(make_bushing_frame(4)));
    RandomStream random(seed);
    const double sigma = 0.02 * test.frf.values.norm() / std::sqrt(static_cast<double>(test.frf.values.size()));
    for (auto& value : test.frf.values.reshaped()) {
      const double imaginary = random.normal();
      value += sigma * std::complex<double>(random.normal(), imaginary);
    }
    const MassLine line = mass_line(test.frf, test.geometry, {}, 0.0);
    ASSERT_TRUE(line.complete) << seed;
    const Eigen::Matrix3d& j = test.truth.inertia;
    const double truth[] = {test.truth.mass,
                            test.truth.centre[0],
                            test.truth.centre[1],
                            test.truth.centre[2],
                            j(0, 0),
                            j(1, 1),
                            j(2, 2),
                            j(0, 1),
                            j(1, 2),
                            j(2, 0)};
    for (std::size_t i = 0; i < 10; ++i, ++all)
      outside += truth[i] < line.parameters[i].lower_95 || truth[i] > line.parameters[i].upper_95;
  }
  EXPECT_LE(outside, all / 10);  // 5 % are expected of 100, which are not independent
}

TEST(MassLine, SaysWhatChannelsDoNotDetermine) {
  const BushingFrame b = make_bushing_frame(4);
  // One force and vertical sensors: three numbers of a plane for more unknowns.
  const Suspended test({6 * b.ring_nodes[0] + 2}, 2.0, 8.0, true);
  const MassLine line = mass_line(test.frf, test.geometry, {}, 0.0);
  EXPECT_FALSE(line.complete);
  EXPECT_EQ(line.rigid.mass, 0.0);
  for (const ParameterEstimate& p : line.parameters)
    if (p.name.starts_with("inertia") || p.name == "centre_z") EXPECT_TRUE(std::isinf(p.std)) << p.name;
  ASSERT_FALSE(line.findings.empty());
  EXPECT_EQ(line.findings.front().code, "not_determined");
  // Three vertical forces tell mass and the place of the centre in the plane, and no inertia about the vertical.
  const Suspended three({6 * b.ring_nodes[0] + 2, 6 * b.ring_nodes[5] + 2, 6 * b.ring_nodes[10] + 2}, 2.0, 8.0, true);
  const MassLine more = mass_line(three.frf, three.geometry, {}, 0.0);
  EXPECT_NEAR(more.parameters[0].value / three.truth.mass, 1.0, 0.01);
  EXPECT_NEAR(more.parameters[1].value, three.truth.centre[0], 0.01);
  EXPECT_NEAR(more.parameters[2].value, three.truth.centre[1], 0.01);
  EXPECT_TRUE(std::isinf(more.parameters[6].std));
}

TEST(MassLine, NamesAReversedSensor) {
  Suspended test(enough(make_bushing_frame(4)));
  for (Eigen::Index u = 0; u < test.frf.inputs; ++u) test.frf.values.col(test.frf.column(7, u)) *= -1.0;
  const MassLine line = mass_line(test.frf, test.geometry, {}, 0.0);
  int reversed = 0;
  for (const Finding& f : line.findings)
    if (f.code == "sensor_reversed") {
      ++reversed;
      EXPECT_EQ(f.where, label(test.frf.output_dofs[7]));
    }
  EXPECT_EQ(reversed, 1);
}

TEST(MassLine, RefusesWhatItCannotUse) {
  Suspended test(enough(make_bushing_frame(4)));
  FrfMatrix unknown = test.frf;
  unknown.output_unit.clear();
  EXPECT_THROW(mass_line(unknown, test.geometry, {}, 0.0), Error);
  unknown = test.frf;
  unknown.input_unit = "V";
  EXPECT_THROW(mass_line(unknown, test.geometry, {}, 0.0), Error);
  EXPECT_THROW(mass_line(test.frf, {}, {}, 0.0), Error);
  unknown = test.frf;
  unknown.omega = test.frf.omega.head(4).eval(), unknown.values = test.frf.values.topRows(4).eval();
  EXPECT_THROW(mass_line(unknown, test.geometry, {}, 0.0), Error);
}

}  // namespace
}  // namespace kdyn::inline modes
