// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/nastran_model.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/internal/nastran_sections.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

class Builder {
 public:
  Builder(NastranDeck& deck, const NastranUnits& units) : deck_(deck), units_(units) {}

  Model run() {
    model_.name = deck_.files.empty() ? "deck" : deck_.files.front();
    read_parameters();
    read_nodes();
    read_properties();
    read_elements();
    read_constraints();
    model_.findings = deck_.findings;
    if (model_.elements.empty() && model_.springs.empty() && model_.scalar_springs.empty())
      throw_bad_input(model_.name, "the deck has no element that kdyn knows",
                      "give bulk data with shells, solids, beams or springs");
    return std::move(model_);
  }

 private:
  // Factors to SI.
  double length() const { return units_.length_m; }
  double force() const { return units_.mass_kg * units_.length_m; }
  double pressure() const { return force() / (length() * length()); }
  double density() const { return units_.mass_kg / std::pow(length(), 3); }

  [[noreturn]] void complain(const NastranCard& card, const std::string& what, const std::string& remedy) const {
    throw_bad_input(deck_.where(card), what, remedy);
  }
  void note(const NastranCard& card, const char* code, const std::string& what, const char* remedy) {
    if (deck_.findings.size() < 400)
      deck_.findings.push_back({Severity::warning, code, deck_.where(card), what, remedy});
  }

  int node(const NastranCard& card, std::size_t field) const { return node_of(card, deck_.integer(card, field)); }
  int node_of(const NastranCard& card, std::int64_t label) const {
    const auto found = nodes_.find(label);
    if (found == nodes_.end())
      complain(card, fmt::format("there is no GRID {}", label), "add the node or correct the card");
    return found->second;
  }

  unsigned components(const NastranCard& card, std::size_t field, unsigned otherwise = 0u) const {
    if (card.blank(field)) return otherwise;
    unsigned out = 0u;
    for (const char c : card.field(field)) {
      if (c < '0' || c > '6')
        complain(card, fmt::format("{} are no components", in_quotes(card.field(field))), "use digits 1 to 6");
      if (c > '0') out |= 1u << (c - '1');
    }
    return out;
  }

  // Axes of a coordinate system at a point, as columns.
  Matrix3d axes(const NastranCard& card, std::int64_t label, const Vector3d& point) const {
    if (label == 0) return Matrix3d::Identity();
    const auto found = systems_.find(label);
    if (found == systems_.end())
      complain(card, fmt::format("there is no coordinate system {}", label), "add it or correct the card");
    return axes_at(found->second, point);
  }

  void read_parameters() {
    const auto number = [&](const char* name) -> std::optional<double> {
      const auto text = deck_.parameter(name);
      return text ? nastran_number(*text) : std::nullopt;
    };
    model_.consistent_mass = number("COUPMASS").value_or(-1.0) >= 0.0;
    model_.mass_factor = number("WTMASS").value_or(1.0);
    if (const auto k6rot = number("K6ROT"); k6rot && *k6rot > 0.0) model_.drilling_factor = 1e-6 * *k6rot;
  }

  void read_nodes() {
    const std::size_t before = deck_.findings.size();
    const Geometry geometry = kdyn::geometry_of(deck_);
    for (std::size_t i = before; i < deck_.findings.size(); ++i)
      if (deck_.findings[i].severity == Severity::serious)
        throw_bad_input(deck_.findings[i].where, deck_.findings[i].message, deck_.findings[i].remedy);
    for (const CoordinateSystem& system : geometry.systems) systems_[system.label] = system;
    std::map<std::int64_t, int> cartesian;  // frames that many nodes share
    for (const NastranCard* card : deck_.named("GRID")) {
      const std::int64_t label = deck_.integer(*card, 2);
      const GeometryNode& point = geometry.nodes[model_.nodes.size()];
      demand(point.label == label, "nodes of the geometry come in the order of the cards");
      const int index = model_.add_node(label, length() * Eigen::Map<const Vector3d>(point.position.data()));
      if (!nodes_.emplace(label, index).second)
        complain(*card, fmt::format("GRID {} is defined twice", label), "give every node its own label");
      Node& made = model_.nodes.back();
      made.fixed = components(*card, 8, default_fixed());
      if (point.motion_system == 0) continue;
      const bool shared =
          systems_.contains(point.motion_system) && systems_.at(point.motion_system).kind == CoordinateKind::cartesian;
      if (const auto found = cartesian.find(point.motion_system); shared && found != cartesian.end()) {
        made.frame = found->second;
        continue;
      }
      model_.frames.push_back(axes(*card, point.motion_system, Eigen::Map<const Vector3d>(point.position.data())));
      made.frame = static_cast<int>(model_.frames.size()) - 1;
      if (shared) cartesian[point.motion_system] = made.frame;
    }
    if (const auto scalars = deck_.named("SPOINT"); !scalars.empty())
      note(*scalars.front(), "scalar_point", "scalar points are not used", "replace them by nodes");
  }
  unsigned default_fixed() const {
    const auto set = deck_.named("GRDSET");
    return set.empty() ? 0u : components(*set.front(), 8);
  }

