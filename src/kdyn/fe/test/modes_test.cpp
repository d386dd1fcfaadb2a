// SPDX-License-Identifier: Apache-2.0
// Sparse factorisation, modes and affine terms against full matrices and against a model that was built anew.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/fe/modes.hpp"
#include "kdyn/fe/sparse_factor.hpp"

namespace kdyn::fe {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd full(const SparseMatrix& lower) {
  const SparseMatrix both = lower.selfadjointView<Eigen::Lower>();
  return MatrixXd(both);
}

BoxRing coarse_ring() {
  BoxRingOptions options;
  options.cells = 1;
  return make_box_ring(options);
}

TEST(SparseFactor, SolvesAndCountsLikeFullMatrices) {
  const Assembly a = assemble(coarse_ring().model);
  const SparseMatrix k = a.matrices.stiffness_at(), m = a.matrices.mass_at();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> dense(
      full(k), full(m) + 1e-12 * MatrixXd::Identity(k.rows(), k.cols()));
  SparseFactor factor(k, m, a.map.node_of);
  RandomStream random(3);
  MatrixXd b(k.rows(), 11);  // one strip and a part of another
  for (Eigen::Index i = 0; i < b.size(); ++i) b.data()[i] = random.normal();
  const double shift = std::pow(2.0 * std::numbers::pi * 20.0, 2);
  const FactorFacts facts = factor.factor(k, m, 1.0, shift);
  EXPECT_EQ(facts.negative_pivots, 0);
  const MatrixXd x = factor.solve(b);
  // Backward stable: the residual is rounding of the products.
  EXPECT_LT((full(k) * x + shift * (full(m) * x) - b).norm(), 1e-9 * b.norm());
  for (const int below : {6, 10, 20, 40}) {  // Sturm counts between known eigenvalues
    const double at = 0.5 * (dense.eigenvalues()[below - 1] + dense.eigenvalues()[below]);
    EXPECT_EQ(factor.factor(k, m, 1.0, -at).negative_pivots, below);
  }
}

TEST(Modes, MemoryIsToldAndMindedBeforeTheFactorisation) {
  const Assembly a = assemble(coarse_ring().model);
  ModesOptions options;
  options.count = 12;
  const Modes modes = find_modes(a, options);
  // At least what the factor and the modes themselves take.
  EXPECT_GT(modes.expected_bytes, 8.0 * (modes.factor_entries + 12.0 * a.map.unknowns));
  EXPECT_LT(modes.expected_bytes, 1e9);
  options.max_memory_gb = 0.5e-9 * modes.expected_bytes;
  try {
    find_modes(a, options);
    FAIL() << "half the memory is not enough";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "max_memory_gb");
  }
  options.max_memory_gb = 2e-9 * modes.expected_bytes;
  EXPECT_EQ(find_modes(a, options).status, ModesStatus::converged);
}

TEST(SparseFactor, WithoutGroupsAndOnSeveralThreadsGivesTheSame) {
  const Assembly a = assemble(coarse_ring().model);
  const SparseMatrix k = a.matrices.stiffness_at(), m = a.matrices.mass_at();
  const MatrixXd b = MatrixXd::Ones(k.rows(), 2);
  SparseFactor one(k, m, a.map.node_of, 1), three(k, m, a.map.node_of, 3), bare(k, m, {}, 2);
  one.factor(k, m, 1.0, 1e4), three.factor(k, m, 1.0, 1e4), bare.factor(k, m, 1.0, 1e4);
  EXPECT_EQ((one.solve(b) - three.solve(b)).cwiseAbs().maxCoeff(), 0.0);  // bit for bit
  EXPECT_LT((one.solve(b) - bare.solve(b)).norm(), 1e-8 * one.solve(b).norm());
}

