// SPDX-License-Identifier: Apache-2.0
// Elements: rigid motions cost nothing and nothing else is free; patch tests are exact.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "kdyn/fe/assemble.hpp"
#include "kdyn/fe/beam.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/fe/shell.hpp"
#include "kdyn/fe/solid.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Six rigid motions of points with 6 (or the first 3) components each.
MatrixXd rigid_motions(const Matrix3Xd& points, int per_node) {
  MatrixXd out(per_node * points.cols(), 6);
  for (Eigen::Index i = 0; i < points.cols(); ++i)
    out.middleRows(per_node * i, per_node) = rigid_arm(points.col(i)).topRows(per_node);
  return out;
}

void expect_six_free_motions(const MatrixXd& k, const Matrix3Xd& points, int per_node, const char* name) {
  const MatrixXd rigid = rigid_motions(points, per_node);
  const double scale = k.cwiseAbs().maxCoeff();
  EXPECT_LT((k * rigid).cwiseAbs().maxCoeff(), 1e-9 * scale) << name;  // rounding only
  EXPECT_LT((k - k.transpose()).cwiseAbs().maxCoeff(), 1e-12 * scale) << name;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(k);
  int zeros = 0;
  for (const double v : eigen.eigenvalues()) zeros += v < 1e-10 * eigen.eigenvalues().maxCoeff();
  EXPECT_EQ(zeros, 6) << name << '\n' << eigen.eigenvalues().head(10).transpose();
}

Matrix3Xd distorted_brick() {
  Matrix3Xd x(3, 8);
  x << 0, 1.1, 1.2, -0.1, 0.1, 1.0, 1.3, 0.2,  //
      0, 0.1, 1.2, 0.9, -0.1, 0.2, 1.1, 1.0,   //
      0, -0.1, 0.1, 0.1, 0.9, 1.2, 1.0, 1.1;
  return x;
}

TEST(Elements, OnlyRigidMotionsAreFree) {
  // Per-unit-area drilling of 1e-3 G t keeps the rotation about the normal away from zero by far more than the limit
  // above.
  const ShellInput shell{210e9, 0.3, 210e9 / 2.6, 7850.0, 0.1, 0.03, 0.0, 1e-3, true};
  Eigen::Matrix<double, 3, 4> quad;
  quad << 0, 1.1, 1.2, -0.1, 0, 0.1, 1.0, 0.9, 0, 0.1, -0.1, 0.1;  // warped
  const ShellMatrices<24> q = shell_quad(quad, shell);
  expect_six_free_motions(q.k_linear + q.k_cubic, quad, 6, "quad4");
  const ShellMatrices<18> t = shell_triangle(quad.leftCols<3>(), shell);
  expect_six_free_motions(t.k_linear + t.k_cubic, quad.leftCols<3>(), 6, "tria3");

  const Matrix3Xd x = distorted_brick();
  const SolidInput rubber{1e6, 0.4999, 1000.0, true};
  expect_six_free_motions(solid_element(Shape::hex8, x, rubber).stiffness, x, 3, "hex8 rubber");
  const SolidInput steel{210e9, 0.3, 7850.0, true};
  const auto with_mid_sides = [&](const Matrix3Xd& corners, std::initializer_list<std::pair<int, int>> sides) {
    Matrix3Xd out(3, corners.cols() + static_cast<Eigen::Index>(sides.size()));
    out.leftCols(corners.cols()) = corners;
    Eigen::Index next = corners.cols();
    for (const auto& [a, b] : sides) out.col(next++) = 0.5 * (corners.col(a) + corners.col(b));
    return out;
  };
  const Matrix3Xd h20 = with_mid_sides(
      x, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 5}, {5, 6}, {6, 7}, {7, 4}});
  Matrix3Xd wedge(3, 6), tet(3, 4);
  for (const auto& [to, from] : {std::pair{0, 0}, {1, 1}, {2, 2}, {3, 4}, {4, 5}, {5, 6}}) wedge.col(to) = x.col(from);
  for (const auto& [to, from] : {std::pair{0, 0}, {1, 1}, {2, 3}, {3, 4}}) tet.col(to) = x.col(from);
  const Matrix3Xd w15 = with_mid_sides(wedge, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 4}, {2, 5}, {3, 4}, {4, 5}, {5, 3}});
  const Matrix3Xd t10 = with_mid_sides(tet, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}});
  for (const auto& [shape, points] : {std::pair{Shape::hex8, x},
                                      {Shape::hex20, h20},
                                      {Shape::wedge6, wedge},
                                      {Shape::wedge15, w15},
                                      {Shape::tet4, tet},
                                      {Shape::tet10, t10}}) {
    const SolidMatrices m = solid_element(shape, points, steel);
    expect_six_free_motions(m.stiffness, points, 3, "solid");
    // Mass: total and centre of gravity are those of a homogeneous body whatever the element; the linear shape gives
    // the volume.
    const MatrixXd rigid = rigid_motions(points, 3);
    const MatrixXd inertia = rigid.transpose() * m.mass * rigid;
    EXPECT_NEAR(inertia(0, 0), inertia(2, 2), 1e-9 * inertia(0, 0));
    const SolidMatrices lumped = solid_element(shape, points, {210e9, 0.3, 7850.0, false});
    EXPECT_NEAR(lumped.mass.trace(), 3.0 * inertia(0, 0), 1e-9 * inertia(0, 0));
    EXPECT_GT(lumped.mass.diagonal().minCoeff(), 0.0);
  }
  Element beam;
  beam.shape = Shape::beam;
  beam.orientation = Vector3d(0.1, 0.2, 1.0);
  beam.arms[0] = Vector3d(0.0, 0.1, -0.05);
  Property section;
  section.area = 1e-3, section.inertia_1 = 2e-7, section.inertia_2 = 1e-7, section.torsion = 1.5e-7,
  section.shear_1 = section.shear_2 = 0.8;
  Matrix3Xd ends(3, 2);
  ends.col(0) = Vector3d(0.1, 0.2, 0.3), ends.col(1) = Vector3d(1.1, 0.9, 0.4);
  const BeamMatrices b = beam_element(ends.col(0), ends.col(1), beam, section, {1, 210e9, 0.3, 7850.0, 0.0}, true);
  // Torsion against axial stiffness spreads the eigenvalues over eight decades; rigid ones stay below 1e-10 of the
  // largest.
  expect_six_free_motions(b.stiffness, ends, 6, "beam");
}