  void read_properties() {
    for (const NastranCard* card : deck_.named("MAT1")) {
      Material m;
      m.label = deck_.integer(*card, 2);
      const bool has_e = !card->blank(3), has_g = !card->blank(4), has_nu = !card->blank(5);
      double e = deck_.real(*card, 3, 0.0), g = deck_.real(*card, 4, 0.0), nu = deck_.real(*card, 5, 0.0);
      if (!has_e && has_g && has_nu) e = 2.0 * g * (1.0 + nu);
      if (!has_nu && has_e && has_g && g > 0.0) nu = 0.5 * e / g - 1.0;
      if (!(e > 0.0) || !(nu > -1.0 && nu < 0.5))
        complain(*card, fmt::format("Young's modulus {} and Poisson ratio {} are no elastic material", e, nu),
                 "give E > 0 and -1 < NU < 0.5");
      m.young = e * pressure(), m.poisson = nu, m.density = deck_.real(*card, 6, 0.0) * density();
      m.loss = deck_.real(*card, 9, 0.0);
      if (has_g && has_e && has_nu) m.shear = g * pressure();
      materials_[m.label] = static_cast<int>(model_.materials.size());
      model_.materials.push_back(m);
    }
    for (const NastranCard& card : deck_.cards) {
      const std::string& name = card.name;
      if (name != "PSHELL" && name != "PSOLID" && name != "PROD" && name != "PBAR" && name != "PBARL" &&
          name != "PBEAM" && name != "PBEAML")
        continue;
      Property p = internal::section_of(deck_, card);
      p.label = deck_.integer(card, 2);
      const std::int64_t material = deck_.integer(card, 3);
      const auto found = materials_.find(material);
      if (found == materials_.end())
        complain(card, fmt::format("there is no MAT1 {}", material), "kdyn knows isotropic materials (MAT1) only");
      p.material = found->second;
      p.thickness *= length(), p.area *= length() * length();
      const double fourth = std::pow(length(), 4);
      p.inertia_1 *= fourth, p.inertia_2 *= fourth, p.torsion *= fourth;
      p.added_mass *= units_.mass_kg / (p.thickness > 0.0 ? length() * length() : length());
      if (!properties_.emplace(p.label, static_cast<int>(model_.properties.size())).second)
        complain(card, fmt::format("property {} is defined twice", p.label), "give every property its own label");
      model_.properties.push_back(p);
    }
  }

  int property(const NastranCard& card) const {
    const std::int64_t label = deck_.integer(card, 3);
    const auto found = properties_.find(label);
    if (found == properties_.end())
      complain(card, fmt::format("property {} is missing or of a kind kdyn does not know", label),
               "use PSHELL, PSOLID, PBAR(L), PBEAM(L) or PROD");
    return found->second;
  }

  void read_elements() {
    std::map<std::int64_t, const NastranCard*> pbush, pelas;
    for (const NastranCard* card : deck_.named("PBUSH")) pbush[deck_.integer(*card, 2)] = card;
    for (const NastranCard* card : deck_.named("PELAS"))
      for (const std::size_t field : {2u, 6u})
        if (!card->blank(field)) pelas[deck_.integer(*card, field)] = card;
    for (const NastranCard& card : deck_.cards) {
      const std::string& name = card.name;
      if (name == "CQUAD4") shell(card, Shape::quad4);
      if (name == "CTRIA3") shell(card, Shape::tria3);
      if (name == "CHEXA") solid(card, 8, Shape::hex8, 20, Shape::hex20);
      if (name == "CPENTA") solid(card, 6, Shape::wedge6, 15, Shape::wedge15);
      if (name == "CTETRA") solid(card, 4, Shape::tet4, 10, Shape::tet10);
      if (name == "CBAR" || name == "CBEAM") beam(card);
      if (name == "CROD") start(card, Shape::rod, 2, 4);
      if (name == "CBUSH") bush(card, pbush);
      if (name == "CELAS1" || name == "CELAS2") scalar(card, pelas);
      if (name == "CONM2") mass(card);
    }
  }

