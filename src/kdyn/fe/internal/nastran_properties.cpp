// SPDX-License-Identifier: Apache-2.0
// Materials and properties.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/internal/nastran_builder.hpp"
#include "kdyn/fe/internal/nastran_sections.hpp"

namespace kdyn::fe::internal {
namespace {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

// [fe E37] Elasticity (xx yy zz xy yz zx, engineering shear) from the axes R (columns, in global ones) of the material to
// the global axes.
Matrix6d turned_elasticity(const Matrix6d& c, const Eigen::Matrix3d& r) {
  Matrix6d t;  // strains in the axes of the material from global ones
  const int pair[3][2] = {{0, 1}, {1, 2}, {2, 0}};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      t(i, k) = r(k, i) * r(k, i);
      t(i, 3 + k) = r(pair[k][0], i) * r(pair[k][1], i);
      const int a = pair[i][0], b = pair[i][1];
      t(3 + i, k) = 2.0 * r(k, a) * r(k, b);
      t(3 + i, 3 + k) = r(pair[k][0], a) * r(pair[k][1], b) + r(pair[k][1], a) * r(pair[k][0], b);
    }
  }
  return t.transpose() * c * t;
}

}  // namespace

void NastranBuilder::index_properties() {
  for (const char* name : {"MAT1", "MAT2", "MAT8", "MAT9", "MAT11"})
    for (const NastranCard* card : named(name)) material_cards_.emplace(deck_.integer(*card, 2), card);
  for (const char* name : {"PSHELL", "PCOMP", "PCOMPG", "PSOLID", "PROD", "PTUBE", "PBAR", "PBARL", "PBEAM", "PBEAML",
                           "PBUSH1D", "PSHEAR", "PBEND", "PCOMPS"})
    for (const NastranCard* card : named(name)) {
      const auto [found, fresh] = property_cards_.emplace(deck_.integer(*card, 2), card);
      if (fresh) continue;
      bool same = found->second->name == card->name && found->second->last_field() == card->last_field();
      for (std::size_t f = 2; same && f <= card->last_field(); ++f) same = found->second->field(f) == card->field(f);
      if (!same)
        complain(*card, fmt::format("property {} is defined twice", found->first), "give every property its own label");
    }
}

const NastranCard& NastranBuilder::material_card(const NastranCard& card, std::int64_t label) const {
  const auto found = material_cards_.find(label);
  if (found != material_cards_.end()) return *found->second;
  std::string others;
  for (const auto& [name, count] : deck_.skipped)
    if (name.starts_with("MAT")) others += (others.empty() ? " (the deck also has " : ", ") + name;
  if (material_cards_.empty() && (deck_.skipped.contains("MAT4") || deck_.skipped.contains("MAT5")))
    complain(card,
             fmt::format("material {} is one of heat transfer, as are all of this deck{}", label,
                         others.empty() ? "" : others + ")"),
             "heat transfer is not solved: give a deck of mechanics, with MAT1");
  complain(card,
           fmt::format("there is no material {} of a kind kdyn knows{}", label, others.empty() ? "" : others + ")"),
           "use MAT1, MAT2, MAT8, MAT9 or MAT11");
}

int NastranBuilder::material(const NastranCard& user, std::int64_t label) {
  if (const auto found = materials_.find(label); found != materials_.end()) return found->second;
  const NastranCard& card = material_card(user, label);
  Material m;
  m.label = label;
  if (card.name == "MAT1") {
    const bool has_e = !card.blank(3), has_g = !card.blank(4), has_nu = !card.blank(5);
    double e = deck_.real(card, 3, 0.0), g = deck_.real(card, 4, 0.0), nu = deck_.real(card, 5, 0.0);
    if (!has_e && has_g && has_nu) e = 2.0 * g * (1.0 + nu);
    if (!has_nu && has_e && has_g && g > 0.0) nu = 0.5 * e / g - 1.0;
    if (e < 0.0 || g < 0.0)
      complain(card, fmt::format("Young's modulus {} or shear modulus {} is negative", e, g), "give E > 0");
    m.young = e * pressure(), m.poisson = nu;
    m.loss = deck_.real(card, 9, 0.0);
    // Beams and transverse shear take G as it stands; plates and solids take E and nu.
    if (has_g && has_e) m.shear = g * pressure();
  }
  const std::size_t density_field = card.name == "MAT1" ? 6 : card.name == "MAT9" ? 24 : card.name == "MAT11" ? 12 : 9;
  m.density = deck_.real(card, density_field, 0.0) * density();
  model_.materials.push_back(m);
  return materials_[label] = static_cast<int>(model_.materials.size()) - 1;
}

