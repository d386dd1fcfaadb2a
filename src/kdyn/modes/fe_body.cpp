// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/fe_body.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/modes/virtual_test.hpp"

namespace kdyn::inline modes {
namespace {

void check(const FeModel& model) {
  const Eigen::Index n = model.mass.rows();
  if (n == 0 || model.mass.cols() != n || model.stiffness.rows() != n || model.stiffness.cols() != n)
    throw_bad_input(model.where,
                    fmt::format("mass ({} x {}) and stiffness ({} x {}) must be square and of one size", n,
                                model.mass.cols(), model.stiffness.rows(), model.stiffness.cols()),
                    "give the two matrices of one model");
  if (n > max_dense_dofs)
    throw_bad_input(model.where,
                    fmt::format("{} degrees of freedom are more than {}, which are handled in full", n, max_dense_dofs),
                    "reduce the model first, or give its modes instead of its matrices");
  if (static_cast<Eigen::Index>(model.dofs.size()) != n)
    throw_bad_input(model.where, fmt::format("{} degrees of freedom are named for {} rows", model.dofs.size(), n),
                    "give matrices with their node map");
}

std::vector<Eigen::Index> interface_rows(const FeModel& model, const std::vector<std::string>& words) {
  std::vector<Eigen::Index> rows;
  for (const std::string& word : words) {
    const Dof wanted = parse_dof(word);
    const std::size_t before = rows.size();
    for (std::size_t i = 0; i < model.dofs.size(); ++i) {
      const Dof& dof = model.dofs[i];
      const bool node = wanted.node != 0 ? dof.node == wanted.node : !wanted.name.empty() && dof.name == wanted.name;
      if (node && (wanted.direction == 0 || std::abs(wanted.direction) == std::abs(dof.direction)))
        rows.push_back(static_cast<Eigen::Index>(i));
    }
    if (rows.size() == before)
      throw_bad_input("interface_nodes", fmt::format("{} is not in the model", word),
                      "use node labels of the model, such as 12 or 12+Z");
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

// [modes E16]
Eigen::MatrixXd craig_bampton(const FeModel& model, const std::vector<Eigen::Index>& held, int count) {
  const Eigen::Index n = model.mass.rows();
  std::vector<Eigen::Index> inner;
  for (Eigen::Index i = 0; i < n; ++i)
    if (!std::binary_search(held.begin(), held.end(), i)) inner.push_back(i);
  const Eigen::MatrixXd Kii = model.stiffness(inner, inner), Kib = model.stiffness(inner, held);
  const Eigen::LLT<Eigen::MatrixXd> solver(Kii);
  // A mechanism leaves pivots of rounding size, of either sign.
  const Eigen::VectorXd pivots = solver.matrixLLT().diagonal().cwiseAbs2();
  if (solver.info() != Eigen::Success || (pivots.array() < 1e-10 * Kii.diagonal().array().abs()).any())
    throw_bad_input("interface_nodes", "with the interface held the structure can still move freely",
                    "name enough interface degrees of freedom to hold it, or use free_interface");
  const RealModes normal = real_modes(model.mass(inner, inner), Kii, count);
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(n, normal.omega.size() + static_cast<Eigen::Index>(held.size()));
  T(inner, Eigen::seqN(0, normal.omega.size())) = normal.shapes;
  T(inner, Eigen::lastN(static_cast<Eigen::Index>(held.size()))) = -solver.solve(Kib);
  for (std::size_t b = 0; b < held.size(); ++b) T(held[b], normal.omega.size() + static_cast<Eigen::Index>(b)) = 1.0;
  return T;
}

// [modes E17]
Eigen::MatrixXd free_interface(const FeModel& model, const std::vector<Eigen::Index>& loaded, int count) {
  const Eigen::Index n = model.mass.rows(), b = static_cast<Eigen::Index>(loaded.size());
  const RealModes modes = real_modes(model.mass, model.stiffness, count + 6);
  const Eigen::Index flexible = std::min<Eigen::Index>(count, modes.omega.size() - modes.rigid);
  const Eigen::MatrixXd rigid = modes.shapes.leftCols(modes.rigid), loads = model.mass * rigid;
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(n + modes.rigid, b),
                  A = Eigen::MatrixXd::Zero(n + modes.rigid, n + modes.rigid);
  for (Eigen::Index j = 0; j < b; ++j) F(loaded[static_cast<std::size_t>(j)], j) = 1.0;
  F.topRows(n) -= loads * (rigid.transpose() * F.topRows(n));
  A.topLeftCorner(n, n) = model.stiffness;
  A.topRightCorner(n, modes.rigid) = loads;
  A.bottomLeftCorner(modes.rigid, n) = loads.transpose();
  // The multipliers are forces, the rest displacements: equal sizes keep the factorisation well scaled.
  const double scale = model.stiffness.diagonal().cwiseAbs().mean() / std::max(loads.cwiseAbs().maxCoeff(), 1e-300);
  A.rightCols(modes.rigid) *= scale;
  A.bottomRows(modes.rigid) *= scale;
  const Eigen::MatrixXd x = A.partialPivLu().solve(F).topRows(n);
  Eigen::MatrixXd T(n, modes.rigid + flexible + b);
  T << rigid, modes.shapes.middleCols(modes.rigid, flexible), x;
  return T;
}

// Columns orthonormal to the mass matrix; directions that are there twice drop out (Gram eigenvalue below 1e-9 of the
// columns' own size).
Eigen::MatrixXd independent(const Eigen::MatrixXd& T, const Eigen::MatrixXd& mass) {
  Eigen::MatrixXd scaled = T;
  const Eigen::MatrixXd raw = T.transpose() * mass * T;
  for (Eigen::Index j = 0; j < T.cols(); ++j) scaled.col(j) /= std::sqrt(std::max(raw(j, j), 1e-300));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> gram(scaled.transpose() * mass * scaled);
  Eigen::Index first = 0;
  while (first < gram.eigenvalues().size() && gram.eigenvalues()[first] < 1e-9) ++first;
  const Eigen::Index kept = T.cols() - first;
  return scaled * gram.eigenvectors().rightCols(kept) *
         gram.eigenvalues().tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

FeModes fe_modes(const FeModel& model, int count) {
  check(model);
  const RealModes modes = real_modes(model.mass, model.stiffness, count + 6);
  FeModes out;
  out.dofs = model.dofs;
  out.geometry = model.geometry;
  out.mass = model.mass;
  const Eigen::Index flexible = std::min<Eigen::Index>(count, modes.omega.size() - modes.rigid);
  out.shapes = modes.shapes.middleCols(modes.rigid, flexible);
  out.eigenvalues = modes.omega.segment(modes.rigid, flexible).cwiseAbs2();
  return out;
}

FeModes fe_modes(const ModeSet& set, const std::string& where) {
  FeModes out;
  out.dofs = set.dofs;
  out.geometry = set.geometry;
  std::vector<const Mode*> kept;
  double largest = 0.0;
  for (const Mode& mode : set.modes) largest = std::max(largest, mode.frequency_hz());
  for (const Mode& mode : set.modes)
    if (mode.frequency_hz() > 1e-4 * largest) kept.push_back(&mode);
  if (kept.empty()) throw_bad_input(where, "there is no flexible mode in it", "give FE modes with frequencies");
  std::sort(kept.begin(), kept.end(),
            [](const Mode* a, const Mode* b) { return a->frequency_hz() < b->frequency_hz(); });
  out.shapes.resize(static_cast<Eigen::Index>(set.dofs.size()), static_cast<Eigen::Index>(kept.size()));
  out.eigenvalues.resize(out.shapes.cols());
  for (std::size_t r = 0; r < kept.size(); ++r) {
    const double scale = kept[r]->modal_mass > 0.0 ? 1.0 / std::sqrt(kept[r]->modal_mass) : 1.0;
    for (std::size_t i = 0; i < set.dofs.size(); ++i)
      out.shapes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(r)) = scale * kept[r]->shape[i].real();
    out.eigenvalues[static_cast<Eigen::Index>(r)] = std::pow(two_pi * kept[r]->frequency_hz(), 2);
  }
  return out;
}

FlexibleBody fe_body(const FeModel& model, const FeBodyOptions& options) {
  check(model);
  const std::vector<Eigen::Index> interface = interface_rows(model, options.interface_nodes);
  if (interface.empty() && options.method != BodyMethod::normal_modes)
    throw_bad_input("interface_nodes", "this method needs the nodes where other parts connect",
                    "name them, or use method normal_modes");
  Eigen::MatrixXd T;
  FlexibleBody out;
  switch (options.method) {
    case BodyMethod::craig_bampton:
      T = craig_bampton(model, interface, options.modes);
      out.origin = "Craig-Bampton";
      break;
    case BodyMethod::free_interface:
      T = free_interface(model, interface, options.modes);
      out.origin = "free interface with attachment modes";
      break;
    case BodyMethod::normal_modes:
      T = real_modes(model.mass, model.stiffness, options.modes + 6).shapes;
      out.origin = "free normal modes";
      break;
  }
  const Eigen::MatrixXd V = independent(T, model.mass);
  const RealModes reduced =
      real_modes(V.transpose() * model.mass * V, V.transpose() * model.stiffness * V, static_cast<int>(V.cols()));
  Eigen::Index last = reduced.omega.size();
  while (options.max_frequency_hz > 0.0 && last > reduced.rigid &&
         reduced.omega[last - 1] > two_pi * options.max_frequency_hz)
    --last;
  if (options.method == BodyMethod::normal_modes) last = std::min<Eigen::Index>(last, reduced.rigid + options.modes);
  const Eigen::Index count = last - reduced.rigid;
  if (count <= 0) throw_bad_input("max_frequency_hz", "no flexible mode is left", "raise the limit");
  out.name = "body";
  out.dofs = model.dofs;
  out.geometry = model.geometry;
  out.shapes = V * reduced.shapes.middleCols(reduced.rigid, count);
  const Eigen::VectorXd omega = reduced.omega.segment(reduced.rigid, count);
  out.frequency_hz = omega / two_pi;
  out.damping = Eigen::VectorXd::Constant(count, options.damping);
  out.kinds.assign(static_cast<std::size_t>(count), options.method == BodyMethod::normal_modes ? "normal" : "reduced");
  out.modal_mass = out.shapes.transpose() * model.mass * out.shapes;
  out.modal_stiffness = omega.cwiseAbs2().asDiagonal();
  out.modal_damping = (2.0 * options.damping * omega).asDiagonal();
  out.rigid = rigid_properties(model.mass, model.dofs, model.geometry);
  for (const Eigen::Index row : interface) out.interface_dofs.push_back(model.dofs[static_cast<std::size_t>(row)]);
  return out;
}

}  // namespace kdyn::inline modes
