// SPDX-License-Identifier: Apache-2.0
// Flexible bodies from files. Oracle: momentum and kinetic energy summed over the nodes from their velocities, which
// knows nothing of G.
#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/fe/doctor.hpp"
#include "kdyn/mbs/body_checks.hpp"
#include "kdyn/mbs/flexible_file.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/system.hpp"
#include "kdyn/modes/fe_body.hpp"
#include "kdyn/modes/space_frame.hpp"

namespace kdyn::mbs {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

Vector3 random_vector(RandomStream& random, double size) {
  return size * Vector3(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
}

// Nodes anywhere with masses, rotary inertia (when wanted) and shapes anyhow.
std::vector<ModalNode> random_nodes(int count, int modes, bool rotary) {
  RandomStream random(7, rotary ? 1 : 0);
  std::vector<ModalNode> nodes;
  for (int p = 0; p < count; ++p) {
    ModalNode node;
    node.label = 10 + p;
    node.mass = random.uniform(0.1, 1.0);
    if (rotary)
      node.inertia =
          Vector3(random.uniform(0.01, 0.02), random.uniform(0.01, 0.02), random.uniform(0.01, 0.02)).asDiagonal();
    node.x = random_vector(random, 1.0);
    node.psi.resize(3, modes);
    node.theta = Matrix3X::Zero(3, modes);
    for (int k = 0; k < modes; ++k) {
      node.psi.col(k) = random_vector(random, 1.0);
      if (rotary) node.theta.col(k) = random_vector(random, 1.0);
    }
    nodes.push_back(node);
  }
  return nodes;
}

// Kinetic energy of the nodes at rest position of the frame, deflection delta: v_p = v + w x (x + psi delta) + psi
// delta'.
double energy_of_nodes(const std::vector<ModalNode>& nodes, const Vector3& v, const Vector3& w, const VectorX& delta,
                       const VectorX& rate) {
  double sum = 0.0;
  for (const ModalNode& node : nodes) {
    const Vector3 velocity = v + w.cross(node.x + node.psi * delta) + node.psi * rate;
    const Vector3 turning = w + node.theta * rate;
    sum += 0.5 * node.mass * velocity.squaredNorm() + 0.5 * turning.dot(node.inertia * turning);
  }
  return sum;
}

double energy_of_body(const Body& given, const Vector3& v, const Vector3& w, const VectorX& delta,
                      const VectorX& rate) {
  Model model;
  model.bodies.push_back(given);
  Body& body = model.bodies.back();
  body.delta = delta;
  body.delta_rate = rate;
  body.velocity = v;
  body.angular_velocity = w;
  const System system(model);
  const VectorX q = system.initial_position();
  Evaluation e;
  const VectorX rates = system.initial_velocity(q);
  system.place(q, rates, e);
  return system.energy(q, rates, {}, e).kinetic;
}

Matrix square(const MatrixX& A) {
  Matrix out;
  out.rows = static_cast<int>(A.rows());
  out.columns = static_cast<int>(A.cols());
  out.real.assign(A.data(), A.data() + A.size());
  return out;
}

MbdynFem mbdyn_of(const std::vector<ModalNode>& nodes, const MatrixX& stiffness) {
  MbdynFem out;
  const auto n = stiffness.rows();
  for (const ModalNode& node : nodes) {
    GeometryNode g;
    g.label = node.label;
    g.position = {node.x.x(), node.x.y(), node.x.z()};
    out.modes.geometry.nodes.push_back(g);
    for (int direction = 1; direction <= 6; ++direction) out.modes.dofs.push_back({node.label, direction, {}});
    out.lumped_mass.insert(out.lumped_mass.end(), {node.mass, node.mass, node.mass, node.inertia(0, 0),
                                                   node.inertia(1, 1), node.inertia(2, 2)});
  }
  for (Eigen::Index k = 0; k < n; ++k) {
    Mode mode;
    for (const ModalNode& node : nodes) {
      for (int i = 0; i < 3; ++i) mode.shape.emplace_back(node.psi(i, k), 0.0);
      for (int i = 0; i < 3; ++i) mode.shape.emplace_back(node.theta(i, k), 0.0);
    }
    out.modes.modes.push_back(mode);
  }
  out.modal_mass = square(mass_at_rest(modal_mass(nodes, static_cast<int>(n))).modal);
  out.modal_stiffness = square(stiffness);
  return out;
}

TEST(FlexibleFile, MbdynBodyHasTheEnergyOfItsNodes) {
  const auto nodes = random_nodes(6, 3, true);
  const MatrixX stiffness = Vector3(1e4, 3e4, 9e4).asDiagonal();
  const std::string path = (std::filesystem::temp_directory_path() / "kdyn_flexible_test.fem").string();
  write_text(path, mbdyn_fem_text(mbdyn_of(nodes, stiffness)));
  const FlexibleData data = read_flexible(path);
  std::filesystem::remove(path);
  EXPECT_TRUE(data.findings.empty());
  ASSERT_EQ(data.body.modes(), 3);
  ASSERT_EQ(data.body.nodes.size(), 6u);
  EXPECT_EQ(data.body.nodes[2].label, 12);
  // Scaling to a largest displacement of 1: delta of the body is delta of the file times that size.
  VectorX size(3);
  for (int k = 0; k < 3; ++k) {
    size[k] = 0.0;
    for (const ModalNode& node : nodes) size[k] = std::max(size[k], node.psi.col(k).norm());
  }
  RandomStream random(3);
  for (int i = 0; i < 20; ++i) {
    const Vector3 v = random_vector(random, 1.0), w = random_vector(random, 5.0), rate = random_vector(random, 1.0);
    // Without deflection rotary inertia is exact; 1e-12: sums of six nodes.
    const double at_rest = energy_of_nodes(nodes, v, w, VectorX::Zero(3), rate);
    EXPECT_NEAR(energy_of_body(data.body, v, w, VectorX::Zero(3), size.cwiseProduct(rate)), at_rest, 1e-12 * at_rest);
  }
  // Frequencies are those of the file.
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> file(stiffness, mass_at_rest(modal_mass(nodes, 3)).modal);
  EXPECT_NEAR(first_elastic_frequency(data.body), std::sqrt(file.eigenvalues()[0]),
              1e-10 * std::sqrt(file.eigenvalues()[0]));
}

SidTaylor block(int rows, int columns, int modes) {
  SidTaylor out;
  out.rows = rows;
  out.columns = columns;
  out.modes = modes;
  out.m0.assign(static_cast<std::size_t>(rows * columns), 0.0);
  return out;
}
double& entry(std::vector<double>& m, const SidTaylor& b, int r, int c) {
  return m[static_cast<std::size_t>(c * b.rows + r)];
}

// Standard input data by the sums of Wallrapp (1994), translations only.
SidBody sid_of(const std::vector<ModalNode>& nodes, const MatrixX& stiffness) {
  const int n = static_cast<int>(stiffness.rows());
  SidBody out;
  for (int k = 0; k < n; ++k) out.mode_names.push_back("mode");
  SidTaylor md = block(3, 1, n), J = block(3, 3, n), Ct = block(n, 3, n), Cr = block(n, 3, n), Me = block(n, n, n),
            Ke = block(n, n, n), Ge = block(n, 3 * n, n), Oe = block(n, 6, n);
  J.order = Oe.order = 1;
  J.m1.assign(static_cast<std::size_t>(9 * n), 0.0);
  Oe.m1.assign(static_cast<std::size_t>(6 * n * n), 0.0);
  for (const ModalNode& p : nodes) {
    out.mass += p.mass;
    const Matrix3 X = skew(p.x);
    for (int i = 0; i < 3; ++i) {
      entry(md.m0, md, i, 0) += p.mass * p.x[i];
      for (int j = 0; j < 3; ++j) entry(J.m0, J, i, j) += p.mass * (X.transpose() * X)(i, j);
    }
    for (int k = 0; k < n; ++k) {
      const Vector3 psi = p.psi.col(k);
      const Matrix3 dJ = skew(psi).transpose() * X + X.transpose() * skew(psi);
      for (int i = 0; i < 3; ++i) {
        entry(Ct.m0, Ct, k, i) += p.mass * psi[i];
        entry(Cr.m0, Cr, k, i) += p.mass * p.x.cross(psi)[i];
        for (int j = 0; j < 3; ++j) J.m1[static_cast<std::size_t>(9 * k + 3 * j + i)] += p.mass * dJ(i, j);
      }
      for (int l = 0; l < n; ++l) {
        const Vector3 other = p.psi.col(l);
        entry(Me.m0, Me, k, l) += p.mass * psi.dot(other);
        for (int i = 0; i < 3; ++i) entry(Ge.m0, Ge, k, 3 * l + i) -= 2.0 * p.mass * psi.cross(other)[i];
        // psi_k^T w~ w~ psi_l by xx yy zz xy yz xz
        const Matrix3 C = psi * other.transpose();
        const double t = C.trace();
        const double six[6] = {C(0, 0) - t,       C(1, 1) - t,       C(2, 2) - t,
                               C(0, 1) + C(1, 0), C(1, 2) + C(2, 1), C(0, 2) + C(2, 0)};
        for (int c = 0; c < 6; ++c) Oe.m1[static_cast<std::size_t>(6 * n * l + n * c + k)] += p.mass * six[c];
      }
    }
    SidNode node;
    node.label = p.label;
    SidTaylor origin = block(3, 1, n), phi = block(3, n, n);
    for (int i = 0; i < 3; ++i) {
      origin.m0[static_cast<std::size_t>(i)] = p.x[i];
      for (int k = 0; k < n; ++k) entry(phi.m0, phi, i, k) = p.psi(i, k);
    }
    node.blocks = {{"origin", origin}, {"phi", phi}};
    out.nodes.push_back(node);
  }
  for (int k = 0; k < n; ++k)
    for (int l = 0; l < n; ++l) entry(Ke.m0, Ke, k, l) = stiffness(k, l);
  out.blocks = {{"mdCM", md}, {"J", J}, {"Ct", Ct}, {"Cr", Cr}, {"Me", Me}, {"Ke", Ke}, {"Ge", Ge}, {"Oe", Oe}};
  return out;
}

TEST(FlexibleFile, SidBodyHasTheEnergyOfItsNodesAlsoDeflected) {
  const auto nodes = random_nodes(7, 2, false);
  const MatrixX stiffness = Eigen::Vector2d(1e4, 3e4).asDiagonal();
  const FlexibleData data = flexible_from_sid(sid_of(nodes, stiffness), "test.sid");
  EXPECT_TRUE(data.findings.empty());
  VectorX size(2);
  for (int k = 0; k < 2; ++k) {
    size[k] = 0.0;
    for (const ModalNode& node : nodes) size[k] = std::max(size[k], node.psi.col(k).norm());
  }
  RandomStream random(4);
  for (int i = 0; i < 20; ++i) {
    const Vector3 v = random_vector(random, 1.0), w = random_vector(random, 5.0);
    const VectorX delta = random_vector(random, 0.1).head(2), rate = random_vector(random, 1.0).head(2);
    const double exact = energy_of_nodes(nodes, v, w, delta, rate);
    EXPECT_NEAR(energy_of_body(data.body, v, w, size.cwiseProduct(delta), size.cwiseProduct(rate)), exact,
                1e-12 * exact);
  }
}

// A beam frame of kdyn's own FE, through kdyn body.
FlexibleBody frame_body(SpaceFrame& frame) {
  const BeamSection section = box_section(0.04, 0.03, 0.003);
  for (int i = 0; i <= 10; ++i) frame.add_node({0.1 * i, 0.0, 0.0});
  for (int i = 0; i < 10; ++i) frame.add_beam(i, i + 1, section);
  // A side arm, so that no axis is without inertia by symmetry.
  const int arm = frame.add_node({0.5, 0.3, 0.1});
  frame.add_beam(5, arm, section);
  FeBodyOptions options;
  options.interface_nodes = {"1", "11"};
  options.modes = 4;
  options.damping = 0.02;
  return fe_body(frame.model(), options);
}

TEST(FlexibleFile, KdynBodyKeepsFrequenciesRigidInertiaAndDamping) {
  SpaceFrame frame;
  const FlexibleBody body = frame_body(frame);
  FlexibleOptions options;
  for (int k = 1; k <= 6; ++k) options.modes.push_back(k);
  const FlexibleData data = flexible_from_body(body, "body.json", options);
  ASSERT_EQ(data.body.modes(), 6);
  const MassAtRest mass = mass_at_rest(data.body.G);
  // Rigid motion by the FE mass matrix itself.
  const MatrixX R = fe::rigid_motions(frame.dofs(), frame.geometry()).rows;
  const MatrixX rigid = R.transpose() * frame.mass() * R;
  EXPECT_LT((mass.rigid - rigid).cwiseAbs().maxCoeff(), 1e-10 * rigid.cwiseAbs().maxCoeff());
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> eigen(data.body.stiffness, mass.modal);
  for (int k = 0; k < 6; ++k) {
    EXPECT_NEAR(std::sqrt(eigen.eigenvalues()[k]) / two_pi, body.frequency_hz[k], 1e-8 * body.frequency_hz[k]);
    const double c = eigen.eigenvectors().col(k).dot(data.body.damping * eigen.eigenvectors().col(k));
    EXPECT_NEAR(c, 2.0 * 0.02 * std::sqrt(eigen.eigenvalues()[k]), 1e-8 * c);
  }
  EXPECT_LT(rigid_content(mass).share, 1e-8);
  EXPECT_FALSE(data.body.lines.empty());
  // Spread masses have the moments of the body as far as its nodes allow: the beam's own thickness is beyond them.
  double sum = 0.0;
  for (const ModalNode& node : data.body.nodes) sum += node.mass;
  EXPECT_NEAR(sum, data.body.G(0, 0), 1e-2 * sum);
  Model model;
  model.bodies = {data.body};
  EXPECT_NO_THROW(System{model});
}

TEST(FlexibleFile, PublicSidBeamHasItsFrequencyAndItsContradictionIsSeen) {
  const std::string path = std::string(KDYN_SHARED_DIR) + "/data/mbs/sid/balken1m.SID_FEM";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "public data are not here";
  const FlexibleData data = read_flexible(path);
  // Its own label says 8.360 Hz; steel, 1 m, 10 x 10 mm by beam theory 8.355 Hz.
  EXPECT_NEAR(first_elastic_frequency(data.body) / two_pi, 8.360, 5e-4);
  EXPECT_NEAR(data.body.G(0, 0), 0.785, 1e-9);
  // |Ct|^2 = 1.73 is above mass times modal mass = 0.785: no distribution of mass has that.
  try {
    require_regular_mass(data.body, "body");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("momentum"), std::string::npos);
  }
}

TEST(FlexibleFile, SingularBodiesAreRefusedWithTheirCause) {
  const auto message = [](const std::vector<ModalNode>& nodes, int modes) {
    Body body;
    body.nodes = nodes;
    body.G = modal_mass(nodes, modes);
    body.stiffness = MatrixX::Identity(modes, modes);
    try {
      require_regular_mass(body, "body beam");
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "body beam");
      return std::string(error.what());
    }
    return std::string();
  };
  // A line of nodes without rotary inertia spins without mass.
  std::vector<ModalNode> line;
  for (int i = 0; i < 5; ++i) {
    ModalNode node;
    node.mass = 1.0;
    node.x = {0.25 * i, 0.0, 0.0};
    node.psi = Vector3(0.0, 0.0, 0.0625 * i * i);
    node.theta = Matrix3X::Zero(3, 1);
    line.push_back(node);
  }
  EXPECT_NE(message(line, 1).find("no inertia about the axis (1, 0, 0)"), std::string::npos);
  for (ModalNode& node : line) node.inertia = 1e-3 * Matrix3::Identity();
  EXPECT_EQ(message(line, 1), "");
  // A mode that is a rotation about the first node.
  auto rigid = line;
  for (ModalNode& node : rigid) {
    node.psi = Vector3(0.0, 0.0, node.x.x());
    node.theta = Vector3(0.0, -1.0, 0.0);
  }
  EXPECT_NE(message(rigid, 1).find("rigid-body motion"), std::string::npos);
  // Two equal modes.
  auto twice = line;
  for (ModalNode& node : twice) {
    const Vector3 psi = node.psi.col(0);
    node.psi.resize(3, 2);
    node.psi << psi, psi;
    node.theta = Matrix3X::Zero(3, 2);
  }
  EXPECT_NE(message(twice, 2).find("depend on each other"), std::string::npos);
}

TEST(FlexibleFile, FastSpinIsFound) {
  Model model;
  Body body;
  body.name = "blade";
  body.nodes = random_nodes(5, 1, true);
  body.G = modal_mass(body.nodes, 1);
  body.stiffness = MatrixX::Constant(1, 1, 100.0);
  const double frequency = first_elastic_frequency(body);
  body.angular_velocity = {0.0, 0.0, 0.29 * frequency};
  model.bodies.push_back(body);
  EXPECT_TRUE(check_bodies(model).empty());
  model.bodies[0].angular_velocity *= 1.1;
  ASSERT_EQ(check_bodies(model).size(), 1u);
  EXPECT_EQ(check_bodies(model)[0].code, "fast_spin");
}

}  // namespace
}  // namespace kdyn::mbs
