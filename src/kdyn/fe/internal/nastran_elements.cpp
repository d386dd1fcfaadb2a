// SPDX-License-Identifier: Apache-2.0
// Shells, solids, beams and rods.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/internal/nastran_builder.hpp"
#include "kdyn/fe/shell.hpp"

namespace kdyn::fe::internal {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

bool is_whole(std::string_view field) {
  return !field.empty() && field.find_first_not_of("+-0123456789") == std::string_view::npos &&
         field.find_last_of("+-") == (field.front() == '+' || field.front() == '-' ? 0 : std::string_view::npos);
}

}  // namespace

void NastranBuilder::read_elements() {
  for (const NastranCard& card : deck_.cards) {
    if (card.name.front() != 'C' || !by_name_.contains(card.name)) continue;
    const std::string& name = card.name;
    if (name == "CQUAD4" || name == "CQUADR" || name == "CTRIA3" || name == "CTRIAR" || name == "CQUAD8" ||
        name == "CTRIA6")
      shell(card);
    else if (name == "CHEXA" || name == "CPENTA" || name == "CTETRA")
      solid(card);
    else if (name == "CPYRAM")
      pyramid(card);
    else if (name == "CBAR" || name == "CBEAM")
      beam(card);
    else if (name == "CROD" || name == "CTUBE" || name == "CONROD")
      rod(card);
  }
}

Element& NastranBuilder::start(const NastranCard& card, Shape shape, int count, std::size_t first, int property) {
  Element e;
  e.label = deck_.integer(card, 2);
  e.shape = shape;
  e.property = property;
  for (int i = 0; i < count; ++i)
    e.nodes[static_cast<std::size_t>(i)] = place_node(card, deck_.integer(card, first + static_cast<std::size_t>(i)));
  model_.elements.push_back(e);
  return model_.elements.back();
}

Element& NastranBuilder::start(const NastranCard& card, Shape shape, const std::vector<int>& nodes, int property) {
  Element e;
  e.label = deck_.integer(card, 2);
  e.shape = shape;
  e.property = property;
  std::copy(nodes.begin(), nodes.end(), e.nodes.begin());
  model_.elements.push_back(e);
  return model_.elements.back();
}

std::vector<int> NastranBuilder::nodes_with_midsides(const NastranCard& card, int corners,
                                                     const std::vector<std::array<int, 2>>& sides, bool turning) {
  std::vector<int> out;
  for (int i = 0; i < corners; ++i)
    out.push_back(place_node(card, deck_.integer(card, static_cast<std::size_t>(4 + i))));
  bool any = false;
  for (std::size_t i = 0; i < sides.size(); ++i) any = any || !card.blank(4 + static_cast<std::size_t>(corners) + i);
  if (!any) return out;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::size_t field = 4 + static_cast<std::size_t>(corners) + i;
    if (!card.blank(field)) {
      out.push_back(place_node(card, deck_.integer(card, field)));
      continue;
    }
    // The side is straight and its displacement linear: a node half way that follows the corners.
    const int a = out[static_cast<std::size_t>(sides[i][0])], b = out[static_cast<std::size_t>(sides[i][1])];
    const auto [found, fresh] = middles_.emplace(std::array{std::min(a, b), std::max(a, b)}, 0);
    if (fresh) {
      std::int64_t label = 1;
      for (const Node& node : model_.nodes) label = std::max(label, node.label + 1);
      const Vector3d middle = 0.5 * (model_.nodes[static_cast<std::size_t>(a)].position +
                                     model_.nodes[static_cast<std::size_t>(b)].position);
      found->second = model_.add_node(label, middle);
      nodes_.emplace(label, found->second);
      for (int c = 0; c < (turning ? 6 : 3); ++c) {
        LinearConstraint half;
        half.where = deck_.where(card);
        half.parts.push_back({found->second, c, 1.0});
        for (const int end : {a, b}) {
          const Matrix3d frame = frame_of(end);
          for (int j = 0; j < 3; ++j)
            if (const double share = frame(c % 3, j); std::abs(share) > 1e-14)
              half.parts.push_back({end, c < 3 ? j : 3 + j, -0.5 * share});
        }
        model_.constraints.push_back(std::move(half));
      }
    }
    out.push_back(found->second);
  }
  return out;
}

ElementDetail& NastranBuilder::detail(Element& e) {
  if (e.detail < 0) {
    e.detail = static_cast<int>(model_.details.size());
    model_.details.emplace_back();
  }
  return model_.details[static_cast<std::size_t>(e.detail)];
}