TEST(Modes, AgreeWithAFullEigenSolution) {
  const Assembly a = assemble(coarse_ring().model);
  const SparseMatrix k = a.matrices.stiffness_at(), m = a.matrices.mass_at();
  ModesOptions options;
  options.count = 40;
  const Modes found = find_modes(a, options);
  EXPECT_EQ(found.status, ModesStatus::converged) << found.reason;
  EXPECT_EQ(found.sturm_count, 40);
  EXPECT_EQ(found.rigid, 6);
  // Inverse form in full, so that massless drilling motions do no harm.
  const double shift = 1e4;
  const Eigen::LLT<MatrixXd> llt(full(k) + shift * full(m));
  MatrixXd c = llt.matrixL().solve(full(m));
  c = llt.matrixL().solve(c.transpose()).eval();
  const VectorXd theta = Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (c + c.transpose()), Eigen::EigenvaluesOnly)
                             .eigenvalues()
                             .reverse();
  for (int i = 6; i < 40; ++i)
    EXPECT_NEAR(found.eigenvalues[i], 1.0 / theta[i] - shift, 1e-8 * found.eigenvalues[i]) << i;
  const MatrixXd gram = found.shapes.transpose() * (full(m) * found.shapes);
  EXPECT_LT((gram - MatrixXd::Identity(40, 40)).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT(found.residual.maxCoeff(), 1e-8);
  for (int j = 0; j < 40; ++j) {  // sign rule
    Eigen::Index place = 0;
    const double largest = found.shapes.col(j).cwiseAbs().maxCoeff(&place);
    EXPECT_GT(found.shapes.col(j).maxCoeff(), (1.0 - 2e-6) * largest) << j;
  }
  const Modes again = find_modes(a, options);
  EXPECT_EQ((again.shapes - found.shapes).cwiseAbs().maxCoeff(), 0.0);
}

TEST(Modes, RigidOnesAreAsExactAsRigidMotionsCanBe) {
  BoxRingOptions options;
  options.cells = 3;
  const Model model = make_box_ring(options).model;
  const Assembly a = assemble(model);
  const SparseMatrix k = a.matrices.stiffness_at(), m = a.matrices.mass_at();
  const Modes found = find_modes(a, {.count = 12});
  ASSERT_EQ(found.rigid, 6);
  // Elastic ones: the bound of the solver.
  EXPECT_LT(found.residual.tail(6).maxCoeff(), 1e-9);
  // Rigid ones: K times an exact rigid motion is not zero but the rounding of K, and nobody comes below its size.
  MatrixXd exact = MatrixXd::Zero(a.map.unknowns, 6);
  for (Eigen::Index i = 0; i < exact.rows(); ++i) {
    const auto& node = model.nodes[static_cast<std::size_t>(a.map.node_of[static_cast<std::size_t>(i)])];
    const int c = a.map.dofs[static_cast<std::size_t>(i)].direction - 1;
    exact(i, c) = 1.0;
    for (int axis = 0; c < 3 && axis < 3; ++axis)
      exact(i, 3 + axis) = Eigen::Vector3d::Unit(axis).cross(node.position)[c];
  }
  const double shift = std::pow(2.0 * std::numbers::pi * ModesOptions().shift_hz, 2);
  const MatrixXd kx = multiply(k, exact), mx = multiply(m, exact);
  const double rounding = (kx.colwise().norm().array() / (shift * mx).colwise().norm().array()).maxCoeff();
  EXPECT_LT(found.residual.head(6).maxCoeff(), 4.0 * rounding);
  EXPECT_LT(rounding, 1e-9);
}

TEST(Modes, EqualFrequenciesHaveABasisThatFollowsFromTheModel) {
  // A free square plate has pairs of modes and six rigid ones; another start of the search finds the same vectors.
  Model model;
  const auto grid =
      add_grid(model, 10, 10, 0, [](double x, double y, double) { return Eigen::Vector3d(0.4 * x, 0.4 * y, 0.0); });
  add_quads(model, grid, 10, 10, model.add_shell_property(model.add_material(70e9, 0.3, 2700.0), 0.003));
  const Assembly a = assemble(model);
  ModesOptions options;
  options.count = 20;
  const Modes one = find_modes(a, options);
  options.seed = 77;
  const Modes two = find_modes(a, options);
  for (Eigen::Index j = 0; j < 20; ++j)  // residual 1e-9 over the distance to the next different frequency
    EXPECT_LT((one.shapes.col(j) - two.shapes.col(j)).cwiseAbs().maxCoeff(),
              1e-6 * one.shapes.col(j).cwiseAbs().maxCoeff())
        << j;
}