  Element& start(const NastranCard& card, Shape shape, int count, std::size_t first) {
    Element e;
    e.label = deck_.integer(card, 2);
    e.shape = shape;
    e.property = property(card);
    for (int i = 0; i < count; ++i)
      e.nodes[static_cast<std::size_t>(i)] = node(card, first + static_cast<std::size_t>(i));
    model_.elements.push_back(e);
    return model_.elements.back();
  }

  void shell(const NastranCard& card, Shape shape) {
    const int count = node_count(shape);
    const Element& e = start(card, shape, count, 4);
    const Property& p = model_.properties[static_cast<std::size_t>(e.property)];
    if (!(p.thickness > 0.0))
      complain(card, fmt::format("property {} has no thickness", p.label), "give PSHELL a thickness T > 0");
    const std::size_t offset_field = shape == Shape::quad4 ? 9 : 8;
    if (const double offset = deck_.real(card, offset_field, 0.0); offset != 0.0) {
      // Offsets are kept by property: a copy per distinct value.
      const auto key = std::pair(e.property, offset);
      const auto [found, fresh] = offset_properties_.emplace(key, static_cast<int>(model_.properties.size()));
      if (fresh) {
        Property copy = p;
        copy.offset = offset * length();
        model_.properties.push_back(copy);
      }
      model_.elements.back().property = found->second;
    }
  }

  void solid(const NastranCard& card, int linear, Shape linear_shape, int quadratic, Shape quadratic_shape) {
    int given = 0;
    for (int i = 0; i < quadratic; ++i) given += !card.blank(4 + static_cast<std::size_t>(i));
    if (given != linear && given != quadratic)
      complain(card, fmt::format("it has {} nodes", given), fmt::format("give {} or all {} nodes", linear, quadratic));
    const bool full = given == quadratic;
    start(card, full ? quadratic_shape : linear_shape, full ? quadratic : linear, 4);
  }

  void beam(const NastranCard& card) {
    Element& e = start(card, Shape::beam, 2, 4);
    const Vector3d a = model_.nodes[static_cast<std::size_t>(e.nodes[0])].position;
    const int frame = model_.nodes[static_cast<std::size_t>(e.nodes[0])].frame;
    const Matrix3d own = frame < 0 ? Matrix3d::Identity() : model_.frames[static_cast<std::size_t>(frame)];
    // A node as orientation, or a vector in the frame of the first end.
    const bool by_node =
        card.blank(7) && card.blank(8) && !card.blank(6) && card.field(6).find('.') == std::string_view::npos;
    if (by_node)
      e.orientation = model_.nodes[static_cast<std::size_t>(node(card, 6))].position - a;
    else
      e.orientation = own * Vector3d(deck_.real(card, 6, 0.0), deck_.real(card, 7, 0.0), deck_.real(card, 8, 0.0));
    if (!card.blank(10) || !card.blank(11))
      note(card, "pin_flag", "released ends (pin flags) are not used", "model the hinge with springs");
    for (int end = 0; end < 2; ++end) {
      Vector3d arm;
      for (int k = 0; k < 3; ++k) arm[k] = length() * deck_.real(card, static_cast<std::size_t>(12 + 3 * end + k), 0.0);
      if (arm.isZero()) continue;
      const int f = model_.nodes[static_cast<std::size_t>(e.nodes[static_cast<std::size_t>(end)])].frame;
      e.arms[static_cast<std::size_t>(end)] = f < 0 ? arm : Vector3d(model_.frames[static_cast<std::size_t>(f)] * arm);
    }
  }

