// SPDX-License-Identifier: Apache-2.0
// Springs, masses and matrices that come as numbers.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/internal/nastran_builder.hpp"
#include "kdyn/fe/internal/nastran_sections.hpp"
#include "kdyn/io/dmig.hpp"

namespace kdyn::fe::internal {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

}  // namespace

void NastranBuilder::read_springs() {
  std::map<std::int64_t, const NastranCard*> pbush;
  for (const NastranCard* card : named("PBUSH")) pbush[deck_.integer(*card, 2)] = card;
  for (const NastranCard& card : deck_.cards) {
    if (card.name.front() != 'C' || !by_name_.contains(card.name)) continue;
    if (card.name == "CBUSH")
      bush(card, pbush);
    else if (card.name == "CBUSH1D")
      bush_line(card);
    else if (card.name == "CSHEAR")
      shear_sheet(card);
    else if (card.name == "CGAP")
      gap(card);
    else if (card.name == "CBEND")
      bend(card);
    else if (card.name.starts_with("CELAS"))
      scalar(card);
    else if (card.name.starts_with("CMASS"))
      scalar_mass(card);
    else if (card.name == "CONM2")
      point_mass(card);
    else if (card.name == "CONM1")
      mass_matrix(card);
  }
  for (const NastranCard* card : named("GENEL")) general(*card);
  direct_matrices();
}

// Axes of a spring: a system, or x along the line between its nodes and y towards a node or vector.
void NastranBuilder::set_bush_axes(const NastranCard& card, Spring& s, std::size_t system_field,
                                   std::size_t vector_field) {
  const Vector3d a = model_.nodes[static_cast<std::size_t>(s.a)].position,
                 b = s.b < 0 ? a : model_.nodes[static_cast<std::size_t>(s.b)].position, along = b - a;
  if (!card.blank(system_field)) {
    s.axes = axes(card, deck_.integer(card, system_field), a / length());
    return;
  }
  if (!(along.norm() > 1e-9 * (a.norm() + b.norm()))) return;
  s.axes.col(0) = along.normalized();
  Vector3d v = Vector3d::Zero();
  if (vector_field > 0) {
    const std::string_view first = card.field(vector_field);
    const bool by_node = card.blank(vector_field + 1) && card.blank(vector_field + 2) && !first.empty() &&
                         first.find('.') == std::string_view::npos;
    if (by_node)
      v = model_.nodes[static_cast<std::size_t>(place_node(card, deck_.integer(card, vector_field)))].position - a;
    else
      v = frame_of(s.a) * Vector3d(deck_.real(card, vector_field, 0.0), deck_.real(card, vector_field + 1, 0.0),
                                   deck_.real(card, vector_field + 2, 0.0));
  }
  Vector3d z = s.axes.col(0).cross(v);
  if (!(z.norm() > 1e-9 * v.norm()) || v.isZero()) {
    // Along and about its axis only: any other axes do.
    const bool any_axes =
        s.stiffness[1] == 0.0 && s.stiffness[2] == 0.0 && s.stiffness[4] == 0.0 && s.stiffness[5] == 0.0;
    if (!any_axes)
      complain(card, "the nodes are apart and no orientation is given", "give CID, an orientation node or a vector");
    z = s.axes.col(0).cross(std::abs(s.axes(0, 0)) < 0.9 ? Vector3d::UnitX() : Vector3d::UnitY());
  }
  s.axes.col(2) = z.normalized();
  s.axes.col(1) = s.axes.col(2).cross(s.axes.col(0));
}

void NastranBuilder::bush(const NastranCard& card, const std::map<std::int64_t, const NastranCard*>& pbush) {
  Spring s;
  s.label = deck_.integer(card, 2);
  s.property = deck_.integer(card, 3, s.label);
  const auto found = pbush.find(s.property);
  if (found == pbush.end()) complain(card, fmt::format("there is no PBUSH {}", s.property), "add it");
  s.stiffness = bush_stiffness(deck_, *found->second);
  s.loss = bush_loss(deck_, *found->second);
  s.stiffness.head<3>() *= force() / length();
  s.stiffness.tail<3>() *= force() * length();
  s.a = place_node(card, deck_.integer(card, 4));
  if (!card.blank(5)) s.b = place_node(card, deck_.integer(card, 5));
  const Vector3d a = model_.nodes[static_cast<std::size_t>(s.a)].position,
                 b = s.b < 0 ? a : model_.nodes[static_cast<std::size_t>(s.b)].position;
  s.point = a + deck_.real(card, 10, 0.5) * (b - a);
  if (const std::int64_t system = deck_.integer(card, 11, -1); system >= 0) {  // OCID: the point in a system
    Vector3d offset;
    for (int k = 0; k < 3; ++k) offset[k] = length() * deck_.real(card, static_cast<std::size_t>(12 + k), 0.0);
    s.point = system == 0 ? offset : Vector3d(origin(card, system) + axes(card, system, a / length()) * offset);
  }
  set_bush_axes(card, s, 9, 6);
  model_.springs.push_back(s);
  // Half of its mass at each node.
  if (const double mass = bush_mass(deck_, *found->second) * settings_.mass_kg; mass != 0.0)
    for (const int n : {s.a, s.b})
      for (int c = 0; c < 3 && n >= 0; ++c) add_entry(true, 6 * n + c, 6 * n + c, 0.5 * mass);
}

