// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/fe_body.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/fe/doctor.hpp"
#include "kdyn/fe/modes.hpp"
#include "kdyn/fe/reduce.hpp"

namespace kdyn::inline modes {
namespace {

void check(const FeModel& model) {
  const Eigen::Index n = model.mass.rows();
  if (n == 0 || model.mass.cols() != n || model.stiffness.rows() != n || model.stiffness.cols() != n)
    throw_bad_input(model.where,
                    fmt::format("mass ({} x {}) and stiffness ({} x {}) must be square and of one size", n,
                                model.mass.cols(), model.stiffness.rows(), model.stiffness.cols()),
                    "give the two matrices of one model");
  if (static_cast<Eigen::Index>(model.dofs.size()) != n)
    throw_bad_input(model.where, fmt::format("{} degrees of freedom are named for {} rows", model.dofs.size(), n),
                    "give matrices with their node map");
}

// The lowest `count` flexible modes and all rigid ones.
fe::Modes lowest_modes(const FeModel& model, int count) {
  fe::ModesOptions options;
  options.count = std::min<int>(count + 6, static_cast<int>(model.mass.rows()));
  const fe::Modes modes = fe::find_modes(model.stiffness, model.mass, model.group_of, options);
  if (modes.status == fe::ModesStatus::not_converged || modes.status == fe::ModesStatus::modes_missing)
    throw_bad_input(model.where, "the modes of the FE model: " + modes.reason, "look at the model with kdyn fe");
  return modes;
}

// [modes E17]
Eigen::MatrixXd free_interface(const FeModel& model, const fe::Modes& modes, const std::vector<int>& loaded,
                               int count) {
  const Eigen::Index flexible = std::min<Eigen::Index>(count, modes.shapes.cols() - modes.rigid);
  const Eigen::MatrixXd x =
      fe::inertia_relief(model.stiffness, model.mass, modes.shapes.leftCols(modes.rigid), loaded, model.group_of);
  Eigen::MatrixXd T(model.mass.rows(), modes.rigid + flexible + x.cols());
  T << modes.shapes.leftCols(modes.rigid + flexible), x;
  return T;
}

// Columns orthonormal to the mass matrix; directions that are there twice drop out (Gram eigenvalue below 1e-9 of the
// columns' own size).
Eigen::MatrixXd independent(const Eigen::MatrixXd& T, const fe::SparseMatrix& mass) {
  Eigen::MatrixXd scaled = T;
  const Eigen::VectorXd size = T.cwiseProduct(fe::multiply(mass, T)).colwise().sum();
  for (Eigen::Index j = 0; j < T.cols(); ++j) scaled.col(j) /= std::sqrt(std::max(size[j], 1e-300));
  const Eigen::MatrixXd raw = scaled.transpose() * fe::multiply(mass, scaled);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> gram(0.5 * (raw + raw.transpose()));
  Eigen::Index first = 0;
  while (first < gram.eigenvalues().size() && gram.eigenvalues()[first] < 1e-9) ++first;
  const Eigen::Index kept = T.cols() - first;
  return scaled *
         (gram.eigenvectors().rightCols(kept) * gram.eigenvalues().tail(kept).cwiseSqrt().cwiseInverse().asDiagonal());
}

Eigen::MatrixXd projected(const fe::SparseMatrix& lower, const Eigen::MatrixXd& V) {
  const Eigen::MatrixXd out = V.transpose() * fe::multiply(lower, V);
  return 0.5 * (out + out.transpose());
}

}  // namespace

RigidBodyProperties rigid_properties(const fe::SparseMatrix& mass, const std::vector<Dof>& dofs,
                                     const Geometry& geometry) {
  return rigid_properties(Eigen::Matrix<double, 6, 6>(projected(mass, fe::rigid_motions(dofs, geometry).rows)),
                          "mass matrix");
}

FeModes fe_modes(const FeModel& model, int count) {
  check(model);
  const fe::Modes modes = lowest_modes(model, count);
  FeModes out;
  out.dofs = model.dofs;
  out.geometry = model.geometry;
  out.mass = model.mass;
  out.rigid = rigid_properties(model.mass, model.dofs, model.geometry);
  const Eigen::Index flexible = std::min<Eigen::Index>(count, modes.shapes.cols() - modes.rigid);
  out.shapes = modes.shapes.middleCols(modes.rigid, flexible);
  out.eigenvalues = modes.eigenvalues.segment(modes.rigid, flexible);
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
  const std::vector<int> interface = fe::interface_rows(options.interface_nodes, model.dofs);
  if (interface.empty() && options.method != BodyMethod::normal_modes)
    throw_bad_input("interface_nodes", "this method needs the nodes where other parts connect",
                    "name them, or use method normal_modes");
  FlexibleBody out;
  Eigen::MatrixXd T;
  int rigid = 0;  // counted in the whole model: a stiff interface would hide slow modes from a look at the reduced one
  switch (options.method) {
    case BodyMethod::craig_bampton:
      T = fe::craig_bampton_basis(model.stiffness, model.mass, interface, options.modes, fe::EigenSolver::automatic,
                                  model.group_of);  // [modes E16]
      rigid = lowest_modes(model, 1).rigid;
      out.origin = "Craig-Bampton";
      break;
    case BodyMethod::free_interface: {
      const fe::Modes free = lowest_modes(model, options.modes);
      T = free_interface(model, free, interface, options.modes);
      rigid = free.rigid;
      out.origin = "free interface with attachment modes";
      break;
    }
    case BodyMethod::normal_modes: {
      const fe::Modes free = lowest_modes(model, options.modes);
      T = free.shapes;
      rigid = free.rigid;
      out.origin = "free normal modes";
      break;
    }
  }
  const Eigen::MatrixXd V = independent(T, model.mass);
  if (V.cols() == 0)
    throw_bad_input(model.where, "nothing that moves has mass", "give the mass matrix that belongs to the stiffness");
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> reduced(projected(model.stiffness, V),
                                                                          projected(model.mass, V));
  const Eigen::VectorXd all = reduced.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  Eigen::Index last = all.size();
  while (options.max_frequency_hz > 0.0 && last > rigid && all[last - 1] > two_pi * options.max_frequency_hz) --last;
  if (options.method == BodyMethod::normal_modes) last = std::min<Eigen::Index>(last, rigid + options.modes);
  const Eigen::Index count = last - rigid;
  if (count <= 0) throw_bad_input("max_frequency_hz", "no flexible mode is left", "raise the limit");
  out.name = "body";
  out.dofs = model.dofs;
  out.geometry = model.geometry;
  out.shapes = V * reduced.eigenvectors().middleCols(rigid, count);
  for (Eigen::Index r = 0; r < count; ++r) {  // a fixed sign: the largest component is positive
    Eigen::Index largest = 0;
    out.shapes.col(r).cwiseAbs().maxCoeff(&largest);
    if (out.shapes(largest, r) < 0.0) out.shapes.col(r) *= -1.0;
  }
  const Eigen::VectorXd omega = all.segment(rigid, count);
  out.frequency_hz = omega / two_pi;
  out.damping = Eigen::VectorXd::Constant(count, options.damping);
  out.kinds.assign(static_cast<std::size_t>(count), options.method == BodyMethod::normal_modes ? "normal" : "reduced");
  out.modal_mass = projected(model.mass, out.shapes);
  out.modal_stiffness = omega.cwiseAbs2().asDiagonal();
  out.modal_damping = (2.0 * options.damping * omega).asDiagonal();
  out.rigid = rigid_properties(model.mass, model.dofs, model.geometry);
  for (const int row : interface) out.interface_dofs.push_back(model.dofs[static_cast<std::size_t>(row)]);
  return out;
}

}  // namespace kdyn::inline modes
