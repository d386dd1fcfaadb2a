// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/expand.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense_functions.hpp"

namespace kdyn::inline modes {
namespace {

// Coordinates of the shapes in the FE modes, from some rows of basis and shapes.
using Solver = std::function<Eigen::MatrixXd(const Eigen::MatrixXd& basis, const Eigen::MatrixXd& shapes)>;

Eigen::MatrixXd serep(const Eigen::MatrixXd& basis, const Eigen::MatrixXd& shapes) {
  return least_norm_solution(basis, shapes);
}

// [modes E12]: shapes are compared at unit rms, so that one noise level serves all.
Eigen::MatrixXd penalised(const Eigen::MatrixXd& basis, const Eigen::MatrixXd& shapes, const Eigen::VectorXd& fe,
                          const Eigen::VectorXd& test, double noise) {
  Eigen::MatrixXd q(basis.cols(), shapes.cols());
  for (Eigen::Index r = 0; r < shapes.cols(); ++r) {
    const double rms = shapes.col(r).norm() / std::sqrt(static_cast<double>(shapes.rows()));
    const double s = std::max(noise, 1e-6) * std::max(rms, 1e-300);
    // The penalty is for coordinates of size one: mass-normalised shapes.
    const Eigen::VectorXd stiff = ((fe.array() - test[r]) / test[r]).matrix();
    Eigen::MatrixXd A = transposed_product(basis, basis) / (s * s);
    A.diagonal() += stiff.cwiseAbs2();
    q.col(r) = A.ldlt().solve(Eigen::VectorXd(basis.transpose() * shapes.col(r) / (s * s)));
  }
  return q;
}

// Every row predicted from the rows of other groups. Groups are interleaved, so that each one is spread over the
// structure.
Eigen::MatrixXd predict(const Eigen::MatrixXd& shapes, const Eigen::MatrixXd& basis, int groups, const Solver& solve) {
  Eigen::MatrixXd out(shapes.rows(), shapes.cols());
  for (int g = 0; g < groups; ++g) {
    std::vector<Eigen::Index> inside, outside;
    for (Eigen::Index i = 0; i < shapes.rows(); ++i) (i % groups == g ? outside : inside).push_back(i);
    if (outside.empty()) continue;
    const Eigen::MatrixXd q = solve(basis(inside, Eigen::all), shapes(inside, Eigen::all));
    out(outside, Eigen::all) = basis(outside, Eigen::all) * q;
  }
  return out;
}

int group_count(Eigen::Index rows) { return static_cast<int>(std::min<Eigen::Index>(10, rows)); }

}  // namespace

int choose_basis_size(const Eigen::MatrixXd& test, const Eigen::MatrixXd& basis, double noise, std::string& reason,
                      std::vector<double>* hold_out_by_size) {
  const auto least = static_cast<int>(test.cols()),
             most =
                 static_cast<int>(std::min(basis.cols(), basis.rows() - basis.rows() / group_count(basis.rows()) - 1));
  if (most < least)
    throw_bad_input(
        "modes",
        fmt::format("{} sensors and {} FE modes cannot carry {} test modes", basis.rows(), basis.cols(), least),
        "measure more points or give more FE modes");
  if (hold_out_by_size != nullptr)
    hold_out_by_size->assign(static_cast<std::size_t>(most) + 1, std::numeric_limits<double>::infinity());
  int best = least;
  double least_error = std::numeric_limits<double>::infinity();
  for (int n = least; n <= most; ++n) {
    const Eigen::MatrixXd part = basis.leftCols(n);
    if (noise > 0.0) {
      const double left = (test - part * serep(part, test)).norm() / test.norm();
      if (left <= 1.5 * noise) {
        reason = fmt::format("{} FE modes are the fewest that follow the readings to 1.5 times their noise ({:.1f} %)",
                             n, 100.0 * noise);
        return n;
      }
    }
    const double error = (test - predict(test, part, group_count(test.rows()), serep)).norm() / test.norm();
    if (hold_out_by_size != nullptr) (*hold_out_by_size)[static_cast<std::size_t>(n)] = error;
    // A larger basis must earn its place: 2 % less error.
    if (error < 0.98 * least_error) {
      least_error = error;
      best = n;
    }
  }
  reason = noise > 0.0
               ? fmt::format(
                     "no basis follows the readings to 1.5 times the stated noise; {} FE modes predict sensors left "
                     "out best ({:.1f} %)",
                     best, 100.0 * least_error)
               : fmt::format("{} FE modes predict sensors left out best (to {:.1f} %)", best, 100.0 * least_error);
  return best;
}

ExpandResult expand(const Eigen::MatrixXd& test, const Eigen::VectorXd& test_eigenvalues,
                    const Eigen::MatrixXd& at_sensors, const Eigen::MatrixXd& fe_shapes,
                    const Eigen::VectorXd& fe_eigenvalues, const ExpandOptions& options) {
  demand(test.rows() == at_sensors.rows() && at_sensors.cols() == fe_shapes.cols() &&
             test.cols() == test_eigenvalues.size(),
         "one row per sensor and one eigenvalue per test mode");
  ExpandResult out;
  if (options.method == ExpandMethod::serep) {
    out.basis_size = options.basis_size > 0
                         ? options.basis_size
                         : choose_basis_size(test, at_sensors, options.noise, out.reason, &out.hold_out_by_size);
    if (options.basis_size > 0) out.reason = "given";
  } else {
    out.basis_size = options.basis_size > 0 ? options.basis_size : static_cast<int>(fe_shapes.cols());
    out.reason = options.basis_size > 0 ? "given" : "all FE modes: the penalty holds the distant ones back";
  }
  if (out.basis_size > fe_shapes.cols())
    throw_bad_input("basis_size",
                    fmt::format("{} FE modes are asked for, {} are there", out.basis_size, fe_shapes.cols()),
                    "compute more FE modes or choose a smaller basis");
  const Eigen::MatrixXd basis = at_sensors.leftCols(out.basis_size);
  const Eigen::VectorXd eigenvalues = fe_eigenvalues.head(out.basis_size);
  const double noise = options.noise > 0.0 ? options.noise : 0.03;
  const Solver solve = options.method == ExpandMethod::serep
                           ? Solver(serep)
                           : Solver([&](const Eigen::MatrixXd& b, const Eigen::MatrixXd& s) {
                               return penalised(b, s, eigenvalues, test_eigenvalues, noise);
                             });
  const Eigen::MatrixXd q = solve(basis, test);
  out.shapes = fe_shapes.leftCols(out.basis_size) * q;
  out.smoothed = basis * q;
  out.misfit = (test - out.smoothed).norm() / test.norm();
  const Eigen::MatrixXd error = test - predict(test, basis, group_count(test.rows()), solve);
  out.hold_out = error.norm() / test.norm();
  out.hold_out_by_dof = error.rowwise().norm() / (test.norm() / std::sqrt(static_cast<double>(test.rows())));
  return out;
}

}  // namespace kdyn::inline modes
