// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/dof_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/beam.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe {
namespace {

using Combination = DofMap::Combination;
constexpr const char* component_names[6] = {"X", "Y", "Z", "RX", "RY", "RZ"};

// Motions here are 6 * node + component in the frame of the node ("own" motions).
class Resolver {
 public:
  explicit Resolver(const Model& model) : model_(model) {}

  std::unordered_map<int, Combination> dependent;  // raw: by other own motions

  Matrix6 axes(int node) const {
    Matrix6 out = Matrix6::Identity();
    const int frame = model_.nodes[static_cast<std::size_t>(node)].frame;
    if (frame >= 0)
      out.topLeftCorner<3, 3>() = out.bottomRightCorner<3, 3>() = model_.frames[static_cast<std::size_t>(frame)];
    return out;
  }
  const Eigen::Vector3d& position(int node) const { return model_.nodes[static_cast<std::size_t>(node)].position; }

  void depend(int motion, Combination combination, const std::string& where) {
    const Node& node = model_.nodes[static_cast<std::size_t>(motion / 6)];
    const std::string name = fmt::format("node {} {}", node.label, component_names[motion % 6]);
    if (node.fixed >> (motion % 6) & 1u)
      throw_bad_input(where, fmt::format("{} is held and shall also follow a constraint", name),
                      "remove the support or the constraint there");
    if (!dependent.emplace(motion, std::move(combination)).second)
      throw_bad_input(where, fmt::format("{} already follows another constraint", name),
                      "let every motion be dependent only once");
  }

  void add(const RigidLink& link) {
    const Matrix6 master = axes(link.master);
    for (const int node : link.dependents) {
      if (node == link.master)
        throw_bad_input(fmt::format("rigid link {}", link.label), "a node cannot follow itself",
                        "remove the master from the list");
      const Matrix6 motion = axes(node).transpose() * rigid_arm(position(node) - position(link.master)) * master;
      for (int c = 0; c < 6; ++c) {
        if (!(link.components >> c & 1u)) continue;
        Combination combination;
        for (int k = 0; k < 6; ++k)
          if (std::abs(motion(c, k)) > 1e-15) combination.emplace_back(6 * link.master + k, motion(c, k));
        depend(6 * node + c, std::move(combination), fmt::format("rigid link {}", link.label));
      }
    }
  }

  // [fe E20] with lever arms scaled by their mean length, so that rotations of members weigh like translations.
  void add(const AverageLink& link) {
    for (AverageRow& row : rows_of(link))
      depend(row.motion, std::move(row.parts), fmt::format("averaging link {}", link.label));
  }
  std::vector<AverageRow> rows_of(const AverageLink& link) const {
    const std::string where = fmt::format("averaging link {}", link.label);
    double length = 0.0;
    for (const auto& member : link.members) length += (position(member.node) - position(link.reference)).norm();
    length = link.members.empty() ? 0.0 : length / static_cast<double>(link.members.size());
    const double turn_weight = length > 0.0 ? length * length : 1.0;
    Matrix6 normal = Matrix6::Zero();
    const auto member_rows = [&](const AverageLink::Member& member) -> Matrix6 {
      return axes(member.node).transpose() * rigid_arm(position(member.node) - position(link.reference));
    };
    const auto weight_of = [&](const AverageLink::Member& member, int c) {
      return member.components >> c & 1u ? member.weight * (c < 3 ? 1.0 : turn_weight) : 0.0;
    };
    for (const auto& member : link.members) {
      const Matrix6 rows = member_rows(member);
      for (int c = 0; c < 6; ++c) normal += weight_of(member, c) * rows.row(c).transpose() * rows.row(c);
    }
    Matrix6 scale = Matrix6::Identity();
    if (length > 0.0) scale.bottomRightCorner<3, 3>() /= length;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(Eigen::MatrixXd(scale * normal * scale));
    if (!(eigen.eigenvalues()[0] > 1e-10 * eigen.eigenvalues()[5]))
      throw_bad_input(where,
                      "the members do not determine the six motions of the reference (all on one line or one point?)",
                      "add members beside the line or rotations to the components");
    const Matrix6 inverse = scale * eigen.eigenvectors() * eigen.eigenvalues().cwiseInverse().asDiagonal() *
                            eigen.eigenvectors().transpose() * scale;
    std::array<Combination, 6> combination;
    const Matrix6 own = axes(link.reference).transpose();
    for (const auto& member : link.members) {
      const Matrix6 rows = member_rows(member);
      for (int k = 0; k < 6; ++k) {
        if (weight_of(member, k) == 0.0) continue;
        const Vector6 column = own * inverse * rows.row(k).transpose() * weight_of(member, k);
        for (int c = 0; c < 6; ++c)
          if (std::abs(column[c]) > 1e-15)
            combination[static_cast<std::size_t>(c)].emplace_back(6 * member.node + k, column[c]);
      }
    }
    std::vector<AverageRow> rows;
    for (int c = 0; c < 6; ++c)
      if (link.components >> c & 1u)
        rows.push_back({6 * link.reference + c, std::move(combination[static_cast<std::size_t>(c)])});
    return rows;
  }

  void add(const LinearConstraint& constraint) {
    const auto& first = constraint.parts.front();
    if (first.factor == 0.0)
      throw_bad_input(constraint.where, "the factor of the dependent motion is zero", "give it another first motion");
    Combination combination;
    for (std::size_t i = 1; i < constraint.parts.size(); ++i) {
      const auto& part = constraint.parts[i];
      if (part.factor != 0.0) combination.emplace_back(6 * part.node + part.component, -part.factor / first.factor);
    }
    depend(6 * first.node + first.component, std::move(combination), constraint.where);
  }