int NastranBuilder::isotropic_material(const NastranCard& card, std::int64_t label) {
  const int index = material(card, label);
  if (!(model_.materials[static_cast<std::size_t>(index)].young > 0.0))
    complain(card, fmt::format("material {} is not isotropic or has no Young's modulus", label),
             "give a MAT1 with E > 0");
  return index;
}

int NastranBuilder::property_of(const NastranCard& card, std::initializer_list<const char*> kinds) {
  return property(card, deck_.integer(card, 3, deck_.integer(card, 2)), kinds);
}

int NastranBuilder::property(const NastranCard& card, std::int64_t label, std::initializer_list<const char*> kinds) {
  const auto there = property_cards_.find(label);
  const bool right = there != property_cards_.end() && std::any_of(kinds.begin(), kinds.end(), [&](const char* kind) {
                       return there->second->name == kind;
                     });
  if (!right) {
    std::string others;
    for (const auto& [name, count] : deck_.skipped)
      if (name.starts_with('P')) others += (others.empty() ? "; the deck also has " : ", ") + name;
    complain(card,
             there == property_cards_.end()
                 ? fmt::format("property {} is missing or of a kind kdyn does not know{}", label, others)
                 : fmt::format("property {} is a {}", label, there->second->name),
             fmt::format("use {}", fmt::join(kinds, ", ")));
  }
  if (const auto found = properties_.find(label); found != properties_.end()) return found->second;
  const NastranCard& own = *there->second;
  Property p = own.name == "PSHELL"                          ? shell_property(own)
               : own.name == "PCOMP" || own.name == "PCOMPG" ? laminate_property(own)
               : own.name == "PSOLID"                        ? solid_property(own)
               : own.name == "PCOMPS"                        ? layered_solid_property(own)
                                                             : line_property(own);
  p.label = label;
  model_.properties.push_back(p);
  return properties_[label] = static_cast<int>(model_.properties.size()) - 1;
}

Property NastranBuilder::line_property(const NastranCard& card) {
  LineSection section = line_section(deck_, card);
  Property& p = section.property;
  p.material = isotropic_material(card, deck_.integer(card, 3));
  const double squared = length() * length(), fourth = squared * squared, per_length = settings_.mass_kg / length();
  p.area *= squared, p.inertia_1 *= fourth, p.inertia_2 *= fourth, p.torsion *= fourth, p.added_mass *= per_length;
  if (section.law) {
    for (BeamStation& s : section.law->stations) {
      s.area *= squared, s.inertia_1 *= fourth, s.inertia_2 *= fourth, s.inertia_12 *= fourth, s.torsion *= fourth;
      s.added_mass *= per_length, s.added_turning *= settings_.mass_kg * length();
    }
    for (auto* points : {&section.law->neutral, &section.law->added_at})
      for (Eigen::Vector2d& x : *points) x *= length();
    model_.beam_laws.push_back(std::move(*section.law));
    p.beam_law = static_cast<int>(model_.beam_laws.size()) - 1;
  }
  return p;
}

Property NastranBuilder::shell_property(const NastranCard& card) {
  Property p;
  p.thickness = deck_.real(card, 4, 0.0) * length();
  p.added_mass = deck_.real(card, 9, 0.0) * settings_.mass_kg / (length() * length());
  const std::int64_t none = 0, membrane = deck_.integer(card, 3, none), bending = deck_.integer(card, 5, none),
                     shear = deck_.integer(card, 7, none), coupling = deck_.integer(card, 12, none);
  if (bending < 0) complain(card, "plane strain (MID2 = -1) is not supported", "model the part with solids");
  if (membrane == none && bending == none) complain(card, "it has no material", "give MID1");
  const bool plain = membrane != none && membrane == bending && (shear == none || shear == membrane) &&
                     coupling == none && material_card(card, membrane).name == "MAT1" && deck_.real(card, 6, 1.0) > 0.0;
  p.material = material(card, membrane != none ? membrane : bending);
  if (!plain) {
    set_shell_law(card, p);
    return p;
  }
  isotropic_material(card, membrane);
  const Material& m = model_.materials[static_cast<std::size_t>(p.material)];
  if (!(std::abs(m.poisson) < 1.0))
    complain(card, fmt::format("the Poisson ratio {:.4g} of material {} is none of a plate", m.poisson, m.label),
             "give NU, or E and G that belong together");
  if (m.poisson >= 0.5)
    tell(card, Severity::warning, "poisson",
         fmt::format("the Poisson ratio {:.4g} of material {} follows from E and G that no isotropic material has",
                     m.poisson, m.label),
         "check E, G and NU");
  p.bending_ratio = deck_.real(card, 6, 1.0);
  p.shear_ratio = shear == none ? 0.0 : deck_.real(card, 8, 5.0 / 6.0);
  // Decks write 5/6 with as many digits as fit.
  if (std::abs(p.shear_ratio - 5.0 / 6.0) < 1e-5) p.shear_ratio = 5.0 / 6.0;
  return p;
}

