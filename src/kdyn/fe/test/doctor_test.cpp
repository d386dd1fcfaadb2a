// SPDX-License-Identifier: Apache-2.0
// What the matrix doctor finds in models that were made ill on purpose, and models that come as matrices.
#include <gtest/gtest.h>

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/doctor.hpp"
#include "kdyn/fe/matrix_model.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/fe/outline.hpp"

namespace kdyn::fe {
namespace {

bool has(const std::vector<Finding>& findings, const std::string& code) {
  for (const Finding& f : findings)
    if (f.code == code) return !f.message.empty() && !f.remedy.empty();
  return false;
}

Model plate() {
  Model model;
  const auto grid = add_grid(
      model, 3, 2, 0, [](double x, double y, double) { return Eigen::Vector3d(0.3 * x + 5.0, 0.2 * y, 0.01 * x * y); });
  add_quads(model, grid, 3, 2, model.add_shell_property(model.add_material(70e9, 0.3, 2700.0), 0.004));
  return model;
}

TEST(Doctor, WeighsAndCountsRigidMotions) {
  Model model = plate();
  model.frames.push_back(Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitZ()).toRotationMatrix());
  model.nodes[2].frame = 0;
  const auto look = [](const Model& m) {
    const Assembly a = assemble(m);
    return examine(a.matrices.stiffness_at(), a.matrices.mass_at(), a.map.dofs, geometry_of(m), "test");
  };
  const Diagnosis free = look(model);
  EXPECT_EQ(free.rigid_motions, 6);
  EXPECT_NEAR(free.mass, 0.3 * 0.2 * 0.004 * 2700.0, 0.01 * free.mass);  // the warp makes it a little larger
  EXPECT_NEAR(free.centre.x(), 5.15, 1e-3);
  EXPECT_NEAR(free.centre.y(), 0.1, 1e-3);
  Model held = model;
  held.nodes[0].fixed = 0x7;  // a ball joint leaves three rotations
  EXPECT_EQ(look(held).rigid_motions, 3);
  held.nodes[11].fixed = 0x7;
  EXPECT_EQ(look(held).rigid_motions, 1);  // about the line between the joints
  held.nodes[3].fixed = 0x7;
  EXPECT_EQ(look(held).rigid_motions, 0);
}

TEST(Doctor, FindsIllnesses) {
  const Assembly a = assemble(plate());
  SparseMatrix k = a.matrices.stiffness_at(), m = a.matrices.mass_at();
  SparseMatrix negative = k;
  negative.coeffRef(5, 5) *= -1.0;
  EXPECT_TRUE(has(examine(negative, m, a.map.dofs, {}, "test").findings, "negative_diagonal"));
  SparseMatrix massless = m;
  massless.prune([](Eigen::Index row, Eigen::Index column, double) { return row != 3 && column != 3; });
  const Diagnosis light = examine(k, massless, a.map.dofs, {}, "test");
  EXPECT_TRUE(has(light.findings, "massless"));
  EXPECT_EQ(light.rigid_motions, -1);  // no points, no rigid motions
  Model large = plate();
  for (Node& node : large.nodes) node.position *= 1000.0;
  const Assembly b = assemble(large);
  EXPECT_TRUE(
      has(examine(b.matrices.stiffness_at(), b.matrices.mass_at(), b.map.dofs, geometry_of(large), "test").findings,
          "units_length"));
}

Matrix dense(const std::string& name, const Eigen::MatrixXd& values) {
  Matrix out = exchange_matrix(name, values, {});
  out.symmetric = false;
  return out;
}

TEST(MatrixModel, DerivativesAreTermsAndDefectsAreSaid) {
  Eigen::Matrix2d k, dk;
  k << 3e4, -1e4, -1e4, 3e4;
  dk << 1e4, -1e4, -1e4, 1e4;
  MatrixSet set;
  set.matrices = {dense("KAA", k), dense("part_M", Eigen::Matrix2d::Identity()), dense("dK_middle", dk),
                  dense("dM_middle", 0.1 * Eigen::Matrix2d::Identity())};
  const MatrixModel model = matrix_model_of(set, "test");
  EXPECT_EQ(model.matrices.parameters, std::vector<std::string>{"middle"});
  EXPECT_TRUE(model.findings.empty());
  const Eigen::VectorXd twice = Eigen::VectorXd::Constant(1, 2.0);
  EXPECT_NEAR(model.matrices.stiffness_at(twice).coeff(1, 0), -2e4, 1e-9);
  EXPECT_NEAR(model.matrices.mass_at(twice).coeff(0, 0), 1.1, 1e-12);
  EXPECT_NEAR(model.matrices.stiffness_at().coeff(0, 0), 3e4, 1e-9);
  set.matrices[0].real[1] = -1.2e4;
  EXPECT_TRUE(has(matrix_model_of(set, "test").findings, "not_symmetric"));
  set.matrices[0].row_dofs = {{7, 1, {}}, {7, 1, {}}};
  EXPECT_TRUE(has(matrix_model_of(set, "test").findings, "duplicate_labels"));
  set.matrices[1] = dense("M", Eigen::Matrix3d::Identity());
  EXPECT_THROW(matrix_model_of(set, "test"), Error);
  set.matrices[1] = dense("M", Eigen::Matrix2d::Constant(std::nan("")));
  EXPECT_THROW(matrix_model_of(set, "test"), Error);
  set.matrices.erase(set.matrices.begin() + 1);
  EXPECT_THROW(matrix_model_of(set, "test"), Error);
}

TEST(Outline, LargeMeshesAreDrawnByTheirEdges) {
  Model model;
  const int n = 6;
  const auto grid = add_grid(model, n, n, n, [](double x, double y, double z) { return Eigen::Vector3d(x, y, z); });
  add_bricks(model, grid, n, n, n, model.add_solid_property(model.add_material(1e9, 0.3, 1000.0)));
  EXPECT_EQ(outline(model).size(),
            12u * 36u);  // all edges of six faces of 36 squares: 6 * (2 * 6 * 7) less the shared ones
  EXPECT_EQ(outline(model, 100).size(), 12u * 6u);  // twelve edges of the cube
}

}  // namespace
}  // namespace kdyn::fe
