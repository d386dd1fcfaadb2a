// SPDX-License-Identifier: Apache-2.0
// Nodes, coordinate systems and connectivity of bulk data.
#include <array>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/io/nastran_deck.hpp"

namespace kdyn::inline io {
namespace {

using Vector = std::array<double, 3>;

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
bool normalise(Vector& a) {
  const double size = std::hypot(a[0], a[1], a[2]);
  if (!(size > 1e-300) || !std::isfinite(size)) return false;
  for (double& x : a) x /= size;
  return true;
}

Vector to_global(const CoordinateSystem& system, const Vector& p) {
  Vector local = p;
  if (system.kind == CoordinateKind::cylindrical) {
    local = {p[0] * std::cos(degree * p[1]), p[0] * std::sin(degree * p[1]), p[2]};
  } else if (system.kind == CoordinateKind::spherical) {
    const double theta = degree * p[1], phi = degree * p[2];
    local = {p[0] * std::sin(theta) * std::cos(phi), p[0] * std::sin(theta) * std::sin(phi), p[0] * std::cos(theta)};
  }
  Vector out = system.p_GL_G;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) out[i] += system.R_GL[i][k] * local[k];
  return out;
}

// Origin, a point on the z axis, a point in the xz plane.
bool set_axes(CoordinateSystem& system, const Vector& a, const Vector& b, const Vector& c) {
  Vector z = minus(b, a);
  if (!normalise(z)) return false;
  Vector y = cross(z, minus(c, a));
  if (!normalise(y)) return false;
  const Vector x = cross(y, z);
  for (std::size_t i = 0; i < 3; ++i) system.R_GL[i] = {x[i], y[i], z[i]};
  system.p_GL_G = a;
  return true;
}

struct ElementKind {
  std::size_t first_node, nodes;  // field of the first node and the most nodes it may have
  int type[2];                    // FE descriptor of the linear and the quadratic form
  std::size_t linear;             // nodes of the linear form
};
const std::unordered_map<std::string_view, ElementKind> element_kinds = {
    {"CQUAD4", {4, 4, {44, 44}, 4}},    {"CQUADR", {4, 4, {44, 44}, 4}},    {"CTRIA3", {4, 3, {41, 41}, 3}},
    {"CTRIAR", {4, 3, {41, 41}, 3}},    {"CQUAD8", {4, 8, {44, 45}, 4}},    {"CTRIA6", {4, 6, {41, 42}, 3}},
    {"CBAR", {4, 2, {21, 21}, 2}},      {"CBEAM", {4, 2, {21, 21}, 2}},     {"CROD", {4, 2, {11, 11}, 2}},
    {"CTUBE", {4, 2, {11, 11}, 2}},     {"CONROD", {3, 2, {11, 11}, 2}},    {"CHEXA", {4, 20, {115, 116}, 8}},
    {"CPENTA", {4, 15, {112, 113}, 6}}, {"CTETRA", {4, 10, {111, 118}, 4}}, {"CBUSH", {4, 2, {136, 136}, 2}},
    {"CBUSH1D", {4, 2, {136, 136}, 2}}};

CoordinateKind kind_of(char letter) {
  return letter == 'R' ? CoordinateKind::cartesian
                       : (letter == 'C' ? CoordinateKind::cylindrical : CoordinateKind::spherical);
}

class GeometryReader {
 public:
  explicit GeometryReader(NastranDeck& deck) : deck_(deck) { systems_[0] = {}; }

  Geometry run() {
    for (const NastranCard& card : deck_.cards)
      if (card.name == "GRDSET")
        guarded(card, [&] { default_cp_ = deck_.integer(card, 3, 0), default_cd_ = deck_.integer(card, 7, 0); });
    read_systems();
    for (const NastranCard& card : deck_.cards) {
      if (card.name == "GRID")
        guarded(card, [&] { read_node(card); });
      else if (const auto kind = element_kinds.find(card.name); kind != element_kinds.end())
        guarded(card, [&] { read_element(card, kind->second); });
    }
    return std::move(out_);
  }

 private:
  template <class Work>
  void guarded(const NastranCard& card, Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      if (deck_.findings.size() < 200)
        deck_.findings.push_back({Severity::serious, "bad_card",
                                  error.where().empty() ? deck_.where(card) : error.where(), error.message(),
                                  error.remedy()});
    }
  }

  // A system that waits for another one, or for nodes that do.
  struct Waiting {
    const NastranCard* card;
    std::size_t first;  // field of its label: a CORD1 card holds two systems
  };

