// SPDX-License-Identifier: Apache-2.0
// Oracle: the true modes at all points of a structure whose FE model has wrong bushings.
#include "kdyn/modes/test_body.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/modes/space_frame.hpp"
#include "kdyn/modes/virtual_test.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn::inline modes {
namespace {

Eigen::MatrixXcd as_complex(const Eigen::MatrixXd& A) { return A.cast<std::complex<double>>(); }

struct Study {
  BushingFrame true_frame, fe_frame = make_bushing_frame(6);
  RealModes truth;
  FeModes fe;
  std::vector<int> sensors, translations;

  Study() {
    // Each bushing stiffness of the real part is up to a factor exp(0.45) from that of the model.
    RandomStream random(5);
    std::vector<double> factor(24);
    for (double& value : factor) value = std::exp(0.45 * (2.0 * random.uniform() - 1.0));
    true_frame = make_bushing_frame(6, factor);
    truth = real_modes(true_frame.frame.mass(), true_frame.frame.stiffness(), 40);
    fe = fe_modes(fe_frame.frame.model(), 60);
    const auto add = [this](int node) {
      for (int direction = 0; direction < 3; ++direction) sensors.push_back(6 * node + direction);
    };
    for (const int node : fe_frame.arm_nodes) add(node);
    for (std::size_t i = 0; i < fe_frame.ring_nodes.size(); i += 2) add(fe_frame.ring_nodes[i]);
    for (int node = 0; node < fe_frame.frame.nodes(); ++node)
      for (int direction = 0; direction < 3; ++direction) translations.push_back(6 * node + direction);
  }

