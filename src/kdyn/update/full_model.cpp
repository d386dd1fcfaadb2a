// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/full_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::update {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

fe::SparseMatrix lower_triangle(const Matrix& matrix, const std::string& where) {
  if (matrix.is_complex || matrix.rows != matrix.columns)
    throw_bad_input(where, fmt::format("matrix {} is complex or not square", matrix.name), "give real symmetric matrices");
  if (!is_symmetric(matrix, 1e-9)) throw_bad_input(where, fmt::format("matrix {} is not symmetric", matrix.name), "give real symmetric matrices");
  const Matrix sparse = matrix.sparse ? matrix : to_sparse(matrix);
  const Eigen::Map<const fe::SparseMatrix> all(sparse.rows, sparse.columns, static_cast<Index>(sparse.nonzeros()), sparse.column_start.data(),
                                               sparse.row.data(), sparse.real.data());
  return all.triangularView<Eigen::Lower>();
}

// By name; a format without names gives that of the file, so that model_K.mtx is K. Exact names first: K_m is no mass matrix.
const Matrix* find_any(const MatrixSet& set, const std::vector<std::string>& names) {
  for (const bool exact : {true, false})
    for (const std::string& name : names)
      for (const Matrix& matrix : set.matrices)
        if (const std::string lower = lower_case(matrix.name); exact ? lower == name : lower.ends_with("_" + name)) return &matrix;
  return nullptr;
}

}  // namespace

double FullModel::mass_kg(const Eigen::VectorXd& ratio) const {
  if (translation.size() == 0) return 0.0;
  return (translation.transpose() * fe::multiply(matrices.mass_at(ratio), translation)).trace() / 3.0;
}

bool FullModel::knows(const Dof& dof) const {
  if (!map) return row_of_dof.contains(label({dof.node, std::abs(dof.direction), dof.name}));
  const auto found = node_of_label.find(dof.node);
  if (found == node_of_label.end() || dof.direction == 0) return false;
  return map->equation[static_cast<std::size_t>(6 * found->second + std::abs(dof.direction) - 1)] != fe::DofMap::zero;
}

MatrixXd FullModel::rows(const std::vector<Dof>& dofs, const std::string& where) const {
  MatrixXd out = MatrixXd::Zero(static_cast<Index>(dofs.size()), matrices.size());
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const Dof& dof = dofs[i];
    const double sign = dof.direction < 0 ? -1.0 : 1.0;
    if (!knows(dof))
      throw_bad_input(where, fmt::format("the model has no motion {}", label(dof)),
                      "name points as node number and direction (12+Z), or give channel_map");
    if (!map) {
      out(static_cast<Index>(i), row_of_dof.at(label({dof.node, std::abs(dof.direction), dof.name}))) = sign;
      continue;
    }
    const int key = 6 * node_of_label.at(dof.node) + std::abs(dof.direction) - 1;
    const int equation = map->equation[static_cast<std::size_t>(key)];
    if (equation >= 0)
      out(static_cast<Index>(i), equation) = sign;
    else
      for (const auto& [unknown, factor] : map->combinations.at(key)) out(static_cast<Index>(i), unknown) += sign * factor;
  }
  return out;
}

FullModel full_model(const fe::Model& model, std::vector<ParameterSetting> parameters) {
  FullModel out;
  std::vector<fe::Parameter> what;
  for (const ParameterSetting& p : parameters) what.push_back(p.what);
  fe::Assembly assembly = fe::assemble(model, what);
  out.matrices = std::move(assembly.matrices);
  out.group_of = assembly.map.node_of;
  out.geometry = fe::geometry_of(model);
  for (std::size_t n = 0; n < model.nodes.size(); ++n) out.node_of_label[model.nodes[n].label] = static_cast<int>(n);
  out.translation = MatrixXd::Zero(assembly.map.unknowns, 3);
  for (std::size_t q = 0; q < assembly.map.dofs.size(); ++q) {
    const int direction = std::abs(assembly.map.dofs[q].direction);
    if (direction < 1 || direction > 3) continue;
    const int frame = model.nodes[static_cast<std::size_t>(assembly.map.node_of[q])].frame;
    const Eigen::Vector3d axis =
        frame < 0 ? Eigen::Vector3d::Unit(direction - 1) : Eigen::Vector3d(model.frames[static_cast<std::size_t>(frame)].col(direction - 1));
    out.translation.row(static_cast<Index>(q)) = axis.transpose();
  }
  for (const ParameterSetting& p : parameters) {
    if (p.what.kind != fe::ParameterKind::spring) continue;
    for (const fe::Spring& spring : model.springs)
      if (std::find(p.what.labels.begin(), p.what.labels.end(), spring.label) != p.what.labels.end())
        for (const int node : {spring.a, spring.b})
          for (int direction = 1; node >= 0 && direction <= 3; ++direction) {
            const Dof dof{model.nodes[static_cast<std::size_t>(node)].label, direction, ""};
            if (std::find(out.spring_points.begin(), out.spring_points.end(), dof) == out.spring_points.end()) out.spring_points.push_back(dof);
          }
  }
  for (std::size_t s = 0; s < parameters.size(); ++s) parameters[s].nominal = out.matrices.nominal[static_cast<Index>(s)];
  out.map = std::move(assembly.map);
  out.parameters = std::move(parameters);
  return out;
}

