// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/nastran_write.hpp"

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// A real number with a point, in at most `width` characters, with as many digits as fit.
std::string real_text(double value, int width) {
  if (value == 0.0) return "0.";
  for (int digits = 17; digits > 0; --digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    std::string exponent;
    if (const std::size_t e = text.find('e'); e != std::string::npos) {
      const int power = std::atoi(text.c_str() + e + 1);
      exponent = fmt::format("{:+d}", power);  // 1.5+7 is how decks write 1.5e7
      text.resize(e);
    }
    if (text.find('.') == std::string::npos) text += '.';
    text += exponent;
    if (text.starts_with("0.")) text.erase(0, 1);
    if (text.starts_with("-0.")) text.erase(1, 1);
    if (static_cast<int>(text.size()) <= width) return text;
  }
  return "0.";
}
double value_of(const std::string& text) {
  std::string plain = text;
  if (const std::size_t sign = plain.find_last_of("+-"); sign != std::string::npos && sign > 0)
    plain = fmt::format("{}e{}", text.substr(0, sign), text.substr(sign));
  return std::strtod(plain.c_str(), nullptr);
}

class Deck {
 public:
  explicit Deck(const Model& model) : model_(model) {}

  std::string text(const NastranWriteOptions& options) {
    refuse_what_cannot_be_written();
    for (const std::string& line : options.comments) out_ += fmt::format("$ {}\n", line);
    out_ += "SOL 103\nCEND\n";
    out_ += "METHOD = 1\n";
    if (held()) out_ += "SPC = 1\n";
    if (!model_.constraints.empty()) out_ += "MPC = 1\n";
    out_ += "BEGIN BULK\n";
    card("EIGRL", {1, {}, {}, options.modes});
    if (!model_.hold_loose_mass) card("PARAM", {"AUTOSPC", "NO"});
    if (model_.consistent_mass) card("PARAM", {"COUPMASS", 1});
    if (model_.mass_factor != 1.0) card("PARAM", {"WTMASS", model_.mass_factor});
    card("PARAM", {"K6ROT", 1e6 * model_.drilling_factor});
    nodes(), properties(), elements(), springs(), links();
    out_ += "ENDDATA\n";
    return std::move(out_);
  }

 private:
  // What a deck in SI units would need more cards for than are written here.
  void refuse_what_cannot_be_written() const {
    const auto refuse = [&](const char* what) {
      throw_bad_input(model_.name, fmt::format("{} are not written", what), "use the deck that was read");
    };
    if (!model_.shell_laws.empty()) refuse("laminates, membranes and orthotropic plates");
    if (!model_.solid_laws.empty()) refuse("orthotropic solids");
    if (!model_.beam_laws.empty()) refuse("tapered and unsymmetric beams");
    if (!model_.details.empty()) refuse("released ends, thickness at corners and smeared mass of elements");
    if (!model_.entries.empty()) refuse("scalar masses and direct matrices");
    for (const Node& node : model_.nodes)
      if (node.scalar) refuse("scalar points");
    // A pyramid is four tetrahedra of half its material, which has the label of the whole one.
    std::set<std::int64_t> labels;
    for (const Material& material : model_.materials)
      if (!labels.insert(material.label).second) refuse("pyramids");
    for (const Element& e : model_.elements)
      if ((e.shape == Shape::quad8 || e.shape == Shape::tria6) &&
          model_.properties[static_cast<std::size_t>(e.property)].offset != 0.0)
        refuse("offsets of shells with midside nodes");
  }

  struct Field {
    enum class Kind { blank, integer, real, word } kind = Kind::blank;
    std::int64_t integer = 0;
    double real = 0.0;
    std::string word;
    Field() = default;
    Field(int v) : kind(Kind::integer), integer(v) {}
    Field(std::int64_t v) : kind(Kind::integer), integer(v) {}
    Field(double v) : kind(Kind::real), real(v) {}
    Field(const char* v) : kind(Kind::word), word(v) {}
    Field(std::string v) : kind(Kind::word), word(std::move(v)) {}

    std::string text(int width) const {
      switch (kind) {
        case Kind::blank: return {};
        case Kind::integer: return std::to_string(integer);
        case Kind::real: return real_text(real, width);
        case Kind::word: return word;
      }
      return {};
    }
  };

  void card(const std::string& name, const std::vector<Field>& fields) {
    bool wide = false;
    for (const Field& field : fields) {
      if (field.kind == Field::Kind::real && value_of(real_text(field.real, 8)) != field.real) wide = true;
      if (field.kind == Field::Kind::integer && (field.integer < -1 || field.integer > 99999999))
        throw_bad_input(name, fmt::format("label {} does not fit a field of eight characters", field.integer),
                        "renumber the model");
    }
    const std::size_t per_line = wide ? 4 : 8;
    const int width = wide ? 16 : 8;
    for (std::size_t first = 0; first == 0 || first < fields.size(); first += per_line) {
      std::string line = fmt::format("{:<8}", first == 0 ? (wide ? name + "*" : name) : (wide ? "*" : "+"));
      for (std::size_t i = first; i < std::min(fields.size(), first + per_line); ++i)
        line += fmt::format("{:>{}}", fields[i].text(width), width);
      while (line.ends_with(' ')) line.pop_back();
      out_ += line, out_ += '\n';
    }
  }

