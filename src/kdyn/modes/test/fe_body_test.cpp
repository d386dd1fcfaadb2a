// SPDX-License-Identifier: Apache-2.0
// Oracle: the full model. Static deflection under loads at the interface and rigid mass properties must survive any
// reduction exactly, frequencies in band nearly.
#include "kdyn/modes/fe_body.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/doctor.hpp"
#include "kdyn/modes/body_file.hpp"
#include "kdyn/modes/space_frame.hpp"
#include "kdyn/modes/virtual_test.hpp"

namespace kdyn::inline modes {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

struct Case {
  BushingFrame b = make_bushing_frame(4);
  FeModel model;
  RealModes modes;
  FeBodyOptions options;
  Case() {
    model = b.frame.model();
    modes = real_modes(b.frame.mass(), b.frame.stiffness(), 60);
    options.interface_nodes = {std::to_string(b.ring_nodes[2] + 1), std::to_string(b.ring_nodes[10] + 1)};
    options.modes = 36;
  }
};

class Reduced : public testing::TestWithParam<BodyMethod> {};

TEST_P(Reduced, KeepsStaticsRigidPropertiesAndLowFrequencies) {
  Case c;
  c.options.method = GetParam();
  const FlexibleBody body = fe_body(c.model, c.options);
  // 36 modes of the held structure reach to twice the frequency of the twelfth free one, the usual rule for errors well
  // below 1 %.
  for (int r = 0; r < 12; ++r) {
    const double exact = c.modes.omega[6 + r] / two_pi;
    EXPECT_GT(body.frequency_hz[r], exact * (1.0 - 1e-9));  // a reduced model is stiffer
    EXPECT_LT(body.frequency_hz[r], exact * (1.0 + 2e-3));
  }
  EXPECT_LT((body.modal_mass - Eigen::MatrixXd::Identity(body.shapes.cols(), body.shapes.cols())).cwiseAbs().maxCoeff(),
            1e-8);
  // No rigid content: momentum of every shape is zero.
  const Eigen::MatrixXd momentum =
      fe::rigid_motions(c.model.dofs, c.model.geometry).rows.transpose() * c.b.frame.mass() * body.shapes;
  EXPECT_LT(momentum.cwiseAbs().maxCoeff(), 1e-7);
  const RigidBodyProperties rigid = rigid_properties(c.model.mass, c.model.dofs, c.model.geometry);
  EXPECT_DOUBLE_EQ(body.rigid.mass, rigid.mass);
  if (GetParam() == BodyMethod::normal_modes) return;
  // Two nodes pulled apart along the line between them: in equilibrium, so that statics are defined.
  const int i = c.b.ring_nodes[2], j = c.b.ring_nodes[10];
  const auto &pi = c.b.frame.positions()[static_cast<std::size_t>(i)],
             &pj = c.b.frame.positions()[static_cast<std::size_t>(j)];
  Eigen::Vector3d e(pj[0] - pi[0], pj[1] - pi[1], pj[2] - pi[2]);
  e.normalize();
  Eigen::VectorXd force = Eigen::VectorXd::Zero(c.model.mass.rows());
  force.segment<3>(6 * i) = -e;
  force.segment<3>(6 * j) = e;
  const double exact =
      force.dot(Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(c.b.frame.stiffness()).solve(force));
  const Eigen::VectorXd modal = body.shapes.transpose() * force;
  const double reduced = modal.dot(body.modal_stiffness.ldlt().solve(modal));
  EXPECT_NEAR(reduced / exact, 1.0, 1e-6);  // rounding of the singular problem
  EXPECT_EQ(body.interface_dofs.size(), 12U);
}

// A light stiff arm at the interface gives shapes of a MHz: slow modes must not pass for rigid ones beside them.
TEST_P(Reduced, KeepsSlowModesBesideAStiffInterface) {
  Case c;
  const auto at = c.b.frame.positions()[0];
  const int tip = c.b.frame.add_node({at[0] - 0.01, at[1], at[2]});
  BeamSection light = box_section(0.05, 0.04, 0.002);
  light.density = 1e-3;
  c.b.frame.add_beam(0, tip, light);
  c.options.method = GetParam();
  c.options.interface_nodes = {std::to_string(tip + 1) + "," + std::to_string(c.b.ring_nodes[10] + 1)};
  const FlexibleBody body = fe_body(c.b.frame.model(), c.options);
  for (int r = 0; r < 6; ++r)
    EXPECT_NEAR(body.frequency_hz[r] * two_pi / c.modes.omega[6 + r], 1.0, 1e-3) << r;  // the arm weighs 4 nanograms
}

INSTANTIATE_TEST_SUITE_P(Methods, Reduced,
                         testing::Values(BodyMethod::craig_bampton, BodyMethod::free_interface,
                                         BodyMethod::normal_modes));

TEST(FeBody, IsReadBackAsWritten) {
  Case c;
  c.options.modes = 5;
  FlexibleBody body = fe_body(c.model, c.options);
  body.name = "frame";
  Json json;
  body_json(body, json);
  const FlexibleBody back = body_from_json(parse_json(dump_json(json), "body.json"), "body.json");
  EXPECT_EQ(back.name, body.name);
  EXPECT_EQ(back.origin, body.origin);
  EXPECT_EQ(back.dofs, body.dofs);
  EXPECT_EQ(back.interface_dofs, body.interface_dofs);
  EXPECT_EQ(back.kinds, body.kinds);
  EXPECT_EQ(back.geometry.nodes.size(), body.geometry.nodes.size());
  EXPECT_EQ(back.geometry.lines.front().nodes, body.geometry.lines.front().nodes);
  EXPECT_EQ((back.shapes - body.shapes).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ((back.modal_mass - body.modal_mass).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ((back.rigid.inertia - body.rigid.inertia).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(back.rigid.centre, body.rigid.centre);
}

TEST(FeBody, IsReadBackFromTheStore) {
  Case c;
  c.options.modes = 5;
  FlexibleBody body = fe_body(c.model, c.options);
  body.name = "frame";
  const FlexibleBody back = body_from_store(parse_store(store_bytes(body_store(body)), "body.h5"), "body.h5");
  EXPECT_EQ(back.name, body.name);
  EXPECT_EQ(back.origin, body.origin);
  EXPECT_EQ(back.dofs, body.dofs);
  EXPECT_EQ(back.interface_dofs, body.interface_dofs);
  EXPECT_EQ(back.kinds, body.kinds);
  EXPECT_EQ((back.shapes - body.shapes).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ((back.modal_stiffness - body.modal_stiffness).cwiseAbs().maxCoeff(), 0.0);
  // The inertia goes through the origin and back: rounding of m c^2.
  EXPECT_LT((back.rigid.inertia - body.rigid.inertia).cwiseAbs().maxCoeff(), 1e-12);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(back.rigid.centre[i], body.rigid.centre[i], 1e-14);
  for (Eigen::Index r = 0; r < body.shapes.cols(); ++r)
    EXPECT_NEAR(back.frequency_hz[r] / body.frequency_hz[r], 1.0, 1e-14);
  EXPECT_THROW(body_from_store(Store{}, "empty.h5"), Error);
}

TEST(FeBody, RefusesWhatMakesNoBody) {
  const Case c;
  FeBodyOptions none = c.options;
  none.interface_nodes.clear();
  EXPECT_THROW(fe_body(c.model, none), Error);
  FeBodyOptions unknown = c.options;
  unknown.interface_nodes = {"9999"};
  EXPECT_THROW(fe_body(c.model, unknown), Error);
  FeBodyOptions loose = c.options;
  loose.interface_nodes = {"1+Z"};  // one direction does not hold a body
  EXPECT_THROW(fe_body(c.model, loose), Error);
  FeModel other = c.model;
  other.stiffness.conservativeResize(6, 6);
  EXPECT_THROW(fe_body(other, c.options), Error);
  FeModel empty = c.model;
  empty.mass.setZero();
  EXPECT_THROW(fe_body(empty, c.options), Error);
  EXPECT_THROW(body_from_json(parse_json("{\"kind\":\"flexible_body\"}", "x"), "x"), Error);
}

}  // namespace
}  // namespace kdyn::inline modes