// Solves for the free motions of a model when the others are prescribed; all in full, an independent way to the sparse
// solver.
VectorXd solve_with(const Assembly& assembly, const VectorXd& prescribed, const std::vector<bool>& free) {
  const SparseMatrix sparse = assembly.matrices.stiffness_at().selfadjointView<Eigen::Lower>();
  const MatrixXd k(sparse);
  std::vector<Eigen::Index> inner, outer;
  for (std::size_t i = 0; i < free.size(); ++i) (free[i] ? inner : outer).push_back(static_cast<Eigen::Index>(i));
  VectorXd out = prescribed;
  const VectorXd right = -k(inner, outer) * prescribed(outer);
  const MatrixXd left = k(inner, inner);
  const VectorXd solved = left.ldlt().solve(right);
  out(inner) = solved;
  return out;
}

// Five quadrilaterals around an inner one (or triangles), unit square: the usual patch.
Model plane_patch(bool triangles) {
  Model model;
  for (const auto& [x, y] :
       {std::pair{0.0, 0.0}, {2.4, 0.0}, {2.4, 1.2}, {0.0, 1.2}, {0.4, 0.2}, {1.8, 0.3}, {1.6, 0.8}, {0.8, 0.8}})
    model.add_node(static_cast<std::int64_t>(model.nodes.size()) + 1, {x, y, 0.0});
  const int p = model.add_shell_property(model.add_material(1e6, 0.25, 1.0), 0.01);
  for (const auto& q : {std::array{0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}}) {
    if (triangles) {
      model.add_element(Shape::tria3, p, {q[0], q[1], q[2]});
      model.add_element(Shape::tria3, p, {q[0], q[2], q[3]});
    } else {
      model.add_element(Shape::quad4, p, {q[0], q[1], q[2], q[3]});
    }
  }
  return model;
}

TEST(PatchTest, ShellsUnderConstantMembraneStrainAndConstantCurvature) {
  for (const bool triangles : {false, true}) {
    const Model model = plane_patch(triangles);
    const Assembly a = assemble(model);
    ASSERT_EQ(a.map.unknowns, 48);
    for (const bool bending : {false, true}) {
      VectorXd exact(48);
      for (std::size_t n = 0; n < 8; ++n) {
        const Vector3d& x = model.nodes[n].position;
        Vector6 u = Vector6::Zero();
        if (!bending) {
          u[0] = 1e-3 * (x.x() + 0.5 * x.y());
          u[1] = 1e-3 * (x.y() + 0.7 * x.x());
          u[5] = 0.5 * 1e-3 * (0.7 - 0.5);  // the rotation of the field: drilling is then at rest
        } else {                            // w = (x^2 + x y + y^2) / 2, rx = w,y, ry = -w,x
          u[2] = 0.5e-3 * (x.x() * x.x() + x.x() * x.y() + x.y() * x.y());
          u[3] = 1e-3 * (x.y() + 0.5 * x.x());
          u[4] = -1e-3 * (x.x() + 0.5 * x.y());
        }
        exact.segment<6>(static_cast<Eigen::Index>(6 * n)) = u;
      }
      std::vector<bool> free(48, false);
      for (std::size_t i = 24; i < 48; ++i) free[i] = true;
      const VectorXd found = solve_with(a, exact, free);
      // Exact up to rounding: MITC4 and DKT reproduce constant curvature on any mesh when the boundary follows the
      // field.
      EXPECT_LT((found - exact).cwiseAbs().maxCoeff(), 1e-10 * exact.cwiseAbs().maxCoeff())
          << (triangles ? "tria3 " : "quad4 ") << bending;
    }
  }
}