  void bush(const NastranCard& card, const std::map<std::int64_t, const NastranCard*>& pbush) {
    Spring s;
    s.label = deck_.integer(card, 2);
    s.property = deck_.integer(card, 3, s.label);
    const auto found = pbush.find(s.property);
    if (found == pbush.end()) complain(card, fmt::format("there is no PBUSH {}", s.property), "add it");
    s.stiffness = internal::bush_stiffness(deck_, *found->second);
    s.loss = internal::bush_loss(deck_, *found->second);
    s.stiffness.head<3>() *= force() / length();
    s.stiffness.tail<3>() *= force() * length();
    s.a = node(card, 4);
    const Vector3d a = model_.nodes[static_cast<std::size_t>(s.a)].position;
    Vector3d b = a;
    if (!card.blank(5)) {
      s.b = node(card, 5);
      b = model_.nodes[static_cast<std::size_t>(s.b)].position;
    }
    const Vector3d along = b - a;
    const bool apart = along.norm() > 1e-9 * (a.norm() + b.norm());
    const double share = deck_.real(card, 10, 0.5);
    s.point = a + share * along;
    if (const std::int64_t system = deck_.integer(card, 11, -1);
        system >= 0) {  // OCID: offset of the point in a system
      Vector3d offset;
      for (int k = 0; k < 3; ++k) offset[k] = length() * deck_.real(card, static_cast<std::size_t>(12 + k), 0.0);
      s.point = system == 0 ? offset : Vector3d(origin(card, system) + axes(card, system, a / length()) * offset);
    }
    if (!card.blank(9)) {
      s.axes = axes(card, deck_.integer(card, 9), a / length());
    } else if (apart) {
      s.axes.col(0) = along.normalized();
      Vector3d v = Vector3d::Zero();
      const bool by_node =
          card.blank(7) && card.blank(8) && !card.blank(6) && card.field(6).find('.') == std::string_view::npos;
      if (by_node)
        v = model_.nodes[static_cast<std::size_t>(node(card, 6))].position - a;
      else
        v = Vector3d(deck_.real(card, 6, 0.0), deck_.real(card, 7, 0.0), deck_.real(card, 8, 0.0));
      Vector3d z = s.axes.col(0).cross(v);
      const bool isotropic = s.stiffness.tail<5>().isZero();  // only along its axis: any other axes do
      if (!(z.norm() > 1e-9 * v.norm()) || v.isZero()) {
        if (!isotropic)
          complain(card, "the nodes are apart and no orientation is given",
                   "give CID, an orientation node or a vector");
        z = s.axes.col(0).cross(std::abs(s.axes(0, 0)) < 0.9 ? Vector3d::UnitX() : Vector3d::UnitY());
      }
      s.axes.col(2) = z.normalized();
      s.axes.col(1) = s.axes.col(2).cross(s.axes.col(0));
    }
    model_.springs.push_back(s);
  }
  Vector3d origin(const NastranCard& card, std::int64_t label) const {
    const auto found = systems_.find(label);
    if (found == systems_.end())
      complain(card, fmt::format("there is no coordinate system {}", label), "add it or correct the card");
    return length() * Eigen::Map<const Vector3d>(found->second.p_GL_G.data());
  }

  void scalar(const NastranCard& card, const std::map<std::int64_t, const NastranCard*>& pelas) {
    ScalarSpring s;
    s.label = deck_.integer(card, 2);
    double k = 0.0;
    if (card.name == "CELAS1") {
      s.property = deck_.integer(card, 3, s.label);
      const auto found = pelas.find(s.property);
      if (found == pelas.end()) complain(card, fmt::format("there is no PELAS {}", s.property), "add it");
      k = deck_.real(*found->second, deck_.integer(*found->second, 2) == s.property ? 3 : 7, 0.0);
    } else {
      k = deck_.real(card, 3);
    }
    const auto end = [&](std::size_t field, int& n, int& component) {
      if (card.blank(field) || deck_.integer(card, field) == 0) return;
      n = node(card, field);
      const std::int64_t c = deck_.integer(card, field + 1, 0);
      if (c < 1 || c > 6) complain(card, fmt::format("component {} of a node is none of 1..6", c), "correct the card");
      component = static_cast<int>(c) - 1;
    };
    end(4, s.node_a, s.component_a);
    end(6, s.node_b, s.component_b);
    if (s.node_a < 0) std::swap(s.node_a, s.node_b), std::swap(s.component_a, s.component_b);
    if (s.node_a < 0) complain(card, "both ends are grounded", "give it a node");
    const double per_a = s.component_a < 3 ? 1.0 : length(), per_b = s.node_b < 0        ? per_a
                                                                     : s.component_b < 3 ? 1.0
                                                                                         : length();
    s.stiffness = k * force() / length() * per_a * per_b;
    model_.scalar_springs.push_back(s);
  }