TEST(Modes, MoreEqualModesThanABlockAreFoundOrReported) {
  // Twenty separate equal plates: every frequency comes twenty times, blocks have eight vectors.
  Model model;
  const int p = model.add_shell_property(model.add_material(70e9, 0.3, 2700.0), 0.002);
  for (int copy = 0; copy < 20; ++copy) {
    const auto grid =
        add_grid(model, 2, 2, 0, [&](double x, double y, double) { return Eigen::Vector3d(0.3 * x, 0.2 * y, 0.0); });
    add_quads(model, grid, 2, 2, p);
    for (int i = 0; i < 3; ++i) model.nodes[static_cast<std::size_t>(grid[static_cast<std::size_t>(i)])].fixed = 0x3f;
  }
  ModesOptions options;
  options.count = 20;
  const Modes m = find_modes(assemble(model), options);
  if (m.status == ModesStatus::converged && m.sturm_checked) {
    EXPECT_NEAR(m.frequency_hz[19], m.frequency_hz[0], 1e-6 * m.frequency_hz[0]);
  } else {
    EXPECT_FALSE(m.reason.empty());
  }
}

TEST(Assemble, TermsFollowParametersExactly) {
  BoxRing ring = coarse_ring();
  Model& model = ring.model;
  model.properties[0].added_mass = 3.0;
  // A second material and thickness on part of the elements, and a scalar spring.
  const int other = model.add_shell_property(model.add_material(190e9, 0.28, 7700.0), 0.004);
  for (std::size_t e = 0; e < model.elements.size(); e += 3) model.elements[e].property = other;
  model.scalar_springs.push_back({77, 0, 0, 2, 40, 2, 1e5});
  const std::vector<Parameter> parameters = {
      {"t1", ParameterKind::thickness, {model.properties[0].label}, 0},
      {"e2", ParameterKind::young, {model.materials[1].label}, 0},
      {"t2", ParameterKind::thickness, {model.properties[1].label}, 0},
      {"rho", ParameterKind::density, {model.materials[0].label, model.materials[1].label}, 0},
      {"kz", ParameterKind::spring, {2000001, 2000003}, 2},
      {"k77", ParameterKind::scalar_spring, {77}, 0},
      {"m", ParameterKind::point_mass, {3000002}, 0}};
  const Assembly a = assemble(model, parameters);
  EXPECT_DOUBLE_EQ(a.matrices.nominal[0], 2.5e-3);
  VectorXd ratio(7);
  ratio << 1.8, 0.9, 0.7, 1.05, 2.0, 0.5, 1.3;
  Model changed = model;
  changed.properties[0].thickness *= 1.8, changed.properties[1].thickness *= 0.7;
  changed.materials[1].young *= 0.9;
  for (Material& material : changed.materials) material.density *= 1.05;
  changed.springs[0].stiffness[2] *= 2.0, changed.springs[2].stiffness[2] *= 2.0;
  changed.scalar_springs[0].stiffness *= 0.5;
  changed.masses[1].mass *= 1.3, changed.masses[1].inertia *= 1.3;
  const Assembly b = assemble(changed);
  const MatrixXd k = full(a.matrices.stiffness_at(ratio)), m = full(a.matrices.mass_at(ratio));
  EXPECT_LT((k - full(b.matrices.stiffness_at())).cwiseAbs().maxCoeff(), 1e-12 * k.cwiseAbs().maxCoeff());
  EXPECT_LT((m - full(b.matrices.mass_at())).cwiseAbs().maxCoeff(), 1e-12 * m.cwiseAbs().maxCoeff());
  // Derivatives of the factors against differences.
  for (const AffineTerm& term : a.matrices.stiffness)
    for (int s = 0; s < 7; ++s) {
      VectorXd up = ratio, down = ratio;
      up[s] += 1e-5, down[s] -= 1e-5;
      EXPECT_NEAR(term.derivative(ratio, s), (term.factor(up) - term.factor(down)) / 2e-5, 1e-8);
    }
}

}  // namespace
}  // namespace kdyn::fe