// CBUSH1D: EID, PID, GA, GB, CID; PBUSH1D: PID, K, C, M.
void NastranBuilder::bush_line(const NastranCard& card) {
  Spring s;
  s.label = deck_.integer(card, 2);
  s.property = deck_.integer(card, 3, s.label);
  const auto found = property_cards_.find(s.property);
  if (found == property_cards_.end() || found->second->name != "PBUSH1D")
    complain(card, fmt::format("there is no PBUSH1D {}", s.property), "add it");
  s.stiffness[0] = deck_.real(*found->second, 3, 0.0) * force() / length();
  s.a = place_node(card, deck_.integer(card, 4));
  if (!card.blank(5)) s.b = place_node(card, deck_.integer(card, 5));
  const Vector3d a = model_.nodes[static_cast<std::size_t>(s.a)].position,
                 b = s.b < 0 ? a : model_.nodes[static_cast<std::size_t>(s.b)].position;
  if (card.blank(6) && !((b - a).norm() > 1e-9 * (a.norm() + b.norm())))
    complain(card, "its nodes lie at one place and it has no system", "give CID");
  s.point = 0.5 * (a + b);
  set_bush_axes(card, s, 6, 0);
  if (const double mass = deck_.real(*found->second, 5, 0.0) * settings_.mass_kg; mass != 0.0)
    for (const int n : {s.a, s.b})
      for (int c = 0; c < 3 && n >= 0; ++c) add_entry(true, 6 * n + c, 6 * n + c, 0.5 * mass);
  model_.springs.push_back(s);
}

NastranBuilder::Ends NastranBuilder::ends_of(const NastranCard& card, std::size_t a, std::size_t a_component,
                                             std::size_t b, std::size_t b_component) const {
  const auto end = [&](std::size_t field, std::size_t component) {
    if (card.blank(field) || deck_.integer(card, field) == 0) return -1;
    return motion(card, deck_.integer(card, field), component == 0 ? 0 : deck_.integer(card, component, 0));
  };
  Ends out{end(a, a_component), end(b, b_component)};
  if (out.a < 0) std::swap(out.a, out.b);
  if (out.a < 0) complain(card, "both ends are grounded", "give it a node");
  return out;
}

double NastranBuilder::turning(int motion) const { return motion % 6 < 3 ? 1.0 : length(); }

void NastranBuilder::scalar(const NastranCard& card) {
  ScalarSpring s;
  s.label = deck_.integer(card, 2);
  const char kind = card.name.back();
  double k = 0.0;
  if (kind == '1' || kind == '3') {
    s.property = deck_.integer(card, 3, s.label);
    bool found = false;
    for (const NastranCard* from : named("PELAS"))
      for (const std::size_t field : {2u, 6u})
        if (!from->blank(field) && deck_.integer(*from, field) == s.property)
          k = deck_.real(*from, field + 1, 0.0), found = true;
    if (!found) complain(card, fmt::format("there is no PELAS {}", s.property), "add it");
  } else {
    k = deck_.real(card, 3);
  }
  const Ends ends = kind < '3' ? ends_of(card, 4, 5, 6, 7) : ends_of(card, 4, 0, 5, 0);
  s.node_a = ends.a / 6, s.component_a = ends.a % 6;
  if (ends.b >= 0) s.node_b = ends.b / 6, s.component_b = ends.b % 6;
  s.stiffness = k * force() / length() * turning(ends.a) * turning(ends.b < 0 ? ends.a : ends.b);
  model_.scalar_springs.push_back(s);
}

void NastranBuilder::scalar_mass(const NastranCard& card) {
  const char kind = card.name.back();
  double m = 0.0;
  if (kind == '1' || kind == '3') {
    const std::int64_t property = deck_.integer(card, 3, deck_.integer(card, 2));
    bool found = false;
    for (const NastranCard* from : named("PMASS"))
      for (const std::size_t field : {2u, 4u, 6u, 8u})
        if (!from->blank(field) && deck_.integer(*from, field) == property)
          m = deck_.real(*from, field + 1, 0.0), found = true;
    if (!found) complain(card, fmt::format("there is no PMASS {}", property), "add it");
  } else {
    m = deck_.real(card, 3);
  }
  m *= settings_.mass_kg;
  const Ends ends = kind < '3' ? ends_of(card, 4, 5, 6, 7) : ends_of(card, 4, 0, 5, 0);
  const double per_a = turning(ends.a), per_b = ends.b < 0 ? per_a : turning(ends.b);
  add_entry(true, ends.a, ends.a, m * per_a * per_a);
  if (ends.b < 0) return;
  add_entry(true, ends.b, ends.b, m * per_b * per_b);
  add_entry(true, ends.a, ends.b, -m * per_a * per_b);
}

void NastranBuilder::add_entry(bool mass, int a, int b, double value) {
  if (value != 0.0) model_.entries.push_back({mass, a, b, value});
}

