// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/orthonormalise.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn::inline modes {
namespace {

// Columns of `made` in the order and with the signs of the measured modes they resemble.
Eigen::MatrixXd ordered_like(const Eigen::MatrixXd& made, const Eigen::MatrixXd& measured) {
  const std::vector<int> partner =
      pair_by_mac(mac_matrix(measured.cast<std::complex<double>>(), made.cast<std::complex<double>>()));
  Eigen::MatrixXd out(made.rows(), made.cols());
  for (Eigen::Index i = 0; i < measured.cols(); ++i) {
    const Eigen::Index j = partner[static_cast<std::size_t>(i)];
    out.col(i) = made.col(j) * (made.col(j).dot(measured.col(i)) < 0.0 ? -1.0 : 1.0);
  }
  return out;
}

double worst_agreement(const Eigen::MatrixXd& made, const Eigen::MatrixXd& measured) {
  return mac_matrix(made.cast<std::complex<double>>(), measured.cast<std::complex<double>>())
      .rowwise()
      .maxCoeff()
      .minCoeff();
}

}  // namespace

const char* to_string(OrthoMethod method) {
  switch (method) {
    case OrthoMethod::automatic: return "automatic";
    case OrthoMethod::rotation: return "rotation";
    case OrthoMethod::loewdin: return "loewdin";
    case OrthoMethod::gram_schmidt: return "gram_schmidt";
    case OrthoMethod::none: return "none";
  }
  return "none";
}

const char* in_words(OrthoMethod method) {
  switch (method) {
    case OrthoMethod::loewdin: return "Löwdin";
    case OrthoMethod::gram_schmidt: return "Gram-Schmidt";
    default: return to_string(method);
  }
}

Eigen::MatrixXd modal_coordinates(const Eigen::MatrixXd& test, const Eigen::MatrixXd& basis) {
  const Eigen::MatrixXd q = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(basis).solve(test);
  return q * q.colwise().norm().cwiseMax(1e-300).cwiseInverse().asDiagonal();
}

OrthoResult orthonormalise(const Eigen::MatrixXd& test, const Eigen::MatrixXd& basis,
                           const Eigen::VectorXd& eigenvalues, OrthoMethod method, double rotation_limit) {
  demand(test.rows() == basis.rows() && basis.cols() == eigenvalues.size(),
         "test modes and FE modes share their degrees of freedom");
  if (basis.cols() < test.cols())
    throw_bad_input("basis_size", fmt::format("{} FE modes cannot carry {} test modes", basis.cols(), test.cols()),
                    "give more FE modes or fewer test modes");
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> pinv(basis);
  // [modes E5], [modes E6]
  Eigen::MatrixXd q = pinv.solve(test);
  const Eigen::VectorXd scale = q.colwise().norm().cwiseMax(1e-300).cwiseInverse().transpose();
  const Eigen::MatrixXd scaled = test * scale.asDiagonal();
  q = q * scale.asDiagonal();
  OrthoResult out;
  out.mass_before = q.transpose() * q;
  out.largest_before =
      (out.mass_before - Eigen::MatrixXd(out.mass_before.diagonal().asDiagonal())).cwiseAbs().maxCoeff();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> mass(out.mass_before);
  if (!(mass.eigenvalues().minCoeff() > 1e-8 * mass.eigenvalues().maxCoeff()))
    throw_bad_input("modes", "two test modes are the same to the sensors: they cannot be made orthogonal",
                    "drop one of them (see the auto-MAC), or measure more points");

  Eigen::MatrixXd Q;
  const Eigen::MatrixXd stiffness = q.transpose() * eigenvalues.asDiagonal() * q;
  const Eigen::MatrixXd rotation = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness, out.mass_before)
                                       .eigenvectors();  // [modes E7]
  out.rotation_mac = worst_agreement(scaled * rotation, test);
  out.used = method;
  if (method == OrthoMethod::automatic) {
    out.used = out.rotation_mac >= rotation_limit ? OrthoMethod::rotation : OrthoMethod::loewdin;  // [modes E10]
    out.reason =
        out.used == OrthoMethod::rotation
            ? fmt::format("every rotated mode is still close to a measured one (least MAC {:.2f}, limit {:g})",
                          out.rotation_mac, rotation_limit)
            : fmt::format("the rotation mixes measured modes (least MAC {:.2f}, limit {:g}); Löwdin changes them least",
                          out.rotation_mac, rotation_limit);
  } else {
    out.reason = "chosen by hand";
  }
  switch (out.used) {
    case OrthoMethod::rotation: Q = rotation; break;
    case OrthoMethod::loewdin: Q = mass.operatorInverseSqrt(); break;  // [modes E8]
    case OrthoMethod::gram_schmidt:                                    // [modes E9]
      Q = out.mass_before.llt().matrixU().solve(Eigen::MatrixXd::Identity(q.cols(), q.cols()));
      break;
    default: Q = Eigen::MatrixXd::Identity(q.cols(), q.cols());
  }
  out.shapes = ordered_like(scaled * Q, test);
  const Eigen::MatrixXd after = pinv.solve(out.shapes);
  out.mass_after = after.transpose() * after;
  return out;
}

}  // namespace kdyn::inline modes
