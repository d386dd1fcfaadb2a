// SPDX-License-Identifier: Apache-2.0
// SLEPc and MUMPS beside block Lanczos and the own factor: two formulations and two codes for the same modes. Here on
// one rank; tests/cli/test_fe.py and test_update.py compare 1, 2 and 4.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/fe/modes.hpp"
#include "kdyn/fe/reduce.hpp"

namespace kdyn::fe {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Slepc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_slepc_module().empty()) GTEST_SKIP() << "built without SLEPc";
  }
};

Assembly ring(const std::vector<Parameter>& parameters = {}) {
  BoxRingOptions options;
  options.cells = 1;
  return assemble(make_box_ring(options).model, parameters);
}

// Free square plate: bending modes in pairs of equal frequency, besides six rigid ones.
Assembly square_plate() {
  Model model;
  const auto grid =
      add_grid(model, 12, 12, 0, [](double x, double y, double) { return Eigen::Vector3d(0.4 * x, 0.4 * y, 0.0); });
  add_quads(model, grid, 12, 12, model.add_shell_property(model.add_material(70e9, 0.3, 2700.0), 0.003));
  return assemble(model);
}

struct Both {
  Modes lanczos, slepc;
};
Both solve(const Assembly& a, int count) {
  ModesOptions options;
  options.count = count;
  options.eigensolver = EigenSolver::lanczos;
  Both out;
  out.lanczos = find_modes(a, options);
  options.eigensolver = EigenSolver::slepc;
  out.slepc = find_modes(a, options);
  return out;
}

// Largest difference of a shape, in shares of its largest component; multiple modes included.
double shape_difference(const Both& both, Eigen::Index j) {
  return (both.slepc.shapes.col(j) - both.lanczos.shapes.col(j)).cwiseAbs().maxCoeff() /
         both.lanczos.shapes.col(j).cwiseAbs().maxCoeff();
}

TEST_F(Slepc, FindsTheModesOfAFreeStructureAsLanczosDoes) {
  const Both both = solve(ring(), 40);
  EXPECT_EQ(both.slepc.solver, EigenSolver::slepc);
  EXPECT_EQ(both.slepc.status, ModesStatus::converged) << both.slepc.reason;
  EXPECT_EQ(both.slepc.rigid, 6);
  EXPECT_EQ(both.slepc.sturm_count, 40);
  EXPECT_LT(both.slepc.residual.maxCoeff(), 1e-9);
  ASSERT_EQ(both.slepc.frequency_hz.size(), 40);
  for (Eigen::Index i = 0; i < 40; ++i) {
    // Eigenvalues feel the square of what vectors feel; what is left is rounding of K: 1e-16 of its largest eigenvalue
    // over this one.
    if (i >= 6) {
      EXPECT_NEAR(both.slepc.frequency_hz[i] / both.lanczos.frequency_hz[i], 1.0, 1e-9) << i;
    }
    // Residual 1e-10 over the relative distance to the next mode, which is 1e-3 or more.
    EXPECT_LT(shape_difference(both, i), 1e-6) << i;
  }
}

TEST_F(Slepc, MissesNoCopyOfDoubleModesAndAgreesOnTheirBasis) {
  const Both both = solve(square_plate(), 30);
  EXPECT_EQ(both.slepc.status, ModesStatus::converged) << both.slepc.reason;
  EXPECT_TRUE(both.slepc.sturm_checked);
  int pairs = 0;
  for (Eigen::Index i = 6; i < 30; ++i) {
    EXPECT_NEAR(both.slepc.frequency_hz[i] / both.lanczos.frequency_hz[i], 1.0, 1e-9) << i;
    EXPECT_LT(shape_difference(both, i), 1e-5) << i;
    pairs += i + 1 < 30 && both.lanczos.frequency_hz[i + 1] / both.lanczos.frequency_hz[i] - 1.0 < 1e-9;
  }
  EXPECT_GE(pairs, 4);
  const SparseMatrix m = square_plate().matrices.mass_at();
  const MatrixXd gram = both.slepc.shapes.transpose() * multiply(m, both.slepc.shapes);
  EXPECT_LT((gram - MatrixXd::Identity(30, 30)).cwiseAbs().maxCoeff(), 1e-10);
}

TEST_F(Slepc, MakesTheSameReducedModel) {
  std::vector<Parameter> parameters = {{"kz", ParameterKind::spring, {2000001}, 2},
                                       {"t", ParameterKind::thickness, {1}, 0}};
  const Assembly a = ring(parameters);
  const MatrixXd none_out(0, a.map.unknowns), none_in(a.map.unknowns, 0);
  VectorXd ratio(2), reduced[2];
  ratio << 2.0, 1.1;
  for (const EigenSolver solver : {EigenSolver::lanczos, EigenSolver::slepc}) {
    BasisOptions options;
    options.modes = 30;
    options.eigensolver = solver;
    const ParametricBasis basis = parametric_basis(a.matrices, a.map.node_of, options);
    const BasisError error = basis_error(
        a.matrices, a.map.node_of, project(a.matrices, basis.vectors, none_out, none_in), ratio, 200.0, 60, 0, solver);
    reduced[solver == EigenSolver::slepc] = error.reduced_hz;
    EXPECT_LT(error.largest, 1e-3);
  }
  ASSERT_EQ(reduced[0].size(), reduced[1].size());
  EXPECT_LT((reduced[0].array() / reduced[1].array() - 1.0).abs().maxCoeff(),
            1e-8);  // the space is the same, its basis need not be
}

TEST_F(Slepc, SaysThatAMatrixIsNotDefinite) {
  const Assembly a = ring();
  SparseMatrix k = a.matrices.stiffness_at();
  const SparseMatrix m = a.matrices.mass_at();
  k.coeffRef(40, 40) = -1e12;
  ModesOptions options;
  options.eigensolver = EigenSolver::slepc;
  try {
    find_modes(k, m, a.map.node_of, options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_NE(error.message().find("not positive definite"), std::string::npos) << error.message();
  }
}

TEST(EigenSolverChoice, KeepsOneProcessWhereItIsEnough) {
  EXPECT_EQ(chosen_solver(EigenSolver::automatic, 100), EigenSolver::lanczos);
  EXPECT_EQ(chosen_solver(EigenSolver::automatic, 100 * distributed_from), EigenSolver::lanczos);  // one rank
  EXPECT_EQ(chosen_solver(EigenSolver::slepc, 100), EigenSolver::slepc);
}

}  // namespace
}  // namespace kdyn::fe