  std::int64_t label(int node) const { return model_.nodes[static_cast<std::size_t>(node)].label; }
  Matrix3d frame(int node) const {
    const int f = model_.nodes[static_cast<std::size_t>(node)].frame;
    return f < 0 ? Matrix3d::Identity() : model_.frames[static_cast<std::size_t>(f)];
  }
  static std::string digits(unsigned components) {
    std::string out;
    for (int c = 0; c < 6; ++c)
      if (components & (1u << c)) out += static_cast<char>('1' + c);
    return out;
  }
  bool held() const {
    for (const Node& node : model_.nodes)
      if (node.fixed) return true;
    return false;
  }
  int system(const Matrix3d& axes) {
    if (axes.isIdentity(0.0)) return 0;
    const int id = ++systems_;
    std::vector<Field> fields = {id, 0, 0.0, 0.0, 0.0};
    for (int c : {2, 0})  // a point on the z axis, then one in the x-z plane
      for (int k = 0; k < 3; ++k) fields.emplace_back(axes(k, c));
    card("CORD2R", fields);
    return id;
  }

  void nodes() {
    std::vector<int> systems;
    for (const Matrix3d& axes : model_.frames) systems.push_back(system(axes));
    std::map<unsigned, std::vector<std::int64_t>> supports;
    for (const Node& node : model_.nodes) {
      std::vector<Field> fields = {node.label, {}, node.position.x(), node.position.y(), node.position.z()};
      if (node.frame >= 0) fields.emplace_back(systems[static_cast<std::size_t>(node.frame)]);
      card("GRID", fields);
      if (node.fixed) supports[node.fixed].push_back(node.label);
    }
    for (const auto& [components, labels] : supports) {
      std::vector<Field> fields = {1, digits(components)};
      for (const std::int64_t l : labels) fields.emplace_back(l);
      card("SPC1", fields);
    }
  }

  void properties() {
    for (const Material& m : model_.materials) {
      std::vector<Field> fields = {m.label, m.young, {}, m.poisson, m.density};
      if (m.shear > 0.0) fields[2] = m.shear;
      if (m.loss != 0.0) fields.insert(fields.end(), {Field(), Field(), Field(m.loss)});
      card("MAT1", fields);
    }
    // What a property is follows from its elements; offsets are written with these, so copies that differ in it alone
    // are one card.
    std::map<std::int64_t, bool> done;
    for (const Element& e : model_.elements) {
      const Property& p = model_.properties[static_cast<std::size_t>(e.property)];
      if (!done.emplace(p.label, true).second) continue;
      const std::int64_t material = model_.materials[static_cast<std::size_t>(p.material)].label;
      const auto mass = p.added_mass != 0.0 ? Field(p.added_mass) : Field();
      if (is_shell(e.shape)) {
        Field bending, shear, ratio;
        if (p.bending_ratio != 1.0) bending = p.bending_ratio;
        if (p.shear_ratio > 0.0) shear = material;
        if (p.shear_ratio > 0.0 && p.shear_ratio != 5.0 / 6.0) ratio = p.shear_ratio;
        card("PSHELL", {p.label, material, p.thickness, material, bending, shear, ratio, mass});
      } else if (is_solid(e.shape)) {
        card("PSOLID", {p.label, material});
      } else if (e.shape == Shape::rod) {
        card("PROD", {p.label, material, p.area, p.torsion, {}, mass});
      } else if (p.polar_inertia) {
        std::vector<Field> fields = {p.label, material, p.area, p.inertia_1, p.inertia_2, {}, p.torsion, mass};
        fields.resize(24);  // no stress points, one section
        fields[16] = p.shear_1, fields[17] = p.shear_2;
        card("PBEAM", fields);
      } else {
        std::vector<Field> fields = {p.label, material, p.area, p.inertia_1, p.inertia_2, p.torsion, mass};
        fields.resize(16);
        if (p.shear_1 > 0.0) fields.emplace_back(p.shear_1);
        if (p.shear_2 > 0.0) fields.resize(17), fields.emplace_back(p.shear_2);
        card("PBAR", fields);
      }
    }
  }