// The quadratic elements on the same mesh: nodes at the middles of straight edges.
void make_quadratic(Model& model) {
  using Edges = std::vector<std::pair<int, int>>;
  const Edges brick = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 5}, {5, 6}, {6, 7}, {7, 4}};
  const Edges wedge = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 4}, {2, 5}, {3, 4}, {4, 5}, {5, 3}},
              tet = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  std::map<std::pair<int, int>, int> made;
  for (Element& e : model.elements) {
    const Edges& edges = e.shape == Shape::hex8 ? brick : e.shape == Shape::wedge6 ? wedge : tet;
    auto next = static_cast<std::size_t>(node_count(e.shape));
    for (const auto& [i, j] : edges) {
      const int a = e.nodes[static_cast<std::size_t>(i)], b = e.nodes[static_cast<std::size_t>(j)];
      const auto [place, fresh] = made.emplace(std::minmax(a, b), 0);
      if (fresh)
        place->second = model.add_node(static_cast<std::int64_t>(model.nodes.size()) + 1,
                                       0.5 * (model.nodes[static_cast<std::size_t>(a)].position +
                                              model.nodes[static_cast<std::size_t>(b)].position));
      e.nodes[next++] = place->second;
    }
    e.shape = e.shape == Shape::hex8 ? Shape::hex20 : e.shape == Shape::wedge6 ? Shape::wedge15 : Shape::tet10;
  }
}

TEST(PatchTest, SolidsUnderConstantStrain) {
  // A cube with seven inner bricks, as MacNeal and Harder have it: inner corners at their places.
  for (const auto& [shape, quadratic] : {std::pair{Shape::hex8, false},
                                         {Shape::wedge6, false},
                                         {Shape::tet4, false},
                                         {Shape::hex8, true},
                                         {Shape::wedge6, true},
                                         {Shape::tet4, true}}) {
    const int cells = quadratic ? 2 : 3;
    for (const double poisson : {0.25, 0.4999}) {
      Model model;
      const auto grid =
          add_grid(model, cells, cells, cells, [](double x, double y, double z) { return Vector3d(x, y, z); });
      for (std::size_t n = 0; n < model.nodes.size(); ++n) {
        Vector3d& x = model.nodes[n].position;
        if ((x.array() > 0.01).all() && (x.array() < 0.99).all())
          x += 0.06 * Vector3d(std::sin(7.0 * static_cast<double>(n)), std::cos(5.0 * static_cast<double>(n)),
                               std::sin(3.0 * static_cast<double>(n)));
      }
      add_bricks(model, grid, cells, cells, cells, model.add_solid_property(model.add_material(1e6, poisson, 1.0)),
                 shape);
      if (quadratic) make_quadratic(model);
      std::vector<bool> inner;
      for (const Node& node : model.nodes)
        inner.push_back((node.position.array() > 0.01).all() && (node.position.array() < 0.99).all());
      const Assembly a = assemble(model);
      VectorXd exact(a.map.unknowns);
      std::vector<bool> free(static_cast<std::size_t>(a.map.unknowns), false);
      Eigen::Matrix3d gradient;
      gradient << 1.0, 0.4, -0.3, 0.2, -0.7, 0.5, 0.1, 0.6, 0.3;
      for (std::size_t n = 0; n < model.nodes.size(); ++n) {
        exact.segment<3>(static_cast<Eigen::Index>(3 * n)) = 1e-3 * gradient * model.nodes[n].position;
        for (std::size_t c = 0; c < 3; ++c) free[3 * n + c] = inner[n];
      }
      const VectorXd found = solve_with(a, exact, free);
      // At 0.4999 the stiffness is conditioned 1e4 times worse.
      EXPECT_LT((found - exact).cwiseAbs().maxCoeff(), (poisson < 0.4 ? 1e-10 : 1e-8) * exact.cwiseAbs().maxCoeff())
          << node_count(shape) << quadratic;
    }
  }
}

}  // namespace
}  // namespace kdyn::fe