  void mass(const NastranCard& card) {
    PointMass m;
    m.label = deck_.integer(card, 2);
    m.node = node(card, 3);
    const Vector3d place = model_.nodes[static_cast<std::size_t>(m.node)].position;
    const std::int64_t system = deck_.integer(card, 4, 0);
    m.mass = deck_.real(card, 5, 0.0) * units_.mass_kg;
    Vector3d offset;
    for (int k = 0; k < 3; ++k) offset[k] = length() * deck_.real(card, static_cast<std::size_t>(6 + k), 0.0);
    Matrix3d inertia = Matrix3d::Zero();  // the card gives I11, I21, I22, I31, I32, I33 with products positive
    std::size_t field = 10;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k <= i; ++k, ++field) {
        const double value = deck_.real(card, field, 0.0) * units_.mass_kg * length() * length();
        inertia(i, k) = inertia(k, i) = i == k ? value : -value;
      }
    // System -1: the offset is the position of the centre itself, axes are global.
    const Matrix3d turn = system > 0 ? axes(card, system, place / length()) : Matrix3d::Identity();
    m.offset = system == -1 ? Vector3d(offset - place) : Vector3d(turn * offset);
    m.inertia = turn * inertia * turn.transpose();
    model_.masses.push_back(m);
  }

  // Set numbers that are in force: those the case control names (through SPCADD/MPCADD), or the only one.
  std::set<std::int64_t> chosen(const char* word, const char* add, const std::vector<const NastranCard*>& cards) {
    std::optional<std::int64_t> named;
    for (const std::string& line : deck_.control) {
      const std::string lower = lower_case(line);
      const std::size_t equal = lower.find('=');
      if (equal == std::string::npos || trim(std::string_view(lower).substr(0, equal)) != word) continue;
      if (const auto value = nastran_number(trim(std::string_view(lower).substr(equal + 1)))) {
        named = static_cast<std::int64_t>(*value);
        break;
      }
    }
    std::set<std::int64_t> there;
    for (const NastranCard* card : cards) there.insert(deck_.integer(*card, 2));
    if (!named) {
      if (there.size() <= 1) return there;
      note(*cards.front(), "sets",
           fmt::format("the deck has {} sets of {} and the case control names none: none is used", there.size(), word),
           "name one in the case control");
      return {};
    }
    std::set<std::int64_t> out{*named};
    for (const NastranCard* card : deck_.named(add))
      if (deck_.integer(*card, 2) == *named)
        for (const std::int64_t label : deck_.labels(*card, 3)) out.insert(label);
    return out;
  }

  void read_constraints() {
    std::vector<const NastranCard*> supports = deck_.named("SPC");
    for (const NastranCard* card : deck_.named("SPC1")) supports.push_back(card);
    const auto spc = chosen("spc", "SPCADD", supports);
    for (const NastranCard* card : supports) {
      if (!spc.contains(deck_.integer(*card, 2))) continue;
      if (card->name == "SPC1") {
        const unsigned which = components(*card, 3);
        for (const std::int64_t label : deck_.labels(*card, 4)) {
          const auto found = nodes_.find(label);  // THRU lists skip what is not there
          if (found != nodes_.end()) model_.nodes[static_cast<std::size_t>(found->second)].fixed |= which;
        }
      } else {
        for (const std::size_t field : {3u, 6u}) {
          if (card->blank(field)) continue;
          model_.nodes[static_cast<std::size_t>(node(*card, field))].fixed |= components(*card, field + 1);
          if (deck_.real(*card, field + 2, 0.0) != 0.0)
            note(*card, "enforced", "an enforced displacement is taken as zero", "nothing, for modes");
        }
      }
    }
    for (const NastranCard* card : deck_.named("RBE2")) {
      RigidLink link;
      link.label = deck_.integer(*card, 2);
      link.master = node(*card, 3);
      link.components = components(*card, 4, 0x3fu);
      for (const std::int64_t label : deck_.labels(*card, 5)) link.dependents.push_back(node_of(*card, label));
      model_.rigid_links.push_back(std::move(link));
    }
    for (const NastranCard* card : deck_.named("RBE3")) average(*card);
    const auto cards = deck_.named("MPC");
    const auto mpc = chosen("mpc", "MPCADD", cards);
    for (const NastranCard* card : cards)
      if (mpc.contains(deck_.integer(*card, 2))) linear(*card);
  }

  void average(const NastranCard& card) {
    AverageLink link;
    link.label = deck_.integer(card, 2);
    link.reference = node(card, 4);
    link.components = components(card, 5, 0x3fu);
    double weight = 1.0;
    unsigned which = 0x7u;
    bool after_weight = false;
    for (std::size_t field = 6; field <= card.last_field(); ++field) {
      const std::string_view text = card.field(field);
      if (text.empty()) continue;
      if (lower_case(text) == "um" || lower_case(text) == "alpha") {
        if (lower_case(text) == "um")
          note(card, "um", "the UM list is not used: the reference is the dependent node", "check that this is meant");
        break;
      }
      if (text.find_first_of(".eE+-") != std::string_view::npos) {
        weight = deck_.real(card, field);
        after_weight = true;
      } else if (after_weight) {
        which = components(card, field);
        after_weight = false;
      } else {
        link.members.push_back({node(card, field), weight, which});
      }
    }
    if (link.members.empty()) complain(card, "it has no independent node", "give a weight, components and nodes");
    model_.average_links.push_back(std::move(link));
  }

  void linear(const NastranCard& card) {
    LinearConstraint constraint;
    constraint.where = deck_.where(card);
    for (std::size_t field = 3; field <= card.last_field(); field += 3) {
      if ((field - 2) % 8 == 7) ++field;               // the last field of a line is not used...
      if (field > 2 && (field - 2) % 8 == 0) ++field;  // ...nor the first of a continuation
      if (card.blank(field)) continue;
      const std::int64_t c = deck_.integer(card, field + 1, 0);
      if (c < 1 || c > 6) complain(card, fmt::format("component {} is none of 1..6", c), "correct the card");
      constraint.parts.push_back({node(card, field), static_cast<int>(c) - 1, deck_.real(card, field + 2, 0.0)});
    }
    if (constraint.parts.size() < 2) complain(card, "it ties fewer than two motions", "give at least two");
    model_.constraints.push_back(std::move(constraint));
  }

  NastranDeck& deck_;
  const NastranUnits& units_;
  Model model_;
  std::unordered_map<std::int64_t, int> nodes_;
  std::map<std::int64_t, CoordinateSystem> systems_;
  std::map<std::int64_t, int> materials_, properties_;
  std::map<std::pair<int, double>, int> offset_properties_;
};

}  // namespace