  void elements() {
    for (const Element& e : model_.elements) {
      const Property& p = model_.properties[static_cast<std::size_t>(e.property)];
      std::vector<Field> fields = {e.label, p.label};
      for (int i = 0; i < node_count(e.shape); ++i) fields.emplace_back(label(e.nodes[static_cast<std::size_t>(i)]));
      switch (e.shape) {
        case Shape::quad8: card("CQUAD8", fields); break;
        case Shape::tria6: card("CTRIA6", fields); break;
        case Shape::quad4:
        case Shape::tria3:
          if (p.offset != 0.0) fields.emplace_back(), fields.emplace_back(p.offset);
          card(e.shape == Shape::quad4 ? "CQUAD4" : "CTRIA3", fields);
          break;
        case Shape::hex8:
        case Shape::hex20: card("CHEXA", fields); break;
        case Shape::wedge6:
        case Shape::wedge15: card("CPENTA", fields); break;
        case Shape::tet4:
        case Shape::tet10: card("CTETRA", fields); break;
        case Shape::rod: card("CROD", fields); break;
        case Shape::beam: {
          const Vector3d v = frame(e.nodes[0]).transpose() * e.orientation;
          for (int k = 0; k < 3; ++k) fields.emplace_back(v[k]);
          if (!e.arms[0].isZero() || !e.arms[1].isZero()) {
            fields.resize(10);
            for (std::size_t end = 0; end < 2; ++end) {
              const Vector3d arm = frame(e.nodes[end]).transpose() * e.arms[end];
              for (int k = 0; k < 3; ++k) fields.emplace_back(arm[k]);
            }
          }
          card(p.polar_inertia ? "CBEAM" : "CBAR", fields);
          break;
        }
      }
    }
  }

  void springs() {
    // Springs of one property share its card; others get one of their own.
    std::map<std::int64_t, std::pair<Vector6, Vector6>> written;  // stiffness, loss
    std::int64_t next = 1;
    for (const Property& p : model_.properties) next = std::max(next, p.label + 1);
    for (const Spring& s : model_.springs) next = std::max(next, s.property + 1);
    for (const Spring& s : model_.springs) {
      std::int64_t property = s.property > 0 ? s.property : next++;
      if (const auto found = written.find(property);
          found != written.end() && found->second != std::pair(s.stiffness, s.loss))
        property = next++;
      if (written.emplace(property, std::pair(s.stiffness, s.loss)).second) {
        std::vector<Field> fields = {property, "K"};
        for (int c = 0; c < 6; ++c) fields.emplace_back(s.stiffness[c]);
        if (!s.loss.isZero(0.0)) {
          fields.emplace_back(), fields.emplace_back("GE");
          for (int c = 0; c < 6; ++c) fields.emplace_back(s.loss[c]);
        }
        card("PBUSH", fields);
      }
      std::vector<Field> fields = {s.label, property, label(s.a), {}, {}, {}, {}, system(s.axes)};
      if (s.b >= 0) fields[3] = label(s.b);
      fields.emplace_back();  // the point by its position, not by a share of the line
      fields.emplace_back(0);
      for (int k = 0; k < 3; ++k) fields.emplace_back(s.point[k]);
      card("CBUSH", fields);
    }
    for (const ScalarSpring& s : model_.scalar_springs) {
      std::vector<Field> fields = {s.label, s.stiffness, label(s.node_a), s.component_a + 1};
      if (s.node_b >= 0) fields.emplace_back(label(s.node_b)), fields.emplace_back(s.component_b + 1);
      card("CELAS2", fields);
    }
    for (const PointMass& m : model_.masses) {
      std::vector<Field> fields = {m.label, label(m.node), {}, m.mass, m.offset.x(), m.offset.y(), m.offset.z(), {}};
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k <= i; ++k)
          fields.emplace_back(i == k ? m.inertia(i, k) : -m.inertia(i, k));  // products with the sign of the card
      card("CONM2", fields);
    }
  }

  void links() {
    for (const RigidLink& link : model_.rigid_links) {
      std::vector<Field> fields = {link.label, label(link.master), digits(link.components)};
      for (const int node : link.dependents) fields.emplace_back(label(node));
      card("RBE2", fields);
    }
    for (const AverageLink& link : model_.average_links) {
      std::vector<Field> fields = {link.label, {}, label(link.reference), digits(link.components)};
      for (const auto& member : link.members) {
        fields.emplace_back(member.weight);
        fields.emplace_back(digits(member.components));
        fields.emplace_back(label(member.node));
      }
      card("RBE3", fields);
    }
    for (const LinearConstraint& constraint : model_.constraints) {
      std::vector<Field> fields = {1};
      for (std::size_t i = 0; i < constraint.parts.size(); ++i) {
        if (i > 0 && i % 2 == 0)
          fields.resize(fields.size() + 2);  // the last field of a line and the first of the next stay blank
        const auto& part = constraint.parts[i];
        fields.emplace_back(label(part.node)), fields.emplace_back(part.component + 1),
            fields.emplace_back(part.factor);
      }
      card("MPC", fields);
    }
  }

  const Model& model_;
  std::string out_;
  int systems_ = 0;
};

}  // namespace

std::string nastran_text(const Model& model, const NastranWriteOptions& options) { return Deck(model).text(options); }

}  // namespace kdyn::fe
