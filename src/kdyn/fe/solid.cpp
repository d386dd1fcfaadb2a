// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/solid.hpp"

#include "kdyn/base/error.hpp"
#include "kdyn/fe/internal/solid_shapes.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

Eigen::Matrix<double, 6, 6> elasticity(double young, double poisson) {
  Eigen::Matrix<double, 6, 6> c = Eigen::Matrix<double, 6, 6>::Zero();
  const double lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), shear = 0.5 * young / (1 + poisson);
  c.topLeftCorner<3, 3>().setConstant(lame);
  for (int i = 0; i < 3; ++i) c(i, i) += 2 * shear, c(i + 3, i + 3) = shear;
  return c;
}

// Strain (xx yy zz xy yz zx) of displacements whose shape function has this slope: three columns.
void strain_columns(Matrix6X& b, int first, const Eigen::Vector3d& slope) {
  b.middleCols<3>(first).setZero();
  for (int i = 0; i < 3; ++i) b(i, first + i) = slope[i];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    b(3 + i, first + i) = slope[j];
    b(3 + i, first + j) = slope[i];
  }
}

double checked_volume(const Matrix3d& jacobian) {
  const double det = jacobian.determinant();
  if (!(det > 0.0))
    throw_bad_input("solid element", "the element is turned inside out or has no volume",
                    "check the order and the positions of its nodes");
  return det;
}

// [fe E8] Incompatible modes 1 - xi_i^2 with the Jacobian of the centre, and volumetric strains xi_i xi_j; all scaled
// by det0 / det, so that constant stress does no work on them and the patch test holds.
constexpr int enhanced_modes = 12;
void enhanced_columns(Matrix6X& b, const Eigen::Vector3d& place, const Matrix3d& inverse0, double ratio) {
  b.setZero(6, enhanced_modes);
  for (int i = 0; i < 3; ++i) {
    strain_columns(b, 3 * i, inverse0.col(i) * (-2.0 * place[i] * ratio));
    b.col(9 + i).head<3>().setConstant(place[i] * place[(i + 1) % 3] * ratio);
  }
}

MatrixXd stiffness(Shape shape, const Eigen::Matrix3Xd& corners, const SolidInput& in) {
  const int size = 3 * static_cast<int>(corners.cols());
  const Eigen::Matrix<double, 6, 6> c = in.law ? in.law->elasticity : elasticity(in.young, in.poisson);
  MatrixXd k = MatrixXd::Zero(size, size);
  Matrix6X b(6, size), extra(6, enhanced_modes);
  const bool enhanced = shape == Shape::hex8;
  MatrixXd kua = MatrixXd::Zero(size, enhanced_modes), kaa = MatrixXd::Zero(enhanced_modes, enhanced_modes);
  Matrix3d inverse0 = Matrix3d::Zero();
  double det0 = 1.0;
  if (enhanced) {
    Matrix3d j0 = Matrix3d::Zero();  // the mean of the slopes over the points is the slope at the centre
    for (const internal::SolidPoint& p : internal::stiffness_points(shape)) j0 += p.slope * corners.transpose() / 8.0;
    det0 = checked_volume(j0);
    inverse0 = j0.inverse();
  }
  for (const internal::SolidPoint& p : internal::stiffness_points(shape)) {
    const Matrix3d jacobian = p.slope * corners.transpose();
    const double det = checked_volume(jacobian), weight = p.weight * det;
    const Eigen::Matrix3Xd slope = jacobian.inverse() * p.slope;
    for (int i = 0; i < slope.cols(); ++i) strain_columns(b, 3 * i, slope.col(i));
    const Matrix6X cb = weight * (c * b);
    k.noalias() += b.transpose() * cb;
    if (!enhanced) continue;
    enhanced_columns(extra, p.place, inverse0, det0 / det);
    kua.noalias() += cb.transpose() * extra;
    kaa.noalias() += weight * (extra.transpose() * (c * extra));
  }
  if (enhanced) k.noalias() -= kua * kaa.ldlt().solve(kua.transpose());
  return k;
}

MatrixXd mass(Shape shape, const Eigen::Matrix3Xd& corners, const SolidInput& in) {
  const int nodes = static_cast<int>(corners.cols());
  MatrixXd scalar = MatrixXd::Zero(nodes, nodes);
  for (const internal::SolidPoint& p : internal::mass_points(shape))
    scalar.noalias() +=
        (in.density * p.weight * checked_volume(p.slope * corners.transpose())) * (p.n * p.n.transpose());
  if (!in.consistent_mass) {
    const double total = scalar.sum();
    const bool linear = shape == Shape::hex8 || shape == Shape::wedge6 || shape == Shape::tet4;
    Eigen::VectorXd diagonal = linear ? Eigen::VectorXd(scalar.rowwise().sum()) : Eigen::VectorXd(scalar.diagonal());
    if (diagonal.sum() > 0.0) diagonal *= total / diagonal.sum();
    scalar = diagonal.asDiagonal();
  }
  MatrixXd m = MatrixXd::Zero(3 * nodes, 3 * nodes);
  for (int j = 0; j < nodes; ++j)
    for (int i = 0; i < nodes; ++i)
      for (int k = 0; k < 3; ++k) m(3 * i + k, 3 * j + k) = scalar(i, j);
  return m;
}

}  // namespace

SolidMatrices solid_element(Shape shape, const Eigen::Matrix3Xd& corners, const SolidInput& input) {
  return {stiffness(shape, corners, input), mass(shape, corners, input)};
}

}  // namespace kdyn::fe