Matrix3d axes_at(const CoordinateSystem& system, const Vector3d& point) {
  Matrix3d r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = system.R_GL[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  if (system.kind == CoordinateKind::cartesian) return r;
  const Vector3d local = r.transpose() * (point - Eigen::Map<const Vector3d>(system.p_GL_G.data()));
  const double angle = std::atan2(local.y(), local.x());
  Matrix3d turn;
  turn.col(0) = Vector3d(std::cos(angle), std::sin(angle), 0.0);
  turn.col(1) = Vector3d(-std::sin(angle), std::cos(angle), 0.0);
  turn.col(2) = Vector3d::UnitZ();
  if (system.kind == CoordinateKind::spherical) {
    const double theta = std::atan2(std::hypot(local.x(), local.y()), local.z());
    const Vector3d out = std::sin(theta) * turn.col(0) + std::cos(theta) * Vector3d::UnitZ();
    const Vector3d down = std::cos(theta) * turn.col(0) - std::sin(theta) * Vector3d::UnitZ(), around = turn.col(1);
    turn.col(0) = out, turn.col(1) = down, turn.col(2) = around;
  }
  return r * turn;
}

Model model_of(NastranDeck& deck, const NastranUnits& units) { return Builder(deck, units).run(); }

Model read_nastran_model(const std::string& path, const NastranUnits& units) {
  NastranDeck deck = read_nastran(path);
  return model_of(deck, units);
}

}  // namespace kdyn::fe
