// SPDX-License-Identifier: Apache-2.0
// Supports, rigid and averaging links, linear constraints.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/beam.hpp"
#include "kdyn/fe/dof_map.hpp"
#include "kdyn/fe/internal/nastran_builder.hpp"

namespace kdyn::fe::internal {
namespace {

using Eigen::MatrixXd;

bool is_real(std::string_view text) { return text.find_first_of(".eEdD") != std::string_view::npos; }

std::vector<int> motions_in(int node, unsigned components) {
  std::vector<int> out;
  for (int c = 0; c < 6; ++c)
    if (components >> c & 1u) out.push_back(6 * node + c);
  return out;
}
void append(std::vector<int>& to, const std::vector<int>& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

void NastranBuilder::read_constraints() {
  Cards supports = named("SPC");
  for (const NastranCard* card : named("SPC1")) supports.push_back(card);
  const auto spc = chosen("spc", "SPCADD", supports);
  const auto hold = [&](int n, unsigned which) {
    Node& node = model_.nodes[static_cast<std::size_t>(n)];
    node.fixed |= node.scalar ? 1u : which;
  };
  for (const NastranCard* card : supports) {
    if (!spc.contains(deck_.integer(*card, 2))) continue;
    if (card->name == "SPC1") {
      const unsigned which = components(*card, 3);
      for (const std::int64_t label : deck_.labels(*card, 4))
        if (const auto found = nodes_.find(label); found != nodes_.end()) hold(found->second, which);
    } else {
      for (const std::size_t field : {3u, 6u}) {
        if (card->blank(field)) continue;
        hold(node(*card, field), components(*card, field + 1));
        if (deck_.real(*card, field + 2, 0.0) != 0.0)
          tell(*card, Severity::note, "enforced", "an enforced displacement is taken as zero", "nothing, for modes");
      }
    }
  }
  for (const NastranCard* card : named("RBE2")) {
    RigidLink link;
    link.label = deck_.integer(*card, 2);
    link.master = place_node(*card, deck_.integer(*card, 3));
    link.components = components(*card, 4, 0x3fu);
    // A real number at the end is the thermal expansion.
    for (std::size_t field = 5; field <= card->last_field(); ++field) {
      if (card->blank(field) || is_real(card->field(field))) continue;
      if (lower_case(card->field(field)) == "thru") {
        const std::int64_t from = deck_.integer(*card, field - 1), to = deck_.integer(*card, field + 1);
        for (std::int64_t label = from + 1; label < to; ++label)
          if (nodes_.contains(label)) link.dependents.push_back(place_node(*card, label));
        continue;
      }
      if (nastran_number(card->field(field)) && card->field(field).find_first_of("+-", 1) != std::string_view::npos)
        continue;  // 1.2-5 without a point is written 12-6
      link.dependents.push_back(place_node(*card, deck_.integer(*card, field)));
    }
    model_.rigid_links.push_back(std::move(link));
  }
  for (const char* name : {"RBAR", "RBAR1", "RTRPLT"})
    for (const NastranCard* card : named(name)) rigid_bar(*card);
  for (const NastranCard* card : named("RBE1")) rigid_by_lists(*card);
  for (const NastranCard* card : named("RROD")) rigid_rod(*card);
  for (const NastranCard* card : named("RBE3")) average(*card);
  const Cards& cards = named("MPC");
  const auto mpc = chosen("mpc", "MPCADD", cards);
  for (const NastranCard* card : cards)
    if (mpc.contains(deck_.integer(*card, 2))) linear(*card);
}

// Six independent motions that fix a rigid body, and motions that follow from them. [fe E40]
MatrixXd NastranBuilder::rigid_shares(const NastranCard& card, const std::vector<int>& independent,
                                      const std::vector<int>& dependent) const {
  if (independent.size() != 6)
    complain(card, fmt::format("{} motions are independent", independent.size()), "give six that hold a rigid body");
  const Eigen::Vector3d centre = model_.nodes[static_cast<std::size_t>(independent.front() / 6)].position;
  double size = 0.0;
  for (const auto* list : {&independent, &dependent})
    for (const int m : *list)
      size = std::max(size, (model_.nodes[static_cast<std::size_t>(m / 6)].position - centre).norm());
  if (size == 0.0) size = 1.0;
  const auto row = [&](int m) -> Eigen::Matrix<double, 1, 6> {
    const int n = m / 6, c = m % 6;
    const Matrix6 arm = rigid_arm((model_.nodes[static_cast<std::size_t>(n)].position - centre) / size);
    Matrix6 turn = Matrix6::Zero();
    turn.topLeftCorner<3, 3>() = turn.bottomRightCorner<3, 3>() = frame_of(n).transpose();
    return (turn * arm).row(c);
  };
  Matrix6 hold;
  for (int i = 0; i < 6; ++i) hold.row(i) = row(independent[static_cast<std::size_t>(i)]);
  const Eigen::FullPivLU<MatrixXd> solver{MatrixXd(hold.transpose())};
  if (!(std::abs(solver.matrixLU().diagonal()[5]) > 1e-9 * std::abs(solver.matrixLU().diagonal()[0])))
    complain(card, "the independent motions do not hold a rigid body", "choose six others");
  MatrixXd out(static_cast<Eigen::Index>(dependent.size()), 6);
  for (std::size_t k = 0; k < dependent.size(); ++k) {
    const int m = dependent[k];
    const Eigen::VectorXd share = solver.solve(row(m).transpose());
    for (int i = 0; i < 6; ++i) {
      // Rotations were scaled by the size of the link.
      const double unit = (independent[static_cast<std::size_t>(i)] % 6 < 3 ? 1.0 : size) / (m % 6 < 3 ? 1.0 : size);
      out(static_cast<Eigen::Index>(k), i) = std::abs(share[i]) > 1e-12 ? share[i] * unit : 0.0;
    }
  }
  return out;
}

void NastranBuilder::tie(const NastranCard& card, const std::vector<int>& independent,
                         const std::vector<int>& dependent) {
  const MatrixXd shares = rigid_shares(card, independent, dependent);
  for (std::size_t k = 0; k < dependent.size(); ++k) {
    LinearConstraint constraint;
    constraint.where = deck_.where(card);
    constraint.parts.push_back({dependent[k] / 6, dependent[k] % 6, 1.0});
    for (int i = 0; i < 6; ++i) {
      const int from = independent[static_cast<std::size_t>(i)];
      if (const double share = shares(static_cast<Eigen::Index>(k), i); share != 0.0)
        constraint.parts.push_back({from / 6, from % 6, -share});
    }
    if (constraint.parts.size() == 1)
      constraint.parts.push_back({independent.front() / 6, independent.front() % 6, 0.0});
    model_.constraints.push_back(std::move(constraint));
  }
}

// RBAR: GA GB CNA CNB CMA CMB; RBAR1: GA GB CB; RTRPLT: GA GB GC CNA CNB CNC CMA (continued) CMB CMC.
void NastranBuilder::rigid_bar(const NastranCard& card) {
  const std::size_t count = card.name == "RTRPLT" ? 3 : 2;
  std::vector<int> nodes, independent, dependent;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back(place_node(card, deck_.integer(card, 3 + i)));
  if (card.name == "RBAR1") {
    independent = motions_in(nodes[0], 0x3fu);
    dependent = motions_in(nodes[1], components(card, 5, 0x3fu));
  } else {
    const std::size_t free = 3 + count;
    std::vector<unsigned> follows;
    bool given = false;
    for (std::size_t i = 0; i < count; ++i) {
      append(independent, motions_in(nodes[i], components(card, free + i)));
      const std::size_t field = count == 2 ? free + count + i : (i == 0 ? 9 : 9 + i);
      follows.push_back(components(card, field));
      given = given || follows.back() != 0u;
    }
    for (std::size_t i = 0; i < count; ++i)
      append(dependent, motions_in(nodes[i], given ? follows[i] : 0x3fu & ~components(card, free + i)));
  }
  tie(card, independent, dependent);
}

// RBE1: pairs of node and components, six independent motions in all; behind UM the dependent ones. Three pairs a line.
void NastranBuilder::rigid_by_lists(const NastranCard& card) {
  std::vector<int> independent, dependent;
  bool follows = false;
  for (std::size_t field = 3; field <= card.last_field(); ++field) {
    const std::string_view text = card.field(field);
    if (text.empty() || is_real(text)) continue;
    if (lower_case(text) == "um") {
      follows = true;
      continue;
    }
    const int n = place_node(card, deck_.integer(card, field));
    append(follows ? dependent : independent, motions_in(n, components(card, field + 1)));
    ++field;
  }
  tie(card, independent, dependent);
}

// RROD: the length of a line between two nodes stays; one motion follows.
void NastranBuilder::rigid_rod(const NastranCard& card) {
  const int a = place_node(card, deck_.integer(card, 3)), b = place_node(card, deck_.integer(card, 4));
  const Eigen::Vector3d along =
      (model_.nodes[static_cast<std::size_t>(b)].position - model_.nodes[static_cast<std::size_t>(a)].position)
          .normalized();
  const bool second = card.blank(5);
  const unsigned which = components(card, second ? 6 : 5);
  if (which != 1u && which != 2u && which != 4u) complain(card, "no component follows", "give CMA or CMB: 1, 2 or 3");
  const int c = which == 1u ? 0 : which == 2u ? 1 : 2;
  LinearConstraint constraint;
  constraint.where = deck_.where(card);
  for (const bool own : {true, false})
    for (int k = 0; k < 3; ++k)
      for (const int n : {a, b}) {
        const bool is_dependent = n == (second ? b : a) && k == c;
        if (is_dependent != own) continue;
        constraint.parts.push_back({n, k, (n == a ? -1.0 : 1.0) * frame_of(n).col(k).dot(along)});
      }
  if (std::abs(constraint.parts.front().factor) < 1e-6)
    complain(card, "the component that shall follow stands across the rod", "choose another one");
  model_.constraints.push_back(std::move(constraint));
}

void NastranBuilder::average(const NastranCard& card) {
  AverageLink link;
  link.label = deck_.integer(card, 2);
  link.reference = place_node(card, deck_.integer(card, 4));
  link.components = components(card, 5, 0x3fu);
  double weight = 1.0;
  unsigned which = 0x7u;
  bool after_weight = false;
  std::vector<int> others;  // UM: motions that follow instead of those of the reference
  for (std::size_t field = 6; field <= card.last_field(); ++field) {
    const std::string_view text = card.field(field);
    if (text.empty()) continue;
    if (lower_case(text) == "alpha") break;
    if (lower_case(text) == "um") {
      for (++field; field <= card.last_field(); ++field) {
        if (card.blank(field)) continue;
        if (lower_case(card.field(field)) == "alpha") break;
        const int n = place_node(card, deck_.integer(card, field));
        append(others, motions_in(n, components(card, field + 1)));
        ++field;
      }
      break;
    }
    if (text.find_first_of(".eE+-") != std::string_view::npos) {
      weight = deck_.real(card, field);
      after_weight = true;
    } else if (after_weight) {
      which = components(card, field);
      after_weight = false;
    } else {
      link.members.push_back({place_node(card, deck_.integer(card, field)), weight, which});
    }
  }
  if (link.members.empty()) complain(card, "it has no independent node", "give a weight, components and nodes");
  if (others.empty())
    model_.average_links.push_back(std::move(link));
  else
    average_by_others(card, link, others);
}

// The equations of an averaging link, solved for other motions than those of the reference. [fe E20]
void NastranBuilder::average_by_others(const NastranCard& card, const AverageLink& link,
                                       const std::vector<int>& dependent) {
  const std::vector<int> own = motions_in(link.reference, link.components);
  if (own.size() != dependent.size())
    complain(card, fmt::format("{} motions of the reference and {} of the UM list", own.size(), dependent.size()),
             "name as many motions behind UM as the reference has");
  // Rows as the averaging link itself makes them, from a model that holds nothing else.
  const std::vector<AverageRow> rows = average_rows(model_, link);
  std::vector<int> all = own;
  for (const AverageRow& row : rows)
    for (const auto& [m, factor] : row.parts)
      if (std::find(all.begin(), all.end(), m) == all.end()) all.push_back(m);
  MatrixXd e = MatrixXd::Zero(static_cast<Eigen::Index>(own.size()), static_cast<Eigen::Index>(all.size()));
  const auto place = [&](int m) {
    const auto found = std::find(all.begin(), all.end(), m);
    if (found == all.end()) complain(card, "a motion behind UM is none of the link", "name motions of its nodes");
    return static_cast<Eigen::Index>(found - all.begin());
  };
  for (std::size_t i = 0; i < own.size(); ++i) {
    e(static_cast<Eigen::Index>(i), place(own[i])) -= 1.0;
    for (const AverageRow& row : rows)
      if (row.motion == own[i])
        for (const auto& [m, factor] : row.parts) e(static_cast<Eigen::Index>(i), place(m)) += factor;
  }
  MatrixXd left(e.rows(), e.rows());
  for (std::size_t i = 0; i < dependent.size(); ++i)
    left.col(static_cast<Eigen::Index>(i)) = e.col(place(dependent[i]));
  const Eigen::FullPivLU<MatrixXd> solver(left);
  if (!(std::abs(solver.matrixLU().diagonal()[e.rows() - 1]) > 1e-9 * std::abs(solver.matrixLU().diagonal()[0])))
    complain(card, "the motions behind UM do not follow from the others", "choose others");
  const MatrixXd share = solver.solve(e);
  for (std::size_t i = 0; i < dependent.size(); ++i) {
    LinearConstraint constraint;
    constraint.where = deck_.where(card);
    constraint.parts.push_back({dependent[i] / 6, dependent[i] % 6, 1.0});
    for (std::size_t k = 0; k < all.size(); ++k) {
      const double factor = share(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
      if (std::find(dependent.begin(), dependent.end(), all[k]) == dependent.end() && std::abs(factor) > 1e-14)
        constraint.parts.push_back({all[k] / 6, all[k] % 6, factor});
    }
    model_.constraints.push_back(std::move(constraint));
  }
}

void NastranBuilder::linear(const NastranCard& card) {
  LinearConstraint constraint;
  constraint.where = deck_.where(card);
  for (std::size_t field = 3; field <= card.last_field(); field += 3) {
    if ((field - 2) % 8 == 7) ++field;               // the last field of a line is not used...
    if (field > 2 && (field - 2) % 8 == 0) ++field;  // ...nor the first of a continuation
    if (card.blank(field)) continue;
    const int m = motion(card, deck_.integer(card, field), deck_.integer(card, field + 1, 0));
    constraint.parts.push_back({m / 6, m % 6, deck_.real(card, field + 2, 0.0)});
  }
  if (constraint.parts.empty()) complain(card, "it ties nothing", "give at least one motion");
  if (constraint.parts.size() == 1) {  // one motion alone is held
    const auto& part = constraint.parts.front();
    if (part.factor != 0.0) model_.nodes[static_cast<std::size_t>(part.node)].fixed |= 1u << part.component;
    return;
  }
  model_.constraints.push_back(std::move(constraint));
}

}  // namespace kdyn::fe::internal
