// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/full_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::update {

using Eigen::Index;
using Eigen::MatrixXd;

double FullModel::mass_kg(const Eigen::VectorXd& ratio) const {
  if (translation.size() == 0) return 0.0;
  // The same in all three directions, unless the model moves in some of them only.
  return (translation.transpose() * fe::multiply(matrices.mass_at(ratio), translation)).diagonal().maxCoeff();
}

namespace {

// The direction of a sensor in global axes; its dof says so unless a vector does.
Eigen::Vector3d direction_of(const Dof& dof, const Eigen::Vector3d& axis) {
  if (axis.norm() > 0.0) return axis.normalized();
  const int direction = std::abs(dof.direction);
  return direction == 0
             ? Eigen::Vector3d(0.0, 0.0, 0.0)
             : Eigen::Vector3d((dof.direction < 0 ? -1.0 : 1.0) * Eigen::Vector3d::Unit((direction - 1) % 3));
}

// Motions of a model that a sensor sees, with their factors: keys into its map, or rows of its matrices. Empty when
// there are none.
std::vector<std::pair<int, double>> seen(const FullModel& model, const Dof& dof, const Eigen::Vector3d& axis) {
  const Eigen::Vector3d global = direction_of(dof, axis);
  const int first = std::abs(dof.direction) > 3 ? 3 : 0;
  std::vector<std::pair<int, double>> out;
  if (!model.map) {
    if (axis.norm() == 0.0) {  // also scalars, which have no direction
      const auto row = model.row_of_dof.find(label({dof.node, std::abs(dof.direction), dof.name}));
      if (row != model.row_of_dof.end()) out.emplace_back(row->second, dof.direction < 0 ? -1.0 : 1.0);
      return out;
    }
    for (int k = 0; k < 3; ++k) {
      const auto row = model.row_of_dof.find(label({dof.node, first + k + 1, dof.name}));
      if (std::abs(global[k]) > 1e-12 && row != model.row_of_dof.end()) out.emplace_back(row->second, global[k]);
    }
    return out;
  }
  const auto node = model.node_of_label.find(dof.node);
  if (node == model.node_of_label.end()) return out;
  for (int k = 0; k < 3; ++k) {
    const int key = 6 * node->second + first + k;
    if (std::abs(global[k]) > 1e-12 && model.map->equation[static_cast<std::size_t>(key)] != fe::DofMap::zero)
      out.emplace_back(key, global[k]);
  }
  return out;
}

}  // namespace

bool FullModel::loses() const {
  return std::any_of(parameters.begin(), parameters.end(), [](const ParameterSetting& p) { return p.what.loss; });
}

bool FullModel::knows(const Dof& dof) const { return !seen(*this, dof, Eigen::Vector3d::Zero()).empty(); }

MatrixXd FullModel::rows(const std::vector<Dof>& dofs, const std::string& where,
                         const std::vector<Eigen::Vector3d>& axes) const {
  MatrixXd out = MatrixXd::Zero(static_cast<Index>(dofs.size()), matrices.size());
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const Dof& dof = dofs[i];
    const auto motions = seen(*this, dof, axes.empty() ? Eigen::Vector3d(0.0, 0.0, 0.0) : axes[i]);
    if (motions.empty())
      throw_bad_input(where, fmt::format("the model has no motion {}", label(dof)),
                      "name points as node number and direction (12+Z), or give channel_map");
    for (const auto& [key, factor] : motions) {
      const int equation = map ? map->equation[static_cast<std::size_t>(key)] : key;
      if (equation >= 0)
        out(static_cast<Index>(i), equation) += factor;
      else
        for (const auto& [unknown, share] : map->combinations.at(key))
          out(static_cast<Index>(i), unknown) += factor * share;
    }
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
        frame < 0 ? Eigen::Vector3d::Unit(direction - 1)
                  : Eigen::Vector3d(model.frames[static_cast<std::size_t>(frame)].col(direction - 1));
    out.translation.row(static_cast<Index>(q)) = axis.transpose();
  }
  for (const ParameterSetting& p : parameters) {
    if (p.what.kind != fe::ParameterKind::spring) continue;
    for (const fe::Spring& spring : model.springs)
      if (std::find(p.what.labels.begin(), p.what.labels.end(), spring.label) != p.what.labels.end())
        for (const int node : {spring.a, spring.b})
          for (int direction = 1; node >= 0 && direction <= 3; ++direction) {
            const Dof dof{model.nodes[static_cast<std::size_t>(node)].label, direction, ""};
            if (std::find(out.spring_points.begin(), out.spring_points.end(), dof) == out.spring_points.end())
              out.spring_points.push_back(dof);
          }
  }
  for (std::size_t s = 0; s < parameters.size(); ++s)
    parameters[s].nominal = out.matrices.nominal[static_cast<Index>(s)];
  constexpr int most_unknowns = 25'000;  // four times as many in a few seconds
  if (assembly.map.unknowns <= most_unknowns) out.described = std::make_shared<const fe::Model>(model);
  out.map = std::move(assembly.map);
  out.parameters = std::move(parameters);
  return out;
}

FullModel full_model(const fe::MatrixModel& model, std::vector<ParameterSetting> parameters, const std::string& where) {
  if (static_cast<int>(model.dofs.size()) != model.matrices.size())
    throw_bad_input(where, "the matrices do not tell which row is which motion",
                    "give matrices with their node map (.h5, .sti with .dof, DMIG)");
  FullModel out;
  out.group_of = model.group_of;
  out.matrices.nominal.resize(static_cast<Index>(parameters.size()));
  std::vector<std::size_t> place;  // of each parameter among those of the matrices
  for (std::size_t s = 0; s < parameters.size(); ++s) {
    const auto& known = model.matrices.parameters;
    const auto found = std::find_if(known.begin(), known.end(), [&](const std::string& name) {
      return lower_case(name) == lower_case(parameters[s].name);
    });
    if (found == known.end())
      throw_bad_input(where, fmt::format("there is neither dK_{0} nor dM_{0} for parameter {0}", parameters[s].name),
                      "give the derivative by p/p0: the nominal share of the parameter in K or M");
    place.push_back(static_cast<std::size_t>(found - known.begin()));
    out.matrices.nominal[static_cast<Index>(s)] = parameters[s].nominal;
    out.matrices.parameters.push_back(parameters[s].name);
  }
  // Parameters of the matrices that are not calibrated keep their nominal share.
  const auto take = [&](const std::vector<fe::AffineTerm>& from, std::vector<fe::AffineTerm>& to) {
    for (const fe::AffineTerm& term : from) {
      std::vector<int> exponents;
      for (const std::size_t i : place) exponents.push_back(term.exponents[i]);
      to.push_back({std::move(exponents), term.matrix});
    }
  };
  take(model.matrices.stiffness, out.matrices.stiffness);
  take(model.matrices.mass, out.matrices.mass);
  out.translation = MatrixXd::Zero(model.matrices.size(), 3);
  for (std::size_t q = 0; q < model.dofs.size(); ++q) {
    out.row_of_dof[label({model.dofs[q].node, std::abs(model.dofs[q].direction), model.dofs[q].name})] =
        static_cast<int>(q);
    if (const int direction = std::abs(model.dofs[q].direction); direction >= 1 && direction <= 3)
      out.translation(static_cast<Index>(q), direction - 1) = 1.0;
  }
  out.parameters = std::move(parameters);
  return out;
}

}  // namespace kdyn::update