void NastranBuilder::shell(const NastranCard& card) {
  const bool quad = card.name.starts_with("CQUAD"), many = card.name == "CQUAD8" || card.name == "CTRIA6";
  const int corners = quad ? 4 : 3;
  const int property = property_of(card, {"PSHELL", "PCOMP", "PCOMPG"});
  const std::vector<std::array<int, 2>> sides = !many  ? std::vector<std::array<int, 2>>()
                                                : quad ? std::vector<std::array<int, 2>>{{0, 1}, {1, 2}, {2, 3}, {3, 0}}
                                                       : std::vector<std::array<int, 2>>{{0, 1}, {1, 2}, {2, 0}};
  const std::vector<int> nodes = nodes_with_midsides(card, corners, sides, true);
  const auto given = static_cast<int>(nodes.size());
  Element& e = start(card, given == 8 ? Shape::quad8 : quad ? Shape::quad4 : Shape::tria3, nodes, property);
  set_shell_details(card, e, corners);
  if (given != 6) return;
  // Six nodes: four triangles of three nodes, each with its first side along that of the whole (or against it), so that
  // the angle of the material is the same.
  const Element whole = model_.elements.back();
  model_.elements.pop_back();
  for (const auto& places : {std::array{0, 3, 5}, std::array{3, 1, 4}, std::array{5, 4, 2}, std::array{4, 5, 3}}) {
    Element part = whole;
    for (std::size_t i = 0; i < 3; ++i) part.nodes[i] = whole.nodes[static_cast<std::size_t>(places[i])];
    model_.elements.push_back(part);
  }
}

// Fields behind the nodes: CQUAD4/R theta 8, offset 9, T 12..15 (flag 11); CTRIA3/R 7, 8, T 12..14; CQUAD8 T 12..15,
// theta 16, offset 17, flag 18; CTRIA6 theta 10, offset 11, T 12..14, flag 15.
void NastranBuilder::set_shell_details(const NastranCard& card, Element& e, int corners) {
  const bool many = card.name == "CQUAD8" || card.name == "CTRIA6";
  const std::size_t turn = many ? (corners == 4 ? 16 : 10) : (corners == 4 ? 8 : 7);
  const std::size_t flag = many ? (corners == 4 ? 18 : 15) : 11;
  const Property p = model_.properties[static_cast<std::size_t>(e.property)];
  if (!(p.thickness > 0.0))
    complain(card, fmt::format("property {} has no thickness", p.label), "give PSHELL a thickness T > 0");
  if (const double offset = deck_.real(card, turn + 1, 0.0) * length(); offset != 0.0) {
    // Offsets are kept by property: a copy per distinct value.
    const auto key = std::pair(e.property, offset);
    const auto [found, fresh] = offset_properties_.emplace(key, static_cast<int>(model_.properties.size()));
    if (fresh) {
      Property copy = p;
      copy.offset += offset;
      model_.properties.push_back(copy);
    }
    e.property = found->second;
  }
  // Thickness at corners: of plain plates; laminates have that of their plies.
  std::array<double, 4> thickness = {};
  bool own = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(corners); ++i) {
    const bool relative = deck_.integer(card, flag, 0) == 1;
    thickness[i] = card.blank(12 + i) ? p.thickness : deck_.real(card, 12 + i) * (relative ? p.thickness : length());
    own = own || std::abs(thickness[i] - p.thickness) > 1e-9 * p.thickness;
    if (thickness[i] < 0.0) complain(card, "the thickness of a corner is negative", "give T1 to T4 from zero on");
    thickness[i] = std::max(thickness[i], 1e-6 * p.thickness);  // a plate may run out at its edge
  }
  const auto property_card = property_cards_.find(p.label);
  if (own && property_card != property_cards_.end() && property_card->second->name == "PSHELL") {
    if (p.shell_law >= 0)
      complain(card, "corners have a thickness of their own on a plate of several materials",
               "give it one thickness, or one MAT1 for MID1, MID2 and MID3");
    if (card.name == "CQUAD8" || card.name == "CTRIA6")
      complain(card, "corners have a thickness of their own", "give shells with midside nodes one thickness");
    detail(e).thickness = thickness;
  }
  if (p.shell_law < 0 || card.blank(turn)) return;
  // The same in all directions: axes do not matter.
  const ShellLaw& law = model_.shell_laws[static_cast<std::size_t>(p.shell_law)];
  const TurnedLaw across = turned(law, 0.5);
  if ((across.membrane - law.membrane).norm() <= 1e-9 * law.membrane.norm() &&
      (across.bending - law.bending).norm() <= 1e-9 * law.bending.norm() &&
      (across.shear - law.shear).norm() <= 1e-9 * law.shear.norm() && law.coupling.isZero(0.0))
    return;
  double angle = 0.0;
  if (is_whole(card.field(turn))) {
    // The x axis of a coordinate system, seen along the normal, from the side of the first two nodes.
    const auto place = [&](int i) {
      return model_.nodes[static_cast<std::size_t>(e.nodes[static_cast<std::size_t>(i)])].position;
    };
    Vector3d centre = Vector3d::Zero();
    for (int i = 0; i < corners; ++i) centre += place(i) / corners;
    const Vector3d normal = (corners == 4 ? (place(2) - place(0)).cross(place(3) - place(1))
                                          : (place(1) - place(0)).cross(place(2) - place(0)))
                                .normalized();
    const Vector3d side = (place(1) - place(0)) - normal * normal.dot(place(1) - place(0));
    const Vector3d x = axes(card, deck_.integer(card, turn), centre / length()).col(0);
    const Vector3d flat = x - normal * normal.dot(x);
    if (!(flat.norm() > 1e-6))
      complain(card, "the x axis of the material's system stands on the element", "choose another system");
    angle = std::atan2(normal.dot(side.cross(flat)), side.dot(flat));
  } else {
    angle = degree * deck_.real(card, turn);
  }
  if (angle != 0.0) detail(e).angle = angle;
}