// PCOMPS: PID CORDM PSDIR SB NB TREF GE, then for each ply GPLYID MID T THETA FT ILFT SOUT TFLG. Plies of one isotropic
// material are a plain solid, whatever their angles.
Property NastranBuilder::layered_solid_property(const NastranCard& card) {
  std::set<std::int64_t> materials;
  for (std::size_t field = 11; field <= card.last_field(); field += 8)
    if (!card.blank(field)) materials.insert(deck_.integer(card, field));
  if (materials.size() != 1 || material_card(card, *materials.begin()).name != "MAT1")
    complain(card, "its plies are not all of one isotropic material",
             "use a PSOLID with a MAT9 or MAT11 for each layer of elements");
  Property p;
  p.material = isotropic_material(card, *materials.begin());
  const double nu = model_.materials[static_cast<std::size_t>(p.material)].poisson;
  if (!(nu > -1.0 && nu < 0.5))
    complain(card, fmt::format("the Poisson ratio {:.4g} of material {} is none of a solid", nu, *materials.begin()),
             "give -1 < NU < 0.5, or E and G that belong together");
  return p;
}

Property NastranBuilder::solid_property(const NastranCard& card) {
  Property p;
  if (const std::string_view function = card.field(8); !function.empty() && lower_case(function) != "smech")
    complain(card, fmt::format("solids of kind {} are not solved", in_quotes(function)), "leave the fluid out");
  const std::int64_t label = deck_.integer(card, 3);
  const NastranCard& own = material_card(card, label);
  p.material = material(card, label);
  if (own.name == "MAT1") {
    isotropic_material(card, label);
    const double nu = model_.materials[static_cast<std::size_t>(p.material)].poisson;
    if (!(nu > -1.0 && nu < 0.5))
      complain(card, fmt::format("the Poisson ratio {:.4g} of material {} is none of a solid", nu, label),
               "give -1 < NU < 0.5, or E and G that belong together");
    return p;
  }
  Matrix6d c = Matrix6d::Zero();
  if (own.name == "MAT9") {
    std::size_t field = 3;
    for (int i = 0; i < 6; ++i)
      for (int k = i; k < 6; ++k) c(i, k) = c(k, i) = deck_.real(own, field++, 0.0);
  } else if (own.name == "MAT11") {
    const double e1 = deck_.real(own, 3), e2 = deck_.real(own, 4), e3 = deck_.real(own, 5);
    Matrix6d s = Matrix6d::Zero();
    s(0, 0) = 1.0 / e1, s(1, 1) = 1.0 / e2, s(2, 2) = 1.0 / e3;
    s(0, 1) = s(1, 0) = -deck_.real(own, 6, 0.0) / e1;
    s(0, 2) = s(2, 0) = -deck_.real(own, 7, 0.0) / e1;
    s(1, 2) = s(2, 1) = -deck_.real(own, 8, 0.0) / e2;
    s(3, 3) = 1.0 / deck_.real(own, 9), s(4, 4) = 1.0 / deck_.real(own, 11), s(5, 5) = 1.0 / deck_.real(own, 10);
    c = s.inverse();
  } else {
    complain(card, fmt::format("a {} is no material of solids", own.name), "use MAT1, MAT9 or MAT11");
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen{Eigen::MatrixXd(c)};
  if (!c.allFinite() || !(eigen.eigenvalues()[0] >= -1e-9 * eigen.eigenvalues()[5]) || !(eigen.eigenvalues()[5] > 0.0))
    complain(own, "its stiffness matrix is not positive", "check the moduli and Poisson ratios");
  const std::int64_t system = deck_.integer(card, 4, 0);
  if (system < 0) complain(card, "material axes along the element (CORDM = -1) are not supported", "give a system");
  if (const auto found = systems_.find(system);
      found != systems_.end() && found->second.kind != CoordinateKind::cartesian)
    complain(card, "material axes that turn along a cylinder or sphere are not supported", "give a CORD2R");
  SolidLaw law;
  law.elasticity = turned_elasticity(pressure() * c, axes(card, system, Eigen::Vector3d::Zero()));
  model_.solid_laws.push_back(law);
  p.solid_law = static_cast<int>(model_.solid_laws.size()) - 1;
  return p;
}

}  // namespace kdyn::fe::internal