  // By independent motions only. Depth first with a stack of its own: chains may be long.
  const Combination& resolved(int motion) {
    enum State { open = 1, done = 2 };
    std::vector<int> stack{motion};
    while (!stack.empty()) {
      const int now = stack.back();
      int& state = state_[now];
      if (state == done) {
        stack.pop_back();
        continue;
      }
      bool ready = true;
      for (const auto& [other, factor] : dependent.at(now)) {
        const auto found = dependent.find(other);
        if (found == dependent.end() || state_[other] == done) continue;
        if (state_[other] == open)
          throw_bad_input(fmt::format("node {}", model_.nodes[static_cast<std::size_t>(other / 6)].label),
                          "its motion depends on itself through a circle of constraints",
                          "break the circle of rigid links and constraints");
        stack.push_back(other), ready = false;
      }
      if (!ready) {
        state_[now] = open;
        continue;
      }
      std::map<int, double> sum;
      for (const auto& [other, factor] : dependent.at(now)) {
        if (!dependent.contains(other)) {
          sum[other] += factor;
          continue;
        }
        for (const auto& [base, inner] : final_.at(other)) sum[base] += factor * inner;
      }
      final_[now] = Combination(sum.begin(), sum.end());
      state_[now] = done;
      stack.pop_back();
    }
    return final_.at(motion);
  }

 private:
  const Model& model_;
  std::unordered_map<int, int> state_;
  std::unordered_map<int, Combination> final_;
};

}  // namespace

std::vector<AverageRow> average_rows(const Model& model, const AverageLink& link) {
  return Resolver(model).rows_of(link);
}

DofMap make_dof_map(const Model& model, const std::vector<unsigned>& touched, const std::vector<unsigned>& held) {
  const int nodes = static_cast<int>(model.nodes.size());
  Resolver resolver(model);
  for (const RigidLink& link : model.rigid_links) resolver.add(link);
  for (const AverageLink& link : model.average_links) resolver.add(link);
  for (const LinearConstraint& constraint : model.constraints) resolver.add(constraint);

  DofMap map;
  std::vector<int> own(static_cast<std::size_t>(6 * nodes), DofMap::zero);  // unknown of an own motion
  map.first.reserve(static_cast<std::size_t>(nodes) + 1);
  for (int n = 0; n < nodes; ++n) {
    map.first.push_back(map.unknowns);
    const Node& node = model.nodes[static_cast<std::size_t>(n)];
    unsigned used = touched[static_cast<std::size_t>(n)];
    if (node.frame >= 0)
      used = (used & 0x7u ? 0x7u : 0u) | (used & 0x38u ? 0x38u : 0u);  // turned axes mix the components
    const unsigned fixed = node.fixed | (held.empty() ? 0u : held[static_cast<std::size_t>(n)]);
    for (int c = 0; c < 6; ++c) {
      if (!(used >> c & 1u) || (fixed >> c & 1u) ||
          (!resolver.dependent.empty() && resolver.dependent.contains(6 * n + c)))
        continue;
      own[static_cast<std::size_t>(6 * n + c)] = map.unknowns++;
      map.node_of.push_back(n);
      map.dofs.push_back({node.label, c + 1, {}});
    }
  }
  map.first.push_back(map.unknowns);

  map.equation.assign(static_cast<std::size_t>(6 * nodes), DofMap::zero);
  const auto own_combination = [&](int motion) {
    Combination out;
    if (!resolver.dependent.contains(motion)) {
      if (const int q = own[static_cast<std::size_t>(motion)]; q >= 0) out.emplace_back(q, 1.0);
      return out;
    }
    for (const auto& [base, factor] : resolver.resolved(motion))
      if (const int q = own[static_cast<std::size_t>(base)]; q >= 0) out.emplace_back(q, factor);
    return out;
  };
  for (int n = 0; n < nodes; ++n) {
    const int frame = model.nodes[static_cast<std::size_t>(n)].frame;
    for (int c = 0; c < 6; ++c) {
      const int motion = 6 * n + c;
      int& equation = map.equation[static_cast<std::size_t>(motion)];
      if (frame < 0 && !resolver.dependent.contains(motion)) {
        equation = own[static_cast<std::size_t>(motion)];
        continue;
      }
      std::map<int, double> sum;
      for (int k = 3 * (c / 3); k < 3 * (c / 3) + 3; ++k) {
        const double share =
            frame < 0 ? (k == c ? 1.0 : 0.0) : model.frames[static_cast<std::size_t>(frame)](c % 3, k % 3);
        if (share == 0.0) continue;
        for (const auto& [q, factor] : own_combination(6 * n + k)) sum[q] += share * factor;
      }
      if (sum.empty()) continue;
      equation = DofMap::combined;
      map.combinations.emplace(motion, Combination(sum.begin(), sum.end()));
    }
  }
  return map;
}

Eigen::MatrixXd DofMap::expand(const Eigen::MatrixXd& q) const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(equation.size()), q.cols());
  for (std::size_t i = 0; i < equation.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (equation[i] >= 0) out.row(row) = q.row(equation[i]);
    if (equation[i] == combined)
      for (const auto& [unknown, factor] : combinations.at(static_cast<int>(i)))
        out.row(row) += factor * q.row(unknown);
  }
  return out;
}

int DofMap::find(const Dof& dof) const {
  const auto found = std::find_if(dofs.begin(), dofs.end(), [&](const Dof& d) {
    return d.node == dof.node && d.direction == std::abs(dof.direction);
  });
  return found == dofs.end() ? -1 : static_cast<int>(found - dofs.begin());
}

}  // namespace kdyn::fe