void NastranBuilder::solid(const NastranCard& card) {
  using Sides = std::vector<std::array<int, 2>>;
  static const Sides cube = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 5},
                             {2, 6}, {3, 7}, {4, 5}, {5, 6}, {6, 7}, {7, 4}},
                     wedge = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 4}, {2, 5}, {3, 4}, {4, 5}, {5, 3}},
                     tetrahedron = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  const bool hexa = card.name == "CHEXA", penta = card.name == "CPENTA";
  const int linear = hexa ? 8 : penta ? 6 : 4;
  const std::vector<int> nodes = nodes_with_midsides(card, linear, hexa ? cube : penta ? wedge : tetrahedron, false);
  const bool full = static_cast<int>(nodes.size()) > linear;
  const Shape shape = hexa    ? (full ? Shape::hex20 : Shape::hex8)
                      : penta ? (full ? Shape::wedge15 : Shape::wedge6)
                              : (full ? Shape::tet10 : Shape::tet4);
  start(card, shape, nodes, property_of(card, {"PSOLID", "PCOMPS"}));
}

// Five nodes: tetrahedra over both diagonals of the base, each with half of the material, so that no diagonal is
// preferred.
void NastranBuilder::pyramid(const NastranCard& card) {
  for (std::size_t field = 9; field <= 16; ++field)
    if (!card.blank(field))
      complain(card, "pyramids with midside nodes are not supported", "leave the midside nodes out");
  std::array<int, 5> n{};
  for (std::size_t i = 0; i < 5; ++i) n[i] = place_node(card, deck_.integer(card, 4 + i));
  const auto place = [&](std::size_t i) -> const Vector3d& {
    return model_.nodes[static_cast<std::size_t>(n[i])].position;
  };
  if ((place(2) - place(0)).cross(place(3) - place(1)).dot(place(4) - place(0)) < 0.0) std::swap(n[1], n[3]);
  const int whole = property_of(card, {"PSOLID", "PCOMPS"});
  const auto [found, fresh] = halves_.emplace(whole, static_cast<int>(model_.properties.size()));
  if (fresh) {
    Property half = model_.properties[static_cast<std::size_t>(whole)];
    Material material = model_.materials[static_cast<std::size_t>(half.material)];
    material.young *= 0.5, material.shear *= 0.5, material.density *= 0.5;
    half.material = static_cast<int>(model_.materials.size());
    model_.materials.push_back(material);
    if (half.solid_law >= 0) {
      SolidLaw law = model_.solid_laws[static_cast<std::size_t>(half.solid_law)];
      law.elasticity *= 0.5;
      half.solid_law = static_cast<int>(model_.solid_laws.size());
      model_.solid_laws.push_back(law);
    }
    model_.properties.push_back(half);
  }
  for (const auto& [a, b, c] : {std::array{0, 1, 2}, std::array{0, 2, 3}, std::array{0, 1, 3}, std::array{1, 2, 3}})
    start(card, Shape::tet4,
          {n[static_cast<std::size_t>(a)], n[static_cast<std::size_t>(b)], n[static_cast<std::size_t>(c)], n[4]},
          found->second);
}