FullModel full_model(const MatrixSet& set, std::vector<ParameterSetting> parameters, const std::string& where) {
  const Matrix *mass = find_any(set, {"m", "mass", "maa", "mgg"}), *stiffness = find_any(set, {"k", "stiffness", "kaa", "kgg"});
  if (mass == nullptr || stiffness == nullptr)
    throw_bad_input(where, "there are no matrices M and K in it", "name the matrices M and K, or give a Nastran deck");
  FullModel out;
  fe::SparseMatrix fixed_k = lower_triangle(*stiffness, where), fixed_m = lower_triangle(*mass, where);
  if (fixed_k.rows() != fixed_m.rows()) throw_bad_input(where, "M and K have different sizes", "give matrices of one model");
  const std::vector<Dof>& dofs = !stiffness->row_dofs.empty() ? stiffness->row_dofs : mass->row_dofs;
  if (static_cast<Index>(dofs.size()) != fixed_k.rows())
    throw_bad_input(where, "the matrices do not tell which row is which motion", "give matrices with their node map (.h5, .sti with .dof, DMIG)");
  const std::size_t count = parameters.size();
  out.matrices.nominal.resize(static_cast<Index>(count));
  for (std::size_t s = 0; s < count; ++s) {
    const std::string name = lower_case(parameters[s].name);
    std::vector<int> exponents(count, 0);
    exponents[s] = 1;
    bool any = false;
    for (const bool is_mass : {false, true})
      if (const Matrix* share = find_any(set, {(is_mass ? "m_" : "k_") + name})) {
        fe::SparseMatrix& fixed = is_mass ? fixed_m : fixed_k;
        const fe::SparseMatrix lower = lower_triangle(*share, where);
        if (lower.rows() != fixed.rows())
          throw_bad_input(where, fmt::format("matrix {} has another size than M and K", share->name), "give matrices of one model");
        any = true;
        if (lower.norm() == 0.0) continue;  // the parameter has no share here
        fixed -= lower;
        (is_mass ? out.matrices.mass : out.matrices.stiffness).push_back({exponents, lower});
      }
    if (!any)
      throw_bad_input(where, fmt::format("there is neither K_{0} nor M_{0} for parameter {0}", parameters[s].name),
                      "give the nominal share of the parameter in K or M");
    out.matrices.nominal[static_cast<Index>(s)] = parameters[s].nominal;
    out.matrices.parameters.push_back(parameters[s].name);
  }
  out.matrices.stiffness.insert(out.matrices.stiffness.begin(), {std::vector<int>(count, 0), fixed_k});
  out.matrices.mass.insert(out.matrices.mass.begin(), {std::vector<int>(count, 0), fixed_m});
  out.translation = MatrixXd::Zero(fixed_k.rows(), 3);
  for (std::size_t q = 0; q < dofs.size(); ++q) {
    out.row_of_dof[label({dofs[q].node, std::abs(dofs[q].direction), dofs[q].name})] = static_cast<int>(q);
    if (const int direction = std::abs(dofs[q].direction); direction >= 1 && direction <= 3)
      out.translation(static_cast<Index>(q), direction - 1) = 1.0;
  }
  out.parameters = std::move(parameters);
  return out;
}

}  // namespace kdyn::update