  Eigen::MatrixXd true_shapes(const std::vector<int>& which) const {
    Eigen::MatrixXd out(truth.shapes.rows(), static_cast<Eigen::Index>(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i)
      out.col(static_cast<Eigen::Index>(i)) = truth.shapes.col(truth.rigid + which[i]);
    return out;
  }

  // Noise of 3 % of the rms of a shape, 10 % of every other mode mixed in, scale wrong by 5 %.
  ModeSet measured(const std::vector<int>& which, std::uint64_t draw, double level = 1.0) const {
    RandomStream random(1000 + draw);
    const Eigen::MatrixXd shapes = true_shapes(which)(sensors, Eigen::all);
    const Eigen::Index count = shapes.cols();
    Eigen::MatrixXd mix = Eigen::MatrixXd::Identity(count, count);
    for (Eigen::Index i = 0; i < count; ++i)
      for (Eigen::Index j = 0; j < count; ++j)
        if (i != j) mix(i, j) = 0.10 * level * random.normal();
    Eigen::MatrixXd P = shapes * mix;
    ModeSet out;
    out.name = "test";
    out.geometry = fe_frame.frame.geometry();
    const std::vector<Dof> dofs = fe_frame.frame.dofs();
    for (const int s : sensors) out.dofs.push_back(dofs[static_cast<std::size_t>(s)]);
    for (Eigen::Index r = 0; r < count; ++r) {
      const double scale = 1.0 + 0.05 * level * random.normal(),
                   rms = P.col(r).norm() / std::sqrt(static_cast<double>(P.rows()));
      Mode mode;
      mode.pole =
          pole_of(truth.omega[truth.rigid + which[static_cast<std::size_t>(r)]] / (2.0 * std::numbers::pi), 0.01);
      for (Eigen::Index i = 0; i < P.rows(); ++i)
        mode.shape.emplace_back(scale * P(i, r) + 0.03 * level * rms * random.normal(), 0.0);
      out.modes.push_back(std::move(mode));
    }
    return out;
  }

  double mean_mac(const FlexibleBody& body, const std::vector<int>& which) const {
    return mac_matrix(as_complex(body.shapes(translations, Eigen::all)),
                      as_complex(true_shapes(which)(translations, Eigen::all)))
        .diagonal()
        .mean();
  }
};

const Study& study() {
  static const Study one;
  return one;
}

struct Table {
  double fe = 0.0, raw = 0.0, rotation = 0.0, loewdin = 0.0, gram_schmidt = 0.0;
  int right = 0;
};

Table forty_draws(const std::vector<int>& which) {
  Table out;
  const Study& s = study();
  for (std::uint64_t draw = 0; draw < 40; ++draw) {
    const ModeSet test = s.measured(which, draw);
    TestBodyOptions options;
    options.noise = 0.03;
    const auto mac_of = [&](OrthoMethod method) {
      options.orthonormalise = method;
      return s.mean_mac(body_from_test(test, s.fe, options).body, which);
    };
    const double rotation = mac_of(OrthoMethod::rotation), loewdin = mac_of(OrthoMethod::loewdin);
    out.raw += mac_of(OrthoMethod::none) / 40.0;
    out.gram_schmidt += mac_of(OrthoMethod::gram_schmidt) / 40.0;
    out.rotation += rotation / 40.0;
    out.loewdin += loewdin / 40.0;
    options.orthonormalise = OrthoMethod::automatic;
    const TestBodyResult chosen = body_from_test(test, s.fe, options);
    out.fe += chosen.mac_test_fe.rowwise().maxCoeff().mean() / 40.0;
    out.right += (chosen.ortho.used == OrthoMethod::rotation) == (rotation > loewdin) ? 1 : 0;
  }
  std::printf(
      "  FE alone %.3f, as measured %.3f, rotation %.3f, Loewdin %.3f, Gram-Schmidt %.3f; rule right %d of 40\n",
      out.fe, out.raw, out.rotation, out.loewdin, out.gram_schmidt, out.right);
  return out;
}

// Random mixing by a normal 0.1 of seven others leaves a MAC of 1/1.07; Loewdin takes out its symmetric half, 1/1.035
// at best.
TEST(TestBody, LoewdinServesCloseModesAndTheRuleKnows) {
  const Table t = forty_draws({6, 7, 8, 9, 10, 11, 12, 13});  // eight modes between 85 and 109 Hz
  EXPECT_LT(t.rotation, 0.75);
  EXPECT_GT(t.loewdin, 0.96);
  EXPECT_GT(t.loewdin, t.raw + 0.02);
  EXPECT_GT(t.loewdin, t.gram_schmidt);
  EXPECT_GE(t.right, 36);
}

TEST(TestBody, RotationServesSeparatedModesAndTheRuleKnows) {
  const Table t = forty_draws({0, 1, 22, 23, 25, 27});  // neighbours at least 8 % apart
  EXPECT_GT(t.rotation, 0.985);
  EXPECT_GT(t.rotation, t.loewdin);
  EXPECT_GE(t.right, 36);
}

TEST(TestBody, CarriesFrequenciesMassAndChecks) {
  const Study& s = study();
  const std::vector<int> which = {0, 1, 2, 22};
  const ModeSet test = s.measured(which, 3);
  const TestBodyResult r = body_from_test(test, s.fe, {});
  for (std::size_t i = 0; i < which.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    EXPECT_DOUBLE_EQ(r.body.frequency_hz[at], test.modes[i].frequency_hz());
    EXPECT_DOUBLE_EQ(r.body.damping[at], test.modes[i].damping_ratio());
    EXPECT_GT(r.mac_body_test(at, at), 0.9);
  }
  EXPECT_EQ(r.comac.size(), static_cast<Eigen::Index>(s.sensors.size()));
  EXPECT_EQ(r.matches.size(), s.sensors.size());
  EXPECT_LT((r.ortho.mass_after - Eigen::MatrixXd::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((r.body_mass - Eigen::MatrixXd::Identity(4, 4)).cwiseAbs().maxCoeff(),
            1e-8);  // SEREP of orthonormal shapes with the same basis
  EXPECT_GT(r.body.rigid.mass, 14.0);
  // Sensors left out are predicted about as well as noise allows; a wrong sensor shows.
  EXPECT_LT(r.expansion.hold_out, 0.1);
  ModeSet broken = test;
  for (Mode& mode : broken.modes) mode.shape[10] *= -3.0;
  const TestBodyResult b = body_from_test(broken, s.fe, {});
  Eigen::Index worst = 0;
  b.expansion.hold_out_by_dof.maxCoeff(&worst);
  EXPECT_EQ(worst, 10);
}

// Without noise and with the right model every method returns the modes themselves, at all points.
TEST(TestBody, ExactModesStayExact) {
  const Study& s = study();
  const std::vector<int> which = {0, 3, 5, 9};
  const FeModes fe = fe_modes(s.true_frame.frame.model(), 40);
  const ModeSet test = s.measured(which, 1, 0.0);
  for (const OrthoMethod method :
       {OrthoMethod::rotation, OrthoMethod::loewdin, OrthoMethod::gram_schmidt, OrthoMethod::automatic})
    for (const ExpandMethod expansion : {ExpandMethod::serep, ExpandMethod::penalised}) {
      TestBodyOptions options;
      options.orthonormalise = method;
      options.expansion = expansion;
      const TestBodyResult r = body_from_test(test, fe, options);
      // The penalty pulls coordinates of far modes by about noise^2, and leaves the right ones.
      EXPECT_GT(s.mean_mac(r.body, which), expansion == ExpandMethod::serep ? 1.0 - 1e-9 : 0.995);
    }
}

// Labels differ, sensors sit beside their nodes and look along turned axes: position and direction decide.
TEST(TestBody, MatchesPointsByPositionAndTurnedAxes) {
  const Study& s = study();
  const std::vector<int> which = {0, 1, 2};
  ModeSet test = s.measured(which, 2, 0.0);
  const double c = std::cos(0.7), sn = std::sin(0.7);
  CoordinateSystem turned;
  turned.label = 5;
  turned.R_GL = {{{c, -sn, 0.0}, {sn, c, 0.0}, {0.0, 0.0, 1.0}}};
  test.geometry.systems.push_back(turned);
  for (GeometryNode& node : test.geometry.nodes) {
    node.label += 1000;
    node.position[0] += 0.003;
    node.motion_system = 5;
  }
  for (Dof& dof : test.dofs) dof.node += 1000;
  for (Mode& mode : test.modes)
    for (std::size_t i = 0; i < mode.shape.size(); i += 3) {
      const auto x = mode.shape[i], y = mode.shape[i + 1];
      mode.shape[i] = c * x + sn * y;
      mode.shape[i + 1] = -sn * x + c * y;
    }
  const TestBodyResult moved = body_from_test(test, s.fe, {}),
                       straight = body_from_test(s.measured(which, 2, 0.0), s.fe, {});
  EXPECT_NEAR(moved.matches.front().distance, 0.003, 1e-12);
  EXPECT_GT(mac_matrix(as_complex(moved.body.shapes), as_complex(straight.body.shapes)).diagonal().minCoeff(),
            1.0 - 1e-9);
}

TEST(TestBody, RefusesWhatCannotBecomeABody) {
  const Study& s = study();
  const ModeSet test = s.measured({0, 1, 2}, 0);
  EXPECT_THROW(body_from_test(ModeSet{}, s.fe, {}), Error);
  TestBodyOptions large;
  large.basis_size = 500;
  EXPECT_THROW(body_from_test(test, s.fe, large), Error);
  ModeSet far = test;
  for (GeometryNode& node : far.geometry.nodes) node.position[2] += 10.0;
  EXPECT_THROW(body_from_test(far, s.fe, {}), Error);
  ModeSet twice = test;
  twice.modes[1].shape = twice.modes[0].shape;
  EXPECT_THROW(body_from_test(twice, s.fe, {}), Error);
}

}  // namespace
}  // namespace kdyn::inline modes