void NastranBuilder::beam(const NastranCard& card) {
  const bool bar = card.name == "CBAR";
  const Cards& defaults = named(bar ? "BAROR" : "BEAMOR");
  const NastranCard* common = defaults.empty() ? nullptr : defaults.front();
  const std::int64_t fallback = common && !common->blank(3) ? deck_.integer(*common, 3) : deck_.integer(card, 2);
  const int property = bar ? this->property(card, deck_.integer(card, 3, fallback), {"PBAR", "PBARL"})
                           : this->property(card, deck_.integer(card, 3, fallback), {"PBEAM", "PBEAML"});
  Element& e = start(card, Shape::beam, 2, 4, property);
  const auto end = [&](int i) -> const Node& {
    return model_.nodes[static_cast<std::size_t>(e.nodes[static_cast<std::size_t>(i)])];
  };
  const Vector3d a = end(0).position, along = end(1).position - a;
  // How vectors are meant: orientation in the frame of the first end (G) or basic (B), offsets in frames (G) or along
  // the beam (O).
  std::string how = "ggg";
  for (const NastranCard* from : {common, &card})
    if (from && !from->blank(9) && !nastran_number(from->field(9))) how = lower_case(from->field(9));
  if (how.size() != 3 || (how[0] != 'g' && how[0] != 'b') || how.find_first_not_of("go", 1) != std::string::npos)
    complain(card, fmt::format("the kind of vectors {} is not supported", in_quotes(how)),
             "use GGG, BGG, GGO, GOG or GOO");
  const NastranCard& oriented = card.blank(6) && card.blank(7) && card.blank(8) && common != nullptr ? *common : card;
  const bool by_node = oriented.blank(7) && oriented.blank(8) && is_whole(oriented.field(6));
  if (by_node)
    e.orientation = model_.nodes[static_cast<std::size_t>(place_node(card, deck_.integer(oriented, 6)))].position - a;
  else
    e.orientation = (how[0] == 'b' ? Matrix3d(Matrix3d::Identity()) : frame_of(e.nodes[0])) *
                    Vector3d(deck_.real(oriented, 6, 0.0), deck_.real(oriented, 7, 0.0), deck_.real(oriented, 8, 0.0));
  const std::array<unsigned, 2> released = {components(card, 10), components(card, 11)};
  if (released[0] != 0u || released[1] != 0u) detail(e).released = released;
  if (!bar && (!card.blank(18) || !card.blank(19)))
    complain(card, "warping of the section (SA, SB) is not supported", "leave SA and SB blank");
  for (int i = 0; i < 2; ++i) {
    Vector3d arm;
    for (int k = 0; k < 3; ++k) arm[k] = length() * deck_.real(card, static_cast<std::size_t>(12 + 3 * i + k), 0.0);
    if (arm.isZero()) continue;
    Matrix3d turn = frame_of(e.nodes[static_cast<std::size_t>(i)]);
    if (how[static_cast<std::size_t>(1 + i)] == 'o') {
      turn.col(0) = along.normalized();
      turn.col(2) = turn.col(0).cross(e.orientation).normalized();
      turn.col(1) = turn.col(2).cross(turn.col(0));
    }
    e.arms[static_cast<std::size_t>(i)] = turn * arm;
  }
}

void NastranBuilder::rod(const NastranCard& card) {
  if (card.name != "CONROD") {
    start(card, Shape::rod, 2, 4, property_of(card, {card.name == "CROD" ? "PROD" : "PTUBE"}));
    return;
  }
  // A rod that brings its section along: a property of its own under its label, or the next free one.
  Property p;
  p.label = deck_.integer(card, 2);
  if (properties_.contains(p.label) || property_cards_.contains(p.label))
    p.label = std::max(property_cards_.rbegin()->first, properties_.empty() ? 0 : properties_.rbegin()->first) + 1;
  p.material = isotropic_material(card, deck_.integer(card, 5));
  p.area = deck_.real(card, 6, 0.0) * std::pow(length(), 2);
  p.torsion = deck_.real(card, 7, 0.0) * std::pow(length(), 4);
  p.added_mass = deck_.real(card, 9, 0.0) * settings_.mass_kg / length();
  model_.properties.push_back(p);
  properties_[p.label] = static_cast<int>(model_.properties.size()) - 1;
  start(card, Shape::rod, 2, 3, properties_[p.label]);
}

}  // namespace kdyn::fe::internal