  // Systems may refer to systems further down; a pass resolves one level of them.
  void read_systems() {
    constexpr int deepest = 100;
    std::vector<Waiting> waiting;
    bool by_nodes = false;
    for (const NastranCard& card : deck_.cards) {
      if (!card.name.starts_with("CORD")) continue;
      waiting.push_back({&card, 2});
      if (card.name[4] == '1' && !card.blank(6)) waiting.push_back({&card, 6});
      by_nodes = by_nodes || card.name[4] == '1';
    }
    if (by_nodes)
      for (const NastranCard& card : deck_.cards)
        if (card.name == "GRID") guarded(card, [&] { cards_.emplace(deck_.integer(card, 2), &card); });
    bool progress = true;
    for (int pass = 0; pass < deepest && progress && !waiting.empty(); ++pass) {
      std::vector<Waiting> still;
      for (const Waiting& one : waiting)
        guarded(*one.card, [&] {
          if (!read_system(one)) still.push_back(one);
        });
      progress = still.size() < waiting.size();
      waiting = std::move(still);
    }
    for (const Waiting& one : waiting)
      guarded(*one.card, [&] {
        throw_bad_input(deck_.where(*one.card),
                        "the reference coordinate system or a node does not exist, or systems are nested more than "
                        "100 deep",
                        "add it, or correct the card");
      });
  }

  bool read_system(const Waiting& one) {
    const NastranCard& card = *one.card;
    std::array<Vector, 3> p;
    if (card.name[4] == '1') {
      for (std::size_t i = 0; i < 3; ++i) {
        const auto node = cards_.find(deck_.integer(card, one.first + 1 + i));
        if (node == cards_.end()) return false;
        const auto system = systems_.find(deck_.integer(*node->second, 3, default_cp_));
        if (system == systems_.end()) return false;
        p[i] = to_global(system->second, place(*node->second));
      }
    } else {
      const auto parent = systems_.find(deck_.integer(card, 3, 0));
      if (parent == systems_.end()) return false;
      for (std::size_t i = 0; i < 9; ++i) p[i / 3][i % 3] = deck_.real(card, 4 + i, 0.0);
      for (Vector& point : p) point = to_global(parent->second, point);
    }
    CoordinateSystem system;
    system.label = deck_.integer(card, one.first);
    system.kind = kind_of(card.name[5]);
    if (!set_axes(system, p[0], p[1], p[2]))
      throw_bad_input(deck_.where(card), "the three points of the coordinate system lie on one line",
                      "repair the card");
    systems_[system.label] = system;
    out_.systems.push_back(system);
    return true;
  }

  Vector place(const NastranCard& card) const {
    return {deck_.real(card, 4, 0.0), deck_.real(card, 5, 0.0), deck_.real(card, 6, 0.0)};
  }

  void read_node(const NastranCard& card) {
    GeometryNode node;
    node.label = deck_.integer(card, 2);
    node.definition_system = deck_.integer(card, 3, default_cp_);
    node.motion_system = deck_.integer(card, 7, default_cd_);
    const auto system = systems_.find(node.definition_system);
    if (system == systems_.end())
      throw_bad_input(deck_.where(card), fmt::format("coordinate system {} does not exist", node.definition_system),
                      "add it, or correct field 3");
    node.position = to_global(system->second, place(card));
    const auto [found, fresh] = nodes_.emplace(node.label, out_.nodes.size());
    if (fresh) {
      out_.nodes.push_back(node);
      return;
    }
    // The same node in two includes is one node.
    const GeometryNode& first = out_.nodes[found->second];
    if (first.position != node.position || first.motion_system != node.motion_system)
      throw_bad_input(deck_.where(card), fmt::format("GRID {} is defined twice, in different ways", node.label),
                      "give every node its own label");
  }

  void read_element(const NastranCard& card, const ElementKind& kind) {
    GeometryElement element;
    element.label = deck_.integer(card, 2);
    element.property = card.name == "CONROD" ? element.label : deck_.integer(card, 3, element.label);
    for (std::size_t i = 0; i < kind.nodes; ++i)
      if (const std::size_t field = kind.first_node + i; !card.blank(field))
        element.nodes.push_back(deck_.integer(card, field));
    element.type = kind.type[element.nodes.size() > kind.linear ? 1 : 0];
    out_.elements.push_back(std::move(element));
  }

  NastranDeck& deck_;
  Geometry out_;
  std::unordered_map<std::int64_t, CoordinateSystem> systems_;
  std::unordered_map<std::int64_t, const NastranCard*> cards_;  // of the nodes, where systems need them
  std::unordered_map<std::int64_t, std::size_t> nodes_;
  std::int64_t default_cp_ = 0, default_cd_ = 0;
};

}  // namespace

Geometry geometry_of(NastranDeck& deck) { return GeometryReader(deck).run(); }

}  // namespace kdyn::inline io