void NastranBuilder::point_mass(const NastranCard& card) {
  PointMass m;
  m.label = deck_.integer(card, 2);
  m.node = place_node(card, deck_.integer(card, 3));
  const Vector3d place = model_.nodes[static_cast<std::size_t>(m.node)].position;
  const std::int64_t system = deck_.integer(card, 4, 0);
  m.mass = deck_.real(card, 5, 0.0) * settings_.mass_kg;
  Vector3d offset;
  for (int k = 0; k < 3; ++k) offset[k] = length() * deck_.real(card, static_cast<std::size_t>(6 + k), 0.0);
  Matrix3d inertia = Matrix3d::Zero();  // the card gives I11, I21, I22, I31, I32, I33 with products positive
  std::size_t field = 10;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k <= i; ++k, ++field) {
      const double value = deck_.real(card, field, 0.0) * settings_.mass_kg * length() * length();
      inertia(i, k) = inertia(k, i) = i == k ? value : -value;
    }
  // System -1: the offset is the position of the centre itself, axes are global.
  const Matrix3d turn = system > 0 ? axes(card, system, place / length()) : Matrix3d::Identity();
  m.offset = system == -1 ? Vector3d(offset - place) : Vector3d(turn * offset);
  m.inertia = turn * inertia * turn.transpose();
  model_.masses.push_back(m);
}

// CONM1: EID, G, CID, then the lower triangle of a mass matrix by rows.
void NastranBuilder::mass_matrix(const NastranCard& card) {
  const int n = place_node(card, deck_.integer(card, 3));
  const Vector3d place = model_.nodes[static_cast<std::size_t>(n)].position;
  Eigen::Matrix<double, 6, 6> m;
  std::size_t field = 5;
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k <= i; ++k, ++field)
      m(i, k) = m(k, i) =
          deck_.real(card, field, 0.0) * settings_.mass_kg * (i < 3 ? 1.0 : length()) * (k < 3 ? 1.0 : length());
  // From the axes of the card to those of the node's motion.
  const Matrix3d turn = frame_of(n).transpose() * axes(card, deck_.integer(card, 4, 0), place / length());
  Eigen::Matrix<double, 6, 6> both = Eigen::Matrix<double, 6, 6>::Zero();
  both.topLeftCorner<3, 3>() = both.bottomRightCorner<3, 3>() = turn;
  m = (both * m * both.transpose()).eval();
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k <= i; ++k) add_entry(true, 6 * n + i, 6 * n + k, m(i, k));
}

// K2GG and M2GG of the case control: names of DMIG matrices, with factors, that are added to K and M.
void NastranBuilder::direct_matrices() {
  const MatrixSet set = dmig_matrices(deck_);
  for (const bool mass : {false, true})
    for (const std::string& value : case_values(mass ? "m2gg" : "k2gg")) {
      if (!set.findings.empty())
        throw_bad_input(set.findings.front().where, set.findings.front().message, set.findings.front().remedy);
      for (std::size_t first = 0; first <= value.size();) {
        const std::size_t end = std::min(value.find_first_of("+,", first), value.size());
        std::string_view term = trim(std::string_view(value).substr(first, end - first));
        first = end + 1;
        double factor = 1.0;
        if (const std::size_t star = term.find('*'); star != std::string_view::npos) {
          std::string_view number = trim(term.substr(0, star));
          if (number.starts_with('(') && number.ends_with(')')) number = number.substr(1, number.size() - 2);
          factor = nastran_number(number).value_or(std::nan(""));
          term = trim(term.substr(star + 1));
        }
        const Matrix* found = set.find(std::string(term));
        if (!std::isfinite(factor) || found == nullptr)
          throw_bad_input(model_.name,
                          fmt::format("{} = {} of the case control is no DMIG of the deck", mass ? "M2GG" : "K2GG",
                                      in_quotes(value)),
                          "add the matrix, or take the line out");
        if (found->is_complex || !found->symmetric)
          throw_bad_input(model_.name, fmt::format("matrix {} is not real and symmetric", in_quotes(found->name)),
                          "give it form 6 and type 1 or 2");
        const Matrix matrix = to_sparse(*found);
        const NastranCard& card = *named("DMIG").front();
        const auto at = [&](const Dof& dof) { return motion(card, dof.node, dof.direction); };
        for (int column = 0; column < matrix.columns; ++column)
          for (int i = matrix.column_start[static_cast<std::size_t>(column)];
               i < matrix.column_start[static_cast<std::size_t>(column) + 1]; ++i) {
            const int row = matrix.row[static_cast<std::size_t>(i)];
            if (row < column) continue;  // both triangles are there
            const int a = at(matrix.row_dofs[static_cast<std::size_t>(row)]),
                      b = at(matrix.row_dofs[static_cast<std::size_t>(column)]);
            // Direct mass is not multiplied by WTMASS.
            const double unit =
                (mass ? settings_.mass_kg / model_.mass_factor : force() / length()) * turning(a) * turning(b);
            add_entry(mass, a, b, factor * unit * matrix.real[static_cast<std::size_t>(i)]);
          }
      }
    }
}

}  // namespace kdyn::fe::internal
